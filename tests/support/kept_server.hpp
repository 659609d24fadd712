// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A live_server with a fake server behind it and an owner who keeps what he hears, in a conversation.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <comcp/server/bell.hpp>
#include <comcp/server/live_server.hpp>

#include "support/conversation.hpp"

namespace comcp_test {

struct listening_owner final : comcp::detail::live_server_owner {
  std::vector<std::string> heard;
  int changes = 0;
  comcp::detail::bell rung;

  void state_changed(std::string const&) override {
    ++changes;
    rung.ring();
  }
  void became_ready(std::string const& name) override { heard.push_back(name + " ready"); }
  void gave_up(std::string const& name) override { heard.push_back(name + " gave up"); }
};

/// Waits until the server is ready, as registry and pool do; starts one that is stopped.
inline asio::awaitable<comcp::client> until_ready(std::shared_ptr<comcp::detail::live_server> live,
                                                  std::shared_ptr<listening_owner> owner,
                                                  std::chrono::steady_clock::time_point until) {
  using comcp::server_state;
  auto const& life = live->life();
  if (life.state() == server_state::stopped) live->start_in_background();
  for (;;) {
    if (auto c = live->connection()) co_return std::move(*c);
    if (life.state() == server_state::failed || life.state() == server_state::stopped) throw comcp::exception(life.reason());
    if (live->time()->now() >= until) throw comcp::exception(comcp::error(comcp::errc::timeout));
    auto waiting = owner->rung.wait(live->time(), until);
    co_await std::move(waiting);
  }
}

/// Operations that live_server has, begun while their arguments live.
class kept_server {
 public:
  explicit kept_server(comcp::reconnect_policy policy = comcp::reconnect_policy().attempts(3).jitter(0))
      : server(c.io.get_executor()), policy_(policy) {
    server.legacy().answer("tools/call", comcp::json::raw(tool_text));
  }

  /// With the fake server, or with another transport.
  std::shared_ptr<comcp::detail::live_server> make() { return make(config()); }
  std::shared_ptr<comcp::detail::live_server> make(comcp::server_config config) {
    config.reconnect(policy_);
    live = std::make_shared<comcp::detail::live_server>("s", std::move(config), c.io.get_executor(), c.clock, owner);
    return live;
  }
  comcp::server_config config() {
    auto transport = [server = server] { return comcp::any_transport(server.transport()); };
    auto config = comcp::server_config::from(std::move(transport));
    config.options(c.options().legacy());
    return config;
  }
  /// Each connection plays a copy of it as it is then.
  comcp::server_config config(comcp::test::script const& s) {
    auto transport = [s] { return comcp::any_transport(s.transport()); };
    auto config = comcp::server_config::from(std::move(transport));
    config.options(c.options());
    return config;
  }

  [[nodiscard]] comcp::server_state state() const { return live->status().state; }
  [[nodiscard]] std::string history() const {
    std::string out;
    for (auto const& e : live->status().history) out += (out.empty() ? "" : ", ") + std::string(to_string(e.state));
    return out;
  }
  auto ready(std::chrono::nanoseconds within) { return c.start(until_ready(live, owner, c.clock->now() + within)); }
  auto call(std::string_view name = "x") { return c.start(live->connection()->call_tool(name)); }
  void crash() {
    server.drop();
    c.settle();
  }

  conversation c;
  comcp::test::fake_server server;
  std::shared_ptr<listening_owner> owner = std::make_shared<listening_owner>();
  std::shared_ptr<comcp::detail::live_server> live;

 private:
  comcp::reconnect_policy policy_;
};

}  // namespace comcp_test
