// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

std::string const log_message =
    R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}})";

struct listener {
  std::vector<std::string>* heard;
  void on(any_notification const& n) { heard->push_back(n.method); }
};

struct roots_handler {
  std::vector<root> list_roots() { return {}; }
};

}  // namespace

TEST_CASE("http_streams: the stream is opened again after its end, with the last id and as long after as the server asks",
          "[transport]") {
  http_talk t;
  std::vector<std::string> heard;
  auto c = t.legacy(t.options(), "s", true, listener{&heard});
  t.stream->piece("retry: 700\n\n").event(log_message, "e-7").end();
  t.settle();
  CHECK(heard.size() == 1);
  t.advance(699ms);
  t.quiet();
  t.advance(1ms);
  auto const again = t.take();
  CHECK(again->request.method == "GET");
  CHECK(again->header("Last-Event-ID") == "e-7");
  t.advance(10s);
  t.quiet();  // never two at once
  again->stream().event(log_message, "e-8");
  t.settle();
  CHECK(heard.size() == 2);
}

TEST_CASE("http_streams: what the server asks for is clamped", "[transport]") {
  http_talk t;
  t.transport_options.reconnect(reconnect_policy().delay(1s, 5s).jitter(0));
  auto c = t.legacy();
  t.stream->piece("retry: 86400000\n\n").end();
  t.settle();
  t.advance(4999ms);
  t.quiet();
  t.advance(1ms);
  t.take();
}

TEST_CASE("http_streams: no server may ask for a busy loop", "[transport]") {
  http_talk t;
  t.transport_options.reconnect(reconnect_policy().delay(1s, 30s).jitter(0));
  auto c = t.legacy();
  for (auto const wait : {100ms, 200ms, 400ms}) {
    t.stream->piece("retry: 0\n\n").end();
    t.settle();
    t.advance(wait - 1ms);
    t.quiet();
    t.advance(1ms);
    t.answer_get(true);
  }
}

TEST_CASE("http_streams: a stream is not resumed in another session", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const slow = t.start(c.call_tool("slow"));
  auto const running = t.take("slow");
  running->stream().event(log_message, "e-1");
  auto const other = t.start(c.call_tool("other"));
  t.take("other")->status(404);
  t.answer_initialize("s-2");
  t.take("initialized")->status(202);
  t.answer_get(true);
  t.take("other")->result(tool_text);
  running->end();
  t.settle();
  t.advance(10s);
  t.quiet();
  CHECK(slow->error() == errc::outcome_unknown);
  CHECK(other->ok());
}

TEST_CASE("http_streams: neither a clean end nor a message resets the backoff, some seconds of life do", "[transport]") {
  http_talk t;
  t.transport_options.reconnect(reconnect_policy().delay(1s, 60s).jitter(0).attempts(4));
  auto c = t.legacy();
  t.stream->end();
  t.settle();
  t.advance(1s);
  t.take()->status(500);
  t.settle();
  t.advance(2s);
  t.take()->stream().end();  // open, and over
  t.settle();
  t.advance(3999ms);
  t.quiet();
  t.advance(1ms);
  t.take()->stream().event(log_message).end();
  t.settle();
  t.advance(7999ms);
  t.quiet();
  t.advance(1ms);
  auto const lasting = t.take();
  lasting->stream();
  t.settle();
  t.advance(5s);
  lasting->end();
  t.settle();
  t.advance(1s);
  t.take();
}

TEST_CASE("http_streams: after its attempts the stream is said to be gone, and the calls go on", "[transport]") {
  http_talk t;
  t.transport_options.reconnect(reconnect_policy().delay(1s, 60s).jitter(0).attempts(2));
  auto c = t.legacy();
  t.stream->fail(error(errc::transport_failed, "reset"));
  t.settle();
  t.advance(1s);
  t.take()->fail(error(errc::connect_failed, "refused"));
  t.settle();
  CHECK(t.faults.empty());
  t.advance(2s);
  t.take()->fail(error(errc::connect_failed, "refused"));
  t.settle();
  t.advance(59s);
  t.quiet();
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults.back() == errc::connect_failed);
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->result(tool_text);
  t.settle();
  CHECK(call->ok());
}

TEST_CASE("http_streams: a stream whose session is gone brings a new session", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  t.stream->end();
  t.settle();
  t.advance(1s);
  t.take()->status(404);
  t.answer_initialize("s-2");
  t.take("initialized")->status(202);
  t.answer_get(true);
  CHECK(t.stream->header("Mcp-Session-Id") == "s-2");
  CHECK(t.stream->header("Last-Event-ID").empty());
}

TEST_CASE("http_streams: a POST stream that breaks after an id goes on by GET", "[transport]") {
  for (bool const clean : {true, false}) {
    http_talk t;
    INFO(clean);
    std::vector<std::string> heard;
    auto c = t.legacy(t.options(), "s", true, listener{&heard});
    auto const call = t.start(c.call_tool("x"));
    auto const post = t.take("tools/call");
    post->stream().piece("id: p-1\nretry: 500\ndata: \n\n").event(log_message, "p-2");
    t.settle();
    if (clean) {
      post->end();
    } else {
      post->fail(error(errc::transport_failed, "reset"));
    }
    t.settle();
    t.advance(499ms);
    t.quiet();
    t.advance(1ms);
    auto const get = t.take();
    CHECK(get->request.method == "GET");
    CHECK(get->header("Last-Event-ID") == "p-2");
    CHECK(get->header("Mcp-Session-Id") == "s");
    get->stream().event(R"({"jsonrpc":"2.0","id":)" + post->id() + R"(,"result":)" + tool_text + "}", "p-3");
    t.settle();
    CHECK(call->ok());
    CHECK(heard.size() == 1);
    CHECK(get->abandoned);  // no more is to come on it
    t.advance(10min);
    CHECK(t.http.requests() == 5);  // nothing is asked again
  }
}

TEST_CASE("http_streams: a priming event is no message", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const call = t.start(c.call_tool("x"));
  auto const post = t.take("tools/call");
  post->stream().piece("id: p-1\ndata:\n\n").piece("id: p-2\ndata: \n\n").result_event(tool_text).end();
  t.settle();
  CHECK(call->ok());
  CHECK(c.statistics().bad_messages == 0);
}

TEST_CASE("http_streams: a tool call whose stream cannot be resumed has an unknown outcome, and is not repeated", "[transport]") {
  http_talk t;
  t.transport_options.reconnect(reconnect_policy().delay(1s, 60s).jitter(0).attempts(2));
  auto c = t.legacy();
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->stream().event(log_message, "p-1").end();
  t.settle();
  t.advance(1s);
  t.take()->fail(error(errc::connect_failed, "refused"));
  t.settle();
  CHECK_FALSE(call->done());
  t.advance(2s);
  SECTION("attempts used up") { t.take()->fail(error(errc::connect_failed, "refused")); }
  SECTION("the server cannot") { t.take()->status(405); }
  t.settle();
  CHECK(call->error() == errc::outcome_unknown);
  t.advance(30s);
  t.quiet();
}

TEST_CASE("http_streams: what has no event id is not resumed: the caller's word decides", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->stream().event(log_message).end();
  t.settle();
  CHECK(call->error() == errc::outcome_unknown);
  t.quiet();

  auto const again = t.start(c.call_tool("y", args(), call_options().idempotent()));
  auto const first = t.take("\"y\"");
  first->fail(error(errc::transport_failed, "reset"));
  auto const second = t.take("\"y\"");
  CHECK(second->id() != first->id());
  second->result(tool_text);
  t.settle();
  CHECK(again->ok());

  auto const list = t.start(c.list_tools());
  t.take("tools/list")->stream().end();
  t.take("tools/list")->result(R"({"tools":[]})");
  t.settle();
  CHECK(list->ok());
}

TEST_CASE("http_streams: what breaks again and again is not repeated for ever", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const list = t.start(c.list_tools());
  int tries = 0;
  for (; tries < 50; ++tries) {
    t.settle();
    auto const x = t.http.take();
    if (!x) break;
    x->fail(error(errc::transport_failed, "reset"));
  }
  CHECK(tries == 4);
  CHECK(list->error() == errc::transport_failed);
}

TEST_CASE("http_streams: the server asks on any stream, and the answer is a POST of its own", "[transport]") {
  http_talk t;
  auto c = t.legacy(t.options(), "s", true, roots_handler());
  t.stream->event(R"({"jsonrpc":"2.0","id":"r-1","method":"roots/list"})");
  auto const first = t.take(R"("id":"r-1")");
  CHECK(first->says(R"("roots":[])"));
  CHECK(first->header("Mcp-Session-Id") == "s");
  CHECK(first->header("MCP-Protocol-Version") == "2025-11-25");
  first->status(202);
  auto const call = t.start(c.call_tool("x"));
  auto const post = t.take("tools/call");
  post->stream().event(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  t.take(R"("id":2)")->status(202);
  t.settle();
  CHECK_FALSE(call->done());
  post->result_event(tool_text).end();
  t.settle();
  CHECK(call->ok());
}

TEST_CASE("http_streams: a legacy cancel is told by a notification", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const call = t.start(c.call_tool("x"));
  auto const post = t.take("tools/call");
  post->stream();
  call->cancel();
  t.settle();
  CHECK(call->error() == errc::cancelled);
  auto const told = t.take("notifications/cancelled");
  CHECK(told->says(post->id()));
  told->status(202);
  CHECK(post->abandoned);
}

TEST_CASE("http_streams: a stream that goes on after the answer is let go", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  auto const call = t.start(c.call_tool("x"));
  auto const post = t.take("tools/call");
  post->stream().result_event(tool_text);
  t.settle();
  CHECK(call->ok());
  CHECK(t.finish(c.transport_info())->open_streams == 2);
  for (int i = 0; i < 4; ++i) {
    post->piece(": still here\n\n");
    t.settle();
    t.advance(250ms);
  }
  CHECK(post->abandoned);
  CHECK(t.finish(c.transport_info())->open_streams == 1);
}

TEST_CASE("http_streams: an event over the limit ends its call alone", "[transport]") {
  http_talk t;
  t.transport_options.max_event(1000);
  auto c = t.legacy();
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->stream().event(std::string(2000, 'x'));
  t.settle();
  CHECK(call->error() == errc::limit_exceeded);
  auto const next = t.start(c.call_tool("y"));
  t.take("\"y\"")->result(tool_text);
  t.settle();
  CHECK(next->ok());
}
