// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/connector.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/read.hpp>

#include <comcp/test/manual_clock.hpp>

#include "support/http_peer.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using asio::ip::tcp;
using comcp_test::http_peer;
using comcp_test::peer_connection;
using comcp_test::run;
using opened = result<std::unique_ptr<plain_stream>>;

static_assert(connector<plain_connector>);

namespace {

http_url url(std::string const& text) { return http_url::parse(text).value(); }

asio::awaitable<void> echo(peer_connection& c) {
  char piece[64];
  for (;;) {
    auto [ec, n] = co_await c.socket().async_read_some(asio::buffer(piece), net::tuple_awaitable);
    if (ec) co_return;
    bool const sent = co_await c.write(std::string(piece, n));
    if (!sent) co_return;
  }
}

asio::awaitable<void> silent(peer_connection& c) { co_await c.wait_for_close(); }

/// Gives those addresses with the port that is asked for.
net::lookup_function knows(std::vector<std::string> addresses) {
  return [addresses](asio::any_io_executor, std::string, std::uint16_t port, net::lookup_done done) {
    net::endpoints out;
    for (auto const& each : addresses) out.emplace_back(asio::ip::make_address(each), port);
    done({}, out);
  };
}

/// Connects within 20 s of real time.
asio::awaitable<opened> connect(plain_connector const& with, std::string const& to) {
  auto const time = steady_time();
  return with.connect(url(to), time, time->now() + 20s);
}

/// A port of 127.0.0.1 that answers no SYN: nobody accepts, and the queue is full.
struct black_hole {
  explicit black_hole(asio::io_context& io) : acceptor(io), fill{tcp::socket(io), tcp::socket(io), tcp::socket(io)} {
    acceptor.open(tcp::v4());
    acceptor.bind(tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    acceptor.listen(0);
    for (auto& each : fill) {
      each.open(tcp::v4());
      each.non_blocking(true);
      auto const to = acceptor.local_endpoint();
      ::connect(each.native_handle(), to.data(), static_cast<socklen_t>(to.size()));  // Asio's own would wait
    }
  }
  [[nodiscard]] std::uint16_t port() const { return acceptor.local_endpoint().port(); }
  tcp::acceptor acceptor;
  tcp::socket fill[3];
};

/// A connect whose time is the test's.
struct attempt {
  attempt(asio::io_context& io, net::lookup_function lookup, std::uint16_t port) {
    plain_connector const with(proxy_options::none(), std::move(lookup));
    auto done = [this](std::exception_ptr e, opened got) {
      REQUIRE_FALSE(e);
      end.emplace(std::move(got));
    };
    asio::co_spawn(io, with.connect(url("http://name.example:" + std::to_string(port)), time, time->now() + 10s),
                   asio::bind_cancellation_slot(cancel.slot(), done));
    io.poll();
  }
  /// Runs until it has ended.
  void finish(asio::io_context& io) {
    auto const limit = std::chrono::steady_clock::now() + 20s;
    while (!end && std::chrono::steady_clock::now() < limit) {
      io.restart();
      io.run_one_until(limit);
    }
    REQUIRE(end);
  }
  std::shared_ptr<test::manual_clock> time = std::make_shared<test::manual_clock>();
  asio::cancellation_signal cancel;
  std::optional<opened> end;
};

}  // namespace

TEST_CASE("plain_connector: bytes go both ways, the socket is not inherited and not delayed", "[http]") {
  asio::io_context io;
  http_peer peer(io, echo);
  auto body = [&]() -> asio::awaitable<void> {
    auto got = co_await connect(plain_connector(proxy_options::none()), peer.url());
    REQUIRE(got);
    plain_stream& s = **got;
    int const fd = s.socket().native_handle();
    CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    int no_delay = 0;
    socklen_t size = sizeof no_delay;
    ::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size);
    CHECK(no_delay != 0);
    CHECK(s.forwarded_by() == nullptr);
    CHECK(s.quiet());
    std::error_code ec;
    char answer[16];
    CHECK(s.try_write(asio::buffer("abc", 3), ec) == 3);
    CHECK_FALSE(ec);
    auto const [read, n] = co_await s.async_read_some(asio::buffer(answer), net::tuple_awaitable);
    CHECK_FALSE(read);
    CHECK(std::string(answer, n) == "abc");
    auto const [written, m] = co_await s.async_write_some(asio::buffer("de", 2), net::tuple_awaitable);
    CHECK_FALSE(written);
    CHECK(m == 2);
    co_await s.socket().async_wait(tcp::socket::wait_read, asio::use_awaitable);
    CHECK_FALSE(s.quiet());
    auto const [again, k] = co_await s.async_read_some(asio::buffer(answer), net::tuple_awaitable);
    CHECK_FALSE(again);
    CHECK(std::string(answer, k) == "de");
    CHECK(s.quiet());
    peer.stop();
    co_await s.socket().async_wait(tcp::socket::wait_read, asio::use_awaitable);
    CHECK_FALSE(s.quiet());
    s.close();
    s.close();
    CHECK_FALSE(s.quiet());
  };
  run(io, body());
}

TEST_CASE("plain_connector: localhost is found on either of its addresses", "[http]") {
  asio::io_context io;
  http_peer peer(io, silent);
  auto body = [&]() -> asio::awaitable<void> {
    auto const got = co_await connect(plain_connector(proxy_options::none()), "http://localhost:" + std::to_string(peer.port()));
    CHECK(got);
  };
  run(io, body());
}

TEST_CASE("plain_connector: addresses that refuse are passed over, in order", "[http]") {
  asio::io_context io;
  http_peer peer(io, silent);
  auto body = [&]() -> asio::awaitable<void> {
    plain_connector const with(proxy_options::none(), knows({"::1", "127.0.0.2", "127.0.0.1", "127.0.0.3"}));
    auto const got = co_await connect(with, "http://name.example:" + std::to_string(peer.port()));
    REQUIRE(got);
    CHECK((*got)->socket().remote_endpoint().address().to_string() == "127.0.0.1");
  };
  run(io, body());
}

TEST_CASE("plain_connector: a refusal names the host, the port and what the system says", "[http]") {
  asio::io_context io;
  std::uint16_t port = 0;
  {
    http_peer const gone(io, silent);
    port = gone.port();
  }
  auto body = [&]() -> asio::awaitable<void> {
    plain_connector const with(proxy_options::none(), knows({"127.0.0.1", "127.0.0.2"}));
    auto const got = co_await connect(with, "http://name.example:" + std::to_string(port) + "/path?secret=1");
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::connect_failed);
    CHECK(got.error().message() == "cannot connect to name.example:" + std::to_string(port) +
                                       " (127.0.0.1: Connection refused, 127.0.0.2: Connection refused)");
  };
  run(io, body());
}

TEST_CASE("plain_connector: a silent address costs its share of the time only", "[http]") {
  asio::io_context io;
  black_hole const hole(io);
  http_peer peer(io, silent, "127.0.0.2", hole.port());
  attempt a(io, knows({"127.0.0.1", "127.0.0.2"}), hole.port());
  a.time->advance(4999ms);
  io.poll();
  CHECK_FALSE(a.end);
  a.time->advance(1ms);
  a.finish(io);
  REQUIRE(*a.end);
  CHECK((**a.end)->socket().remote_endpoint().address().to_string() == "127.0.0.2");
}

TEST_CASE("plain_connector: silence until the end is connect_timeout", "[http]") {
  asio::io_context io;
  black_hole const hole(io);
  attempt a(io, knows({"127.0.0.1"}), hole.port());
  a.time->advance(9999ms);
  io.poll();
  CHECK_FALSE(a.end);
  a.time->advance(1ms);
  a.finish(io);
  CHECK(a.end->error() == errc::connect_timeout);
  CHECK_THAT(a.end->error().to_string(), match::contains("name.example:" + std::to_string(hole.port())));
}

TEST_CASE("plain_connector: cancelling ends a connect at once", "[http]") {
  asio::io_context io;
  black_hole const hole(io);
  attempt a(io, knows({"127.0.0.1", "127.0.0.1"}), hole.port());
  CHECK_FALSE(a.end);
  a.cancel.emit(asio::cancellation_type::terminal);
  a.finish(io);
  CHECK(a.end->error() == errc::cancelled);
  CHECK_FALSE(a.time->next_deadline());
}

TEST_CASE("plain_connector: https says how to get TLS", "[http]") {
  asio::io_context io;
  auto body = [&]() -> asio::awaitable<void> {
    auto const got = co_await connect(plain_connector(proxy_options::none()), "https://127.0.0.1:1");
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::invalid_argument);
    CHECK_THAT(got.error().to_string(), match::contains("COMCP_WITH_TLS"));
    CHECK_THAT(got.error().to_string(), match::contains("asio_tls_engine"));
  };
  run(io, body());
}

TEST_CASE("plain_connector: a proxy gets the connection, and the engine hears of it", "[http]") {
  asio::io_context io;
  http_peer proxy(io, silent);
  auto const route = proxy_route::parse("http://user:hunter2@127.0.0.1:" + std::to_string(proxy.port())).value();
  auto body = [&]() -> asio::awaitable<void> {
    plain_connector const with(proxy_options().http(route));
    auto const got = co_await connect(with, "http://name.example");
    REQUIRE(got);
    REQUIRE((*got)->forwarded_by() != nullptr);
    CHECK(*(*got)->forwarded_by() == route);
    CHECK((*got)->socket().remote_endpoint().port() == proxy.port());
    proxy.stop();
    auto const failed = co_await connect(with, "http://name.example");
    CHECK(failed.error() == errc::connect_failed);
    CHECK_THAT(failed.error().to_string(), match::contains("the proxy 127.0.0.1:" + std::to_string(proxy.port())));
    CHECK(failed.error().to_string().find("hunter2") == std::string::npos);
  };
  run(io, body());
}

TEST_CASE("plain_connector: unusable proxies are errors, not a direct way", "[http]") {
  asio::io_context io;
  auto const lookup = [](std::string_view name) -> std::optional<std::string> {
    if (name != "http_proxy") return {};
    return "socks5://p:1";
  };
  auto body = [&]() -> asio::awaitable<void> {
    auto const socks = co_await connect(plain_connector(proxy_options::from_environment(lookup)), "http://192.0.2.1");
    CHECK(socks.error() == errc::invalid_argument);
    CHECK_THAT(socks.error().to_string(), match::contains("http_proxy"));
    plain_connector const over_tls(proxy_options().http(proxy_route(url("https://p.example"))));
    auto const secure = co_await connect(over_tls, "http://192.0.2.1");
    CHECK(secure.error() == errc::invalid_argument);
    CHECK_THAT(secure.error().to_string(), match::contains("p.example:443"));
  };
  run(io, body());
}
