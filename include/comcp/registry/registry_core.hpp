// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a registry is made of: its servers, their parts of the catalog, who waits for what. Everything runs on home but
// the snapshots, which the mutex guards; home alone writes, and reads without it. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

#include <comcp/client/client.hpp>
#include <comcp/net/gate.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/registry/catalog.hpp>
#include <comcp/registry/registry_options.hpp>
#include <comcp/server/live_server.hpp>

namespace comcp::detail {

class registry_core;

error no_such_server(std::string_view name);

/// Something happened: whoever waits goes on, and looks whether it was what he waits for. On one executor.
class bell {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  void ring() noexcept;
  /// Until it rings, `until` comes or a stop is requested.
  static asio::awaitable<void> wait(std::shared_ptr<bell> self, std::shared_ptr<time_source> time, time_point until,
                                    std::stop_token stop);

 private:
  std::vector<std::weak_ptr<gate>> waiting_;
};

/// Which lists are to be read.
namespace list_kinds {
inline constexpr unsigned tools = 1, resources = 2, prompts = 4, all = 7;
}

/// One server of a registry.
struct registry_member final : live_server_owner, std::enable_shared_from_this<registry_member> {
  COMCP_DECL void state_changed(std::string const&) override;
  COMCP_DECL void became_ready(std::string const&) override;
  COMCP_DECL void gave_up(std::string const&) override;

  [[nodiscard]] bool is_lazy() const noexcept { return server->config().start() == start_mode::lazy; }

  std::weak_ptr<registry_core> registry;
  std::string name;
  std::shared_ptr<live_server> server;
  std::shared_ptr<bell> rung = std::make_shared<bell>();
  error gone;            // why it is no member any more
  bool stopped = false;  // its end is complete

  // Refreshing.
  unsigned dirty = 0;     // list_kinds that are to be read
  bool urgent = false;    // at once, without gathering
  bool running = false;
  std::shared_ptr<gate> gathering;
  std::uint64_t asked = 0, done = 0;    // refreshes that somebody waits for
  std::uint64_t listed = 0;             // the connection (status().starts) whose lists were read; 0: none
  std::weak_ptr<client_core> watched;   // the connection whose list changes are heard

  std::multimap<std::string, updated_callback, std::less<>> subscribed;  // by uri, for a client to come

  // Of the last refresh; the registry's mutex guards them.
  std::array<std::vector<catalog_fault>, 4> faults;
  std::vector<blocked_tool> blocked;
  std::optional<std::string> instructions;  // nothing: not known yet, or held back
  error instructions_blocked;

  // Where pins decide: all that it lists, and the findings by name where something is not simply allowed.
  std::tuple<shared_part<tool>, shared_part<prompt>> offered;
  std::map<std::pair<pin_kind, std::string>, pin_finding> findings;
};

/// How long a caller waits for a server.
struct patience {
  patience(std::chrono::steady_clock::time_point now, std::chrono::nanoseconds d, std::stop_token s)
      : start(now), until(later(now, d)), stop(std::move(s)) {}
  std::chrono::steady_clock::time_point start, until;
  std::stop_token stop;
};

class registry_core final : private tenant, public std::enable_shared_from_this<registry_core> {
 public:
  using self = std::shared_ptr<registry_core>;
  using member = std::shared_ptr<registry_member>;

  registry_core(asio::any_io_executor home, registry_options options);

  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }
  void abandon() noexcept;  ///< The registry went away.

  // Operations, on home.
  static asio::awaitable<void> add(self r, std::string name, server_config config);
  static asio::awaitable<void> remove(self r, std::string name);
  static asio::awaitable<void> restart(self r, std::string name);
  static asio::awaitable<void> close(self r);
  static asio::awaitable<bool> settled(self r, std::chrono::nanoseconds limit);
  static asio::awaitable<call_tool_result> call(self r, std::string name, json::fragment arguments, call_options options);
  template <class T>
  using operation = std::function<asio::awaitable<T>(client const&, call_options)>;
  template <class T>
  static asio::awaitable<T> with_server(self r, std::string name, call_options options, operation<T> op);
  static asio::awaitable<get_prompt_result> prompt_of(self r, std::string server, std::string name,
                                                      json::fragment arguments, call_options options);
  static asio::awaitable<void> subscribe(self r, std::string name, std::string uri, updated_callback f,
                                         call_options options);
  static asio::awaitable<void> unsubscribe(self r, std::string name, std::string uri, call_options options);
  static asio::awaitable<void> refresh(self r, std::string name);
  static asio::awaitable<void> refresh_all(self r);

  // Snapshots, from any thread.
  [[nodiscard]] std::vector<std::string> servers() const;
  [[nodiscard]] result<server_status> status(std::string_view name) const;
  [[nodiscard]] result<server_config> config(std::string_view name) const;
  [[nodiscard]] result<client> find(std::string_view name) const;
  template <class T>
  [[nodiscard]] catalog_view<T> view() const {
    std::lock_guard const lock(mutex_);
    return std::get<catalog_view<T>>(views_);
  }
  [[nodiscard]] std::vector<blocked_tool> blocked() const;
  [[nodiscard]] result<std::string> instructions(std::string_view name) const;
  [[nodiscard]] std::vector<catalog_fault> faults() const;

  // From members.
  void state_changed(member const& m);
  void became_ready(member const& m);
  void gave_up(member const& m);

 private:
  struct reading;
  struct route;

  // registry_servers.ipp
  [[nodiscard]] member find_member(std::string_view name) const noexcept;
  [[nodiscard]] member require(std::string_view name) const;
  [[nodiscard]] error absent(std::string_view name) const;
  static asio::awaitable<void> start_first(self r, member m);
  static asio::awaitable<void> until_listed(self r, member m, patience p);
  [[nodiscard]] bool is_listed(registry_member const& m) const;
  void detach(member const& m, error why);
  static asio::awaitable<void> stop(self r, member m);
  static asio::awaitable<void> close_all(self r);
  void abrupt() noexcept;
  void ring(registry_member& m) noexcept;

  // registry_calls.ipp
  [[nodiscard]] result<route> resolve(std::string_view name);
  [[nodiscard]] result<route> resolve_bare(std::string_view name, error otherwise);
  [[nodiscard]] result<route> resolve_at(member const& m, std::string_view tool);
  [[nodiscard]] static error blocked_in(registry_member const& m, pin_kind kind, std::string_view name);
  [[nodiscard]] error cannot_wait(member const& m, patience const& p) const;
  static asio::awaitable<void> wait_for(self r, member m, patience p);
  static asio::awaitable<client> ready(self r, member m, patience p);
  template <class T>
  static asio::awaitable<T> ended(member m, asio::awaitable<T> op);
  [[nodiscard]] patience patience_for(registry_member const& m, call_options const& o) const;
  [[nodiscard]] call_options rest_of(call_options o, registry_member const& m, patience const& p) const;

  // registry_refresh.ipp
  static asio::awaitable<void> subscribe_again(self r, member m, std::string uri, updated_callback f);
  [[nodiscard]] std::uint64_t ask_refresh(member const& m);
  static asio::awaitable<void> until_read(self r, member m, std::uint64_t mine, patience p);
  void touch(member const& m, unsigned kinds, bool urgent);
  static asio::awaitable<void> keep_current(self r, member m);
  static asio::awaitable<void> gather_changes(self r, member m);
  static asio::awaitable<void> read_lists(self r, member m, client c, unsigned kinds);
  void attach(member const& m, client const& c, server_capabilities const& can);
  template <class T>
  void adopt(member const& m, result<listing<T>> listed);
  template <class T>
  void check_pins(member const& m);
  void check_instructions(member const& m, std::string const& text);
  void tell_findings(member const& m, pin_kind kind, std::vector<pin_finding> found,
                     std::function<void()> const& publish);
  template <class T>
  void publish(member const& m, shared_part<T> part);
  void set_faults(member const& m, std::size_t kind, std::vector<catalog_fault> faults);
  void forget_lists(member const& m);

  template <class Listener, class What>
  static void tell(Listener const& listener, What const& what) noexcept {
    if (!listener) return;
    try {
      listener(what);
    } catch (...) {
      // As documented.
    }
  }

  [[nodiscard]] std::shared_ptr<void> itself() noexcept override { return weak_from_this().lock(); }
  COMCP_DECL void context_gone() noexcept override;

  registry_options options_;
  std::shared_ptr<time_source> time_;

  mutable std::mutex mutex_;
  std::map<std::string, member, std::less<>> members_;
  std::tuple<catalog_view<tool>, catalog_view<resource>, catalog_view<resource_template>, catalog_view<prompt>> views_;

  std::vector<member> leaving_;  // no members any more, and not stopped yet
  std::shared_ptr<bell> rung_ = std::make_shared<bell>();
  bool closing_ = false, closed_ = false;
};

}  // namespace comcp::detail
