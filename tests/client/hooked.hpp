// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client with hooks on what comes in, and a server that asks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/client/handlers.hpp>
#include <comcp/client/incoming.hpp>

#include "support/conversation.hpp"

namespace comcp_test {

using namespace comcp;
using comcp::test::fake_request;
using comcp::test::fake_server;
using strings = std::vector<std::string>;

using maybe = std::optional<json::fragment>;

// As plain functions: see DESIGN.md section 7 on lambdas that are coroutines.
inline asio::awaitable<maybe> pass() { co_return std::nullopt; }
inline asio::awaitable<maybe> answer_with(json::fragment f) { co_return std::optional(std::move(f)); }
inline asio::awaitable<maybe> deny(error e) {
  throw comcp::exception(std::move(e));
  co_return std::nullopt;
}
inline asio::awaitable<void> done() { co_return; }
inline asio::awaitable<bool> verdict(bool yes) { co_return yes; }
inline asio::awaitable<maybe> hang() {
  auto const here = co_await asio::this_coro::executor;
  asio::steady_timer never(here, asio::steady_timer::time_point::max());
  co_await never.async_wait(asio::use_awaitable);
  co_return std::nullopt;
}

struct everything {
  int sampled = 0, asked = 0;
  strings told;
  create_message_result create_message(create_message_params p) {
    ++sampled;
    if (p.max_tokens == 13) throw comcp::exception(error::from_peer({-5, "no luck", {}}));
    create_message_result r;
    r.role = role::assistant;
    r.model = "m";
    return r;
  }
  elicit_result elicit(elicit_params p) {
    ++asked;
    told.push_back(p.message);
    return elicit_result::accept(args("name", "Ada"));
  }
  std::vector<root> list_roots() { return {}; }
  void on(any_notification const& n) { told.push_back(n.method); }
};

struct hooked : conversation {
  hooked() : server(io.get_executor()) { server.legacy(); }
  comcp::client with(std::vector<incoming_hook> list) {
    auto o = options();
    for (auto& h : list) o.intercept(std::move(h));
    return connect(server.transport(), std::move(o), any_handler(handler)).value();
  }
  // The answer to a request of the server.
  json::value ask(std::string_view method, json::fragment params = json::fragment()) {
    json::value answer;
    server.request(method, std::move(params), [&answer](json::value a) { answer = std::move(a); });
    settle();
    return answer;
  }
  json::value sample(int max_tokens) {
    return ask("sampling/createMessage", args("maxTokens", max_tokens, "messages", json::array()));
  }
  json::value elicit() {
    return ask("elicitation/create", args("message", "Name?", "requestedSchema", args("type", "object", "properties", json::object())));
  }
  std::int64_t code(json::value const& answer) { return answer["error"]["code"].as<std::int64_t>(); }

  fake_server server;
  std::shared_ptr<everything> handler = std::make_shared<everything>();
};

inline incoming_hook before(std::function<asio::awaitable<maybe>(incoming_request&)> f) {
  incoming_hook h;
  h.before = std::move(f);
  return h;
}
inline incoming_hook on_notification(std::function<bool(incoming_notification&)> f) {
  incoming_hook h;
  h.notified = std::move(f);
  return h;
}
inline incoming_hook recorder(std::string name, strings& log) {
  auto h = before([&log, name](incoming_request& r) {
    log.push_back(name + ">" + r.method);
    return pass();
  });
  h.after = [&log, name](incoming_request const& r, result<json::fragment>& outcome) {
    log.push_back(name + "<" + r.method + (outcome ? " ok" : " failed"));
    return done();
  };
  return h;
}

}  // namespace comcp_test
