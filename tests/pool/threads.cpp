// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A pool under four threads: calls from everywhere, leases given back from everywhere, members that die, and the end at
// any moment. What is looked for is a data race or a call that never ends; TSan runs this.
#include <comcp/pool/pool.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

#include <comcp/test/fake_server.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

constexpr int members = 4, callers = 8, calls_each = 125;

template <class Condition>
bool within_half_a_minute(Condition const& reached) {
  auto const limit = std::chrono::steady_clock::now() + 30s;
  while (!reached()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

struct tally {
  std::atomic<int> answered{0}, lost{0}, refused{0}, other{0}, open_callers{0};
  void count(error const& e) {
    if (!e) ++answered;
    else if (e == errc::outcome_unknown || e == errc::transport_failed) ++lost;
    else if (e == errc::closed || e == errc::no_connections) ++refused;
    else ++other;
  }
  [[nodiscard]] int total() const { return answered + lost + refused + other; }
};

// Servers on an executor of their own, and a pool on a thread_pool's.
struct crowd {
  asio::thread_pool threads{4};
  std::deque<fake_server> servers;
  std::optional<pool> the_pool;

  explicit crowd(asio::any_io_executor home) {
    std::vector<server_config> configs;
    for (int i = 0; i != members; ++i) {
      auto& server = servers.emplace_back(asio::make_strand(threads));
      server.on("tools/call", [](fake_request r) { r.reply(args("content", std::vector<json::value>())); });
      auto make = [&server] { return any_transport(server.transport()); };
      configs.push_back(server_config::from(make).reconnect(reconnect_policy::forever().delay(1ms, 1ms)));
    }
    the_pool.emplace(std::move(home), std::move(configs), pool_options().strategy(least_busy()));
  }
  ~crowd() {
    the_pool.reset();
    threads.join();
  }
  void drop(std::size_t which) {
    auto& server = servers[which];
    asio::post(server.get_executor(), [&server] { server.drop(); });
  }
};

// Every fifth through a lease, which another thread gives back.
asio::awaitable<void> call_many(pool const& p, tally& t, asio::any_io_executor elsewhere) {
  for (int i = 0; i != calls_each; ++i) {
    if (i % 5 != 0) {
      auto const answered = co_await as_result(p.call_tool("echo", args("i", i)));
      t.count(answered ? error() : answered.error());
      continue;
    }
    auto taken = co_await as_result(p.checkout());
    if (!taken) {
      t.count(taken.error());
      continue;
    }
    auto const l = std::make_shared<lease>(std::move(*taken));
    auto const answered = co_await as_result((*l)->call_tool("echo", args("i", i)));
    t.count(answered ? error() : answered.error());
    auto give_back = [l] { l->give_back(); };
    asio::post(elsewhere, std::move(give_back));
  }
  --t.open_callers;
}

void start_callers(crowd& c, tally& t) {
  t.open_callers = callers;
  for (int i = 0; i != callers; ++i)
    asio::co_spawn(asio::make_strand(c.threads), call_many(*c.the_pool, t, c.threads.get_executor()), asio::detached);
}

}  // namespace

TEST_CASE("pool: 1000 calls over four members from four threads all end once", "[pool][threads]") {
  asio::thread_pool home(2);
  crowd c(home.get_executor());
  tally t;
  start_callers(c, t);
  CHECK(within_half_a_minute([&] { return t.open_callers == 0; }));
  CHECK(t.answered == callers * calls_each);
  CHECK(within_half_a_minute([&] { return c.the_pool->stats().busy == 0; }));
  for (auto const& m : c.the_pool->stats().members) CHECK(m.in_flight == 0);
  c.the_pool.reset();
  home.join();
}

TEST_CASE("pool: members that die again and again cost their own calls only", "[pool][threads]") {
  asio::io_context io;
  auto work = asio::make_work_guard(io);
  std::vector<std::thread> running;
  for (int i = 0; i != 2; ++i) running.emplace_back([&io] { io.run(); });
  crowd c(asio::make_strand(io));
  tally t;
  start_callers(c, t);
  std::size_t which = 0;
  CHECK(within_half_a_minute([&] {
    if (t.total() % 50 == 0) c.drop(which++ % members);
    (void)c.the_pool->stats();
    (void)c.the_pool->connections();
    return t.open_callers == 0;
  }));
  CHECK(t.total() == callers * calls_each);
  CHECK(t.other == 0);
  CHECK(t.answered > 0);
  c.the_pool.reset();
  work.reset();  // home runs out before the servers' threads end: a member may just be connecting again
  for (auto& r : running) r.join();
}

TEST_CASE("pool: closed while calls run from four threads, every call ends once", "[pool][threads]") {
  asio::thread_pool home(2);
  crowd c(home.get_executor());
  for (int after : {0, 1, 100}) {
    tally t;
    start_callers(c, t);
    CHECK(within_half_a_minute([&] { return t.total() >= after; }));
    std::atomic<bool> closed{false};
    auto const close = [](pool const& p, std::atomic<bool>& done) -> asio::awaitable<void> {
      co_await p.close();
      done = true;
    };
    asio::co_spawn(asio::make_strand(c.threads), close(*c.the_pool, closed), asio::detached);
    CHECK(within_half_a_minute([&] { return closed && t.open_callers == 0; }));
    CHECK(t.total() == callers * calls_each);
    CHECK(t.other == 0);
  }
  c.the_pool.reset();
  home.join();
}
