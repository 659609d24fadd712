// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is sent: requests as the codec writes them, notifications and answers; with labels over HTTP, and traced. It never
// waits. On home only. Internal.
#pragma once

#include <string>
#include <string_view>

#include <comcp/client/call.hpp>
#include <comcp/wire/codec.hpp>

namespace comcp {
class client_core;

namespace detail {

class outbound {
 public:
  explicit outbound(client_core& core) noexcept : core_(core) {}

  COMCP_LAZY result<void> transmit(pending_entry& e);
  COMCP_LAZY result<void> transmit(pending_entry& e, wire::codec const& codec);
  /// The caller of this one is gone: the server is told, if it has to be. Without a reason, the caller's own holds.
  COMCP_LAZY void cancel(request_id id, pending_entry const& e, std::string_view why);
  COMCP_LAZY void notify(std::string_view method, std::string_view params, wire::request_meta const& meta = {});
  /// An answer, for instance.
  COMCP_LAZY void send_text(std::string text);

 private:
  COMCP_LAZY void send(outgoing message);
  COMCP_LAZY result<void> hand_over(outgoing&& message);

  client_core& core_;
};

}  // namespace detail
}  // namespace comcp
