// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A type that lacks one member of the transport concept is refused in words that name the seam.
// EXPECT: comcp: this type is no transport: it needs open(inbox&), send(outgoing), abandon(request_id)
#include <comcp/transport/transport.hpp>

struct almost {
  asio::awaitable<comcp::result<void>> open(comcp::inbox&);
  comcp::result<void> send(comcp::outgoing);
  bool abandon(comcp::request_id) noexcept;
#if defined(COMCP_CONTROL)
  asio::awaitable<void> close();
#endif
  comcp::transport_info info() const;
};

comcp::any_transport erase(almost t) { return comcp::any_transport(std::move(t)); }
