// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who watches the lists of a server, and is told when they change, or that nobody tells of it. Internal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/error.hpp>

namespace comcp::detail {

class watchers {
 public:
  using silence = std::function<void(error const&)>;

  /// What a callback throws is told to `fault`.
  explicit watchers(std::function<void(error)> fault) : fault_(std::move(fault)) {}

  std::uint64_t add(std::string kind, std::function<void()> changed, silence silent) {
    all_.push_back({++last_, std::move(kind), std::move(changed), std::move(silent)});
    return last_;
  }
  void remove(std::uint64_t handle) {
    std::erase_if(all_, [handle](watcher const& w) { return w.handle == handle; });
  }
  [[nodiscard]] bool wants(std::string_view kind) const {
    for (auto const& w : all_) {
      if (w.kind == kind) return true;
    }
    return false;
  }
  void tell(std::string_view kind) {
    auto const now = all_;
    for (auto const& w : now) {
      if (w.kind == kind) guarded(w.changed);
    }
  }
  /// To the watches of one kind, or of all.
  void tell_silence(std::string_view kind, error const& why) {
    auto const now = all_;
    for (auto const& w : now) {
      if (w.silent && (kind.empty() || w.kind == kind)) guarded([&] { w.silent(why); });
    }
  }
  void guarded(std::function<void()> const& f) {
    try {
      f();
    } catch (...) {
      fault_(error(errc::invalid_argument, "a subscription callback threw"));
    }
  }

 private:
  struct watcher {
    std::uint64_t handle;
    std::string kind;
    std::function<void()> changed;
    silence silent;
  };

  std::function<void(error)> fault_;
  std::vector<watcher> all_;
  std::uint64_t last_ = 0;
};

}  // namespace comcp::detail
