// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Many servers under one roof: their lives, the catalog of what they offer together, calls by qualified name. How it
// goes about that is registry_core's.
#pragma once

#include <chrono>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/client/client.hpp>
#include <comcp/registry/catalog.hpp>
#include <comcp/registry/qualified_name.hpp>
#include <comcp/registry/registry_options.hpp>
#include <comcp/registry/statistics.hpp>
#include <comcp/server/live_server.hpp>
#include <comcp/timespan.hpp>

namespace comcp {
namespace detail {
class registry_core;
COMCP_LAZY std::shared_ptr<registry_core> make_registry_core(asio::any_io_executor home, registry_options options);
/// Throws errc::closed where there is none: the registry was moved from.
COMCP_LAZY std::shared_ptr<registry_core> const& there(std::shared_ptr<registry_core> const& core);
/// Abandons it when it goes away.
COMCP_LAZY std::shared_ptr<void> end_of(std::shared_ptr<registry_core> core);
}  // namespace detail

/// Many servers. Move-only; destroying it is abrupt (calls end with errc::closed, server processes are killed), close()
/// is graceful. Operations may be awaited on any executor and resume there; those that are no operations (servers,
/// status, find, config, tools, ...) are snapshots and safe from any thread, while nobody moves or destroys the registry.
class registry {
 public:
  /// Servers' clients run on `home` where server_config().executor() says nothing else, and so do the listeners. A
  /// thread_pool's executor is wrapped in a strand; of a multi-threaded io_context give asio::make_strand(io). Throws
  /// errc::invalid_argument for an empty separator.
  template <class Executor>
    requires(!std::same_as<Executor, registry> && std::convertible_to<Executor, asio::any_io_executor>)
  explicit registry(Executor home, registry_options options = registry_options())
      : core_(detail::make_registry_core(std::move(home), std::move(options))), end_(detail::end_of(core_)) {}
  registry(registry&&) noexcept = default;
  registry& operator=(registry&&) noexcept = default;

  /// As the configuration's start_mode says; start_mode::waits returns when the server is ready and its lists were read
  /// (a list that fails is a fault and no error). Servers that are added concurrently start in parallel. Errors:
  /// already_registered, invalid_argument (check_server_name), closed, and what connecting fails with; nothing is left
  /// behind then, nor when it is cancelled.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> add(std::string_view name, server_config config) const;
  /// Calls in flight end with errc::closed. The name is free at once; completes when the server is gone, and cancelling
  /// it stops only the waiting. Errors: unknown_server.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> remove(std::string_view name) const;
  /// Ends the connection, if there is one, and begins anew; completes as add() does. Errors: unknown_server, and what
  /// connecting fails with.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> reconnect(std::string_view name) const;
  /// Removes every server at once, within registry_options().close_timeout(). Nothing can be added afterwards. Twice is
  /// fine; cancelling it stops only the waiting.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close() const;
  /// Waits until no server is starting for the first time, or `limit` has passed. Says whether all are ready and listed,
  /// lazy ones that nobody used yet left aside.
  COMCP_LAZY [[nodiscard]] asio::awaitable<bool> settled(timespan limit) const;

  COMCP_LAZY [[nodiscard]] std::vector<std::string> servers() const;  ///< By name.
  COMCP_LAZY [[nodiscard]] result<server_status> status(std::string_view name) const;
  COMCP_LAZY [[nodiscard]] result<server_config> config(std::string_view name) const;
  COMCP_LAZY [[nodiscard]] registry_statistics statistics() const;
  /// The client while the server is ready. It does not own the connection. Errors: unknown_server, not_ready.
  COMCP_LAZY [[nodiscard]] result<client> find(std::string_view name) const;

  // The catalog: what servers listed that are ready, or on their way back. See catalog_view.
  COMCP_LAZY [[nodiscard]] catalog_view<tool> tools() const;
  COMCP_LAZY [[nodiscard]] catalog_view<resource> resources() const;
  COMCP_LAZY [[nodiscard]] catalog_view<resource_template> resource_templates() const;
  COMCP_LAZY [[nodiscard]] catalog_view<comcp::prompt> prompts() const;
  /// The tools that registry_options().pins() holds back, by server, then by name.
  COMCP_LAZY [[nodiscard]] std::vector<blocked_tool> blocked() const;
  /// What the server tells a model about itself, which may be nothing, as of its last refresh. Errors: unknown_server,
  /// not_ready (it was never read), tool_blocked (registry_options().pins() holds it back).
  COMCP_LAZY [[nodiscard]] result<std::string> instructions(std::string_view server) const;
  /// What the last refresh of each server could not bring into the catalog.
  COMCP_LAZY [[nodiscard]] std::vector<catalog_fault> faults() const;

  // Calls. Where the server is not ready they wait for it within their timeout, of which the rest is the call's own, or
  // end at once where registry_options().fail_fast() says so: errc::not_ready either way, and nothing was sent.

  /// By qualified name, or by a bare one that is unique in the catalog. A tool that the server does not list is not
  /// called. Errors: unknown_server, unknown_tool, ambiguous_name, no_separator (bare names are off), tool_blocked,
  /// not_ready; and those of client.call_tool().
  COMCP_LAZY [[nodiscard]] asio::awaitable<call_tool_result> call(std::string_view tool,
                                                                  json::fragment arguments = json::fragment(),
                                                                  call_options options = call_options()) const;
  /// Errors: unknown_server, not_ready, tool_blocked (a prompt that pins hold back), and those of client.read_resource()
  /// and client.get_prompt().
  COMCP_LAZY [[nodiscard]] asio::awaitable<read_resource_result> read(std::string_view server, std::string_view uri,
                                                                      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<get_prompt_result> prompt(std::string_view server, std::string_view name,
                                                                     json::fragment arguments = json::fragment(),
                                                                     call_options options = call_options()) const;
  /// As client.subscribe(); it is renewed with every new connection.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> subscribe(std::string_view server, std::string_view uri,
                                                           updated_callback f = updated_callback(),
                                                           call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> unsubscribe(std::string_view server, std::string_view uri,
                                                             call_options options = call_options()) const;

  /// Lists anew, waiting for the server as a call does. Errors: unknown_server, not_ready, and the first of the faults
  /// that listing met.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> refresh(std::string_view server) const;
  /// Lists all servers anew that are ready, for 30 s at most. What fails is in faults().
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> refresh() const;

  using executor_type = asio::any_io_executor;
  /// Empty where this was moved from.
  COMCP_LAZY [[nodiscard]] executor_type get_executor() const noexcept;

 private:
  std::shared_ptr<detail::registry_core> core_;
  std::shared_ptr<void> end_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/registry/impl/calls.ipp>
#include <comcp/registry/impl/offers.ipp>
#include <comcp/registry/impl/refresher.ipp>
#include <comcp/registry/impl/registry.ipp>
#include <comcp/registry/impl/servers.ipp>
#endif
