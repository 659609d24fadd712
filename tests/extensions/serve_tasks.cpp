// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server of 2025-11-25 that has its requests carried out as tasks.
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include <comcp/client/guards.hpp>
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
  CHECK(t.server.count("notifications/tasks/status") == 1);
  auto const told = t.server.last("notifications/tasks/status");
  CHECK(told["taskId"].as<std::string>() == id);
  CHECK(told["status"].as<std::string>() == "cancelled");
  CHECK(told["ttl"].as<int>() == 60000);
}

TEST_CASE("serve_tasks: what throws fails its task", "[extensions]") {
  talk_of_tasks t;
  *t.user.throws = true;
  auto const id = t.begin();
  t.user.answered->cancel();
  t.c.settle();
  CHECK(t.ask_of("tasks/get", id)["result"]["status"].as<std::string>() == "failed");
  CHECK(t.ask_of("tasks/result", id)["error"]["code"].as<int>() == -32603);
  CHECK(t.server.count("notifications/tasks/status") == 1);
  CHECK(t.server.last("notifications/tasks/status")["taskId"].as<std::string>() == id);
  CHECK(t.server.last("notifications/tasks/status")["status"].as<std::string>() == "failed");
}

TEST_CASE("serve_tasks: they are bounded in number and time, and end with their client", "[extensions]") {
  talk_of_tasks t(task_service().most(2).ttl(1min, 2min));
  auto const first = t.begin();
  auto const long_lived = t.ask("elicitation/create", form(R"({"ttl":99999999999})"))["result"]["task"];
  CHECK(long_lived["ttl"].as<int>() == 120000);
  CHECK(t.ask("elicitation/create", form())["error"]["code"].as<int>() == -32603);
  t.c.advance(61s);
  CHECK(*t.user.cancelled == 1);
  CHECK(t.server.count("notifications/tasks/status") == 1);
  CHECK(t.server.last("notifications/tasks/status")["taskId"].as<std::string>() == first);
  CHECK(t.server.last("notifications/tasks/status")["status"].as<std::string>() == "cancelled");
  CHECK(t.ask_of("tasks/get", first)["error"]["code"].as<int>() == -32602);
  CHECK(t.begin().size() == 32);
  CHECK(t.c.finish(t.client->close()));
  t.c.settle();
  CHECK(*t.user.cancelled == 3);
  CHECK(t.server.count("notifications/tasks/status") == 1);  // nobody is there to be told of those
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

namespace {

// Answers at once: a model, a form and a page.
struct quick_answers {
  create_message_result create_message(create_message_params p) {
    ++*sampled;
    if (p.max_tokens == 13) throw exception(error::from_peer({-5, "no luck", {}}));
    create_message_result r;
    r.model = "a-model";
    r.content = {text_content("as a task")};
    return r;
  }
  elicit_result elicit(elicit_params) { return ++*asked, elicit_result::accept(args("name", "Ada")); }
  elicit_result elicit_url(elicit_params p) {
    *visited = p.url.value_or("");
    return elicit_result::accept();
  }
  std::shared_ptr<int> sampled = std::make_shared<int>(0), asked = std::make_shared<int>(0);
  std::shared_ptr<std::string> visited = std::make_shared<std::string>();
};

struct guarded_talk {
  explicit guarded_talk(std::vector<incoming_hook> hooks = {}) : server(c.io.get_executor()) {
    server.legacy();
    auto o = c.options();
    for (auto& h : hooks) o.intercept(std::move(h));
    client.emplace(c.connect(server.transport(), std::move(o), serve_tasks(user)).value());
  }
  json::value ask(std::string_view method, json::fragment params = json::fragment()) {
    json::value answer;
    server.request(method, std::move(params), [&answer](json::value a) { answer = std::move(a); });
    c.settle();
    return answer;
  }
  json::value sample(int max_tokens = 5) {
    return ask("sampling/createMessage", args("maxTokens", max_tokens, "messages", json::array(), "task", args("ttl", 60000)));
  }
  json::value result_of(json::value const& created) { return ask("tasks/result", args("taskId", created["result"]["task"]["taskId"])); }
  std::size_t tasks() { return ask("tasks/list")["result"]["tasks"].size(); }

  conversation c;
  fake_server server;
  quick_answers user;
  std::optional<comcp::client> client;
};

std::int64_t code_of(json::value const& answer) { return answer["error"]["code"].as<std::int64_t>(); }
asio::awaitable<bool> say(bool yes) { co_return yes; }

}  // namespace

TEST_CASE("serve_tasks: samplings and pages are tasks as forms are", "[extensions]") {
  guarded_talk t;
  CHECK(t.server.last("initialize")["capabilities"]["tasks"]["requests"].dump() ==
        R"({"sampling":{"createMessage":{}},"elicitation":{"create":{}}})");
  auto const sampled = t.sample();
  CHECK(sampled["result"]["task"]["status"].as<std::string>() == "working");
  auto const id = sampled["result"]["task"]["taskId"].as<std::string>();
  CHECK(t.ask("tasks/get", args("taskId", id))["result"]["status"].as<std::string>() == "completed");
  auto const message = t.result_of(sampled)["result"];
  CHECK(message["model"].as<std::string>() == "a-model");
  CHECK(message["content"]["text"].as<std::string>() == "as a task");
  CHECK(message["_meta"]["io.modelcontextprotocol/related-task"]["taskId"].as<std::string>() == id);
  auto const page = t.ask("elicitation/create", json::raw(R"({"mode":"url","message":"?","elicitationId":"e","url":"https://a.test/b","task":{}})"));
  CHECK(page["result"]["task"]["ttl"].as<int>() == 300000);  // the usual one
  auto const answer = t.result_of(page)["result"];
  CHECK(answer["action"].as<std::string>() == "accept");
  CHECK_FALSE(answer.contains("content"));
  CHECK(*t.user.visited == "https://a.test/b");
  CHECK(t.server.count("notifications/tasks/status") == 2);
  CHECK(t.tasks() == 2);
}

TEST_CASE("serve_tasks: approve() asks before there is a task, and what it refuses becomes none", "[extensions]") {
  bool yes = false;
  int asked = 0;
  guarded_talk t({approve([&](incoming_request const&) { return ++asked, say(yes); })});
  auto const sampled = t.sample();
  CHECK(code_of(sampled) == -1);
  auto const elicited = t.ask("elicitation/create", form());
  CHECK(code_of(elicited) == -1);
  CHECK(elicited["error"]["message"].as<std::string>() == "User rejected elicitation request");
  auto const plain = t.ask("elicitation/create", json::raw(R"({"message":"?","requestedSchema":{"type":"object","properties":{}}})"));
  CHECK(plain["result"].dump() == R"({"action":"decline"})");
  CHECK(t.tasks() == 0);
  CHECK(*t.user.sampled + *t.user.asked == 0);
  CHECK(asked == 3);  // tasks/list is nobody's to approve
  yes = true;
  CHECK(t.result_of(t.sample())["result"]["model"].as<std::string>() == "a-model");
  CHECK(t.result_of(t.ask("elicitation/create", form()))["result"]["content"]["name"].as<std::string>() == "Ada");
  CHECK(asked == 5);
}

TEST_CASE("serve_tasks: limit_sampling() counts tasks when they begin, and a failed one too", "[extensions]") {
  guarded_talk t({limit_sampling(sampling_budget().tokens(30).rounds(2))});
  CHECK(code_of(t.sample(31)) == -1);
  CHECK(t.tasks() == 0);
  auto const failed = t.sample(13);
  CHECK(code_of(t.result_of(failed)) == -5);
  CHECK(code_of(t.sample(18)) == -1);  // 17 are left
  CHECK(t.result_of(t.sample(17))["result"]["model"].as<std::string>() == "a-model");
  CHECK(code_of(t.sample(1)) == -1);
  CHECK(*t.user.sampled == 2);
}

TEST_CASE("serve_tasks: require_origin() is about what becomes a task, and the server may come back for it later", "[extensions]") {
  guarded_talk t({require_origin()});
  CHECK(code_of(t.sample()) == -32602);
  CHECK(code_of(t.ask("elicitation/create", form())) == -32602);
  std::optional<comcp::test::fake_request> open;
  t.server.on("tools/call", [&open](comcp::test::fake_request r) { open = r; });
  auto const call = t.c.start(t.client->call_tool("t"));
  auto const sampled = t.sample();
  REQUIRE(sampled["result"].contains("task"));
  REQUIRE(open);
  open->reply(json::raw(tool_text));
  t.c.settle();
  CHECK(call->ok());
  auto const id = sampled["result"]["task"]["taskId"].as<std::string>();
  CHECK(t.ask("tasks/get", args("taskId", id))["result"]["status"].as<std::string>() == "completed");
  CHECK(t.tasks() == 1);
  CHECK(t.result_of(sampled)["result"]["model"].as<std::string>() == "a-model");
  CHECK(code_of(t.ask("tasks/cancel", args("taskId", id))) == -32602);  // it is over, not unheard of
  CHECK(code_of(t.sample()) == -32602);
}
