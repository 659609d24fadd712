// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a session over HTTP share: the way out with its headers, and whom to tell what came. Internal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/net/chance.hpp>
#include <comcp/net/gate.hpp>
#include <comcp/transport/http_fetch.hpp>
#include <comcp/transport/http_options.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp::detail {

/// Something under way that can be given up: a POST with what comes back, the stream of a GET.
struct http_activity {
  explicit http_activity(outgoing m) : message(std::move(m)) {}

  static constexpr std::size_t nowhere = SIZE_MAX;

  outgoing message;
  asio::cancellation_signal signal;
  std::unique_ptr<deadline> limit;  // armed where one of its waits is bounded by us
  std::string session;              // the id that went along, empty where none did
  std::size_t place = nowhere;      // among the POSTs under way
  bool starting = false;            // nothing has gone out, or it is still inside send()
  bool given_up = false;
  bool answered = false;            // a request by its answer, the legacy era's stream by its head

  void give_up() noexcept;
};

/// Which headers go along, and the session that they name.
class http_labels {
 public:
  explicit http_labels(http_options const& options);

  /// What http_options().resume() brought: errc::invalid_argument where that is no session.
  [[nodiscard]] result<void> check_resumed();
  [[nodiscard]] std::string const& session() const noexcept { return session_; }
  void forget_session() noexcept { session_.clear(); }
  /// Of the head that answers `initialize`: whether it begins a session.
  [[nodiscard]] result<bool> adopt_session(http_headers const& got);
  /// The last message of a handshake says which version has been agreed on.
  void established(outgoing const& last);

  /// Of a POST: those that others have too, and its own.
  [[nodiscard]] common_headers common_of(http_activity const& a);
  [[nodiscard]] http_headers own_of(http_activity const& a) const;
  [[nodiscard]] common_headers of_stream(std::string_view session, std::string_view last_event_id) const;
  [[nodiscard]] common_headers of_end() const;

 private:
  http_headers const own_;   // the user's
  common_headers const post_;  // of every POST
  std::string version_;      // MCP-Protocol-Version of the legacy era, for GET and DELETE
  std::string session_;
  struct {
    std::string version, session;
    common_headers headers;
  } last_;  // POST of the legacy era: the next one has the same
};

/// All members are used on the executor.
class http_link {
 public:
  http_link(asio::any_io_executor on, http_options o, http_carrier c, inbox& in);
  http_link(http_link const&) = delete;
  http_link& operator=(http_link const&) = delete;

  /// What calls the inbox looks at these afterwards.
  [[nodiscard]] bool over() const noexcept { return inbox_ == nullptr; }
  [[nodiscard]] bool over(http_activity const& a) const noexcept { return over() || a.given_up; }
  [[nodiscard]] inbox& in() const noexcept { return *inbox_; }
  /// Nothing is told any more. Whom it was told to.
  inbox* cut() noexcept { return std::exchange(inbox_, nullptr); }

  void deliver(padded_text text, request_id stream);
  void failed(http_activity const& a, error why);
  void authorizing(bool begins) {
    if (!over()) in().authorizing(begins);
  }

  [[nodiscard]] time_source::time_point in_time(std::chrono::nanoseconds d) const;
  /// Gives it up then, unless unlimit() comes before.
  void limit(std::shared_ptr<http_activity> const& a, std::chrono::nanoseconds d);
  static void unlimit(http_activity& a);
  /// Opens the gate then, whatever an engine or an authenticator makes of being given up; not once the alarm is gone.
  [[nodiscard]] std::unique_ptr<deadline> open_later(std::shared_ptr<gate> const& g, time_source::time_point at);

  asio::any_io_executor const executor;
  http_options const options;
  http_carrier carrier;
  http_labels labels;
  http_url url;      // where POSTs go; GETs go to the server's own
  bool sse = false;  // HTTP+SSE, not Streamable HTTP
  detail::chance chance;
  http_body spare;          // memory for the next body
  std::size_t streams = 0;  // event streams that are open
  std::uint64_t messages_in = 0, bytes_in = 0;

 private:
  inbox* inbox_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/http_link.ipp>
#endif
