// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Exchanges that tell a sink, without a coroutine. asio_engine.cpp has those that a coroutine awaits.
#include <comcp/http/asio_engine.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <asio/dispatch.hpp>
#include <asio/post.hpp>

#include <comcp/net/gate.hpp>
#include <comcp/test/manual_clock.hpp>

#include "support/engine_calls.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

struct waiting_sink final : http_detail::response_sink {
  waiting_sink(asio::any_io_executor on, http_request r)
      : request(std::move(r)), there(std::make_shared<detail::gate>(std::move(on))) {}
  void came(result<any_response> r) override {
    ++times;
    got.emplace(std::move(r));
    there->open();
  }
  [[nodiscard]] bool is_waiting() const noexcept override { return waiting; }
  http_request request;
  std::shared_ptr<detail::gate> there;
  asio::cancellation_signal signal;
  std::optional<result<any_response>> got;
  int times = 0;
  bool waiting = true;
};

/// An engine whose exchanges begin without a coroutine.
struct sink_engine {
  using response = any_response;

  explicit sink_engine(asio_engine_options options = asio_engine_options(), plain_connector c = plain_connector())
      : of(std::make_shared<asio_engine>(std::move(options), std::move(c))), any(of) {}

  asio::awaitable<result<any_response>> open(http_request r) {
    auto const on = co_await asio::this_coro::executor;
    last = std::make_shared<waiting_sink>(on, std::move(r));
    auto const sink = last;
    REQUIRE(any.start(on, sink->request, common, sink->signal.slot(), sink));
    CHECK(sink->times == 0);
    if (begun) begun();
    co_await sink->there->wait();
    CHECK(sink->times == 1);
    co_return std::move(*sink->got);
  }

  std::shared_ptr<asio_engine> of;
  any_engine any;
  std::shared_ptr<waiting_sink> last;
  std::function<void()> begun;
  common_headers common;
};

asio::awaitable<void> silent(peer_connection& c) { co_await c.wait_for_close(); }

/// What the second request ends with.
error ends_with(sink_engine& engine, std::function<void()> begun, asio::io_context& io, http_timeouts const& t = {}) {
  http_peer peer(io, second_request(silent));
  engine.begun = nullptr;
  error out;
  auto const client = [&]() -> asio::awaitable<void> {
    auto got = co_await fetch(engine, request_to(peer));
    REQUIRE(got);
    auto request = request_to(peer);
    request.timeouts = t;
    engine.begun = begun;
    got = co_await fetch(engine, std::move(request));
    if (!got) out = got.error();
    CHECK(peer.requests().size() <= 2);
  };
  run(io, client());
  return out;
}

}  // namespace

TEST_CASE("asio_exchange: it tells its sink what came, or why nothing was sent", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "ok")));
  auto const client = [&]() -> asio::awaitable<void> {
    sink_engine engine;
    for (int i = 0; i < 3; ++i) {
      auto const got = co_await fetch(engine, request_to(peer, "POST", "body"));
      REQUIRE(got);
      CHECK(*got == "200 ok");
      CHECK(peer.requests().back().body == "body");
    }
    auto const long_one = co_await fetch(engine, request_to(peer, "POST", std::string(100'000, 'x')));
    CHECK(long_one);
    auto unfit = request_to(peer);
    (void)unfit.headers.add("Host", "x");
    auto const refused = co_await fetch(engine, std::move(unfit));
    CHECK(refused.error() == errc::invalid_argument);
    auto const untaught = co_await fetch(engine, request_to("https://127.0.0.1/"));
    CHECK(untaught.error() == errc::invalid_argument);
    CHECK(engine.of->idle_connections() == 1);
    engine.of->close_idle();
  };
  run(io, client());
}

TEST_CASE("asio_exchange: it ends with its time, by its slot, and with the engine", "[http]") {
  {
    asio::io_context io;
    auto const clock = std::make_shared<test::manual_clock>();
    sink_engine engine(asio_engine_options().time(clock));
    auto const in_time = [&] { asio::post(io, [&] { clock->advance(10s); }); };
    CHECK(ends_with(engine, in_time, io, http_timeouts().response(10s)) == errc::response_timeout);
    CHECK(ends_with(engine, in_time, io, http_timeouts().total(10s)) == errc::exchange_timeout);
  }
  asio::io_context io;
  sink_engine cancelled, ended;
  auto const cancel = [&] { asio::post(io, [&] { cancelled.last->signal.emit(asio::cancellation_type::terminal); }); };
  CHECK(ends_with(cancelled, cancel, io) == errc::cancelled);
  CHECK(cancelled.of->busy_connections() == 0);
  auto const end = [&] { asio::post(io, [&] { *ended.of = asio_engine(); }); };
  CHECK(ends_with(ended, end, io) == errc::closed);
}

TEST_CASE("asio_exchange: while it connects, it ends with its time, by its slot, and with the engine", "[http]") {
  asio::io_context io;
  auto const clock = std::make_shared<test::manual_clock>();
  sink_engine* used = nullptr;
  std::function<void()> disturb;
  auto const ends_by = [&](std::function<void()> what, http_timeouts const& t = {}) {
    sink_engine engine(asio_engine_options().time(clock), lost([&] { asio::post(io, disturb); }));
    used = &engine;
    disturb = std::move(what);
    error out;
    auto const client = [&]() -> asio::awaitable<void> {
      auto request = request_to("http://nowhere.test/");
      request.timeouts = t;
      auto const got = co_await fetch(engine, std::move(request));
      REQUIRE_FALSE(got);
      out = got.error();
    };
    run(io, client());
    return out;
  };
  auto const in_time = [&] { clock->advance(10s); };
  CHECK(ends_by(in_time, http_timeouts().connect(10s)) == errc::connect_timeout);
  CHECK(ends_by(in_time, http_timeouts().total(10s)) == errc::exchange_timeout);
  CHECK(ends_by([&] { used->last->signal.emit(asio::cancellation_type::terminal); }) == errc::cancelled);
  CHECK(ends_by([&] { *used->of = asio_engine(); }) == errc::closed);
}

TEST_CASE("asio_exchange: what was given up while it connected is not sent", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "ok")));
  auto const client = [&]() -> asio::awaitable<void> {
    sink_engine engine;
    engine.begun = [&] { engine.last->waiting = false; };
    auto const got = co_await fetch(engine, request_to(peer));
    CHECK(got.error() == errc::cancelled);
    CHECK(peer.requests().empty());
    CHECK(engine.of->busy_connections() == 0);
  };
  run(io, client());
}

TEST_CASE("asio_exchange: a connector may end at once, or throw", "[http]") {
  struct quick_connector {
    using stream = plain_stream;
    asio::awaitable<result<std::unique_ptr<stream>>> connect(http_url, std::shared_ptr<time_source>,
                                                             time_source::time_point, net::address_filter) const {
      co_await asio::dispatch(co_await asio::this_coro::executor, asio::use_awaitable);
      if (throws) throw exception(errc::denied);
      co_return error(errc::denied);
    }
    bool throws = false;
  };
  for (bool const throws : {false, true}) {
    asio::io_context io;
    any_engine engine(
        std::make_shared<basic_asio_engine<quick_connector>>(asio_engine_options(), quick_connector{throws}));
    auto const client = [&]() -> asio::awaitable<void> {
      auto const on = co_await asio::this_coro::executor;
      auto const sink = std::make_shared<waiting_sink>(on, request_to("http://x/"));
      REQUIRE(engine.start(on, sink->request, nullptr, sink->signal.slot(), sink));
      CHECK(sink->times == 0);
      co_await sink->there->wait();
      CHECK(sink->times == 1);
      CHECK(sink->got->error() == errc::denied);
    };
    run(io, client());
  }
}

TEST_CASE("asio_exchange: that the second connection failed does not hide that the server may have acted", "[http]") {
  asio::io_context io;
  http_peer peer(io, second_request([](peer_connection&) -> asio::awaitable<void> { co_return; }));
  int asked = 0;
  auto const lookup = [&](asio::any_io_executor const&, std::string const&, std::uint16_t port,
                          net::lookup_done const& done) {
    if (++asked == 2) throw exception(errc::connect_failed);
    done(std::error_code(), net::endpoints(1, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), port)));
  };
  auto const client = [&]() -> asio::awaitable<void> {
    sink_engine engine({}, plain_connector(proxy_options::none(), lookup));
    auto const url = "http://name.test:" + std::to_string(peer.port()) + "/";
    auto got = co_await fetch(engine, request_to(url));
    CHECK(got);
    auto request = request_to(url);
    request.repeatable = true;
    got = co_await fetch(engine, std::move(request));
    CHECK(got.error() == errc::transport_failed);
    CHECK(leaves_outcome_open(got.error()));
    CHECK(asked == 2);
  };
  run(io, client());
}

TEST_CASE("asio_exchange: what was given up between two reads goes neither on nor out again", "[http]") {
  for (bool const dead : {false, true}) {
    asio::io_context io;
    sink_engine engine;
    http_peer peer(io, second_request([&](peer_connection& c) -> asio::awaitable<void> {
                     if (dead) co_return;
                     co_await c.write("HTTP/1.1 ");
                     co_await c.wait_for_close();
                   }));
    auto const client = [&]() -> asio::awaitable<void> {
      auto got = co_await fetch(engine, request_to(peer));
      auto request = request_to(peer);
      request.repeatable = true;
      engine.begun = [&] { engine.last->waiting = false; };
      got = co_await fetch(engine, std::move(request));
      CHECK(got.error() == errc::cancelled);
      CHECK(peer.requests().size() == 2);
      CHECK(engine.of->busy_connections() == 0);
    };
    run(io, client());
  }
}

TEST_CASE("asio_exchange: an io_context may end with one open, whose slot is used afterwards", "[http]") {
  sink_engine engine;
  {
    asio::io_context io;
    http_peer peer(io, second_request(silent));
    auto const client = [&]() -> asio::awaitable<void> {
      auto const first = co_await fetch(engine, request_to(peer));
      auto const second = co_await fetch(engine, request_to(peer));
    };
    asio::co_spawn(io, client(), asio::detached);
    engine.begun = [&] { io.stop(); };
    io.run();
    engine.last->there.reset();
    engine.of->close_idle();
  }
  REQUIRE(engine.last);
  engine.last->signal.emit(asio::cancellation_type::terminal);
  CHECK(engine.last->times == 0);
}
