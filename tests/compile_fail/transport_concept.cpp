// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A send that may wait is no send of a transport.
// EXPECT: comcp: this type is no transport
#include <comcp/transport/transport.hpp>

struct waits_in_send {
  asio::awaitable<comcp::result<void>> open(comcp::inbox&);
#if defined(COMCP_CONTROL)
  comcp::result<void> send(comcp::outgoing);
#else
  asio::awaitable<comcp::result<void>> send(comcp::outgoing);
#endif
  bool abandon(comcp::request_id) noexcept;
  asio::awaitable<void> close();
  comcp::transport_info info() const;
};

comcp::any_transport erase(waits_in_send t) { return comcp::any_transport(std::move(t)); }
