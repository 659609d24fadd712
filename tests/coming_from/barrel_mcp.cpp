// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host of barrel_mcp (Erlang) has in one connection, as its port to comcp: docs/coming-from.md. Its registry,
// aggregator and tool formats are in barrel_mcp_agent.cpp.
#include <comcp/client/handlers.hpp>
#include <comcp/client/validation.hpp>
#include <comcp/extensions/tasks.hpp>
#include <comcp/schema/schema.hpp>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;
using strings = std::vector<std::string>;

namespace {

/// Pages "a", "b", ...: so many of them, each with one tool.
void serve_pages(fake_server& server, int pages) {
  server.on("tools/list", [pages](fake_request r) {
    auto const cursor = r.params().is_object() ? r.params().find("cursor") : std::nullopt;
    int const n = cursor ? std::stoi(cursor->as<std::string>()) : 0;
    std::string text = R"({"tools":[{"name":"tool_)" + std::to_string(n) + R"(","inputSchema":{"type":"object"}}])";
    if (n + 1 < pages) text += R"(,"nextCursor":")" + std::to_string(n + 1) + "\"";
    r.reply(json::raw(text + "}"));
  });
}

/// The requests that a host answers later, from wherever it likes: {async, Tag, State} and reply_async/3.
class desk {
 public:
  struct ticket {
    explicit ticket(asio::any_io_executor const& ex) : woken(ex, asio::steady_timer::time_point::max()) {}
    asio::steady_timer woken;
    result<create_message_result> answer = error(errc::cancelled);
  };
  asio::awaitable<result<create_message_result>> later() {
    auto const ex = co_await asio::this_coro::executor;
    auto const mine = std::make_shared<ticket>(ex);
    open.push_back(mine);
    (void)co_await mine->woken.async_wait(net::tuple_awaitable);
    co_return mine->answer;
  }
  void reply(std::size_t tag, result<create_message_result> answer) {
    open.at(tag)->answer = std::move(answer);
    open.at(tag)->woken.cancel();
  }
  std::vector<std::shared_ptr<ticket>> open;
};

struct sampling_host {
  std::shared_ptr<desk> requests = std::make_shared<desk>();
  asio::awaitable<result<create_message_result>> create_message(create_message_params) { return requests->later(); }
};

constexpr auto sampling_params =
    R"({"maxTokens":5,"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]})";

}  // namespace

TEST_CASE("barrel_mcp: list_tools_all walks every page, list_tools/2 gives one and its cursor", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  serve_pages(server, 3);
  auto client = c.connect(server.transport());
  auto const all = c.finish(client->list_tools());
  REQUIRE(all);
  REQUIRE(all->size() == 3);
  CHECK((*all)[2].name == "tool_2");
  auto const one = c.finish(client->list_tools_page("1"));
  REQUIRE(one);
  REQUIRE(one->tools.size() == 1);
  CHECK(one->tools[0].name == "tool_1");
  CHECK(one->next_cursor == "2");
  CHECK_FALSE(c.finish(client->list_tools_page("2"))->next_cursor);
}

TEST_CASE("barrel_mcp: the walk over pages ends at its bound (1000, max_pages)", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  serve_pages(server, 1'000'000);
  auto client = c.connect(server.transport());
  CHECK(c.finish(client->list_tools()).error() == errc::limit_exceeded);
  CHECK(server.count("tools/list") == 1000);
  auto few = c.connect(server.transport(), c.options().limits(connection_limits().pages(5)));
  CHECK(c.finish(few->list_tools()).error() == errc::limit_exceeded);
}

TEST_CASE("barrel_mcp: the first error of the walk ends it, without part of the list", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.on("tools/list", [](fake_request r) {
    if (r.params().is_object() && r.params().contains("cursor")) return r.fail(-32603, "the second page is gone");
    r.reply(json::raw(R"({"tools":[],"nextCursor":"x"})"));
  });
  auto client = c.connect(server.transport());
  auto const all = c.finish(client->list_tools());
  REQUIRE_FALSE(all);
  CHECK(all.error().peer()->code == -32603);
}

TEST_CASE("barrel_mcp: ping_failure_threshold failed pings in a row close the connection", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  bool deaf = true;
  server.on("ping", [&](fake_request r) {
    if (!deaf) r.reply(args());
  });
  auto client = c.connect(server.transport(), c.options().ping_interval(30s));  // threshold 3, 5 s each: the defaults
  auto const closed = c.start(end_of(*client));
  auto const pings = [&](std::size_t n) {
    for (int i = 0; i < 100 && server.count("ping") < n && !closed->done(); ++i) c.advance(1s);
    c.advance(5s);
  };
  pings(2);
  CHECK_FALSE(closed->done());
  deaf = false;
  pings(3);  // one answer, and the count begins again
  deaf = true;
  pings(5);
  CHECK_FALSE(closed->done());
  pings(6);
  REQUIRE(closed->ok());
  CHECK((*closed)->why == errc::timeout);
  CHECK(server.count("ping") == 6);
}

TEST_CASE("barrel_mcp: an asynchronous handler reply (reply_async) comes later, and others go on", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().answer("tools/call", json::raw(tool_text));
  sampling_host host;
  auto const requests = host.requests;
  auto client = c.connect(server.transport(), c.options(), std::move(host));
  strings answers;
  auto const note = [&](json::value const& a) {
    answers.push_back(a.contains("error") ? a["error"]["message"].as<std::string>()
                                          : a["result"]["content"]["text"].as<std::string>());
  };
  server.request("sampling/createMessage", json::raw(sampling_params), note);
  server.request("sampling/createMessage", json::raw(sampling_params), note);
  c.settle();
  REQUIRE(requests->open.size() == 2);
  CHECK(c.finish(client->call_tool("meanwhile")));
  CHECK(answers.empty());
  requests->reply(1, create_message_result("m", text_content("the second first")));
  c.settle();
  CHECK(answers == strings{"the second first"});
  requests->reply(0, error::from_peer({-1, "the model is out", ""}));  // reply_async(Pid, Tag, {error, Code, Message})
  c.settle();
  CHECK(answers == strings{"the second first", "the model is out"});
}

TEST_CASE("barrel_mcp: a handler without a member for a request answers method_not_found", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  auto client = c.connect(server.transport());
  json::value answer;
  server.request("sampling/createMessage", json::raw(sampling_params), [&](json::value a) { answer = std::move(a); });
  c.settle();
  REQUIRE(answer.contains("error"));
  CHECK(answer["error"]["code"].as_int64() == -32601);
}

TEST_CASE("barrel_mcp: notification fan-out, to each subscriber of a uri and to the handler", "[coming_from]") {
  struct all_of_them {
    strings* methods;
    void on(any_notification const& n) { methods->push_back(n.method); }
  };
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().answer("resources/subscribe", args());
  strings methods;
  int first = 0, second = 0;
  auto client = c.connect(server.transport(), c.options(), all_of_them{&methods});
  updated_callback one = [&](resource_updated const&) { ++first; };
  updated_callback two = [&](resource_updated const&) { ++second; };
  REQUIRE(c.finish(client->subscribe("file:///a", one)));
  REQUIRE(c.finish(client->subscribe("file:///a", two)));
  server.notify("notifications/resources/updated", args("uri", "file:///a"));
  server.notify("notifications/resources/updated", args("uri", "file:///other"));
  server.notify("notifications/tools/list_changed");
  c.settle();
  CHECK(first == 1);
  CHECK(second == 1);
  CHECK(methods == strings{"notifications/resources/updated", "notifications/resources/updated",
                           "notifications/tools/list_changed"});
}

TEST_CASE("barrel_mcp: progress reaches the caller until its call has settled", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  std::optional<fake_request> held;
  server.on("tools/call", [&](fake_request r) { held = std::move(r); });
  auto client = c.connect(server.transport());
  std::vector<double> heard;
  auto const listen = [&](progress_notification const& p) { heard.push_back(p.progress); };
  auto const call = c.start(client->call_tool("slow", args("size", 1000), call_options().on_progress(listen).timeout(60s)));
  REQUIRE(held);
  held->progress(1, 3);
  held->progress(2, 3);
  c.settle();
  held->reply(json::raw(tool_text));
  held->progress(3, 3);  // too late
  c.settle();
  CHECK(call->ok());
  CHECK(heard == std::vector<double>{1, 2});
}

TEST_CASE("barrel_mcp: cancel and timeout unblock the caller and tell the server", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().silent("tools/call");
  auto client = c.connect(server.transport());
  std::stop_source stop;
  auto const cancelled = c.start(client->call_tool("a", args(), call_options().stop(stop.get_token())));
  stop.request_stop();
  c.settle();
  CHECK(cancelled->error() == errc::cancelled);
  CHECK(server.count("notifications/cancelled") == 1);
  auto const late = c.start(client->call_tool("b"));
  c.advance(30s);
  CHECK(late->error() == errc::timeout);
  CHECK(server.count("notifications/cancelled") == 2);
}

TEST_CASE("barrel_mcp: what the server did not declare is unsupported, and not sent", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().capabilities(R"({"tools":{}})");
  auto client = c.connect(server.transport());
  CHECK(c.finish(client->list_prompts()).error() == errc::capability_missing);
  CHECK(server.count("prompts/list") == 0);
  CHECK(client->capabilities().supports("tools"));
  CHECK_FALSE(client->capabilities().supports("prompts"));
}

TEST_CASE("barrel_mcp: schema validation names every violation and its path", "[coming_from]") {
  auto const text = json::parse(R"({"type":"object","required":["q"],"additionalProperties":false,"properties":{
      "q":{"type":"string","minLength":3,"pattern":"^[a-z]+$"},"limit":{"type":"integer","minimum":1,"maximum":10},
      "tags":{"type":"array","items":{"enum":["x","y"]},"uniqueItems":true}}})").value();
  auto const s = schema::compile(text);
  REQUIRE(s);
  auto const places = [&](char const* arguments) {
    strings out;
    auto const parsed = json::parse(arguments).value();
    for (auto const& v : s->violations(parsed.view())) out.push_back(v.instance);
    std::sort(out.begin(), out.end());
    return out;
  };
  CHECK(places(R"({"q":"abc","limit":10,"tags":["x","y"]})").empty());
  CHECK(places(R"({"limit":5})") == strings{""});
  CHECK(places(R"({"q":"abc","extra":1})").size() == 1);
  CHECK(places(R"({"q":"abc","limit":11,"tags":["x","z"]})") == strings{"/limit", "/tags/1"});
  CHECK(places(R"({"q":"A"})") == strings{"/q", "/q"});
  CHECK(places(R"({"q":7})") == strings{"/q"});
  auto const bad = json::parse(R"({"q":7})").value();
  CHECK(s->validate(bad.view()).error() == errc::validation_failed);
}

TEST_CASE("barrel_mcp: schema validation before a call, so that bad arguments are not sent", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.answer("tools/call", json::raw(tool_text));
  server.answer("tools/list", json::raw(R"({"tools":[{"name":"search","inputSchema":{"type":"object",
      "required":["q"],"properties":{"q":{"type":"string"}}}}]})"));
  auto options = c.options();
  options.validate(validation_options());
  auto client = c.connect(server.transport(), options);
  auto const refused = c.finish(client->call_tool("search", args("q", 7)));
  CHECK(refused.error() == errc::validation_failed);
  CHECK_THAT(refused.error().to_string(), match::contains("/q"));
  CHECK(server.count("tools/call") == 0);
  CHECK(c.finish(client->call_tool("search", args("q", "hi"))));
  CHECK(server.count("tools/call") == 1);
}

TEST_CASE("barrel_mcp: tasks_list, tasks_list_all, tasks_get, tasks_cancel and tasks_result", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().capabilities(R"({"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}})");
  auto const task_text = [](std::string const& id, std::string const& status) {
    return R"({"taskId":")" + id + R"(","status":")" + status + R"(","createdAt":"c","lastUpdatedAt":"l","ttl":null,"pollInterval":10})";
  };
  server.on("tasks/list", [&task_text](fake_request r) {
    bool const first = !r.params().contains("cursor");
    r.reply(json::raw(R"({"tasks":[)" + task_text(first ? "a" : "b", "working") + (first ? R"(],"nextCursor":"2"})" : "]}")));
  });
  server.answer("tasks/get", json::raw(task_text("a", "completed")));
  server.answer("tasks/result", json::raw(tool_text));
  server.answer("tasks/cancel", json::raw(task_text("b", "cancelled")));
  auto client = c.connect(server.transport(), c.options().extension(tasks()));
  auto const own = client->extension<tasks>();
  CHECK(c.finish(own.list_tasks_page())->next_cursor == "2");
  auto const all = c.finish(own.list_tasks());
  CHECK(all->size() == 2);
  auto const a = own.resume_task(args("taskId", "a"));
  CHECK(c.finish(a.status())->status == task_status::completed);
  CHECK(c.finish(a.result())->text() == "done");
  CHECK(c.finish(own.resume_task(args("taskId", "b")).cancel()));
  CHECK(server.last("tasks/cancel")["taskId"].as<std::string>() == "b");
}
