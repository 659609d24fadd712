// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include <comcp/client/capacity.hpp>
#include <comcp/client/core.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

/// First come, first served.
template <class Core>
class capacity_line final : public capacity_link {
 public:
  explicit capacity_line(Core& core) noexcept : core_(core) {}

  asio::awaitable<std::shared_ptr<void>> turn(call_options options) override {
    auto& calls = core_.calls;
    if (core_.end_reason()) throw exception(*core_.end_reason());
    if (core_.is_closing()) throw exception(error(errc::closed, "the client is closing"));
    if (!line_.empty() || !has_room()) {
      pending_entry e(pending_entry::span::client);
      auto const now = calls.now();
      if (!calls.enlist(e, now, calls.timeout(options), later(now, calls.hard_limit(options)), true))
        throw exception(error(errc::queue_full, "too many wait for capacity"));
      calls.end_with(options.stop(), e);
      calls.table().line_up(line_, e.id);
      auto const waited = co_await calls.wait(e);
      if (!waited && waited.error() == errc::timeout) throw exception(error(errc::timeout, "no call ended in time"));
      if (!waited) throw exception(waited.error());
    } else {
      ++turns_;
    }
    auto over = [hold = core_.shared_from_this(), this](void*) noexcept {  // on whatever thread
      try {
        auto end = [hold, this] {
          --turns_;
          offer();
        };
        if (hold->home()) detail::post(hold->home(), std::move(end));
      } catch (...) {  // no memory for that: there is room for one call less
      }
    };
    co_return std::shared_ptr<void>(this, std::move(over));
  }
  [[nodiscard]] bool is_awaited() const noexcept override { return !line_.empty(); }
  void offer() override {
    while (!line_.empty() && has_room()) {
      auto const first = line_.front();
      line_.pop_front();
      if (!core_.calls.table().find(first)) continue;  // it waited too long
      ++turns_;
      core_.calls.end(first, json::value());
    }
  }
  void close() noexcept override { line_.clear(); }

 private:
  [[nodiscard]] bool has_room() const noexcept { return core_.calls.table().room() > turns_; }

  Core& core_;
  std::deque<request_id> line_;
  std::size_t turns_ = 0;  // of those who may begin a call
};

COMCP_LAZY_DECL std::unique_ptr<capacity_link> make_capacity(client_core& core) {
  return std::make_unique<capacity_line<client_core>>(core);
}

}  // namespace comcp::detail
