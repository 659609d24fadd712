// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls by name: where they go, how long they wait for a server, how they end.
#include "registry/house.hpp"

#include <stop_token>

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;

namespace {
// What a tool called so answers: the name of the server.
toolbox named(house& h, std::string const& who, strings tools) {
  auto s = h.server(std::move(tools));
  s.on("tools/call", [who](fake_request const& q) {
    auto const text = who + ":" + q.params()["name"].as<std::string>();
    q.reply(args("content", std::vector<json::fragment>{args("type", "text", "text", text)}));
  });
  return s;
}

std::string called(house& h, registry const& r, std::string const& name) {
  auto const result = h.finish(r.call(name));
  return result ? result->text() : result.error().code().message();
}
}  // namespace

TEST_CASE("registry: tools are called by qualified and by bare name", "[registry]") {
  house h;
  auto r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(named(h, "a", {"read", "only", "x/y"})))));
  REQUIRE(h.finish(r.add("b", h.config(named(h, "b", {"read"})))));
  CHECK(called(h, r, "a/read") == "a:read");
  CHECK(called(h, r, "b/read") == "b:read");
  CHECK(called(h, r, "only") == "a:only");
  CHECK(called(h, r, "a/x/y") == "a:x/y");
  CHECK(called(h, r, "x/y") == "a:x/y");  // no server is called x
  auto const both = h.finish(r.call("read"));
  CHECK(both.error() == errc::ambiguous_name);
  CHECK_THAT(std::string(both.error().message()), Catch::Contains("a, b"));
}

TEST_CASE("registry: what is not there has a typed error, and nothing is sent", "[registry]") {
  house h;
  auto const s = h.server();
  auto r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s))));
  CHECK(h.finish(r.call("b/echo")).error() == errc::unknown_server);
  CHECK(h.finish(r.call("a/none")).error() == errc::unknown_tool);
  CHECK(h.finish(r.call("none")).error() == errc::unknown_tool);
  CHECK(h.finish(r.call("a/echo", json::raw("[]"))).error() == errc::invalid_argument);
  CHECK(s.count("tools/call") == 0);
  CHECK(h.finish(r.read("b", "x:y")).error() == errc::unknown_server);
  CHECK(h.finish(r.prompt("b", "p")).error() == errc::unknown_server);
  CHECK(h.finish(r.subscribe("b", "x:y")).error() == errc::unknown_server);
  CHECK(h.finish(r.refresh("b")).error() == errc::unknown_server);
}

TEST_CASE("registry: bare names can be switched off", "[registry]") {
  house h;
  auto r = h.make(h.registry_options().bare_names(false));
  REQUIRE(h.finish(r.add("a", h.config(named(h, "a", {"only", "x/y"})))));
  CHECK(called(h, r, "a/only") == "a:only");
  CHECK(h.finish(r.call("only")).error() == errc::no_separator);
  CHECK(h.finish(r.call("x/y")).error() == errc::unknown_server);
}

TEST_CASE("registry: resources are read, prompts got, and updates heard, server by server", "[registry]") {
  house h;
  auto s = h.server();
  s.answer("resources/read", json::raw(R"({"contents":[{"uri":"x:1","text":"one"}]})"));
  s.answer("prompts/get", json::raw(R"({"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]})"));
  s.answer("resources/list", json::raw(R"({"resources":[{"uri":"x:1","name":"n"}]})"));
  s.answer("resources/templates/list", json::raw(R"({"resourceTemplates":[{"uriTemplate":"x:{id}","name":"t"}]})"));
  s.answer("prompts/list", json::raw(R"({"prompts":[{"name":"p"}]})"));
  auto r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s))));
  REQUIRE(r.resources().size() == 1);
  CHECK(r.resources()[0].name == "a/x:1");
  CHECK(r.resource_templates()[0].original_name == "x:{id}");
  CHECK(r.prompts()[0].server_name == "a");
  CHECK(h.finish(r.read("a", "x:1"))->text() == "one");
  CHECK(h.finish(r.prompt("a", "p", args("k", "v")))->messages.size() == 1);
  CHECK(s.last("prompts/get")["arguments"]["k"].as<std::string>() == "v");
  int updates = 0;
  REQUIRE(h.finish(r.subscribe("a", "x:1", [&](resource_updated const&) { ++updates; })));
  s.notify_listeners("notifications/resources/updated", args("uri", "x:1"));
  h.settle();
  CHECK(updates == 1);
  s.drop();
  h.settle();
  h.advance(500ms);
  s.notify_listeners("notifications/resources/updated", args("uri", "x:1"));
  h.settle();
  CHECK(updates == 2);
  REQUIRE(h.finish(r.call("a/echo")));
  REQUIRE(h.finish(r.reconnect("a")));
  s.notify_listeners("notifications/resources/updated", args("uri", "x:1"));
  h.settle();
  CHECK(updates == 3);
  REQUIRE(h.finish(r.unsubscribe("a", "x:1")));
  s.notify_listeners("notifications/resources/updated", args("uri", "x:1"));
  h.settle();
  CHECK(updates == 3);
}

TEST_CASE("registry: a call to a server that backs off waits for it, and has the rest of its timeout", "[registry]") {
  house h;
  auto s = h.server();
  std::vector<fake_request> calls;
  s.on("tools/call", [&](fake_request q) { calls.push_back(q); });
  auto r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s))));
  s.drop();
  h.settle();
  CHECK(state_of(r, "a") == server_state::backing_off);
  CHECK(names(r.tools()) == strings{"a/echo"});
  auto const call = h.start(r.call("a/echo", args(), call_options().timeout(2s)));
  auto const bare = h.start(r.call("echo"));
  CHECK_FALSE(call->done());
  h.advance(500ms);
  CHECK(state_of(r, "a") == server_state::ready);
  REQUIRE(calls.size() == 2);
  h.advance(1499ms);
  CHECK_FALSE(call->done());
  h.advance(1ms);
  REQUIRE(call->times == 1);
  CHECK(call->error() == errc::timeout);
  calls[1].reply(json::raw(tool_text));
  h.settle();
  CHECK(bare->ok());
}

TEST_CASE("registry: a call whose server is not back in time ends with not_ready and is never sent", "[registry]") {
  house h;
  auto s = h.server();
  auto r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s))));
  s.silent("server/discover").silent("initialize");
  s.drop();
  h.settle();
  auto const call = h.start(r.call("a/echo", args(), call_options().timeout(2s)));
  auto const by_default = h.start(r.call("a/echo"));
  std::stop_source source;
  auto const stopped = h.start(r.call("a/echo", args(), call_options().stop(source.get_token())));
  auto const cancelled = h.start(r.call("a/echo"));
  source.request_stop();
  cancelled->cancel();
  h.settle();
  CHECK(stopped->error() == errc::cancelled);
  CHECK(cancelled->error() == errc::cancelled);
  h.advance(2s);
  REQUIRE(call->times == 1);
  CHECK(call->error() == errc::not_ready);
  CHECK(is_retriable(call->error()));
  CHECK_FALSE(by_default->done());
  h.advance(28s);
  CHECK(by_default->error() == errc::not_ready);
  CHECK(s.count("tools/call") == 0);
}

TEST_CASE("registry: fail_fast ends calls to a server that is not ready at once", "[registry]") {
  house h;
  auto const s = h.server();
  auto r = h.make(h.registry_options().fail_fast());
  REQUIRE(h.finish(r.add("a", h.config(s))));
  REQUIRE(h.finish(r.add("lazy", h.config(h.server()).lazy())));
  s.drop();
  h.settle();
  auto const refused = h.finish(r.call("a/echo"));
  CHECK(refused.error() == errc::not_ready);
  CHECK(h.finish(r.read("a", "x:y")).error() == errc::not_ready);
  CHECK(h.finish(r.call("lazy/echo")).error() == errc::not_ready);
  h.settle();
  CHECK(h.finish(r.call("lazy/echo")));  // that use started it
  h.advance(500ms);
  CHECK(h.finish(r.call("a/echo")));
}

TEST_CASE("registry: the call that met the crash fails with its outcome unknown, and is not repeated", "[registry]") {
  house h;
  auto s = h.server();
  s.silent("tools/call");
  auto r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s))));
  auto const call = h.start(r.call("a/echo"));
  s.drop();
  h.settle();
  REQUIRE(call->times == 1);
  CHECK(call->error() == errc::outcome_unknown);
  h.advance(500ms);
  CHECK(state_of(r, "a") == server_state::ready);
  CHECK(s.count("tools/call") == 1);
}

TEST_CASE("registry: calls under way and calls that wait end with closed when their server is removed", "[registry]") {
  house h;
  auto s = h.server();
  s.silent("tools/call");
  auto r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s))));
  REQUIRE(h.finish(r.add("b", h.config(h.server()))));
  auto const under_way = h.start(r.call("a/echo"));
  REQUIRE(h.finish(r.remove("a")));
  CHECK(under_way->error() == errc::closed);
  REQUIRE(h.finish(r.add("a", h.config(s))));
  s.silent("server/discover").silent("initialize");
  s.drop();
  h.settle();
  auto const waits = h.start(r.call("a/echo"));
  REQUIRE(h.finish(r.remove("a")));
  REQUIRE(waits->times == 1);
  CHECK(waits->error() == errc::closed);
  CHECK(h.finish(r.call("echo")));
}

TEST_CASE("registry: a tool's own error and a JSON-RPC error are answers, and open no circuit", "[registry]") {
  house h;
  auto s = h.server({"bad", "worse"});
  s.on("tools/call", [](fake_request q) {
    if (q.params()["name"].as<std::string>() == "bad") q.reply(json::raw(R"({"content":[],"isError":true})"));
    else q.fail(-32000, "no");
  });
  auto r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s).reconnect(reconnect_policy().attempts(5).jitter(0).circuit_breaker(2)))));
  for (int i = 0; i != 5; ++i) {
    CHECK(h.finish(r.call("a/bad"))->is_error);
    CHECK(h.finish(r.call("a/worse")).error().peer());
  }
  CHECK(s.connections() == 1);
  CHECK(state_of(r, "a") == server_state::ready);
}

TEST_CASE("registry: progress comes through", "[registry]") {
  house h;
  auto s = h.server();
  s.on("tools/call", [](fake_request q) {
    q.progress(1, 2);
    q.reply(json::raw(tool_text));
  });
  auto r = h.make();
  REQUIRE(h.finish(r.add("a", h.config(s))));
  std::vector<double> steps;
  auto options = call_options().on_progress([&](progress_notification const& p) { steps.push_back(p.progress); });
  CHECK(h.finish(r.call("a/echo", args(), options)));
  CHECK(steps == std::vector<double>{1});
}

TEST_CASE("registry: a destroyed registry ends every operation", "[registry]") {
  house h;
  auto s = h.server();
  s.silent("tools/call");
  auto slow = h.server();
  slow.silent("server/discover").silent("initialize");
  std::optional<registry> r(h.make());
  REQUIRE(h.finish(r->add("a", h.config(s))));
  auto const call = h.start(r->call("a/echo"));
  auto const add = h.start(r->add("slow", h.config(slow)));
  auto const waits = h.start(r->call("slow/echo"));
  auto const settled = h.start(r->settled(1h));
  auto unstarted = r->call("a/echo");
  r.reset();
  h.settle();
  CHECK(call->error() == errc::closed);
  CHECK(add->error() == errc::closed);
  CHECK(waits->error() == errc::closed);
  CHECK(settled->error() == errc::closed);
  CHECK(h.finish(std::move(unstarted)).error() == errc::closed);
}
