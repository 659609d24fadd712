// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What of one client's results is used again, and for how long.
#include <comcp/client/cache.hpp>

#include "support/cached.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;

namespace {

call_options use(cache_use how) { return call_options().cache(how); }

asio::awaitable<void> nothing() { co_return; }

struct answers {
  int* times;
  elicit_result elicit(elicit_params const&) {
    ++*times;
    return elicit_result::accept(args("n", 1));
  }
};

}  // namespace

TEST_CASE("cache: a result is used again until its time to live is over", "[client]") {
  cached t;
  auto const c = t.caching();
  CHECK(t.tools(c) == "1");
  t.advance(4999ms);
  CHECK(t.tools(c) == "1");
  t.advance(1ms);
  CHECK(t.tools(c) == "2");
  CHECK(t.server.count("tools/list") == 2);
  auto const s = c.statistics();
  CHECK(s.cache_hits == 1);
  CHECK(s.cache_misses == 2);
  CHECK(s.cache_stores == 2);
}

TEST_CASE("cache: without one, and where the server says so, every call asks", "[client]") {
  cached t;
  SECTION("none configured") {
    auto const c = t.connect(t.server.transport()).value();
    CHECK(t.tools(c) == "1");
    CHECK(t.tools(c) == "2");
    CHECK(c.statistics().cache_misses == 0);
  }
  SECTION("ttlMs is 0, negative or absent") {
    for (auto const* const hint : {R"("ttlMs":0)", R"("ttlMs":-1)", R"("cacheScope":"public")"}) {
      t.serve("tools/list", "tools", hint);
      auto const c = t.caching();
      auto const first = t.tools(c);
      CHECK(t.tools(c) != first);
      CHECK(c.statistics().cache_stores == 0);
      CHECK(t.finish(c.close()));
    }
  }
}

TEST_CASE("cache: the user's time to live is for servers without hints", "[client]") {
  cached t;
  t.server.legacy();
  t.serve("tools/list", "tools", R"("x":0)");
  t.serve("prompts/list", "prompts", R"("ttlMs":0)");
  auto const c = t.caching(cache_options().default_time_to_live(3s));
  CHECK(t.tools(c) == "1");
  t.advance(2999ms);
  CHECK(t.tools(c) == "1");
  t.advance(1ms);
  CHECK(t.tools(c) == "2");
  CHECK(t.finish(c.list_prompts()));
  CHECK(t.finish(c.list_prompts()));
  CHECK(t.asked["prompts/list"] == 2);
}

TEST_CASE("cache: a day is the most", "[client]") {
  cached t;
  t.serve("tools/list", "tools", R"("ttlMs":9000000000000)");
  auto const c = t.caching();
  CHECK(t.tools(c) == "1");
  t.advance(24h - 1ms);
  CHECK(t.tools(c) == "1");
  t.advance(1ms);
  CHECK(t.tools(c) == "2");
}

TEST_CASE("cache: lists, reads and discovery are, nothing else is", "[client]") {
  cached t;
  t.serve("prompts/list", "prompts");
  t.serve("resources/list", "resources");
  t.serve("resources/templates/list", "resourceTemplates");
  t.serve_reads();
  t.server.answer("tools/call", json::fragment::trusted(R"({"resultType":"complete","content":[],"ttlMs":5000})"));
  t.server.answer("prompts/get", json::fragment::trusted(R"({"resultType":"complete","messages":[],"ttlMs":5000})"));
  t.server.answer("server/discover", json::fragment::trusted(
      R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{}},"ttlMs":5000})"));
  auto const c = t.caching();
  auto const before = t.server.count("server/discover");
  for (int i = 0; i < 2; ++i) {
    CHECK(t.finish(c.list_tools()));
    CHECK(t.finish(c.list_prompts()));
    CHECK(t.finish(c.list_resources()));
    CHECK(t.finish(c.list_resource_templates()));
    CHECK(t.finish(c.read_resource("x://a")));
    CHECK(t.finish(c.read_resource("x://b")));
    CHECK(t.finish(c.discover()));
    CHECK(t.finish(c.call_tool("a")));
    CHECK(t.finish(c.get_prompt("a")));
  }
  for (auto const* const once : {"tools/list", "prompts/list", "resources/list", "resources/templates/list"}) {
    INFO(once);
    CHECK(t.server.count(once) == 1);
  }
  CHECK(t.server.count("server/discover") == before + 1);
  CHECK(t.server.count("resources/read") == 2);
  CHECK(t.server.count("tools/call") == 2);
  CHECK(t.server.count("prompts/get") == 2);
}

TEST_CASE("cache: refresh asks and stores, bypass asks and does not", "[client]") {
  cached t;
  auto const c = t.caching();
  CHECK(t.tools(c) == "1");
  CHECK(t.tools(c, use(cache_use::bypass)) == "2");
  CHECK(t.tools(c) == "1");
  CHECK(t.tools(c, use(cache_use::refresh)) == "3");
  CHECK(t.tools(c) == "3");
  t.serve("tools/list", "tools", R"("ttlMs":0)");
  CHECK(t.tools(c, use(cache_use::refresh)) == "4");
  CHECK(t.tools(c) == "5");  // what the server said last counts
}

TEST_CASE("cache: the order of parameters and _meta do not tell requests apart", "[client]") {
  cached t;
  auto const c = t.caching();
  CHECK(t.finish(c.request("tools/list", args("cursor", "n", "x", 1))));
  CHECK(t.finish(c.request("tools/list", args("x", 1, "cursor", "n"), call_options().meta("example.com/a", 1))));
  CHECK(t.server.count("tools/list") == 1);
  CHECK(t.finish(c.request("tools/list", args("x", 2, "cursor", "n"))));
  CHECK(t.server.count("tools/list") == 2);
}

TEST_CASE("cache: every page has its own clock, and is fetched again with its cursor", "[client]") {
  cached t;
  t.server.on("tools/list", [&t](fake_request const& r) {
    bool const second = r.params().contains("cursor");
    r.reply(t.page("tools/list", "tools", second ? R"("ttlMs":2000)" : R"("ttlMs":10000,"nextCursor":"two")"));
  });
  auto const c = t.caching();
  CHECK(t.tools(c) == "1 2");
  t.advance(3s);
  CHECK(t.tools(c) == "1 3");
  CHECK(t.server.last("tools/list")["cursor"].as<std::string>() == "two");
  t.advance(7s);
  CHECK(t.tools(c) == "4 5");
}

TEST_CASE("cache: where a cursor is no longer known, the walk begins anew, once", "[client]") {
  cached t;
  std::string known = "old";
  bool broken = false;
  t.server.on("tools/list", [&](fake_request const& r) {
    auto const from = r.params().find("cursor");
    if (from && (broken || from->as<std::string>() != known)) return r.fail(-32602, "Invalid cursor");
    r.reply(t.page("tools/list", "tools", from ? R"("ttlMs":2000)" : R"("ttlMs":10000,"nextCursor":")" + known + '"'));
  });
  SECTION("with a cache") {
    auto const c = t.caching();
    CHECK(t.tools(c) == "1 2");
    known = "new";
    t.advance(3s);
    CHECK(t.tools(c) == "3 4");
    CHECK(t.server.count("tools/list") == 5);
    broken = true;
    t.advance(3s);
    CHECK_THAT(t.tools(c), match::contains("Invalid cursor"));
    CHECK(t.server.count("tools/list") == 8);  // the cursor, the beginning, its cursor
  }
  SECTION("without one it is an error at once") {
    auto const c = t.connect(t.server.transport()).value();
    broken = true;
    CHECK_THAT(t.tools(c), match::contains("Invalid cursor"));
    CHECK(t.server.count("tools/list") == 2);
  }
}

TEST_CASE("cache: what a round of questions led to is not kept", "[client]") {
  cached t;
  t.server.on("resources/read", [&t](fake_request const& r) {
    if (r.params().contains("inputResponses"))
      return r.reply(json::fragment::trusted(R"({"resultType":"complete","contents":[],"ttlMs":5000})"));
    ++t.asked["resources/read"];
    r.reply(json::fragment::trusted(
        R"({"resultType":"input_required","requestState":"s","ttlMs":5000,"inputRequests":{"a":{"method":"elicitation/create",)"
        R"("params":{"message":"?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}}}})"));
  });
  int questions = 0;
  bool const coalesce = GENERATE(true, false);
  auto const c = t.connect(t.server.transport(), t.options().cache(cache_options().coalesce(coalesce)), answers{&questions}).value();
  for (int i = 1; i <= 3; ++i) {
    auto const r = t.finish(c.read_resource("x://a"));
    REQUIRE(r);
    CHECK(questions == i);
  }
  CHECK(c.statistics().cache_stores == 0);
  auto const stopped = t.finish(c.read_resource("x://a", call_options().manual_input()));
  REQUIRE(stopped);
  CHECK(stopped->result_type == "input_required");
  CHECK(c.statistics().cache_stores == 0);
}

TEST_CASE("cache: a cached answer passes the interceptors", "[client]") {
  cached t;
  int before = 0, after = 0;
  interceptor i;
  i.before = [&](outgoing_call&) -> asio::awaitable<std::optional<json::value>> {
    ++before;
    co_return std::nullopt;
  };
  i.after = [&](outgoing_call const&, result<json::value>& r) {
    after += r.has_value();
    return nothing();
  };
  auto const c = t.connect(t.server.transport(), t.options().cache(cache_options()).intercept(i)).value();
  CHECK(t.tools(c) == "1");
  CHECK(t.tools(c) == "1");
  CHECK(before == 2);
  CHECK(after == 2);
}

TEST_CASE("cache: a closed client answers nothing, a cached answer or not", "[client]") {
  cached t;
  auto const c = t.caching(cache_options().stale_on_error(1h));
  CHECK(t.tools(c) == "1");
  std::stop_source stopped;
  stopped.request_stop();
  CHECK(t.finish(c.list_tools(call_options().stop(stopped.get_token()))).error() == errc::cancelled);
  CHECK(t.finish(c.close()));
  CHECK(t.finish(c.list_tools()).error() == errc::closed);
}

TEST_CASE("cache: callers on other executors are answered there", "[client]") {
  cached t;
  auto const c = t.caching();
  CHECK(t.tools(c) == "1");
  asio::io_context other;
  std::string got;
  auto const ask = [&]() -> asio::awaitable<void> {
    got = cached::names(co_await as_result(c.list_tools()));
    CHECK(other.get_executor().running_in_this_thread());
  };
  asio::co_spawn(other, ask(), asio::detached);
  for (int i = 0; i < 20 && got.empty(); ++i) {
    other.restart();
    other.poll();
    t.settle();
  }
  CHECK(got == "1");
}

TEST_CASE("cache: stale results in place of outages, where that is asked for", "[client]") {
  cached t;
  auto const c = t.caching(cache_options().stale_on_error(1min));
  CHECK(t.tools(c) == "1");
  t.server.silent("tools/list");
  auto const after = [&](std::chrono::seconds d, call_options o = call_options()) {
    t.advance(d);
    auto const call = t.start(c.list_tools(std::move(o)));
    t.advance(30s);
    REQUIRE(call->done());
    return cached::names(*call->value);
  };
  SECTION("a timeout") {
    CHECK(after(10s) == "1");
    CHECK(c.statistics().cache_stale == 1);
    REQUIRE(t.faults.size() == 1);
    CHECK(t.faults[0] == errc::timeout);
  }
  SECTION("but not beyond that age") { CHECK_THAT(after(31s), match::contains("timed out")); }
  SECTION("nor for a refresh") { CHECK_THAT(after(10s, use(cache_use::refresh)), match::contains("timed out")); }
  SECTION("nor for what the caller wanted") {
    t.advance(10s);
    auto const call = t.start(c.list_tools());
    call->cancel();
    t.settle();
    CHECK(call->error() == errc::cancelled);
  }
  SECTION("nor for an answer about the request") {
    t.advance(10s);
    t.server.on("tools/list", [](fake_request const& r) { r.fail(-32603, "broken"); });
    CHECK_THAT(t.tools(c), match::contains("broken"));
    CHECK(c.statistics().cache_stale == 0);
  }
  SECTION("also results that were said to be stale, and those without a time to live") {
    t.serve("tools/list", "tools", R"("ttlMs":0)");
    t.advance(10s);
    CHECK(t.tools(c) == "2");
    t.server.silent("tools/list");
    t.server.notify("notifications/tools/list_changed");
    CHECK(after(1s) == "2");
  }
}
