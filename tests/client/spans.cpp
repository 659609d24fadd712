// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Spans of a client, and the context that its calls carry.
#include <comcp/client/cache.hpp>
#include <comcp/client/guards.hpp>
#include <comcp/client/spans.hpp>

#include <comcp/client/handlers.hpp>

#include "support/recorded_spans.hpp"
#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;
using strings = std::vector<std::string>;

namespace {

char const* const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

asio::awaitable<std::optional<json::value>> go_on() { co_return std::nullopt; }

struct roots_handler {
  trace_context seen;
  std::vector<root> list_roots(context& c) {
    seen = c.trace();
    return {};
  }
};

struct traced : conversation {
  traced() : server(io.get_executor()) {
    server.answer("tools/call", json::raw(R"({"content":[]})"));
    server.answer("tools/list", json::raw(R"({"tools":[],"ttlMs":60000,"cacheScope":"private"})"));
  }
  comcp::client with(connect_options o) { return connect(server.transport(), std::move(o.spans(spans.hook()))).value(); }
  comcp::client with() { return with(options()); }

  fake_server server;
  recorded_spans spans;
};

}  // namespace

TEST_CASE("spans: a call is told from its beginning to its result", "[client]") {
  traced t;
  t.server.legacy();
  auto const client = t.with();
  CHECK(t.finish(client.call_tool("add", args("secret", "s3cr3t"))));
  auto const& s = t.spans.last();
  CHECK(s.start.name == "tools/call add");
  CHECK(s.start.layer == span_layer::call);
  CHECK(s.start.kind == span_kind::client);
  CHECK(s.text("mcp.method.name") == "tools/call");
  CHECK(s.text("gen_ai.tool.name") == "add");
  CHECK(s.text("gen_ai.operation.name") == "execute_tool");
  CHECK(s.text("mcp.protocol.version") == "2025-11-25");
  CHECK(s.text("network.transport").empty());  // of a memory transport
  CHECK_FALSE(s.text("jsonrpc.request.id").empty());
  CHECK(s.ended == 1);
  CHECK(s.failure.empty());
  CHECK(s.text("error.type").empty());
  for (auto const& [key, value] : s.attributes) CHECK(value.find("s3cr3t") == std::string::npos);
}

TEST_CASE("spans: errors, tools' errors, timeouts and refusals before sending have their type", "[client]") {
  traced t;
  t.server.on("tools/call", [](fake_request r) {
    if (r.params()["name"].as<std::string>() == "bad") return r.reply(json::raw(R"({"content":[],"isError":true})"));
    if (r.params()["name"].as<std::string>() == "worse") return r.fail(-32050, std::string(2'000'000, 'x') + "\x1b[2J");
  });
  auto const client = t.with();
  CHECK(t.finish(client.call_tool("bad")).value().is_error);
  CHECK(t.spans.last().text("error.type") == "tool_error");
  CHECK_FALSE(t.spans.last().failure.empty());
  CHECK_FALSE(t.finish(client.call_tool("worse")));
  CHECK(t.spans.last().text("error.type") == "-32050");
  CHECK(t.spans.last().text("rpc.response.status_code") == "-32050");
  CHECK(t.spans.last().failure.size() == 256);
  auto const slow = t.start(client.call_tool("slow", {}, call_options().timeout(1s)));
  t.advance(1s);
  CHECK(slow->error() == errc::timeout);
  CHECK(t.spans.last().text("error.type") == "timed_out");
  CHECK_FALSE(t.finish(client.call_tool("a", {}, call_options().meta("no key!", 1))));
  CHECK(t.spans.last().text("error.type") == "invalid_argument");
  CHECK(t.spans.last().text("jsonrpc.request.id").empty());
  CHECK(t.spans.open() == 0);
}

TEST_CASE("spans: the context is the span's own, or made by comcp, and goes out in _meta", "[client]") {
  bool const modern = GENERATE(false, true);
  traced t;
  modern ? t.server.modern() : t.server.legacy();
  auto const client = t.with();
  auto const sent = [&t](std::string const& key) {
    auto const params = t.server.last("tools/call");
    return params.contains("_meta") && params["_meta"].contains(key) ? params["_meta"][key].as<std::string>() : std::string();
  };
  CHECK(t.finish(client.call_tool("a")));
  auto const made = trace_parent::parse(sent("traceparent"));
  REQUIRE(made);
  CHECK(t.spans.last().start.parent.empty());
  // A parent's trace goes on, its own entries too.
  CHECK(t.finish(client.call_tool("a", {}, call_options().meta("traceparent", parent).meta("tracestate", "a=1").meta("baggage", "k=v"))));
  auto const child = trace_parent::parse(sent("traceparent")).value();
  CHECK(child.trace_id == "0af7651916cd43dd8448eb211c80319c");
  CHECK(child.parent_id != "b7ad6b7169203331");
  CHECK(sent("tracestate") == "a=1");
  CHECK(sent("baggage") == "k=v");
  CHECK(t.spans.last().start.parent.traceparent == parent);
  // The span's own, checked.
  t.spans.context = trace_context("00-11111111111111111111111111111111-2222222222222222-00", "not a state", "b=1");
  CHECK(t.finish(client.call_tool("a", {}, call_options().trace(trace_context(parent, "a=1")))));
  CHECK(sent("traceparent") == "00-11111111111111111111111111111111-2222222222222222-00");
  CHECK(sent("tracestate").empty());
  CHECK(sent("baggage") == "b=1");
  // A hook that records nothing carries the parent on.
  t.spans.records = false;
  CHECK(t.finish(client.call_tool("a", {}, call_options().trace(trace_context(parent)))));
  CHECK(sent("traceparent") == parent);
  CHECK(t.finish(client.call_tool("a")));
  CHECK(sent("traceparent").empty());
}

TEST_CASE("spans: call_options().trace() needs no hook", "[client]") {
  traced t;
  auto const client = t.connect(t.server.transport(), t.options()).value();
  CHECK(t.finish(client.call_tool("a", {}, call_options().trace(trace_context(parent, "", "bad bag")))));
  auto const meta = t.server.last("tools/call")["_meta"];
  CHECK(meta["traceparent"].as<std::string>() == parent);
  CHECK_FALSE(meta.contains("baggage"));
  CHECK(t.finish(client.call_tool("a", {}, call_options().trace(trace_context(parent)).trace(trace_context()))));
  auto const last = t.server.last("tools/call");
  CHECK_FALSE((last.contains("_meta") && last["_meta"].contains("traceparent")));
}

TEST_CASE("spans: a hook or a span that throws changes nothing", "[client]") {
  traced t;
  t.spans.throws = GENERATE(1, 2);
  auto const client = t.with();
  CHECK(t.finish(client.call_tool("a")));
  CHECK(t.finish(client.close()));
}

TEST_CASE("spans: what the cache answers has its span, and traces do not keep calls apart", "[client]") {
  traced t;
  auto o = t.options();
  o.cache(cache_options());
  auto const client = t.with(std::move(o));
  CHECK(t.finish(client.list_tools()));
  CHECK(trace_parent::parse(t.server.last("tools/list")["_meta"]["traceparent"].as<std::string>()));
  CHECK_FALSE(t.spans.last().text("jsonrpc.request.id").empty());
  CHECK(t.finish(client.list_tools()));
  CHECK(t.server.count("tools/list") == 1);
  CHECK(t.spans.count("tools/list") == 2);
  std::vector<fake_request> waiting;
  t.server.on("resources/read", [&waiting](fake_request r) { waiting.push_back(r); });
  auto const a = t.start(client.read_resource("file:///a?private=words"));
  auto const b = t.start(client.read_resource("file:///a?private=words"));
  CHECK(waiting.size() == 1);
  waiting.front().reply(json::raw(R"({"contents":[]})"));
  t.settle();
  CHECK((a->ok() && b->ok()));
  CHECK(t.spans.last().start.name == "resources/read");
  CHECK(t.spans.last().text("mcp.resource.uri") == "file:///a");
}

TEST_CASE("spans: connecting, and connecting again, is a span", "[client]") {
  traced t;
  t.server.legacy();
  {
    auto const client = t.with();
    auto const& s = t.spans.first();
    CHECK(s.start.name == "connect");
    CHECK(s.start.layer == span_layer::connection);
    CHECK(s.text("mcp.protocol.version") == "2025-11-25");
    CHECK((s.ended == 1 && s.failure.empty()));
    CHECK(s.events == strings{"initializing"});
    CHECK(t.spans.all().size() == 1);
  }
  t.spans.clear();
  t.server.silent("initialize");
  auto const failing = t.start(t.connected(t.server.transport(), no_handler(), t.options().handshake_timeout(1s).spans(t.spans.hook())));
  CHECK(t.spans.open() == 1);
  t.advance(1s);
  CHECK(failing->done());
  CHECK(t.spans.first().text("error.type") == "timed_out");
  CHECK(t.spans.open() == 0);
}

TEST_CASE("spans: requests of the server have theirs, below the server's", "[client]") {
  traced t;
  t.server.legacy();
  auto const handler = std::make_shared<roots_handler>();
  auto o = t.options();
  o.intercept(require_origin()).spans(t.spans.hook());
  auto const client = t.connect(t.server.transport(), std::move(o), any_handler(handler)).value();
  t.server.request("roots/list", args("_meta", args("traceparent", parent, "tracestate", "=")));
  t.settle();
  // Denied, and told all the same.
  CHECK(t.spans.last().start.name == "roots/list");
  CHECK(t.spans.last().start.kind == span_kind::server);
  CHECK(t.spans.last().text("mcp.protocol.version") == "2025-11-25");
  CHECK(t.spans.last().start.parent == trace_context(parent));
  CHECK(t.spans.last().text("error.type") == "-32602");
  std::optional<fake_request> open;
  t.server.on("tools/call", [&open](fake_request r) { open = r; });
  auto const call = t.start(client.call_tool("a"));
  t.server.request("roots/list", args("_meta", args("traceparent", parent)));
  t.settle();
  CHECK(handler->seen == trace_context(parent));
  CHECK(t.spans.last().failure.empty());
  open->reply(json::raw(R"({"content":[]})"));
  t.settle();
  CHECK(t.spans.open() == 0);
}

TEST_CASE("spans: what a client leaves behind is ended", "[client]") {
  traced t;
  t.server.silent("tools/call");
  std::optional<comcp::client> client = t.with();
  auto const call = t.start(client->call_tool("a"));
  CHECK(t.spans.open() == 1);
  client.reset();
  t.settle();
  CHECK(call->done());
  CHECK(t.spans.open() == 0);
  CHECK(t.spans.last().ended == 1);
  CHECK(t.spans.last().text("error.type") == "connection_closed");
}

TEST_CASE("spans: an interceptor takes nothing from them, and what is malformed is refused as ever", "[client]") {
  traced t;
  interceptor nothing;
  nothing.before = [](outgoing_call&) { return go_on(); };
  auto o = t.options();
  o.intercept(nothing);
  auto const client = t.with(std::move(o));
  CHECK(t.finish(client.call_tool("a")));
  CHECK_FALSE(t.spans.last().text("jsonrpc.request.id").empty());
  CHECK(t.finish(client.call_tool("a", {}, call_options().meta("traceparent", "junk"))).error() == errc::invalid_argument);
  CHECK(t.server.count("tools/call") == 1);
}

TEST_CASE("spans: what a span's own context lacks is the parent's", "[client]") {
  traced t;
  auto const client = t.with();
  auto const given = call_options().trace(trace_context(parent, "a=1", "k=v"));
  t.spans.context = trace_context("", "", "own=1");
  CHECK(t.finish(client.call_tool("a", {}, given)));
  auto meta = t.server.last("tools/call")["_meta"];
  CHECK(trace_parent::parse(meta["traceparent"].as<std::string>()).value().trace_id == "0af7651916cd43dd8448eb211c80319c");
  CHECK(meta["baggage"].as<std::string>() == "own=1");
  t.spans.context = trace_context("00-11111111111111111111111111111111-2222222222222222-01");
  CHECK(t.finish(client.call_tool("a", {}, given)));
  meta = t.server.last("tools/call")["_meta"];
  CHECK(meta["traceparent"].as<std::string>() == t.spans.context.traceparent);
  CHECK(meta["baggage"].as<std::string>() == "k=v");
}

TEST_CASE("spans: failures are told without secrets, and briefly", "[client]") {
  traced t;
  t.server.on("tools/call", [](fake_request r) { r.fail(-32000, "no: password=hunter22 and " + std::string(5000, 'y')); });
  auto const client = t.with();
  CHECK_FALSE(t.finish(client.call_tool("a")));
  CHECK(t.spans.last().failure.find("hunter22") == std::string::npos);
  CHECK(t.spans.last().failure.size() <= 256);
}

TEST_CASE("spans: each attempt to connect anew has its own end", "[client]") {
  traced t;
  t.server.legacy();
  auto const client = t.with(t.options().reconnect(reconnect_policy().attempts(3).delay(1s, 1s).jitter(0)));
  t.spans.clear();
  bool broken = true;
  t.server.on("initialize", [&broken, &t](fake_request const& r) {
    if (broken) return t.server.drop();
    r.reply(json::raw(initialize_text("2025-11-25")));
  });
  t.server.drop();
  t.settle();
  t.advance(1s);
  t.advance(1s);
  broken = false;
  t.advance(1s);
  CHECK(client.status() == connection_status::ready);
  REQUIRE(t.spans.count("connect") == 3);
  CHECK_FALSE(t.spans.all()[0]->text("error.type").empty());
  CHECK_FALSE(t.spans.all()[1]->text("error.type").empty());
  CHECK(t.spans.all()[2]->failure.empty());
  CHECK(t.spans.open() == 0);
}
