// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Several connections to one server, or to a set of equal ones, behind the client's own interface. Who takes a call is
// the strategy's decision, how a connection is kept alive its configuration's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

#include <comcp/pool/core.hpp>
#include <comcp/pool/lease.hpp>
#include <comcp/pool/options.hpp>
#include <comcp/pool/strategy.hpp>
#include <comcp/timespan.hpp>

namespace comcp {
namespace detail {

template <class T>
using pool_operation = std::function<asio::awaitable<T>(client const&, call_options)>;

template <class T>
asio::awaitable<T> call_on_one(std::shared_ptr<pool_core> core, call_options options, pool_operation<T> operation) {
  auto span = core->begin_span(options);
  std::optional<pool_turn> turn;
  try {
    auto taking = core->take_for_call(options);
    auto taken = co_await std::move(taking);
    turn.emplace(std::move(taken));
    auto call = operation(turn->connection(), std::move(options));
    if constexpr (std::is_void_v<T>) {
      co_await std::move(call);
      turn->ended();
      span.end();
    } else {
      auto value = co_await std::move(call);
      turn->ended();
      span.end();
      co_return value;
    }
  } catch (...) {
    auto const why = current_error();
    span.fail(why);
    if (turn) turn->ended(why);
    throw;
  }
}

template <class Fn>
std::invoke_result_t<Fn&, client const&> with_lease(std::shared_ptr<pool_core> core, Fn fn,
                                                    std::chrono::nanoseconds timeout) {
  auto taking = on_home(core, check_out(core, timeout));
  auto const connection = co_await std::move(taking);
  auto work = fn(*connection);
  co_return co_await std::move(work);
}

}  // namespace detail

/// Several connections: the members. Each call goes to one that is ready, as the strategy decides; if none is, it waits
/// for one within its own timeout (call_options, else the longest of the members' connect_options), and fails with
/// errc::no_connections then, or at once if no member is starting or backing off. It is sent once: a call whose
/// connection breaks ends as a client's does, and the others go on. What fails is told to the member's circuit breaker.
///
/// Members are started when the pool is made; those whose configuration is lazy() at the first use. One that is lost is
/// started anew as its configuration's reconnect_policy says; one that has failed for good is tried again by warm_up(), and
/// under reconnect_policy::never() it is removed. All sessions have one identity (transport_info().identity): a member
/// with other credentials than the first one that became ready is refused. That covers authenticators, and no headers,
/// arguments or environment variables that were set by hand; share one comcp::bearer among the configurations.
///
/// What belongs to one connection is not here: subscriptions, listen streams, watches and pages are asked of a lease.
///
/// Move-only; one that was moved from may only be assigned to or destroyed. Destroying it is abrupt, and is to be done
/// on its executor, or while nothing runs. Operations may be awaited on any executor, where they resume, and throw as
/// the client's do, with errc::closed after close(); connections(), stats() and get_executor() are safe from any
/// thread.
class pool {
 public:
  /// pool_options().size() connections with copies of one configuration. A thread_pool's executor is wrapped in a strand;
  /// give another multi-threaded one as a strand.
  COMCP_LAZY pool(asio::any_io_executor home, server_config config, pool_options options = pool_options());
  /// As many with each of these.
  COMCP_LAZY pool(asio::any_io_executor home, std::vector<server_config> configs,
                  pool_options options = pool_options());
  pool(pool&&) noexcept = default;
  pool& operator=(pool&&) noexcept = default;

  /// Starts every member that is not started or has failed, in parallel. Completes when each is ready or its first
  /// attempt has failed. Errors: no_connections where none is ready then.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> warm_up() const;
  /// Waits for a ready member; zero takes only one that is ready now. Errors: no_connections.
  COMCP_LAZY [[nodiscard]] asio::awaitable<lease> checkout(timespan timeout = std::chrono::seconds(5)) const;
  /// Calls `fn`, which takes a client const& and gives an awaitable, with a connection that is on loan until that has
  /// ended, whichever way. Runs it on the caller's executor.
  template <class Fn>
  [[nodiscard]] auto with_connection(Fn fn, timespan timeout = std::chrono::seconds(5)) const {
    return detail::with_lease(core_, std::move(fn), timeout);
  }

  /// One more, as its start_mode says: waits() completes when it is ready, or throws and leaves nothing behind. Gives its
  /// name. Errors: invalid_argument for credentials that are not the pool's; and what connecting fails with.
  COMCP_LAZY [[nodiscard]] asio::awaitable<std::string> add(server_config config) const;
  /// No new call goes to it from now on; it is closed gracefully, which ends the calls that are under way. Errors:
  /// unknown_server.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> remove(std::string_view name) const;
  /// Every member at once, each within its close_timeout(). Cancelling it stops only the waiting. Twice is fine.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close() const;

  /// In the order in which they were added.
  COMCP_LAZY [[nodiscard]] std::vector<server_status> connections() const;
  COMCP_LAZY [[nodiscard]] pool_statistics stats() const;
  using executor_type = asio::any_io_executor;
  /// Empty where this was moved from.
  COMCP_LAZY [[nodiscard]] executor_type get_executor() const noexcept;

  // The operations of a client, as comcp/client/client.hpp describes them.

  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<tool>> list_tools(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<resource>> list_resources(
      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<resource_template>> list_resource_templates(
      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<prompt>> list_prompts(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<call_tool_result> call_tool(std::string_view name,
                                                                       json::fragment arguments = json::fragment(),
                                                                       call_options options = call_options()) const;
  template <json::readable Out, json::writable In>
  [[nodiscard]] asio::awaitable<Out> call_tool(std::string_view name, In const& in,
                                               call_options options = call_options()) const {
    return on_one<Out>(std::move(options), [name = std::string(name), arguments = json::fragment::of(in)](
                                               client const& c, call_options o) {
      return c.template call_tool<Out>(name, arguments, std::move(o));
    });
  }
  COMCP_LAZY [[nodiscard]] asio::awaitable<read_resource_result> read_resource(
      std::string_view uri, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<read_resource_result> read_resource(
      resource_template const& t, json::fragment const& variables, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<get_prompt_result> get_prompt(std::string_view name,
                                                                         json::fragment arguments = json::fragment(),
                                                                         call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<complete_result> complete(complete_params const& what,
                                                                     call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> ping(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<discover_result> discover(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<json::value> request(std::string_view method,
                                                                json::fragment params = json::fragment(),
                                                                call_options options = call_options()) const;
  /// Modern era: whichever member answers, as the era has no sessions.
  template <json::readable Result>
  [[nodiscard]] asio::awaitable<Result> resume(json::value required, json::fragment responses,
                                               call_options options = call_options()) const {
    return on_one<Result>(std::move(options), [required = std::move(required), responses = std::move(responses)](
                                                  client const& c, call_options o) {
      return c.template resume<Result>(required, responses, std::move(o));
    });
  }
  /// For every member, those that become ready later too. Completes when all that are ready have answered; throws the
  /// first failure among them.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> set_log_level(log_level level,
                                                               call_options options = call_options()) const;

 private:
  template <class T>
  [[nodiscard]] asio::awaitable<T> on_one(call_options options, detail::pool_operation<T> operation) const {
    return detail::on_home(core_, detail::call_on_one<T>(core_, std::move(options), std::move(operation)));
  }

  std::shared_ptr<detail::pool_core> core_;
  std::shared_ptr<void> end_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/pool/impl/core.ipp>
#include <comcp/pool/impl/members.ipp>
#include <comcp/pool/impl/pool.ipp>
#endif
