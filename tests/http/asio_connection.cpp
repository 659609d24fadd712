// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/asio_connection.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/io_context.hpp>

#include <comcp/http/asio_pool.hpp>
#include <comcp/test/manual_clock.hpp>

#include "support/catch.hpp"

using namespace comcp;

namespace {

/// Writes when the test says so, as TLS does; never without waiting.
struct slow_stream {
  explicit slow_stream(asio::io_context& io) : on(io.get_executor()) {}
  [[nodiscard]] asio::any_io_executor get_executor() const { return on; }
  template <class Done>
  void async_write_some(asio::const_buffer from, Done done) {
    offered = from.size();
    wrote = std::move(done);
  }
  void complete(std::error_code ec, std::size_t n) {
    auto const done = std::exchange(wrote, nullptr);  // it holds the connection
    done(ec, n);
  }
  [[nodiscard]] void const* forwarded_by() const noexcept { return nullptr; }
  [[nodiscard]] bool quiet() const noexcept { return true; }
  void close() noexcept { closed = true; }

  asio::any_io_executor on;
  std::function<void(std::error_code, std::size_t)> wrote;
  std::size_t offered = 0;
  bool closed = false;
};

using connection = http_detail::asio_connection<slow_stream>;

std::shared_ptr<connection> busy(asio::io_context& io) {
  auto const out = std::make_shared<connection>(std::make_unique<slow_stream>(io),
                                                std::make_shared<test::manual_clock>());
  http_detail::exchange_times times;
  times.response = std::chrono::hours(1);
  out->begin("POST / HTTP/1.1\r\n\r\n", "POST", response_limits(), times);
  CHECK(out->stream().offered == 19);
  return out;
}

}  // namespace

TEST_CASE("asio_connection: while a write is pending, something may have been sent", "[http]") {
  asio::io_context io;
  auto const c = busy(io);
  c->received(asio::error::connection_reset, 0);
  CHECK(c->ended_unanswered());
  CHECK(c->stream().closed);
  CHECK_FALSE(c->nothing_sent());
  c->stream().complete(asio::error::operation_aborted, 0);
}

TEST_CASE("asio_connection: a write that failed whole sent nothing", "[http]") {
  asio::io_context io;
  auto const c = busy(io);
  c->stream().complete(asio::error::broken_pipe, 0);
  CHECK(c->nothing_sent());
  c->received(asio::error::connection_reset, 0);
  CHECK(c->ended_unanswered());
  CHECK(c->nothing_sent());
  CHECK(c->failure() == errc::transport_failed);
}
