// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What ends the use of a result before its time: changes that the server tells, in both eras, and restarts.
#include "support/cached.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;

namespace {

struct listener {
  void on(tools_list_changed const&) {}
  void on(prompts_list_changed const&) {}
  void on(resources_list_changed const&) {}
};

/// A server that says what changes, in the way of its era.
struct changing : cached {
  explicit changing(bool is_modern) : modern(is_modern) {
    if (modern) server.modern();
    else server.legacy();
    serve("prompts/list", "prompts");
    serve("resources/list", "resources");
    serve("resources/templates/list", "resourceTemplates");
    serve_reads();
  }
  client listening(cache_options o = cache_options()) {
    return connect(server.transport(), options().cache(std::move(o)), listener()).value();
  }
  void tell(std::string const& what, json::fragment params = json::fragment()) {
    if (modern) server.notify_listeners("notifications/" + what, std::move(params));
    else server.notify("notifications/" + what, std::move(params));
    settle();
  }
  /// How often each was asked for: tools, prompts, resources, templates, reads.
  std::string counts() {
    std::string out;
    for (auto const* const m : {"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"})
      out += std::to_string(server.count(m)) + ' ';
    return out;
  }
  void ask_all(client const& c) {
    CHECK(finish(c.list_tools()));
    CHECK(finish(c.list_prompts()));
    CHECK(finish(c.list_resources()));
    CHECK(finish(c.list_resource_templates()));
    for (auto const* const uri : {"x://dir", "x://dir/a", "x://dir/b"}) CHECK(finish(c.read_resource(uri)));
  }
  bool modern;
};

}  // namespace

TEST_CASE("cache: each notification ends the use of what it is about, in both eras", "[client]") {
  changing t(GENERATE(true, false));
  auto const c = t.listening();
  t.ask_all(c);
  t.ask_all(c);
  CHECK(t.counts() == "1 1 1 1 3 ");
  t.tell("tools/list_changed");
  t.ask_all(c);
  CHECK(t.counts() == "2 1 1 1 3 ");
  t.tell("prompts/list_changed");
  t.ask_all(c);
  CHECK(t.counts() == "2 2 1 1 3 ");
  t.tell("resources/list_changed");
  t.ask_all(c);
  CHECK(t.counts() == "2 2 2 2 3 ");
  CHECK(t.finish(c.subscribe("x://dir")));
  t.tell("resources/updated", args("uri", "x://dir/a"));  // a part of x://dir
  t.ask_all(c);
  CHECK(t.counts() == "2 2 2 2 5 ");
  t.tell("resources/updated", args("uri", "x://dir"));
  t.ask_all(c);
  CHECK(t.counts() == "2 2 2 2 6 ");
  CHECK(c.statistics().cache_invalidations == 6);
}

TEST_CASE("cache: all pages of a list that changed are stale", "[client]") {
  changing t(true);
  t.server.on("tools/list", [&t](fake_request const& r) {
    r.reply(t.page("tools/list", "tools", r.params().contains("cursor") ? R"("ttlMs":9000)" : R"("ttlMs":9000,"nextCursor":"n")"));
  });
  auto const c = t.listening();
  CHECK(t.tools(c) == "1 2");
  CHECK(t.tools(c) == "1 2");
  t.tell("tools/list_changed");
  CHECK(t.tools(c) == "3 4");
}

TEST_CASE("cache: an independent stream's notifications count as well", "[client]") {
  changing t(true);
  auto const c = t.caching();
  subscription_filter f;
  f.tools_list_changed = true;
  auto const stream = t.finish(c.listen(f));
  REQUIRE(stream);
  CHECK(t.tools(c) == "1");
  t.tell("tools/list_changed");
  CHECK(t.tools(c) == "2");
}

TEST_CASE("cache: a watched list comes from the server after each change", "[client]") {
  changing t(GENERATE(true, false));
  auto const c = t.caching();
  CHECK(t.tools(c) == "1");
  std::vector<std::string> seen;
  auto const watch = c.watch_tools([&seen](result<listing<tool>> all) { seen.push_back(cached::names(all)); });
  t.settle();
  t.tell("tools/list_changed");
  t.advance(300ms);
  CHECK(seen == std::vector<std::string>{"2"});
  t.tell("tools/list_changed");
  t.advance(300ms);
  CHECK(seen == std::vector<std::string>{"2", "3"});
  CHECK(t.tools(c) == "3");
}

TEST_CASE("cache: a change while a request is under way: its result is not stored, and nobody joins it", "[client]") {
  changing t(true);
  std::vector<fake_request> open;
  t.server.on("tools/list", [&open](fake_request r) { open.push_back(std::move(r)); });
  bool const coalesce = GENERATE(true, false);
  auto const c = t.listening(cache_options().coalesce(coalesce));
  auto const before = t.start(c.list_tools());
  t.tell("tools/list_changed");
  auto const after = t.start(c.list_tools());
  REQUIRE(open.size() == 2);
  open[0].reply(t.page("tools/list", "tools", R"("ttlMs":5000)"));
  t.settle();
  REQUIRE(before->ok());
  CHECK(cached::names(*before->value) == "1");
  CHECK_FALSE(after->done());
  CHECK(c.statistics().cache_stores == 0);
  open[1].reply(t.page("tools/list", "tools", R"("ttlMs":5000)"));
  t.settle();
  REQUIRE(after->ok());
  CHECK(cached::names(*after->value) == "2");
  CHECK(t.tools(c) == "2");
}

TEST_CASE("cache: a restarted process is asked anew, unless its partition has a name", "[client]") {
  cached t;
  bool const named = GENERATE(true, false);
  cache_options o;
  if (named) o.partition("the server");
  auto const c = t.connect(t.server.transport(),
                           t.options().cache(o).reconnect(reconnect_policy().jitter(0).attempts(2).delay(100ms, 10s)))
                     .value();
  CHECK(t.tools(c) == "1");
  t.server.drop();
  t.settle();
  t.advance(100ms);
  REQUIRE(c.statistics().reconnects == 1);
  CHECK(t.tools(c) == (named ? "1" : "2"));
}
