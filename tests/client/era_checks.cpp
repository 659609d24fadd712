// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A saved verdict that turns out to be wrong: it is checked once, for all calls, and none of them sees it half done.
#include <comcp/client/connect.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using comcp::test::fake_server;

namespace {

era_verdict modern_verdict() {
  era_verdict out;
  out.era = era::modern;
  out.versions = {version::v2026_07_28};
  out.date = std::chrono::system_clock::now();
  return out;
}

// A server that is a legacy one, and was a modern one when the verdict was saved; it takes its time to say so.
struct changed_mind {
  explicit changed_mind(conversation& c) : server(c.io.get_executor()) {
    server.legacy(version::v2025_06_18);
    server.on("initialize", [this](comcp::test::fake_request const& r) { handshakes.push_back(r); });
    server.on("tools/call", [](comcp::test::fake_request const& r) {
      bool const modern = !r.meta("io.modelcontextprotocol/protocolVersion").is_null();
      if (modern) r.fail(-32600, "what is this");
      else r.reply(json::raw(tool_text));
    });
  }
  void go_on() {
    for (auto const& r : handshakes) r.reply(json::raw(initialize_text("2025-06-18")));
  }
  fake_server server;
  std::vector<comcp::test::fake_request> handshakes;
};

}  // namespace

TEST_CASE("era_checks: while a saved verdict is checked anew, all calls wait for what comes out", "[client]") {
  bool const first_is_cancelled = GENERATE(false, true);
  conversation c;
  changed_mind s(c);
  auto client = c.connect(s.server.transport(), c.options().prior(modern_verdict()));
  std::vector<outcome_of<call_tool_result>> calls(2);
  for (auto& o : calls) {
    o = std::make_shared<outcome<call_tool_result>>();
    auto const call = [](comcp::client const& cl, outcome_of<call_tool_result> out) -> asio::awaitable<void> {
      auto r = co_await as_result(cl.call_tool("together"));
      out->value.emplace(std::move(r));
      ++out->times;
    };
    asio::co_spawn(c.io, call(*client, o), asio::bind_cancellation_slot(o->signal.slot(), asio::detached));
  }
  c.settle();
  REQUIRE(s.handshakes.size() == 1);
  CHECK(client->status() == connection_status::initializing);
  CHECK(client->era() == era::modern);
  calls.push_back(c.start(client->call_tool("meanwhile")));
  auto const ping = c.start(client->ping());  // which the modern era has not
  for (auto const& o : calls) CHECK_FALSE(o->done());
  CHECK_FALSE(ping->done());
  if (first_is_cancelled) calls[0]->cancel();
  c.settle();
  s.go_on();
  c.settle();
  CHECK(client->era() == era::legacy);
  CHECK(calls[0]->ok() == !first_is_cancelled);
  CHECK(calls[0]->done());
  CHECK(calls[1]->ok());
  CHECK(calls[2]->ok());
  CHECK(ping->ok());
}

TEST_CASE("era_checks: a check that fails changes nothing, and tells all who wait", "[client]") {
  conversation c;
  changed_mind s(c);
  auto client = c.connect(s.server.transport(), c.options().prior(modern_verdict()));
  auto const first = c.start(client->call_tool("x"));
  auto const second = c.start(client->list_tools());
  REQUIRE(s.handshakes.size() == 1);
  s.handshakes[0].fail(-32603, "not today");
  c.settle();
  CHECK(first->error().peer());
  CHECK(second->error().peer());
  CHECK(client->era() == era::modern);
  CHECK(client->protocol_version() == version::v2026_07_28);
}

TEST_CASE("era_checks: what was sent to a server that ends when it is probed ends with it", "[client]") {
  conversation c;
  changed_mind s(c);
  auto client = c.connect(s.server.transport(), c.options().prior(modern_verdict()));
  s.server.on("server/discover", [&](comcp::test::fake_request const&) { s.server.drop(); });
  s.server.on("tools/call", [](comcp::test::fake_request const& r) {
    bool const modern = !r.meta("io.modelcontextprotocol/protocolVersion").is_null();
    if (!modern) r.reply(json::raw(tool_text));
    else if (json::value const name = r.params()["name"]; name.as_string() == "quick") r.fail(-32600, "what is this");
  });
  auto const slow = c.start(client->call_tool("slow"));
  auto const quick = c.start(client->call_tool("quick"));
  c.settle();
  REQUIRE(slow->done());
  CHECK(slow->error() == errc::outcome_unknown);
  CHECK_FALSE(quick->done());
  REQUIRE(s.handshakes.size() == 1);
  s.go_on();
  c.settle();
  CHECK(quick->ok());
}

TEST_CASE("era_checks: after a check that failed the next call checks again", "[client]") {
  conversation c;
  changed_mind s(c);
  auto client = c.connect(s.server.transport(), c.options().prior(modern_verdict()));
  auto const first = c.start(client->call_tool("x"));
  REQUIRE(s.handshakes.size() == 1);
  s.handshakes[0].fail(-32603, "not today");
  c.settle();
  CHECK(first->error().peer());
  auto const second = c.start(client->call_tool("x"));
  REQUIRE(s.handshakes.size() == 2);
  s.go_on();
  c.settle();
  CHECK(second->ok());
  CHECK(client->era() == era::legacy);
}

TEST_CASE("era_checks: what begins inside a check that failed does not end with its failure", "[client]") {
  conversation c;
  changed_mind s(c);
  auto client = c.connect(s.server.transport(), c.options().prior(modern_verdict()));
  outcome<void> restarted;
  auto const call_and_restart = [&]() -> asio::awaitable<void> {
    (void)co_await as_result(client->call_tool("x"));
    auto op = client->reconnect();
    auto r = co_await as_result(std::move(op));
    restarted.value.emplace(std::move(r));
    ++restarted.times;
  };
  asio::co_spawn(c.io, call_and_restart(), asio::detached);
  c.settle();
  REQUIRE(s.handshakes.size() == 1);
  s.handshakes[0].fail(-32603, "not today");
  c.settle();
  CHECK_FALSE(restarted.done());
  CHECK(s.server.connections() == 2);
  REQUIRE(s.handshakes.size() == 2);
  s.go_on();
  c.settle();
  CHECK(restarted.ok());
}

TEST_CASE("era_checks: a restart that begins inside a check that went well waits for its own outcome", "[client]") {
  conversation c;
  changed_mind s(c);
  s.server.on("tools/call", [](comcp::test::fake_request const& r) { r.fail(-32600, "what is this"); });
  s.server.on("server/discover", [](comcp::test::fake_request const& r) { r.reply(json::raw(discover_text())); });
  auto client = c.connect(s.server.transport(), c.options().prior(modern_verdict()));
  outcome<void> restarted;
  auto const call_and_restart = [&]() -> asio::awaitable<void> {
    (void)co_await as_result(client->call_tool("x"));
    s.server.on("server/discover", [](comcp::test::fake_request const&) {});
    auto op = client->reconnect();
    auto r = co_await as_result(std::move(op));
    restarted.value.emplace(std::move(r));
    ++restarted.times;
  };
  asio::co_spawn(c.io, call_and_restart(), asio::detached);
  c.settle();
  CHECK(s.server.connections() == 2);
  CHECK_FALSE(restarted.done());
}

TEST_CASE("era_checks: a restart by who hears that a check failed does not end with its failure", "[client]") {
  conversation c;
  changed_mind s(c);
  auto client = c.connect(s.server.transport(), c.options().prior(modern_verdict()));
  auto const first = c.start(client->call_tool("x"));
  REQUIRE(s.handshakes.size() == 1);
  outcome_of<void> restarted;
  auto const watch = client->on_status([&](connection_status now) {
    if (now == connection_status::ready && !restarted) restarted = c.start(client->reconnect());
  });
  s.handshakes[0].fail(-32603, "not today");
  c.settle();
  CHECK(first->error().peer());
  REQUIRE(restarted);
  CHECK_FALSE(restarted->done());
  REQUIRE(s.handshakes.size() == 2);
  s.go_on();
  c.settle();
  CHECK(restarted->ok());
}
