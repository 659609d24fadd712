// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The stream on which a server of the legacy era speaks unasked, from one attempt to the next. Internal.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

#include <comcp/transport/http_link.hpp>

namespace comcp::detail {

class http_session;

class http_listener {
 public:
  using activity = std::shared_ptr<http_activity>;

  explicit http_listener(http_session& session) noexcept;

  /// Opens the stream; never two at once.
  COMCP_LAZY void start();
  /// HTTP+SSE has its own stream in this place.
  void become(activity a);
  void left(activity const& a);
  void stop() noexcept;
  /// A POST came through: a stream that waits for a server to come back waits no longer.
  void reached_again();

 private:
  struct attempts;

  COMCP_LAZY static asio::awaitable<void> run(std::shared_ptr<http_session> session, activity a);
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> go_on(activity a);
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> rest(activity a, std::chrono::milliseconds delay, attempts const& so_far);
  COMCP_LAZY [[nodiscard]] asio::awaitable<std::optional<std::chrono::milliseconds>> once(activity a, attempts& so_far);

  http_session& session_;
  http_link& link_;
  activity current_;
  std::shared_ptr<gate> away_;          // while the next attempt waits for a server that is away
  time_source::time_point not_before_;  // it is tried again
};

}  // namespace comcp::detail
