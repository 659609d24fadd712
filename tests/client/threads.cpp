// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One client under four threads: on a strand of a multi-threaded io_context, and on a thread_pool. What is looked for
// is a data race or a call that never ends; TSan runs this.
#include <comcp/client/connect.hpp>

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/this_coro.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/test/fake_server.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

constexpr int callers = 4;
constexpr int calls_each = 200;

struct tally {
  std::atomic<int> answered{0}, cancelled{0}, closed{0}, other{0}, open_callers{callers};
  void count(error const& e) {
    if (!e) ++answered;
    else if (e == errc::cancelled) ++cancelled;
    else if (e == errc::closed || e == errc::transport_failed || e == errc::outcome_unknown) ++closed;
    else ++other;
  }
  [[nodiscard]] int total() const { return answered + cancelled + closed + other; }
};

// Every third call is never answered: it ends by its stop token, which is stopped from `elsewhere`, or by the close.
asio::awaitable<void> call_many(client const& cl, tally& t, asio::any_io_executor elsewhere) {
  for (int i = 0; i != calls_each; ++i) {
    bool const never = i % 3 == 0;
    call_options options;
    options.timeout(20s);
    if (never) {
      std::stop_source source;
      options.stop(source.get_token());
      auto stop = [source]() mutable { source.request_stop(); };
      asio::post(elsewhere, std::move(stop));
    }
    auto const answered = co_await as_result(cl.call_tool(never ? "never" : "echo", args("i", i), options));
    t.count(answered ? error() : answered.error());
  }
  --t.open_callers;
}

void serve(fake_server& server) {
  server.on("tools/call", [](fake_request r) {
    if (r.params()["name"].as<std::string>() == "echo") r.reply(args("content", std::vector<json::value>()));
  });
}

template <class Condition>
bool within_half_a_minute(Condition const& reached) {
  auto const limit = std::chrono::steady_clock::now() + 30s;
  while (!reached()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::yield();
  }
  return true;
}

// `where` gives each caller an executor; four threads run whatever it belongs to. The server outlives them.
template <class Where>
void call_and_cancel(fake_server& server, asio::any_io_executor const& home, Where const& where) {
  serve(server);
  std::optional<client> cl;
  std::atomic<bool> connected{false};
  auto const open = [&]() -> asio::awaitable<void> {
    auto opened = co_await connect(server.transport(), connect_options().executor(home));
    cl.emplace(std::move(opened));
    connected = true;
  };
  asio::co_spawn(home, open(), asio::detached);
  REQUIRE(within_half_a_minute([&] { return connected.load(); }));

  tally t;
  auto const elsewhere = server.get_executor();
  for (int i = 0; i != callers; ++i) asio::co_spawn(where(), call_many(*cl, t, elsewhere), asio::detached);
  CHECK(within_half_a_minute([&] { return t.open_callers == 0; }));
  CHECK(t.total() == callers * calls_each);
  CHECK(t.cancelled == callers * ((calls_each + 2) / 3));
  CHECK(t.other == 0);
  CHECK(t.closed == 0);

  // And now all close at once, while others call.
  tally late;
  std::atomic<int> closes{0};
  for (int i = 0; i != callers; ++i) {
    asio::co_spawn(where(), call_many(*cl, late, elsewhere), asio::detached);
    auto const close = [](client const& which, std::atomic<int>& n) -> asio::awaitable<void> {
      co_await which.close();
      ++n;
    };
    asio::co_spawn(where(), close(*cl, closes), asio::detached);
  }
  CHECK(within_half_a_minute([&] { return closes == callers && late.open_callers == 0; }));
  CHECK(late.total() == callers * calls_each);
  CHECK(late.other == 0);
  cl.reset();
}

}  // namespace

TEST_CASE("threads: calls, cancels by stop token and closes from four threads, on a strand", "[client][threads]") {
  asio::io_context io(4);
  fake_server server(asio::make_strand(io));
  auto guard = asio::make_work_guard(io);
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i) threads.emplace_back([&io] { io.run(); });
  call_and_cancel(server, asio::make_strand(io), [&io]() -> asio::any_io_executor { return asio::make_strand(io); });
  guard.reset();
  for (auto& t : threads) t.join();
}

TEST_CASE("threads: the same where the callers are on the client's own strand", "[client][threads]") {
  asio::io_context io(4);
  fake_server server(asio::make_strand(io));
  auto guard = asio::make_work_guard(io);
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i) threads.emplace_back([&io] { io.run(); });
  asio::any_io_executor const home = asio::make_strand(io);
  call_and_cancel(server, home, [&home] { return home; });
  guard.reset();
  for (auto& t : threads) t.join();
}

TEST_CASE("threads: a thread_pool executor is recognised and wrapped", "[client][threads]") {
  asio::thread_pool pool(4);
  fake_server server(asio::make_strand(pool));
  call_and_cancel(server, pool.get_executor(), [&pool]() -> asio::any_io_executor { return asio::make_strand(pool); });
  pool.join();
}

TEST_CASE("threads: clients are destroyed while their calls are in flight", "[client][threads]") {
  asio::thread_pool pool(4);
  std::atomic<int> ended{0};
  constexpr int clients = 20;
  auto const one = [](std::atomic<int>& n) -> asio::awaitable<void> {
    auto const here = co_await asio::this_coro::executor;
    fake_server server(here);
    serve(server);
    tally t;
    {
      auto opened = co_await connect(server.transport());
      auto cl = std::make_shared<client>(std::move(opened));
      auto const call = [](std::shared_ptr<client> c, tally& counts) -> asio::awaitable<void> {
        auto operation = c->call_tool("never");
        c.reset();
        auto const r = co_await as_result(std::move(operation));
        counts.count(r ? error() : r.error());
        --counts.open_callers;
      };
      for (int i = 0; i != callers; ++i) asio::co_spawn(here, call(cl, t), asio::detached);
      auto const some = co_await as_result(cl->call_tool("echo"));
      (void)some;
    }
    while (t.open_callers > 0) co_await asio::post(asio::use_awaitable);
    if (t.closed == callers) ++n;
  };
  for (int i = 0; i != clients; ++i) {
    asio::co_spawn(asio::make_strand(pool), one(ended), asio::detached);
  }
  pool.join();
  CHECK(ended == clients);
}

TEST_CASE("threads: all() on a pool, of work and of two clients' calls", "[client][threads]") {
  asio::thread_pool pool(4);
  std::vector<fake_server> servers;
  for (int i = 0; i != 2; ++i) {
    servers.emplace_back(asio::make_strand(pool));
    serve(servers.back());
  }
  auto const trivial = [](int i) -> asio::awaitable<int> {
    if (i % 2) co_await asio::post(asio::use_awaitable);
    co_return i;
  };
  std::atomic<int> right{0};
  constexpr int rounds = 300;
  auto const work = [&]() -> asio::awaitable<void> {
    auto one = co_await connect(servers[0].transport());
    auto two = co_await connect(servers[1].transport());
    for (int round = 0; round != rounds; ++round) {
      std::vector<asio::awaitable<int>> numbers;
      for (int i = 0; i != 4; ++i) numbers.push_back(trivial(i));
      auto const counted = co_await all(std::move(numbers));
      std::vector<asio::awaitable<call_tool_result>> calls;
      for (int i = 0; i != 4; ++i) calls.push_back((i % 2 ? one : two).call_tool("echo"));
      auto const called = co_await all(std::move(calls));
      bool well = true;
      for (int i = 0; i != 4; ++i) well = well && *counted[static_cast<std::size_t>(i)] == i && called[static_cast<std::size_t>(i)];
      right += well;
    }
  };
  auto done = asio::co_spawn(pool, work(), asio::use_future);
  REQUIRE(done.wait_for(60s) == std::future_status::ready);
  done.get();
  CHECK(right == rounds);
  pool.join();
}

TEST_CASE("threads: notify_roots_changed() looks at the version on the client's own executor", "[client][threads]") {
  asio::thread_pool pool(4);
  asio::any_io_executor const home = asio::make_strand(pool);
  fake_server server(home);
  server.legacy();
  std::optional<client> cl;
  auto const open = [&]() -> asio::awaitable<void> {
    auto opened = co_await connect(server.transport(), connect_options().executor(home));
    cl.emplace(std::move(opened));
  };
  asio::co_spawn(home, open(), asio::use_future).get();
  std::atomic<int> told{0};
  auto const tell = [&]() -> asio::awaitable<void> {
    for (int i = 0; i != 50; ++i) {
      auto const r = co_await as_result(cl->notify_roots_changed());
      told += r.has_value();
    }
  };
  auto const restart = [&]() -> asio::awaitable<void> {
    for (int i = 0; i != 50; ++i) co_await cl->reconnect();
  };
  auto restarts = asio::co_spawn(asio::make_strand(pool), restart(), asio::use_future);
  std::vector<std::future<void>> tellers;
  for (int i = 0; i != 3; ++i) tellers.push_back(asio::co_spawn(asio::make_strand(pool), tell(), asio::use_future));
  for (auto& t : tellers) t.get();
  restarts.get();
  CHECK(told == 150);
  cl.reset();
  pool.join();
}
