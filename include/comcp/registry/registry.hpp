// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Many servers under one roof: their lives, the catalog of what they offer together, calls by qualified name.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/registry/catalog.hpp>
#include <comcp/registry/qualified_name.hpp>
#include <comcp/server/live_server.hpp>

namespace comcp {

class registry_options {
 public:
  registry_options() {}
  /// Between a server's and a tool's name (default "/"). No server's name may contain it.
  registry_options& separator(std::string s);
  /// Whether a tool may be called by its bare name where that is unique (default true).
  registry_options& bare_names(bool yes);
  /// A call to a server that is starting or backing off fails at once (errc::not_ready) instead of waiting for it
  /// within its timeout.
  registry_options& fail_fast(bool yes = true);
  /// How long list changes are gathered before a refresh (default 300 ms).
  registry_options& debounce(std::chrono::milliseconds d);
  /// The bound of close() (default 10 s): servers that are not through by then are ended abruptly.
  registry_options& close_timeout(std::chrono::nanoseconds d);
  registry_options& time(std::shared_ptr<time_source> t);
  /// Listeners, called on the registry's executor. What they throw is dropped.
  registry_options& on_change(std::function<void(catalog_change const&)> f);
  registry_options& on_status(std::function<void(server_status const&)> f);
};

/// Many servers. Move-only; destroying it is abrupt. Operations may be awaited on any executor; those that are no
/// operations (servers, status, find, config, tools, ...) are snapshots and safe from any thread.
class registry {
 public:
  /// A multi-threaded executor is wrapped in a strand.
  explicit registry(asio::any_io_executor home, registry_options options = registry_options());

  /// As the configuration's start_mode says. Errors: already_registered, invalid_argument (a bad name), and what
  /// connecting fails with; nothing is left behind then.
  asio::awaitable<void> add(std::string_view name, server_config config);
  /// Calls in flight end with errc::closed. Errors: unknown_server.
  asio::awaitable<void> remove(std::string_view name);
  asio::awaitable<void> restart(std::string_view name);
  /// Every server at once, within registry_options().close_timeout(). Twice is fine.
  asio::awaitable<void> close();
  /// Waits until no server is starting for the first time, or `limit` has passed: whether all are ready.
  asio::awaitable<bool> settled(std::chrono::nanoseconds limit);

  [[nodiscard]] std::vector<std::string> servers() const;
  [[nodiscard]] result<server_status> status(std::string_view name) const;
  [[nodiscard]] result<server_config> config(std::string_view name) const;
  /// The client while the server is ready. It does not own the connection. Errors: unknown_server, not_ready.
  [[nodiscard]] result<client> find(std::string_view name) const;

  [[nodiscard]] std::vector<catalog_entry<tool>> tools() const;
  [[nodiscard]] std::vector<catalog_entry<resource>> resources() const;
  [[nodiscard]] std::vector<catalog_entry<resource_template>> resource_templates() const;
  [[nodiscard]] std::vector<catalog_entry<prompt>> prompts() const;

  /// By qualified name, or by a bare one that is unique. Errors: unknown_server, unknown_tool, ambiguous_name,
  /// no_separator (bare names are off), not_ready; and those of client.call_tool().
  asio::awaitable<call_tool_result> call(std::string_view tool, json::fragment arguments = json::fragment(),
                                         call_options options = call_options());
  asio::awaitable<read_resource_result> read(std::string_view server, std::string_view uri,
                                             call_options options = call_options());
  asio::awaitable<get_prompt_result> prompt(std::string_view server, std::string_view name,
                                            json::fragment arguments = json::fragment(),
                                            call_options options = call_options());
  asio::awaitable<void> subscribe(std::string_view server, std::string_view uri, updated_callback f,
                                  call_options options = call_options());
  asio::awaitable<void> unsubscribe(std::string_view server, std::string_view uri,
                                    call_options options = call_options());
  /// Lists anew, one server or all.
  asio::awaitable<void> refresh(std::string_view server);
  asio::awaitable<void> refresh();
};

}  // namespace comcp
