// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Hooks on what the server sends unasked.
#include <comcp/client/guards.hpp>
#include <comcp/client/incoming.hpp>

#include <comcp/client/handlers.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;
using strings = std::vector<std::string>;

namespace {

using maybe = std::optional<json::fragment>;

// As plain functions: see DESIGN.md section 7 on lambdas that are coroutines.
asio::awaitable<maybe> pass() { co_return std::nullopt; }
asio::awaitable<maybe> answer_with(json::fragment f) { co_return std::optional(std::move(f)); }
asio::awaitable<maybe> deny(error e) {
  throw comcp::exception(std::move(e));
  co_return std::nullopt;
}
asio::awaitable<void> done() { co_return; }
asio::awaitable<bool> verdict(bool yes) { co_return yes; }
asio::awaitable<maybe> hang() {
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

incoming_hook before(std::function<asio::awaitable<maybe>(incoming_request&)> f) {
  incoming_hook h;
  h.before = std::move(f);
  return h;
}
incoming_hook on_notification(std::function<bool(incoming_notification&)> f) {
  incoming_hook h;
  h.notified = std::move(f);
  return h;
}
incoming_hook recorder(std::string name, strings& log) {
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

}  // namespace

TEST_CASE("incoming: hooks see each request in order and its answer in reverse, also what nobody has a member for", "[client]") {
  hooked t;
  strings log;
  auto const client = t.with({recorder("a", log), recorder("b", log)});
  CHECK(t.sample(5)["result"]["model"].as<std::string>() == "m");
  CHECK(t.code(t.ask("vendor/thing")) == -32601);
  CHECK(t.ask("ping")["result"] == json::parse("{}").value());
  CHECK(log == strings{"a>sampling/createMessage", "b>sampling/createMessage", "b<sampling/createMessage ok",
                       "a<sampling/createMessage ok", "a>vendor/thing", "b>vendor/thing", "b<vendor/thing failed",
                       "a<vendor/thing failed"});
}

TEST_CASE("incoming: a hook changes what the handler gets, answers in its place, or changes the answer", "[client]") {
  hooked t;
  auto change = before([](incoming_request& r) {
    if (r.method == "elicitation/create")
      r.params = json::parse(R"({"message":"Changed?","requestedSchema":{"type":"object","properties":{}}})").value();
    return r.method == "vendor/thing" ? answer_with(args("mine", true)) : pass();
  });
  change.after = [](incoming_request const& r, result<json::fragment>& outcome) {
    if (r.method == "roots/list") outcome = json::fragment::of(args("roots", json::array(), "seen", 1));
    return done();
  };
  auto const client = t.with({change});
  CHECK(t.elicit()["result"]["action"].as<std::string>() == "accept");
  CHECK(t.handler->told == strings{"Changed?"});
  CHECK(t.ask("vendor/thing")["result"]["mine"].as<bool>());
  CHECK(t.ask("roots/list")["result"]["seen"].as<int>() == 1);
}

TEST_CASE("incoming: a denial is answered with the error that it names, any other with -32603 and a fault", "[client]") {
  hooked t;
  auto const client = t.with({before([](incoming_request& r) {
    if (r.method == "roots/list") return deny(error::from_peer({-32099, "not for you", {}}));
    if (r.method == "sampling/createMessage") return deny(error(errc::denied, "the user's secret reason"));
    throw std::runtime_error("oops");
  })});
  auto const roots = t.ask("roots/list");
  CHECK(t.code(roots) == -32099);
  CHECK(roots["error"]["message"].as<std::string>() == "not for you");
  auto const sampled = t.sample(5);
  CHECK(t.code(sampled) == -32603);
  CHECK(sampled.dump().find("secret") == std::string::npos);
  CHECK(t.code(t.elicit()) == -32603);
  CHECK(t.faults.size() == 2);
  CHECK(t.handler->sampled + t.handler->asked == 0);
}

TEST_CASE("incoming: a hook that takes its time is cancelled with the request, and the way back is told", "[client]") {
  hooked t;
  strings log;
  auto const client = t.with({recorder("a", log), before([](incoming_request&) { return hang(); })});
  bool answered = false;
  auto const id = t.server.request("roots/list", {}, [&answered](json::value const&) { answered = true; });
  t.settle();
  CHECK(log == strings{"a>roots/list"});
  t.server.notify("notifications/cancelled", args("requestId", id));
  t.settle();
  CHECK(log == strings{"a>roots/list", "a<roots/list failed"});
  CHECK_FALSE(answered);
  // And with its client.
  t.server.request("roots/list");
  t.settle();
  CHECK(t.finish(client.close()));
  CHECK(log.size() == 4);
}

TEST_CASE("incoming: notifications are seen, changed and dropped before anybody hears of them", "[client]") {
  hooked t;
  auto const client = t.with({on_notification([](incoming_notification& n) {
    if (n.method == "notifications/progress") n.params = json::parse(R"({"progressToken":1,"progress":0.25})").value();
    if (n.method == "com.example/bad") throw std::runtime_error("oops");
    return n.method != "com.example/dropped";
  })});
  for (auto const* const method : {"com.example/dropped", "com.example/bad", "com.example/good"}) t.server.notify(method);
  t.settle();
  CHECK(t.handler->told == strings{"com.example/good"});
  CHECK(client.statistics().dropped == 2);
  CHECK(t.faults.size() == 1);
}

TEST_CASE("incoming: a client without a handler has its hooks too", "[client]") {
  hooked t;
  strings log;
  auto o = t.options();
  o.intercept(recorder("a", log));
  auto const client = t.connect(t.server.transport(), std::move(o)).value();
  t.server.notify("com.example/x");
  CHECK(t.code(t.ask("roots/list")) == -32601);
  CHECK(log == strings{"a>roots/list", "a<roots/list failed"});
}

TEST_CASE("rate_limit: so many progress notifications of each call a second, and log messages", "[client]") {
  hooked t;
  std::vector<fake_request> open;
  t.server.on("tools/call", [&open](fake_request r) { open.push_back(r); });
  auto const client = t.with({rate_limit(3)});
  std::vector<double> heard;
  auto const listen = [&heard](progress_notification const& p) { heard.push_back(p.progress); };
  auto const first = t.start(client.call_tool("a", json::fragment(), call_options().on_progress(listen)));
  int others = 0;
  auto const count = [&others](progress_notification const&) { ++others; };
  auto const second = t.start(client.call_tool("b", json::fragment(), call_options().on_progress(count)));
  for (int i = 1; i <= 10; ++i) open.at(0).progress(i);
  open.at(1).progress(1);
  t.settle();
  CHECK(heard == std::vector<double>{1, 2, 3});
  CHECK(others == 1);
  t.advance(400ms);  // 1.2 of them
  for (int i = 11; i <= 13; ++i) open.at(0).progress(i);
  t.settle();
  CHECK(heard == std::vector<double>{1, 2, 3, 11});
  for (int i = 0; i < 5; ++i) t.server.notify("notifications/message", args("level", "info", "data", i));
  for (int i = 0; i < 5; ++i) t.server.notify("com.example/other");
  t.settle();
  CHECK(t.handler->told.size() == 3 + 5);
  CHECK(client.statistics().dropped == 7 + 2 + 2);
  open.at(0).reply(args("content", json::array()));
  open.at(1).reply(args("content", json::array()));
  t.settle();
  CHECK((first->ok() && second->ok()));
  CHECK_THROWS_AS(rate_limit(0), comcp::exception);
}

TEST_CASE("rate_limit: tokens that nobody gave are bounded and starve nobody for long", "[client]") {
  auto const limit = rate_limit(2);
  std::chrono::steady_clock::time_point now{};
  auto const told = [&](std::string const& token) {
    incoming_notification n("notifications/progress", json::parse(args("progressToken", token, "progress", 1).text()).value(), now);
    return limit.notified(n);
  };
  std::size_t passed = 0;
  for (int i = 0; i < 20'000; ++i) passed += told("t" + std::to_string(i));
  CHECK(passed == 4096);
  CHECK_FALSE(told(std::string(10'000, 'x')));
  CHECK(told("t1"));
  now += 1s;
  CHECK(told("mine"));
}

TEST_CASE("approve: samplings and elicitations wait for a yes", "[client]") {
  hooked t;
  bool says = false;
  strings asked;
  auto const client = t.with({approve([&](incoming_request const& r) {
    asked.push_back(r.method + " of " + r.about.server_name());
    return verdict(says);
  })});
  auto const refused = t.sample(5);
  CHECK(t.code(refused) == -1);
  CHECK(refused["error"]["message"].as<std::string>() == "User rejected sampling request");
  CHECK(t.elicit()["result"] == json::parse(R"({"action":"decline"})").value());
  CHECK(t.ask("roots/list")["result"]["roots"].size() == 0);
  CHECK(t.handler->sampled + t.handler->asked == 0);
  says = true;
  CHECK(t.sample(5)["result"]["model"].as<std::string>() == "m");
  CHECK(t.elicit()["result"]["action"].as<std::string>() == "accept");
  CHECK(asked.size() == 4);
  CHECK(asked.front() == "sampling/createMessage of fake-server");
}

TEST_CASE("approve: the modern era's rounds go the same way", "[client]") {
  hooked t;
  t.server.modern();
  t.server.on("tools/call", [](fake_request r) {
    if (auto const given = r.params().find("inputResponses")) return r.reply(args("content", json::array(), "structuredContent", *given));
    r.reply(json::raw(
        R"({"resultType":"input_required","requestState":"s","inputRequests":{"who":{"method":"elicitation/create","params":)"
        R"({"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{}}}}}})"));
  });
  bool origin = false;
  auto const client = t.with({require_origin(), approve([&origin](incoming_request const& r) {
                                origin = r.about.belongs_to_call();
                                return verdict(false);
                              })});
  auto const r = t.finish(client.call_tool("t")).value();
  CHECK(r.structured_content["who"]["action"].as<std::string>() == "decline");
  CHECK(origin);
  CHECK(t.handler->asked == 0);
}

TEST_CASE("limit_sampling: a budget of tokens and rounds, which failures do not spend", "[client]") {
  hooked t;
  auto const budget = limit_sampling(sampling_budget().tokens(100).rounds(3));
  {
    auto const client = t.with({budget});
    CHECK(t.sample(60)["result"]["model"].as<std::string>() == "m");
    CHECK(t.code(t.sample(41)) == -1);   // too much is refused, and spends nothing
    CHECK(t.code(t.sample(13)) == -5);   // the handler's own error
    CHECK(t.code(t.sample(0)) == -32602);
    CHECK(t.code(t.sample(-7)) == -32602);
    CHECK(t.sample(20)["result"]["model"].as<std::string>() == "m");
  }
  // Another connection has what is left: one round, 20 tokens.
  auto const client = t.with({budget});
  CHECK(t.code(t.sample(21)) == -1);
  CHECK(t.sample(1)["result"]["model"].as<std::string>() == "m");
  CHECK(t.code(t.sample(1)) == -1);
  CHECK(t.handler->sampled == 4);
}

TEST_CASE("require_origin: what belongs to no call of ours gets -32602", "[client]") {
  hooked t;
  std::optional<fake_request> open;
  t.server.on("tools/call", [&open](fake_request r) { open = r; });
  auto const client = t.with({require_origin()});
  CHECK(t.code(t.sample(5)) == -32602);
  CHECK(t.code(t.elicit()) == -32602);
  CHECK(t.code(t.ask("roots/list")) == -32602);
  CHECK(t.code(t.ask("vendor/thing")) == -32601);
  CHECK(t.handler->sampled + t.handler->asked == 0);
  auto const call = t.start(client.call_tool("t"));
  CHECK(t.sample(5)["result"]["model"].as<std::string>() == "m");
  open->reply(args("content", json::array()));
  t.settle();
  CHECK(call->ok());
  CHECK(t.code(t.sample(5)) == -32602);
}

TEST_CASE("require_origin: a ping of ours is no call that anything belongs to", "[client]") {
  hooked t;
  t.server.silent("ping");
  auto o = t.options();
  o.ping_interval(1s).ping_timeout(1h).intercept(require_origin());
  auto const client = t.connect(t.server.transport(), std::move(o), any_handler(t.handler)).value();
  t.advance(2s);  // the handshake's traffic was there
  t.advance(2s);
  CHECK(t.server.count("ping") == 1);
  CHECK(t.code(t.ask("roots/list")) == -32602);
}
