// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Exchanges of the Asio engine over TLS: what its reading ahead, its writes that wait and its truncations change. What
// is the same without TLS is in asio_engine*.cpp, whom it trusts in tls.cpp.
#include <comcp/http/asio_tls_engine.hpp>

#include <optional>
#include <string>
#include <utility>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/post.hpp>

#include "support/engine_calls.hpp"
#include "support/tls_peer.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

identity const& server_identity() {
  static identity const made = [] {
    certificate_text text;
    text.alternatives = "IP:127.0.0.1";
    return issue(text);
  }();
  return made;
}

asio_tls_engine engine_for_tests() {
  auto trusting = tls_options().ca_pem(server_identity().certificate_pem());
  return asio_tls_engine(asio_engine_options(), tls_connector(std::move(trusting), proxy_options::none()));
}

struct world {
  explicit world(tls_server::script script) : server(server_identity()), peer(io, server.serving(std::move(script))) {}
  [[nodiscard]] http_request request(std::string method = "POST", std::string body = {}) const {
    return request_to(peer.url("/mcp", "https"), std::move(method), std::move(body));
  }

  asio::io_context io;
  tls_server server;
  http_peer peer;
};

tls_server::script every_time(std::string answer) {
  return [answer](tls_peer_connection& c) -> asio::awaitable<void> {
    for (;;) {
      auto const request = co_await c.read_request();
      if (!request) co_return;
      co_await c.write(answer);
    }
  };
}

asio::awaitable<void> say_goodbye(tls_peer_connection& c) {
  co_await c.stream().async_shutdown(net::tuple_awaitable);
}

asio::awaitable<void> until_finished(http_peer& peer, std::size_t scripts) {
  while (peer.finished() < scripts) co_await asio::post(asio::use_awaitable);
}

}  // namespace

TEST_CASE("asio_tls_engine: exchanges one after the other share a connection", "[http]") {
  std::string const text(300'000, 'x');
  world w(every_time(chunked_head() + chunk_of(text) + last_chunk));
  auto const client = [&]() -> asio::awaitable<void> {
    auto engine = engine_for_tests();
    for (int i = 0; i < 4; ++i) {
      auto const got = co_await fetch(engine, w.request());
      REQUIRE(got);
      CHECK(*got == "200 " + text);
      CHECK(engine.idle_connections() == 1);
    }
    CHECK(w.peer.connections() == 1);
    engine.close_idle();
    co_await until_finished(w.peer, 1);
  };
  run(w.io, client());
}

TEST_CASE("asio_tls_engine: an answer that came together with the one before it is nobody's", "[http]") {
  world w([](tls_peer_connection& c) -> asio::awaitable<void> {
    auto const first = co_await c.read_request();
    if (c.number() == 0) {
      // Waits in the stream's BIO, so that both records go out in one write to the socket.
      auto const early = http_answer(200, "first");
      ::SSL_write(c.stream().native_handle(), early.data(), static_cast<int>(early.size()));
      co_await c.write(http_answer(200, "unasked"));
    } else {
      co_await c.write(http_answer(200, "second"));
    }
    co_await c.wait_for_close();
  });
  auto const client = [&]() -> asio::awaitable<void> {
    auto engine = engine_for_tests();
    auto const first = co_await fetch(engine, w.request());
    REQUIRE(first);
    CHECK(*first == "200 first");
    CHECK(engine.idle_connections() == 1);
    auto const second = co_await fetch(engine, w.request());
    REQUIRE(second);
    CHECK(*second == "200 second");
    CHECK(w.peer.connections() == 2);
  };
  run(w.io, client());
}

TEST_CASE("asio_tls_engine: a request on a dead kept connection is repeated only where that is safe", "[http]") {
  for (std::string const method : {"GET", "POST"}) {
    for (std::string const end : {"reset", "close", "close_notify"}) {
      CAPTURE(method, end);
      world w([end](tls_peer_connection& c) -> asio::awaitable<void> {
        auto const first = co_await c.read_request();
        co_await c.write(http_answer(200, c.number() == 0 ? "first" : "fresh"));
        auto const second = co_await c.read_request();
        if (second && end == "reset") c.reset();
        if (second && end == "close_notify") co_await say_goodbye(c);
      });
      auto const client = [&]() -> asio::awaitable<void> {
        auto engine = engine_for_tests();
        auto got = co_await fetch(engine, w.request());
        CHECK(*got == "200 first");
        got = co_await fetch(engine, w.request(method));
        if (method == "GET") {
          REQUIRE(got);
          CHECK(*got == "200 fresh");
        } else {
          REQUIRE_FALSE(got);
          CHECK(got.error() == errc::transport_failed);
        }
        CHECK(w.peer.requests().size() == (method == "GET" ? 3 : 2));
      };
      run(w.io, client());
    }
  }
}

TEST_CASE("asio_tls_engine: a body that ends with the connection ends with close_notify", "[http]") {
  for (bool const whole : {false, true}) {
    CAPTURE(whole);
    world w([whole](tls_peer_connection& c) -> asio::awaitable<void> {
      auto const request = co_await c.read_request();
      co_await c.write("HTTP/1.1 200 OK\r\n\r\ntext");
      if (whole) co_await say_goodbye(c);
    });
    auto const client = [&]() -> asio::awaitable<void> {
      auto engine = engine_for_tests();
      auto const got = co_await fetch(engine, w.request());
      CHECK(got.has_value() == whole);
      if (whole) CHECK(*got == "200 text");
      if (!whole) CHECK(got.error() == errc::transport_failed);
      CHECK(engine.idle_connections() == 0);
    };
    run(w.io, client());
  }
}

TEST_CASE("asio_tls_engine: a long body arrives whole, on a kept connection too", "[http]") {
  world w(every_time(http_answer(200, "ok")));
  std::string text;
  for (int i = 0; i < 400'000; ++i) text += static_cast<char>(i * 7 + i / 256);
  auto const client = [&]() -> asio::awaitable<void> {
    auto engine = engine_for_tests();
    for (int i = 0; i < 2; ++i) {
      auto const got = co_await fetch(engine, w.request("POST", text));
      REQUIRE(got);
      CHECK(*got == "200 ok");
      CHECK(w.peer.requests().back().body == text);
    }
    CHECK(w.peer.connections() == 1);
  };
  run(w.io, client());
}

TEST_CASE("asio_tls_engine: an early answer to a long request is read, then the connection is closed", "[http]") {
  world w([](tls_peer_connection& c) -> asio::awaitable<void> {
    auto const head = co_await c.read_head();
    co_await c.write(http_answer(413, "long"));
    peer_signal never(c.socket().get_executor());
    co_await never.wait();
  });
  auto const client = [&]() -> asio::awaitable<void> {
    auto engine = engine_for_tests();
    auto const got = co_await fetch(engine, w.request("POST", std::string(std::size_t{32} << 20, 'x')));
    REQUIRE(got);
    CHECK(*got == "413 long");
    CHECK(engine.idle_connections() == 0);
    CHECK(engine.busy_connections() == 0);
  };
  run(w.io, client());
}

TEST_CASE("asio_tls_engine: an exchange that is cancelled or dropped in its body closes its connection", "[http]") {
  for (bool const cancels : {false, true}) {
    CAPTURE(cancels);
    world w([](tls_peer_connection& c) -> asio::awaitable<void> {
      auto const request = co_await c.read_request();
      co_await c.write(chunked_head() + chunk_of("begun"));
      co_await c.wait_for_close();
    });
    auto const client = [&]() -> asio::awaitable<void> {
      auto engine = engine_for_tests();
      asio::cancellation_signal signal;
      bool ended = false;
      auto reading = [&]() -> asio::awaitable<void> {
        auto opened = co_await engine.open(w.request());
        REQUIRE(opened);
        auto piece = co_await opened->next();
        CHECK(*piece == "begun");
        if (cancels) {
          asio::post(w.io, [&] { signal.emit(asio::cancellation_type::terminal); });
          piece = co_await opened->next();
          CHECK(piece.error() == errc::cancelled);
        }
        ended = true;
      };
      auto const on = co_await asio::this_coro::executor;
      co_await asio::co_spawn(on, reading(), asio::bind_cancellation_slot(signal.slot(), net::tuple_awaitable));
      CHECK(ended);
      CHECK(engine.busy_connections() == 0);
      CHECK(engine.idle_connections() == 0);
      co_await until_finished(w.peer, 1);
    };
    run(w.io, client());
  }
}

TEST_CASE("asio_tls_engine: the engine's end ends handshakes and bodies", "[http]") {
  asio::io_context io;
  tls_server server(server_identity());
  for (bool const in_handshake : {false, true}) {
    CAPTURE(in_handshake);
    std::optional<asio_tls_engine> engine(engine_for_tests());
    auto const end = [&] { asio::post(io, [&] { engine.reset(); }); };
    auto const body = [&](tls_peer_connection& c) -> asio::awaitable<void> {
      auto const request = co_await c.read_request();
      co_await c.write(chunked_head() + chunk_of("begun"));
      end();
      co_await c.wait_for_close();
    };
    http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
      if (!in_handshake) {
        co_await server.serve(c, body);
        co_return;
      }
      char hello[1];
      co_await c.socket().async_read_some(asio::buffer(hello), net::tuple_awaitable);
      end();
      co_await c.wait_for_close();
    });
    auto const client = [&]() -> asio::awaitable<void> {
      auto const got = co_await fetch(*engine, request_to(peer.url("/mcp", "https")));
      REQUIRE_FALSE(got);
      CHECK(got.error() == errc::closed);
      co_await until_finished(peer, 1);
    };
    run(io, client());
  }
}
