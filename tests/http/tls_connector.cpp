// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The ways on which TLS connections come about, or do not; what they trust is tls.cpp's.
#include <comcp/http/tls_connector.hpp>

#include <optional>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/test/manual_clock.hpp>

#include "support/tls_peer.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using namespace comcp_test;
using opened = result<std::unique_ptr<tls_stream>>;

namespace {

http_url url(std::string const& text) { return http_url::parse(text).value(); }

identity const& authority() {
  static identity const made = issue({"test authority", "", true});
  return made;
}
tls_options trusting() { return tls_options().ca_pem(authority().certificate_pem()); }
identity named(std::string const& name) { return issue({"a server", "DNS:" + name}, &authority()); }

asio::awaitable<void> silent(peer_connection& c) { co_await c.wait_for_close(); }

asio::awaitable<void> greet(tls_peer_connection& c) {
  char byte;
  co_await c.stream().async_read_some(asio::buffer(&byte, 1), net::tuple_awaitable);
  co_await c.write("hi");
  co_await c.wait_for_close();
}

/// Connects within 20 s of real time, with a connector that is gone before the connection is there.
opened connect(asio::io_context& io, http_url const& to, proxy_options proxies = proxy_options::none()) {
  std::optional<opened> got;
  auto body = [&]() -> asio::awaitable<void> {
    auto with = std::make_unique<tls_connector>(trusting(), proxies);
    auto const time = steady_time();
    auto pending = with->connect(to, time, time->now() + 20s);
    with.reset();
    got = co_await std::move(pending);
  };
  run(io, body());
  return std::move(*got);
}

std::string answer_of(asio::io_context& io, tls_stream& s) {
  std::string out;
  auto body = [&]() -> asio::awaitable<void> {
    co_await s.async_write_some(asio::buffer("?", 1), net::tuple_awaitable);
    char piece[16];
    auto const [ec, n] = co_await s.async_read_some(asio::buffer(piece), net::tuple_awaitable);
    if (!ec) out.assign(piece, n);
  };
  run(io, body());
  return out;
}

/// A proxy that answers CONNECT with `status` and is then the server itself.
peer_script proxy_before(tls_server& server, int status) {
  return [&server, status](peer_connection& c) -> asio::awaitable<void> {
    auto const request = co_await c.read_request();
    bool const sent = co_await c.write("HTTP/1.1 " + std::to_string(status) + " Word\r\n\r\n");
    if (!request || !sent || status != 200) co_return;
    co_await server.serve(c, greet);
  };
}

}  // namespace

TEST_CASE("tls_connector: http URLs have no TLS", "[http]") {
  asio::io_context io;
  http_peer peer(io, [](peer_connection& c) -> asio::awaitable<void> {
    co_await c.write("plain");
    co_await c.wait_for_close();
  });
  auto const got = connect(io, url(peer.url()));
  REQUIRE(got);
  CHECK_FALSE((*got)->secure());
  CHECK(answer_of(io, **got) == "plain");
}

TEST_CASE("tls_connector: through a proxy TLS is spoken with the server", "[http]") {
  asio::io_context io;
  tls_server server(named("name.example"));
  http_peer proxy(io, proxy_before(server, 200));
  auto const route = proxy_route::parse("user:hunter2@127.0.0.1:" + std::to_string(proxy.port())).value();
  auto const got = connect(io, url("https://name.example/secret"), proxy_options().all(route));
  REQUIRE(got);
  CHECK((*got)->forwarded_by() == nullptr);
  CHECK(answer_of(io, **got) == "hi");
  CHECK(server.seen.sni == "name.example");
  REQUIRE(proxy.requests().size() == 1);
  CHECK(proxy.requests()[0].target == "name.example:443");
  auto const other = connect(io, url("https://other.example"), proxy_options().all(route));
  REQUIRE_FALSE(other);
  CHECK(other.error() == errc::tls_failed);
}

TEST_CASE("tls_connector: http URLs go through the proxy as requests, not as a tunnel", "[http]") {
  asio::io_context io;
  http_peer proxy(io, silent);
  auto const route = proxy_route(url(proxy.url()));
  auto const got = connect(io, url("http://name.example"), proxy_options().all(route));
  REQUIRE(got);
  REQUIRE((*got)->forwarded_by() != nullptr);
  CHECK(*(*got)->forwarded_by() == route);
  CHECK(proxy.requests().empty());
}

TEST_CASE("tls_connector: the proxy's refusal is proxy_failed", "[http]") {
  asio::io_context io;
  tls_server server(named("name.example"));
  http_peer proxy(io, proxy_before(server, 407));
  auto const got = connect(io, url("https://name.example"), proxy_options().https(proxy_route(url(proxy.url()))));
  REQUIRE_FALSE(got);
  CHECK(got.error() == errc::proxy_failed);
  CHECK(got.error().detail()->http_status == 407);
}

TEST_CASE("tls_connector: a server that speaks something else, or nothing", "[http]") {
  asio::io_context io;
  auto const ends = [&](peer_script script) {
    http_peer peer(io, std::move(script));
    auto const got = connect(io, url(peer.url("/", "https")));
    REQUIRE_FALSE(got);
    return got.error();
  };
  auto const http = ends([](peer_connection& c) -> asio::awaitable<void> {
    co_await c.write(http_answer(400, "what?"));
    co_await c.wait_for_close();
  });
  CHECK(http == errc::tls_failed);
  CHECK_THAT(http.to_string(), match::contains("127.0.0.1:"));
  auto const closes = ends([](peer_connection& c) -> asio::awaitable<void> {
    char hello[4096];
    co_await c.socket().async_read_some(asio::buffer(hello), net::tuple_awaitable);
  });
  CHECK(closes == errc::tls_failed);
  CHECK_THAT(closes.to_string(), match::contains("closed"));
  auto const resets = ends([](peer_connection& c) -> asio::awaitable<void> {
    char byte;
    co_await c.socket().async_read_some(asio::buffer(&byte, 1), net::tuple_awaitable);
    c.reset();
  });
  CHECK((resets == errc::connect_failed || resets == errc::tls_failed));
}

TEST_CASE("tls_connector: a silent handshake is bounded by the deadline and by cancelling", "[http]") {
  asio::io_context io;
  peer_signal asked(io.get_executor());
  http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
    char byte;
    co_await c.socket().async_read_some(asio::buffer(&byte, 1), net::tuple_awaitable);
    asked.say();
    co_await c.wait_for_close();
  });
  auto const time = std::make_shared<test::manual_clock>();
  asio::cancellation_signal cancel;
  std::optional<opened> end;
  auto done = [&](std::exception_ptr e, opened got) {
    CHECK_FALSE(e);
    end.emplace(std::move(got));
  };
  tls_connector const with(trusting(), proxy_options::none());
  asio::co_spawn(io, with.connect(url(peer.url("/", "https")), time, time->now() + 10s),
                 asio::bind_cancellation_slot(cancel.slot(), done));
  run(io, asked.wait());
  REQUIRE_FALSE(end);
  auto const finish = [&] {
    auto const limit = std::chrono::steady_clock::now() + 20s;
    while (!end && std::chrono::steady_clock::now() < limit) io.run_one_until(limit);
    REQUIRE(end);
  };
  SECTION("deadline") {
    time->advance(10s);
    finish();
    CHECK(end->error() == errc::connect_timeout);
  }
  SECTION("cancelled") {
    cancel.emit(asio::cancellation_type::terminal);
    finish();
    CHECK(end->error() == errc::cancelled);
    CHECK_FALSE(time->next_deadline());
  }
}
