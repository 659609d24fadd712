// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A pool whose members talk to one fake server each, under a manual clock.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <comcp/pool/pool.hpp>

#include "support/conversation.hpp"

namespace comcp_test {

/// A transport to a fake server whose info() tells an identity.
struct identified {
  comcp::test::fake_connection inner;
  std::string identity;

  [[nodiscard]] asio::awaitable<comcp::result<void>> open(comcp::inbox& in) { return inner.open(in); }
  comcp::result<void> send(comcp::outgoing m) { return inner.send(std::move(m)); }
  bool abandon(comcp::request_id id) noexcept { return inner.abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return inner.close(); }
  [[nodiscard]] comcp::transport_info info() const {
    auto i = inner.info();
    i.identity = identity;
    return i;
  }
};

/// One that cannot be opened.
struct broken {
  [[nodiscard]] asio::awaitable<comcp::result<void>> open(comcp::inbox&) {
    co_return comcp::error(comcp::errc::connect_failed, "no such command");
  }
  comcp::result<void> send(comcp::outgoing) { return comcp::error(comcp::errc::closed); }
  bool abandon(comcp::request_id) noexcept { return false; }
  [[nodiscard]] asio::awaitable<void> close() { co_return; }
  [[nodiscard]] comcp::transport_info info() const { return {}; }
};

/// Servers that say who they are: tools/call gives the server's number as text, "hang" gives nothing until it is let go.
class crew : public conversation {
 public:
  std::deque<comcp::test::fake_server> servers;
  std::map<std::size_t, std::vector<comcp::test::fake_request>> held;

  std::size_t hire() {
    auto const number = servers.size();
    servers.emplace_back(io.get_executor());
    servers.back().on("tools/call", [this, number](comcp::test::fake_request r) {
      if (r.params()["name"].as<std::string>() == "hang") return held[number].push_back(r);
      r.reply(text_of(number));
    });
    return number;
  }
  static comcp::json::fragment text_of(std::size_t number) {
    auto const block = comcp::args("type", "text", "text", std::to_string(number));
    return comcp::args("content", std::vector<comcp::json::fragment>{block});
  }
  void let_go(std::size_t number) {
    for (auto const& r : std::exchange(held[number], {})) r.reply(text_of(number));
    settle();
  }

  /// A configuration of the server with this number. The first retry comes after 100 ms, without chance.
  comcp::server_config config(std::size_t number, std::string identity = {}) {
    auto make = [&server = servers[number], identity = std::move(identity)] {
      return comcp::any_transport(identified{server.transport(), identity});
    };
    return comcp::server_config::from(std::move(make)).options(options()).reconnect(patient());
  }
  comcp::server_config broken_config() {
    auto make = [] { return comcp::any_transport(broken()); };
    return comcp::server_config::from(std::move(make)).options(options()).reconnect(patient());
  }
  static comcp::reconnect_policy patient() {
    return comcp::reconnect_policy::forever().delay(comcp::milliseconds(100), comcp::milliseconds(100)).jitter(0);
  }
  std::vector<comcp::server_config> configs(std::size_t n) {
    std::vector<comcp::server_config> all;
    for (std::size_t i = 0; i != n; ++i) all.push_back(config(hire()));
    return all;
  }
  comcp::pool_options pooled() { return comcp::pool_options().time(clock); }

  comcp::pool make(std::vector<comcp::server_config> all, comcp::pool_options o) {
    comcp::pool p(io.get_executor(), std::move(all), std::move(o));
    settle();
    return p;
  }
  comcp::pool make(std::size_t n) { return make(configs(n), pooled()); }
  comcp::pool make(std::size_t n, comcp::pool_options o) { return make(configs(n), std::move(o)); }

  /// The number of the server that answers, or what else comes of it.
  std::string who(comcp::pool const& p) { return said(finish(p.call_tool("who"))); }
  static std::string said(comcp::result<comcp::call_tool_result> const& r) {
    return r ? r->text() : r.error().code().message();
  }
  /// Who answers so many calls, one after the other.
  std::string turns(comcp::pool const& p, int calls) {
    std::string all;
    for (int i = 0; i != calls; ++i) all += who(p);
    return all;
  }
  /// As start(), without running anything: the first step comes when the context runs.
  template <class T>
  outcome_of<T> launch(asio::awaitable<T> operation) {
    auto o = std::make_shared<outcome<T>>();
    asio::co_spawn(io, keep(o, std::move(operation)), asio::bind_cancellation_slot(o->signal.slot(), asio::detached));
    return o;
  }
  /// A call that does not end by itself.
  auto hang(comcp::pool const& p, comcp::call_options o = comcp::call_options()) {
    return start(p.call_tool("hang", comcp::args(), std::move(o)));
  }
  static std::string states(comcp::pool const& p) {
    std::string all;
    for (auto const& s : p.connections()) {
      if (!all.empty()) all += ' ';
      all += s.name + ':' + std::string(to_string(s.state));
    }
    return all;
  }
};

/// One letter of what each member has in flight.
inline std::string load_of(comcp::pool const& p) {
  std::string all;
  for (auto const& m : p.stats().members) all += std::to_string(m.in_flight);
  return all;
}

}  // namespace comcp_test
