// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/bearer.hpp>
#include <comcp/client/handlers.hpp>
#include <comcp/extensions/tasks.hpp>

#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

struct jobs {
  static constexpr std::string_view identifier = "com.example/jobs";
  static constexpr std::array methods = {extension_method{
      .name = "jobs/get", .missing = undeclared<jobs>, .subject = "jobId", .is_mirrored = true}};
};

asio::awaitable<std::optional<json::value>> go_on() { co_return std::nullopt; }

}  // namespace

TEST_CASE("http_extensions: a method of an extension has the name that it says, also where it is called by its name", "[transport]") {
  http_talk t;
  auto const opening = t.begin(t.options().extension(jobs()));
  t.take("server/discover")->result(discover_text(R"("2026-07-28")", R"({"extensions":{"com.example/jobs":{}}})"));
  auto c = t.done(opening);
  auto const typed = t.start(extension_client(detail::client_access::core(c)).call(jobs::methods[0], args("jobId", "7")));
  auto const first = t.take("jobs/get");
  CHECK(first->header("Mcp-Method") == "jobs/get");
  CHECK(first->header("Mcp-Name") == "7");
  CHECK(first->says(R"("extensions":{"com.example/jobs":{}})"));
  auto const untyped = t.start(c.request("jobs/get", args("jobId", "8")));
  CHECK(t.take("jobs/get")->header("Mcp-Name") == "8");
  typed->cancel();
  untyped->cancel();
}

TEST_CASE("http headers of a call: its own and an interceptor's are sent, in both eras", "[transport]") {
  bool const modern = GENERATE(true, false);
  http_talk t;
  interceptor i;
  i.before = [](outgoing_call& call) {
    call.options.header("X-Tenant", "b");
    return go_on();
  };
  auto c = modern ? t.modern(t.options().intercept(i)) : t.legacy(t.options().intercept(i));
  auto const call = t.start(c.call_tool("x", args(), call_options().header("X-Trace", "a")));
  auto const sent = t.take("tools/call");
  CHECK(sent->header("X-Trace") == "a");
  CHECK(sent->header("X-Tenant") == "b");
  call->cancel();
  for (auto const* const bad : {"Mcp-Name", "Content-Length", "MCP-Protocol-Version", "a b"}) {
    auto const refused = t.start(c.call_tool("x", args(), call_options().header(bad, "1")));
    CHECK(refused->error() == errc::invalid_argument);
    CHECK(refused->error().outcome() == call_outcome::not_sent);
  }
  CHECK(t.start(c.call_tool("x", args(), call_options().header("X-A", "1\r\nX-B: 2")))->error() == errc::invalid_argument);
}

TEST_CASE("http_extensions: in 2025-11-25 the response of a task whose caller has left is awaited for 10 s", "[transport]") {
  http_talk t;
  auto const opening = t.begin(t.options().extension(tasks()).legacy());
  t.take("\"initialize\"")->result(initialize_text("2025-11-25", R"({"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}})"));
  t.take("notifications/initialized")->status(202);
  t.answer_get(false);
  auto const c = t.done(opening);
  auto const begin = [&] {
    auto const beginning = t.start(c.extension<tasks>().start_tool("slow"));
    auto x = t.take("\"task\"");
    beginning->cancel();
    t.quiet();
    CHECK(beginning->error() == errc::cancelled);
    return x;
  };
  auto const one = begin();
  t.advance(9s);
  CHECK_FALSE(one->abandoned);
  one->result(R"({"task":{"taskId":"7","status":"working","createdAt":"c","lastUpdatedAt":"l","ttl":null}})");
  t.take("tasks/cancel")->result("{}");
  auto const two = begin();
  t.advance(10s);
  CHECK(two->abandoned);
  t.quiet();
}

namespace {

constexpr char const* legacy_tasks = R"({"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}})";
constexpr char const* modern_tasks = R"({"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";

struct name_giver {
  elicit_result elicit(elicit_params) { return elicit_result::accept(args("name", "Ada")); }
};

// A client with tasks, and the server's states of the one that it has.
struct task_talk : http_talk {
  explicit task_talk(bool is_modern, std::string task = "7") : modern_era(is_modern), id(std::move(task)) {}

  client connect() { return connect(transport()); }
  template <class Transport>
  client connect(Transport over) {
    auto o = options().extension(tasks());
    if (!modern_era) o.legacy();
    auto const opening = start(connected(std::move(over), name_giver(), std::move(o)));
    if (modern_era) {
      take("server/discover")->result(discover_text(R"("2026-07-28")", modern_tasks));
    } else {
      answer_tasks_initialize("s-1");
    }
    return done(opening);
  }
  void answer_tasks_initialize(std::string const& session) {
    take("\"initialize\"")->result(initialize_text("2025-11-25", legacy_tasks), {{"Mcp-Session-Id", session}});
    auto const initialized = take("notifications/initialized");
    CHECK(initialized->header("Mcp-Session-Id") == session);
    initialized->status(202);
    answer_get(false);
  }
  [[nodiscard]] std::string state(std::string const& status, std::string const& more = "") const {
    return R"({"taskId":)" + json::to_text(id) + R"(,"status":")" + status + R"(","createdAt":"c","lastUpdatedAt":"l",)" +
           (modern_era ? R"("ttlMs":null)" : R"("ttl":null)") + more + "}";
  }
  task_handle begin(client const& c) {
    auto const beginning = start(c.extension<tasks>().start_tool("slow"));
    take("tools/call")->result(modern_era ? state("working", R"(,"resultType":"task")") : R"({"task":)" + state("working") + "}");
    settle();
    REQUIRE(beginning->ok());
    return std::move(**beginning);
  }
  // The next request, behind listen streams, which are not answered here.
  exchange take_asked(std::string const& method) {
    for (;;) {
      settle();
      auto x = http.take();
      REQUIRE(x);
      if (x->says("subscriptions/listen") || x->says("notifications/cancelled")) continue;
      INFO(x->request.body);
      CHECK(x->says("\"" + method + "\""));
      return x;
    }
  }

  bool const modern_era;
  std::string const id;
};

}  // namespace

TEST_CASE("http_extensions: a task is waited for across a session that was lost, and its tool called once", "[transport]") {
  task_talk t(false);
  auto const c = t.connect();
  auto const task = t.begin(c);
  auto const waiting = t.start(task.result());
  auto const lost = t.take("tasks/get");
  CHECK(lost->header("Mcp-Session-Id") == "s-1");
  lost->status(404);
  t.answer_tasks_initialize("s-2");
  auto const again = t.take("tasks/get");
  CHECK(again->header("Mcp-Session-Id") == "s-2");
  CHECK(again->says(R"("taskId":"7")"));
  again->result(t.state("completed"));
  auto const fetching = t.take("tasks/result");
  CHECK(fetching->header("Mcp-Session-Id") == "s-2");
  fetching->result(tool_text);
  t.settle();
  REQUIRE(waiting->ok());
  CHECK((*waiting)->text() == "done");
  CHECK(c.statistics().renewals == 1);
  t.quiet();  // no tools/call: begin() took the only one
}

TEST_CASE("http_extensions: a session that is lost while tasks/result waits is renewed too", "[transport]") {
  task_talk t(false);
  auto const c = t.connect();
  auto const task = t.begin(c);
  auto const waiting = t.start(task.result());
  t.take("tasks/get")->result(t.state("completed"));
  t.take("tasks/result")->status(404);
  t.answer_tasks_initialize("s-2");
  auto const again = t.take("tasks/result");
  CHECK(again->header("Mcp-Session-Id") == "s-2");
  again->result(tool_text);
  t.settle();
  REQUIRE(waiting->ok());
  CHECK(c.statistics().renewals == 1);
  t.quiet();
}

TEST_CASE("http_extensions: what is about a task is routed by its id, written as headers write it", "[transport]") {
  using named = std::pair<char const*, char const*>;
  auto const [id, header] = GENERATE(named("786512e2-9e0d", "786512e2-9e0d"), named("\xc3\xbc 7", "=?base64?w7wgNw==?="),
                                     named(" 7", "=?base64?IDc=?="));
  task_talk t(true, id);
  auto const c = t.connect();
  auto const task = t.begin(c);
  auto const asking = t.start(task.status());
  auto const get = t.take("tasks/get");
  CHECK(get->header("Mcp-Method") == "tasks/get");
  CHECK(get->header("Mcp-Name") == header);
  get->result(t.state("working"));
  t.settle();
  CHECK(asking->ok());
  auto const waiting = t.start(task.result());
  auto const form = R"(,"inputRequests":{"who":{"method":"elicitation/create","params":)"
                    R"({"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}}})";
  t.take_asked("tasks/get")->result(t.state("input_required", form));
  auto const update = t.take_asked("tasks/update");
  CHECK(update->header("Mcp-Method") == "tasks/update");
  CHECK(update->header("Mcp-Name") == header);
  update->result("{}");
  t.settle();
  t.advance(1s);
  auto const again = t.take_asked("tasks/get");
  CHECK(again->header("Mcp-Name") == header);
  auto const cancelling = t.start(task.cancel());
  auto const cancel = t.take_asked("tasks/cancel");
  CHECK(cancel->header("Mcp-Method") == "tasks/cancel");
  CHECK(cancel->header("Mcp-Name") == header);
  cancel->result("{}");
  t.settle();
  CHECK(cancelling->ok());
  again->result(t.state("cancelled"));
  t.settle();
  CHECK(waiting->error() == errc::cancelled);
}

TEST_CASE("http_extensions: in 2025-11-25 nothing about a task has a routing header", "[transport]") {
  task_talk t(false);
  auto const c = t.connect();
  auto const task = t.begin(c);
  auto const plain = [](http_talk::exchange const& x) {
    CHECK(x->header("Mcp-Name").empty());
    CHECK(x->header("Mcp-Method").empty());
  };
  auto const asking = t.start(task.status());
  auto const get = t.take("tasks/get");
  plain(get);
  get->result(t.state("working"));
  t.settle();
  CHECK(asking->ok());
  auto const waiting = t.start(task.result());
  t.take("tasks/get")->result(t.state("completed"));
  auto const fetching = t.take("tasks/result");
  plain(fetching);
  fetching->result(tool_text);
  t.settle();
  CHECK(waiting->ok());
  auto const cancelling = t.start(task.cancel());
  auto const cancel = t.take("tasks/cancel");
  plain(cancel);
  cancel->result(t.state("cancelled"));
  t.settle();
  CHECK(cancelling->ok());
}

TEST_CASE("http_extensions: a resumed task asks for the login as any call does, and is another login's to forget", "[transport]") {
  task_talk t(true);
  int asked = 0;
  token_source const source = [&asked](token_need) -> asio::awaitable<secret> { co_return secret("t" + std::to_string(++asked)); };
  auto const c = t.connect(t.transport(bearer(source)));
  auto const task = c.extension<tasks>().resume_task(args("taskId", "7", "tool", "slow"));
  auto const asking = t.start(task.status());
  auto const refused = t.take("tasks/get");
  CHECK(refused->header("Authorization") == "Bearer t1");
  refused->status(401, {{"WWW-Authenticate", "Bearer"}});
  auto const again = t.take("tasks/get");
  CHECK(again->header("Authorization") == "Bearer t2");
  again->result(t.state("working"));
  t.settle();
  REQUIRE(asking->ok());
  CHECK(asked == 2);
  auto const waiting = t.start(task.result());
  t.take("tasks/get")->error(400, -32602, "Task not found");
  t.settle();
  REQUIRE(waiting->done());
  REQUIRE(waiting->error().peer());
  CHECK(waiting->error().peer()->code == -32602);
  CHECK(waiting->error().peer()->message == "Task not found");
  t.quiet();
}
