// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/net/resolver.hpp>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

#include <comcp/test/manual_clock.hpp>

#include "support/transport_box.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using asio::ip::make_address;
using comcp_test::run;
using net::endpoints;

namespace {

/// A lookup that answers when it is told to.
struct slow_lookup {
  [[nodiscard]] net::lookup_function function() {
    return [this](asio::any_io_executor, std::string host, std::uint16_t port, net::lookup_done done) {
      asked.push_back(host + ':' + std::to_string(port));
      answer = std::move(done);
    };
  }
  std::vector<std::string> asked;
  net::lookup_done answer;
};

struct outcome {
  std::optional<result<endpoints>> value;
  std::exception_ptr thrown;
};

/// Starts one resolve and runs what is ready.
void start(asio::io_context& io, asio::cancellation_signal& cancel, outcome& out, net::lookup_function lookup,
           std::shared_ptr<time_source> time, time_source::time_point until) {
  auto done = [&out](std::exception_ptr e, result<endpoints> got) {
    out.thrown = e;
    if (!e) out.value.emplace(std::move(got));
  };
  asio::co_spawn(io, net::resolve(std::move(lookup), "name.example", 80, std::move(time), until),
                 asio::bind_cancellation_slot(cancel.slot(), done));
  io.poll();
}

endpoints const two{{make_address("2001:db8::1"), 80}, {make_address("192.0.2.1"), 80}};

}  // namespace

TEST_CASE("resolver: a literal address asks nobody", "[net]") {
  asio::io_context io;
  slow_lookup lookup;
  auto body = [&]() -> asio::awaitable<void> {
    auto const time = steady_time();
    auto const v4 = co_await net::resolve(lookup.function(), "192.0.2.7", 81, time, time->now());
    CHECK(v4.value() == endpoints(1, asio::ip::tcp::endpoint(make_address("192.0.2.7"), 81)));
    auto const v6 = co_await net::resolve(lookup.function(), "::1", 82, time, time->now());
    CHECK(v6.value() == endpoints(1, asio::ip::tcp::endpoint(make_address("::1"), 82)));
  };
  run(io, body());
  CHECK(lookup.asked.empty());
}

TEST_CASE("resolver: localhost and what is below it is this machine, and asks nobody", "[net]") {
  asio::io_context io;
  slow_lookup lookup;
  auto body = [&]() -> asio::awaitable<void> {
    auto const time = steady_time();
    for (std::string const name : {"localhost", "LOCALHOST.", "app.localhost", "a.b.LocalHost."}) {
      auto const found = co_await net::resolve(lookup.function(), name, 80, time, time->now());
      CHECK(found.value() == endpoints{{make_address("::1"), 80}, {make_address("127.0.0.1"), 80}});
    }
    for (std::string const name : {"notlocalhost", "localhost.example", "localhos"}) {
      auto const found = co_await net::resolve(lookup.function(), name, 80, time, time->now());
      CHECK_FALSE(found);
    }
  };
  run(io, body());
  CHECK(lookup.asked.size() == 3);
}

TEST_CASE("resolver: the system knows localhost", "[net]") {
  asio::io_context io;
  endpoints found;
  net::system_lookup<asio::any_io_executor>(io.get_executor(), "localhost", 80, [&found](std::error_code ec, endpoints all) {
    CHECK_FALSE(ec);
    found = std::move(all);
  });
  io.run();
  REQUIRE_FALSE(found.empty());
  for (auto const& each : found) {
    CHECK(each.address().is_loopback());
    CHECK(each.port() == 80);
  }
}

TEST_CASE("resolver: addresses keep their order", "[net]") {
  asio::io_context io;
  auto const time = std::make_shared<test::manual_clock>();
  slow_lookup lookup;
  asio::cancellation_signal cancel;
  outcome out;
  start(io, cancel, out, lookup.function(), time, time->now() + 10s);
  CHECK(lookup.asked == std::vector<std::string>{"name.example:80"});
  CHECK_FALSE(out.value);
  lookup.answer({}, two);
  io.poll();
  REQUIRE(out.value);
  CHECK(out.value->value() == two);
  CHECK_FALSE(time->next_deadline());
}

TEST_CASE("resolver: an answer from inside the lookup is one too", "[net]") {
  asio::io_context io;
  auto const time = std::make_shared<test::manual_clock>();
  asio::cancellation_signal cancel;
  outcome out;
  auto const at_once = [](asio::any_io_executor, std::string, std::uint16_t, net::lookup_done done) { done({}, two); };
  start(io, cancel, out, at_once, time, time->now() + 10s);
  REQUIRE(out.value);
  CHECK(out.value->value() == two);
}

TEST_CASE("resolver: failures say which name, and the system's words", "[net]") {
  asio::io_context io;
  auto const time = std::make_shared<test::manual_clock>();
  slow_lookup lookup;
  asio::cancellation_signal cancel;
  outcome out;
  start(io, cancel, out, lookup.function(), time, time->now() + 10s);
  SECTION("the lookup failed") {
    lookup.answer(asio::error::host_not_found, endpoints());
    io.poll();
    REQUIRE(out.value);
    CHECK(out.value->error() == errc::connect_failed);
    CHECK_THAT(out.value->error().to_string(), match::contains("name.example: Host not found"));
  }
  SECTION("a name without addresses") {
    lookup.answer({}, endpoints());
    io.poll();
    REQUIRE(out.value);
    CHECK(out.value->error() == errc::connect_failed);
    CHECK_THAT(out.value->error().to_string(), match::contains("name.example"));
  }
}

TEST_CASE("resolver: at the deadline nobody waits any more, and the late answer is dropped", "[net]") {
  asio::io_context io;
  auto const time = std::make_shared<test::manual_clock>();
  slow_lookup lookup;
  asio::cancellation_signal cancel;
  outcome out;
  start(io, cancel, out, lookup.function(), time, time->now() + 10s);
  time->advance(9s);
  io.poll();
  CHECK_FALSE(out.value);
  time->advance(1s);
  io.restart();
  io.poll();
  REQUIRE(out.value);
  CHECK(out.value->error() == errc::connect_timeout);
  lookup.answer({}, two);
  lookup.answer(asio::error::host_not_found, endpoints());
  io.restart();
  io.poll();
  CHECK(out.value->error() == errc::connect_timeout);
}

TEST_CASE("resolver: cancelling ends it at once, and the late answer is dropped", "[net]") {
  asio::io_context io;
  auto const time = std::make_shared<test::manual_clock>();
  slow_lookup lookup;
  asio::cancellation_signal cancel;
  outcome out;
  start(io, cancel, out, lookup.function(), time, time->now() + 10s);
  cancel.emit(asio::cancellation_type::terminal);
  io.restart();
  io.poll();
  REQUIRE(out.value);
  CHECK(out.value->error() == errc::cancelled);
  CHECK_FALSE(time->next_deadline());
  lookup.answer({}, two);
  io.restart();
  io.poll();
  CHECK(out.value->error() == errc::cancelled);
}

TEST_CASE("resolver: the io_context may go before the answer comes", "[net]") {
  auto const time = std::make_shared<test::manual_clock>();
  slow_lookup lookup;
  asio::cancellation_signal cancel;
  outcome out;
  {
    asio::io_context io;
    start(io, cancel, out, lookup.function(), time, time->now() + 10s);
  }
  lookup.answer({}, two);
  time->advance(11s);
  CHECK_FALSE(out.value);
}
