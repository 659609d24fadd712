// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a browser does to a listener on 127.0.0.1, in the listener's own io_context. Real sockets, so it waits for them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include "support/conversation.hpp"

namespace comcp_test {

struct loopback_browser : conversation {
  using socket = asio::ip::tcp::socket;

  static std::uint16_t port_of(std::string const& uri) {
    return static_cast<std::uint16_t>(std::stoi(uri.substr(uri.rfind(':') + 1)));
  }

  /// Runs until that is so; fails the test when it takes longer than half a minute.
  void until(std::function<bool()> const& so) {
    auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    io.restart();
    while (!so() && std::chrono::steady_clock::now() < limit) io.run_one_until(limit);
    REQUIRE(so());
  }

  [[nodiscard]] std::shared_ptr<socket> connect() {
    auto s = std::make_shared<socket>(io);
    s->connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), port));
    return s;
  }
  [[nodiscard]] bool can_connect() {
    std::error_code failed;
    socket s(io);
    s.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), port), failed);
    return !failed;
  }
  static void send(socket& to, std::string_view bytes) { asio::write(to, asio::buffer(bytes)); }
  /// All until the other side closes.
  std::string read_all(socket& from) {
    std::string out;
    bool done = false;
    asio::async_read(from, asio::dynamic_buffer(out), [&](std::error_code, std::size_t) { done = true; });
    until([&] { return done; });
    return out;
  }
  std::string ask(std::string_view request) {
    auto const s = connect();
    send(*s, request);
    return read_all(*s);
  }

  std::uint16_t port = 0;
};

}  // namespace comcp_test
