// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/logging_engine.hpp>

#include <deque>
#include <optional>
#include <stdexcept>
#include <vector>

#include <comcp/test/manual_clock.hpp>

#include "support/catch.hpp"
#include "support/transport_box.hpp"

using namespace std::chrono_literals;
using comcp::errc;
using comcp::http_log;
using comcp::http_request;
using comcp::result;
using comcp_test::run;

namespace {

/// Answers from memory; the clock moves ten milliseconds for each head and one for each piece.
struct memory_engine {
  class response {
   public:
    explicit response(comcp::http_response_head head) : head_(std::move(head)) {}
    comcp::http_response_head const& head() const noexcept { return head_; }
    asio::awaitable<result<std::string_view>> next() {
      clock->advance(1ms);
      if (meanwhile) {
        auto const call = meanwhile;  // this may go
        call();
        co_return std::string_view();
      }
      if (pieces.empty()) co_return std::string_view();
      auto piece = std::move(pieces.front());
      pieces.pop_front();
      if (!piece) co_return piece.error();
      current = std::move(*piece);
      co_return std::string_view(current);
    }
    std::shared_ptr<comcp::test::manual_clock> clock;
    std::deque<result<std::string>> pieces;
    std::string current;
    std::function<void()> meanwhile;

   private:
    comcp::http_response_head head_;
  };

  asio::awaitable<result<response>> open(http_request r) {
    return answer(clock, pieces, failure, meanwhile, std::move(r));
  }
  static asio::awaitable<result<response>> answer(std::shared_ptr<comcp::test::manual_clock> clock,
                                                  std::deque<result<std::string>> pieces, comcp::error failure,
                                                  std::function<void()> meanwhile, http_request r) {
    clock->advance(10ms);
    if (r.method == "THROW") throw std::system_error(asio::error::operation_aborted);
    if (failure) co_return failure;
    comcp::http_response_head head;
    head.status = 203;
    head.headers.add("Content-Type", "text/plain").value();
    head.headers.add("mcp-session-id", "s3cret").value();
    head.headers.add("Set-Cookie", "s3cret").value();
    response out(std::move(head));
    out.clock = clock;
    out.pieces = std::move(pieces);
    out.meanwhile = std::move(meanwhile);
    co_return std::move(out);
  }

  std::shared_ptr<comcp::test::manual_clock> clock = std::make_shared<comcp::test::manual_clock>();
  std::deque<result<std::string>> pieces;
  comcp::error failure;
  std::function<void()> meanwhile;  ///< Called in next(), which then gives the end.
};

http_request secret_request() {
  http_request out(comcp::http_url::parse("http://example.com:8080/mcp?token=s3cret#s3cret").value(), "POST");
  for (auto const* name : {"Authorization", "Proxy-Authorization", "Cookie", "MCP-Session-ID", "X-Api-Key"})
    out.headers.add(name, "s3cret").value();
  out.headers.add("Accept", "text/event-stream").value();
  out.headers.add("MCP-Protocol-Version", "2025-11-25").value();
  out.body = "s3cret";
  return out;
}

struct logged {
  std::vector<http_log> logs;
  memory_engine inner;
  asio::io_context io;

  comcp::logging_engine<memory_engine> engine() {
    return comcp::logging_engine(
        inner, [this](http_log const& l) { logs.push_back(l); }, inner.clock);
  }
};

template <class Response>
asio::awaitable<std::string> read(Response& r) {
  std::string out;
  for (;;) {
    auto piece = co_await r.next();
    if (!piece || piece->empty()) co_return out;
    out += *piece;
  }
}

}  // namespace

static_assert(comcp::engine<comcp::logging_engine<memory_engine>>);

TEST_CASE("logging_engine: tells of an exchange when it has ended, and changes nothing", "[http]") {
  logged l;
  l.inner.pieces = {std::string("one"), std::string("two!")};
  auto body = [&]() -> asio::awaitable<void> {
    auto e = l.engine();
    auto r = co_await e.open(secret_request());
    CHECK(r.value().head().status == 203);
    CHECK(*r->head().headers.find("set-cookie") == "s3cret");
    auto text = co_await read(*r);
    CHECK(text == "onetwo!");
    CHECK(l.logs.size() == 1);
    auto after = co_await r->next();
    CHECK(after.value().empty());
  };
  run(l.io, body());
  REQUIRE(l.logs.size() == 1);
  auto const& log = l.logs[0];
  CHECK(log.method == "POST");
  CHECK(log.url == "http://example.com:8080/mcp");
  CHECK(log.status == 203);
  CHECK(log.bytes_out == 6);
  CHECK(log.bytes_in == 7);
  CHECK(log.head_time == 10ms);
  CHECK(log.body_time == 3ms);
  CHECK_FALSE(log.failure);
}

TEST_CASE("logging_engine: shows the values of harmless headers only", "[http]") {
  logged l;
  auto body = [&]() -> asio::awaitable<void> {
    auto e = l.engine();
    auto r = co_await e.open(secret_request());
    co_await read(r.value());
  };
  run(l.io, body());
  REQUIRE(l.logs.size() == 1);
  auto const& log = l.logs[0];
  CHECK(log.sent.size() == 7);
  CHECK(*log.sent.find("accept") == "text/event-stream");
  CHECK(*log.sent.find("mcp-protocol-version") == "2025-11-25");
  CHECK(*log.received.find("content-type") == "text/plain");
  for (auto const* name : {"authorization", "proxy-authorization", "cookie", "mcp-session-id", "x-api-key"}) {
    INFO(name);
    CHECK(*log.sent.find(name) == "***");
  }
  CHECK(*log.received.find("set-cookie") == "***");
  CHECK(*log.received.find("mcp-session-id") == "***");
}

TEST_CASE("logging_engine: tells what failed, before the head and in the body", "[http]") {
  bool const in_body = GENERATE(false, true);
  logged l;
  if (in_body) {
    l.inner.pieces = {std::string("one"), comcp::error(errc::idle_timeout, "late")};
  } else {
    l.inner.failure = comcp::error(errc::connect_failed, "nobody there");
  }
  auto body = [&]() -> asio::awaitable<void> {
    auto e = l.engine();
    auto r = co_await e.open(secret_request());
    CHECK(r.has_value() == in_body);
    if (in_body) co_await read(*r);
  };
  run(l.io, body());
  REQUIRE(l.logs.size() == 1);
  CHECK(l.logs[0].failure == (in_body ? errc::idle_timeout : errc::connect_failed));
  CHECK(l.logs[0].status == (in_body ? 203 : 0));
  CHECK(l.logs[0].bytes_in == (in_body ? 3u : 0u));
  CHECK(l.logs[0].head_time == 10ms);
}

TEST_CASE("logging_engine: tells of what was dropped or cancelled, and not of what never began", "[http]") {
  logged l;
  l.inner.pieces = {std::string("one")};
  auto body = [&]() -> asio::awaitable<void> {
    auto e = l.engine();
    { auto never = e.open(secret_request()); }
    CHECK(l.logs.empty());
    {
      auto r = co_await e.open(secret_request());
      auto moved = std::move(r.value());
      CHECK(l.logs.empty());
    }
    CHECK(l.logs.size() == 1);
    auto request = secret_request();
    request.method = "THROW";
    bool thrown = false;
    try {
      auto r = co_await e.open(std::move(request));
    } catch (std::system_error const&) {
      thrown = true;
    }
    CHECK(thrown);
  };
  run(l.io, body());
  REQUIRE(l.logs.size() == 2);
  CHECK(l.logs[0].failure == errc::cancelled);
  CHECK(l.logs[0].status == 203);
  CHECK(l.logs[1].failure == errc::cancelled);
  CHECK(l.logs[1].status == 0);
}

TEST_CASE("logging_engine: the response may go while its piece is awaited", "[http]") {
  logged l;
  std::optional<comcp::logging_engine<memory_engine>::response> r;
  l.inner.meanwhile = [&r] { r.reset(); };
  auto body = [&]() -> asio::awaitable<void> {
    auto e = l.engine();
    auto opened = co_await e.open(secret_request());
    r.emplace(std::move(opened.value()));
    auto const end = co_await r->next();
    CHECK(end.value().empty());
    CHECK_FALSE(r);
  };
  run(l.io, body());
  REQUIRE(l.logs.size() == 1);
  CHECK_FALSE(l.logs[0].failure);
}

TEST_CASE("logging_engine: a sink that throws, or is none, disturbs nothing", "[http]") {
  bool const none = GENERATE(false, true);
  logged l;
  l.inner.pieces = {std::string("one")};
  comcp::http_log_sink sink;
  if (!none) sink = [](http_log const&) { throw std::runtime_error("no log today"); };
  auto body = [&]() -> asio::awaitable<void> {
    comcp::logging_engine e(l.inner, sink, l.inner.clock);
    auto r = co_await e.open(secret_request());
    auto text = co_await read(r.value());
    CHECK(text == "one");
  };
  run(l.io, body());
}
