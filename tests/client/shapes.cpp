// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The shapes that users write around co_await: g++ 12 miscompiles some expressions with temporaries (DESIGN.md,
// section 7), and these are those that must work. Worth something under ASan, with both compilers.
#include <comcp/client/connect.hpp>

#include <map>
#include <set>

#include <asio/use_future.hpp>

#include <comcp/run.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

struct person {
  std::string name;
  int age = 0;
};
constexpr auto describe(std::type_identity<person>) {
  return json::fields(json::field("name", &person::name), json::field("age", &person::age));
}

std::string const long_text(100, 'l');  // beyond every small-string buffer

// A server whose tool gives its arguments back, as text and structured.
struct shaped : conversation {
  shaped() : server(io.get_executor()) {
    server.on("tools/call", [](fake_request r) {
      auto const given = r.params().find("arguments").value_or(json::value());
      if (r.params()["name"].as<std::string>() == "fail") return r.fail(-1, long_text);
      r.progress(1, 2);
      auto const block = args("type", "text", "text", given.dump());
      r.reply(args("content", std::vector<json::fragment>{block}, "structuredContent", given));
    });
    server.answer("tools/list", json::raw(R"({"tools":[{"name":"a","inputSchema":{"type":"object"}}]})"));
    server.answer("resources/read", json::raw(R"({"contents":[{"uri":"file:///x","text":"body"}]})"));
    client = connect(server.transport()).value();
  }
  void play(asio::awaitable<void> body) {
    auto const r = finish(std::move(body));
    INFO(r.error().to_string());
    CHECK(r);
  }
  fake_server server;
  comcp::client client;
};

}  // namespace

TEST_CASE("shapes: arguments, options and names made inside the expression", "[client]") {
  shaped t;
  auto const body = [](client& cl) -> asio::awaitable<void> {
    auto r = co_await cl.call_tool("echo", args("a", long_text, "b", 3), call_options().timeout(5s).idempotent());
    CHECK(r.text() == R"({"a":")" + long_text + R"(","b":3})");
    CHECK((co_await cl.call_tool("echo", args("c", std::string("x") + long_text))).text().size() > 100);
    auto const text = (co_await cl.call_tool(std::string("echo"), args("d", std::optional<std::string>(long_text)))).text();
    CHECK(text.size() > 100);
    r = co_await cl.call_tool("echo", json::object().set("o", long_text).set("n", 1));
    CHECK(r.text().size() > 100);
    r = co_await cl.call_tool("echo", json::raw(R"({"from a model" : [ 1, 2 ]})"));
    CHECK(r.text() == R"({"from a model":[1,2]})");
    person p;
    p.name = long_text;
    r = co_await cl.call_tool("echo", p);
    CHECK(r.text().size() > 100);
    std::map<std::string, int> const map{{"k", 1}};
    CHECK((co_await cl.call_tool("echo", map)).text() == R"({"k":1})");
  };
  t.play(body(t.client));
}

TEST_CASE("shapes: options built on the way, with callbacks, meta and stop tokens", "[client]") {
  shaped t;
  auto const body = [](client& cl) -> asio::awaitable<void> {
    int heard = 0;
    std::string const captured = long_text;
    auto const listener = [&heard, captured](progress_notification const&) { heard += static_cast<int>(captured.size()); };
    std::stop_source source;
    auto const r = co_await cl.call_tool(
        "echo", args("a", 1),
        call_options().on_progress(listener).meta("example.com/k", long_text).stop(source.get_token()).hard_timeout(1min));
    CHECK(r.text() == R"({"a":1})");
    CHECK(heard == 100);
    // A lambda made inside the expression, capturing by reference.
    auto const again = co_await cl.call_tool(
        "echo", args("a", 2), call_options().on_progress([&](progress_notification const&) { ++heard; }));
    CHECK(again.text() == R"({"a":2})");
    CHECK(heard == 101);
  };
  t.play(body(t.client));
}

TEST_CASE("shapes: conditions, loops, ternaries and returns around a call", "[client]") {
  shaped t;
  auto const twice = [](client& cl, int n) -> asio::awaitable<std::string> {
    if (n == 0) co_return std::string();
    auto r = co_await cl.call_tool("echo", args("n", n));
    co_return r.text();
  };
  auto const body = [&twice](client& cl) -> asio::awaitable<void> {
    auto const listed = co_await cl.list_tools();
    for (auto const& tool : listed) CHECK(tool.name == "a");
    std::string all;
    for (int i = 1; i != 4; ++i) all += co_await twice(cl, i);
    CHECK(all == R"({"n":1}{"n":2}{"n":3})");
    bool const fails = true;
    auto const r = co_await as_result(cl.call_tool(fails ? "fail" : "echo", args("x", long_text)));
    CHECK_FALSE(r);
    CHECK(r.error().peer()->message == long_text);
    auto const read = co_await cl.read_resource("file:///" + long_text);
    REQUIRE(read.contents.size() == 1);
    while ((co_await cl.call_tool("echo", args("y", 1))).text().empty()) {
    }
  };
  t.play(body(t.client));
}

TEST_CASE("shapes: exceptions and as_result", "[client]") {
  shaped t;
  auto const body = [](client& cl) -> asio::awaitable<void> {
    std::string caught;
    try {
      auto const r = co_await cl.call_tool("fail", args("x", long_text));
      CHECK(r.text().empty());
    } catch (comcp::exception const& e) {
      caught = e.error().peer()->message;
    }
    CHECK(caught == long_text);
    auto good = co_await as_result(cl.call_tool("echo", args("x", long_text)));
    REQUIRE(good);
    CHECK(good->text().size() > 100);
    auto const value = (co_await as_result(cl.call_tool("echo", args("x", 1)))).value();
    CHECK(value.text() == R"({"x":1})");
    auto const bad = co_await as_result(cl.ping());
    CHECK(bad.error() == errc::not_in_protocol);
  };
  t.play(body(t.client));
}

TEST_CASE("shapes: operations stored, moved, collected and awaited later", "[client]") {
  shaped t;
  auto const body = [](client& cl) -> asio::awaitable<void> {
    auto operation = cl.call_tool("echo", args("x", long_text), call_options().timeout(1s));
    std::vector<asio::awaitable<call_tool_result>> many;
    for (int i = 0; i != 3; ++i) many.push_back(cl.call_tool("echo", args("i", i, "t", long_text)));
    many.push_back(cl.call_tool("fail"));
    auto const first = co_await std::move(operation);
    CHECK(first.text().size() > 100);
    auto const results = co_await all(std::move(many));
    CHECK(results.size() == 4);
    CHECK(results[2]->text().size() > 100);
    CHECK_FALSE(results[3]);
  };
  t.play(body(t.client));
}

TEST_CASE("shapes: typed calls with described structs", "[client]") {
  shaped t;
  auto const body = [](client& cl) -> asio::awaitable<void> {
    person in;
    in.name = long_text;
    in.age = 7;
    auto const out = co_await cl.call_tool<person>("echo", in);
    CHECK(out.name == long_text);
    CHECK((co_await cl.call_tool<person>("echo", args("name", "n", "age", 3))).age == 3);
  };
  t.play(body(t.client));
}

TEST_CASE("shapes: structs holding clients and results as members", "[client]") {
  struct app {
    comcp::client cl;
    std::vector<tool> tools;
    std::optional<call_tool_result> last;
    asio::awaitable<void> go() {
      tools = (co_await cl.list_tools()).items();
      last = co_await cl.call_tool(tools.at(0).name, args("x", long_text));
    }
  };
  shaped t;
  app a;
  a.cl = std::move(t.client);
  t.play(a.go());
  CHECK(a.tools.size() == 1);
  REQUIRE(a.last);
  CHECK(a.last->text().size() > 100);
}

TEST_CASE("shapes: connect with everything in one expression, in run()", "[client]") {
  auto const body = []() -> asio::awaitable<std::string> {
    auto const executor = co_await asio::this_coro::executor;
    fake_server server(executor);
    server.on("tools/call", [](fake_request r) { r.reply(json::raw(tool_text)); });
    implementation me("a" + long_text, "1");
    auto cl = co_await connect(server.transport(), connect_options().client_info(me).timeout(5s).log_level(log_level::debug));
    auto const r = co_await cl.call_tool("x", args("k", long_text));
    co_await cl.close();
    co_return r.text();
  };
  CHECK(comcp::run(body()) == "done");
}

TEST_CASE("shapes: callbacks and futures instead of coroutines", "[client]") {
  shaped t;
  std::string heard;
  asio::co_spawn(t.io, t.client.call_tool("echo", args("x", long_text)),
                 [&](std::exception_ptr e, call_tool_result r) { heard = e ? "failed" : r.text(); });
  auto future = asio::co_spawn(t.io, t.client.call_tool("echo", args("f", 1)), asio::use_future);
  t.settle();
  CHECK(heard.size() > 100);
  CHECK(future.get().text() == R"({"f":1})");
}
