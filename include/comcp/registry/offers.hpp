// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a registry's servers offer: what they listed, without what pins hold back, and what is wrong with the rest. Home
// alone writes, and reads without the mutex; every other thread reads under it. When lists are read is
// registry/refresher's. Internal.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <comcp/client/listing.hpp>
#include <comcp/registry/catalog.hpp>
#include <comcp/registry/registry_options.hpp>
#include <comcp/registry/statistics.hpp>

namespace comcp::detail {

COMCP_LAZY error no_such_server(std::string_view name);

/// What a listener throws is dropped, as documented.
template <class What>
void tell(std::function<void(What const&)> const& listener, What const& what) noexcept {
  if (!listener) return;
  try {
    listener(what);
  } catch (...) {
  }
}

/// One server's, as of its last refresh.
struct server_offers {
  explicit server_offers(std::string n) : server(std::move(n)) {}

  std::string const server;
  bool withdrawn = false;  // it is no member any more

  // The mutex guards these.
  std::array<std::vector<catalog_fault>, 4> faults;
  std::vector<blocked_tool> blocked;
  result<std::string> instructions = error(errc::not_ready, "the instructions of " + server + " were not read yet");

  // Where pins decide: all that it lists, and the findings by name where something is not simply allowed.
  std::tuple<shared_part<tool>, shared_part<prompt>> listed;
  std::map<std::pair<pin_kind, std::string>, pin_finding> findings;
};

class registry_offers {
 public:
  COMCP_LAZY explicit registry_offers(registry_options const& options);

  // From any thread.
  template <class T>
  [[nodiscard]] catalog_view<T> view() const {
    std::lock_guard const lock(mutex_);
    return std::get<catalog_view<T>>(views_);
  }
  COMCP_LAZY [[nodiscard]] std::vector<blocked_tool> blocked() const;
  COMCP_LAZY [[nodiscard]] result<std::string> instructions(std::string_view server) const;
  COMCP_LAZY [[nodiscard]] std::vector<catalog_fault> faults() const;
  /// What the catalog has of these servers.
  COMCP_LAZY void count(std::vector<registry_statistics::server>& servers) const;

  // On home. Whatever may call a listener or the pins' policy may find the server withdrawn afterwards.
  COMCP_LAZY std::shared_ptr<server_offers> add(std::string const& server);
  /// Everything that it offers is taken back.
  COMCP_LAZY void withdraw(server_offers& o);
  COMCP_LAZY void forget(server_offers& o);
  template <class T>
  void adopt(server_offers& o, result<listing<T>> listed);
  COMCP_LAZY void adopt_instructions(server_offers& o, std::string const& text);

  [[nodiscard]] bool has_tool(std::string_view server, std::string_view name) const noexcept {
    return std::get<catalog_view<tool>>(views_).find(server, name) != nullptr;
  }
  /// Each server with such a tool; what is blocked counts, or another server's could take its place.
  COMCP_LAZY [[nodiscard]] std::vector<std::string> having_tool(std::string_view name) const;
  /// Why the pins hold it back, if they do: they are asked again, as it may be approved by now.
  template <class T>
  [[nodiscard]] error blocks(server_offers& o, std::string_view name);

 private:
  COMCP_LAZY [[nodiscard]] static error held_back(server_offers const& o, pin_kind kind, std::string_view name);
  template <class T>
  void check(server_offers& o);
  COMCP_LAZY void tell_findings(server_offers& o, pin_kind kind, std::vector<pin_finding> found,
                                std::function<void()> const& publish);
  template <class T>
  void publish(server_offers& o, shared_part<T> part);
  COMCP_LAZY void set_faults(server_offers& o, std::size_t kind, std::vector<catalog_fault> faults);

  registry_options const& options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<server_offers>, std::less<>> all_;
  std::tuple<catalog_view<tool>, catalog_view<resource>, catalog_view<resource_template>, catalog_view<prompt>> views_;
};

}  // namespace comcp::detail
