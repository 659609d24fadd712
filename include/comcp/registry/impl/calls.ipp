// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include <comcp/client/operation.hpp>
#include <comcp/registry/registry_core.hpp>

namespace comcp::detail {

// Where a tool is. Without `tool` the server's list is not known yet: it is to be waited for.
struct registry_calls::route {
  explicit route(member m) : server(std::move(m)) {}
  route(member m, std::string_view t) : server(std::move(m)), tool(t) {}
  member server;
  std::string tool;
};

COMCP_LAZY_DECL result<registry_calls::route> registry_calls::resolve(std::string_view name) {
  auto const& separator = core_.options.separator();
  auto const& servers = core_.servers;
  auto const at = name.find(separator);
  if (servers.is_closing()) return servers.absent(name);
  if (at == name.npos) {
    if (!core_.options.allows_bare_names())
      return error(errc::no_separator, std::string(name) + " has no \"" + separator + "\" in it");
    return resolve_bare(name, error(errc::unknown_tool, "no server has a tool " + std::string(name)));
  }
  auto const server = name.substr(0, at);
  if (auto const m = servers.find(server)) return resolve_at(m, name.substr(at + separator.size()));
  if (!core_.options.allows_bare_names()) return servers.absent(server);
  return resolve_bare(name, servers.absent(server));
}

COMCP_LAZY_DECL result<registry_calls::route> registry_calls::resolve_bare(std::string_view name, error otherwise) {
  auto const having = core_.offers.having_tool(name);
  if (having.empty()) return otherwise;
  if (having.size() == 1) return resolve_at(core_.servers.find(having.front()), name);
  std::string servers;
  for (auto const& server : having) servers.append(servers.empty() ? "" : ", ").append(server);
  return error(errc::ambiguous_name, std::string(name) + " is a tool of " + servers);
}

COMCP_LAZY_DECL result<registry_calls::route> registry_calls::resolve_at(member const& m, std::string_view tool_name) {
  auto const blocked = core_.offers.blocks<tool>(*m->offers, tool_name);
  if (core_.offers.has_tool(m->name, tool_name)) return route(m, tool_name);
  if (blocked) return blocked;
  if (!m->is_listed()) return route(m);
  return error(errc::unknown_tool, "the server " + m->name + " has no tool " + std::string(tool_name));
}

namespace registry_detail {

// How long a call may last in all, by its options and those of the server.
struct call_times {
  call_times(connect_options const& all, call_options const& o)
      : timeout(o.timeout().value_or(all.timeout())),
        hard(o.hard_timeout().value_or(std::max(all.hard_timeout(), timeout))) {}
  std::chrono::nanoseconds timeout, hard;
};

// Tells the circuit breaker how it ended.
template <class T>
asio::awaitable<T> told(std::shared_ptr<registry_member> m, asio::awaitable<T> call) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(call);
      m->server->call_ended(nullptr);
    } else {
      auto value = co_await std::move(call);
      m->server->call_ended(nullptr);
      co_return value;
    }
  } catch (...) {
    auto const why = current_error();
    m->server->call_ended(&why);
    throw exception(why);
  }
}

}  // namespace registry_detail

COMCP_LAZY_DECL patience registry_calls::patience_for(registry_member const& m, call_options const& o) const {
  registry_detail::call_times const times(m.server->config().options(), o);
  return {core_.time->now(), std::min(times.hard, times.timeout), o.stop()};
}

// What the wait for the server has left of the call's time.
COMCP_LAZY_DECL call_options registry_calls::rest_of(call_options o, registry_member const& m,
                                                     patience const& p) const {
  std::chrono::nanoseconds const waited = core_.time->now() - p.start;
  if (waited <= waited.zero()) return o;
  registry_detail::call_times const times(m.server->config().options(), o);
  bool const extends = o.extends_on_progress();  // which a timeout by hand would switch on
  constexpr std::chrono::nanoseconds least(1);
  o.timeout(std::max(times.timeout - waited, least));
  o.hard_timeout(std::max(times.hard - waited, least));
  return o.extend_on_progress(extends);
}

// Nothing was sent, whatever the reason: that is what the code says.
COMCP_LAZY_DECL error registry_calls::cannot_wait(member const& m, patience const& p) const {
  if (m->gone) return m->gone;
  if (p.stop.stop_requested()) return {errc::cancelled, "the server " + m->name + " was waited for"};
  auto const life = m->server->look();
  auto const not_ready = [&](std::string_view how) {
    auto text = "the server " + m->name + ' ' + std::string(how);
    if (life->state != server_state::ready && life->reason) text += ": " + life->reason.to_string();
    return error(errc::not_ready, std::move(text));
  };
  if (life->state == server_state::failed) return not_ready("has failed");
  bool const asleep = life->state == server_state::stopped;
  if (asleep && !m->is_lazy()) return not_ready("is stopped");
  if (asleep) m->server->start_in_background();
  if (core_.options.fails_fast()) return not_ready("is not ready");
  if (core_.time->now() >= p.until) return not_ready("did not become ready within the call's timeout");
  return {};
}

COMCP_LAZY_DECL asio::awaitable<void> registry_calls::wait_for(member m, patience p) {
  if (auto const why = cannot_wait(m, p)) throw exception(why.with_outcome(call_outcome::not_sent));
  auto waiting = m->rung.wait(core_.time, p.until, p.stop);
  co_await std::move(waiting);
  if (m->gone) throw exception(m->gone);
}

COMCP_LAZY_DECL asio::awaitable<client> registry_calls::ready(member m, patience p) {
  for (;;) {
    auto c = m->server->connection();
    if (c && !m->gone) co_return std::move(*c);
    auto waiting = wait_for(m, p);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL asio::awaitable<client> registry_calls::ready_for(member m, call_options& options) {
  auto const p = patience_for(*m, options);
  auto waiting = ready(m, p);
  auto c = co_await std::move(waiting);
  options = rest_of(std::move(options), *m, p);
  co_return c;
}

COMCP_LAZY_DECL asio::awaitable<call_tool_result> registry_calls::call(std::string name, json::fragment arguments,
                                                                       call_options options) {
  auto const hold = core_.shared_from_this();
  std::optional<patience> p;
  for (;;) {
    auto const where = resolve(name);
    if (!where) throw exception(where.error());
    auto const m = where->server;
    if (!p) p = patience_for(*m, options);
    auto const c = m->server->connection();
    if (c && !where->tool.empty()) {
      options = rest_of(std::move(options), *m, *p);
      auto calling = registry_detail::told(m, c->call_tool(where->tool, std::move(arguments), std::move(options)));
      auto result = co_await std::move(calling);
      co_return result;
    }
    auto waiting = wait_for(m, *p);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> registry_calls::read(std::string server, std::string uri,
                                                                           call_options options) {
  auto const hold = core_.shared_from_this();
  auto const m = core_.servers.require(server);
  auto waiting = ready_for(m, options);
  auto const c = co_await std::move(waiting);
  auto reading = registry_detail::told(m, c.read_resource(uri, std::move(options)));
  auto result = co_await std::move(reading);
  co_return result;
}

// Where pins decide, the list is waited for: it shows whether the prompt is what was approved.
COMCP_LAZY_DECL asio::awaitable<get_prompt_result> registry_calls::prompt(std::string server, std::string name,
                                                                          json::fragment arguments,
                                                                          call_options options) {
  auto const hold = core_.shared_from_this();
  auto const m = core_.servers.require(server);
  if (core_.options.pins()) {
    auto const p = patience_for(*m, options);
    auto waiting = ready(m, p);
    (void)co_await std::move(waiting);
    auto listing = core_.refresher.until_listed(m, p);
    co_await std::move(listing);
    if (auto const why = core_.offers.blocks<comcp::prompt>(*m->offers, name)) throw exception(why);
    options = rest_of(std::move(options), *m, p);
  }
  auto waiting = ready_for(m, options);
  auto const c = co_await std::move(waiting);
  auto getting = registry_detail::told(m, c.get_prompt(name, std::move(arguments), std::move(options)));
  auto result = co_await std::move(getting);
  co_return result;
}

COMCP_LAZY_DECL asio::awaitable<void> registry_calls::subscribe(std::string server, std::string uri, updated_callback f,
                                                                call_options options) {
  auto const hold = core_.shared_from_this();
  auto const m = core_.servers.require(server);
  auto waiting = ready_for(m, options);
  auto const c = co_await std::move(waiting);
  auto subscribing = registry_detail::told(m, c.subscribe(uri, f, std::move(options)));
  co_await std::move(subscribing);
  m->subscribed.emplace(std::move(uri), std::move(f));
}

COMCP_LAZY_DECL asio::awaitable<void> registry_calls::unsubscribe(std::string server, std::string uri,
                                                                  call_options options) {
  auto const hold = core_.shared_from_this();
  auto const m = core_.servers.require(server);
  m->subscribed.erase(uri);
  auto waiting = ready_for(m, options);
  auto const c = co_await std::move(waiting);
  auto unsubscribing = registry_detail::told(m, c.unsubscribe(uri, std::move(options)));
  co_await std::move(unsubscribing);
}

COMCP_LAZY_DECL void registry_calls::subscribe_again(member const& m) {
  for (auto const& [uri, f] : m->subscribed) core_.spawn(subscribe_once_more(m, uri, f));
}

COMCP_LAZY_DECL asio::awaitable<void> registry_calls::subscribe_once_more(member m, std::string uri,
                                                                          updated_callback f) {
  auto const c = m->server->connection();
  if (!c) co_return;
  auto subscribing = as_result(c->subscribe(uri, std::move(f)));
  auto const done = co_await std::move(subscribing);
  if (!done && !m->gone) tell(core_.options.on_fault(), catalog_fault(m->name, "subscription", done.error()));
}

}  // namespace comcp::detail
