// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The POSTs of a session: those under way, those that wait until the handshake is through, and what comes of each.
// Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/transport/http_link.hpp>

namespace comcp::detail {

class http_session;
class http_post;

class http_posts {
 public:
  using activity = std::shared_ptr<http_activity>;

  explicit http_posts(http_session& session);

  COMCP_LAZY result<void> send(outgoing&& message);
  bool abandon(request_id id) noexcept;
  /// Requests wait from now on, until release(): the handshake ends, and the stream of the legacy era opens.
  void hold() noexcept { holding_ = true; }
  COMCP_LAZY void release();

  void finished(http_activity& a);  ///< It is through.
  void answered(http_activity& a);  ///< Its answer came; what is left of its stream is nobody's.
  /// A new POST with its message, which met a session's end after the next one began, or has to go elsewhere.
  COMCP_LAZY void again(http_activity& a);

  /// Lets what is no request get through; requests are not waited for.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> drained(time_source::time_point until);
  void abort() noexcept;
  void describe(transport_info& out) const;

 private:
  COMCP_LAZY void start(outgoing&& message);
  COMCP_LAZY void prepare(outgoing const& message);
  COMCP_LAZY void set_out(std::shared_ptr<http_post> const& p);
  COMCP_LAZY void set_out_all();
  void give_back_held();

  http_session& session_;
  http_link& link_;
  std::vector<activity> under_way_;
  std::unordered_map<request_id, http_activity*> waiting_;  // for their answers
  std::vector<std::shared_ptr<http_post>> setting_out_;     // in the next turn
  std::vector<outgoing> held_;
  bool holding_ = false;
  std::unique_ptr<deadline> hold_limit_;
  std::shared_ptr<gate> drained_;  // while close() waits for the last notifications
  std::uint64_t messages_out_ = 0, bytes_out_ = 0;
};

/// One POST, from its first byte to the end of what came of it. The usual one needs no coroutine: its
/// answer comes at once.
class http_post final : public http_activity,
                        public http_detail::response_sink_of<http_post>,
                        public std::enable_shared_from_this<http_post> {
 public:
  COMCP_LAZY http_post(http_session& of, outgoing&& m);

  COMCP_LAZY void start();
  COMCP_LAZY void has_come(result<any_response> r);
  [[nodiscard]] bool awaits() const noexcept { return !given_up; }

 private:
  using action = sansio::http_verdict::action;
  using activity = std::shared_ptr<http_activity>;

  /// With `looked`, only what take_now() left.
  COMCP_LAZY static asio::awaitable<void> run(std::shared_ptr<http_session> keep, std::shared_ptr<http_post> self,
                                              bool looked);
  COMCP_LAZY void go_on(std::shared_ptr<http_session> const& keep, bool looked);
  COMCP_LAZY void ended(error failure);
  /// Where all that has to come is here: true.
  COMCP_LAZY [[nodiscard]] bool take_now();
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> take();
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> take_stream();
  COMCP_LAZY [[nodiscard]] asio::awaitable<error> resume(sansio::sse_parser& parser, bool& hopeless,
                                              std::optional<time_source::time_point>& opened);
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> refused();
  COMCP_LAZY [[nodiscard]] result<void> look_at_head();
  COMCP_LAZY void answer(result<void> const& read);
  COMCP_LAZY void send_anew();
  [[nodiscard]] bool is_initialize() const noexcept { return message.handshake && !message.stateless; }
  [[nodiscard]] bool may_resume(sansio::sse_parser const& parser) const;
  [[nodiscard]] sansio::http_sent sent() const;

  // Whoever runs it keeps the session: it keeps those of its POSTs that are under way.
  http_session& session_;
  http_link& link_;
  std::weak_ptr<http_session> const alive_;
  http_fetch fetch_;
  http_body body_;
};

}  // namespace comcp::detail
