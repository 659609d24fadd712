// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/tunnel.hpp>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/http/stream.hpp>
#include <comcp/test/manual_clock.hpp>

#include "support/http_peer.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using comcp_test::http_peer;
using comcp_test::peer_connection;
using comcp_test::peer_script;
using comcp_test::run;

namespace {

http_url url(std::string const& text) { return http_url::parse(text).value(); }

/// Asks a proxy that runs `script` for the way to https://name.example/path; what came of it.
struct tunnel {
  explicit tunnel(peer_script script) : proxy(io, std::move(script)), stream(asio::ip::tcp::socket(io)) {
    stream.socket().connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), proxy.port()));
    stream.socket().non_blocking(true);
  }

  error ask() {
    auto body = [this]() -> asio::awaitable<void> {
      auto const time = steady_time();
      got = co_await http_detail::open_tunnel(stream, target, route(), time, time->now() + 20s);
    };
    run(io, body());
    return got;
  }
  [[nodiscard]] proxy_route route() const { return proxy_route::parse("user:hunter2@127.0.0.1:" + std::to_string(proxy.port())).value(); }

  asio::io_context io;
  http_peer proxy;
  plain_stream stream;
  http_url target = url("https://name.example/path?secret=1");
  error got;
};

/// Answers CONNECT with those bytes, then is silent.
peer_script answering(std::string bytes) {
  return [bytes](peer_connection& c) -> asio::awaitable<void> {
    auto const request = co_await c.read_request();
    bool const sent = co_await c.write(bytes);
    if (request && sent) co_await c.wait_for_close();
  };
}

error answer_to(std::string bytes) { return tunnel(answering(std::move(bytes))).ask(); }

}  // namespace

TEST_CASE("tunnel: CONNECT names host and port, nothing of the URL's rest", "[http]") {
  tunnel t(answering("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n"));
  CHECK_FALSE(t.ask());
  auto const requests = t.proxy.requests();
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].head ==
        "CONNECT name.example:443 HTTP/1.1\r\nHost: name.example:443\r\nProxy-Authorization: Basic dXNlcjpodW50ZXIy\r\n\r\n");
  CHECK(http_detail::tunnel_request(url("https://[::1]:8443/x"), proxy_route(url("http://p"))) ==
        "CONNECT [::1]:8443 HTTP/1.1\r\nHost: [::1]:8443\r\n\r\n");
}

TEST_CASE("tunnel: after the answer its bytes are the server's", "[http]") {
  auto const script = [](peer_connection& c) -> asio::awaitable<void> {
    auto const request = co_await c.read_request();
    bool sent = co_await c.write_bytewise("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.0 200\r\n\r\n");
    char piece[8];
    auto [ec, n] = co_await c.socket().async_read_some(asio::buffer(piece), net::tuple_awaitable);
    if (request && sent && !ec) sent = co_await c.write("<" + std::string(piece, n) + ">");
  };
  tunnel t(script);
  REQUIRE_FALSE(t.ask());
  std::string answer;
  auto body = [&]() -> asio::awaitable<void> {
    co_await t.stream.async_write_some(asio::buffer("hi", 2), net::tuple_awaitable);
    char piece[8];
    auto [ec, n] = co_await t.stream.async_read_some(asio::buffer(piece), net::tuple_awaitable);
    CHECK_FALSE(ec);
    answer.assign(piece, n);
  };
  run(t.io, body());
  CHECK(answer == "<hi>");
}

TEST_CASE("tunnel: a refusal is proxy_failed with the status, and shows no credentials", "[http]") {
  for (int const status : {301, 403, 407, 502, 503}) {
    INFO(status);
    auto const e = answer_to(comcp_test::http_answer(status, "hunter2", "X: hunter2\r\n"));
    CHECK(e == errc::proxy_failed);
    REQUIRE(e.detail() != nullptr);
    CHECK(e.detail()->http_status == status);
    CHECK_THAT(e.to_string(), match::contains("name.example:443"));
    CHECK(e.to_string().find("hunter2") == std::string::npos);
    CHECK(e.to_string().find("dXNlcjpodW50ZXIy") == std::string::npos);
    CHECK(e.to_string().find("secret") == std::string::npos);
  }
}

TEST_CASE("tunnel: an answer that is no HTTP is proxy_failed", "[http]") {
  for (std::string const bytes : {"SSH-2.0-x\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 2000\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n",
                                  "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 099 x\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nmore"}) {
    INFO(bytes);
    auto const e = answer_to(bytes);
    CHECK(e == errc::proxy_failed);
    CHECK((e.detail() == nullptr || !e.detail()->http_status));
  }
}

TEST_CASE("tunnel: an answer without end is cut off", "[http]") {
  CHECK(answer_to("HTTP/1.1 200 OK\r\nX: " + std::string(9000, 'x')) == errc::proxy_failed);
  std::string interim;
  for (int i = 0; i < 100; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  CHECK_FALSE(answer_to(interim + "HTTP/1.1 200 OK\r\n\r\n"));
}

TEST_CASE("tunnel: a proxy that closes or resets is connect_failed", "[http]") {
  auto const closes = [](peer_connection& c) -> asio::awaitable<void> {
    auto const request = co_await c.read_request();
    if (request) co_await c.write("HTTP/1.1 200 OK\r\n");
  };
  CHECK(tunnel(closes).ask() == errc::connect_failed);
  auto const resets = [](peer_connection& c) -> asio::awaitable<void> {
    co_await c.read_request();
    c.reset();
  };
  CHECK(tunnel(resets).ask() == errc::connect_failed);
}

TEST_CASE("tunnel: a silent proxy is bounded by the deadline and by cancelling", "[http]") {
  tunnel t([](peer_connection& c) -> asio::awaitable<void> { co_await c.wait_for_close(); });
  auto const time = std::make_shared<test::manual_clock>();
  asio::cancellation_signal cancel;
  std::optional<error> end;
  auto done = [&](std::exception_ptr e, error got) {
    CHECK_FALSE(e);
    end = got;
  };
  asio::co_spawn(t.io, http_detail::open_tunnel(t.stream, t.target, t.route(), time, time->now() + 10s),
                 asio::bind_cancellation_slot(cancel.slot(), done));
  auto const finish = [&] {
    auto const limit = std::chrono::steady_clock::now() + 20s;
    while (!end && std::chrono::steady_clock::now() < limit) t.io.run_one_until(limit);
    REQUIRE(end);
  };
  t.io.poll();
  REQUIRE_FALSE(end);
  SECTION("deadline") {
    time->advance(10s);
    finish();
    CHECK(*end == errc::connect_timeout);
  }
  SECTION("cancelled") {
    cancel.emit(asio::cancellation_type::terminal);
    finish();
    CHECK(*end == errc::cancelled);
  }
}
