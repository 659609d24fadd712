// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Connections on loan: checkout, with_connection, and what is left of a lease when its member or the pool is gone.
#include <comcp/pool/pool.hpp>

#include <optional>
#include <stdexcept>

#include <asio/strand.hpp>

#include "pool/crew.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<lease> && std::is_nothrow_move_constructible_v<lease>);

TEST_CASE("lease: counts as in flight until it goes, and others use the connection meanwhile", "[pool]") {
  crew c;
  auto const p = c.make(2);
  {
    auto const l = c.finish(p.checkout());
    REQUIRE(l);
    CHECK(l->name() == "1");
    CHECK(load_of(p) == "10");
    CHECK(p.stats().busy == 1);
    CHECK(c.said(c.finish((**l).call_tool("who"))) == "0");
    CHECK(c.said(c.finish((*l)->call_tool("who"))) == "0");
    CHECK(c.turns(p, 3) == "101");
  }
  CHECK(load_of(p) == "00");
}

TEST_CASE("lease: moving it moves the loan, and giving back twice is fine", "[pool]") {
  crew c;
  auto const p = c.make(2);
  auto a = std::move(c.finish(p.checkout())).value();
  auto b = std::move(c.finish(p.checkout())).value();
  CHECK(load_of(p) == "11");
  lease moved = std::move(a);
  CHECK_FALSE(a);
  CHECK(moved);
  CHECK(load_of(p) == "11");
  moved = std::move(b);  // what it held goes back
  CHECK(moved.name() == "2");
  CHECK(load_of(p) == "01");
  moved.give_back();
  moved.give_back();
  CHECK_FALSE(moved);
  CHECK(load_of(p) == "00");
  CHECK(c.finish(moved->list_tools()).error() == errc::closed);
  lease const none;
  CHECK(c.finish(none->list_tools()).error() == errc::closed);
}

TEST_CASE("lease: least_busy counts leases", "[pool]") {
  crew c;
  auto const p = c.make(2, c.pooled().strategy(least_busy()));
  auto const l = c.finish(p.checkout());
  CHECK(c.turns(p, 3) == "111");
}

TEST_CASE("lease: checkout waits for a ready member, 5 s unless told otherwise", "[pool]") {
  crew c;
  auto const p = c.make({c.broken_config()}, c.pooled());
  auto const brief = c.start(p.checkout(150ms));
  auto const usual = c.start(p.checkout());
  auto const instant = c.finish(p.checkout(0ms));
  CHECK(instant.error() == errc::no_connections);
  for (int i = 0; i != 3; ++i) c.advance(50ms);
  CHECK(brief->error() == errc::no_connections);
  CHECK_FALSE(usual->done());
  c.advance(4849ms);
  CHECK_FALSE(usual->done());
  c.advance(1ms);
  CHECK(usual->error() == errc::no_connections);
}

TEST_CASE("lease: checkout gets the member that comes back", "[pool]") {
  crew c;
  auto const p = c.make(1);
  c.servers[0].drop();
  c.settle();
  auto const waiting = c.start(p.checkout());
  CHECK_FALSE(waiting->done());
  c.advance(100ms);
  REQUIRE(waiting->ok());
  CHECK((*waiting)->name() == "1");
}

TEST_CASE("lease: outlives the pool, and its operations are closed then", "[pool]") {
  crew c;
  std::optional<pool> p(c.make(1));
  auto l = c.finish(p->checkout());
  auto const under_way = c.start((*l)->call_tool("hang"));
  p.reset();
  c.settle();
  CHECK(under_way->done());
  CHECK_FALSE(under_way->ok());
  CHECK(c.finish((*l)->list_tools()).error() == errc::closed);
  CHECK(l->name() == "1");
  l->give_back();
}

TEST_CASE("lease: outlives its member", "[pool]") {
  crew c;
  auto const p = c.make(2);
  auto const l = c.finish(p.checkout());
  auto const call = c.start((*l)->call_tool("hang"));
  CHECK(c.finish(p.remove("1")));
  CHECK(call->done());
  CHECK_FALSE(call->ok());
  CHECK(c.finish((*l)->list_tools()).error() == errc::closed);
  CHECK(p.stats().total == 1);
  CHECK(c.turns(p, 2) == "11");
}

TEST_CASE("lease: with_connection lends a connection for as long as the function runs", "[pool]") {
  crew c;
  auto const p = c.make(2);
  auto const twice = [&](client const& connection) -> asio::awaitable<std::string> {
    CHECK(load_of(p) == "10");
    auto const a = co_await connection.call_tool("who");
    auto const b = co_await connection.call_tool("who");
    co_return a.text() + b.text();
  };
  auto const said = c.finish(p.with_connection(twice));
  REQUIRE(said);
  CHECK(*said == "00");
  CHECK(load_of(p) == "00");
  int calls = 0;
  auto const nothing = [&](client const&) -> asio::awaitable<void> {
    ++calls;
    co_return;
  };
  CHECK(c.finish(p.with_connection(nothing)));
  CHECK(calls == 1);
}

TEST_CASE("lease: with_connection gives the connection back when the function throws or is cancelled", "[pool]") {
  crew c;
  auto const p = c.make(1);
  auto const throws = [](client const& connection) -> asio::awaitable<int> {
    (void)co_await connection.call_tool("who");
    throw exception(error(errc::denied, "by the test"));
  };
  CHECK(c.finish(p.with_connection(throws)).error() == errc::denied);
  CHECK(load_of(p) == "0");
  auto const at_once = [](client const&) -> asio::awaitable<int> { throw exception(error(errc::denied)); };
  CHECK(c.finish(p.with_connection(at_once)).error() == errc::denied);
  auto const hangs = [](client const& connection) -> asio::awaitable<int> {
    (void)co_await connection.call_tool("hang");
    co_return 1;
  };
  auto const hanging = c.start(p.with_connection(hangs));
  CHECK(load_of(p) == "1");
  hanging->cancel();
  c.settle();
  CHECK(hanging->error() == errc::cancelled);
  CHECK(load_of(p) == "0");
}

TEST_CASE("lease: with_connection calls nothing without a connection", "[pool]") {
  crew c;
  auto const p = c.make({}, c.pooled());
  bool called = false;
  auto const fn = [&](client const&) -> asio::awaitable<int> {
    called = true;
    co_return 1;
  };
  CHECK(c.finish(p.with_connection(fn, 1s)).error() == errc::no_connections);
  CHECK_FALSE(called);
}

TEST_CASE("lease: what belongs to one connection is asked of it, as subscriptions and pages", "[pool]") {
  crew c;
  auto const p = c.make(2);
  std::vector<std::string> updates;
  auto const l = c.finish(p.checkout());
  auto const subscribed = c.finish((*l)->subscribe("file:///x", [&](resource_updated const& u) { updates.push_back(u.uri); }));
  REQUIRE(subscribed);
  c.servers[0].notify_listeners("notifications/resources/updated", args("uri", "file:///x"));
  c.settle();
  CHECK(updates.size() == 1);
  CHECK(c.servers[1].count("subscriptions/listen") == 0);
  c.servers[0].answer("tools/list", json::raw(R"({"tools":[],"nextCursor":"more"})"));
  auto pages = (*l)->pages<tool>();
  auto const page = c.finish(pages.next());
  REQUIRE(page);
  CHECK((*page)->next_cursor == "more");
}

TEST_CASE("lease: it and its pool may be held longer than the io_context", "[pool]") {
  bool const on_strand = GENERATE(false, true);
  std::optional<pool> held;
  std::optional<lease> loan;
  {
    asio::io_context io(1);
    asio::any_io_executor home = io.get_executor();
    if (on_strand) home = asio::make_strand(io);
    comcp::test::fake_server server(home);
    server.silent("tools/call");
    auto config = server_config::from([&server] { return any_transport(server.transport()); });
    held.emplace(home, std::move(config), pool_options().size(2));
    auto const borrow = [](pool const& p, std::optional<lease>& out) -> asio::awaitable<void> {
      auto l = co_await p.checkout();
      out.emplace(std::move(l));
      (void)co_await as_result(p.call_tool("never"));
    };
    asio::co_spawn(home, borrow(*held, loan), asio::detached);
    io.poll();
    REQUIRE(loan);
  }
  conversation elsewhere;
  CHECK(elsewhere.finish(held->call_tool("x")).error() == errc::closed);
  CHECK(elsewhere.finish((*loan)->ping()).error() == errc::closed);
}
