// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What came of an exchange of an Asio engine: the head, and the body as it comes. Templates, so that only who uses HTTP
// compiles the coroutines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/http/any_engine.hpp>
#include <comcp/http/asio_pool.hpp>
#include <comcp/http/body.hpp>
#include <comcp/http/message.hpp>
#include <comcp/http/response_parser.hpp>
#include <comcp/net/asio_compat.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// A response of basic_asio_engine. Its pieces are views into the connection's buffer. Destroying it before its end
/// closes the connection, unless all of the body was here already.
template <class Stream>
class asio_response {
 public:
  asio_response() = default;  ///< Ended, as one that was moved from; co_spawn wants it.
  asio_response(http_response_head&& head, http_detail::asio_lease<Stream>&& lease)
      : head_(std::move(head)), lease_(std::move(lease)) {}

  [[nodiscard]] http_response_head const& head() const noexcept { return head_; }

  /// One call at a time; the response stays until it has ended. Errors as with every engine, and the same one again.
  asio::awaitable<result<std::string_view>> next() {
    auto const c = lease_.get();
    bool waiting = false;
    while (c) {
      auto const told = c->advance();
      if (told == progress::failed) co_return c->failure();  // this may be gone
      if (told == progress::body || told == progress::end) c->pause();
      if (told == progress::body) co_return c->piece();
      if (told == progress::end) break;
      if (!std::exchange(waiting, true)) c->expect_body();
      auto const [ec, n] = co_await c->stream().async_read_some(c->room(), net::tuple_awaitable);
      c->received(ec, n);
    }
    lease_.reset();
    co_return std::string_view();
  }

  /// For any_response: what is here of the body, and the rest of it once it has come, read to where it stays.
  std::optional<result<void>> take(http_body& to, std::size_t most) {
    while (auto const& c = lease_.get()) {
      auto const told = c->advance();
      if (told == progress::more) return std::nullopt;
      if (told == progress::failed) return result<void>(c->failure());
      if (told == progress::end) lease_.reset();
      if (told != progress::body) continue;
      if (to.size() + c->piece().size() > most) return result<void>(http_detail::body_too_long());
      to.append(c->piece());
    }
    return result<void>();
  }
  asio::awaitable<result<void>> read(http_body& to, std::size_t most) {
    auto const c = lease_.get();
    auto taken = take(to, most);
    for (auto before = SIZE_MAX; !taken;) {
      if (std::exchange(before, to.size()) != to.size()) c->expect_body();
      auto const [ec, n] = co_await c->stream().async_read_some(c->room(to, most), net::tuple_awaitable);
      c->received(ec, n);
      taken = take(to, most);
    }
    co_return std::move(*taken);
  }

 private:
  using progress = response_parser::progress;

  http_response_head head_;
  http_detail::asio_lease<Stream> lease_;
};

}  // namespace comcp
