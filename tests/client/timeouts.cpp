// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// When a call's time is over, and what progress does to it.
#include <comcp/client/connect.hpp>
#include <comcp/net/asio_compat.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;
using comcp::test::script;

namespace {

// A client of a fake server that holds each tools/call back.
struct held_calls : conversation {
  explicit held_calls(bool modern, connect_options (*change)(connect_options) = nullptr) : server(io.get_executor()) {
    if (!modern) server.legacy();
    server.on("tools/call", [this](fake_request r) { held.push_back(r); });
    auto o = options();
    client = connect(server.transport(), change ? change(std::move(o)) : std::move(o)).value();
  }
  void cancelled_is(std::size_t n) { CHECK(server.count("notifications/cancelled") == n); }
  fake_server server;
  std::vector<fake_request> held;
  comcp::client client;
};

bool has_token(json::value const& params) { return params.find("_meta") && params["_meta"].contains("progressToken"); }

}  // namespace

TEST_CASE("timeouts: a call ends at its timeout, and the server is told, in both eras", "[client]") {
  bool const modern = GENERATE(false, true);
  held_calls t(modern);
  auto const o = t.start(t.client.call_tool("x", args(), call_options().timeout(2s)));
  t.advance(1999ms);
  CHECK_FALSE(o->done());
  t.cancelled_is(0);
  t.advance(1ms);
  REQUIRE(o->times == 1);
  CHECK(o->error() == errc::timeout);
  t.cancelled_is(1);
  CHECK(t.server.last("notifications/cancelled")["requestId"] == t.held[0].id());
  CHECK(t.client.statistics().timed_out == 1);
}

TEST_CASE("timeouts: a reply after the timeout is counted and dropped", "[client]") {
  held_calls t(true);
  auto const o = t.start(t.client.call_tool("x", args(), call_options().timeout(2s)));
  t.advance(2s);
  t.held[0].reply(json::raw(tool_text));
  t.settle();
  CHECK(o->times == 1);
  CHECK(o->error() == errc::timeout);
  CHECK(t.client.statistics().late == 1);
  CHECK(t.client.status() == connection_status::ready);
}

TEST_CASE("timeouts: the defaults are 30 seconds and the connection's own", "[client]") {
  held_calls preset(true);
  auto const o = preset.start(preset.client.call_tool("x"));
  preset.advance(29999ms);
  CHECK_FALSE(o->done());
  preset.advance(1ms);
  CHECK(o->error() == errc::timeout);
  held_calls own(true, [](connect_options given) { return given.timeout(3s); });
  auto const p = own.start(own.client.call_tool("x"));
  own.advance(3s);
  CHECK(p->error() == errc::timeout);
}

TEST_CASE("timeouts: progress extends, never past the hard maximum", "[client]") {
  held_calls t(true);
  auto const o = t.start(t.client.call_tool("x", args(), call_options().timeout(10s).hard_timeout(25s)));
  t.advance(9s);
  t.held[0].progress(1);
  t.settle();
  t.advance(9s);
  t.held[0].progress(2);
  t.settle();
  t.advance(6999ms);
  t.held[0].progress(3);
  t.settle();
  CHECK_FALSE(o->done());
  t.advance(1ms);
  REQUIRE(o->times == 1);
  CHECK(o->error() == errc::timeout);
}

TEST_CASE("timeouts: without the wish for it progress extends nothing", "[client]") {
  held_calls t(true);
  auto const o = t.start(t.client.call_tool("x", args(), call_options().timeout(10s).extend_on_progress(false)));
  CHECK_FALSE(has_token(t.held[0].params()));
  t.server.notify("notifications/progress", args("progressToken", t.held[0].id(), "progress", 1));
  t.advance(9s);
  t.server.notify("notifications/progress", args("progressToken", t.held[0].id(), "progress", 2));
  t.settle();
  t.advance(1s);
  CHECK(o->error() == errc::timeout);
}

TEST_CASE("timeouts: a progressToken is sent whenever progress is wanted or extends the timeout", "[client]") {
  held_calls t(GENERATE(false, true));
  auto const count = std::make_shared<int>(0);
  auto const listener = [count](progress_notification const&) { ++*count; };
  (void)t.start(t.client.call_tool("plain"));
  (void)t.start(t.client.call_tool("timeout", args(), call_options().timeout(1s)));
  (void)t.start(t.client.call_tool("listener", args(), call_options().on_progress(listener)));
  (void)t.start(t.client.call_tool("extend", args(), call_options().extend_on_progress(true)));
  REQUIRE(t.held.size() == 4);
  CHECK_FALSE(has_token(t.held[0].params()));
  CHECK(has_token(t.held[1].params()));
  CHECK(has_token(t.held[2].params()));
  CHECK(has_token(t.held[3].params()));
}

TEST_CASE("timeouts: progress that was read before the reply is delivered before the call ends", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call");
  s.notify("notifications/progress", R"({"progressToken":$id,"progress":1,"total":4,"message":"a"})");
  s.notify("notifications/progress", R"({"progressToken":$id,"progress":2})").reply(tool_text);
  s.notify("notifications/progress", R"({"progressToken":$id,"progress":3})");
  std::vector<double> heard;
  outcome_of<call_tool_result> o;
  auto client = c.connect(s.transport());
  auto const listen = [&](progress_notification const& p) {
    CHECK((!o || !o->done()));
    heard.push_back(p.progress);
  };
  o = c.start(client->call_tool("x", args(), call_options().on_progress(listen)));
  CHECK(o->ok());
  CHECK(heard == std::vector<double>{1, 2});
  CHECK(client->statistics().dropped == 1);  // the third came after the end
}

TEST_CASE("timeouts: progress for an unknown token is dropped and counted", "[client]") {
  held_calls t(false);
  for (auto const* const params : {R"({"progressToken":123456,"progress":1})", R"({"progressToken":"x","progress":1})", R"({"progress":1})"}) {
    t.server.notify("notifications/progress", json::raw(params));
  }
  t.settle();
  CHECK(t.client.statistics().dropped == 3);
  CHECK(t.client.status() == connection_status::ready);
}

TEST_CASE("timeouts: a progress callback that throws ends nothing", "[client]") {
  held_calls t(true);
  auto const bad = [](progress_notification const&) { throw std::runtime_error("mine"); };
  auto const o = t.start(t.client.call_tool("x", args(), call_options().on_progress(bad)));
  t.held[0].progress(1);
  t.held[0].reply(json::raw(tool_text));
  t.settle();
  CHECK(o->ok());
  CHECK(t.faults.size() == 1);
}

TEST_CASE("timeouts: the clock stops while a handler answers a legacy request, the hard maximum does not", "[client]") {
  struct slow_roots {
    std::shared_ptr<asio::steady_timer> until;
    asio::awaitable<std::vector<root>> list_roots() {
      auto const gate = until;
      (void)co_await gate->async_wait(comcp::net::tuple_awaitable);
      co_return std::vector<root>();
    }
  };
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  std::vector<fake_request> held;
  server.on("tools/call", [&](fake_request r) { held.push_back(r); });
  slow_roots h{std::make_shared<asio::steady_timer>(c.io, asio::steady_timer::time_point::max())};
  auto client = c.connect(server.transport(), c.options(), h);
  auto const o = c.start(client->call_tool("x", args(), call_options().timeout(10s).hard_timeout(60s)));
  c.advance(8s);
  server.request("roots/list");
  c.settle();
  SECTION("the rest of the timeout follows the answer") {
    c.advance(40s);
    CHECK_FALSE(o->done());
    h.until->cancel();
    c.settle();
    c.advance(1999ms);
    CHECK_FALSE(o->done());
    c.advance(1ms);
  }
  SECTION("the hard maximum holds") {
    c.advance(51999ms);
    CHECK_FALSE(o->done());
    c.advance(1ms);
  }
  REQUIRE(o->times == 1);
  CHECK(o->error() == errc::timeout);
}

TEST_CASE("timeouts: one above the default hard maximum holds for the rounds of the call too", "[client]") {
  held_calls t(true);
  auto const o = t.start(t.client.call_tool("x", args(), call_options().timeout(20min)));
  t.held[0].reply(json::raw(R"({"resultType":"input_required","requestState":"s"})"));
  t.settle();
  t.advance(50ms);  // state alone is paced
  REQUIRE(t.held.size() == 2);
  t.advance(15min);
  CHECK_FALSE(o->done());
  t.advance(5min);
  CHECK(o->error() == errc::timeout);
}

TEST_CASE("timeouts: zero and what no clock holds are none, for a client and for a call", "[client]") {
  conversation c;
  auto const never = GENERATE(std::chrono::seconds(0), std::chrono::seconds::max());
  auto const of_client = GENERATE(true, false);
  auto s = modern_script();
  s.expect("tools/call").as("call");
  auto options = c.options();
  call_options own;
  if (of_client) options.timeout(never).hard_timeout(never);
  else own.timeout(never).hard_timeout(never);
  auto client = c.connect(s.transport(), std::move(options));
  auto const call = c.start(client->call_tool("x", args(), std::move(own)));
  c.advance(24h * 365);
  CHECK_FALSE(call->done());
  s.reply_to("call", tool_text);
  c.settle();
  CHECK(call->ok());
}

TEST_CASE("timeouts: nothing to close in kills at once", "[client]") {
  conversation c;
  auto s = modern_script();
  s.never_closes();
  auto client = c.connect(s.transport(), c.options().close_timeout(0s));
  auto const closing = c.start(client->close());
  c.advance(1ns);
  CHECK(closing->ok());
}
