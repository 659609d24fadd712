// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a core knows of subscriptions: who sees to them is made when a program asks for the first one, so that others do
// not compile it. On home only. Internal.
#pragma once

#include <memory>
#include <string>

#include <comcp/client/link.hpp>
#include <comcp/error.hpp>
#include <comcp/json/value.hpp>

namespace comcp {
class client_core;

namespace detail {

class subscriptions {
 public:
  explicit subscriptions(client_core& core) noexcept : core_(core) {}

  /// Who sees to them; `make` may be null where that is known to be there.
  COMCP_LAZY subscriptions_link& hub(subscriptions_maker make);
  /// Legacy era: why what the server says unasked does not come, if it does not.
  [[nodiscard]] error const& deafness() const noexcept { return deaf_; }

  COMCP_LAZY void connected();
  COMCP_LAZY void ended(error const& reason);
  COMCP_LAZY void shut_down() noexcept;
  // For inbound.
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);
  COMCP_LAZY void deaf(error const& why);
  COMCP_LAZY [[nodiscard]] bool is_awaited() const;

 private:
  client_core& core_;
  std::unique_ptr<subscriptions_link> hub_;
  error deaf_;
};

}  // namespace detail
}  // namespace comcp
