// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Clients that share a store: who sees whose results.
#include "support/cached.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_server;

namespace {

using label = labelled_connection::label;

/// Two servers that give lists named "a1", "a2", ... and "b1", ..., and one store for their clients.
struct shared_store : conversation {
  shared_store() : a(io.get_executor()), b(io.get_executor()) { serve(R"("ttlMs":5000,"cacheScope":"private")"); }

  void serve(std::string const& hints) {
    for (auto const& [server, name] : {std::pair(&a, 'a'), std::pair(&b, 'b')}) {
      server->on("tools/list", [n = std::make_shared<int>(0), letter = name, hints](comcp::test::fake_request const& r) {
        r.reply(json::fragment::trusted(R"({"resultType":"complete","tools":[{"name":")" + (letter + std::to_string(++*n)) +
                                        R"(","inputSchema":{"type":"object"}}],)" + hints + "}"));
      });
    }
  }
  client over_http(fake_server const& server, std::shared_ptr<label> who, cache_options o = cache_options()) {
    auto const c = options().pinned(version::v2026_07_28).cache(o.store(store));
    return connect(labelled_connection(server.transport(), std::move(who)), c).value();
  }
  client over_pipe(fake_server const& server, cache_options o = cache_options()) {
    return connect(server.transport(), options().cache(o.store(store))).value();
  }
  std::string tools(client const& c) { return cached::names(finish(c.list_tools())); }

  static std::shared_ptr<label> is(std::string server, std::string identity = {}) {
    return std::make_shared<label>(label{std::move(server), std::move(identity)});
  }

  fake_server a, b;
  std::shared_ptr<memory_cache_store> store = std::make_shared<memory_cache_store>();
};

constexpr auto public_hints = R"("ttlMs":5000,"cacheScope":"public")";

}  // namespace

TEST_CASE("cache: private results are for equal identities alone", "[client]") {
  shared_store t;
  auto const alice = t.over_http(t.a, t.is("https://x/mcp", "alice"));
  auto const again = t.over_http(t.b, t.is("https://x/mcp", "alice"));
  CHECK(t.tools(alice) == "a1");
  CHECK(t.tools(again) == "a1");
  CHECK(t.finish(again.close()));
  auto const bob = t.over_http(t.b, t.is("https://x/mcp", "bob"));
  CHECK(t.tools(bob) == "b1");
  CHECK(t.tools(alice) == "a1");
  CHECK(t.tools(bob) == "b1");
}

TEST_CASE("cache: public results are for all of the same server", "[client]") {
  shared_store t;
  t.serve(public_hints);
  auto const alice = t.over_http(t.a, t.is("https://x/mcp", "alice"));
  CHECK(t.tools(alice) == "a1");
  SECTION("the same") {
    auto const bob = t.over_http(t.b, t.is("https://x/mcp", "bob"));
    CHECK(t.tools(bob) == "a1");
  }
  SECTION("another") {
    auto const bob = t.over_http(t.b, t.is("https://x/other", "alice"));
    CHECK(t.tools(bob) == "b1");
  }
  SECTION("one that cannot be told from others") {
    auto const bob = t.over_http(t.b, t.is("", "alice"));
    CHECK(t.tools(bob) == "b1");
  }
}

TEST_CASE("cache: without an identity private results are the connection's own", "[client]") {
  shared_store t;
  auto const one = t.over_http(t.a, t.is("https://x/mcp"));
  auto const two = t.over_http(t.b, t.is("https://x/mcp"));
  CHECK(t.tools(one) == "a1");
  CHECK(t.tools(one) == "a1");
  CHECK(t.tools(two) == "b1");
}

TEST_CASE("cache: a connection whose identity changes sees no private results of the old one", "[client]") {
  shared_store t;
  auto const who = t.is("https://x/mcp", "alice");
  auto const c = t.over_http(t.a, who);
  CHECK(t.tools(c) == "a1");
  who->identity = "bob";
  CHECK(t.tools(c) == "a2");
  CHECK(t.tools(c) == "a2");
  who->identity = "alice";
  CHECK(t.tools(c) == "a1");
}

TEST_CASE("cache: an answer that came while the identity changed is nobody's, and is not joined", "[client]") {
  shared_store t;
  std::vector<comcp::test::fake_request> open;
  t.a.on("tools/list", [&open](comcp::test::fake_request r) { open.push_back(std::move(r)); });
  auto const who = t.is("https://x/mcp", "alice");
  auto const c = t.over_http(t.a, who);
  auto const before = t.start(c.list_tools());
  who->identity = "bob";
  auto const after = t.start(c.list_tools());
  REQUIRE(open.size() == 2);
  auto const empty = json::fragment::trusted(R"({"resultType":"complete","tools":[],"ttlMs":5000})");
  open[0].reply(empty);
  t.settle();
  CHECK(before->ok());
  CHECK(c.statistics().cache_stores == 0);
  open[1].reply(empty);
  t.settle();
  CHECK(after->ok());
  CHECK(c.statistics().cache_stores == 1);
  who->identity = "alice";
  CHECK(t.start(c.list_tools())->times == 0);
}

TEST_CASE("cache: what a server says last of who may see a result counts", "[client]") {
  shared_store t;
  t.serve(public_hints);
  auto const alice = t.over_http(t.a, t.is("https://x/mcp", "alice"));
  auto const bob = t.over_http(t.b, t.is("https://x/mcp", "bob"));
  CHECK(t.tools(alice) == "a1");
  CHECK(t.tools(bob) == "a1");
  t.serve(R"("ttlMs":5000)");
  CHECK(t.finish(alice.list_tools(call_options().cache(cache_use::refresh))));
  CHECK(t.tools(bob) == "b1");
  CHECK(t.tools(alice) == "a1");
}

TEST_CASE("cache: servers of their own share nothing, unless their partition has a name", "[client]") {
  shared_store t;
  t.serve(public_hints);
  SECTION("without") {
    auto const one = t.over_pipe(t.a), two = t.over_pipe(t.b);
    CHECK(t.tools(one) == "a1");
    CHECK(t.tools(two) == "b1");
  }
  SECTION("with") {
    t.serve(R"("ttlMs":5000)");
    auto const one = t.over_pipe(t.a, cache_options().partition("files"));
    auto const two = t.over_pipe(t.b, cache_options().partition("files"));
    CHECK(t.tools(one) == "a1");
    CHECK(t.tools(two) == "a1");
    CHECK(t.finish(two.close()));
    auto const three = t.over_pipe(t.b, cache_options().partition("mail"));
    CHECK(t.tools(three) == "b1");
  }
}

TEST_CASE("cache: versions share nothing", "[client]") {
  shared_store t;
  t.a.legacy();
  auto const old = t.over_pipe(t.a, cache_options().partition("files"));
  auto const modern = t.over_pipe(t.b, cache_options().partition("files"));
  CHECK(t.tools(old) == "a1");
  CHECK(t.tools(modern) == "b1");
}

TEST_CASE("cache: a change that one client hears of is one for all", "[client]") {
  shared_store t;
  t.a.legacy();
  t.serve(public_hints);
  auto const one = t.over_pipe(t.a, cache_options().partition("files"));
  auto const two = t.over_pipe(t.b, cache_options().partition("files"));
  CHECK(t.tools(two) == "b1");
  std::vector<comcp::test::fake_request> open;
  SECTION("of what is stored, in any version") {
    t.a.notify("notifications/tools/list_changed");
    t.settle();
    CHECK(t.tools(two) == "b2");
  }
  SECTION("and of what is under way") {
    t.b.on("tools/list", [&open](comcp::test::fake_request r) { open.push_back(std::move(r)); });
    auto const asked = t.start(two.list_tools(call_options().cache(cache_use::refresh)));
    t.a.notify("notifications/tools/list_changed");
    t.settle();
    open.at(0).reply(json::fragment::trusted(R"({"resultType":"complete","tools":[],"ttlMs":5000})"));
    t.settle();
    CHECK(asked->ok());
    CHECK(two.statistics().cache_stores == 1);
  }
}

TEST_CASE("cache: the store has bounds, says what it holds, and can be emptied", "[client]") {
  shared_store t;
  t.store = std::make_shared<memory_cache_store>(cache_bounds().max_bytes(4096));
  auto const c = t.over_pipe(t.a);
  for (int i = 0; i < 10; ++i) CHECK(t.finish(c.list_tools_page(std::to_string(i))));
  auto const held = t.store->usage();
  CHECK(held.results >= 1);
  CHECK(held.results < 10);
  CHECK(held.bytes <= 4096);
  CHECK(held.evictions == 10 - held.results);
  auto const hits = c.statistics().cache_hits;
  CHECK(t.finish(c.list_tools_page("9")));
  CHECK(c.statistics().cache_hits == hits + 1);
  CHECK(t.finish(c.list_tools_page("0")));
  CHECK(c.statistics().cache_hits == hits + 1);
  t.store->clear();
  CHECK(t.store->usage().results == 0);
  CHECK(t.finish(c.list_tools_page("9")));
  CHECK(c.statistics().cache_hits == hits + 1);
}
