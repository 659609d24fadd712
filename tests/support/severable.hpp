// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A transport to a server in this process that can be cut at once, as a process can be killed; what comes of it is heard
// at home later, as an exit is.
#pragma once

#include <functional>
#include <utility>

#include <comcp/test/fake_server.hpp>

namespace comcp_test {

class severable {
 public:
  explicit severable(comcp::test::fake_server s) : server_(std::move(s)), inner_(server_.transport()) {}
  asio::awaitable<comcp::result<void>> open(comcp::inbox& in) { return inner_.open(in); }
  comcp::result<void> send(comcp::outgoing m) { return inner_.send(std::move(m)); }
  bool abandon(comcp::request_id id) noexcept { return inner_.abandon(id); }
  asio::awaitable<void> close() { return inner_.close(); }
  [[nodiscard]] comcp::transport_info info() const { return inner_.info(); }
  [[nodiscard]] std::function<void()> cutter() const {
    return [s = server_] { s.drop(); };
  }

 private:
  comcp::test::fake_server server_;
  comcp::test::fake_connection inner_;
};

}  // namespace comcp_test
