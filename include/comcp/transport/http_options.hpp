// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What MCP over HTTP can be told, whichever engine carries it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/http/message.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/sansio/reconnect.hpp>
#include <comcp/sansio/sse_parser.hpp>
#include <comcp/timespan.hpp>
#include <comcp/trace/span.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp {

class any_engine;

/// Which of the two HTTP transports.
enum class http_kind {
  automatic,   ///< Streamable HTTP, and HTTP+SSE where the server turns out to know no other.
  streamable,  ///< 2025-03-26 and later.
  sse,         ///< HTTP+SSE of 2024-11-05: the url is that of the event stream.
};

/// Options of MCP over HTTP. Everything has a default. Copyable.
class http_options {
 public:
  using milliseconds = std::chrono::milliseconds;

  http_options() {}

  /// A header for every request. Those of HTTP framing and of MCP itself cannot be set: connecting fails with
  /// errc::invalid_argument then, as it does for a name or value that no header can have.
  http_options& header(std::string_view name, std::string_view value);
  http_options& kind(http_kind which) { return kind_ = which, *this; }
  /// Goes on with a session of the legacy era instead of a handshake; of client.session(). Where the server has ended it
  /// meanwhile, the first call begins a new one: client.session() has another id then.
  http_options& resume(saved_session session) { return resumed_ = std::move(session), *this; }

  /// When broken event streams are opened again.
  http_options& reconnect(reconnect_policy p) { return reconnect_ = p, *this; }
  /// Legacy era: whether to open the stream on which servers speak unasked (default true).
  http_options& get_stream(bool yes) { return get_stream_ = yes, *this; }
  /// How long requests wait for that stream to open, before they go ahead (default 2 s).
  http_options& get_stream_wait(milliseconds d) { return get_stream_wait_ = d, *this; }

  /// How long a stream of what the server says unasked may be silent (default 5 min): then it is broken. Answers have
  /// the timeouts of their calls.
  http_options& idle_timeout(timespan d) { return idle_timeout_ = d.as_timeout(), *this; }
  /// How long a notification, an answer or the opening of a stream may take (default 30 s). Requests have the
  /// timeouts of their calls.
  http_options& send_timeout(timespan d) { return send_timeout_ = d.as_timeout(), *this; }
  /// How long close() waits for the session's end to be told (default 2 s).
  http_options& close_wait(milliseconds d) { return close_wait_ = d, *this; }

  /// Largest JSON body (64 MiB) and event (16 MiB) accepted, in bytes; more: errc::limit_exceeded.
  http_options& max_body(std::size_t bytes) { return max_body_ = bytes, *this; }
  http_options& max_event(std::size_t bytes) { return max_event_ = bytes, *this; }
  /// Exchanges at once (default 65536); more: errc::queue_full.
  http_options& max_exchanges(std::size_t n) { return max_exchanges_ = n, *this; }
  /// A span for each exchange, as comcp/http/traced_engine.hpp has them. Needs <comcp/transport/http_spans.hpp>.
  COMCP_LAZY http_options& spans(span_hook hook);
  http_options& time(std::shared_ptr<time_source> source) { return time_ = std::move(source), *this; }

  [[nodiscard]] http_headers const& headers() const noexcept { return headers_; }
  [[nodiscard]] error const& unusable() const noexcept { return unusable_; }
  [[nodiscard]] http_kind kind() const noexcept { return kind_; }
  [[nodiscard]] std::optional<saved_session> const& resumed() const noexcept { return resumed_; }
  [[nodiscard]] reconnect_policy const& reconnect() const noexcept { return reconnect_; }
  [[nodiscard]] bool get_stream() const noexcept { return get_stream_; }
  [[nodiscard]] milliseconds get_stream_wait() const noexcept { return get_stream_wait_; }
  [[nodiscard]] std::chrono::nanoseconds idle_timeout() const noexcept { return idle_timeout_; }
  [[nodiscard]] std::chrono::nanoseconds send_timeout() const noexcept { return send_timeout_; }
  [[nodiscard]] milliseconds close_wait() const noexcept { return close_wait_; }
  [[nodiscard]] std::size_t max_body() const noexcept { return max_body_; }
  [[nodiscard]] std::size_t max_event() const noexcept { return max_event_; }
  [[nodiscard]] std::size_t max_exchanges() const noexcept { return max_exchanges_; }
  /// What is put around the engine; empty for nothing.
  [[nodiscard]] std::function<any_engine(any_engine)> const& around() const noexcept { return around_; }
  [[nodiscard]] std::shared_ptr<time_source> time() const { return time_ ? time_ : steady_time(); }

 private:
  http_headers headers_;
  error unusable_;
  std::optional<saved_session> resumed_;
  reconnect_policy reconnect_ = reconnect_policy().delay(std::chrono::seconds(1), std::chrono::seconds(30));
  std::shared_ptr<time_source> time_;
  std::function<any_engine(any_engine)> around_;
  std::chrono::nanoseconds idle_timeout_ = std::chrono::minutes(5);
  std::chrono::nanoseconds send_timeout_ = std::chrono::seconds(30);
  milliseconds get_stream_wait_{2000}, close_wait_{2000};
  std::size_t max_body_ = std::size_t{64} << 20;
  std::size_t max_event_ = sansio::sse_parser::default_max_event;
  std::size_t max_exchanges_ = 65536;
  http_kind kind_ = http_kind::automatic;
  bool get_stream_ = true;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/http_options.ipp>
#endif
