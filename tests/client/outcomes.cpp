// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the error of a call says about the call itself: never sent, answered, or perhaps carried out.
#include <comcp/client/connect.hpp>

#include <comcp/net/gate.hpp>

#include "support/conversation.hpp"
#include "support/failing_new.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_server;
using comcp::test::script;

namespace {

void check_open(error const& e, errc code) {
  INFO(e.to_string());
  CHECK(e == code);
  CHECK(e.outcome() == call_outcome::open);
  CHECK(leaves_outcome_open(e));
  CHECK_FALSE(is_retriable(e));
}

void check_unsent(error const& e, errc code) {
  INFO(e.to_string());
  CHECK(e == code);
  CHECK(e.outcome() == call_outcome::not_sent);
  CHECK_FALSE(leaves_outcome_open(e));
}

}  // namespace

TEST_CASE("outcomes: a call that was sent may have run, however it ends without an answer", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.ignore("notifications/cancelled");
  for (int i = 0; i != 3; ++i) s.expect("tools/call");
  auto client = c.connect(s.transport(), c.options()).value();
  auto const late = c.start(client.call_tool("x"));
  c.advance(30s);
  check_open(late->error(), errc::timeout);
  auto const cancelled = c.start(client.call_tool("x"));
  cancelled->cancel();
  c.settle();
  check_open(cancelled->error(), errc::cancelled);
  auto const closed = c.start(client.call_tool("x", args(), call_options().idempotent()));
  CHECK(c.finish(client.close()));
  check_open(closed->error(), errc::closed);
}

TEST_CASE("outcomes: an answer that cannot be used leaves them open, one of the server's errors does not", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").reply(R"({"content":7})");
  s.expect("tools/call").reply(R"({"content":[],"structuredContent":[[[[[[[[]]]]]]]]})");
  s.expect("tools/call").reply(R"({"content":[],"structuredContent":{"n":"text"}})");
  s.expect("tools/call").fail(-32602, "no such tool");
  auto const shallow = connection_limits().json(json::parse_options().max_depth(6));
  auto client = c.connect(s.transport(), c.options().limits(shallow)).value();
  check_open(c.finish(client.call_tool("x")).error(), errc::protocol_violation);
  check_open(c.finish(client.call_tool("x")).error(), errc::limit_exceeded);
  check_open(c.finish(client.call_tool<int>("x", args())).error(), errc::wrong_shape);
  auto const refused = c.finish(client.call_tool("x")).error();
  CHECK(refused.outcome() == call_outcome::known);
  CHECK_FALSE(leaves_outcome_open(refused));
}

TEST_CASE("outcomes: what was never sent says so, whatever the connection ended with", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").close(error(errc::protocol_violation, "nonsense"));
  auto client = c.connect(s.transport(), c.options()).value();
  std::stop_source stopped;
  stopped.request_stop();
  check_unsent(c.finish(client.call_tool("x", args(), call_options().stop(stopped.get_token()))).error(), errc::cancelled);
  check_unsent(c.finish(client.discover()).error(), errc::not_in_protocol);
  check_unsent(c.finish(client.call_tool("x", args(), call_options().meta("progressToken", 1))).error(), errc::invalid_argument);
  check_open(c.finish(client.call_tool("x")).error(), errc::outcome_unknown);
  check_unsent(c.finish(client.call_tool("x")).error(), errc::protocol_violation);
}

TEST_CASE("outcomes: a call that waits for a restart was not sent, and may be sent again", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").close(error(errc::transport_failed, "it crashed"));
  auto client =
      c.connect(s.transport(), c.options().reconnect(reconnect_policy().jitter(0).attempts(2).delay(1min, 1min)))
          .value();
  check_open(c.finish(client.call_tool("x")).error(), errc::outcome_unknown);
  auto const waits = c.start(client.call_tool("x"));
  c.advance(30s);
  check_unsent(waits->error(), errc::timeout);
  CHECK(is_retriable(waits->error()));
}

TEST_CASE("outcomes: interceptors change nothing of it", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.ignore("notifications/cancelled").expect("tools/call").expect("tools/call").fail(-32603, "inner");
  auto const never = std::make_shared<comcp::detail::gate>(c.io.get_executor());
  interceptor i;
  i.before = [never](outgoing_call& call) -> asio::awaitable<std::optional<json::value>> {
    if (call.name == "denied") throw exception(error(errc::denied));
    if (call.name == "asks") co_await never->wait();
    co_return std::nullopt;
  };
  auto client = c.connect(s.transport(), c.options().hard_timeout(1min).intercept(i)).value();
  check_unsent(c.finish(client.call_tool("denied")).error(), errc::denied);
  auto const asks = c.start(client.call_tool("asks"));
  c.advance(1min);
  check_unsent(asks->error(), errc::timeout);
  auto const goes = c.start(client.call_tool("goes"));
  c.advance(30s);
  check_open(goes->error(), errc::timeout);
  CHECK(c.finish(client.call_tool("fails")).error().outcome() == call_outcome::known);
}

TEST_CASE("outcomes: an error whose code has no name names its method", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").fail(0, "");
  auto client = c.connect(s.transport(), c.options()).value();
  CHECK(c.finish(client.call_tool("x")).error().to_string() == "JSON-RPC error 0: tools/call");
}

TEST_CASE("outcomes: a tool that wants a task is not called without one", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().capabilities(R"({"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}})");
  server.answer("tools/list", json::raw(R"({"tools":[{"name":"slow","inputSchema":{"type":"object"},)"
                                        R"("execution":{"taskSupport":"required"}}]})"));
  server.answer("tools/call", json::raw(tool_text));
  auto client = c.connect(server.transport()).value();
  REQUIRE(c.finish(client.call_tool("slow")));  // nobody knows yet
  auto const tools = c.finish(client.list_tools()).value();
  auto const e = c.finish(client.call_tool("slow")).error();
  check_unsent(e, errc::capability_missing);
  CHECK_THAT(e.to_string(), match::contains("slow") && match::contains("task"));
  CHECK(server.count("tools/call") == 1);
  CHECK(c.finish(client.call_tool("other", args(), call_options().tool(tools[0]))).error() == errc::capability_missing);
  server.answer("tools/list", json::raw(R"({"tools":[{"name":"slow","inputSchema":{"type":"object"}}]})"));
  REQUIRE(c.finish(client.list_tools()));
  CHECK(c.finish(client.call_tool("slow")));
}

TEST_CASE("outcomes: memory that runs out while an answer is read is an error that says so", "[client]") {
  conversation c;
  auto s = legacy_script();
  std::optional<scarce_memory> scarce;
  bool armed = false;
  auto const hears = [&](direction d, std::string_view) {
    if (armed && d == direction::received) scarce.emplace(500'000);
  };
  auto client = c.connect(s.transport(), c.options().trace(hears)).value();
  auto const ended = c.start(end_of(client));
  auto const failure = R"({"jsonrpc":"2.0","id":$id,"error":{"code":1,"message":")" + std::string(900'000, 'x') + "\"}}";
  SECTION("where the parser cannot grow, the call fails with it") {
    armed = true;
    s.expect("ping").raw(failure);
    auto const pinged = c.start(client.ping());
    scarce.reset();
    CHECK(pinged->error() == errc::out_of_memory);
    CHECK_FALSE(ended->done());
  }
  SECTION("elsewhere, the client ends with it") {
    s.expect("ping").raw(failure).expect("ping").raw(failure);
    CHECK(c.finish(client.ping()).error().peer());
    armed = true;
    auto const pinged = c.start(client.ping());
    scarce.reset();
    c.advance(10s);
    CHECK(pinged->error() == errc::outcome_unknown);
    REQUIRE(ended->ok());
    CHECK((*ended)->why == errc::out_of_memory);
  }
}

TEST_CASE("outcomes: wherever memory runs out while an answer comes, its caller hears something", "[client]") {
  int refusals = 0;
  for (bool more = true; more;) {
    conversation c;
    auto s = legacy_script();
    std::optional<one_refusal> refusal;
    bool armed = false;
    auto const hears = [&](direction d, std::string_view) {
      if (armed && d == direction::received) refusal.emplace(refusals + 1);
    };
    auto client = c.connect(s.transport(), c.options().trace(hears)).value();
    s.expect("tools/call").fail(0, "");  // an error that comcp gives a text
    armed = true;
    auto const called = std::make_shared<outcome<call_tool_result>>();
    auto const call = [](comcp::client const& on, outcome_of<call_tool_result> out,
                         std::optional<one_refusal>& r) -> asio::awaitable<void> {
      auto op = on.call_tool("x");
      auto got = co_await as_result(std::move(op));
      out->value.emplace(std::move(got));
      ++out->times;
      if (r && !r->came()) r.reset();
    };
    asio::co_spawn(c.io, call(client, called, refusal), asio::detached);
    c.settle();
    more = refusal.has_value();
    refusal.reset();
    c.advance(10s);
    INFO("piece " << refusals + 1);
    REQUIRE(called->times == 1);
    refusals += more;
  }
  CHECK(refusals > 0);
}

TEST_CASE("outcomes: memory that runs out as the last of all() ends keeps nobody waiting", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().answer("tools/call", json::raw(tool_text));
  auto client = c.connect(server.transport());
  std::optional<scarce_memory> scarce;
  bool well = false;
  auto const last = [&]() -> asio::awaitable<call_tool_result> {
    auto r = co_await client->call_tool("x");
    scarce.emplace(1);
    co_return r;
  };
  auto const work = [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<call_tool_result>> ops;
    ops.push_back(last());
    auto const r = co_await all(std::move(ops));
    scarce.reset();
    well = r.at(0).has_value();
  };
  asio::co_spawn(c.io, work(), asio::detached);
  c.settle();
  CHECK(well);
}
