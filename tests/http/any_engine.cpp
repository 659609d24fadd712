// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/any_engine.hpp>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <asio/post.hpp>

#include <comcp/http/asio_engine.hpp>

#include "support/engine_calls.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

/// An engine that has no more than the concept asks for.
class bare_engine {
 public:
  class response {
   public:
    explicit response(asio_engine::response r) : of_(std::move(r)) {}
    [[nodiscard]] http_response_head const& head() const noexcept { return of_.head(); }
    asio::awaitable<result<std::string_view>> next() { return of_.next(); }

   private:
    asio_engine::response of_;
  };
  asio::awaitable<result<response>> open(http_request r) { return run(of_.open(std::move(r))); }

 private:
  static asio::awaitable<result<response>> run(asio::awaitable<result<asio_engine::response>> opening) {
    auto opened = co_await std::move(opening);
    if (!opened) co_return opened.error();
    co_return response(std::move(*opened));
  }
  asio_engine of_;
};

std::string text_of(std::size_t size) {
  std::string out(size, ' ');
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>('a' + i % 23);
  return out;
}

/// "STATUS BODY", or what failed, as the session over HTTP reads it: what is here first.
asio::awaitable<result<std::string>> whole(any_engine& with, http_request request, std::size_t most = std::size_t{64} << 20) {
  auto opened = co_await with.open(std::move(request));
  if (!opened) co_return opened.error();
  http_body body;
  auto read = opened->take(body, most);
  if (!read) read = co_await opened->read(body, most);
  if (!*read) co_return read->error();
  co_return std::to_string(opened->head().status) + ' ' + std::string(body.view());
}

/// The answer in pieces, with a turn of the loop between them.
peer_script in_pieces(std::string answer, std::size_t size) {
  return [answer = std::move(answer), size](peer_connection& c) -> asio::awaitable<void> {
    auto const request = co_await c.read_request();
    if (!request) co_return;
    for (std::size_t at = 0; at < answer.size(); at += size) {
      co_await c.write(answer.substr(at, size));
      for (int i = 0; i < 3; ++i) co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    }
  };
}

std::string chunked(std::string const& text, std::size_t size) {
  std::string out = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = 0; at < text.size(); at += size) {
    auto const piece = text.substr(at, size);
    char hex[20];
    std::snprintf(hex, sizeof hex, "%zx\r\n", piece.size());
    out += hex + piece + "\r\n";
  }
  return out + "0\r\n\r\n";
}

void check(std::string const& answer, std::string const& text, std::size_t pieces, bool bare = false) {
  asio::io_context io;
  http_peer peer(io, in_pieces(answer, pieces));
  auto const client = [&]() -> asio::awaitable<void> {
    any_engine engine(std::make_shared<asio_engine>());
    if (bare) engine = any_engine(std::make_shared<bare_engine>());
    auto const got = co_await whole(engine, request_to(peer, "POST", "x"));
    REQUIRE(got);
    CHECK(got->size() == text.size() + 4);
    CHECK(*got == "200 " + text);
    engine.close_idle();
  };
  run(io, client());
}

}  // namespace

TEST_CASE("any_engine: a body comes whole, however it is framed and wherever it is cut", "[http]") {
  for (std::size_t const size : {std::size_t{0}, std::size_t{1}, std::size_t{4000}, std::size_t{70'000}, std::size_t{3} << 20}) {
    auto const text = text_of(size);
    auto const head = "HTTP/1.1 200 OK\r\n";
    for (std::size_t const pieces : {std::size_t{7'001}, std::size_t{1} << 22}) {
      check(head + ("Content-Length: " + std::to_string(size)) + "\r\n\r\n" + text, text, pieces);
      check(head + std::string("Connection: close\r\n\r\n") + text, text, pieces);
      if (size > 1) check(chunked(text, 200'000), text, pieces);
      if (size > 1) check(chunked(text, 3'000), text, pieces);
    }
  }
}

TEST_CASE("any_engine: an engine with nothing but the concept will do", "[http]") {
  auto const text = text_of(100'000);
  check("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + text, text, 30'000, true);
}

TEST_CASE("any_engine: a body has a limit, and a length that is a lie costs nothing", "[http]") {
  asio::io_context io;
  std::string const lie = "HTTP/1.1 200 OK\r\nContent-Length: 60000000\r\n\r\nabc";
  http_peer peer(io, [&](peer_connection& c) -> asio::awaitable<void> {
    auto const request = co_await c.read_request();
    if (!request) co_return;
    auto answer = chunked(text_of(5000), 1000);
    if (request->body == "lie") answer = lie;
    co_await c.write(std::move(answer));
  });
  auto const client = [&]() -> asio::awaitable<void> {
    any_engine engine(std::make_shared<asio_engine>());
    auto const cut = co_await whole(engine, request_to(peer, "POST", "lie"));
    CHECK(cut.error() == errc::transport_failed);
    auto const small = co_await whole(engine, request_to(peer, "POST", "x"), 4999);
    CHECK(small.error() == errc::limit_exceeded);
    auto const fits = co_await whole(engine, request_to(peer, "POST", "x"), 5000);
    CHECK(fits);
    engine.close_idle();
  };
  run(io, client());
}

TEST_CASE("http_body: what is appended stays, small memory is kept", "[http]") {
  http_body body;
  body.append("abc");
  std::memcpy(body.room(3), "def", 3);
  body.append({body.data() + 3, 3});  // where it is already
  CHECK(body.view() == "abcdef");
  auto const held = body.capacity();
  body.clear();
  CHECK(body.size() == 0);
  CHECK(body.capacity() == held);
  body.reserve(1'000'000);
  auto moved = std::move(body);
  CHECK(moved.capacity() == 1'000'000);
  CHECK(body.capacity() == 0);
  moved.clear();
  CHECK(moved.capacity() == 0);
}
