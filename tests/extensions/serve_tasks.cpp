// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server of 2025-11-25 that has its requests carried out as tasks.
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include <comcp/client/handlers.hpp>
#include <comcp/extensions/serve_tasks.hpp>
#include <comcp/net/asio_compat.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_server;

namespace {

// Answers a form when it is told to.
struct slow_user {
  explicit slow_user(asio::io_context& io) : answered(std::make_shared<asio::steady_timer>(io, asio::steady_timer::time_point::max())) {}
  asio::awaitable<elicit_result> elicit(elicit_params, context& ctx) {
    ++*asked;
    auto waiting = answered->async_wait(net::tuple_awaitable);
    (void)co_await std::move(waiting);
    if (ctx.cancelled()) ++*cancelled;
    if (*throws) throw std::runtime_error("no user");
    co_return elicit_result::accept(args("name", "Ada"));
  }
  std::shared_ptr<asio::steady_timer> answered;
  std::shared_ptr<int> asked = std::make_shared<int>(0), cancelled = std::make_shared<int>(0);
  std::shared_ptr<bool> throws = std::make_shared<bool>(false);
};

struct never_answers {
  asio::awaitable<elicit_result> elicit(elicit_params) {
    auto const here = co_await asio::this_coro::executor;
    asio::steady_timer never(here, asio::steady_timer::time_point::max());
    auto waiting = never.async_wait(net::tuple_awaitable);
    (void)co_await std::move(waiting);
    co_return elicit_result::decline();
  }
};

json::fragment form(std::string const& task = R"({"ttl":60000})") {
  return json::raw(R"({"message":"?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}},"task":)" + task + "}");
}

struct talk_of_tasks {
  explicit talk_of_tasks(task_service bounds = task_service()) : server(c.io.get_executor()), user(c.io) {
    server.legacy();
    auto connected = c.connect(server.transport(), c.options(), serve_tasks(user, bounds));
    REQUIRE(connected);
    client.emplace(std::move(connected).value());
  }
  json::value ask(std::string_view method, json::fragment params) {
    json::value answer;
    server.request(method, std::move(params), [&answer](json::value a) { answer = std::move(a); });
    c.settle();
    return answer;
  }
  json::value ask_of(std::string_view method, std::string const& id) { return ask(method, args("taskId", id)); }
  std::string begin() { return ask("elicitation/create", form())["result"]["task"]["taskId"].as<std::string>(); }

  conversation c;
  fake_server server;
  slow_user user;
  std::optional<comcp::client> client;
};

}  // namespace

TEST_CASE("serve_tasks: what is declared says so, in 2025-11-25 alone", "[extensions]") {
  talk_of_tasks t;
  CHECK(t.server.last("initialize")["capabilities"]["tasks"].dump() ==
        R"({"list":{},"cancel":{},"requests":{"elicitation":{"create":{}}}})");
  conversation c;
  fake_server modern(c.io.get_executor());
  modern.modern();
  auto client = c.connect(modern.transport(), c.options(), serve_tasks(slow_user(c.io)));
  REQUIRE(client);
  CHECK_FALSE(modern.received().at(0)["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].contains("tasks"));
}

TEST_CASE("serve_tasks: a request is answered at once, and its result fetched when it is there", "[extensions]") {
  talk_of_tasks t;
  auto const created = t.ask("elicitation/create", form())["result"]["task"];
  CHECK(created["status"].as<std::string>() == "working");
  CHECK(created["ttl"].as<int>() == 60000);
  auto const id = created["taskId"].as<std::string>();
  CHECK(id.size() == 32);
  CHECK(*t.user.asked == 1);
  CHECK(t.ask_of("tasks/get", id)["result"]["status"].as<std::string>() == "working");
  CHECK(t.ask("tasks/list", json::fragment())["result"]["tasks"].size() == 1);
  json::value fetched;
  t.server.request("tasks/result", args("taskId", id), [&fetched](json::value a) { fetched = std::move(a); });
  t.c.settle();
  CHECK(fetched.is_null());
  t.user.answered->cancel();
  t.c.settle();
  CHECK(fetched["result"]["content"]["name"].as<std::string>() == "Ada");
  CHECK(fetched["result"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"].as<std::string>() == id);
  CHECK(t.server.last("notifications/tasks/status")["status"].as<std::string>() == "completed");
  CHECK(t.ask_of("tasks/cancel", id)["error"]["code"].as<int>() == -32602);
  CHECK(t.ask_of("tasks/get", "other")["error"]["code"].as<int>() == -32602);
}

TEST_CASE("serve_tasks: one that is cancelled cancels its member", "[extensions]") {
  talk_of_tasks t;
  auto const id = t.begin();
  CHECK(t.ask_of("tasks/cancel", id)["result"]["status"].as<std::string>() == "cancelled");
  t.c.settle();
  CHECK(*t.user.cancelled == 1);
  CHECK(t.ask_of("tasks/result", id).contains("error"));
  CHECK(t.ask_of("tasks/get", id)["result"]["status"].as<std::string>() == "cancelled");
}

TEST_CASE("serve_tasks: what throws fails its task", "[extensions]") {
  talk_of_tasks t;
  *t.user.throws = true;
  auto const id = t.begin();
  t.user.answered->cancel();
  t.c.settle();
  CHECK(t.ask_of("tasks/get", id)["result"]["status"].as<std::string>() == "failed");
  CHECK(t.ask_of("tasks/result", id)["error"]["code"].as<int>() == -32603);
}

TEST_CASE("serve_tasks: they are bounded in number and time, and end with their client", "[extensions]") {
  talk_of_tasks t(task_service().most(2).ttl(1min, 2min));
  auto const first = t.begin();
  auto const long_lived = t.ask("elicitation/create", form(R"({"ttl":99999999999})"))["result"]["task"];
  CHECK(long_lived["ttl"].as<int>() == 120000);
  CHECK(t.ask("elicitation/create", form())["error"]["code"].as<int>() == -32603);
  t.c.advance(61s);
  CHECK(*t.user.cancelled == 1);
  CHECK(t.ask_of("tasks/get", first)["error"]["code"].as<int>() == -32602);
  CHECK(t.begin().size() == 32);
  CHECK(t.c.finish(t.client->close()));
  t.c.settle();
  CHECK(*t.user.cancelled == 3);
}

TEST_CASE("serve_tasks: without a task a request is answered as ever", "[extensions]") {
  talk_of_tasks t;
  json::value answer;
  t.server.request("elicitation/create", json::raw(R"({"message":"?","requestedSchema":{"type":"object","properties":{}}})"),
                   [&answer](json::value a) { answer = std::move(a); });
  t.c.settle();
  CHECK(answer.is_null());
  t.user.answered->cancel();
  t.c.settle();
  CHECK(answer["result"]["action"].as<std::string>() == "accept");
}

TEST_CASE("serve_tasks: connections with one handler do not see each other's tasks, nor end them", "[extensions]") {
  conversation c;
  slow_user user(c.io);
  auto const shared = serve_tasks(user);
  fake_server a(c.io.get_executor()), b(c.io.get_executor());
  a.legacy();
  b.legacy();
  auto first = c.connect(a.transport(), c.options(), shared);
  auto second = c.connect(b.transport(), c.options(), shared);
  REQUIRE(first);
  REQUIRE(second);
  auto const ask = [&c](fake_server& s, std::string_view method, json::fragment params) {
    json::value answer;
    s.request(method, std::move(params), [&answer](json::value v) { answer = std::move(v); });
    c.settle();
    return answer;
  };
  auto const id = ask(a, "elicitation/create", form())["result"]["task"]["taskId"].as<std::string>();
  CHECK(ask(b, "tasks/list", json::fragment())["result"]["tasks"].size() == 0);
  CHECK(ask(b, "tasks/result", args("taskId", id))["error"]["code"].as<int>() == -32602);
  (void)ask(b, "elicitation/create", form());
  CHECK(c.finish(second->close()));
  c.settle();
  CHECK(*user.cancelled == 1);
  CHECK(ask(a, "tasks/get", args("taskId", id))["result"]["status"].as<std::string>() == "working");
}

TEST_CASE("serve_tasks: other versions have none", "[extensions]") {
  conversation c;
  slow_user user(c.io);
  fake_server old(c.io.get_executor());
  old.legacy(version::v2025_06_18);
  auto client = c.connect(old.transport(), c.options(), serve_tasks(user));
  REQUIRE(client);
  json::value answer, listed;
  old.request("elicitation/create", form(), [&answer](json::value v) { answer = std::move(v); });
  old.request("tasks/list", json::fragment(), [&listed](json::value v) { listed = std::move(v); });
  c.settle();
  CHECK(listed["error"]["code"].as<int>() == -32601);
  CHECK(answer.is_null());
  user.answered->cancel();
  c.settle();
  CHECK(answer["result"]["action"].as<std::string>() == "accept");
}

TEST_CASE("serve_tasks: the handler outlives the io_context of what it began", "[extensions]") {
  std::optional<handler_chain> kept;
  {
    conversation c;
    fake_server server(c.io.get_executor());
    server.legacy();
    kept.emplace(serve_tasks(never_answers()));
    auto client = c.connect(server.transport(), c.options(), *kept);
    REQUIRE(client);
    json::value answer;
    server.request("elicitation/create", form(), [&answer](json::value v) { answer = std::move(v); });
    c.settle();
    CHECK(answer["result"].contains("task"));
  }
  kept.reset();
}
