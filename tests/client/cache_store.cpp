// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a store of the user's own may do to a client, and one store under two threads.
#include <atomic>
#include <thread>

#include "support/cached.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

/// Throws in one of its members, and else is the bundled one.
class broken_store {
 public:
  explicit broken_store(std::string where) : where_(std::move(where)) {}
  std::optional<cached_result> find(cache_key const& key, cached_result::time_point now) {
    return fail("find"), inner_.find(key, now);
  }
  std::uint64_t ticket() { return fail("ticket"), inner_.ticket(); }
  bool store(cache_key const& key, cached_result kept, std::uint64_t ticket) {
    return fail("store"), inner_.store(key, std::move(kept), ticket);
  }
  void erase(cache_key const& key) { fail("erase"), inner_.erase(key); }
  void invalidate(cache_change change) { fail("invalidate"), inner_.invalidate(std::move(change)); }

 private:
  void fail(char const* here) const {
    if (where_ == here) throw std::runtime_error("disk full");
  }
  std::string where_;
  memory_cache_store inner_;
};

/// Lists again and again on a context of its own; the server says every few answers that the list has changed.
void list_often(std::shared_ptr<memory_cache_store> const& store, int times, std::atomic<int>& answered) {
  asio::io_context io{1};
  fake_server server(io.get_executor());
  int asked = 0;
  server.legacy().on("tools/list", [&](fake_request const& r) {
    r.reply(json::fragment::trusted(R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}],"cacheScope":"public"})"));
    if (++asked % 5 == 0) server.notify("notifications/tools/list_changed");
  });
  auto const work = [&]() -> asio::awaitable<void> {
    auto options = connect_options();
    options.cache(cache_options().store(store).partition("shared").default_time_to_live(1min));
    auto opened = co_await connect(server.transport(), no_handler(), options);
    client const c(std::move(opened));
    for (int i = 0; i < times; ++i) {
      auto how = call_options();
      how.cache(i % 7 == 0 ? cache_use::refresh : cache_use::use);
      auto const page = co_await as_result(c.list_tools_page(std::to_string(i % 12), how));
      answered += page && page->tools.size() == 1 && page->tools[0].name == "t";
    }
    co_await c.close();
  };
  asio::co_spawn(io, work(), asio::detached);
  io.run();
}

}  // namespace

TEST_CASE("cache: a store that throws ends no call and no connection, and the observer is told", "[client]") {
  auto const where = GENERATE(as<std::string>(), "find", "ticket", "store", "erase", "invalidate");
  INFO(where);
  cached t;
  t.server.legacy();
  auto const options = cache_options().default_time_to_live(1min).stale_on_error(1min);
  auto const c = t.caching(cache_options(options).store(std::make_shared<broken_store>(where)));
  auto const a = t.start(c.list_tools()), b = t.start(c.list_tools());
  CHECK(a->ok());
  CHECK(b->ok());
  t.server.notify("notifications/tools/list_changed");
  t.settle();
  CHECK(c.status() == connection_status::ready);
  CHECK(t.finish(c.list_tools()));
  CHECK_FALSE(t.faults.empty());
}

TEST_CASE("cache: an answer in another version than it was asked for in is not kept", "[client]") {
  cached t;
  t.server.legacy();
  std::vector<fake_request> open;
  t.server.on("tools/list", [&open](fake_request r) { open.push_back(std::move(r)); });
  auto const cache = cache_options().partition("files").default_time_to_live(1min);
  auto const c =
      t.connect(t.server.transport(),
                t.options().legacy().cache(cache).reconnect(reconnect_policy().jitter(0).attempts(2).delay(100ms, 10s)))
          .value();
  auto const asked = t.start(c.list_tools());
  t.server.legacy(version::v2025_03_26);
  t.server.drop();
  t.settle();
  t.advance(100ms);
  REQUIRE(open.size() == 2);
  open[1].reply(t.page("tools/list", "tools", R"("x":0)"));
  t.settle();
  REQUIRE(asked->ok());
  CHECK(c.protocol_version() == version::v2025_03_26);
  CHECK(c.statistics().cache_stores == 0);
}

TEST_CASE("cache: ages and times without an end", "[client]") {
  cached t;
  constexpr auto ever = std::chrono::milliseconds::max();
  auto const store = std::make_shared<memory_cache_store>(cache_bounds().max_age(ever));
  t.serve("tools/list", "tools", R"("ttlMs":0)");
  auto const c = t.caching(cache_options().store(store).stale_on_error(ever).default_time_to_live(ever));
  CHECK(t.tools(c) == "1");
  t.server.silent("tools/list");
  t.advance(1000h);
  auto const call = t.start(c.list_tools());
  t.advance(30s);
  REQUIRE(call->done());
  CHECK(cached::names(*call->value) == "1");
}

TEST_CASE("cache: two clients on two threads share one store", "[client][threads]") {
  constexpr int times = 300;
  auto const store = std::make_shared<memory_cache_store>(cache_bounds().max_bytes(16384));
  std::atomic<int> answered{0};
  std::thread other([&] { list_often(store, times, answered); });
  list_often(store, times, answered);
  other.join();
  CHECK(answered == 2 * times);
  CHECK(store->usage().bytes <= 16384);
}
