// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Notifications as they come. Legacy servers send changed lists unasked and updates of subscribed resources; modern
// ones send what a stream asks for.
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "printers.hpp"

namespace cli {
namespace {

/// Counts what was printed.
class printer {
 public:
  explicit printer(options const& o) noexcept : json_(o.json), most_(o.count) {}

  /// False once there is nothing more to do: enough, or nobody reads stdout any more.
  bool print(comcp::any_notification const& n) {
    if (is_done()) return false;
    print_notification(n, json_);
    ++printed_;
    return !is_done();
  }
  [[nodiscard]] bool is_done() const noexcept { return (most_ && printed_ >= *most_) || !std::cout; }

 private:
  bool json_;
  std::optional<std::size_t> most_;
  std::size_t printed_ = 0;
};

comcp::subscription_filter wanted(session const& s) {
  comcp::subscription_filter filter;
  auto const& offered = s.client.capabilities();
  filter.tools_list_changed = offered.supports_list_changed("tools");
  filter.prompts_list_changed = offered.supports_list_changed("prompts");
  filter.resources_list_changed = offered.supports_list_changed("resources");
  filter.resource_subscriptions = s.opts().uris;
  return filter;
}

comcp::exception tells_nothing() {
  return comcp::exception(comcp::error(comcp::errc::capability_missing, "the server tells no changes"));
}

asio::awaitable<int> listen_legacy(session& s) {
  if (s.opts().uris.empty() && wanted(s).empty()) throw tells_nothing();
  printer out(s.opts());
  auto const forget = [](surroundings* around) { around->on_notification = nullptr, around->on_unheard = nullptr; };
  std::unique_ptr<surroundings, decltype(forget)> const registered(s.around.get(), forget);
  auto const end = [&s] { asio::co_spawn(s.client.get_executor(), s.client.close(), asio::detached); };
  s.around->on_notification = [&](comcp::any_notification const& n) {
    if (!out.print(n)) end();
  };
  s.around->on_unheard = end;
  for (auto const& n : std::exchange(s.around->early, {})) {
    if (!out.print(n)) co_return exit_ok;
  }
  for (auto const& uri : s.opts().uris) {
    auto options = s.call_options();
    comcp::updated_callback nobody;
    co_await s.client.subscribe(uri, std::move(nobody), std::move(options));
    if (out.is_done()) co_return exit_ok;
  }
  if (s.around->unheard) end();
  auto const why = co_await s.client.closed();
  if (out.is_done()) co_return exit_ok;
  throw comcp::exception(s.around->unheard.value_or(why));
}

// What was asked for and not agreed to. Throws where nothing is left to wait for.
void tell_refused(session& s, comcp::subscription_filter const& agreed) {
  for (auto const& uri : s.opts().uris) {
    if (!agreed.has_resource(uri)) s.around->err.line("comcp: the server will not report on " + one_line(uri));
  }
  bool const no_resource = !s.opts().uris.empty() && agreed.resource_subscriptions.empty();
  if (agreed.empty() || no_resource)
    throw comcp::exception(comcp::error(comcp::errc::not_found, "the server agreed to report on nothing of this"));
}

asio::awaitable<int> listen_modern(session& s) {
  printer out(s.opts());
  auto filter = wanted(s);
  if (filter.empty()) throw tells_nothing();
  auto stream = co_await s.client.listen(std::move(filter));
  tell_refused(s, stream.acknowledged());
  for (;;) {
    auto const n = co_await stream.next();
    if (!n) break;
    if (!out.print(*n)) co_return exit_ok;
  }
  auto const why = stream.closed();
  if (why && *why) throw comcp::exception(*why);
  s.around->err.line(failure_text(s.opts(), exit_connection, "the server ended the stream"));
  co_return exit_connection;
}

}  // namespace

asio::awaitable<int> listen(session& s) {
  if (s.client.era() == comcp::era::modern) return listen_modern(s);
  return listen_legacy(s);
}

}  // namespace cli
