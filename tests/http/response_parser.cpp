// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/response_parser.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using progress = response_parser::progress;

namespace {

/// What a parser tells of some bytes, and of the end of the connection behind them.
struct outcome {
  int status = 0;
  std::string reason, body, rest;
  http_headers headers;
  error failure;
  std::size_t heads = 0;
  bool ended = false, kept = false, event_stream = false;

  friend bool operator==(outcome const& a, outcome const& b) {
    return a.status == b.status && a.reason == b.reason && a.body == b.body && a.failure.code() == b.failure.code() &&
           a.failure.message() == b.failure.message() && a.ended == b.ended && a.kept == b.kept && a.heads == b.heads &&
           std::equal(a.headers.begin(), a.headers.end(), b.headers.begin(), b.headers.end());
  }
};

void take(response_parser& p, std::string_view bytes, outcome& out) {
  for (;;) {
    auto const told = p.next(bytes);
    if (told == progress::more) return;
    if (told == progress::body) {
      REQUIRE(!p.body().empty());
      out.body += p.body();
    } else if (told == progress::head) {
      ++out.heads;
      out.status = p.head().status;
      out.reason = p.head().reason;
      out.headers = p.head().headers;
      out.event_stream = p.event_stream();
    } else {
      out.rest += bytes;
      return;
    }
  }
}

outcome finish(response_parser& p, outcome out, bool eof) {
  if (eof) {
    auto const told = p.finish();
    CHECK((told == progress::end || told == progress::failed));
    if (told == progress::failed) out.failure = p.failure();
  }
  out.ended = p.ended();
  out.kept = p.keeps_connection();
  return out;
}

outcome parsed(std::string_view bytes, std::string_view method = "GET", response_limits limits = {}, bool eof = true) {
  response_parser p(method, limits);
  outcome out;
  take(p, bytes, out);
  return finish(p, std::move(out), eof);
}

error refused(std::string_view bytes, response_limits limits = {}) {
  auto const out = parsed(bytes, "GET", limits);
  CHECK_FALSE(out.ended);
  CHECK_FALSE(out.kept);
  return out.failure;
}

constexpr std::string_view full =
    "HTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\n"
    "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    "HTTP/1.1 200 All is well\r\nContent-Type: text/plain\r\nX-Empty:\r\nX-Blank: \t a b \t \r\n"
    "Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
    "5;name=\"va;lue\";other\r\nhello\r\n00A \t; x\r\n, world!!!\r\n0;last\r\nX-T: 1\r\n\r\n";

}  // namespace

TEST_CASE("response_parser: a response with a length", "[http]") {
  auto const out = parsed("HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX-Y:z\r\n\r\nhello", "POST", {}, false);
  CHECK(out.status == 201);
  CHECK(out.reason == "Created");
  CHECK(out.body == "hello");
  CHECK(out.ended);
  CHECK(out.kept);
  REQUIRE(out.headers.size() == 2);
  CHECK(*out.headers.find("x-y") == "z");
}

TEST_CASE("response_parser: interim responses, chunks with extensions and trailers", "[http]") {
  auto const out = parsed(full, "GET", {}, false);
  CHECK(out.heads == 1);
  CHECK(out.status == 200);
  CHECK(out.reason == "All is well");
  CHECK(out.body == "hello, world!!!");
  CHECK(*out.headers.find("X-Empty") == "");
  CHECK(*out.headers.find("X-Blank") == "a b");
  CHECK_FALSE(out.headers.contains("X-T"));
  CHECK_FALSE(out.headers.contains("X-A"));
  CHECK(out.ended);
  CHECK(out.kept);
}

TEST_CASE("response_parser: split anywhere, bytewise too, it tells the same", "[http]") {
  std::string_view const responses[] = {
      full,
      "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHTTP/1.1 200",
      "HTTP/1.0 200 OK\nServer: old\n\nuntil the end",
      "HTTP/1.1 204\r\nConnection: close\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX\r\n",
      "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
      "SSH-2.0-OpenSSH\r\n",
      "HTTP/1.1 502 Bad\r\nContent-Length: 1, 1\r\n\r\n",
  };
  for (auto const response : responses) {
    auto const whole = parsed(response);
    for (std::size_t cut = 0; cut <= response.size(); ++cut) {
      CAPTURE(response, cut);
      response_parser p;
      outcome out;
      take(p, response.substr(0, cut), out);
      take(p, response.substr(cut), out);
      CHECK(finish(p, out, true) == whole);
    }
    response_parser p;
    outcome out;
    for (char const& c : response) take(p, std::string_view(&c, 1), out);
    CHECK(finish(p, out, true) == whole);
  }
}

TEST_CASE("response_parser: cut off anywhere, a response that says its length is truncated", "[http]") {
  std::string_view const responses[] = {full, "HTTP/1.1 500 No\r\nContent-Length: 7\r\n\r\nseven77"};
  for (auto const response : responses) {
    for (std::size_t cut = 0; cut < response.size(); ++cut) {
      CAPTURE(response, cut);
      auto const out = parsed(response.substr(0, cut));
      CHECK(out.failure == errc::transport_failed);
      CHECK_FALSE(out.ended);
      bool const known = out.heads == 1;
      if (known) {
        REQUIRE(out.failure.detail() != nullptr);
        CHECK(out.failure.detail()->http_status == out.status);
      }
    }
  }
}

TEST_CASE("response_parser: responses without a body", "[http]") {
  auto const head = parsed("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", "HEAD", {}, false);
  CHECK(head.ended);
  CHECK(head.kept);
  for (auto const* status : {"204", "304"}) {
    auto const out = parsed("HTTP/1.1 " + std::string(status) + " Nothing\r\nContent-Length: 3\r\n\r\nabc", "GET", {}, false);
    CHECK(out.ended);
    CHECK(out.body.empty());
    CHECK(out.rest == "abc");
  }
  auto const empty = parsed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "GET", {}, false);
  CHECK(empty.ended);
  auto const chunked = parsed("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n", "GET", {}, false);
  CHECK(chunked.ended);
  CHECK(chunked.body.empty());
}

TEST_CASE("response_parser: what follows a response is no part of it", "[http]") {
  auto const out = parsed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n", "GET", {}, false);
  CHECK(out.body == "ok");
  CHECK(out.rest == "HTTP/1.1 200 OK\r\n");
}

TEST_CASE("response_parser: a body without a length ends with the connection", "[http]") {
  std::string_view const text = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nall of it";
  auto const open = parsed(text, "GET", {}, false);
  CHECK_FALSE(open.ended);
  auto const out = parsed(text);
  CHECK_FALSE(out.failure);
  CHECK(out.body == "all of it");
  CHECK(out.ended);
  CHECK_FALSE(out.kept);
}

TEST_CASE("response_parser: whether the connection may be kept", "[http]") {
  auto const kept = [](std::string const& version, std::string const& fields) {
    return parsed(version + " 200 OK\r\n" + fields + "Content-Length: 0\r\n\r\n", "GET", {}, false).kept;
  };
  CHECK(kept("HTTP/1.1", ""));
  CHECK(kept("HTTP/1.1", "Connection: Keep-Alive\r\n"));
  CHECK(kept("HTTP/1.1", "Connection: closed\r\n"));
  CHECK_FALSE(kept("HTTP/1.1", "Connection: Close\r\n"));
  CHECK_FALSE(kept("HTTP/1.1", "Connection: x , close,y\r\n"));
  CHECK_FALSE(kept("HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
  CHECK_FALSE(kept("HTTP/1.0", ""));
  CHECK(kept("HTTP/1.0", "Connection: keep-alive\r\n"));
}

TEST_CASE("response_parser: a 204 that announces a body is the last response of its connection", "[http]") {
  CHECK(parsed("HTTP/1.1 204 No\r\n\r\n").kept);
  CHECK(parsed("HTTP/1.1 204 No\r\nContent-Length: 0\r\n\r\n").kept);
  for (std::string const field : {"Content-Length: 2", "Transfer-Encoding: chunked"}) {
    CAPTURE(field);
    auto const out = parsed("HTTP/1.1 204 No\r\n" + field + "\r\n\r\n");
    CHECK(out.ended);
    CHECK_FALSE(out.kept);
  }
  CHECK(parsed("HTTP/1.1 304 Same\r\nContent-Length: 2\r\n\r\n").kept);
  CHECK(parsed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "HEAD").kept);
}

TEST_CASE("response_parser: the timeout of Keep-Alive", "[http]") {
  auto const timeout = [](std::string const& value) {
    response_parser p;
    std::string const text = "HTTP/1.1 204 No\r\nKeep-Alive: " + value + "\r\n\r\n";
    std::string_view bytes = text;
    CHECK(p.next(bytes) == progress::head);
    return p.keep_alive();
  };
  CHECK(timeout("timeout=5, max=100") == 5s);
  CHECK(timeout("max=3,Timeout=0") == 0s);
  CHECK(timeout("timeout=99999999999") == 1'000'000s);
  CHECK(timeout("timeout=-1") == std::nullopt);
  CHECK(timeout("timeout=") == std::nullopt);
  CHECK(timeout("5") == std::nullopt);
}

TEST_CASE("response_parser: status lines that are none", "[http]") {
  for (auto const* line :
       {"HTTP/2 200", "HTTP/2.0 200 OK", "HTTP/0.9 200 OK", "HTTP/1.1200 OK", "HTTP/1.1  200 OK", "HTTP/1.1 20 OK",
        "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK", "HTTP/1.1 600 OK", "HTTP/1.1 2x0 OK", "HTTP/1.1", "http/1.1 200 OK",
        "HTTP/1.1 -20 OK", "HTTP/1. 200 OK", " HTTP/1.1 200 OK", "<html>", "", "ICY 200 OK", "HTTP/1.1 200 O\rK"}) {
    CAPTURE(line);
    auto const e = refused(std::string(line) + "\r\n\r\n");
    CHECK(e == errc::protocol_violation);
    CHECK(e.detail() == nullptr);
  }
  CHECK(refused("HTTP/1.1 101 Switching Protocols\r\n\r\n") == errc::protocol_violation);
  CHECK(refused("HTTP/1.1 100 Continue\r\n\r\nrest") == errc::protocol_violation);
  CHECK(parsed("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n").ended);
  CHECK(parsed("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n").ended);
}

TEST_CASE("response_parser: a peer that speaks no HTTP is told by its first bytes", "[http]") {
  response_parser p;
  std::string_view tls_alert("\x15\x03\x01\x00\x02", 5);
  CHECK(p.next(tls_alert) == progress::failed);
  CHECK(p.failure() == errc::protocol_violation);
}

TEST_CASE("response_parser: malformed header fields", "[http]") {
  for (std::string const field :
       {"no colon", "Name : value", ": value", "Na me: value", " folded: x", "\tfolded", "A: b\rc", "A\r: b",
        "\rA: b", "Na\x01me: x", "N\xc3\xa4me: x"}) {
    CAPTURE(field);
    auto const e = refused("HTTP/1.1 200 OK\r\nFirst: 1\r\n" + field + "\r\n\r\n");
    CHECK(e == errc::protocol_violation);
    REQUIRE(e.detail() != nullptr);
    CHECK(e.detail()->http_status == 200);
    CHECK(e.to_string().find("value") == std::string::npos);
    CHECK(refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + field + "\r\n\r\n") ==
          errc::protocol_violation);
  }
  CHECK(refused(std::string("HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n", 28)) == errc::protocol_violation);
}

TEST_CASE("response_parser: lengths and codings that contradict or say nothing", "[http]") {
  for (std::string const fields :
       {"Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n", "Content-Length: 1, 1\r\n",
        "Content-Length: -1\r\n", "Content-Length: +1\r\n", "Content-Length: 0x1\r\n", "Content-Length: 1 1\r\n",
        "Content-Length:\r\n", "Content-Length: 1a\r\n", "Content-Length: 9223372036854775808\r\n",
        "Content-Length: 99999999999999999999999999\r\n", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: identity\r\n", "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked;q=1\r\n", "Transfer-Encoding:\r\n"}) {
    CAPTURE(fields);
    CHECK(refused("HTTP/1.1 200 OK\r\n" + fields + "\r\nx") == errc::protocol_violation);
  }
  CHECK(refused("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == errc::protocol_violation);
}

TEST_CASE("response_parser: malformed chunks", "[http]") {
  for (std::string const chunks :
       {"\r\n", "g\r\n", "-1\r\n", "0x1\r\na\r\n", " 1\r\na\r\n", "1 1\r\na\r\n", "1\na\r\n", "1\r\na\n", "1\r\nab\r\n",
        "1\r\na\r0\r\n", "ffffffffffffffff\r\n", "10000000000000000\r\n", "1;a\rb\r\na\r\n", "2\r\na\r\n\r\n\r\n"}) {
    CAPTURE(chunks);
    CHECK(refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks) == errc::protocol_violation);
  }
}

TEST_CASE("response_parser: every limit is named, and what it allows passes", "[http]") {
  std::string_view const text = "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 4\r\n\r\nbody";
  auto const named = [&](response_limits const& limits, std::string const& name) {
    auto const e = refused(text, limits);
    CHECK(e == errc::limit_exceeded);
    CHECK_THAT(std::string(e.message()), match::contains(name));
  };
  CHECK(parsed(text, "GET", response_limits().headers(2).line(18).head(44).body(4)).ended);
  named(response_limits().headers(1), "headers");
  named(response_limits().line(17), "line");
  named(response_limits().head(43), "head bytes");
  named(response_limits().body(3), "body");
}

TEST_CASE("response_parser: limits hold for what never ends", "[http]") {
  response_limits const small = response_limits().headers(10).line(100).head(500).body(50);
  auto const endless = [&](std::string const& start, std::string const& again) {
    std::string text = start;
    for (int i = 0; i < 1000; ++i) text += again;
    return refused(text, small);
  };
  CHECK(endless("HTTP/1.1 200 ", "x") == errc::limit_exceeded);
  CHECK(endless("HTTP/1.1 200 OK\r\n", "x") == errc::limit_exceeded);
  CHECK(endless("HTTP/1.1 200 OK\r\n", "a:b\r\n") == errc::limit_exceeded);
  CHECK(endless("", "HTTP/1.1 100 Continue\r\n\r\n") == errc::limit_exceeded);
  CHECK(endless("HTTP/1.1 200 OK\r\n\r\n", "x") == errc::limit_exceeded);
  std::string const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  CHECK(endless(chunked, "1\r\na\r\n") == errc::limit_exceeded);
  CHECK(endless(chunked, "0") == errc::limit_exceeded);
  std::string const stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  CHECK(endless(stream, "1;" + std::string(50, 'x') + "\r\na\r\n") == errc::limit_exceeded);
  CHECK(endless(stream, "00000001;x=y\r\na\r\n") == errc::transport_failed);  // cut off
  CHECK(endless(chunked + "0\r\n", "a:b\r\n") == errc::limit_exceeded);
  CHECK(refused("HTTP/1.1 413 No\r\nContent-Length: 51\r\n\r\n", small).detail()->http_status == 413);
}

TEST_CASE("response_parser: an event stream may be of any length", "[http]") {
  std::string text = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n";
  auto const head = text.size();
  text.append(1000, 'x');
  auto const out = parsed(text, "POST", response_limits().body(10));
  CHECK(out.event_stream);
  CHECK(out.ended);
  CHECK(out.body.size() == text.size() - head);
}

TEST_CASE("response_parser: a failure stays, also after the end of the connection", "[http]") {
  response_parser p;
  std::string_view bytes = "HTTP/1.1 200 OK\r\n bad\r\n\r\n";
  CHECK(p.next(bytes) == progress::failed);
  auto const first = std::string(p.failure().message());
  std::string_view more = "HTTP/1.1 200 OK\r\n\r\n";
  CHECK(p.next(more) == progress::failed);
  CHECK(p.finish() == progress::failed);
  CHECK(p.failure().message() == first);
}
