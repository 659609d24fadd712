// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A registry on a thread_pool: calls from one of its threads, snapshots from others, while servers crash, come and go.
// TSan runs this.
#include <comcp/registry/registry.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/test/fake_server.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

constexpr int rounds = 60;

struct tally {
  std::atomic<int> answered{0}, failed{0}, lookers{0};
  std::atomic<bool> over{false};
};

// With an executor, the server lives there.
server_config config_of(fake_server const& s, asio::any_io_executor on) {
  auto make = [s] { return any_transport(s.transport()); };
  return server_config::from(make).reconnect(reconnect_policy::forever().delay(1ms, 5ms)).executor(std::move(on));
}

void serve(fake_server& s) {
  s.answer("tools/list", json::raw(R"({"tools":[{"name":"echo","inputSchema":{"type":"object"}}]})"));
  s.answer("resources/list", json::raw(R"({"resources":[]})"));
  s.answer("resources/templates/list", json::raw(R"({"resourceTemplates":[]})"));
  s.answer("prompts/list", json::raw(R"({"prompts":[]})"));
  s.answer("tools/call", json::raw(R"({"content":[]})"));
}

asio::awaitable<void> drop_on_its_executor(fake_server s) {
  s.drop();
  co_return;
}

asio::awaitable<void> work(registry const& r, fake_server stays, fake_server comes, asio::any_io_executor on,
                           tally& t) {
  co_await r.add("stays", config_of(stays, on));
  for (int i = 0; i != rounds; ++i) {
    co_await r.add("comes", config_of(comes, on));
    if (i % 5 == 0) asio::co_spawn(stays.get_executor(), drop_on_its_executor(stays), asio::detached);
    auto const one = co_await as_result(r.call("stays/echo"));
    auto const two = co_await as_result(r.call("comes/echo"));
    ++(one ? t.answered : t.failed);
    ++(two ? t.answered : t.failed);
    co_await r.remove("comes");
  }
  auto const limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (t.lookers < 2 && std::chrono::steady_clock::now() < limit) {
    co_await asio::post(asio::use_awaitable);
  }
  co_await r.close();
  t.over = true;
}

void look(registry const& r, tally& t) {
  std::size_t seen = 0;
  bool counted = false;
  while (!t.over) {
    for (auto const& name : r.servers()) {
      auto const status = r.status(name);
      if (status) seen += status->history.size();
      auto const config = r.config(name);
      if (config) seen += config->reconnect().circuit_breaker();
      auto const connection = r.find(name);  // perhaps the last to hold it
      if (connection) seen += 1;
    }
    for (auto const& tool : r.tools()) seen += tool.definition.name.size();
    seen += r.resources().size() + r.faults().size() + r.blocked().size();
    if (seen > 0 && !std::exchange(counted, true)) ++t.lookers;
    std::this_thread::yield();
  }
}

}  // namespace

TEST_CASE("registry: snapshots from other threads while servers crash, come and go", "[registry][threads]") {
  bool const apart = GENERATE(false, true);
  asio::thread_pool pool(3), servers(2);
  fake_server stays(asio::make_strand(pool)), comes(asio::make_strand(pool));
  serve(stays);
  serve(comes);
  tally t;
  registry const r(pool.get_executor());
  asio::co_spawn(pool, work(r, stays, comes, apart ? servers.get_executor() : asio::any_io_executor(), t),
                 [&](std::exception_ptr e) {
                   t.over = true;
                   if (e) ++t.failed, std::rethrow_exception(e);
                 });
  std::thread other([&] { look(r, t); });
  look(r, t);
  other.join();
  CHECK(t.lookers == 2);  // both have seen "stays"
  CHECK(t.answered + t.failed == 2 * rounds);
  CHECK(t.answered >= rounds);
  pool.join();
  servers.join();
}
