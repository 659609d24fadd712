// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// States of tasks, as servers of both eras write them.
#include <comcp/protocol/task_state.hpp>

#include <limits>
#include <string>

#include "support/catch.hpp"

using namespace comcp;

namespace {

// In a common form; `more` goes on from the timestamps.
std::string written(std::string const& status, std::string const& more) {
  return R"({"taskId":"7","status":")" + status + R"(","createdAt":"c","lastUpdatedAt":"l")" + more + "}";
}
result<task_state> read(std::string const& text) {
  auto const v = json::parse(text).value();
  return read_task(v.view());
}

}  // namespace

TEST_CASE("task_state: each status is read, in the words of both eras", "[protocol]") {
  struct row {
    char const* text;
    task_status status;
    bool is_over;
  };
  for (auto const& [text, status, is_over] : {
           row{"working", task_status::working, false}, row{"input_required", task_status::input_required, false},
           row{"completed", task_status::completed, true}, row{"failed", task_status::failed, true},
           row{"cancelled", task_status::cancelled, true}}) {
    for (auto const* const numbers : {R"(,"ttlMs":60000,"pollIntervalMs":500)", R"(,"ttl":60000,"pollInterval":500)"}) {
      auto const s = read(written(text, std::string(R"(,"statusMessage":"m")") + numbers));
      REQUIRE(s);
      CHECK(s->task_id == "7");
      CHECK(s->status == status);
      CHECK(s->is_over() == is_over);
      CHECK(s->status_message == "m");
      CHECK(s->created_at == "c");
      CHECK(s->last_updated_at == "l");
      CHECK(s->ttl == 60000);
      CHECK(s->poll_interval == 500);
    }
  }
}

TEST_CASE("task_state: it is found in the answer of a call, as either era wraps it", "[protocol]") {
  CHECK(read(R"({"resultType":"task","taskId":"7","status":"working","createdAt":"c","lastUpdatedAt":"l","ttlMs":null})")->task_id == "7");
  CHECK(read(R"({"task":)" + written("working", R"(,"ttl":5)") + R"(,"_meta":{}})")->ttl == 5);
  // Its own id is stronger than a member that only looks so.
  auto const both = read(written("working", R"(,"task":{"taskId":"8","status":"failed"})"));
  REQUIRE(both);
  CHECK(both->task_id == "7");
}

TEST_CASE("task_state: what is not said, or null, is nothing", "[protocol]") {
  for (auto const* const more : {"", R"(,"ttlMs":null)", R"(,"ttl":null)", R"(,"ttlMs":null,"pollIntervalMs":null)"}) {
    auto const s = read(written("working", more));
    REQUIRE(s);
    CHECK_FALSE(s->ttl);
    CHECK_FALSE(s->poll_interval);
    CHECK_FALSE(s->input_requests);
    CHECK(s->result.is_null());
    CHECK(s->error.is_null());
  }
  CHECK(read(R"({"taskId":"7","status":"working"})"));  // without its times
}

TEST_CASE("task_state: numbers are whole milliseconds of any size; what they are not is a violation in the modern era", "[protocol]") {
  auto const odd = read(written("working", R"(,"ttlMs":-5,"pollIntervalMs":-9223372036854775808)"));
  REQUIRE(odd);
  CHECK(odd->ttl == -5);
  CHECK(odd->poll_interval == std::numeric_limits<std::int64_t>::min());
  CHECK(read(written("working", R"(,"pollIntervalMs":1.0e3)"))->poll_interval == 1000);
  for (auto const* const wrong : {"0.5", "1e300", "\"1000\"", "true", "{}"}) {
    CAPTURE(wrong);
    CHECK(read(written("working", std::string(R"(,"pollIntervalMs":)") + wrong)).error() == errc::protocol_violation);
    CHECK(read(written("working", std::string(R"(,"ttlMs":)") + wrong)).error() == errc::protocol_violation);
    auto const legacy = read(written("working", std::string(R"(,"ttl":)") + wrong + R"(,"pollInterval":)" + wrong));
    REQUIRE(legacy);
    CHECK_FALSE(legacy->ttl);
    CHECK_FALSE(legacy->poll_interval);
  }
}

TEST_CASE("task_state: what a status brings is kept as it came", "[protocol]") {
  auto const completed = read(written("completed", R"(,"result":{"content":[]},"ttlMs":1)"));
  REQUIRE(completed);
  CHECK(completed->result.dump() == R"({"content":[]})");
  CHECK(read(written("failed", R"(,"error":{"code":-5,"message":"m","data":[1]})"))->error["data"][0].as<int>() == 1);
  CHECK(read(written("failed", R"(,"error":"text")"))->error.as<std::string>() == "text");  // for who decodes it
  auto const asks = read(written("input_required", R"(,"inputRequests":{"a":{"method":"roots/list"}})"));
  REQUIRE(asks);
  REQUIRE(asks->input_requests);
  CHECK(asks->input_requests->count("a") == 1);
  CHECK(read(written("input_required", R"(,"inputRequests":{"a":7})")).error() == errc::protocol_violation);
}

TEST_CASE("task_state: what is no task is a violation", "[protocol]") {
  for (auto const* const text : {"{}", "[]", "7", "null", R"({"task":{}})", R"({"taskId":"","status":"working"})",
                                 R"({"taskId":7,"status":"working"})", R"({"taskId":"7"})", R"({"taskId":"7","status":"odd"})",
                                 R"({"taskId":"7","status":"working","statusMessage":7})"}) {
    CAPTURE(text);
    CHECK(read(text).error() == errc::protocol_violation);
  }
}
