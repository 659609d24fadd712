// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;

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
  CHECK(c.transport_info().session_id == "abc");
  CHECK(c.transport_info().open_streams == 1);
  auto const closing = t.start(c.close());
  auto const last = t.take();
  CHECK(last->request.method == "DELETE");
  CHECK(last->header("Mcp-Session-Id") == "abc");
  CHECK(get->abandoned);
  last->status(405);
  t.settle();
  CHECK(closing->done());
}
