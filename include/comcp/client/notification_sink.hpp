// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What registers with inbound to hear of notifications, and of answers that came too late. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <comcp/error.hpp>
#include <comcp/json/value.hpp>

namespace comcp::detail {

/// Hears what the server tells unasked: any object whose `notified(method, params)` says true where it was for this one
/// alone. The first may change the parameters. It may have `deaf(why)`, which the end of the stream that brings it calls, and (no error) its return; and
/// `is_awaited()`, whether that stream is worth its opening; and `answered_late(id, result)`, of an
/// answer to a call that had ended (empty: an error).
class notification_sink {
 public:
  /// `who` lives longer.
  template <class T>
  explicit notification_sink(T& who) noexcept
      : who_(&who), notified_(&notify<T>), deaf_(&deafen<T>), is_awaited_(&ask<T>), late_(&belate<T>) {}

  bool notified(std::string const& method, json::value& params) const { return notified_(who_, method, params); }
  void deaf(error const& why) const { deaf_(who_, why); }
  [[nodiscard]] bool is_awaited() const { return is_awaited_(who_); }
  void answered_late(std::uint64_t id, std::string_view result) const { late_(who_, id, result); }

 private:
  template <class T>
  static bool notify(void* who, std::string const& method, json::value& params) {
    return static_cast<T*>(who)->notified(method, params);
  }
  template <class T>
  static void deafen(void* who, error const& why) {
    if constexpr (requires(T& t) { t.deaf(why); }) static_cast<T*>(who)->deaf(why);
  }
  template <class T>
  static bool ask(void* who) {
    if constexpr (requires(T& t) { t.is_awaited(); }) return static_cast<T*>(who)->is_awaited();
    return false;
  }
  template <class T>
  static void belate(void* who, std::uint64_t id, std::string_view result) {
    if constexpr (requires(T& t) { t.answered_late(id, result); }) static_cast<T*>(who)->answered_late(id, result);
  }

  void* who_;
  bool (*notified_)(void*, std::string const&, json::value&);
  void (*deaf_)(void*, error const&);
  bool (*is_awaited_)(void*);
  void (*late_)(void*, std::uint64_t, std::string_view);
};

}  // namespace comcp::detail
