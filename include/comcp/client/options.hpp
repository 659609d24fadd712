// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user may decide for a connection, with every default. A class with setters: see DESIGN.md section 7 for why it is
// no aggregate.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>

#include <comcp/client/call_options.hpp>
#include <comcp/client/era_cache.hpp>
#include <comcp/client/interceptor.hpp>
#include <comcp/client/observer.hpp>
#include <comcp/json/build.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/protocol/logging.hpp>
#include <comcp/sansio/handshake.hpp>
#include <comcp/sansio/reconnect.hpp>
#include <comcp/timespan.hpp>
#include <comcp/trace/span.hpp>
#include <comcp/trace/tracer.hpp>

namespace comcp {
class validation_options;
namespace detail {
class validation_plan;
}

using std::chrono::milliseconds;

class any_handler;
class client_core;
class cache_options;   // client/cache.hpp
struct incoming_hook;  // client/incoming.hpp
namespace detail {
class call_step;
class extension_part;
class restarts_link;
using restarts_maker = std::unique_ptr<restarts_link> (*)(client_core&);
using guard_maker = any_handler (*)(any_handler inner, client_core& core);
}  // namespace detail

/// Asked on the client's executor each time the connection was lost, or an attempt to restore it failed: how long to
/// wait before the next attempt, or nothing to give up. One that throws gives up.
using reconnect_hook = std::function<std::optional<std::chrono::nanoseconds>(error const& why)>;

/// Bounds that keep one connection's memory and work finite. Exceeding one is an error or a counted drop, as said.
class connection_limits {
 public:
  connection_limits() {}
#define COMCP_LIMIT(type, name, preset)                                   \
  connection_limits& name(type n) { return name##_ = n, *this; }          \
  [[nodiscard]] type name() const noexcept { return name##_; }            \
                                                                          \
 private:                                                                 \
  type name##_ = preset;                                                  \
                                                                          \
 public:
  COMCP_LIMIT(std::size_t, pending_calls, 65536)       ///< Calls in flight; more: queue_full.
  COMCP_LIMIT(std::size_t, handlers_in_flight, 64)     ///< Requests of the server; more: an error answer. Of one round: wait.
  COMCP_LIMIT(std::size_t, queued_notifications, 1024) ///< Waiting for the handler; more: dropped, counted.
  COMCP_LIMIT(std::size_t, bad_lines, 100)             ///< Unusable messages in a row; more: closed (not over HTTP).
  COMCP_LIMIT(std::size_t, pages, 1000)                ///< Pages of one list; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, items, 100'000)             ///< Items of one list; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, list_bytes, std::size_t{64} << 20)  ///< Text of one list's pages; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, input_rounds, 10)           ///< Rounds of one call; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, input_requests, 1000)       ///< Of one round, and pages of one -32042; more: limit_exceeded.
  COMCP_LIMIT(std::size_t, subscription_queue, 256)    ///< Unread updates of one listen(); more: dropped, counted.
#undef COMCP_LIMIT
  connection_limits& json(json::parse_options o) { return json_ = o, *this; }
  [[nodiscard]] json::parse_options const& json() const noexcept { return json_; }

 private:
  json::parse_options json_;
};

namespace detail {
/// An extension that a program brings, and what makes it for each connection.
struct brought_extension {
  std::string name;
  json::fragment settings;
  std::function<std::unique_ptr<extension_part>()> make;
  bool listens = false, claims = false;
};

/// What connect_options say.
struct connect_settings {
  std::optional<implementation> client_info;
  sansio::handshake_options handshake;
  std::chrono::nanoseconds probe_timeout = std::chrono::seconds(5);
  std::chrono::nanoseconds handshake_timeout = std::chrono::seconds(30);
  std::chrono::nanoseconds open_timeout = std::chrono::seconds(10);
  std::chrono::nanoseconds connect_timeout = std::chrono::nanoseconds::max();
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  std::chrono::nanoseconds hard_timeout = std::chrono::minutes(10);
  std::chrono::nanoseconds close_timeout = std::chrono::seconds(5);
  std::optional<std::chrono::nanoseconds> ping_interval;
  std::chrono::nanoseconds ping_timeout = std::chrono::seconds(5);
  unsigned ping_failure_threshold = 3;
  std::optional<comcp::log_level> log_level;
  std::vector<std::pair<std::string, json::fragment>> experimental, extensions;
  std::vector<brought_extension> brought;
  reconnect_policy reconnect = reconnect_policy::never();
  reconnect_hook ask_to_reconnect;  // in place of the policy
  restarts_maker restarts = nullptr;
  asio::any_io_executor executor;
  std::shared_ptr<time_source> time;
  std::shared_ptr<era_cache> eras;
  connection_limits limits;
  comcp::observer observer;
  comcp::tracer tracer;
  std::vector<interceptor> interceptors;
  std::shared_ptr<std::vector<incoming_hook> const> incoming;  // never changed in place
  guard_maker guard = nullptr;  // where there are such
  /// What makes the steps of the calls' way, in their order; empty where a program uses none.
  enum : std::size_t { tracing, interception, validation, extending, caching };
  std::array<std::function<std::unique_ptr<call_step>(client_core&)>, 5> steps;
  std::shared_ptr<validation_plan const> answers;  // null: the default for elicitations
  bool anonymous = false;
  bool check_capabilities = true;
};
}  // namespace detail

/// What a connection is told. Everything has a default. Copyable.
class connect_options {
 public:
  connect_options() {}

  /// Who we are; without a call: name "comcp" and comcp's version.
  connect_options& client_info(implementation info) { return settings_.client_info = std::move(info), *this; }
  /// Sends no clientInfo in the modern era (the legacy handshake cannot go without).
  connect_options& anonymous(bool yes = true) { return settings_.anonymous = yes, *this; }

  /// automatic (default): finds out which era the server speaks.
  connect_options& automatic() { return settings_.handshake.mode = sansio::handshake_mode::automatic, *this; }
  /// Only the initialize handshake.
  connect_options& legacy() { return settings_.handshake.mode = sansio::handshake_mode::legacy, *this; }
  /// Exactly this version.
  connect_options& pinned(protocol_version v) {
    settings_.handshake.mode = sansio::handshake_mode::pinned;
    settings_.handshake.allowed = {v};
    return *this;
  }
  /// The versions that may be negotiated (default: all). Shapes automatic and legacy.
  connect_options& allowed_versions(std::vector<protocol_version> v) {
    return settings_.handshake.allowed = std::move(v), *this;
  }
  /// What an earlier connection to the same server learned: skips the probe.
  connect_options& prior(era_verdict v) { return settings_.handshake.prior = std::move(v), *this; }

  /// Remembers which era servers speak, here and in every other connection with the same cache.
  connect_options& remember_eras(std::shared_ptr<era_cache> cache) { return settings_.eras = std::move(cache), *this; }

  /// Zero is never, as with every timeout. Of these, only hard_timeout() goes on while an authenticator looks at a
  /// challenge, for a user may have to log in. After probe_timeout() a silent server on a byte stream is taken for a
  /// legacy one, where that is allowed.
  connect_options& probe_timeout(timespan d) { return settings_.probe_timeout = d.as_timeout(), *this; }  ///< 5 s
  /// 30 s.
  connect_options& handshake_timeout(timespan d) { return settings_.handshake_timeout = d.as_timeout(), *this; }
  connect_options& open_timeout(timespan d) { return settings_.open_timeout = d.as_timeout(), *this; }  ///< 10 s
  /// Opening and handshake together, at the beginning and at each further connection (default: no bound but those of
  /// its parts).
  connect_options& connect_timeout(timespan d) { return settings_.connect_timeout = d.as_timeout(), *this; }
  connect_options& timeout(timespan d) { return settings_.timeout = d.as_timeout(), *this; }  ///< 30 s
  connect_options& hard_timeout(timespan d) { return settings_.hard_timeout = d.as_timeout(), *this; }  ///< 10 min
  /// What close() may take; then the transport is destroyed, which kills a server process: with zero at once. Default 5 s.
  connect_options& close_timeout(timespan d) { return settings_.close_timeout = d, *this; }

  /// Pings an idle connection this often (default, and zero: never); server/discover in the modern era.
  connect_options& ping_interval(timespan d) {
    settings_.ping_interval.reset();
    if (d.as_timeout() != std::chrono::nanoseconds::max()) settings_.ping_interval = d;
    return *this;
  }
  connect_options& ping_timeout(timespan d) { return settings_.ping_timeout = d.as_timeout(), *this; }  ///< 5 s
  /// Closes after this many failed pings in a row (default 3).
  connect_options& ping_failure_threshold(unsigned n) { return settings_.ping_failure_threshold = n, *this; }

  /// Asks for log messages from this level on: logging/setLevel, or logLevel on each modern request.
  connect_options& log_level(comcp::log_level level) { return settings_.log_level = level, *this; }
  /// One entry of capabilities.experimental, or of capabilities.extensions.
  connect_options& experimental(std::string name, json::fragment settings) {
    return settings_.experimental.emplace_back(std::move(name), std::move(settings)), *this;
  }
  /// An extension that has nothing but its settings. Errors of connect(): invalid_argument for one that has result types,
  /// which somebody has to complete.
  connect_options& extension(std::string name, json::fragment settings) {
    return settings_.extensions.emplace_back(std::move(name), std::move(settings)), *this;
  }
  /// An extension and all that it brings: any client_extension. Needs <comcp/client/extension.hpp>.
  template <class E>
  connect_options& extension(E e);
  /// Sends calls also when the server did not declare the capability for them (default: fails at once).
  connect_options& check_capabilities(bool yes) { return settings_.check_capabilities = yes, *this; }

  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return settings_.time; }

  /// When the client itself connects again after a loss, which starts a dead server process anew (default: never;
  /// registry and pool do). An answered call begins the count of attempts anew. Needs <comcp/client/connect.hpp>.
  COMCP_LAZY connect_options& reconnect(reconnect_policy p);
  /// The hook decides instead. Such a client also begins anew where others close: when the server answers no ping any
  /// more, or sends too many unusable messages in a row.
  COMCP_LAZY connect_options& reconnect(reconnect_hook ask);
  connect_options& executor(asio::any_io_executor e) { return settings_.executor = std::move(e), *this; }
  connect_options& time(std::shared_ptr<time_source> t) { return settings_.time = std::move(t), *this; }
  connect_options& limits(connection_limits l) { return settings_.limits = std::move(l), *this; }
  connect_options& observe(comcp::observer o) { return settings_.observer = std::move(o), *this; }
  /// Checks arguments, results and elicitation answers against their schemas. Needs <comcp/client/validation.hpp>.
  COMCP_LAZY connect_options& validate(validation_options const& o);
  connect_options& trace(tracer t) { return settings_.tracer = std::move(t), *this; }
  /// A span for each call, request of the server and connection, as comcp/trace/span.hpp has them; calls carry its context.
  /// Needs <comcp/client/spans.hpp>.
  COMCP_LAZY connect_options& spans(span_hook hook);
  /// Interceptors see calls in the order in which they were added.
  COMCP_LAZY connect_options& intercept(interceptor i);
  /// Hooks on what the server sends unasked. Needs <comcp/client/incoming.hpp>.
  COMCP_LAZY connect_options& intercept(incoming_hook h);
  /// Results of lists and reads are used again, and equal ones in flight are one request (default: neither). Needs
  /// comcp/client/cache.hpp.
  COMCP_LAZY connect_options& cache(cache_options options);

  /// Of calls that say none.
  [[nodiscard]] std::chrono::nanoseconds timeout() const noexcept { return settings_.timeout; }
  [[nodiscard]] std::chrono::nanoseconds hard_timeout() const noexcept { return settings_.hard_timeout; }

  /// Internal.
  [[nodiscard]] detail::connect_settings const& settings() const& noexcept { return settings_; }
  [[nodiscard]] detail::connect_settings settings() && noexcept { return std::move(settings_); }

 private:
  detail::connect_settings settings_;
};

}  // namespace comcp
