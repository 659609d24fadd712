// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

TEST_CASE("http_session: a legacy session is kept, echoed and ended", "[transport]") {
  http_talk t;
  auto const opening = t.begin(t.options().legacy());
  auto const first = t.take("\"initialize\"");
  CHECK(first->request.method == "POST");
  CHECK(first->header("Content-Type") == "application/json");
  CHECK(first->header("Accept") == "application/json, text/event-stream");
  CHECK(first->header("Mcp-Session-Id").empty());
  CHECK(first->header("MCP-Protocol-Version").empty());
  first->result(initialize_text("2025-11-25"), {{"mcp-session-id", "abc"}});
  auto const second = t.take("notifications/initialized");
  CHECK(second->header("Mcp-Session-Id") == "abc");
  CHECK(second->header("MCP-Protocol-Version") == "2025-11-25");
  t.quiet();  // the stream comes after it
  second->status(202);
  auto c = t.done(opening);
  auto const call = t.start(c.call_tool("x"));
  auto const get = t.take();
  CHECK(get->request.method == "GET");
  CHECK(get->header("Accept") == "text/event-stream");
  CHECK(get->header("Mcp-Session-Id") == "abc");
  CHECK(get->header("MCP-Protocol-Version") == "2025-11-25");
  t.quiet();  // nothing else before the stream is open
  get->stream();
  auto const post = t.take("tools/call");
  CHECK(post->header("Mcp-Session-Id") == "abc");
  CHECK(post->header("Mcp-Method").empty());
  post->result(tool_text);
  t.settle();
  REQUIRE(call->ok());
  CHECK(t.finish(c.transport_info())->session_id == "abc");
  CHECK(t.finish(c.transport_info())->open_streams == 1);
  auto const closing = t.start(c.close());
  auto const last = t.take();
  CHECK(last->request.method == "DELETE");
  CHECK(last->header("Mcp-Session-Id") == "abc");
  CHECK(get->abandoned);
  last->status(405);
  t.settle();
  CHECK(closing->done());
}

TEST_CASE("http_session: a server without sessions and without a stream gets neither DELETE nor a second GET", "[transport]") {
  http_talk t;
  auto c = t.legacy(t.options(), "", false);
  auto const call = t.start(c.call_tool("x"));
  auto const post = t.take("tools/call");
  CHECK(post->header("Mcp-Session-Id").empty());
  post->result(tool_text);
  t.advance(std::chrono::minutes(5));
  CHECK(call->ok());
  t.quiet();
  auto const closing = t.start(c.close());
  t.quiet();
  CHECK(closing->done());
}

TEST_CASE("http_session: every status that real servers answer a GET with means that there is no stream", "[transport]") {
  std::string const session = GENERATE("", "s");
  for (int const status : {204, 400, 404, 405, 406, 409}) {
    http_talk t;
    INFO(status);
    auto const opening = t.begin(t.options().legacy());
    t.answer_initialize(session);
    // Some answer a notification with a body, even with a result.
    t.take("initialized")->json(R"({"jsonrpc":"2.0","result":{}})");
    t.take()->status(status, {{"Content-Type", "text/html"}}, "<p>Cannot GET /mcp</p>");
    auto c = t.done(opening);
    t.advance(std::chrono::minutes(1));
    t.quiet();
    CHECK(t.faults.empty());
  }
}

TEST_CASE("http_session: a stream that nobody asked for is not waited for", "[transport]") {
  http_talk t;
  auto const opening = t.begin(t.options().legacy());
  t.answer_initialize("s");
  auto const initialized = t.take("initialized");
  SECTION("as the answer to a notification") {
    initialized->stream().piece(": for ever\n\n");
    t.answer_get(true);
  }
  SECTION("as an error") {
    initialized->head(500, {{"Content-Type", "text/event-stream"}}).piece(": for ever\n\n");
    t.answer_get(true);
    CHECK_FALSE(t.faults.empty());
  }
  CHECK(initialized->abandoned);
  auto c = t.done(opening);
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->result(tool_text);
  t.settle();
  CHECK(call->ok());
}

TEST_CASE("http_session: a session id of other characters is refused", "[transport]") {
  http_talk t;
  auto const opening = t.begin(t.options().legacy());
  t.take("initialize")->result(initialize_text("2025-11-25"), {{"Mcp-Session-Id", "a b"}});
  t.settle();
  CHECK(opening->error() == errc::protocol_violation);
}

TEST_CASE("http_session: requests go ahead where the stream takes too long to open", "[transport]") {
  http_talk t;
  auto const opening = t.begin(t.options().legacy());
  t.answer_initialize("s");
  t.take("initialized")->status(202);
  auto c = t.done(opening);
  auto const get = t.take();
  auto const call = t.start(c.call_tool("x"));
  t.quiet();
  t.advance(std::chrono::milliseconds(1999));
  t.quiet();
  t.advance(std::chrono::milliseconds(1));
  t.take("tools/call")->result(tool_text);
  t.settle();
  CHECK(call->ok());
  CHECK_FALSE(get->abandoned);
}

TEST_CASE("http_session: a call that waits for the stream and is cancelled was never sent", "[transport]") {
  http_talk t;
  auto const opening = t.begin(t.options().legacy());
  t.answer_initialize("s");
  t.take("initialized")->status(202);
  auto c = t.done(opening);
  auto const get = t.take();
  auto const call = t.start(c.call_tool("x"));
  call->cancel();
  t.settle();
  CHECK(call->error() == errc::cancelled);
  get->stream();
  t.quiet();
}

TEST_CASE("http_session: the stream can be left closed", "[transport]") {
  http_talk t;
  t.transport_options.get_stream(false);
  auto const opening = t.begin(t.options().legacy());
  t.answer_initialize("s");
  t.take("initialized")->status(202);
  auto c = t.done(opening);
  t.quiet();
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->result(tool_text);
  t.settle();
  CHECK(call->ok());
}

TEST_CASE("http_session: close is bounded where the server does not answer the DELETE", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const closing = t.start(c.close());
  auto const last = t.take();
  CHECK(last->request.method == "DELETE");
  CHECK(last->request.timeouts.total() == std::chrono::nanoseconds(std::chrono::seconds(2)));
  t.advance(std::chrono::seconds(6));
  CHECK(closing->done());
}

TEST_CASE("http_session: a saved session goes on without a handshake", "[transport]") {
  saved_session saved;
  {
    http_talk t;
    auto c = t.legacy(t.options(), "kept");
    REQUIRE(c.session());
    saved = *c.session();
    CHECK(saved.id == "kept");
  }
  http_talk t;
  t.transport_options.resume(saved);
  auto const opening = t.begin();
  auto c = t.done(opening);
  auto const call = t.start(c.call_tool("x"));
  auto const get = t.take();
  CHECK(get->request.method == "GET");
  CHECK(get->header("Mcp-Session-Id") == "kept");
  CHECK(get->header("MCP-Protocol-Version") == "2025-11-25");
  get->stream();
  auto const post = t.take("tools/call");
  CHECK(post->header("Mcp-Session-Id") == "kept");
  CHECK(post->header("MCP-Protocol-Version") == "2025-11-25");
  CHECK(c.server_info().name == "scripted");
  post->status(404);  // it is gone after all
  t.answer_initialize("new");
  t.take("initialized")->status(202);
  t.answer_get(true);
  t.take("tools/call")->result(tool_text);
  t.settle();
  CHECK(call->ok());
  CHECK(c.session()->id == "new");
}

TEST_CASE("http_session: what is no saved session is refused before anything is sent", "[transport]") {
  saved_session bad;
  bad.id = "x";
  bad.initialize_result = "{}";
  http_talk t;
  t.transport_options.resume(bad);
  auto const opening = t.begin();
  CHECK(opening->error() == errc::invalid_argument);
}
