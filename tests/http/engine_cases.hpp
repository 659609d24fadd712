// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The engines that tests/http/engines*.cpp run over, with what each promises less than the concept says, and how they
// are run: engine and peer share one io_context. COMCP_TEST_HTTPLIB is defined where cpp-httplib is there.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>

#include <comcp/http/asio_engine.hpp>
#if defined(COMCP_TEST_HTTPLIB)
#include <comcp/http/httplib_engine.hpp>
#endif

#include "support/catch.hpp"
#include "support/http_peer.hpp"
#include "support/transport_box.hpp"

namespace comcp_test {

struct asio_case {
  using engine = comcp::asio_engine;
  static engine make(comcp::response_limits const& limits = comcp::response_limits()) {
    return engine(comcp::asio_engine_options().limits(limits));
  }
  static constexpr bool strict = true;  // the concept, word for word
};

#if defined(COMCP_TEST_HTTPLIB)
struct httplib_case {
  using engine = comcp::httplib_engine;
  static engine make(comcp::response_limits const& limits = comcp::response_limits()) {
    return engine(comcp::httplib_engine_options().limits(limits));
  }
  // Malformed responses are transport_failed or pass, interim responses other than 100 are protocol_violation, Accept
  // and User-Agent are added: as the documentation of httplib_engine says.
  static constexpr bool strict = false;
};
#define COMCP_ENGINES asio_case, httplib_case
#else
#define COMCP_ENGINES asio_case
#endif

using namespace std::chrono_literals;
using comcp::errc;
using comcp::http_request;
using comcp::http_timeouts;
using comcp::result;

/// A response read to its end.
class answer {
 public:
  answer() = default;
  comcp::http_response_head head;
  std::string body;
};

inline http_request request_to(std::string const& url, std::string method = "GET", std::string body = {}) {
  http_request out(comcp::http_url::parse(url).value(), std::move(method));
  out.body = std::move(body);
  return out;
}
inline http_request request_to(http_peer const& peer, std::string method = "GET", std::string body = {}) {
  return request_to(peer.url("/mcp"), std::move(method), std::move(body));
}

template <class Response>
asio::awaitable<result<std::string>> read_all(Response& r) {
  std::string out;
  for (;;) {
    auto piece = co_await r.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return out;
    out += *piece;
  }
}

template <class Engine>
asio::awaitable<result<answer>> fetch(Engine& e, http_request request) {
  auto response = co_await e.open(std::move(request));
  if (!response) co_return response.error();
  auto body = co_await read_all(*response);
  if (!body) co_return body.error();
  answer out;
  out.head = response->head();
  out.body = std::move(*body);
  co_return std::move(out);
}

/// Something that runs beside the test and can be cancelled.
template <class T>
struct running {
  std::optional<result<T>> value;
  int times = 0;
  asio::cancellation_signal signal;
  std::unique_ptr<peer_signal> ended;

  [[nodiscard]] comcp::error error() const { return value && !*value ? value->error() : comcp::error(); }
  void cancel() { signal.emit(asio::cancellation_type::terminal); }
};

template <class T>
asio::awaitable<void> keep(std::shared_ptr<running<T>> r, asio::awaitable<result<T>> work) {
  try {
    auto got = co_await std::move(work);
    r->value.emplace(std::move(got));
  } catch (std::system_error const& e) {
    // Asio's own exception of a cancelled coroutine is as good as errc::cancelled.
    if (e.code() == asio::error::operation_aborted) r->value.emplace(comcp::error(errc::cancelled));
  }
  ++r->times;
  r->ended->say();
}

template <class T>
std::shared_ptr<running<T>> start(asio::io_context& io, asio::awaitable<result<T>> work) {
  auto r = std::make_shared<running<T>>();
  r->ended = std::make_unique<peer_signal>(io.get_executor());
  asio::co_spawn(io, keep(r, std::move(work)),
                 asio::bind_cancellation_slot(r->signal.slot(), [r](std::exception_ptr) {}));
  return r;
}

/// A script that answers every request on every connection with the same bytes.
inline peer_script always(std::string bytes) {
  return [bytes](peer_connection& c) -> asio::awaitable<void> {
    for (;;) {
      auto request = co_await c.read_request();
      if (!request) co_return;
      co_await c.write(bytes);
    }
  };
}
/// A script that answers one request with these bytes and closes.
inline peer_script once(std::string bytes) {
  return [bytes](peer_connection& c) -> asio::awaitable<void> {
    co_await c.read_request();
    co_await c.write(bytes);
  };
}

/// One exchange with a peer that plays the script, by an engine of its own.
template <class Case>
result<answer> exchange_with(peer_script script, std::function<void(http_request&)> const& change = {},
                             comcp::response_limits const& limits = comcp::response_limits()) {
  asio::io_context io{1};
  http_peer peer(io, std::move(script));
  std::optional<result<answer>> out;
  auto body = [&]() -> asio::awaitable<void> {
    auto e = Case::make(limits);
    auto request = request_to(peer);
    if (change) change(request);
    auto got = co_await fetch(e, std::move(request));
    out.emplace(std::move(got));
  };
  run(io, body());
  return std::move(*out);
}

}  // namespace comcp_test
