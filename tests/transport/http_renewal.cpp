// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

TEST_CASE("http_renewal: 404 brings one new handshake, and what was refused goes out again in it", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const first = t.start(c.call_tool("a"));
  auto const second = t.start(c.call_tool("b"));
  auto const a = t.take(R"("name":"a")");
  auto const b = t.take(R"("name":"b")");
  a->status(404);
  t.settle();
  auto const initialize = t.take("\"initialize\"");
  CHECK(initialize->header("Mcp-Session-Id").empty());
  CHECK(initialize->header("MCP-Protocol-Version").empty());
  CHECK(t.stream->abandoned);
  b->status(404);
  auto const third = t.start(c.call_tool("c"));
  t.quiet();  // single flight: b and c wait too
  initialize->result(initialize_text("2025-11-25"), {{"Mcp-Session-Id", "s-2"}});
  auto const initialized = t.take("notifications/initialized");
  CHECK(initialized->header("Mcp-Session-Id") == "s-2");
  initialized->status(202);
  t.answer_get(true);
  CHECK(t.stream->header("Mcp-Session-Id") == "s-2");
  for (int i = 0; i < 3; ++i) {
    auto const again = t.take("tools/call");
    CHECK(again->header("Mcp-Session-Id") == "s-2");
    again->result(tool_text);
  }
  t.settle();
  CHECK(first->ok());
  CHECK(second->ok());
  CHECK(third->ok());
  CHECK(c.statistics().renewals == 1);
  t.quiet();
}

TEST_CASE("http_renewal: a call that the old session is still answering is not sent again", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const slow = t.start(c.call_tool("slow"));
  auto const running = t.take("slow");
  running->stream();
  auto const other = t.start(c.call_tool("other"));
  t.take("other")->status(404);
  t.answer_initialize("s-2");
  t.take("initialized")->status(202);
  t.answer_get(true);
  t.take("other")->result(tool_text);
  t.settle();
  CHECK(other->ok());
  CHECK_FALSE(slow->done());
  running->result_event(tool_text).end();
  t.settle();
  CHECK(slow->ok());
  t.quiet();
}

TEST_CASE("http_renewal: a second 404 surfaces", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->status(404, {}, "gone");
  t.answer_initialize("s-2");
  t.take("initialized")->status(202);
  t.answer_get(false);
  t.take("tools/call")->status(404, {}, "gone");
  t.settle();
  CHECK(call->error() == errc::http_status);
  REQUIRE(call->error().detail());
  CHECK(call->error().detail()->http_status == 404);
}

TEST_CASE("http_renewal: a new session has the subscriptions and the log level of the old one", "[transport]") {
  http_talk t;
  auto const opening = t.begin(t.options().legacy().log_level(log_level::warning));
  t.answer_initialize("s-1");
  t.take("initialized")->status(202);
  t.answer_get(true);
  t.take("logging/setLevel")->result("{}");
  auto c = t.done(opening);
  int updates = 0;
  auto const subscribed = t.start(c.subscribe("file:///a", [&](resource_updated const&) { ++updates; }));
  t.take("resources/subscribe")->result("{}");
  t.settle();
  REQUIRE(subscribed->done());
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->status(404);
  t.answer_initialize("s-2");
  t.take("initialized")->status(202);
  t.answer_get(true);
  t.take("logging/setLevel")->result("{}");
  std::string both;
  for (int i = 0; i < 2; ++i) {
    auto const x = t.take();
    both += x->request.body;
    x->result(x->says("tools/call") ? tool_text : "{}");
  }
  CHECK(both.find("resources/subscribe") != std::string::npos);
  t.settle();
  CHECK(call->ok());
  t.stream->event(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a"}})");
  t.settle();
  CHECK(updates == 1);
}

TEST_CASE("http_renewal: a call that waits while its session ends goes out in the next one", "[transport]") {
  http_talk t;
  auto const opening = t.begin(t.options().legacy());
  t.answer_initialize("s-1");
  auto const initialized = t.take("initialized");
  auto c = t.done(opening);
  auto const call = t.start(c.call_tool("x"));
  t.quiet();
  initialized->status(404);
  auto const again = t.take("\"initialize\"");
  t.advance(10s);  // longer than requests wait for the stream
  t.quiet();
  again->result(initialize_text("2025-11-25"), {{"Mcp-Session-Id", "s-2"}});
  t.take("initialized")->status(202);
  t.answer_get(false);
  auto const post = t.take("tools/call");
  CHECK(post->header("Mcp-Session-Id") == "s-2");
  post->result(tool_text);
  t.settle();
  CHECK(call->ok());
  t.quiet();
}

TEST_CASE("http_renewal: what was refused after the next session began waits until that is ready", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const a = t.start(c.call_tool("a"));
  auto const b = t.start(c.call_tool("b"));
  auto const first = t.take(R"("name":"a")");
  auto const second = t.take(R"("name":"b")");
  first->status(404);
  auto const initialize = t.take("\"initialize\"");
  initialize->head(200, {{"Content-Type", "text/event-stream"}, {"Mcp-Session-Id", "s-2"}});
  t.settle();
  second->status(404);  // between the head and the answer
  t.quiet();
  initialize->result_event(initialize_text("2025-11-25")).end();
  t.take("notifications/initialized")->status(202);
  t.answer_get(true);
  for (int i = 0; i < 2; ++i) {
    auto const again = t.take("tools/call");
    CHECK(again->header("Mcp-Session-Id") == "s-2");
    again->result(tool_text);
  }
  t.settle();
  CHECK(a->ok());
  CHECK(b->ok());
}

TEST_CASE("http_renewal: an initialize that is answered too late begins no session", "[transport]") {
  http_talk t;
  auto c = t.legacy(t.options().handshake_timeout(10s));
  auto const call = t.start(c.call_tool("x", args(), call_options().timeout(5min)));
  t.take("tools/call")->status(404);
  auto const swallowed = t.take("\"initialize\"");
  t.advance(10s);
  CHECK(call->error() == errc::timeout);
  CHECK(swallowed->abandoned);
  auto const next = t.start(c.call_tool("y"));
  t.answer_initialize("s-3");
  t.take("initialized")->status(202);
  t.answer_get(true);
  auto const post = t.take("\"y\"");
  CHECK(post->header("Mcp-Session-Id") == "s-3");
  post->result(tool_text);
  t.settle();
  CHECK(next->ok());
}

TEST_CASE("http_renewal: a renewal that fails fails the calls, and the next call tries again", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->status(404);
  t.take("\"initialize\"")->fail(error(errc::connect_failed, "refused"));
  t.settle();
  CHECK(call->error() == errc::connect_failed);
  auto const next = t.start(c.call_tool("y"));
  t.answer_initialize("s-2");
  t.take("initialized")->status(202);
  t.answer_get(true);
  t.take("\"y\"")->result(tool_text);
  t.settle();
  CHECK(next->ok());
}

TEST_CASE("http_renewal: a server that forgets every session at once is not asked for ever", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const call = t.start(c.call_tool("x"));
  for (int i = 0; i < 1000; ++i) {
    t.settle();
    auto const x = t.http.take();
    if (!x) break;
    UNSCOPED_INFO(x->request.method << " " << x->request.body.substr(0, 60) << " " << x->header("Mcp-Session-Id"));
    if (x->says("\"initialize\"")) {
      x->result(initialize_text("2025-11-25"), {{"Mcp-Session-Id", "s-" + std::to_string(i)}});
    } else {
      x->status(404);
    }
  }
  t.settle();
  CHECK(call->done());
  CHECK(call->error() == errc::http_status);
  CHECK(t.http.requests() < 20);
}

TEST_CASE("http_renewal: 400 with -32000 about the session counts as 404, as real servers mean it", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")
      ->json(R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null})", 400);
  t.answer_initialize("s-2");
  t.take("initialized")->status(202);
  t.answer_get(true);
  t.take("tools/call")->result(tool_text);
  t.settle();
  CHECK(call->ok());
}
