// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/interceptor.hpp>

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

}  // namespace

TEST_CASE("interceptors: they see each call in order, and its result in reverse order", "[client]") {
  watched t;
  strings log;
  auto const recorder = [&](std::string name) {
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
  };
  auto const client = t.with({recorder("a"), recorder("b")});
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
