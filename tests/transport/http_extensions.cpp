// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
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
