// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is written is all that waits, not one message.
// EXPECT: comcp: this type is no message_stream
#include <comcp/transport/message_transport.hpp>

struct writes_one {
  asio::awaitable<comcp::result<std::string>> read();
#if defined(COMCP_CONTROL)
  asio::awaitable<comcp::result<void>> write(std::span<std::string const> messages);
#else
  asio::awaitable<comcp::result<void>> write(std::string message);
#endif
  void close() noexcept;
};

using wanted = comcp::message_transport<writes_one>;
std::size_t const size = sizeof(wanted);
