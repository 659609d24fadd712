// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who gets what came: answers go to the calls, requests to the dispatcher, notifications to the sinks that registered.
// Nothing here waits. On home only. Internal.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <comcp/client/call.hpp>
#include <comcp/client/notification_sink.hpp>
#include <comcp/json/padded_text.hpp>
#include <comcp/jsonrpc/decode.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp {
class client_core;

namespace detail {

/// What a transport delivers, handed on to a T with the same functions: that they are virtual is said here alone, so
/// that they themselves are compiled where a client connects.
template <class T>
class inbox_of final : public inbox {
 public:
  explicit inbox_of(T& to) noexcept : to_(to) {}

  void delivered(padded_text text, request_id stream) override { to_.delivered(text, stream); }
  void stream_ended(request_id id, error why) override { to_.stream_ended(id, std::move(why)); }
  [[nodiscard]] bool awaits(request_id id) const override { return to_.awaits(id); }
  void session_lost(request_id id, error why) override { to_.session_lost(id, std::move(why)); }
  void authorizing(bool begins) override { to_.authorizing(begins); }
  void deaf(error why) override { to_.deaf(std::move(why)); }
  [[nodiscard]] bool listens() const override { return to_.listens(); }
  void closed(error reason) override { to_.closed(std::move(reason)); }
  void fault(error what) override { to_.fault(std::move(what)); }

 private:
  T& to_;
};

class inbound {
 public:
  COMCP_LAZY explicit inbound(client_core& core) noexcept;

  /// For the transport.
  [[nodiscard]] inbox& from_transport() noexcept { return from_transport_; }

  /// In the order in which they hear.
  void add(notification_sink sink) { sinks_.push_back(sink); }
  /// A handshake without an answer: what came in its place.
  COMCP_LAZY [[nodiscard]] error with_what_came(error const& e) const;
  /// Unusable messages are counted from here.
  void forget_strays() noexcept { strays_in_a_row_ = 0; }

  COMCP_LAZY void delivered(padded_text text, request_id stream);
  COMCP_LAZY void stream_ended(request_id id, error why);
  COMCP_LAZY [[nodiscard]] bool awaits(request_id id) const;
  COMCP_LAZY void session_lost(request_id id, error why);
  COMCP_LAZY void authorizing(bool begins);
  COMCP_LAZY void deaf(error why);
  COMCP_LAZY [[nodiscard]] bool listens() const;
  COMCP_LAZY void closed(error reason);
  COMCP_LAZY void fault(error what);

 private:
  COMCP_LAZY void message(jsonrpc::envelope& m, request_id stream);
  COMCP_LAZY void batch(padded_text text, request_id stream);
  COMCP_LAZY bool plain_answer(padded_text text);
  COMCP_LAZY void answer(jsonrpc::envelope& m, request_id stream);
  COMCP_LAZY void reply_to(pending_entry const& e, reply&& r);
  COMCP_LAZY void notification(jsonrpc::envelope& m);
  COMCP_LAZY void bad(jsonrpc::envelope const& m);
  COMCP_LAZY [[nodiscard]] reply result_of(jsonrpc::envelope const& m) const;

  client_core& core_;
  inbox_of<inbound> from_transport_;
  std::vector<notification_sink> sinks_;
  std::size_t strays_in_a_row_ = 0;  // since the last good message
  std::string first_stray_;
};

}  // namespace detail
}  // namespace comcp
