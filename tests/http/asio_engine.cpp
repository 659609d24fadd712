// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Connections that are kept, and requests that go out twice or not. What every engine does is in engines.cpp, times
// and ends are in asio_engine_ends.cpp.
#include <comcp/http/asio_engine.hpp>

#include <string>
#include <utility>

#include <asio/post.hpp>

#include <comcp/test/manual_clock.hpp>

#include "support/engine_calls.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

/// Lets what is due run, the peer's side too.
asio::awaitable<void> settle() {
  for (int i = 0; i < 20; ++i) co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
}

asio::awaitable<void> until_finished(http_peer& peer, std::size_t scripts) {
  while (peer.finished() < scripts) co_await settle();
}

/// A connection that looks usable whatever happened to it.
struct trusting_stream : plain_stream {
  using plain_stream::plain_stream;
  bool quiet() { return true; }
};

}  // namespace

TEST_CASE("asio_engine: exchanges one after the other share a connection", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "ok")));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine;
    for (int i = 0; i < 5; ++i) {
      auto const got = co_await fetch(engine, request_to(peer, "POST", "x"));
      REQUIRE(got);
      CHECK(*got == "200 ok");
      CHECK(engine.idle_connections() == 1);
    }
    CHECK(peer.connections() == 1);
    engine.close_idle();
    CHECK(engine.idle_connections() == 0);
    co_await until_finished(peer, 1);
  };
  run(io, client());
}

TEST_CASE("asio_engine: exchanges at once have connections of their own, the last one back is used first", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "ok")));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine;
    auto first = co_await engine.open(request_to(peer));
    auto second = co_await engine.open(request_to(peer));
    REQUIRE(second);
    CHECK(peer.connections() == 2);
    CHECK(engine.busy_connections() == 2);
    auto body = co_await read_body(*second);
    auto other = co_await read_body(*first);
    CHECK(engine.idle_connections() == 2);
    auto const got = co_await fetch(engine, request_to(peer));
    CHECK(peer.requests().back().connection == 0);
  };
  run(io, client());
}

TEST_CASE("asio_engine: connections are kept for their origin alone", "[http]") {
  asio::io_context io;
  http_peer one(io, always(http_answer(200, "one"))), two(io, always(http_answer(200, "two")));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine;
    for (int i = 0; i < 2; ++i) {
      auto const first = co_await fetch(engine, request_to(one));
      auto const second = co_await fetch(engine, request_to(two));
      CHECK(*first == "200 one");
      CHECK(*second == "200 two");
    }
    CHECK(one.connections() == 1);
    CHECK(two.connections() == 1);
  };
  run(io, client());
}

TEST_CASE("asio_engine: what may not be kept is closed", "[http]") {
  for (std::string const answer :
       {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad"}) {
    CAPTURE(answer);
    asio::io_context io;
    http_peer peer(io, always(answer));
    auto const client = [&]() -> asio::awaitable<void> {
      asio_engine engine;
      for (int i = 0; i < 2; ++i) {
        auto const got = co_await fetch(engine, request_to(peer));
        CHECK(*got == "200 ok");
        CHECK(engine.idle_connections() == 0);
      }
      CHECK(peer.connections() == 2);
    };
    run(io, client());
  }
}

TEST_CASE("asio_engine: a response that is dropped leaves its connection only if it was all here", "[http]") {
  asio::io_context io;
  http_peer whole(io, always(chunked_head() + chunk_of("all") + last_chunk));
  http_peer part(io, always(chunked_head() + chunk_of("part")));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine;
    {
      auto const dropped = co_await engine.open(request_to(whole));
      CHECK(dropped);
    }
    CHECK(engine.idle_connections() == 1);
    {
      auto dropped = co_await engine.open(request_to(part));
      REQUIRE(dropped);
      auto const piece = co_await dropped->next();
      CHECK(*piece == "part");
    }
    CHECK(engine.idle_connections() == 1);
    CHECK(engine.busy_connections() == 0);
    co_await until_finished(part, 1);
  };
  run(io, client());
}

TEST_CASE("asio_engine: a kept connection that the server closed or wrote on is not used", "[http]") {
  for (bool const writes : {false, true}) {
    asio::io_context io;
    http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
      auto const request = co_await c.read_request();
      co_await c.write(http_answer(200, "ok"));
      if (c.number() == 1) co_await c.wait_for_close();
      if (!writes) co_return;
      co_await settle();  // the answer has been read
      co_await c.write(http_answer(408, "late"));
      co_await c.wait_for_close();
    });
    auto const client = [&]() -> asio::awaitable<void> {
      asio_engine engine;
      auto got = co_await fetch(engine, request_to(peer));
      CHECK(engine.idle_connections() == 1);
      for (int i = 0; i < 5; ++i) co_await settle();
      got = co_await fetch(engine, request_to(peer));
      REQUIRE(got);
      CHECK(*got == "200 ok");
      CHECK(peer.requests().size() == 2);
      CHECK(peer.connections() == 2);
    };
    run(io, client());
  }
}

TEST_CASE("asio_engine: kept connections expire, and before the server's own time", "[http]") {
  for (bool const told : {false, true}) {
    asio::io_context io;
    auto const clock = std::make_shared<test::manual_clock>();
    http_peer peer(io, always(http_answer(200, "ok", told ? "Keep-Alive: timeout=5\r\n" : "")));
    auto const client = [&]() -> asio::awaitable<void> {
      asio_engine engine(asio_engine_options().time(clock));
      auto const got = co_await fetch(engine, request_to(peer));
      clock->advance(told ? 3999ms : 89999ms);
      co_await settle();
      CHECK(engine.idle_connections() == 1);
      clock->advance(1ms);
      co_await until_finished(peer, 1);
      CHECK(engine.idle_connections() == 0);
    };
    run(io, client());
  }
}

TEST_CASE("asio_engine: max_idle bounds what is kept, max_connections what is open", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "ok")));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine(asio_engine_options().max_idle(1).max_connections(2));
    {
      auto const first = co_await engine.open(request_to(peer));
      auto const second = co_await engine.open(request_to(peer));
      CHECK(second);
      auto const third = co_await engine.open(request_to(peer));
      REQUIRE_FALSE(third);
      CHECK(third.error() == errc::queue_full);
      CHECK_FALSE(leaves_outcome_open(third.error()));
      CHECK(peer.connections() == 2);
    }
    CHECK(engine.idle_connections() == 1);
    auto const again = co_await fetch(engine, request_to(peer));
    CHECK(again);
    CHECK(peer.connections() == 2);
  };
  run(io, client());
}

TEST_CASE("asio_engine: who is told of a failure may ask again at once", "[http]") {
  asio::io_context io;
  auto const client = [&]() -> asio::awaitable<void> {
    auto const nowhere = [](asio::any_io_executor const&, std::string const&, std::uint16_t,
                            net::lookup_done const& done) {
      done(std::make_error_code(std::errc::host_unreachable), {});
    };
    asio_engine engine(asio_engine_options().max_connections(1), plain_connector(proxy_options::none(), nowhere));
    for (int i = 0; i < 3; ++i) {
      auto const failed = co_await engine.open(request_to("http://nowhere.test/"));
      CHECK(failed.error() == errc::connect_failed);
    }
  };
  run(io, client());
}

TEST_CASE("asio_engine: a request on a dead kept connection is repeated only where that is safe", "[http]") {
  for (std::string const method : {"GET", "HEAD", "DELETE", "POST", "POST repeatable", "PATCH"}) {
    for (bool const reset : {false, true}) {
      CAPTURE(method, reset);
      asio::io_context io;
      http_peer peer(io, second_request([&](peer_connection& c) -> asio::awaitable<void> {
                       if (reset) c.reset();
                       co_return;
                     }));
      auto const client = [&]() -> asio::awaitable<void> {
        asio_engine engine;
        auto got = co_await fetch(engine, request_to(peer));
        bool const safe = method != "POST" && method != "PATCH";
        std::string const body(reset ? 100'000 : 4, 'x');
        auto request = request_to(peer, method.substr(0, method.find(' ')), body);
        request.repeatable = method == "POST repeatable";
        got = co_await fetch(engine, std::move(request));
        CHECK(got.has_value() == safe);
        if (!safe) CHECK(got.error() == errc::transport_failed);
        if (safe) CHECK(*got == (method == "HEAD" ? "200 " : "200 fresh"));
        CHECK(peer.requests().size() == (safe ? 3 : 2));
        CHECK(peer.requests().back().body == body);
      };
      run(io, client());
    }
  }
}

TEST_CASE("asio_engine: what the system did not take may always go out again", "[http]") {
  asio::io_context io;
  http_peer peer(io, [](peer_connection& c) -> asio::awaitable<void> {
    auto const request = co_await c.read_request();
    co_await c.write(http_answer(200, "ok"));
    co_await settle();
    if (c.number() == 0) c.reset();
    co_await c.wait_for_close();
  });
  auto const client = [&]() -> asio::awaitable<void> {
    basic_asio_engine<basic_plain_connector<trusting_stream>> engine;
    auto got = co_await fetch(engine, request_to(peer));
    co_await until_finished(peer, 1);
    got = co_await fetch(engine, request_to(peer, "POST", "body"));
    REQUIRE(got);
    CHECK(*got == "200 ok");
    CHECK(peer.requests().size() == 2);
    CHECK(peer.requests().back().body == "body");
  };
  run(io, client());
}

TEST_CASE("asio_engine: nothing is repeated twice, or after a byte of the answer, or on a new connection", "[http]") {
  asio::io_context io;
  int answers = 1;
  std::string start;
  http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
    for (;;) {
      auto const request = co_await c.read_request();
      if (!request) co_return;
      if (answers-- <= 0) {
        if (!start.empty()) co_await c.write(start);
        co_return;
      }
      co_await c.write(http_answer(200, "ok"));
    }
  });
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine;
    auto got = co_await fetch(engine, request_to(peer, "GET"));
    got = co_await fetch(engine, request_to(peer, "GET"));
    CHECK(got.error() == errc::transport_failed);
    CHECK(peer.requests().size() == 3);
    got = co_await fetch(engine, request_to(peer, "GET"));
    CHECK(got.error() == errc::transport_failed);
    CHECK(peer.requests().size() == 4);
    answers = 1;
    start = "H";
    got = co_await fetch(engine, request_to(peer, "GET"));
    CHECK(got);
    got = co_await fetch(engine, request_to(peer, "GET"));
    CHECK(got.error() == errc::transport_failed);
    CHECK(peer.requests().size() == 6);
  };
  run(io, client());
}

TEST_CASE("asio_engine: the framing's own headers are refused before anything is sent", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "ok")));
  auto const client = [&]() -> asio::awaitable<void> {
    asio_engine engine;
    for (auto const* name : {"Host", "content-length", "Transfer-Encoding", "CONNECTION"}) {
      auto request = request_to(peer);
      REQUIRE(request.headers.add(name, "secret"));
      auto const got = co_await engine.open(std::move(request));
      CHECK(got.error() == errc::invalid_argument);
      CHECK(got.error().to_string().find("secret") == std::string::npos);
    }
    auto control = request_to(peer);
    REQUIRE(control.headers.add("X", "a\x01z"));
    auto got = co_await engine.open(std::move(control));
    CHECK(got.error() == errc::invalid_argument);
    got = co_await engine.open(request_to(peer, "GET /\r\nX: y"));
    CHECK(got.error() == errc::invalid_argument);
    CHECK(peer.connections() == 0);
  };
  run(io, client());
}

TEST_CASE("asio_engine: through a proxy, requests name the whole URL", "[http]") {
  asio::io_context io;
  http_peer proxy(io, always(http_answer(200, "ok")));
  auto const client = [&]() -> asio::awaitable<void> {
    auto route = proxy_route(*http_url::parse(proxy.url())).with_credentials("user", secret("word"));
    REQUIRE(route);
    asio_engine engine(asio_engine_options(), plain_connector(proxy_options().http(*route)));
    auto request = request_to("http://mcp.example:8080/a?b=c");
    auto const got = co_await fetch(engine, std::move(request));
    REQUIRE(got);
    auto const seen = proxy.requests().at(0);
    CHECK(seen.target == "http://mcp.example:8080/a?b=c");
    CHECK(*seen.header("host") == "mcp.example:8080");
    CHECK(*seen.header("proxy-authorization") == "Basic dXNlcjp3b3Jk");
    CHECK(*seen.header("content-length") == "0");
    auto const again = co_await engine.open(request_to("http://mcp.example:8080/"));
    CHECK(again.value().head().address.empty());  // the proxy's says nothing of the server
  };
  run(io, client());
}

TEST_CASE("asio_engine: an answer says which address it came from", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "ok")));
  auto const client = [&]() -> asio::awaitable<void> {
    plain_connector const direct{proxy_options::none()};
    asio_engine engine(asio_engine_options(), direct);
    for (int i = 0; i < 2; ++i) {
      auto const got = co_await engine.open(request_to(peer));
      CHECK(got.value().head().address == "127.0.0.1");
    }
  };
  run(io, client());
}
