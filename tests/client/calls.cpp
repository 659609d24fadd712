// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a call sends and how its answer is taken: PROTOCOL.md, "Messages" and "Calls".
#include <comcp/client/connect.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;
using comcp::test::script;
using strings = std::vector<std::string>;

namespace {

// A connected legacy client, and the script that goes on after the handshake.
struct legacy_client : conversation {
  explicit legacy_client(std::string const& version = "2025-11-25") : s(legacy_script(version)) {
    client = connect(s.transport()).value();
  }
  script s;
  comcp::client client;
};

std::int64_t id_at(script const& s, std::size_t i) { return s.sent()[i]["id"].as_int64(); }

struct sum {
  int total = 0;
};
constexpr auto describe(std::type_identity<sum>) { return json::fields(json::field("total", &sum::total)); }

}  // namespace

TEST_CASE("calls: ids are positive integers below 2^53, each used once", "[client]") {
  legacy_client t;
  std::set<std::int64_t> seen;
  for (int i = 0; i != 5; ++i) {
    t.s.expect("ping").reply("{}");
    CHECK(t.finish(t.client.ping()));
    auto const id = id_at(t.s, t.s.sent().size() - 1);
    CHECK(id > 0);
    CHECK(id < (std::int64_t{1} << 53));
    CHECK(seen.insert(id).second);
  }
}

TEST_CASE("calls: replies are matched by id, in any order", "[client]") {
  legacy_client t;
  t.s.expect("tools/call").as("a").expect("tools/call").as("b");
  t.s.reply_to("b", R"({"content":[{"type":"text","text":"B"}]})");
  t.s.reply_to("a", R"({"content":[{"type":"text","text":"A"}]})");
  auto const a = t.start(t.client.call_tool("x"));
  auto const b = t.start(t.client.call_tool("x"));
  REQUIRE(a->ok());
  REQUIRE(b->ok());
  CHECK((*a)->text() == "A");
  CHECK((*b)->text() == "B");
}

TEST_CASE("calls: a reply whose id is the string of ours is accepted", "[client]") {
  legacy_client t;
  t.s.expect("ping").raw(R"({"jsonrpc":"2.0","id":"$id","result":{}})");
  CHECK(t.finish(t.client.ping()));
  CHECK(t.client.statistics().unknown == 0);
}

TEST_CASE("calls: the first of two replies wins, the second is counted and dropped", "[client]") {
  legacy_client t;
  t.s.expect("tools/call").reply(tool_text).reply(R"({"content":[]})").fail(-1, "third");
  auto const r = t.finish(t.client.call_tool("x"));
  REQUIRE(r);
  CHECK(r->text() == "done");
  CHECK(t.client.statistics().late == 2);
  CHECK(t.client.status() == connection_status::ready);
}

TEST_CASE("calls: an unknown id is counted and dropped", "[client]") {
  legacy_client t;
  t.s.raw(R"({"jsonrpc":"2.0","id":4503599627370496,"result":{}})").raw(R"({"jsonrpc":"2.0","id":"abc","result":{}})");
  t.s.raw(R"({"jsonrpc":"2.0","id":-1,"error":{"code":1,"message":""}})");
  t.settle();
  CHECK(t.client.statistics().unknown == 3);
  CHECK(t.faults.size() == 3);
  CHECK(t.client.statistics().late == 0);
  CHECK(t.client.status() == connection_status::ready);
}

TEST_CASE("calls: an answer with both or neither of result and error is a protocol violation for its caller", "[client]") {
  auto const line = GENERATE(as<std::string>(), R"({"jsonrpc":"2.0","id":$id,"result":{},"error":{"code":1,"message":"m"}})",
                             R"({"jsonrpc":"2.0","id":$id})", R"({"jsonrpc":"2.0","id":$id,"result":{},"result":{}})",
                             R"({"jsonrpc":"2.0","id":$id,"error":{"message":"no code"}})",
                             R"({"id":$id,"result":{}})", R"({"jsonrpc":"2.0","id":$id,"result":[]})");
  legacy_client t;
  t.s.expect("tools/call").raw(line);
  auto const r = t.finish(t.client.call_tool("x"));
  REQUIRE_FALSE(r);
  CHECK(r.error() == errc::protocol_violation);
  t.s.expect("ping").reply("{}");
  CHECK(t.finish(t.client.ping()));
}

TEST_CASE("calls: a result that does not parse fails that call alone", "[client]") {
  auto const text = GENERATE(as<std::string>(), "\"\\ud83d\"", "\"\\udc00 alone\"", "[1,2", "nul", "\"\xC3\x28\"", "01");
  legacy_client t;
  t.s.expect("tools/call").as("bad").expect("tools/call").as("good");
  t.s.raw(R"({"jsonrpc":"2.0","id":$id:bad,"result":{"content":[],"x":)" + text + "}}");
  t.s.reply_to("good", tool_text);
  auto const bad = t.start(t.client.call_tool("x"));
  auto const good = t.start(t.client.call_tool("x"));
  REQUIRE(bad->times == 1);
  CHECK(bad->error() == errc::protocol_violation);
  CHECK(good->ok());
}

TEST_CASE("calls: an error without id belongs to nobody and reaches the observer", "[client]") {
  legacy_client t;
  t.s.expect("ping").as("p").raw(R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}})");
  t.s.raw(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})").reply_to("p", "{}");
  CHECK(t.finish(t.client.ping()));
  REQUIRE(t.faults.size() == 2);
  REQUIRE(t.faults[0].peer());
  CHECK(t.faults[0].peer()->code == -32700);
}

TEST_CASE("calls: batches are taken in 2025-03-26 and are bad messages elsewhere", "[client]") {
  std::string const batch = R"([{"jsonrpc":"2.0","id":$id:a,"result":{}},{"jsonrpc":"2.0","method":"notifications/x"},)"
                            R"({"jsonrpc":"2.0","id":$id:b,"error":{"code":-5,"message":"m"}}])";
  auto const version = GENERATE(as<std::string>(), "2025-03-26", "2025-11-25", "2024-11-05", "2025-06-18");
  legacy_client t(version);
  t.s.expect("ping").as("a").expect("ping").as("b").raw(batch);
  auto const a = t.start(t.client.ping());
  auto const b = t.start(t.client.ping());
  if (version == "2025-03-26") {
    CHECK(a->ok());
    REQUIRE(b->times == 1);
    CHECK(b->error().peer()->code == -5);
    CHECK(t.client.statistics().bad_messages == 0);
  } else {
    CHECK_FALSE(a->done());
    CHECK_FALSE(b->done());
    CHECK(t.client.statistics().bad_messages == 1);
  }
}

TEST_CASE("calls: isError is a value, and an error only on request", "[client]") {
  legacy_client t;
  t.s.expect("tools/call").reply(R"({"content":[{"type":"text","text":"no luck"}],"isError":true})");
  auto const r = t.finish(t.client.call_tool("x"));
  REQUIRE(r);
  CHECK(r->is_error);
  try {
    r->or_throw();
    FAIL("or_throw() did not throw");
  } catch (comcp::exception const& e) {
    CHECK(e.error() == errc::tool_failed);
  }
}

TEST_CASE("calls: -32602 and -32002 both mean not found for read_resource, and only there", "[client]") {
  auto const code = GENERATE(-32602, -32002);
  legacy_client t;
  t.s.expect("resources/read").fail(code, "none").expect("prompts/get").fail(code, "none");
  auto const r = t.finish(t.client.read_resource("file:///x"));
  REQUIRE_FALSE(r);
  CHECK(r.error() == errc::not_found);
  CHECK(r.error().peer()->code == code);
  auto const p = t.finish(t.client.get_prompt("x"));
  CHECK_FALSE(p.error() == errc::not_found);
  CHECK(p.error().peer()->code == code);
}

TEST_CASE("calls: -32000 to -32019 carry no assumed meaning", "[client]") {
  legacy_client t;
  for (int const code : {-32000, -32001, -32003, -32004, -32019}) {
    t.s.expect("tools/call").fail(code, "server's own", R"({"supported":["2026-07-28"]})");
    auto const r = t.finish(t.client.call_tool("x"));
    REQUIRE(r.error().peer());
    CHECK(r.error().peer()->code == code);
    CHECK(&r.error().code().category() == &jsonrpc_category());
  }
}

TEST_CASE("calls: -32021 tells which capabilities were required", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").fail(-32021, "missing", R"({"requiredCapabilities":{"sampling":{"tools":{}}}})");
  auto client = c.connect(s.transport());
  auto const r = c.finish(client->call_tool("x"));
  REQUIRE(r.error().peer());
  CHECK(r.error().peer()->code == -32021);
  CHECK_THAT(r.error().peer()->data, match::contains("sampling"));
}

TEST_CASE("calls: user _meta keys are checked and cannot overwrite reserved ones", "[client]") {
  legacy_client t;
  auto const sent = t.s.sent().size();
  for (std::string const key : {"io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientInfo",
                                "io.modelcontextprotocol/clientCapabilities", "io.modelcontextprotocol/logLevel",
                                "progressToken", "a b", "-x/y", "traceparent", "tracestate", "baggage"}) {
    INFO(key);
    auto const r = t.finish(t.client.call_tool("x", args(), call_options().meta(key, 1)));
    REQUIRE_FALSE(r);
    CHECK(r.error() == errc::invalid_argument);
  }
  CHECK(t.s.sent().size() == sent);
  t.s.expect("tools/call", [](json::value const& m) { return m["params"]["_meta"]["example.com/trace"].as_int64() == 7; });
  t.s.reply(tool_text);
  CHECK(t.finish(t.client.call_tool("x", args(), call_options().meta("example.com/trace", 7))));
}

TEST_CASE("calls: a _meta in the params of a request joins the one that comcp writes", "[client]") {
  bool const modern = GENERATE(false, true);
  conversation c;
  auto s = modern ? modern_script() : legacy_script();
  s.expect("vendor/x").reply("{}").expect("vendor/x").reply("{}").expect("notifications/vendor");
  auto client = c.connect(s.transport());
  auto const meta = json::raw(R"({"io.modelcontextprotocol/some-extension":1.50,"a":"params","traceparent":)"
                              R"("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})");
  auto const options = call_options().meta("a", "options");
  CHECK(c.finish(client->request("vendor/x", args("_meta", meta, "v", 1), options)));
  auto const whole = s.sent().back()["params"];
  CHECK(whole["v"].as_int64() == 1);
  CHECK(args("k", whole["_meta"]["a"].as_string()).text() == R"({"k":"options"})");
  CHECK(whole["_meta"]["a"].as_string() == "options");
  CHECK(whole["_meta"]["io.modelcontextprotocol/some-extension"].as_double() == 1.5);
  CHECK(whole["_meta"].contains("io.modelcontextprotocol/protocolVersion") == modern);
  CHECK(std::count_if(whole.members().begin(), whole.members().end(), [](auto const m) { return m.key == "_meta"; }) == 1);
  CHECK(c.finish(client->request("vendor/x", json::raw(R"({"\u005fmeta":{"b":2}})"), options)));
  CHECK(s.sent().back()["params"]["_meta"]["b"].as_int64() == 2);
  CHECK(s.sent().back()["params"]["_meta"]["a"].as_string() == "options");
  CHECK(c.finish(client->notify("notifications/vendor", args("_meta", args("b", 3)))));
  CHECK(s.sent().back()["params"]["_meta"]["b"].as_int64() == 3);
  for (auto const* const bad : {R"({"_meta":7})", R"({"_meta":{"progressToken":1}})", R"({"_meta":{"traceparent":"00-x"}})"})
    CHECK(c.finish(client->request("vendor/x", json::raw(bad))).error() == errc::invalid_argument);
}

TEST_CASE("calls: an unknown resultType is an error in the modern era", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").reply(R"({"resultType":"sometime","content":[]})");
  s.expect("tools/list").reply(R"({"resultType":"input_required","requestState":"x","tools":[]})");
  auto client = c.connect(s.transport());
  CHECK(c.finish(client->call_tool("x")).error() == errc::protocol_violation);
  CHECK(c.finish(client->list_tools()).error() == errc::protocol_violation);
}

TEST_CASE("calls: what the version does not have fails before anything is sent", "[client]") {
  conversation c;
  auto modern = modern_script();
  auto client = c.connect(modern.transport());
  CHECK(c.finish(client->ping()).error() == errc::not_in_protocol);
  CHECK(c.finish(client->request("logging/setLevel", args("level", "info"))).error() == errc::not_in_protocol);
  CHECK(modern.sent().size() == 1);
  legacy_client old;
  auto const sent = old.s.sent().size();
  CHECK(old.finish(old.client.discover()).error() == errc::not_in_protocol);
  CHECK(old.finish(old.client.request("subscriptions/listen")).error() == errc::not_in_protocol);
  CHECK(old.s.sent().size() == sent);
}

TEST_CASE("calls: what the server did not declare fails at once, unless that is switched off", "[client]") {
  conversation c;
  bool const checked = GENERATE(true, false);
  fake_server server(c.io.get_executor());
  server.capabilities(R"({"resources":{}})").legacy();
  auto client = c.connect(server.transport(), c.options().check_capabilities(checked));
  auto const tools = c.finish(client->list_tools());
  auto const prompt = c.finish(client->get_prompt("x"));
  auto const level = c.finish(client->set_log_level(log_level::info));
  auto const subscribed = c.finish(client->subscribe("file:///x"));
  if (checked) {
    CHECK(tools.error() == errc::capability_missing);
    CHECK(prompt.error() == errc::capability_missing);
    CHECK(level.error() == errc::capability_missing);
    CHECK(subscribed.error() == errc::capability_missing);
    CHECK(server.received().size() == 3);
  } else {
    CHECK(tools.error().peer()->code == -32601);
    CHECK(level);
    CHECK(subscribed);
  }
}

TEST_CASE("calls: complete is gated on completions, but not on a 2024-11-05 connection", "[client]") {
  auto const version = GENERATE(as<std::string>(), "2024-11-05", "2025-03-26");
  conversation c;
  auto s = legacy_script(version, "{}");
  complete_params what;
  what.ref = prompt_reference("p");
  what.argument.name = "a";
  what.argument.value = "v";
  if (version == "2024-11-05") s.expect("completion/complete").reply(R"({"completion":{"values":["x"]}})");
  auto client = c.connect(s.transport());
  auto const r = c.finish(client->complete(what));
  CHECK(r.has_value() == (version == "2024-11-05"));
  if (!r) CHECK(r.error() == errc::capability_missing);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("calls: all() runs operations at once, and one failure cancels nobody", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  std::vector<fake_request> held;
  server.on("tools/call", [&](fake_request r) { held.push_back(r); });
  auto client = c.connect(server.transport());
  std::vector<asio::awaitable<call_tool_result>> ops;
  for (int i = 0; i != 3; ++i) ops.push_back(client->call_tool("t" + std::to_string(i)));
  auto const o = c.start(all(std::move(ops)));
  REQUIRE(held.size() == 3);
  held[1].fail(-1, "no");
  held[2].reply(json::raw(tool_text));
  c.settle();
  CHECK_FALSE(o->done());
  held[0].reply(json::raw(tool_text));
  c.settle();
  REQUIRE(o->ok());
  auto const& results = **o;
  REQUIRE(results.size() == 3);
  CHECK(results[0]);
  CHECK(results[1].error().peer()->code == -1);
  CHECK(results[2]);
  CHECK(c.finish(all(std::vector<asio::awaitable<call_tool_result>>()))->empty());
}

TEST_CASE("calls: typed calls, and requests of any kind", "[client]") {
  legacy_client t;
  t.s.expect("tools/call").reply(R"({"content":[],"structuredContent":{"total":5}})");
  auto const typed = t.finish(t.client.call_tool<sum>("add", args("a", 2)));
  REQUIRE(typed);
  CHECK(typed->total == 5);
  t.s.expect("tools/call").reply(R"({"content":[],"structuredContent":{"total":"x"}})");
  CHECK(t.finish(t.client.call_tool<sum>("add", args())).error() == errc::wrong_shape);
  t.s.expect("tools/call").reply(R"({"content":[],"isError":true})");
  CHECK(t.finish(t.client.call_tool<sum>("add", args())).error() == errc::tool_failed);
  t.s.expect("vendor/x", [](json::value const& m) { return m["params"]["k"].as_bool(); }).reply(R"({"v":[1]})");
  auto const any = t.finish(t.client.request("vendor/x", args("k", true)));
  REQUIRE(any);
  CHECK(any->dump() == R"({"v":[1]})");
  CHECK(t.finish(t.client.request("bad\"name")).error() == errc::invalid_argument);
  CHECK(t.finish(t.client.request("")).error() == errc::invalid_argument);
  t.s.expect("notifications/mine", [](json::value const& m) { return !m.contains("id"); });
  CHECK(t.finish(t.client.notify("notifications/mine", args("a", 1))));
  t.settle();
  CHECK(t.s.verdict() == all_well);
}

TEST_CASE("calls: an answer whose id is written as a double is the call's", "[client]") {
  legacy_client t;
  t.s.expect("tools/call").raw(R"({"jsonrpc":"2.0","id":$id.0,"result":{"content":[{"type":"text","text":"A"}]}})");
  auto const called = t.finish(t.client.call_tool("x"));
  REQUIRE(called);
  CHECK(called->text() == "A");
}
