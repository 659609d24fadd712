// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a registry is told, with every default.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/net/time_source.hpp>
#include <comcp/pinning/guard.hpp>
#include <comcp/registry/catalog.hpp>
#include <comcp/server/live_server.hpp>
#include <comcp/timespan.hpp>

namespace comcp {

/// A tool that is held back, and why.
struct blocked_tool {
  blocked_tool() = default;
  catalog_entry<tool> entry;
  pin_finding finding;
};

class registry_options {
 public:
  registry_options() {}
  /// Between a server's and a tool's name (default "/"). No server's name may contain it.
  registry_options& separator(std::string s) { return separator_ = std::move(s), *this; }
  /// Whether a tool may be called by its bare name where that is unique (default true).
  registry_options& bare_names(bool yes) { return bare_names_ = yes, *this; }
  /// A call to a server that is not ready (starting, backing off, or lazy: that starts it) fails at once with
  /// errc::not_ready instead of waiting for it within its timeout.
  registry_options& fail_fast(bool yes = true) { return fail_fast_ = yes, *this; }
  /// How long list changes are gathered before a refresh (default 300 ms).
  registry_options& debounce(std::chrono::milliseconds d) { return debounce_ = d, *this; }
  /// The bound of close() (default 10 s): servers that are not through by then are ended abruptly.
  registry_options& close_timeout(timespan d) { return close_timeout_ = d, *this; }
  /// A span for each call, read, prompt and subscription, from before its server is waited for; the client's own is below
  /// it (comcp/trace/span.hpp).
  registry_options& spans(span_hook hook) { return spans_ = std::move(hook), *this; }
  registry_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }
  /// Decides which tools, prompts and instructions are offered (default: all). It is asked about each definition that is
  /// listed, and again when a blocked one is called; clients of registry.find() go past it. Use it on the registry's
  /// executor only.
  registry_options& pins(std::shared_ptr<pin_guard> g) { return pins_ = std::move(g), *this; }

  // Listeners, called on the registry's executor, where they may begin its operations and destroy it. What they throw is
  // dropped. A registry that is destroyed elsewhere tells nothing more once that executor has come to it.

  /// After each refresh, and when a server goes away: once for each kind that changed.
  registry_options& on_change(std::function<void(catalog_change const&)> f) { return on_change_ = std::move(f), *this; }
  /// Each time that a server's state changes.
  registry_options& on_status(std::function<void(server_status const&)> f) { return on_status_ = std::move(f), *this; }
  registry_options& on_fault(std::function<void(catalog_fault const&)> f) { return on_fault_ = std::move(f), *this; }
  /// Of each tool, prompt or instructions that pins() warns of or blocks: when it comes, and when the finding changes.
  registry_options& on_finding(std::function<void(pin_finding const&)> f) { return on_finding_ = std::move(f), *this; }

  [[nodiscard]] std::string const& separator() const noexcept { return separator_; }
  [[nodiscard]] bool allows_bare_names() const noexcept { return bare_names_; }
  [[nodiscard]] bool fails_fast() const noexcept { return fail_fast_; }
  [[nodiscard]] std::chrono::milliseconds debounce() const noexcept { return debounce_; }
  [[nodiscard]] std::chrono::nanoseconds close_timeout() const noexcept { return close_timeout_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }
  [[nodiscard]] span_hook const& spans() const noexcept { return spans_; }
  [[nodiscard]] std::shared_ptr<pin_guard> const& pins() const noexcept { return pins_; }
  [[nodiscard]] auto const& on_change() const noexcept { return on_change_; }
  [[nodiscard]] auto const& on_status() const noexcept { return on_status_; }
  [[nodiscard]] auto const& on_fault() const noexcept { return on_fault_; }
  [[nodiscard]] auto const& on_finding() const noexcept { return on_finding_; }

 private:
  std::string separator_ = "/";
  bool bare_names_ = true;
  bool fail_fast_ = false;
  std::chrono::milliseconds debounce_{300};
  std::chrono::nanoseconds close_timeout_ = std::chrono::seconds(10);
  std::shared_ptr<time_source> time_;
  span_hook spans_;
  std::shared_ptr<pin_guard> pins_;
  std::function<void(catalog_change const&)> on_change_;
  std::function<void(server_status const&)> on_status_;
  std::function<void(catalog_fault const&)> on_fault_;
  std::function<void(pin_finding const&)> on_finding_;
};

}  // namespace comcp
