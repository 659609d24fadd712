// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How authorization sends its own requests: over any engine, whole answers of bounded size, no redirects.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/http/engine.hpp>
#include <comcp/http/message.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// A whole answer. A redirect is an answer like any other.
struct oauth_response {
  oauth_response() = default;
  int status = 0;
  http_headers headers;
  std::string body;
};

/// Sends one request and gives its whole answer; called on the client's executor, may be cancelled.
using oauth_sender = std::function<asio::awaitable<result<oauth_response>>(http_request)>;

namespace detail {

template <class Engine>
asio::awaitable<result<oauth_response>> fetch_whole(std::shared_ptr<Engine> engine, http_request request, std::size_t max_body) {
  auto opened = co_await engine->open(std::move(request));
  if (!opened) co_return opened.error();
  auto response = std::move(*opened);
  oauth_response out;
  out.status = response.head().status;
  out.headers = response.head().headers;
  for (;;) {
    auto const piece = co_await response.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return out;
    if (out.body.size() + piece->size() > max_body) {
      co_return error(errc::limit_exceeded, "the answer is longer than oauth_options().max_body()");
    }
    out.body.append(*piece);
  }
}

}  // namespace detail

/// A sender over an engine of the user's choice. Bodies beyond `max_body` bytes are errc::limit_exceeded.
template <engine Engine>
oauth_sender send_with(std::shared_ptr<Engine> e, std::size_t max_body = std::size_t{1} << 20) {
  return [e = std::move(e), max_body](http_request r) { return detail::fetch_whole(e, std::move(r), max_body); };
}

}  // namespace comcp
