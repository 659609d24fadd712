// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/interceptor.hpp>

#include <asio/strand.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_server;
using strings = std::vector<std::string>;

namespace {

// A fake server whose tool says its arguments, and a client with interceptors.
struct watched : conversation {
  watched() : server(io.get_executor()) {
    server.on("tools/call", [](comcp::test::fake_request r) {
      auto const given = r.params().find("arguments");
      r.reply(args("content", std::vector<json::value>(), "structuredContent", given.value_or(json::value())));
    });
  }
  comcp::client with(std::vector<interceptor> list) {
    auto o = options();
    for (auto& i : list) o.intercept(std::move(i));
    return connect(server.transport(), std::move(o)).value();
  }
  fake_server server;
};

// As plain functions: see DESIGN.md section 7 on lambdas that are coroutines.
asio::awaitable<std::optional<json::value>> go_on() { co_return std::nullopt; }
asio::awaitable<std::optional<json::value>> answer_with(json::value v) { co_return std::optional(std::move(v)); }
asio::awaitable<std::optional<json::value>> deny() {
  throw comcp::exception(error(errc::denied, "a human said no"));
  co_return std::nullopt;
}
asio::awaitable<void> nothing() { co_return; }
asio::awaitable<void> hang_after() {
  auto const here = co_await asio::this_coro::executor;
  asio::steady_timer never(here, asio::steady_timer::time_point::max());
  co_await never.async_wait(asio::use_awaitable);
}
asio::awaitable<std::optional<json::value>> hang() {
  co_await hang_after();
  co_return std::nullopt;
}
// Does not look at being cancelled.
asio::awaitable<std::optional<json::value>> when_open(comcp::detail::waiter<bool>& gate) {
  auto opened = comcp::detail::suspend<bool>(gate, [] {});
  co_await std::move(opened);
  co_return std::nullopt;
}

interceptor recorder(std::string name, strings& log) {
  interceptor i;
  i.before = [&log, name](outgoing_call& call) {
    log.push_back(name + ">" + call.method + " " + call.name);
    return go_on();
  };
  i.after = [&log, name](outgoing_call const& call, result<json::value>& r) {
    log.push_back(name + "<" + call.method + (r ? " ok" : " failed"));
    return nothing();
  };
  return i;
}

}  // namespace

TEST_CASE("interceptors: they see each call in order, and its result in reverse order", "[client]") {
  watched t;
  strings log;
  auto const client = t.with({recorder("a", log), recorder("b", log)});
  CHECK(t.finish(client.call_tool("tool", args("x", 1))));
  CHECK_FALSE(t.finish(client.list_prompts()));
  CHECK(log == strings{"a>tools/call tool", "b>tools/call tool", "b<tools/call ok", "a<tools/call ok",
                       "a>prompts/list ", "b>prompts/list ", "b<prompts/list failed", "a<prompts/list failed"});
}

TEST_CASE("interceptors: one may change what is sent and what comes back", "[client]") {
  watched t;
  interceptor i;
  i.before = [](outgoing_call& call) {
    call.params = args("name", call.name, "arguments", args("x", 42));
    return go_on();
  };
  i.after = [](outgoing_call const&, result<json::value>& r) {
    if (r) r = json::parse(R"({"content":[{"type":"text","text":"replaced"}]})");
    return nothing();
  };
  auto const client = t.with({i});
  auto const r = t.finish(client.call_tool("tool", args("x", 1)));
  REQUIRE(r);
  CHECK(r->text() == "replaced");
  CHECK(t.server.last("tools/call")["arguments"]["x"].as_int64() == 42);
}

TEST_CASE("interceptors: each sees what the call is about by now, typed or not", "[client]") {
  watched t;
  strings log;
  interceptor i;
  i.before = [](outgoing_call& call) {
    call.params = args("name", call.name + "2");
    return go_on();
  };
  auto const client = t.with({recorder("a", log), i, recorder("b", log)});
  CHECK(t.finish(client.request("tools/call", args("name", "tool"))));
  CHECK(t.finish(client.call_tool("tool")));
  CHECK(t.server.last("tools/call")["name"].as<std::string>() == "tool2");
  CHECK(log == strings{"a>tools/call tool", "b>tools/call tool2", "b<tools/call ok", "a<tools/call ok",
                       "a>tools/call tool", "b>tools/call tool2", "b<tools/call ok", "a<tools/call ok"});
}

TEST_CASE("interceptors: one may answer in the server's place", "[client]") {
  watched t;
  interceptor i;
  i.before = [](outgoing_call&) { return answer_with(json::parse(tool_text).value()); };
  auto const client = t.with({i});
  auto const r = t.finish(client.call_tool("tool"));
  REQUIRE(r);
  CHECK(r->text() == "done");
  CHECK(t.server.count("tools/call") == 0);
}

TEST_CASE("interceptors: one may deny, and nothing is sent", "[client]") {
  watched t;
  interceptor i;
  i.before = [](outgoing_call&) { return deny(); };
  auto const client = t.with({i});
  auto const r = t.finish(client.call_tool("tool"));
  REQUIRE_FALSE(r);
  CHECK(r.error() == errc::denied);
  CHECK(r.error().message() == "a human said no");
  CHECK(t.server.count("tools/call") == 0);
  CHECK(client.status() == connection_status::ready);
}

TEST_CASE("interceptors: the handshake and keep-alive are not calls of the user", "[client]") {
  watched t;
  int seen = 0;
  interceptor i;
  i.before = [&](outgoing_call&) {
    ++seen;
    return go_on();
  };
  auto o = t.options().ping_interval(60s);
  o.intercept(i);
  auto client = t.connect(t.server.transport(), std::move(o));
  REQUIRE(client);
  for (int n = 0; n != 4; ++n) t.advance(60s);
  CHECK(t.server.received().size() > 1);
  CHECK(seen == 0);
}

TEST_CASE("interceptors: who saw a call that is denied hears of it, whoever denies", "[client]") {
  watched t;
  strings log;
  interceptor denier;
  denier.before = [](outgoing_call&) { return deny(); };
  auto const client = t.with({recorder("a", log), denier, recorder("b", log)});
  CHECK(t.finish(client.call_tool("tool")).error() == errc::denied);
  CHECK(log == strings{"a>tools/call tool", "a<tools/call failed"});
}

TEST_CASE("interceptors: an approval that hangs ends with its call", "[client]") {
  watched t;
  strings log;
  interceptor human;
  human.before = [](outgoing_call&) { return hang(); };
  auto const client = t.with({recorder("a", log), human});
  std::stop_source stop;
  auto const o = t.start(client.call_tool("tool", args(), call_options().hard_timeout(60s).stop(stop.get_token())));
  t.advance(59s);
  CHECK_FALSE(o->done());
  CHECK(log.size() == 1);
  SECTION("at its hard timeout") {
    t.advance(1s);
    CHECK(o->error() == errc::timeout);
  }
  SECTION("with its stop token") {
    stop.request_stop();
    t.settle();
    CHECK(o->error() == errc::cancelled);
  }
  SECTION("with its caller") {
    o->cancel();
    t.settle();
    CHECK(o->error() == errc::cancelled);
  }
  SECTION("with the client") {
    CHECK(t.finish(client.close()));
    CHECK(o->error() == errc::closed);
  }
  CHECK(o->times == 1);
  CHECK(t.server.count("tools/call") == 0);
  CHECK(log == strings{"a>tools/call tool", "a<tools/call failed"});
}

TEST_CASE("interceptors: an approval whose coroutine is let go ends its call, here and elsewhere", "[client]") {
  watched t;
  comcp::detail::waiter<bool> gate;
  interceptor asks;
  asks.before = [&gate](outgoing_call&) { return when_open(gate); };
  auto const client = t.with({asks});
  bool const elsewhere = GENERATE(false, true);
  CAPTURE(elsewhere);
  auto op = client.call_tool("t");
  auto outcome = std::make_shared<std::optional<result<call_tool_result>>>();
  auto const wait = [](asio::awaitable<call_tool_result> work, std::shared_ptr<std::optional<result<call_tool_result>>> to)
      -> asio::awaitable<void> {
    auto r = co_await as_result(std::move(work));
    to->emplace(std::move(r));
  };
  asio::any_io_executor const on = elsewhere ? asio::any_io_executor(asio::make_strand(t.io)) : t.io.get_executor();
  asio::co_spawn(on, wait(std::move(op), outcome), asio::detached);
  t.settle();
  REQUIRE(gate);
  gate = comcp::detail::waiter<bool>();
  t.settle();
  REQUIRE(outcome->has_value());
  CHECK((**outcome).error() == errc::cancelled);
  CHECK(t.server.count("tools/call") == 0);
}

TEST_CASE("interceptors: an approval that comes after the end sends nothing", "[client]") {
  watched t;
  comcp::detail::waiter<bool> gate;
  interceptor human;
  human.before = [&gate](outgoing_call&) { return when_open(gate); };
  auto const client = t.with({human});
  auto const o = t.start(client.call_tool("tool", args(), call_options().hard_timeout(60s)));
  t.advance(60s);
  CHECK(o->error() == errc::timeout);
  REQUIRE(gate);
  std::exchange(gate, {}).complete(true, t.io.get_executor());
  t.settle();
  CHECK(t.server.count("tools/call") == 0);
}

TEST_CASE("interceptors: a hook that hangs on the way back holds nobody either", "[client]") {
  watched t;
  interceptor slow;
  slow.after = [](outgoing_call const&, result<json::value>&) { return hang_after(); };
  auto const client = t.with({slow});
  auto const o = t.start(client.call_tool("tool", args(), call_options().hard_timeout(60s)));
  CHECK_FALSE(o->done());
  SECTION("at the hard timeout") {
    t.advance(60s);
    CHECK(o->error() == errc::timeout);
  }
  SECTION("at close") {
    CHECK(t.finish(client.close()));
    CHECK(o->error() == errc::closed);
  }
  CHECK(o->times == 1);
}

TEST_CASE("interceptors: cancelling a call in flight tells the server, and those who record", "[client]") {
  watched t;
  t.server.silent("tools/call");
  strings log;
  auto const client = t.with({recorder("a", log)});
  auto const o = t.start(client.call_tool("tool"));
  o->cancel();
  t.settle();
  CHECK(o->error() == errc::cancelled);
  CHECK(t.server.count("notifications/cancelled") == 1);
  CHECK(log == strings{"a>tools/call tool", "a<tools/call failed"});
}

TEST_CASE("interceptors: a restart does not end the calls that it repeats", "[client]") {
  watched t;
  std::vector<comcp::test::fake_request> lists;
  t.server.on("tools/list", [&](comcp::test::fake_request r) { lists.push_back(r); });
  strings log;
  auto o = t.options().reconnect(reconnect_policy().jitter(0).attempts(2).delay(100ms, 100ms));
  o.intercept(recorder("a", log));
  auto const client = t.connect(t.server.transport(), std::move(o)).value();
  auto const list = t.start(client.list_tools());
  auto const call = t.start(client.call_tool("tool"));
  t.server.drop();
  t.settle();
  t.advance(100ms);
  REQUIRE(lists.size() == 2);
  lists[1].reply(json::raw(R"({"tools":[]})"));
  t.settle();
  CHECK(list->ok());
}

TEST_CASE("interceptors: subscriptions are denied and recorded as calls are, in both eras", "[client]") {
  bool const modern = GENERATE(false, true);
  watched t;
  modern ? t.server.modern() : t.server.legacy();
  strings log;
  bool denied = false;
  interceptor human;
  human.before = [&denied](outgoing_call&) { return denied ? deny() : go_on(); };
  auto const client = t.with({recorder("a", log), human});
  CHECK(t.finish(client.subscribe("x://a")));
  CHECK(t.finish(client.unsubscribe("x://a")));
  denied = true;
  CHECK(t.finish(client.subscribe("x://b")).error() == errc::denied);
  auto const seen = t.server.count("resources/subscribe") + t.server.count("subscriptions/listen");
  CHECK(seen == 1);
  CHECK(log == strings{"a>resources/subscribe x://a", "a<resources/subscribe ok", "a>resources/unsubscribe x://a",
                       "a<resources/unsubscribe ok", "a>resources/subscribe x://b", "a<resources/subscribe failed"});
}

TEST_CASE("interceptors: listen() may be denied, not answered", "[client]") {
  watched t;
  t.server.modern();
  bool answers = GENERATE(false, true);
  interceptor i;
  i.before = [answers](outgoing_call&) { return answers ? answer_with(json::value()) : deny(); };
  auto const client = t.with({i});
  auto const refused = t.finish(client.listen(subscription_filter()));
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == (answers ? errc::invalid_argument : errc::denied));
  CHECK(t.server.count("subscriptions/listen") == 0);
}

TEST_CASE("interceptors: they see and change a call's _meta and deadline", "[client]") {
  watched w;
  std::string seen;
  interceptor i;
  i.before = [&seen](outgoing_call& call) {
    for (auto const& [key, text] : call.options.meta()) seen += key + "=" + text;
    call.options.meta("com.example/b", 2).timeout(1s).hard_timeout(1s);
    return go_on();
  };
  auto const c = w.with({i});
  CHECK(w.finish(c.call_tool("t", args(), call_options().meta("com.example/a", 1))));
  CHECK(seen == "com.example/a=1");
  auto const meta = w.server.last("tools/call")["_meta"];
  CHECK(meta["com.example/a"].as<int>() == 1);
  CHECK(meta["com.example/b"].as<int>() == 2);
  w.server.silent("tools/call");
  auto const late = w.start(c.call_tool("t"));
  w.advance(1s);
  CHECK(late->error() == errc::timeout);
}

TEST_CASE("interceptors: parameters that they put in place are checked as a caller's are", "[client]") {
  watched w;
  auto const bad = GENERATE(as<std::string>(), R"({"name":"t","_meta":{"progressToken":1}})", "[1]");
  interceptor i;
  i.before = [bad](outgoing_call& call) {
    call.params = json::raw(bad);
    return go_on();
  };
  auto const c = w.with({i});
  auto const refused = w.finish(c.call_tool("t"));
  CHECK(refused.error() == errc::invalid_argument);
  CHECK(refused.error().outcome() == call_outcome::not_sent);
  CHECK(w.server.count("tools/call") == 0);
}

TEST_CASE("interceptors: the caller's stop token stays the caller's", "[client]") {
  watched w;
  interceptor i;
  i.before = [](outgoing_call& call) {
    std::stop_source other;
    other.request_stop();
    call.options.stop(other.get_token());
    return go_on();
  };
  auto const c = w.with({i});
  CHECK(w.finish(c.call_tool("t")));
  w.server.silent("tools/call");
  std::stop_source stop;
  auto const call = w.start(c.call_tool("t", args(), call_options().stop(stop.get_token())));
  CHECK_FALSE(call->done());
  stop.request_stop();
  w.settle();
  CHECK(call->error() == errc::cancelled);
}
