// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

std::string tool_list(std::string const& properties) {
  return R"({"resultType":"complete","tools":[{"name":"t","inputSchema":{"type":"object","properties":{)" + properties +
         "}}}]}";
}

std::string const complete_text = R"({"resultType":"complete","content":[{"type":"text","text":"done"}]})";

}  // namespace

TEST_CASE("http_modern: every POST says its version, method and name, and there is neither session nor GET", "[transport]") {
  http_talk t;
  auto const opening = t.begin();
  auto const probe = t.take("server/discover");
  CHECK(probe->header("MCP-Protocol-Version") == "2026-07-28");
  CHECK(probe->header("Mcp-Method") == "server/discover");
  CHECK(probe->header("Mcp-Name").empty());
  CHECK(probe->header("Content-Type") == "application/json");
  CHECK(probe->header("Accept") == "application/json, text/event-stream");
  probe->result(discover_text(), {{"Mcp-Session-Id", "not-for-us"}});
  auto c = t.done(opening);
  t.quiet();
  auto const call = t.start(c.call_tool("get weather"));
  auto const post = t.take("tools/call");
  CHECK(post->header("Mcp-Session-Id").empty());
  CHECK(post->header("Mcp-Method") == "tools/call");
  CHECK(post->header("Mcp-Name") == "get weather");
  CHECK(post->header("MCP-Protocol-Version") == "2026-07-28");
  CHECK(post->says(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")"));
  post->result(complete_text);
  t.settle();
  CHECK(call->ok());
  auto const read = t.start(c.read_resource("file:///ü"));
  CHECK(t.take("resources/read")->header("Mcp-Name") == "=?base64?ZmlsZTovLy/DvA==?=");
  auto const prompt = t.start(c.get_prompt("p"));
  CHECK(t.take("prompts/get")->header("Mcp-Name") == "p");
  read->cancel();
  prompt->cancel();
  auto const closing = t.start(c.close());
  t.quiet();
  CHECK(closing->done());
  CHECK_FALSE(c.session());
}

TEST_CASE("http_modern: arguments are mirrored as the last listed definition says", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const list = t.start(c.list_tools());
  t.take("tools/list")->result(tool_list(R"("region":{"type":"string","x-mcp-header":"Region"},)"
                                         R"("n":{"type":"integer","x-mcp-header":"N"},"q":{"type":"string"})"));
  t.settle();
  REQUIRE(list->ok());
  auto const call = t.start(c.call_tool("t", args("region", "", "n", 42, "q", "x")));
  auto const post = t.take("tools/call");
  REQUIRE(post->request.headers.find("Mcp-Param-Region"));
  CHECK(post->header("Mcp-Param-Region").empty());
  CHECK(post->header("Mcp-Param-N") == "42");
  CHECK(post->request.headers.size() == 7);
  post->result(complete_text);
  t.settle();
  CHECK(call->ok());
  auto const null = t.start(c.call_tool("t", args("region", nullptr)));
  auto const second = t.take("tools/call");
  CHECK_FALSE(second->request.headers.find("Mcp-Param-Region"));
  CHECK(second->says(R"("region":null)"));
  null->cancel();
  auto const large = t.start(c.call_tool("t", args("n", std::int64_t{1} << 53)));
  CHECK(large->error() == errc::invalid_argument);
  t.quiet();
}

TEST_CASE("http_modern: name and arguments are mirrored from what goes out, typed or not, changed or not", "[transport]") {
  interceptor change;
  change.before = [](outgoing_call& call) -> asio::awaitable<std::optional<json::value>> {
    if (call.name == "old") call.params = args("arguments", args("region", "new place"), "name", "t");
    if (call.name == "file:///old") call.params = args("uri", "file:///new");
    co_return std::nullopt;
  };
  http_talk t;
  auto c = t.modern(t.options().intercept(change));
  auto const list = t.start(c.list_tools());
  t.take("tools/list")->result(tool_list(R"("region":{"type":"string","x-mcp-header":"Region"})"));
  t.settle();
  REQUIRE(list->ok());
  std::vector<outcome_of<json::value>> calls;
  auto const sent = [&](std::string const& method, json::fragment const& params) {
    calls.push_back(t.start(c.request(method, params)));
    auto const x = t.take(method);
    CHECK(x->header("Mcp-Method") == method);
    return x;
  };
  auto const tool = sent("tools/call", args("name", "t", "arguments", args("region", "eu")));
  CHECK(tool->header("Mcp-Name") == "t");
  CHECK(tool->header("Mcp-Param-Region") == "eu");
  CHECK(sent("prompts/get", args("name", "p"))->header("Mcp-Name") == "p");
  CHECK(sent("resources/read", json::raw(R"({"u\u0072i":"file:///a b"})"))->header("Mcp-Name") == "file:///a b");
  CHECK_FALSE(sent("vendor/x", args("name", "n"))->request.headers.find("Mcp-Name"));
  auto const changed = sent("tools/call", args("name", "old"));
  CHECK(changed->header("Mcp-Name") == "t");
  CHECK(changed->header("Mcp-Param-Region") == "new place");
  CHECK(sent("resources/read", args("uri", "file:///old"))->header("Mcp-Name") == "file:///new");

  auto const typed = t.start(c.call_tool("old", args("region", "eu")));
  CHECK(t.take("tools/call")->header("Mcp-Param-Region") == "new place");
  auto const read = t.start(c.read_resource("file:///old"));
  CHECK(t.take("resources/read")->header("Mcp-Name") == "file:///new");

  for (std::string const bad : {"{}", R"({"name":7})", R"({"name":"t","name":"u"})"})
    CHECK(t.finish(c.request("tools/call", json::raw(bad))).error() == errc::invalid_argument);
  t.quiet();
  for (auto const& call : calls) call->cancel();
  typed->cancel();
  read->cancel();
}

TEST_CASE("http_modern: a definition can be given with the call", "[transport]") {
  http_talk t;
  auto c = t.modern();
  tool definition;
  definition.name = "t";
  definition.input_schema = json::parse(R"({"type":"object","properties":{"a":{"type":"boolean","x-mcp-header":"A"}}})").value();
  auto const call = t.start(c.call_tool("t", args("a", true), call_options().tool(definition)));
  CHECK(t.take("tools/call")->header("Mcp-Param-A") == "true");
  call->cancel();
  definition.input_schema = json::parse(R"({"type":"object","properties":{"a":{"type":"boolean","x-mcp-header":""}}})").value();
  auto const bad = t.start(c.call_tool("t", args("a", true), call_options().tool(definition)));
  CHECK(bad->error() == errc::invalid_argument);
  t.quiet();
}

TEST_CASE("http_modern: a tool that cannot be mirrored is set aside with the reason, and its neighbours stay", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const list = t.start(c.list_tools());
  t.take("tools/list")->result(
      R"({"resultType":"complete","tools":[{"name":"bad","inputSchema":{"type":"object","properties":)"
      R"({"a":{"type":"string","x-mcp-header":"no blanks"}}}},{"name":"good","inputSchema":{"type":"object"}}]})");
  t.settle();
  REQUIRE(list->ok());
  REQUIRE((*list)->size() == 1);
  CHECK((**list)[0].name == "good");
  REQUIRE((*list)->set_aside().size() == 1);
  CHECK((*list)->set_aside()[0].reason.find("bad") != std::string::npos);
  CHECK_FALSE(t.faults.empty());
}

TEST_CASE("http_modern: a header mismatch brings one tools/list and one retry", "[transport]") {
  http_talk t;
  auto c = t.modern();
  bool const typed = GENERATE(true, false);
  auto const params = args("name", "t", "arguments", args("region", "eu"));
  auto const call = typed ? nullptr : t.start(c.request("tools/call", params));
  auto const typed_call = typed ? t.start(c.call_tool("t", args("region", "eu"))) : nullptr;
  auto const first = t.take("tools/call");
  CHECK_FALSE(first->request.headers.find("Mcp-Param-Region"));
  first->error(400, -32020, "Mcp-Param-Region is missing");
  t.take("tools/list")->result(tool_list(R"("region":{"type":"string","x-mcp-header":"Region"})"));
  auto const again = t.take("tools/call");
  CHECK(again->id() != first->id());
  CHECK(again->header("Mcp-Param-Region") == "eu");
  SECTION("which works") {
    again->result(complete_text);
    t.settle();
    CHECK((typed ? typed_call->ok() : call->ok()));
  }
  SECTION("or not") {
    again->error(400, -32020, "still");
    t.settle();
    auto const failure = typed ? typed_call->error() : call->error();
    REQUIRE(failure.peer());
    CHECK(failure.peer()->code == -32020);
    CHECK(failure.detail()->http_status == 400);
  }
  t.quiet();
}

TEST_CASE("http_modern: -32022 brings one retry, even with the version just sent", "[transport]") {
  http_talk t;
  auto const opening = t.begin();
  std::string const data = R"({"supported":["2026-07-28"],"requested":"2026-07-28"})";
  t.take("server/discover")->error(400, -32022, "unsupported", data);
  t.take("server/discover")->result(discover_text());
  auto c = t.done(opening);
  auto const call = t.start(c.call_tool("t"));
  t.take("tools/call")->error(400, -32022, "unsupported", data);
  t.take("tools/call")->error(400, -32022, "unsupported", data);
  t.settle();
  REQUIRE(call->error().peer());
  CHECK(call->error().peer()->code == -32022);
  t.quiet();
}

TEST_CASE("http_modern: an unknown method with 404 is the server's error and changes nothing", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const call = t.start(c.request("vendor/x"));
  t.take("vendor/x")->error(404, -32601, "Method not found");
  t.settle();
  REQUIRE(call->error().peer());
  CHECK(call->error().peer()->code == -32601);
  CHECK(c.era() == era::modern);
  t.quiet();
}

TEST_CASE("http_modern: cancelling closes the response and says nothing", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const call = t.start(c.call_tool("t"));
  auto const post = t.take("tools/call");
  SECTION("before its head") {}
  SECTION("within the stream") { post->stream().piece(": hello\n\n"); }
  t.settle();
  call->cancel();
  t.settle();
  CHECK(call->error() == errc::cancelled);
  CHECK(post->abandoned);
  t.quiet();
}

TEST_CASE("http_modern: a call that times out closes its response", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const call = t.start(c.call_tool("t", args(), call_options().timeout(2s)));
  auto const post = t.take("tools/call");
  post->stream();
  t.advance(2s);
  CHECK(call->error() == errc::timeout);
  CHECK(post->abandoned);
  t.quiet();
}

TEST_CASE("http_modern: progress comes on the call's own stream, which is never resumed", "[transport]") {
  http_talk t;
  auto c = t.modern();
  int steps = 0;
  auto const call =
      t.start(c.call_tool("t", args(), call_options().on_progress([&](progress_notification const&) { ++steps; })));
  auto const post = t.take("tools/call");
  auto const progress = R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + post->id() +
                        R"(,"progress":1}})";
  post->stream().event(progress, "e-1").piece(": keep alive\n\n").event(progress, "e-2");
  t.settle();
  CHECK(steps == 2);
  post->end();
  t.settle();
  CHECK(call->error() == errc::outcome_unknown);
  t.advance(1min);
  t.quiet();
}

TEST_CASE("http_modern: a subscription is a stream of its own, opened again after it broke", "[transport]") {
  http_talk t;
  auto c = t.modern();
  int updates = 0;
  auto const subscribed = t.start(c.subscribe("file:///a", [&](resource_updated const&) { ++updates; }));
  auto listen = t.take("subscriptions/listen");
  CHECK(listen->header("Mcp-Method") == "subscriptions/listen");
  auto const note = [&listen](std::string const& method, std::string const& rest) {
    return R"({"jsonrpc":"2.0","method":"notifications/)" + method +
           R"(","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":)" + listen->id() + "}," + rest + "}}";
  };
  auto const acknowledge = [&] {
    listen->stream().event(
        note("subscriptions/acknowledged", R"("notifications":{"resourceSubscriptions":["file:///a"]})"));
  };
  acknowledge();
  t.settle();
  REQUIRE(subscribed->done());
  CHECK_FALSE(subscribed->error());
  listen->event(note("resources/updated", R"("uri":"file:///a")"));
  t.settle();
  CHECK(updates == 1);
  SECTION("broken") { listen->fail(error(errc::transport_failed, "reset")); }
  SECTION("ended") { listen->end(); }
  SECTION("ended gracefully") { listen->result_event(R"({"resultType":"complete"})").end(); }
  t.settle();
  t.advance(1s);
  listen = t.take("subscriptions/listen");
  acknowledge();
  listen->event(note("resources/updated", R"("uri":"file:///a")"));
  t.settle();
  CHECK(updates == 2);
  auto const done = t.start(c.unsubscribe("file:///a"));
  t.settle();
  CHECK(listen->abandoned);
  t.quiet();  // no notifications/cancelled over HTTP
}

TEST_CASE("http_modern: a quiet subscription whose idle stream is cut goes on for ever", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const subscribed = t.start(c.subscribe("file:///a"));
  for (int i = 0; i < 10; ++i) {
    auto const listen = t.take("subscriptions/listen");
    CHECK(listen->request.timeouts.idle() == std::chrono::nanoseconds(5min));
    listen->stream().event(
        R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":)"
        R"({"io.modelcontextprotocol/subscriptionId":)" +
        listen->id() + R"(},"notifications":{"resourceSubscriptions":["file:///a"]}}})");
    t.settle();
    t.advance(5min);
    listen->fail(error(errc::idle_timeout));
    t.settle();
    t.advance(1s);
  }
  CHECK(subscribed->done());
  t.take("subscriptions/listen");
}

TEST_CASE("http_modern: a subscription outlives a server that is away for a while", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const subscribed = t.start(c.subscribe("file:///a"));
  auto const acknowledge = [](http_talk::exchange const& listen) {
    listen->stream().event(
        R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":)"
        R"({"io.modelcontextprotocol/subscriptionId":)" +
        listen->id() + R"(},"notifications":{"resourceSubscriptions":["file:///a"]}}})");
  };
  auto listen = t.take("subscriptions/listen");
  acknowledge(listen);
  t.settle();
  listen->fail(error(errc::transport_failed, "reset"));
  t.settle();
  t.advance(1s);
  t.take("subscriptions/listen")->fail(error(errc::connect_failed, "refused"));
  t.settle();
  t.advance(2s);
  t.take("subscriptions/listen")->status(503);
  t.settle();
  t.advance(3999ms);
  t.quiet();
  t.advance(1ms);
  acknowledge(t.take("subscriptions/listen"));
  t.settle();
  t.advance(5min);
  t.quiet();
}

TEST_CASE("http_modern: -32022 on a listen stream brings one retry too", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const listening = t.start(c.listen(subscription_filter()));
  t.take("subscriptions/listen")->error(400, -32022, "unsupported", R"({"supported":["2026-07-28"],"requested":"x"})");
  auto const again = t.take("subscriptions/listen");
  again->stream().event(R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":)"
                        R"({"io.modelcontextprotocol/subscriptionId":)" +
                        again->id() + R"(},"notifications":{}}})");
  t.settle();
  CHECK(listening->ok());
}

TEST_CASE("http_modern: a subscription that breaks at once is said to, and tried on", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const subscribed = t.start(c.subscribe("file:///a"));
  int tries = 0;
  for (; tries < 50; ++tries) {
    auto const listen = t.http.take();
    if (!listen) break;
    listen->stream().event(
        R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":)"
        R"({"io.modelcontextprotocol/subscriptionId":)" +
        listen->id() + R"(},"notifications":{"resourceSubscriptions":["file:///a"]}}})");
    t.settle();
    listen->fail(error(errc::transport_failed));
    t.settle();
    if (tries < 8) CHECK(t.faults.empty());
    t.advance(30s);
  }
  CHECK(tries == 50);
  CHECK(t.faults.size() == 1);
}
