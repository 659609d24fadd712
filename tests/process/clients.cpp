// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Clients, registries and pools over server processes: what such a server wrote in place of a handshake, how long a
// close takes, and that no process outlives its owner, even where the executor never runs again.
#include <optional>

#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>

#include <comcp/comcp.hpp>
#include <comcp/pool/pool.hpp>
#include <comcp/registry/registry.hpp>
#include <comcp/test/manual_clock.hpp>

#include "support/transport_box.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using comcp_test::has_children;
using comcp_test::has_children_now;

namespace {

// Ends by SIGKILL only.
comcp::stdio stubborn() { return comcp::stdio(std::string(COMCP_TEST_SERVERS_DIR) + "/comcp_test_echo_server", "stays"); }

asio::awaitable<void> connect_to(std::optional<client>& out, comcp::stdio transport, connect_options options) {
  auto connecting = connect(std::move(transport), std::move(options));
  auto made = co_await std::move(connecting);
  out.emplace(std::move(made));
}

comcp::stdio misbehaving(std::string how) {
  return comcp::stdio(std::string(COMCP_TEST_SERVERS_DIR) + "/comcp_test_misbehaving", std::move(how));
}

/// Why a program was no server, once 30 s have passed since it wrote to stderr.
error refusal_of(std::string how) {
  asio::io_context io;
  auto const clock = std::make_shared<test::manual_clock>();
  auto sink = [&](std::string_view) { asio::post(io, [clock] { clock->advance(30s); }); };
  auto transport = misbehaving(std::move(how)).time(clock).stderr_to(stderr_target::sink(sink));
  std::optional<client> none;
  try {
    comcp_test::run(io, connect_to(none, std::move(transport), connect_options().legacy().time(clock)));
  } catch (comcp::exception const& e) {
    return e.error();
  }
  return {};
}

}  // namespace

TEST_CASE("clients: the error of a handshake that never came has what the server wrote", "[process]") {
  auto const framed = refusal_of("framed");
  CHECK(framed == errc::timeout);
  CHECK_THAT(std::string(framed.message()), match::contains("1, the first: not JSON: Content-Length: 9") &&
                                                match::contains("a line came without its end: {\"a\": 1}"));
  REQUIRE(framed.detail());
  CHECK(framed.detail()->stderr_tail == "seen\n");
  auto const prompt = refusal_of("prompt");
  CHECK(prompt == errc::timeout);
  CHECK_THAT(std::string(prompt.message()), match::ends_with("a line came without its end: <U+001B>[1m>"));
  auto const usage = refusal_of("usage");
  CHECK(usage == errc::transport_failed);
  CHECK_THAT(usage.to_string(), match::contains("not JSON: usage: server [options]") && match::contains("exit status 2"));
  CHECK_FALSE(has_children());
}

#if !defined(_WIN32)  // whose ladder has the rung in the middle only where there is a console
TEST_CASE("clients: the ladder that ends a server process fits into close_timeout", "[process]") {
  asio::io_context io;
  auto const clock = std::make_shared<test::manual_clock>();
  std::optional<client> c;
  comcp_test::run(io, connect_to(c, stubborn().time(clock), connect_options().time(clock)));
  auto const start = clock->now();
  bool closed = false;
  auto const close = [&]() -> asio::awaitable<void> {
    co_await c->close();
    closed = true;
  };
  auto const talk = [&]() -> asio::awaitable<void> {
    asio::co_spawn(io, close(), [](std::exception_ptr) {});
    for (auto const step : {2s, 4s}) {
      while (clock->next_deadline() != start + step) co_await asio::post(io, asio::use_awaitable);
      clock->advance(2s);
    }
    while (!closed) co_await asio::post(io, asio::use_awaitable);
    auto const transport = co_await c->transport_info();
    CHECK(transport.term_signal == comcp_test::killed);
  };
  comcp_test::run(io, talk());
  CHECK_FALSE(has_children());
}
#endif

TEST_CASE("clients: no process outlives its client, though the executor stands still", "[process]") {
  std::optional<client> c;
  SECTION("a strand of an io_context that was stopped") {
    asio::io_context io;
    comcp_test::run(io, connect_to(c, stubborn(), connect_options().executor(asio::make_strand(io))));
    io.stop();
    CHECK(has_children_now());
    c.reset();
    CHECK_FALSE(has_children());
  }
  SECTION("an io_context that nobody runs") {
    asio::io_context io;
    comcp_test::run(io, connect_to(c, stubborn(), connect_options()));
    io.restart();
    CHECK(has_children_now());
    c.reset();
    CHECK_FALSE(has_children());
  }
  SECTION("a thread_pool that was stopped") {
    asio::thread_pool threads(1);
    asio::co_spawn(threads, connect_to(c, stubborn(), connect_options()), asio::use_future).get();
    threads.stop();
    threads.join();
    CHECK(has_children_now());
    c.reset();
    CHECK_FALSE(has_children());
  }
}

TEST_CASE("clients: no process outlives its registry or pool, though the executor stands still", "[process]") {
  asio::io_context io;
  auto const home = asio::make_strand(io);
  server_config config(stubborn());
  SECTION("a registry") {
    std::optional<registry> r(std::in_place, home);
    comcp_test::run(io, r->add("s", config));
    bool all_ready = false;
    auto const settled = [&]() -> asio::awaitable<void> { all_ready = co_await r->settled(30s); };
    comcp_test::run(io, settled());
    REQUIRE(all_ready);
    io.stop();
    CHECK(has_children_now());
    r.reset();
    CHECK_FALSE(has_children());
  }
  SECTION("a registry that is still connecting") {
    std::optional<registry> r(std::in_place, home);
    server_config silent(misbehaving("silent"));
    comcp_test::run(io, r->add("s", silent.background()));
    io.restart();
    while (!has_children_now()) io.run_one_for(10ms);
    io.stop();
    r.reset();
    CHECK_FALSE(has_children());
  }
  SECTION("a pool") {
    std::optional<pool> p(std::in_place, home, config, pool_options().size(2));
    comcp_test::run(io, p->warm_up());
    io.stop();
    CHECK(has_children_now());
    p.reset();
    CHECK_FALSE(has_children());
  }
}
