// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/calls.hpp>
#include <comcp/client/capacity.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<error> capacity::wait(call_options options) {
  if (line_.empty() && has_room()) {
    ++turns_;
    co_return error();
  }
  pending_entry e(pending_entry::span::client);
  auto const timeout = table_.timeout(options);
  auto const now = table_.now();
  if (!table_.enlist(e, now, timeout, later(now, table_.hard_limit(options)), true))
    co_return error(errc::queue_full, "too many wait for capacity");
  table_.end_with(options.stop(), e);
  table_.table().line_up(line_, e.id);
  auto const waited = co_await table_.wait(e);
  if (waited) co_return error();
  if (waited.error() == errc::timeout) co_return error(errc::timeout, "no call ended in time");
  co_return waited.error();
}

COMCP_LAZY_DECL void capacity::offer() {
  while (!line_.empty() && has_room()) {
    auto const first = line_.front();
    line_.pop_front();
    if (!table_.table().find(first)) continue;  // it waited too long
    ++turns_;
    table_.end(first, json::value());
  }
}

COMCP_LAZY_DECL bool capacity::has_room() const noexcept { return table_.table().room() > turns_; }

}  // namespace comcp::detail
