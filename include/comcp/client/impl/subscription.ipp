// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/subscription.hpp>
#include <comcp/version.hpp>

namespace comcp {

COMCP_LAZY_DECL asio::awaitable<std::optional<any_notification>> subscription::next() {
  if (!stream_) return detail::failed<std::optional<any_notification>>(no_stream());
  return detail::on_home(core_, core_->subscriptions(nullptr).next(stream_));
}

}  // namespace comcp
