// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who gets what came: answers go to the calls, requests to the dispatcher, notifications to the sinks that registered.
// Nothing here waits. On home only. Internal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <comcp/client/call.hpp>
#include <comcp/client/notification_sink.hpp>
#include <comcp/json/padded_text.hpp>
#include <comcp/jsonrpc/decode.hpp>
#include <comcp/transport/transport.hpp>

namespace comcp {
class client_core;

namespace detail {

class inbound final : public inbox {
 public:
  explicit inbound(client_core& core) noexcept : core_(core) {}

  /// In the order in which they hear.
  void add(notification_sink& sink) { sinks_.push_back(&sink); }
  /// A handshake without an answer: what came in its place.
  [[nodiscard]] error with_what_came(error const& e) const;
  /// Unusable messages are counted from here.
  void forget_strays() noexcept { strays_in_a_row_ = 0; }

  COMCP_DECL void delivered(padded_text text, request_id stream) override;
  COMCP_DECL void stream_ended(request_id id, error why) override;
  [[nodiscard]] COMCP_DECL bool awaits(request_id id) const override;
  COMCP_DECL void session_lost(request_id id, error why) override;
  COMCP_DECL void authorizing(bool begins) override;
  COMCP_DECL void deaf(error why) override;
  [[nodiscard]] COMCP_DECL bool listens() const override;
  COMCP_DECL void closed(error reason) override;
  COMCP_DECL void fault(error what) override;

 private:
  void message(jsonrpc::envelope& m, request_id stream);
  void batch(padded_text text, request_id stream);
  bool plain_answer(padded_text text);
  void answer(jsonrpc::envelope& m, request_id stream);
  void reply_to(pending_entry const& e, reply&& r);
  void notification(jsonrpc::envelope& m);
  void progress(json::value const& params);
  void bad(jsonrpc::envelope const& m);
  [[nodiscard]] reply result_of(jsonrpc::envelope const& m) const;

  client_core& core_;
  std::vector<notification_sink*> sinks_;
  std::size_t strays_in_a_row_ = 0;  // since the last good message
  std::string first_stray_;
};

}  // namespace detail
}  // namespace comcp
