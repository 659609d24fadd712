// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Hooks on what the server sends unasked.
#include "client/hooked.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

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
  std::optional<fake_request> open;
  t.server.on("tools/call", [&open](fake_request r) { open = r; });
  auto const client = t.with({on_notification([](incoming_notification& n) {
    if (n.method == "notifications/progress") {
      CHECK(n.call);
      auto const token = n.params["progressToken"].as<std::uint64_t>();
      n.params = json::parse(args("progressToken", token, "progress", 0.25).text()).value();
    }
    if (n.method == "com.example/bad") throw std::runtime_error("oops");
    return n.method != "com.example/dropped";
  })});
  for (auto const* const method : {"com.example/dropped", "com.example/bad", "com.example/good"}) t.server.notify(method);
  t.settle();
  CHECK(t.handler->told == strings{"com.example/good"});
  CHECK(client.statistics().dropped == 2);
  CHECK(t.faults.size() == 1);
  double heard = 0;
  auto const listen = [&heard](progress_notification const& p) { heard = p.progress; };
  auto const call = t.start(client.call_tool("a", {}, call_options().on_progress(listen)));
  open->progress(0.75);
  t.settle();
  CHECK(heard == 0.25);
  open->reply(args("content", json::array()));
  t.settle();
  CHECK(call->ok());
}

TEST_CASE("incoming: hooks declare nothing, and change no answer to what nobody has a member for", "[client]") {
  struct promises {
    void on(tools_list_changed) {}
    void capabilities(client_capabilities& c) { c.sampling.emplace(); }
  };
  hooked t;
  strings log;
  auto o = t.options();
  o.intercept(recorder("a", log));
  CHECK(t.connect(t.server.transport(), std::move(o), promises()).error() == errc::invalid_argument);
  auto again = t.options();
  again.intercept(recorder("a", log));
  auto const client = t.connect(t.server.transport(), std::move(again)).value();
  CHECK(t.code(t.elicit()) == -32601);
  CHECK(log == strings{"a>elicitation/create", "a<elicitation/create failed"});
}

TEST_CASE("incoming: what a handler throws is told as without hooks", "[client]") {
  struct throws {
    std::vector<root> list_roots() { throw std::runtime_error("boom"); }
  };
  bool const hooks = GENERATE(false, true);
  hooked t;
  strings log;
  auto o = t.options();
  if (hooks) o.intercept(recorder("a", log));
  auto const client = t.connect(t.server.transport(), std::move(o), throws()).value();
  CHECK(t.code(t.ask("roots/list")) == -32603);
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0] == errc::input_refused);
  CHECK(t.faults[0].message() == "a handler threw: boom");
}

TEST_CASE("incoming: withdrawn requests count until their hooks are through, and end with the client", "[client]") {
  hooked t;
  auto h = before([](incoming_request&) { return hang(); });
  int begun = 0;
  h.after = [&begun](incoming_request const&, result<json::fragment>&) -> asio::awaitable<void> {
    ++begun;
    auto const here = co_await asio::this_coro::executor;
    asio::steady_timer never(here, asio::steady_timer::time_point::max());
    co_await never.async_wait(asio::use_awaitable);
  };
  auto o = t.options();
  connection_limits few;
  few.handlers_in_flight(3);
  o.limits(few).intercept(std::move(h));
  auto const client = t.connect(t.server.transport(), std::move(o), any_handler(t.handler)).value();
  for (int i = 0; i < 20; ++i) {
    auto const id = t.server.request("roots/list");
    t.settle();
    t.server.notify("notifications/cancelled", args("requestId", id));
    t.settle();
  }
  CHECK(begun == 3);
  CHECK(client.statistics().dropped == 17);
  CHECK(t.finish(client.close()));
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
