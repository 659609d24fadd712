// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One connection to an MCP server over HTTP: which message goes when, with which headers, in which session. How the
// requests are carried out is for http_exchanges.hpp. Internal.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/net/gate.hpp>
#include <comcp/sansio/http_exchange.hpp>
#include <comcp/transport/http_options.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp::detail {

/// Something under way that can be given up: a POST with what comes back, the stream of a GET.
struct http_activity {
  explicit http_activity(outgoing m) : message(std::move(m)) {}

  outgoing message;
  asio::cancellation_signal signal;
  std::unique_ptr<deadline> limit;  // armed where one of its waits is bounded by us
  std::string session;              // the id that went along, empty where none did
  std::uint64_t number = 0;
  bool starting = false;            // still inside send()
  bool given_up = false;
  bool answered = false;            // a request by its answer, the legacy era's stream by its head

  void give_up() noexcept;
};

/// All members run on its executor. What calls the inbox looks at over() afterwards.
class http_session : public std::enable_shared_from_this<http_session> {
 public:
  http_session(http_url url, http_options options, asio::any_io_executor executor, inbox& in);
  http_session(http_session const&) = delete;
  http_session& operator=(http_session const&) = delete;
  virtual ~http_session() = default;

  [[nodiscard]] virtual asio::awaitable<result<void>> open() = 0;
  result<void> send(outgoing&& message);
  bool abandon(request_id id) noexcept;
  [[nodiscard]] virtual asio::awaitable<void> close() = 0;
  /// Ends at once and silently.
  void abort() noexcept;
  void describe(transport_info& out) const;

 protected:
  using activity = std::shared_ptr<http_activity>;

  virtual asio::awaitable<void> post(activity a) = 0;
  virtual asio::awaitable<void> listen(activity a) = 0;

  [[nodiscard]] bool over() const noexcept { return inbox_ == nullptr; }
  [[nodiscard]] bool over(activity const& a) const noexcept { return over() || a->given_up; }
  [[nodiscard]] inbox& in() const noexcept { return *inbox_; }

  [[nodiscard]] result<void> check_resumed();

  // Headers.
  [[nodiscard]] http_headers post_headers(http_activity const& a) const;
  [[nodiscard]] http_headers stream_headers(http_activity const& a, std::string_view last_event_id) const;
  [[nodiscard]] http_headers delete_headers() const;
  /// Of the head that answers `initialize`. Requests are held from now on, until its handshake is through.
  [[nodiscard]] result<void> adopt_session(http_headers const& got);
  /// What was refused with 404: true when another session has begun since it was sent.
  [[nodiscard]] bool has_newer_session(http_activity const& a) const noexcept;

  // The course of things.
  void finished(activity const& a);  ///< Its POST is through.
  void answered(activity const& a);  ///< Its answer came; what is left of its stream is nobody's.
  /// A message that met a session's end after the next one began: sent in that one, once requests may be.
  void send_again(activity const& a);
  void start_listening();            ///< Opens the stream of the legacy era; never two at once.
  /// A POST came through: a stream that waits for a server to come back waits no longer.
  void reached_again();
  void release_held();               ///< The stream is open, or there is none, or it takes too long.
  void switch_to_sse(http_url endpoint);
  void deliver(std::string& text, request_id stream);
  void failed(http_activity const& a, error why);
  void authorizing(bool begins) {
    if (!over()) in().authorizing(begins);
  }
  void finish(error reason);  ///< Tells the inbox, once.
  void limit(activity const& a, std::chrono::nanoseconds d);  ///< Gives it up then, unless unlimit() comes before.
  static void unlimit(http_activity& a);
  /// Opens the gate then, whatever an engine or an authenticator makes of being given up; not once the alarm is gone.
  [[nodiscard]] std::unique_ptr<deadline> open_later(std::shared_ptr<gate> const& g, time_source::time_point at);
  [[nodiscard]] double chance() { return std::uniform_real_distribution<>(0, 1)(random_); }
  [[nodiscard]] sansio::http_sent sent(http_activity const& a) const;
  [[nodiscard]] std::uint64_t messages_in() const noexcept { return messages_in_; }

  asio::any_io_executor executor_;
  http_options options_;
  std::shared_ptr<time_source> time_;
  http_url url_;                      // where POSTs go
  http_url stream_url_;               // where GETs go
  std::string session_id_;
  bool sse_ = false;                  // HTTP+SSE, not Streamable HTTP
  bool closing_ = false;
  std::size_t streams_ = 0;           // event streams that are open
  activity listener_;
  struct {
    std::shared_ptr<gate> over;       // while the stream's next attempt waits for a server that is away
    time_source::time_point earliest;
  } away_;
  std::map<std::uint64_t, activity> posts_;  // under way, by age
  std::shared_ptr<gate> drained_;     // while close() waits for the last notifications

 private:
  [[nodiscard]] static bool is_initialize(outgoing const& m) noexcept { return m.handshake && !m.stateless; }
  void start(outgoing&& message);
  void give_back_held();

  inbox* inbox_;
  std::string version_;               // MCP-Protocol-Version of the legacy era, for GET and DELETE
  std::vector<outgoing> held_;        // requests, while the handshake ends and the GET stream opens
  bool holding_ = false;
  std::unique_ptr<deadline> hold_limit_;
  http_headers const base_;           // of every POST
  struct {
    std::string version, session;
    http_headers fields;
  } mutable legacy_;                  // of the last POST of the legacy era: the next one has the same
  std::map<request_id, std::uint64_t> by_id_;
  std::uint64_t next_ = 0;
  std::minstd_rand random_;
  std::uint64_t messages_in_ = 0, messages_out_ = 0, bytes_in_ = 0, bytes_out_ = 0;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/http_session.ipp>
#endif
