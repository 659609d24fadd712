// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How exchanges end before their time, with every engine: cancelled, late, dropped, or with the engine.
#include <asio/ip/tcp.hpp>

#include "http/engine_cases.hpp"

using namespace comcp_test;

namespace {

/// Says when a request came and when its client went; sends what it is given before it waits.
struct silent_peer {
  silent_peer(asio::io_context& io, std::string bytes)
      : came(io.get_executor()),
        went(io.get_executor()),
        peer(io, [this, bytes](peer_connection& c) { return play(c, bytes); }) {}
  asio::awaitable<void> play(peer_connection& c, std::string bytes) {
    co_await c.read_request();
    co_await c.write(bytes);
    came.say();
    co_await c.wait_for_close();
    went.say();
  }
  peer_signal came, went;
  http_peer peer;
};

std::string const begun = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun";
std::string const stream_begun = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nbegun";

}  // namespace

TEMPLATE_TEST_CASE("engines: a cancelled exchange ends at once, and the server sees it", "[http][threads]",
                   COMCP_ENGINES) {
  std::string const sent = GENERATE(std::string(), std::string("HTTP/1.1 200 OK\r\nX: "), begun);
  asio::io_context io{1};
  silent_peer silent(io, sent);
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    auto const r = start(io, fetch(e, request_to(silent.peer, "POST", "x")));
    co_await silent.came.wait();
    r->cancel();
    co_await r->ended->wait();
    CHECK(r->error() == errc::cancelled);
    CHECK(r->times == 1);
    co_await silent.went.wait();
    auto const again = start(io, fetch(e, request_to(silent.peer)));
    again->cancel();
    co_await again->ended->wait();
    CHECK(again->error() == errc::cancelled);
  };
  run(io, body());
}

TEMPLATE_TEST_CASE("engines: a response that is dropped in its body closes the connection", "[http][threads]",
                   COMCP_ENGINES) {
  bool const after_a_piece = GENERATE(false, true);
  asio::io_context io{1};
  silent_peer silent(io, begun);
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    {
      auto response = co_await e.open(request_to(silent.peer));
      CHECK(response.value().head().status == 200);
      if (after_a_piece) {
        auto piece = co_await response->next();
        CHECK(piece.value() == "begun");
      }
    }
    co_await silent.went.wait();
  };
  run(io, body());
}

TEMPLATE_TEST_CASE("engines: the end of the engine ends its exchanges", "[http][threads]", COMCP_ENGINES) {
  std::string const sent = GENERATE(std::string(), begun);
  asio::io_context io{1};
  silent_peer silent(io, sent);
  auto body = [&]() -> asio::awaitable<void> {
    auto e = std::make_unique<typename TestType::engine>(TestType::make());
    auto const r = start(io, fetch(*e, request_to(silent.peer)));
    auto later = e->open(request_to(silent.peer));
    co_await silent.came.wait();
    e.reset();
    co_await r->ended->wait();
    CHECK(r->error() == errc::closed);
    CHECK(r->times == 1);
    auto never = co_await std::move(later);
    REQUIRE_FALSE(never);
    CHECK(never.error() == errc::closed);
    co_await silent.went.wait();
  };
  run(io, body());
  CHECK(silent.peer.connections() == 1);
}

TEMPLATE_TEST_CASE("engines: an engine that moves takes its exchanges along", "[http][threads]", COMCP_ENGINES) {
  asio::io_context io{1};
  silent_peer silent(io, begun);
  auto body = [&]() -> asio::awaitable<void> {
    auto first = TestType::make();
    auto response = co_await first.open(request_to(silent.peer));
    auto second = std::move(first);
    auto piece = co_await response.value().next();
    CHECK(piece.value() == "begun");
    auto moved = std::move(*response);
    second = TestType::make();
    auto after = co_await moved.next();
    REQUIRE_FALSE(after);
    CHECK(after.error() == errc::closed);
  };
  run(io, body());
}

TEMPLATE_TEST_CASE("engines: the context goes while exchanges are open", "[http][threads]", COMCP_ENGINES) {
  std::string const sent = GENERATE(std::string(), begun);
  std::shared_ptr<running<answer>> r;
  {
    asio::io_context io{1};
    silent_peer silent(io, sent);
    auto e = TestType::make();
    auto body = [&]() -> asio::awaitable<void> {
      r = start(io, fetch(e, request_to(silent.peer)));
      co_await silent.came.wait();
    };
    run(io, body());
    r->ended.reset();
  }
  CHECK(r->times == 0);
}

TEMPLATE_TEST_CASE("engines: each deadline has its error", "[http][threads]", COMCP_ENGINES) {
  struct row {
    char const* what;
    std::string sent;
    http_timeouts timeouts;
    errc expected;
  };
  std::vector<row> const rows = {
      {"no response", "", http_timeouts().response(60ms), errc::response_timeout},
      {"half a head", "HTTP/1.1 200 OK\r\nX: ", http_timeouts().response(60ms), errc::response_timeout},
      {"a body that stops", begun, http_timeouts().idle(60ms), errc::idle_timeout},
      {"a stream that stops", stream_begun, http_timeouts().total(300ms).idle(600ms), errc::idle_timeout},
      {"all of it, before the head", "", http_timeouts().total(60ms), errc::exchange_timeout},
      {"all of it, in the body", begun, http_timeouts().total(200ms), errc::exchange_timeout},
  };
  for (auto const& row : rows) {
    INFO(row.what);
    asio::io_context io{1};
    silent_peer silent(io, row.sent);
    auto body = [&]() -> asio::awaitable<void> {
      auto e = TestType::make();
      auto request = request_to(silent.peer, "POST", "x");
      request.timeouts = row.timeouts;
      auto got = co_await fetch(e, std::move(request));
      REQUIRE_FALSE(got);
      CHECK(got.error() == row.expected);
      co_await silent.went.wait();
    };
    run(io, body());
  }
}

TEMPLATE_TEST_CASE("engines: an error of a body stays", "[http][threads]", COMCP_ENGINES) {
  asio::io_context io{1};
  silent_peer silent(io, begun);
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    auto request = request_to(silent.peer);
    request.timeouts.idle(60ms);
    auto response = co_await e.open(std::move(request));
    auto all = co_await read_all(response.value());
    CHECK(all.error() == errc::idle_timeout);
    auto again = co_await response->next();
    REQUIRE_FALSE(again);
    CHECK(again.error() == errc::idle_timeout);
  };
  run(io, body());
}

TEMPLATE_TEST_CASE("engines: where nobody listens, nothing was sent", "[http][threads]", COMCP_ENGINES) {
  asio::io_context io{1};
  std::string url;
  {
    http_peer gone(io, always(""));
    url = gone.url("/mcp?token=s3cret");
  }
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    auto got = co_await fetch(e, request_to(url, "POST", "x"));
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::connect_failed);
    CHECK(comcp::is_retriable(got.error()));
    CHECK(got.error().to_string().find("s3cret") == std::string::npos);
  };
  run(io, body());
}

TEMPLATE_TEST_CASE("engines: a connection that is not made in time", "[http][threads]", COMCP_ENGINES) {
  asio::io_context io{1};
  // Its queue is full, so that the kernel answers no more.
  asio::ip::tcp::acceptor full(io, {asio::ip::make_address("127.0.0.1"), 0});
  full.listen(0);
  std::vector<std::unique_ptr<asio::ip::tcp::socket>> fillers;
  for (int i = 0; i < 4; ++i) {
    fillers.push_back(std::make_unique<asio::ip::tcp::socket>(io));
    fillers.back()->async_connect(full.local_endpoint(), [](asio::error_code) {});
  }
  io.poll();
  auto const url = "http://127.0.0.1:" + std::to_string(full.local_endpoint().port()) + "/";
  auto body = [&]() -> asio::awaitable<void> {
    auto e = TestType::make();
    auto request = request_to(url, "POST", "x");
    request.timeouts.connect(100ms);
    auto got = co_await fetch(e, std::move(request));
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::connect_timeout);
    auto const r = start(io, fetch(e, request_to(url)));
    asio::steady_timer soon(io, 20ms);
    co_await soon.async_wait(comcp::net::tuple_awaitable);
    r->cancel();
    co_await r->ended->wait();
    CHECK(r->error() == errc::cancelled);
  };
  run(io, body());
}
