// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user may decide for one call, with every default.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/json/build.hpp>
#include <comcp/protocol/logging.hpp>
#include <comcp/protocol/progress.hpp>
#include <comcp/protocol/tools.hpp>
#include <comcp/timespan.hpp>
#include <comcp/trace/span.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// Whether a call may be answered from the cache, where the client has one.
enum class cache_use : unsigned char {
  use,      ///< A fresh result is the answer; else the server's is, which is stored.
  refresh,  ///< The server's is, which is stored.
  bypass,   ///< The server's is, and nothing is stored.
};

/// What one call may be told. Unset values come from connect_options. Copyable; reusable for many calls.
class call_options {
 public:
  call_options() {}

  /// Ends the call with errc::timeout after this long without its answer (default 30 s; zero: never). Progress extends
  /// it.
  call_options& timeout(timespan d) { return timeout_ = d.as_timeout(), *this; }
  /// Ends the call at this age whatever progress says (default 10 min, or the timeout where that is longer; zero:
  /// never).
  call_options& hard_timeout(timespan d) { return hard_timeout_ = d.as_timeout(), *this; }
  /// Whether progress restarts the timeout (default: when a timeout was set by hand or on_progress is set).
  call_options& extend_on_progress(bool yes) { return extend_ = yes, *this; }
  /// Called on the client's executor for each progress notification of this call, before the call ends.
  call_options& on_progress(std::function<void(progress_notification const&)> f) {
    return edit().on_progress = std::move(f), *this;
  }
  /// One `_meta` entry; the last of one key counts. The key is checked when the call starts, and the text of the keys of
  /// W3C trace context: errc::invalid_argument.
  template <json::writable T>
  call_options& meta(std::string key, T const& value) {
    return set_meta(std::move(key), json::to_text(value)), *this;
  }
  /// Over HTTP: one more header of this call's requests, beside those of http_options. Checked when it is sent:
  /// errc::invalid_argument for one that only comcp may set, or that is no header.
  call_options& header(std::string name, std::string value) {
    return edit().headers.emplace_back(std::move(name), std::move(value)), *this;
  }
  /// The trace that this call belongs to: carried in `_meta` and, over HTTP, in headers; what is malformed is left out. In
  /// place of what meta() said of it. Spec: https://modelcontextprotocol.io/seps/414-request-meta
  call_options& trace(trace_context const& context);
  /// The caller's word that sending this call twice does no harm: after a broken connection it may go again.
  call_options& idempotent(bool yes = true) { return idempotent_ = yes, *this; }
  /// Cancels every call that was given this token once stop is requested. Thread-safe.
  call_options& stop(std::stop_token token) { return edit().stop = std::move(token), *this; }
  /// What the server is told where this call is cancelled (default: "cancelled by the caller").
  call_options& cancel_reason(std::string text) { return edit().cancel_reason = std::move(text), *this; }
  /// 2025-11-25: after an error -32042 whose pages the handler's elicit_url() all accepted, waits until the server tells
  /// that they are completed (within the hard timeout) and sends the call again, once (default: it ends with
  /// errc::url_elicitation_required).
  call_options& await_url_elicitations(bool yes = true) { return await_urls_ = yes, *this; }
  /// Hands an input_required answer to the caller, who goes on with client.resume(), instead of asking the handler.
  call_options& manual_input(bool yes = true) { return manual_input_ = yes, *this; }
  /// The definition to go by instead of the one that was listed last: its annotated arguments are mirrored into headers
  /// (HTTP, modern era), and its schemas are those of connect_options().validate().
  call_options& tool(comcp::tool const& definition) {
    auto& own = edit();
    own.input_schema = definition.input_schema;
    own.output_schema = definition.output_schema;
    own.task_support = definition.task_support();
    return *this;
  }
  /// Modern era: the log level asked for with this call.
  call_options& log_level(comcp::log_level level) { return log_level_ = level, *this; }

  /// For server/discover, lists and reads of a client with connect_options().cache() (default: use).
  call_options& cache(cache_use how) { return cache_ = how, *this; }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> timeout() const noexcept { return timeout_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> hard_timeout() const noexcept { return hard_timeout_; }
  [[nodiscard]] auto const& on_progress() const noexcept { return rare().on_progress; }
  [[nodiscard]] bool extends_on_progress() const noexcept {
    return extend_.value_or(timeout_.has_value() || static_cast<bool>(on_progress()));
  }
  [[nodiscard]] bool wants_progress() const noexcept {
    return static_cast<bool>(on_progress()) || extend_.value_or(timeout_.has_value());
  }
  [[nodiscard]] auto const& meta() const noexcept { return rare().meta; }
  [[nodiscard]] auto const& headers() const noexcept { return rare().headers; }
  /// Whether `_meta` has anything but a trace.
  [[nodiscard]] bool says_meta() const noexcept { return rare().meta.size() > rare().traced; }
  /// Of tool(): null where that was not said.
  [[nodiscard]] json::value const& input_schema() const noexcept { return rare().input_schema; }
  [[nodiscard]] json::value const& output_schema() const noexcept { return rare().output_schema; }
  [[nodiscard]] comcp::task_support task_support() const noexcept { return rare().task_support; }
  [[nodiscard]] std::string const& cancel_reason() const noexcept { return rare().cancel_reason; }
  [[nodiscard]] bool awaits_url_elicitations() const noexcept { return await_urls_; }
  void forget_tool() {
    if (!input_schema().is_null()) edit().input_schema = json::value();
  }
  [[nodiscard]] bool is_idempotent() const noexcept { return idempotent_; }
  [[nodiscard]] std::stop_token const& stop() const noexcept { return rare().stop; }
  [[nodiscard]] bool is_manual_input() const noexcept { return manual_input_; }
  [[nodiscard]] cache_use cache() const noexcept { return cache_; }
  [[nodiscard]] std::optional<comcp::log_level> log_level() const noexcept { return log_level_; }

 private:
  // What few calls set: shared by copies and never changed in place, so that options cost little where it is unset.
  struct rarities {
    std::function<void(progress_notification const&)> on_progress;
    std::vector<std::pair<std::string, std::string>> meta, headers;
    std::size_t traced = 0;  // entries of meta, the last, that trace() made
    std::stop_token stop;
    json::value input_schema, output_schema;
    comcp::task_support task_support = comcp::task_support::unknown;
    std::string cancel_reason = "cancelled by the caller";
  };
  [[nodiscard]] rarities const& rare() const noexcept {
    static rarities const none;
    return rare_ ? *rare_ : none;
  }
  void set_meta(std::string key, std::string text) {
    auto& own = edit();
    std::erase_if(own.meta, [&key](auto const& entry) { return entry.first == key; });
    own.meta.emplace_back(std::move(key), std::move(text));
    own.traced = 0;
  }
  rarities& edit() {
    auto own = std::make_shared<rarities>(rare());
    auto& changed = *own;
    rare_ = std::move(own);
    return changed;
  }

  std::optional<std::chrono::nanoseconds> timeout_, hard_timeout_;
  std::shared_ptr<rarities const> rare_;
  std::optional<bool> extend_;
  std::optional<comcp::log_level> log_level_;
  bool idempotent_ = false;
  bool manual_input_ = false;
  bool await_urls_ = false;
  cache_use cache_ = cache_use::use;
};

namespace detail {
/// Its parent is what the options carry, which from then on is this.
open_span span_of_call(span_hook const& hook, span_layer layer, std::string_view name, call_options& options);
/// What options carry.
trace_context trace_of(call_options const& options);
}  // namespace detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/call_options.ipp>
#endif
