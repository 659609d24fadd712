// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which server a call goes to, and how long it waits for it.
#pragma once

#include <algorithm>

#include <comcp/client/operation.hpp>
#include <comcp/registry/registry_core.hpp>

namespace comcp::detail {

// Where a tool is. Without `tool` the server's list is not known yet: it is to be waited for.
struct registry_core::route {
  explicit route(member m) : server(std::move(m)) {}
  route(member m, std::string t) : server(std::move(m)), tool(std::move(t)) {}
  member server;
  std::string tool;
};

COMCP_DECL result<registry_core::route> registry_core::resolve(std::string_view name) {
  auto const& separator = options_.separator();
  auto const at = name.find(separator);
  if (closing_) return absent(name);
  if (at == name.npos) {
    if (!options_.allows_bare_names())
      return error(errc::no_separator, std::string(name) + " has no \"" + separator + "\" in it");
    return resolve_bare(name, error(errc::unknown_tool, "no server has a tool " + std::string(name)));
  }
  auto const server = name.substr(0, at);
  if (auto const m = find_member(server)) return resolve_at(m, name.substr(at + separator.size()));
  if (!options_.allows_bare_names()) return absent(server);
  return resolve_bare(name, absent(server));
}

COMCP_DECL result<registry_core::route> registry_core::resolve_bare(std::string_view name, error otherwise) {
  std::vector<std::string> having;
  for (auto const* const entry : std::get<catalog_view<tool>>(views_).find_all(name)) having.push_back(entry->server_name);
  if (options_.pins()) {
    // What is blocked counts, or another server's tool could take its place.
    for (auto const& [server, m] : members_) {
      if (blocked_in(*m, pin_kind::tool, name)) having.push_back(server);
    }
    std::sort(having.begin(), having.end());
  }
  if (having.empty()) return otherwise;
  if (having.size() == 1) return resolve_at(find_member(having.front()), name);
  std::string servers;
  for (auto const& server : having) servers.append(servers.empty() ? "" : ", ").append(server);
  return error(errc::ambiguous_name, std::string(name) + " is a tool of " + servers);
}

COMCP_DECL result<registry_core::route> registry_core::resolve_at(member const& m, std::string_view tool_name) {
  auto const& all = std::get<catalog_view<tool>>(views_);
  if (blocked_in(*m, pin_kind::tool, tool_name)) check_pins<tool>(m);  // it may be approved by now
  if (all.find(m->name, tool_name)) return route(m, std::string(tool_name));
  if (auto const why = blocked_in(*m, pin_kind::tool, tool_name)) return why;
  if (!is_listed(*m)) return route(m);
  return error(errc::unknown_tool, "the server " + m->name + " has no tool " + std::string(tool_name));
}

COMCP_DECL error registry_core::blocked_in(registry_member const& m, pin_kind kind, std::string_view name) {
  auto const found = m.findings.find(std::pair(kind, std::string(name)));
  bool const held = found != m.findings.end() && found->second.verdict == pin_verdict::block;
  return held ? found->second.to_error() : error();
}

COMCP_DECL patience registry_core::patience_for(registry_member const& m, call_options const& o) const {
  auto const& all = m.server->config().options();
  auto const hard = o.hard_timeout().value_or(std::max(all.hard_timeout(), o.timeout().value_or(all.timeout())));
  return {time_->now(), std::min(hard, o.timeout().value_or(all.timeout())), o.stop()};
}

// What the wait for the server has left of the call's time.
COMCP_DECL call_options registry_core::rest_of(call_options o, registry_member const& m, patience const& p) const {
  auto const waited = time_->now() - p.start;
  if (waited <= waited.zero()) return o;
  auto const& all = m.server->config().options();
  auto const timeout = o.timeout().value_or(all.timeout());
  auto const hard = o.hard_timeout().value_or(std::max(all.hard_timeout(), timeout));
  bool const extends = o.extends_on_progress();  // which a timeout by hand would switch on
  constexpr std::chrono::nanoseconds least(1);
  o.timeout(std::max<std::chrono::nanoseconds>(timeout - waited, least));
  o.hard_timeout(std::max<std::chrono::nanoseconds>(hard - waited, least));
  return o.extend_on_progress(extends);
}

// Nothing was sent, whatever the reason: that is what the code says.
COMCP_DECL error registry_core::cannot_wait(member const& m, patience const& p) const {
  if (m->gone) return m->gone;
  if (p.stop.stop_requested()) return {errc::cancelled, "the server " + m->name + " was waited for"};
  auto const now = m->server->status();
  auto const not_ready = [&](std::string_view how) {
    auto text = "the server " + m->name + ' ' + std::string(how);
    if (now.reason) text += ": " + now.reason.to_string();
    return error(errc::not_ready, std::move(text));
  };
  if (now.state == server_state::failed) return not_ready("has failed");
  bool const asleep = now.state == server_state::stopped;
  if (asleep && !m->is_lazy()) return not_ready("is stopped");
  if (asleep) m->server->start_in_background();
  if (options_.fails_fast()) return not_ready("is not ready");
  if (time_->now() >= p.until) return not_ready("did not become ready within the call's timeout");
  return {};
}

COMCP_DECL asio::awaitable<void> registry_core::wait_for(self r, member m, patience p) {
  if (auto const why = r->cannot_wait(m, p)) throw exception(why.with_outcome(call_outcome::not_sent));
  auto waiting = bell::wait(m->rung, r->time_, p.until, p.stop);
  co_await std::move(waiting);
  if (m->gone) throw exception(m->gone);
}

COMCP_DECL asio::awaitable<client> registry_core::ready(self r, member m, patience p) {
  for (;;) {
    auto c = m->server->connection();
    if (c && !m->gone) co_return std::move(*c);
    auto waiting = wait_for(r, m, p);
    co_await std::move(waiting);
  }
}

// Tells the circuit breaker how it ended.
template <class T>
asio::awaitable<T> registry_core::ended(member m, asio::awaitable<T> op) {
  auto outcome = co_await as_result(std::move(op));
  if (!outcome) {
    m->server->call_ended(&outcome.error());
    throw exception(outcome.error());
  }
  m->server->call_ended(nullptr);
  if constexpr (!std::is_void_v<T>) co_return std::move(*outcome);
}

COMCP_DECL asio::awaitable<call_tool_result> registry_core::call(self r, std::string name, json::fragment arguments,
                                                                 call_options options) {
  std::optional<patience> p;
  for (;;) {
    auto const where = r->resolve(name);
    if (!where) throw exception(where.error());
    auto const m = where->server;
    if (!p) p = r->patience_for(*m, options);
    auto const c = m->server->connection();
    if (c && !where->tool.empty()) {
      auto calling = c->call_tool(where->tool, std::move(arguments), r->rest_of(std::move(options), *m, *p));
      auto result = co_await ended(m, std::move(calling));
      co_return result;
    }
    auto waiting = wait_for(r, m, *p);
    co_await std::move(waiting);
  }
}

template <class T>
asio::awaitable<T> registry_core::with_server(self r, std::string name, call_options options, operation<T> op) {
  auto const m = r->require(name);
  auto const p = r->patience_for(*m, options);
  auto waiting = ready(r, m, p);
  auto const c = co_await std::move(waiting);
  auto calling = op(c, r->rest_of(std::move(options), *m, p));
  auto whole = ended(m, std::move(calling));
  if constexpr (std::is_void_v<T>) {
    co_await std::move(whole);
  } else {
    auto result = co_await std::move(whole);
    co_return result;
  }
}

// Where pins decide, the list is waited for: it shows whether the prompt is what was approved.
COMCP_DECL asio::awaitable<get_prompt_result> registry_core::prompt_of(self r, std::string server, std::string name,
                                                                       json::fragment arguments, call_options options) {
  auto const m = r->require(server);
  if (r->options_.pins()) {
    auto const p = r->patience_for(*m, options);
    auto waiting = ready(r, m, p);
    (void)co_await std::move(waiting);
    auto listing = until_listed(r, m, p);
    co_await std::move(listing);
    if (blocked_in(*m, pin_kind::prompt, name)) r->check_pins<comcp::prompt>(m);  // it may be approved by now
    if (auto const why = blocked_in(*m, pin_kind::prompt, name)) throw exception(why);
    options = r->rest_of(std::move(options), *m, p);
  }
  operation<get_prompt_result> op = [name, given = std::move(arguments)](client const& c, call_options o) {
    return c.get_prompt(name, given, std::move(o));
  };
  auto getting = with_server<get_prompt_result>(r, std::move(server), std::move(options), std::move(op));
  auto result = co_await std::move(getting);
  co_return result;
}

}  // namespace comcp::detail
