// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/spans.hpp>
#include <comcp/transport/http_spans.hpp>

#include "support/http_talk.hpp"
#include "support/recorded_spans.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

std::string const complete_text = R"({"resultType":"complete","content":[{"type":"text","text":"done"}]})";

struct traced : http_talk {
  traced() { transport_options.spans(spans.hook()).header("X-Api-Key", "s3cr3t"); }
  recorded_spans spans;
  connect_options options() { return http_talk::options().spans(spans.hook()); }
};

}  // namespace

TEST_CASE("http_spans: an exchange is below its call, and each carries its own context", "[transport]") {
  traced t;
  auto c = t.modern(t.options());
  t.spans.clear();
  auto const call = t.start(c.call_tool("add", {}, call_options().meta("baggage", "k=v")));
  auto const post = t.take("tools/call");
  auto const& of_call = t.spans.named("tools/call add");
  auto const& of_post = t.spans.named("POST");
  CHECK(of_call.text("network.transport") == "tcp");
  CHECK(of_call.text("network.protocol.name") == "http");
  CHECK(of_call.text("server.address") == "server.test");
  CHECK(of_call.text("server.port") == "80");
  CHECK(of_call.text("mcp.protocol.version") == "2026-07-28");
  CHECK(of_post.start.layer == span_layer::http);
  CHECK(of_post.text("url.full") == "http://server.test/mcp");
  CHECK(of_post.text("http.request.method") == "POST");
  auto const above = trace_parent::parse(of_post.start.parent.traceparent).value();
  auto const sent = trace_parent::parse(post->header("traceparent")).value();
  CHECK(sent.trace_id == above.trace_id);
  CHECK(sent.parent_id != above.parent_id);
  CHECK(post->says("\"traceparent\":\"" + above.text() + "\""));
  CHECK(post->header("baggage") == "k=v");
  CHECK(of_post.ended == 0);
  post->result(complete_text);
  t.settle();
  CHECK(call->ok());
  CHECK(of_post.ended == 1);
  CHECK(of_post.failure.empty());
  CHECK(of_post.text("http.response.status_code") == "200");
  for (auto const& s : t.spans.all())
    for (auto const& [key, value] : s->attributes) CHECK(value.find("s3cr3t") == std::string::npos);
  // An engine without spans carries the call's.
}

TEST_CASE("http_spans: statuses from 400 on and broken exchanges are failures", "[transport]") {
  traced t;
  auto c = t.modern(t.options());
  t.spans.clear();
  auto const first = t.start(c.call_tool("a"));
  t.take("tools/call")->status(503, {}, "down");
  t.settle();
  CHECK(first->done());
  CHECK(t.spans.named("POST").text("error.type") == "503");
  CHECK(t.spans.named("POST").failure == "HTTP 503");
  t.spans.clear();
  auto const second = t.start(c.call_tool("a"));
  auto const post = t.take("tools/call");
  post->stream().piece(": x\n\n");
  t.settle();
  post->fail(error(errc::transport_failed, "reset"));
  t.settle();
  CHECK(second->done());
  CHECK(t.spans.named("POST").text("error.type") == "transport_failed");
  CHECK(t.spans.open() == 0);
}

TEST_CASE("http_spans: a legacy stream of what the server says unasked is told at its head", "[transport]") {
  traced t;
  auto c = t.legacy(t.options());
  auto const& get = t.spans.named("GET");
  CHECK((get.ended == 1 && get.failure.empty()));
  auto const call = t.start(c.call_tool("a"));
  auto const post = t.take("tools/call");
  CHECK(trace_parent::parse(post->header("traceparent")));
  post->stream().result_event(R"({"content":[]})");  // and the stream goes on
  t.settle();
  CHECK(call->ok());
  t.advance(10s);  // it is let go
  CHECK(t.spans.open() == 0);
  CHECK(t.spans.last().failure.empty());
}

TEST_CASE("http_spans: without them a call's own context goes in the header too", "[transport]") {
  http_talk t;
  recorded_spans spans;
  auto c = t.modern(t.options().spans(spans.hook()));
  auto const call = t.start(c.call_tool("a"));
  auto const post = t.take("tools/call");
  auto const sent = post->header("traceparent");
  CHECK(trace_parent::parse(sent));
  CHECK(post->says("\"traceparent\":\"" + sent + "\""));
  call->cancel();
}

namespace {

char const* const parent_of_all = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

// The text of a member of `_meta`, as it stands in a body.
std::string said(std::string const& key, std::string const& value) { return "\"" + key + "\":\"" + value + "\""; }

}  // namespace

TEST_CASE("http_spans: tracestate goes along in the header, of the parent's trace or the span's own", "[transport]") {
  bool const modern = GENERATE(true, false);
  traced t;
  auto c = modern ? t.modern(t.options()) : t.legacy(t.options());
  t.spans.clear();
  auto const call = t.start(c.call_tool("a", {}, call_options().trace(trace_context(parent_of_all, "a=1,b=2", "k=v"))));
  auto const post = t.take("tools/call");
  CHECK(post->header("tracestate") == "a=1,b=2");
  CHECK(post->header("baggage") == "k=v");
  CHECK(post->says(said("tracestate", "a=1,b=2")));
  auto const sent = trace_parent::parse(post->header("traceparent")).value();
  CHECK(sent.trace_id == "0af7651916cd43dd8448eb211c80319c");
  CHECK(t.spans.named("POST").start.parent.tracestate == "a=1,b=2");
  call->cancel();
  t.settle();
  t.spans.context = trace_context("00-11111111111111111111111111111111-2222222222222222-00", "own=1");
  auto const other = t.start(c.call_tool("b", {}, call_options().trace(trace_context(parent_of_all, "a=1"))));
  auto x = t.take();
  while (!x->says("tools/call")) x = t.take();  // behind the withdrawal of the first, in the legacy era
  CHECK(x->header("tracestate") == "own=1");
  CHECK(x->says(said("tracestate", "own=1")));
  other->cancel();
}

TEST_CASE("http_spans: without them a call's tracestate is in the header, as it is in _meta", "[transport]") {
  bool const modern = GENERATE(true, false);
  bool const hooked = GENERATE(true, false);
  http_talk t;
  recorded_spans spans;
  auto o = t.options();
  if (hooked) o.spans(spans.hook());
  auto c = modern ? t.modern(std::move(o)) : t.legacy(std::move(o));
  auto const call = t.start(c.call_tool("a", {}, call_options().trace(trace_context(parent_of_all, "a=1", "k=v"))));
  auto const post = t.take("tools/call");
  auto const sent = trace_parent::parse(post->header("traceparent"));
  REQUIRE(sent);
  CHECK(sent->trace_id == "0af7651916cd43dd8448eb211c80319c");
  CHECK((sent->parent_id == "b7ad6b7169203331") == !hooked);
  CHECK(post->header("tracestate") == "a=1");
  CHECK(post->header("baggage") == "k=v");
  CHECK(post->says(said("tracestate", "a=1")));
  post->result(complete_text);
  t.settle();
  CHECK(call->ok());
  auto const broken = t.start(c.call_tool("a", {}, call_options().trace(trace_context(parent_of_all, "not a state"))));
  auto const second = t.take("tools/call");
  CHECK(trace_parent::parse(second->header("traceparent")));
  CHECK(second->header("tracestate").empty());
  broken->cancel();
}
