// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An extension that is a user's type: settings, methods, a result type, a notification, a key of the listen filter, and
// members of `_meta`; over both eras.
#include <comcp/client/extension.hpp>

#include <comcp/client/connect.hpp>
#include <comcp/net/asio_compat.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::script;

namespace {

struct job_done {
  static constexpr std::string_view method = "notifications/jobs/done";
  std::string id;
};
constexpr auto describe(std::type_identity<job_done>) { return json::fields(json::field("jobId", &job_done::id)); }

class job_operations;

// Turns a job that a tool became into the tool's result, asking once a second.
struct jobs {
  static constexpr std::string_view identifier = "com.example/jobs";
  static constexpr std::array methods = {extension_method{
      .name = "jobs/get", .missing = undeclared<jobs>, .subject = "jobId", .is_mirrored = true}};
  using notifications = std::tuple<job_done>;
  using operations = job_operations;

  [[nodiscard]] json::fragment settings() const { return args("polls", true); }
  [[nodiscard]] bool claims(std::string_view method, std::string_view type) const {
    return method == "tools/call" && type == "job";
  }
  asio::awaitable<json::value> complete(unfinished_call& c) {
    auto const id = c.result()["jobId"].as<std::string>();
    for (;;) {
      auto asking = c.request(methods[0], args("jobId", id));
      auto const job = co_await std::move(asking);
      if (auto const result = job.view().find("result")) co_return json::parse(result->dump()).value();
      progress_notification p;
      p.message = job["status"].as<std::string>();
      c.progress(p);
      auto waiting = c.wait(1s);
      co_await std::move(waiting);
    }
  }
  void on(job_done const& n) {
    if (n.id == "bad") throw std::runtime_error("a bad job");
    done->push_back(n.id);
  }
  [[nodiscard]] json::fragment meta(std::string_view method) const {
    if (method == "tools/call") return args("com.example/hint", "job", "com.example/mine", 1);
    return {};
  }

  std::shared_ptr<std::vector<std::string>> done = std::make_shared<std::vector<std::string>>();
};

class job_operations {
 public:
  explicit job_operations(extension_client c) noexcept : client_(std::move(c)) {}
  [[nodiscard]] asio::awaitable<json::value> get(std::string_view id) const {
    return client_.call(jobs::methods[0], args("jobId", id));
  }

 private:
  extension_client client_;
};

struct watching_jobs : jobs {
  [[nodiscard]] subscription_filter listen() const { return subscription_filter().add("jobIds", json::array().add("7")); }
};

// Of the tasks extension, without what completes its results.
struct idle {
  static constexpr std::string_view identifier = "io.modelcontextprotocol/tasks";
};
struct promising {
  void capabilities(client_capabilities& c) const { c.extensions["io.modelcontextprotocol/tasks"] = json::parse("{}").value(); }
};

std::string const with_jobs = R"({"tools":{},"extensions":{"com.example/jobs":{}}})";
std::string const is_job = R"({"resultType":"job","jobId":"7","content":[]})";
std::string const finished = R"({"result":{"content":[{"type":"text","text":"done"}]}})";

script script_of(bool modern, std::string const& capabilities = with_jobs) {
  return modern ? modern_script(capabilities) : legacy_script("2025-11-25", capabilities);
}

bool declares_jobs(json::value const& message) {
  auto const params = message["params"];
  auto const meta = params.view().find("_meta");
  auto const own = meta ? meta->find("io.modelcontextprotocol/clientCapabilities") : std::nullopt;
  auto const capabilities = own ? own : params.view().find("capabilities");
  auto const extensions = capabilities ? capabilities->find("extensions") : std::nullopt;
  auto const found = extensions ? extensions->find("com.example/jobs") : std::nullopt;
  return found && found->dump() == R"({"polls":true})";
}

}  // namespace

TEST_CASE("extensions: what one says of itself is declared, and its operations are called", "[client]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  auto s = script_of(modern);
  s.expect("jobs/get", [](json::value const& m) { return m["params"]["jobId"].as<std::string>() == "7"; }).reply("{}");
  auto client = c.connect(s.transport(), c.options().extension(jobs()));
  REQUIRE(client);
  auto const& first = s.sent()[modern ? 0 : 1];
  CHECK(declares_jobs(first));
  CHECK(c.finish(client->extension<jobs>().get("7")));
  CHECK(s.verdict() == all_well);
}

TEST_CASE("extensions: operations of one that was not negotiated are a clear error", "[client]") {
  conversation c;
  auto const code_of = [](comcp::client const& cl) {
    try {
      (void)cl.extension<jobs>();
    } catch (exception const& e) {
      return e.error();
    }
    return error();
  };
  CHECK(code_of(comcp::client()) == errc::closed);
  auto s = script_of(true);
  CHECK(code_of(*c.connect(s.transport())) == errc::not_in_protocol);
  auto without = script_of(true, R"({"tools":{}})");
  CHECK(code_of(*c.connect(without.transport(), c.options().extension(jobs()))) == errc::capability_missing);
}

TEST_CASE("extensions: a result type is completed, with progress, as though the tool had answered", "[client]") {
  auto const modern = GENERATE(true, false);
  auto const from_elsewhere = GENERATE(true, false);
  conversation c;
  auto s = script_of(modern);
  s.expect("tools/call").reply(is_job);
  s.expect("jobs/get").reply(R"({"status":"working"})");
  s.expect("jobs/get").reply(finished);
  auto client = c.connect(s.transport(), c.options().extension(jobs()));
  std::vector<std::string> told;
  call_options o;
  o.on_progress([&told](progress_notification const& p) { told.push_back(p.message.value_or("")); }).timeout(1500ms);
  std::string text;
  auto const keep = [&text](error const& e, call_tool_result const& r) { text = e ? e.to_string() : r.text(); };
  outcome_of<call_tool_result> call;
  if (from_elsewhere) client->async_call_tool("x", args(), o, keep);
  else call = c.start(client->call_tool("x", args(), o));
  c.settle();
  CHECK(told == std::vector<std::string>{"working"});
  c.advance(1s);
  CHECK((from_elsewhere ? text : (*call)->text()) == "done");
  CHECK(s.verdict() == all_well);
}

TEST_CASE("extensions: a completion ends with its call: cancelled, stopped, or when its hard timeout is over", "[client]") {
  conversation c;
  auto s = script_of(true);
  s.ignore("notifications/cancelled");
  auto client = c.connect(s.transport(), c.options().extension(jobs()));
  SECTION("while it waits") {
    s.expect("tools/call").reply(is_job).expect("jobs/get").reply(R"({"status":"working"})");
    std::stop_source stop;
    auto const how = GENERATE(0, 1, 2);
    auto const call = c.start(client->call_tool("x", args(), call_options().stop(stop.get_token()).hard_timeout(500ms)));
    CHECK_FALSE(call->done());
    if (how == 0) call->cancel();
    if (how == 1) stop.request_stop();
    if (how == 2) c.advance(500ms);
    c.settle();
    REQUIRE(call->done());
    CHECK(call->error() == (how == 2 ? errc::timeout : errc::cancelled));
    CHECK(call->error().outcome() != call_outcome::not_sent);
  }
  SECTION("while it asks") {
    s.expect("tools/call").reply(is_job).expect("jobs/get");
    auto const call = c.start(client->call_tool("x", args(), call_options().hard_timeout(500ms)));
    c.advance(500ms);
    CHECK(call->error() == errc::timeout);
  }
  SECTION("when the client closes") {
    s.expect("tools/call").reply(is_job).expect("jobs/get").reply(R"({"status":"working"})");
    auto const call = c.start(client->call_tool("x"));
    CHECK(c.finish(client->close()));
    CHECK(call->error() == errc::closed);
  }
  SECTION("with an error of the server's") {
    s.expect("tools/call").reply(is_job).expect("jobs/get").fail(-32602, "no such job");
    auto const call = c.finish(client->call_tool("x"));
    REQUIRE_FALSE(call);
    CHECK(call.error().peer()->code == -32602);
  }
  CHECK(client->statistics().pending == 0);
}

namespace {

// Waits for something that is not the call's.
struct patient : jobs {
  explicit patient(asio::io_context& io) : never(std::make_shared<asio::steady_timer>(io, asio::steady_timer::time_point::max())) {}
  asio::awaitable<json::value> complete(unfinished_call& c) {
    auto waiting = never->async_wait(net::tuple_awaitable);
    auto const [ec] = co_await std::move(waiting);
    *ended = ec ? std::string(c.method()) : "";  // the call may be over
    co_return json::value();
  }
  std::shared_ptr<asio::steady_timer> never;
  std::shared_ptr<std::string> ended = std::make_shared<std::string>();
};

}  // namespace

TEST_CASE("extensions: whatever a completion waits for, its call ends in time, and then it is cancelled", "[client]") {
  conversation c;
  auto s = script_of(true);
  s.expect("tools/call").reply(is_job);
  patient own(c.io);
  auto client = c.connect(s.transport(), c.options().extension(own));
  std::stop_source stop;
  auto const how = GENERATE(0, 1, 2, 3);
  auto const call = c.start(client->call_tool("x", args(), call_options().stop(stop.get_token()).hard_timeout(500ms)));
  CHECK_FALSE(call->done());
  if (how == 0) call->cancel();
  if (how == 1) stop.request_stop();
  if (how == 2) c.advance(500ms);
  if (how == 3) CHECK(c.finish(client->close()));
  c.settle();
  REQUIRE(call->done());
  CHECK(call->error() == (how == 2 ? errc::timeout : how == 3 ? errc::closed : errc::cancelled));
  CHECK(call->error().outcome() == call_outcome::open);
  CHECK(*own.ended == "tools/call");
  CHECK(s.verdict() == all_well);
}

TEST_CASE("extensions: a call whose completion never reached the server may have had its effect", "[client]") {
  conversation c;
  comcp::test::fake_server server(c.io.get_executor());
  server.modern().capabilities(with_jobs).answer("tools/call", json::raw(is_job));
  server.on("jobs/get", [](comcp::test::fake_request const& r) { r.reply(args("status", "working")); });
  auto o = c.options().extension(jobs()).reconnect(reconnect_policy().jitter(0).attempts(1).delay(10min, 10min));
  auto client = c.connect(server.transport(), std::move(o));
  auto const call = c.start(client->call_tool("x", args(), call_options().hard_timeout(30s)));
  server.drop();
  c.settle();
  c.advance(1s);  // asks again, which has to wait for the next connection
  CHECK_FALSE(call->done());
  c.advance(29s);
  REQUIRE(call->done());
  CHECK(call->error() == errc::timeout);
  CHECK(call->error().outcome() == call_outcome::open);
}

TEST_CASE("extensions: parameters are an object, and a caller's own _meta in them counts", "[client]") {
  conversation c;
  auto s = script_of(true);
  s.expect("tools/call", [](json::value const& m) {
     return m["params"]["_meta"]["com.example/hint"].as<std::string>() == "mine";
   }).reply(tool_text);
  auto client = c.connect(s.transport(), c.options().extension(jobs()));
  auto const sent = s.sent().size();
  extension_client const own(detail::client_access::core(*client));
  CHECK(c.finish(own.call(jobs::methods[0], json::raw("[1]"))).error() == errc::invalid_argument);
  CHECK(s.sent().size() == sent);
  auto const params = args("name", "x", "_meta", json::raw(R"({"com.example/hint":"mine"})"));
  CHECK(c.finish(client->request("tools/call", params)));
  CHECK(s.verdict() == all_well);
}

TEST_CASE("extensions: what none of them claims is unknown, as ever", "[client]") {
  conversation c;
  auto s = script_of(true, R"({"tools":{},"prompts":{},"extensions":{"com.example/jobs":{}}})");
  s.expect("prompts/get").reply(is_job).expect("tools/call").reply(R"({"resultType":"other"})");
  auto client = c.connect(s.transport(), c.options().extension(jobs()));
  CHECK(c.finish(client->get_prompt("p")).error() == errc::protocol_violation);
  CHECK(c.finish(client->call_tool("x")).error() == errc::protocol_violation);
}

TEST_CASE("extensions: its notifications reach it as its type, and the handler as ever", "[client]") {
  struct hearing {
    void on(any_notification n) { heard->push_back(std::move(n.method)); }
    std::shared_ptr<std::vector<std::string>> heard = std::make_shared<std::vector<std::string>>();
  };
  auto const modern = GENERATE(true, false);
  conversation c;
  auto s = script_of(modern);
  hearing h;
  jobs own;
  auto client = c.connect(s.transport(), c.options().extension(own), h);
  REQUIRE(client);
  auto const faults = c.faults.size();
  s.notify("notifications/jobs/done", R"({"jobId":"7"})");
  s.notify("notifications/jobs/done", R"({"jobId":8})");
  s.notify("notifications/jobs/done", R"({"jobId":"bad"})");
  s.notify("notifications/jobs/other", R"({"jobId":"9"})");
  c.settle();
  CHECK(*own.done == std::vector<std::string>{"7"});
  CHECK(c.faults.size() == faults + 2);
  CHECK(h.heard->size() == 4);
}

TEST_CASE("extensions: its keys are in the shared listen stream's filter", "[client]") {
  conversation c;
  auto s = script_of(true);
  s.expect("subscriptions/listen", [](json::value const& m) {
     return m["params"]["notifications"].dump() == R"({"jobIds":["7"]})";
   }).raw(R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"jobIds":["7"]},"_meta":{"io.modelcontextprotocol/subscriptionId":$id}}})");
  watching_jobs own;
  auto client = c.connect(s.transport(), c.options().extension(own));
  c.settle();
  CHECK(s.verdict() == all_well);
}

TEST_CASE("extensions: a server that did not declare it is not asked for its keys", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("subscriptions/listen", [](json::value const& m) {
     return m["params"]["notifications"].dump() == R"({"resourceSubscriptions":["a:b"]})";
   }).raw(R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourceSubscriptions":["a:b"]},"_meta":{"io.modelcontextprotocol/subscriptionId":$id}}})");
  auto client = c.connect(s.transport(), c.options().extension(watching_jobs()));
  CHECK(c.finish(client->subscribe("a:b")));
}

TEST_CASE("extensions: one that throws where it says what it listens to spoils nothing", "[client]") {
  struct throwing : jobs {
    [[nodiscard]] subscription_filter listen() const { throw std::runtime_error("not now"); }
  };
  conversation c;
  auto s = script_of(true, R"({"resources":{"subscribe":true},"extensions":{"com.example/jobs":{}}})");
  s.expect("subscriptions/listen").raw(R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourceSubscriptions":["a:b"]},"_meta":{"io.modelcontextprotocol/subscriptionId":$id}}})");
  auto client = c.connect(s.transport(), c.options().extension(throwing()));
  CHECK(c.finish(client->subscribe("a:b")));
  CHECK_FALSE(c.faults.empty());
}

TEST_CASE("extensions: its members of _meta join the caller's, which count", "[client]") {
  conversation c;
  auto s = script_of(true);
  s.expect("tools/call", [](json::value const& m) {
     auto const meta = m["params"]["_meta"];
     return meta["com.example/hint"].as<std::string>() == "job" && meta["com.example/mine"].as<int>() == 2;
   }).reply(tool_text);
  auto client = c.connect(s.transport(), c.options().extension(jobs()));
  CHECK(c.finish(client->call_tool("x", args(), call_options().meta("com.example/mine", 2))));
  CHECK(s.verdict() == all_well);
}

TEST_CASE("extensions: who declares what servers answer with results of its own has to complete them", "[client]") {
  conversation c;
  auto s = modern_script();
  auto const client = c.connect(s.transport(), c.options().extension("io.modelcontextprotocol/tasks", json::fragment()));
  REQUIRE_FALSE(client);
  CHECK(client.error() == errc::invalid_argument);
  CHECK(s.sent().empty());
}

TEST_CASE("extensions: the same holds for what a handler declares, and for a type that completes nothing", "[client]") {
  conversation c;
  auto s = modern_script();
  CHECK(c.connect(s.transport(), c.options(), promising()).error() == errc::invalid_argument);
  CHECK(c.connect(s.transport(), c.options().extension(idle())).error() == errc::invalid_argument);
  CHECK(s.sent().empty());
}

TEST_CASE("extensions: one that completes results is not to be had by its name alone", "[client]") {
  conversation c;
  auto s = script_of(true);
  auto const client = c.connect(s.transport(), c.options().extension("com.example/jobs", json::fragment()));
  REQUIRE(client);
  try {
    (void)client->extension<jobs>();
    FAIL("it was had");
  } catch (exception const& e) {
    CHECK(e.error() == errc::not_in_protocol);
  }
}

TEST_CASE("extensions: methods of tasks are not sent where that was not brought", "[client]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  auto s = script_of(modern);
  auto const client = c.connect(s.transport());
  REQUIRE(client);
  auto const before = s.sent().size();
  CHECK(c.finish(client->request("tasks/update", args("taskId", "7"))).error() == errc::not_in_protocol);
  if (modern) {
    for (auto const* const method : {"tasks/get", "tasks/cancel", "tasks/result", "tasks/list"})
      CHECK(c.finish(client->request(method, args("taskId", "7"))).error() == errc::not_in_protocol);
  }
  CHECK(s.sent().size() == before);
}
