// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

// Up to the event stream that an old server has in place of Streamable HTTP.
http_talk::exchange fall_back(http_talk& t, int status = 404) {
  t.take("server/discover")->status(status, {{"Content-Type", "text/html"}}, "<pre>Cannot POST /mcp</pre>");
  t.take("\"initialize\"")->status(status, {{"Content-Type", "text/html"}}, "<pre>Cannot POST /mcp</pre>");
  auto const get = t.take();
  CHECK(get->request.method == "GET");
  CHECK(get->header("Accept") == "text/event-stream");
  CHECK(get->request.url.text() == "http://server.test/mcp");
  return get;
}

}  // namespace

TEST_CASE("http_sse: a server of 2024-11-05 is found by its event stream, and everything comes on it", "[transport]") {
  int const status = GENERATE(400, 404, 405);
  http_talk t;
  auto const opening = t.begin();
  auto const stream = fall_back(t, status);
  stream->stream().piece("event: endpoint\r\ndata: /message?id=1\r\n\r\n");
  auto const initialize = t.take("\"initialize\"");
  CHECK(initialize->request.url.text() == "http://server.test/message?id=1");
  initialize->status(202, {}, "Accepted");
  stream->event(R"({"jsonrpc":"2.0","id":)" + initialize->id() + R"(,"result":)" + initialize_text("2024-11-05") + "}");
  t.take("initialized")->status(202);
  auto c = t.done(opening);
  CHECK(t.finish(c.transport_info())->kind == "http+sse");
  auto const call = t.start(c.call_tool("x"));
  auto const post = t.take("tools/call");
  CHECK(post->request.url.target() == "/message?id=1");
  stream->event(R"({"jsonrpc":"2.0","id":)" + post->id() + R"(,"result":)" + tool_text + "}");
  t.settle();
  CHECK(call->ok());  // the answer may overtake the 202
  post->status(202);
  t.quiet();
  auto const closing = t.start(c.close());
  t.settle();
  CHECK(closing->done());
  CHECK(stream->abandoned);
  t.quiet();
}

TEST_CASE("http_sse: an endpoint on another origin is refused, and nothing is sent there", "[transport]") {
  http_talk t;
  auto const opening = t.begin();
  auto const stream = fall_back(t);
  stream->stream().piece("event: endpoint\ndata: http://evil.test/message\n\n");
  t.settle();
  REQUIRE(opening->error());
  CHECK(opening->error().detail()->http_status == 404);  // what initialize met
  t.quiet();
}

TEST_CASE("http_sse: what has neither transport fails with what initialize met", "[transport]") {
  http_talk t;
  auto const opening = t.begin();
  auto const get = fall_back(t);
  SECTION("no stream") { get->status(404); }
  SECTION("HTML") { get->status(200, {{"Content-Type", "text/html"}}, "<html>"); }
  SECTION("a stream that ends") { get->stream().end(); }
  SECTION("a stream that says nothing") {
    get->stream();
    t.settle();
    t.advance(30s);
  }
  t.settle();
  REQUIRE(opening->done());
  CHECK(opening->error());
  t.quiet();
}

TEST_CASE("http_sse: a stream that wants a login is one, whatever initialize met", "[transport]") {
  http_talk t;
  auto const opening = t.begin();
  fall_back(t)->status(401, {{"WWW-Authenticate", "Bearer"}});
  t.settle();
  CHECK(opening->error() == errc::unauthorized);
  REQUIRE(opening->error().detail());
  CHECK(opening->error().detail()->http_status == 401);
  t.quiet();
}

TEST_CASE("http_sse: the end of the stream is the end of the connection", "[transport]") {
  http_talk t;
  auto const opening = t.begin();
  auto const stream = fall_back(t);
  stream->stream().piece("event: endpoint\ndata: message\n\n");
  auto const initialize = t.take("\"initialize\"");
  CHECK(initialize->request.url.path() == "/message");
  initialize->status(202);
  stream->event(R"({"jsonrpc":"2.0","id":)" + initialize->id() + R"(,"result":)" + initialize_text("2024-11-05") + "}");
  t.take("initialized")->status(202);
  auto c = t.done(opening);
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->status(202);
  t.settle();
  CHECK_FALSE(call->done());
  stream->end();
  t.settle();
  CHECK(call->error() == errc::outcome_unknown);
  CHECK(c.status() == connection_status::disconnected);
}

TEST_CASE("http_sse: a POST that is refused or never answered fails its call alone", "[transport]") {
  http_talk t;
  t.transport_options.kind(http_kind::sse);
  auto const opening = t.begin(t.options().legacy());
  auto const stream = t.take();
  CHECK(stream->request.method == "GET");
  stream->stream().piece("event: endpoint\ndata: /message\n\n");
  auto const initialize = t.take("\"initialize\"");
  initialize->status(202);
  stream->event(R"({"jsonrpc":"2.0","id":)" + initialize->id() + R"(,"result":)" + initialize_text("2024-11-05") + "}");
  t.take("initialized")->status(202);
  auto c = t.done(opening);
  auto const refused = t.start(c.call_tool("x"));
  t.take("tools/call")->status(400, {}, "No active transport");
  t.settle();
  CHECK(refused->error() == errc::http_status);
  CHECK(refused->error().detail()->snippet == "No active transport");
  auto const silent = t.start(c.call_tool("y", args(), call_options().timeout(3s)));
  auto const post = t.take("tools/call");
  CHECK(post->request.timeouts.response() == std::chrono::nanoseconds(30s));
  t.advance(3s);
  CHECK(silent->error() == errc::timeout);
  CHECK(post->abandoned);
}
