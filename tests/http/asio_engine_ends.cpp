// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How exchanges of the Asio engine end before their time: deadlines, cancellation, the engine's or the context's end,
// early answers, limits.
#include <comcp/http/asio_engine.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/post.hpp>

#include <comcp/test/manual_clock.hpp>

#include "support/engine_calls.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void> turn() { return asio::post(asio::use_awaitable); }

/// A script that gets its request, does something, and waits for the client to close.
peer_script after_request(std::function<asio::awaitable<void>(peer_connection&)> then) {
  return [then](peer_connection& c) -> asio::awaitable<void> {
    auto const request = co_await c.read_request();
    if (!request) co_return;
    co_await then(c);
    co_await c.wait_for_close();
  };
}

http_request timed(http_peer const& peer, http_timeouts const& t) {
  auto out = request_to(peer);
  out.timeouts = t;
  return out;
}

/// Runs a coroutine that is cancelled by `signal`; what Asio throws then is errc::cancelled.
template <class T>
asio::awaitable<result<T>> cancellable(asio::awaitable<result<T>> op, asio::cancellation_signal& signal) {
  auto const on = co_await asio::this_coro::executor;
  auto [thrown, out] =
      co_await asio::co_spawn(on, std::move(op), asio::bind_cancellation_slot(signal.slot(), net::tuple_awaitable));
  co_await turn();
  if (thrown) co_return error(errc::cancelled);
  co_return std::move(out);
}

asio::awaitable<void> until_closed(http_peer& peer) {
  while (peer.finished() < peer.connections()) co_await turn();
}

}  // namespace

TEST_CASE("asio_engine: no connection in time is connect_timeout", "[http]") {
  asio::io_context io;
  auto const clock = std::make_shared<test::manual_clock>();
  for (bool const total : {false, true}) {
    auto const client = [&]() -> asio::awaitable<void> {
      asio_engine engine(asio_engine_options().time(clock), lost([&] {
        asio::post(io, [&] {
          clock->advance(total ? 5s : 9999ms);
          if (!total) clock->advance(1ms);
        });
      }));
      auto request = request_to("http://nowhere.test/");
      if (total) request.timeouts.total(5s);
      auto const start = clock->now();
      auto const got = co_await fetch(engine, std::move(request));
      CHECK(got.error() == (total ? errc::exchange_timeout : errc::connect_timeout));
      CHECK(clock->now() - start == (total ? 5s : 10s));
    };
    run(io, client());
  }
}

TEST_CASE("asio_engine: no head in time is response_timeout, however its bytes trickle", "[http]") {
  asio::io_context io;
  auto const clock = std::make_shared<test::manual_clock>();
  http_peer peer(io, after_request([&](peer_connection& c) -> asio::awaitable<void> {
                   for (int i = 0; i < 9; ++i) {
                     co_await c.write("HTTP/1.1 100 Continue\r\n\r\n");
                     for (int k = 0; k < 10; ++k) co_await turn();
                     clock->advance(1s);
                   }
                   for (int k = 0; k < 10; ++k) co_await turn();
                   clock->advance(1s);
                 }));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine(asio_engine_options().time(clock));
    auto const start = clock->now();
    auto const got = co_await fetch(engine, timed(peer, http_timeouts().response(10s)));
    CHECK(got.error() == errc::response_timeout);
    CHECK(clock->now() - start == 10s);
    co_await until_closed(peer);
  };
  run(io, client());
}

TEST_CASE("asio_engine: a body that stops is idle_timeout, one that goes on is not", "[http]") {
  asio::io_context io;
  auto const clock = std::make_shared<test::manual_clock>();
  http_peer peer(io, after_request([&](peer_connection& c) -> asio::awaitable<void> {
                   co_await c.write(chunked_head());
                   for (int i = 0; i < 5; ++i) {
                     for (int k = 0; k < 10; ++k) co_await turn();
                     clock->advance(9s);
                     for (int k = 0; k < 10; ++k) co_await turn();
                     co_await c.write(chunk_of("x"));
                   }
                   for (int k = 0; k < 10; ++k) co_await turn();
                   clock->advance(10s);
                 }));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine(asio_engine_options().time(clock));
    auto opened = co_await engine.open(timed(peer, http_timeouts().idle(10s)));
    REQUIRE(opened);
    for (int i = 0; i < 5; ++i) {
      auto const piece = co_await opened->next();
      REQUIRE(piece);
      CHECK(*piece == "x");
    }
    auto piece = co_await opened->next();
    CHECK(piece.error() == errc::idle_timeout);
    REQUIRE(piece.error().detail() != nullptr);
    CHECK(piece.error().detail()->http_status == 200);
    piece = co_await opened->next();
    CHECK(piece.error() == errc::idle_timeout);
    co_await until_closed(peer);
  };
  run(io, client());
}

TEST_CASE("asio_engine: the whole exchange has a time, an event stream has none", "[http]") {
  for (bool const events : {false, true}) {
    asio::io_context io;
    auto const clock = std::make_shared<test::manual_clock>();
    http_peer peer(io, after_request([&](peer_connection& c) -> asio::awaitable<void> {
                     co_await c.write(chunked_head(200, events ? "Content-Type: text/event-stream\r\n" : "") + chunk_of("x"));
                     for (int k = 0; k < 10; ++k) co_await turn();
                     clock->advance(20s);
                     for (int k = 0; k < 10; ++k) co_await turn();
                     co_await c.write(chunk_of("y") + last_chunk);
                   }));
    auto const client = [&]() -> asio::awaitable<void> {
      asio_engine engine(asio_engine_options().time(clock));
      auto opened = co_await engine.open(timed(peer, http_timeouts().total(20s)));
      REQUIRE(opened);
      auto const body = co_await read_body(*opened);
      CHECK(body.has_value() == events);
      if (!events) CHECK(body.error() == errc::exchange_timeout);
    };
    run(io, client());
  }
}

TEST_CASE("asio_engine: an alarm that is set for a later time does not hide an earlier one", "[http]") {
  asio::io_context io;
  auto const clock = std::make_shared<test::manual_clock>();
  int requests = 0;
  http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
    for (;;) {
      auto const request = co_await c.read_request();
      if (!request) co_return;
      if (++requests < 3) {
        co_await c.write(http_answer(200, "ok"));
      } else {
        clock->advance(2s);
      }
    }
  });
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine(asio_engine_options().time(clock));
    auto got = co_await fetch(engine, timed(peer, http_timeouts().response(1h)));
    clock->advance(30s);
    got = co_await fetch(engine, timed(peer, http_timeouts().response(10s)));
    CHECK(got);
    got = co_await fetch(engine, timed(peer, http_timeouts().response(2s)));
    CHECK(got.error() == errc::response_timeout);
    CHECK(peer.connections() == 1);
  };
  run(io, client());
}

TEST_CASE("asio_engine: cancelling abandons, wherever it is", "[http]") {
  asio::io_context io;
  asio::cancellation_signal signal;
  auto const cancel = [&] { asio::post(io, [&] { signal.emit(asio::cancellation_type::terminal); }); };
  http_peer peer(io, after_request([&](peer_connection& c) -> asio::awaitable<void> {
                   if (c.number() == 1) co_await c.write(chunked_head() + chunk_of("x"));
                   for (int k = 0; k < 10; ++k) co_await turn();
                   cancel();
                 }));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine, nowhere(asio_engine_options(), lost(cancel));
    auto const unconnected = co_await cancellable(nowhere.open(request_to("http://nowhere.test/")), signal);
    CHECK(unconnected.error() == errc::cancelled);
    auto const headless = co_await cancellable(engine.open(request_to(peer)), signal);
    CHECK(headless.error() == errc::cancelled);
    auto opened = co_await engine.open(request_to(peer));
    REQUIRE(opened);
    auto const cut = co_await cancellable(read_body(*opened), signal);
    CHECK(cut.error() == errc::cancelled);
    opened = result<asio_engine::response>(errc::cancelled);
    co_await until_closed(peer);
    CHECK(engine.busy_connections() == 0);
    CHECK(engine.idle_connections() == 0);
  };
  run(io, client());
}

TEST_CASE("asio_engine: who was cancelled and goes on may use it", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "ok")));
  asio::cancellation_signal signal;
  asio_engine engine;
  bool done = false;
  auto const client = [&]() -> asio::awaitable<void> {
    co_await asio::this_coro::throw_if_cancelled(false);
    signal.emit(asio::cancellation_type::terminal);
    auto const state = co_await asio::this_coro::cancellation_state;
    CHECK(state.cancelled() != asio::cancellation_type::none);
    for (int i = 0; i < 2; ++i) {
      auto const got = co_await fetch(engine, request_to(peer));
      CHECK(got);
    }
    done = true;
    engine.close_idle();
    peer.stop();
  };
  asio::co_spawn(io, client(), asio::bind_cancellation_slot(signal.slot(), asio::detached));
  io.run_for(10s);
  CHECK(done);
}

TEST_CASE("asio_engine: its end is the end of its exchanges, wherever they are", "[http]") {
  asio::io_context io;
  std::optional<asio_engine> engine;
  auto const end = [&] { asio::post(io, [&] { engine.reset(); }); };
  http_peer peer(io, after_request([&](peer_connection& c) -> asio::awaitable<void> {
                   if (c.number() > 0) co_await c.write(chunked_head() + chunk_of("x"));
                   for (int k = 0; k < 10; ++k) co_await turn();
                   if (c.number() < 2) end();
                 }));
  auto const client = [&]() -> asio::awaitable<void> {
    engine.emplace(asio_engine_options(), lost(end));
    auto const unconnected = co_await engine->open(request_to("http://nowhere.test/"));
    CHECK(unconnected.error() == errc::closed);
    engine.emplace();
    auto const headless = co_await engine->open(request_to(peer));
    CHECK(headless.error() == errc::closed);
    engine.emplace();
    auto opened = co_await engine->open(request_to(peer));
    REQUIRE(opened);
    auto body = co_await read_body(*opened);
    CHECK(body.error() == errc::closed);
    engine.emplace();
    opened = co_await engine->open(request_to(peer));
    REQUIRE(opened);
    auto unstarted = engine->open(request_to(peer));
    engine.reset();
    body = co_await read_body(*opened);
    CHECK(body.error() == errc::closed);
    auto const late = co_await std::move(unstarted);
    CHECK(late.error() == errc::closed);
    co_await until_closed(peer);
  };
  run(io, client());
}

TEST_CASE("asio_engine: an io_context may end with exchanges open", "[http]") {
  for (int const turns : {0, 1, 2, 3, 5, 8, 13, 40}) {
    auto const outlives = std::make_shared<asio_engine>(asio_engine_options(), lost([] {}));
    asio::io_context io;
    std::array<asio::cancellation_signal, 2> signals;  // ends before what they would cancel
    http_peer peer(io, after_request([&](peer_connection& c) -> asio::awaitable<void> {
                     if (c.number() == 1) co_await c.write(chunked_head() + chunk_of("x"));
                     if (c.number() == 2) co_await c.write(http_answer(200, "all"));
                   }));
    auto const client = [](std::shared_ptr<asio_engine> engine, std::string url) -> asio::awaitable<void> {
      auto const got = co_await fetch(*engine, request_to(url));
      co_await asio::steady_timer(co_await asio::this_coro::executor, 1h).async_wait(asio::use_awaitable);
    };
    auto const engine = std::make_shared<asio_engine>();
    auto const nowhere = std::make_shared<asio_engine>(asio_engine_options(), lost([] {}));
    for (int i = 0; i < 3; ++i) asio::co_spawn(io, client(engine, peer.url()), asio::detached);
    asio::co_spawn(io, client(engine, peer.url()), asio::bind_cancellation_slot(signals[0].slot(), asio::detached));
    asio::co_spawn(io, client(nowhere, "http://nowhere.test/"),
                   asio::bind_cancellation_slot(signals[1].slot(), asio::detached));
    std::shared_ptr<asio_engine> const not_kept(outlives.get(), [](auto*) {});
    asio::co_spawn(io, client(not_kept, "http://nowhere.test/"), asio::detached);
    auto held = std::make_shared<asio_engine>();
    asio::co_spawn(io, client(std::exchange(held, nullptr), peer.url()), asio::detached);
    for (int i = 0; i < turns; ++i) io.run_one_for(10ms);
    engine->close_idle();
    if (turns % 2 == 0) *engine = asio_engine();
  }
  SUCCEED("the sanitizers have not complained");
}

TEST_CASE("asio_engine: the engine's end is closed also for a request that is about to go out again", "[http]") {
  asio::io_context io;
  http_peer peer(io, [](peer_connection& c) -> asio::awaitable<void> {
    auto const first = co_await c.read_request();
    co_await c.write(http_answer(200, "ok"));
    auto const second = co_await c.read_request();  // and no answer
  });
  std::optional<asio_engine> engine;
  int asked = 0;
  auto const lookup = [&](asio::any_io_executor const&, std::string const&, std::uint16_t port,
                          net::lookup_done const& done) {
    asio::ip::tcp::endpoint const here(asio::ip::address_v4::loopback(), port);
    if (++asked == 1) return done(std::error_code(), net::endpoints(1, here));
    asio::post(io, [&] { engine.reset(); });
  };
  auto const client = [&]() -> asio::awaitable<void> {
    engine.emplace(asio_engine_options(), plain_connector(proxy_options::none(), lookup));
    auto const url = "http://name.test:" + std::to_string(peer.port()) + "/";
    auto const first = co_await fetch(*engine, request_to(url));
    CHECK(first);
    auto const second = co_await fetch(*engine, request_to(url, "GET"));
    REQUIRE_FALSE(second);
    CHECK(second.error() == errc::closed);
    CHECK(asked == 2);
    CHECK(peer.requests().size() == 2);
  };
  run(io, client());
}

TEST_CASE("asio_engine: an early answer to a long request is read, then the connection is closed", "[http]") {
  for (bool const closes : {false, true}) {
    asio::io_context io;
    http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
      auto const head = co_await c.read_head();
      co_await c.write(http_answer(413, "too much"));
      if (closes) co_return;
      while (peer.finished() == 0 && c.socket().available() == 0) co_await turn();
      co_await c.wait_for_close();
    });
    auto const client = [&]() -> asio::awaitable<void> {
      asio_engine engine;
      auto const got = co_await fetch(engine, request_to(peer, "POST", std::string(8 << 20, 'x')));
      REQUIRE(got);
      CHECK(*got == "413 too much");
      CHECK(engine.idle_connections() == 0);
      co_await until_closed(peer);
    };
    run(io, client());
  }
}

TEST_CASE("asio_engine: a long request arrives whole, and its connection is kept", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "ok")));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine;
    std::string body(3 << 20, 'x');
    for (std::size_t i = 0; i < body.size(); i += 1000) body[i] = static_cast<char>('a' + i % 26);
    auto const got = co_await fetch(engine, request_to(peer, "POST", body));
    REQUIRE(got);
    CHECK((peer.requests().at(0).body == body));
    CHECK(engine.idle_connections() == 1);
  };
  run(io, client());
}

TEST_CASE("asio_engine: limits are the options', and a long body needs few pieces", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, std::string(1 << 20, 'x'))));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine strict(asio_engine_options().limits(response_limits().body(1000))), engine;
    auto const got = co_await fetch(strict, request_to(peer));
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::limit_exceeded);
    CHECK(got.error().detail()->http_status == 200);
    CHECK(strict.idle_connections() == 0);
    auto opened = co_await engine.open(request_to(peer));
    std::size_t bytes = 0, largest = 0;
    for (;;) {
      auto const piece = co_await opened->next();
      REQUIRE(piece);
      if (piece->empty()) break;
      bytes += piece->size();
      largest = std::max(largest, piece->size());
    }
    CHECK(bytes == 1 << 20);
    CHECK(largest > 16384);
    CHECK(largest <= 65536);
  };
  run(io, client());
}
