// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole exchanges with an HTTP engine, for tests: one request, all of the answer. Any engine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/http/connector.hpp>
#include <comcp/http/engine.hpp>

#include "support/catch.hpp"
#include "support/http_peer.hpp"

namespace comcp_test {

inline comcp::http_request request_to(std::string const& url, std::string method = "POST", std::string body = {}) {
  auto parsed = comcp::http_url::parse(url);
  REQUIRE(parsed);
  comcp::http_request out(std::move(*parsed), std::move(method));
  out.body = std::move(body);
  return out;
}
inline comcp::http_request request_to(http_peer const& peer, std::string method = "POST", std::string body = {}) {
  return request_to(peer.url("/mcp"), std::move(method), std::move(body));
}

/// The rest of the body.
template <class Response>
asio::awaitable<comcp::result<std::string>> read_body(Response& from) {
  std::string out;
  for (;;) {
    auto piece = co_await from.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return out;
    out += *piece;
  }
}

/// "STATUS BODY".
template <class Engine>
asio::awaitable<comcp::result<std::string>> fetch(Engine& with, comcp::http_request request) {
  auto opened = co_await with.open(std::move(request));
  if (!opened) co_return opened.error();
  auto body = co_await read_body(*opened);
  if (!body) co_return body.error();
  co_return std::to_string(opened->head().status) + ' ' + *body;
}

/// A script that gives every request the same answer.
inline peer_script always(std::string answer) {
  return [answer = std::move(answer)](peer_connection& c) -> asio::awaitable<void> {
    for (;;) {
      auto const request = co_await c.read_request();
      if (!request) co_return;
      co_await c.write(answer);
    }
  };
}

/// The first request of a connection is answered, the second one meets `then`.
inline peer_script second_request(std::function<asio::awaitable<void>(peer_connection&)> then) {
  return [then](peer_connection& c) -> asio::awaitable<void> {
    auto const first = co_await c.read_request();
    if (!first) co_return;
    co_await c.write(http_answer(200, c.number() == 0 ? "first" : "fresh"));
    auto const second = co_await c.read_request();
    if (second) co_await then(c);
  };
}

/// A connector whose names are never found; `asked` is called when one is looked up.
inline comcp::plain_connector lost(std::function<void()> asked) {
  auto lookup = [asked](asio::any_io_executor const&, std::string const&, std::uint16_t,
                        comcp::net::lookup_done const&) { asked(); };
  return comcp::plain_connector(comcp::proxy_options::none(), std::move(lookup));
}

}  // namespace comcp_test
