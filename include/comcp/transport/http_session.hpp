// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One connection to an MCP server over HTTP, from open() to its end, and how its parts hang together. Internal.
#pragma once

#include <functional>
#include <memory>

#include <asio/awaitable.hpp>

#include <comcp/transport/http_link.hpp>
#include <comcp/transport/http_listener.hpp>
#include <comcp/transport/http_posts.hpp>

namespace comcp::detail {

/// All members run on its executor.
class http_session : public std::enable_shared_from_this<http_session> {
 public:
  using activity = std::shared_ptr<http_activity>;
  /// Is told of events that are no messages; an error ends the stream.
  using other_events = std::function<error(sansio::sse_event const&)>;

  http_session(asio::any_io_executor executor, http_options options, http_carrier carrier, inbox& in);
  http_session(http_session const&) = delete;
  http_session& operator=(http_session const&) = delete;

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> open();
  COMCP_LAZY result<void> send(outgoing&& message);
  bool abandon(request_id id) noexcept { return posts_.abandon(id); }
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close();
  /// Ends at once and silently.
  void abort() noexcept;
  void describe(transport_info& out) const;

  [[nodiscard]] http_link& link() noexcept { return link_; }
  [[nodiscard]] http_posts& posts() noexcept { return posts_; }
  [[nodiscard]] http_listener& listener() noexcept { return listener_; }
  [[nodiscard]] bool closing() const noexcept { return link_.carrier.ending; }

  /// HTTP+SSE (2024-11-05): opens the stream that brings everything, and first where to POST.
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> open_sse();
  /// Reads until the end, or until the answer came. What ended it.
  COMCP_LAZY [[nodiscard]] asio::awaitable<error> read_events(activity a, http_fetch& f, sansio::sse_parser& parser,
                                                   other_events const* others = nullptr);

 private:
  struct sse_stream;

  COMCP_LAZY static asio::awaitable<void> run_sse(std::shared_ptr<http_session> self, activity a, std::shared_ptr<sse_stream> s);
  COMCP_LAZY static asio::awaitable<void> end(std::shared_ptr<http_session> self, std::shared_ptr<gate> told);
  /// Tells the inbox, once.
  void finish(error reason);

  http_link link_;
  http_posts posts_;
  http_listener listener_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/http_listener.ipp>
#include <comcp/transport/impl/http_post.ipp>
#include <comcp/transport/impl/http_posts.ipp>
#include <comcp/transport/impl/http_session.ipp>
#endif
