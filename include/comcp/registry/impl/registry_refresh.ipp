// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeps the catalog current: one refresh of a server in flight, one trailing; what is wrong with one definition, list or
// server costs no other.
#pragma once

#include <comcp/client/operation.hpp>
#include <comcp/registry/registry_core.hpp>

namespace comcp::detail {

COMCP_DECL void registry_core::touch(member const& m, unsigned kinds, bool urgent) {
  if (m->gone) return;
  m->dirty |= kinds;
  if (urgent) {
    m->urgent = true;
    if (m->gathering) m->gathering->open();
  }
  if (std::exchange(m->running, true)) return;
  auto start = [r = shared_from_this(), m] { spawn(r->home_, keep_current(r, m)); };
  post(home_, std::move(start));
}

COMCP_DECL asio::awaitable<void> registry_core::keep_current(self r, member m) {
  while (m->dirty != 0 && !m->gone) {
    if (!m->urgent) {
      auto gathering = gather_changes(r, m);
      co_await std::move(gathering);
    }
    m->urgent = false;
    auto c = m->server->connection();
    if (!c || m->gone) break;  // everything is read again once it is ready
    auto const kinds = std::exchange(m->dirty, 0);
    auto const asked = m->asked;
    auto const connection = m->server->status().starts;
    auto reading = as_result(read_lists(r, m, std::move(*c), kinds));
    (void)co_await std::move(reading);
    if (m->gone) break;
    m->listed = connection;
    m->done = asked;
    r->ring(*m);
  }
  m->running = false;
  r->ring(*m);
}

COMCP_DECL asio::awaitable<void> registry_core::gather_changes(self r, member m) {
  auto const over = std::make_shared<gate>(r->home_);
  m->gathering = over;
  auto const alarm = r->time_->make_deadline(r->home_);
  std::function<void()> fire = [over] { over->open(); };
  alarm->arm(later(r->time_->now(), r->options_.debounce()), std::move(fire));
  co_await over->wait();
  m->gathering.reset();
}

// The lists that one refresh reads, all at once.
struct registry_core::reading {
  reading(self registry, member server, client c)
      : r(std::move(registry)), m(std::move(server)), from(std::move(c)), done(r->home_) {}

  // Each is taken over when it comes: one that is slow holds up no other.
  template <class T>
  static asio::awaitable<void> take(std::shared_ptr<reading> all, asio::awaitable<listing<T>> list) {
    struct turn {
      explicit turn(reading& a) noexcept : of(a) {}
      ~turn() { of.finish(); }
      reading& of;
    } const mine(*all);
    auto listed = co_await as_result(std::move(list));
    if (!all->m->gone) all->r->adopt(all->m, std::move(listed));
  }
  template <class T>
  static void start(std::shared_ptr<reading> const& all, bool offered, asio::awaitable<listing<T>> list) {
    if (!offered) return all->r->adopt(all->m, result<listing<T>>(listing<T>()));
    ++all->open;
    spawn(all->r->home_, take<T>(all, std::move(list)));
  }
  void finish() noexcept {
    if (--open == 0) done.open();
  }

  self r;
  member m;
  client from;
  unsigned open = 1;
  gate done;
};

COMCP_DECL asio::awaitable<void> registry_core::read_lists(self r, member m, client c, unsigned kinds) {
  auto can = c.capabilities();
  if (c.era() == era::modern && !c.verdict().discovered) {  // a prior verdict came without them
    auto asking = as_result(c.discover());
    auto const found = co_await std::move(asking);
    if (found) can = found->capabilities;
  }
  if (m->gone) co_return;
  r->check_instructions(m, c.instructions());
  if (m->gone) co_return;
  r->attach(m, c, can);
  auto const all = std::make_shared<reading>(r, m, std::move(c));
  auto const& from = all->from;
  if (kinds & list_kinds::tools) reading::start(all, can.tools.has_value(), from.list_tools());
  if (kinds & list_kinds::prompts) reading::start(all, can.prompts.has_value(), from.list_prompts());
  if (kinds & list_kinds::resources) {
    reading::start(all, can.resources.has_value(), from.list_resources());
    reading::start(all, can.resources.has_value(), from.list_resource_templates());
  }
  all->finish();
  co_await all->done.wait();
}

// Hears of list changes, once for each connection.
COMCP_DECL void registry_core::attach(member const& m, client const& c, server_capabilities const& can) {
  auto const core = client_access::core(c);
  if (m->watched.lock() == core) return;
  m->watched = core;
  for (auto const& [uri, f] : m->subscribed) spawn(home_, subscribe_again(shared_from_this(), m, uri, f));
  auto const watch = [&](std::string const& kind, unsigned bit) {
    if (core->is_modern() && !can.supports_list_changed(kind)) return;  // it would be asked for them
    auto changed = [weak = std::weak_ptr(m), bit] {
      auto const alive = weak.lock();
      auto const r = alive ? alive->registry.lock() : nullptr;
      if (r) r->touch(alive, bit, false);
    };
    core->subscriptions.watch(kind, std::move(changed));
  };
  watch("tools", list_kinds::tools);
  watch("resources", list_kinds::resources);
  watch("prompts", list_kinds::prompts);
}

// A client that is another one has none of the subscriptions of the one before.
COMCP_DECL asio::awaitable<void> registry_core::subscribe_again(self r, member m, std::string uri, updated_callback f) {
  auto const c = m->server->connection();
  if (!c) co_return;
  auto subscribing = as_result(c->subscribe(uri, std::move(f)));
  auto const done = co_await std::move(subscribing);
  if (!done && !m->gone) tell(r->options_.on_fault(), catalog_fault(m->name, "subscription", done.error()));
}

COMCP_DECL asio::awaitable<void> registry_core::subscribe(self r, std::string name, std::string uri, updated_callback f,
                                                          call_options options) {
  auto const m = r->require(name);
  operation<void> op = [uri, f](client const& c, call_options o) { return c.subscribe(uri, f, std::move(o)); };
  auto subscribing = with_server<void>(r, std::move(name), std::move(options), std::move(op));
  co_await std::move(subscribing);
  m->subscribed.emplace(std::move(uri), std::move(f));
}

COMCP_DECL asio::awaitable<void> registry_core::unsubscribe(self r, std::string name, std::string uri,
                                                            call_options options) {
  r->require(name)->subscribed.erase(uri);
  operation<void> op = [uri](client const& c, call_options o) { return c.unsubscribe(uri, std::move(o)); };
  auto unsubscribing = with_server<void>(r, std::move(name), std::move(options), std::move(op));
  co_await std::move(unsubscribing);
}

template <class T>
void registry_core::adopt(member const& m, result<listing<T>> listed) {
  if (m->gone) return;
  constexpr auto kind = catalog_kind<T>::name;
  constexpr std::size_t place = catalog_kind<T>::place;
  std::vector<catalog_fault> faults;
  if (!listed) {
    auto const* const peer = listed.error().peer();
    bool const no_such_list = std::same_as<T, resource_template> && peer && peer->code == -32601;
    if (!no_such_list) {
      faults.emplace_back(m->name, kind, listed.error());
      return set_faults(m, place, std::move(faults));  // the part that is known stays
    }
    listed = listing<T>();
  }
  for (auto const& broken : listed->set_aside())
    faults.emplace_back(m->name, kind, error(errc::wrong_shape, "a definition was set aside: " + broken.reason));
  auto part = make_part<T>(m->name, options_.separator(), std::move(*listed).items(), faults);
  set_faults(m, place, std::move(faults));
  if (m->gone) return;  // by a listener
  if constexpr (std::same_as<T, tool> || std::same_as<T, prompt>) {
    std::get<shared_part<T>>(m->offered) = std::move(part);
    check_pins<T>(m);
  } else {
    publish<T>(m, std::move(part));
  }
}

// Offered is what the pins let through.
template <class T>
void registry_core::check_pins(member const& m) {
  if (m->gone) return;
  constexpr auto kind = std::same_as<T, tool> ? pin_kind::tool : pin_kind::prompt;
  auto const offered = std::get<shared_part<T>>(m->offered);
  if (!options_.pins() || !offered) return publish<T>(m, offered);
  auto const through = std::make_shared<catalog_part<T>>();
  std::vector<blocked_tool> held;
  std::vector<pin_finding> findings;
  for (auto const& entry : *offered) {
    auto found = options_.pins()->check(m->name, entry.definition);
    if (found.verdict != pin_verdict::block) through->push_back(entry);
    if constexpr (std::same_as<T, tool>) {
      if (found.verdict == pin_verdict::block) {
        auto& b = held.emplace_back();
        b.entry = entry;
        b.finding = found;
      }
    }
    findings.push_back(std::move(found));
  }
  options_.pins()->listed(m->name, kind);
  if (m->gone) return;  // by what the pins' policy called
  if constexpr (std::same_as<T, tool>) {
    std::lock_guard const lock(mutex_);
    m->blocked.swap(held);
  }
  auto const publishing = [&] { publish<T>(m, through); };
  tell_findings(m, kind, std::move(findings), publishing);
}

COMCP_DECL void registry_core::check_instructions(member const& m, std::string const& text) {
  std::optional<std::string> through = text;
  error blocked;
  std::vector<pin_finding> findings;
  if (options_.pins()) {
    findings.push_back(options_.pins()->check_instructions(m->name, text));
    if (findings[0].verdict == pin_verdict::block) blocked = findings[0].to_error();
  }
  if (m->gone) return;
  if (blocked) through.reset();
  {
    std::lock_guard const lock(mutex_);
    m->instructions.swap(through);
    m->instructions_blocked = blocked;
  }
  tell_findings(m, pin_kind::instructions, std::move(findings), [] {});
}

// Whoever is told of a finding sees the catalog as it then is.
COMCP_DECL void registry_core::tell_findings(member const& m, pin_kind kind, std::vector<pin_finding> found,
                                             std::function<void()> const& publish) {
  std::map<std::string, pin_finding> before;
  std::erase_if(m->findings, [&](auto& entry) {
    bool const same_kind = entry.first.first == kind;
    if (same_kind) before.emplace(entry.first.second, std::move(entry.second));
    return same_kind;
  });
  std::erase_if(found, [](pin_finding const& f) { return f.verdict == pin_verdict::allow; });
  for (auto const& f : found) m->findings.emplace(std::pair(kind, f.name), f);
  publish();
  for (auto const& f : found) {
    auto const known = before.find(f.name);
    if (known == before.end() || known->second.offered != f.offered || known->second.verdict != f.verdict)
      tell(options_.on_finding(), f);
  }
}

template <class T>
void registry_core::publish(member const& m, shared_part<T> part) {
  auto& view = std::get<catalog_view<T>>(views_);
  auto const change = difference<T>(m->name, view.of(m->name), part);
  auto next = view.with(m->name, std::move(part));
  {
    std::lock_guard const lock(mutex_);
    std::swap(view, next);
  }
  if (!change.empty()) tell(options_.on_change(), change);
}

COMCP_DECL void registry_core::set_faults(member const& m, std::size_t kind, std::vector<catalog_fault> faults) {
  auto const copies = faults;
  {
    std::lock_guard const lock(mutex_);
    m->faults[kind].swap(faults);
  }
  for (auto const& f : copies) tell(options_.on_fault(), f);
}

COMCP_DECL void registry_core::forget_lists(member const& m) {
  std::vector<blocked_tool> held;
  decltype(m->faults) faults;
  {
    std::lock_guard const lock(mutex_);
    m->blocked.swap(held);
    m->faults.swap(faults);
    m->instructions.reset();
    m->instructions_blocked = {};
  }
  m->offered = {};
  m->findings.clear();
  publish<tool>(m, nullptr);
  publish<resource>(m, nullptr);
  publish<resource_template>(m, nullptr);
  publish<prompt>(m, nullptr);
}

// A refresh that begins after this; its number.
COMCP_DECL std::uint64_t registry_core::ask_refresh(member const& m) {
  auto const mine = ++m->asked;
  if (m->server->connection()) touch(m, list_kinds::all, true);  // else its becoming ready does that
  return mine;
}

COMCP_DECL asio::awaitable<void> registry_core::until_read(self r, member m, std::uint64_t mine, patience p) {
  while (m->done < mine) {
    if (m->gone) throw exception(m->gone);
    if (!m->server->connection()) {
      auto waiting = wait_for(r, m, p);
      co_await std::move(waiting);
      continue;
    }
    if (r->time_->now() >= p.until) throw exception(error(errc::timeout, "the lists of " + m->name + " were not read in time"));
    auto waiting = bell::wait(m->rung, r->time_, p.until, p.stop);
    co_await std::move(waiting);
  }
}

COMCP_DECL asio::awaitable<void> registry_core::refresh(self r, std::string name) {
  auto const m = r->require(name);
  auto reading = until_read(r, m, r->ask_refresh(m), r->patience_for(*m, call_options()));
  co_await std::move(reading);
  for (auto const& kind : m->faults) {
    for (auto const& fault : kind) throw exception(fault.reason);
  }
}

COMCP_DECL asio::awaitable<void> registry_core::refresh_all(self r) {
  std::vector<std::pair<member, std::uint64_t>> asked;
  for (auto const& [name, m] : r->members_) {
    if (m->server->connection()) asked.emplace_back(m, r->ask_refresh(m));
  }
  patience const p(r->time_->now(), std::chrono::seconds(30), {});
  for (auto const& [m, mine] : asked) {
    auto reading = as_result(until_read(r, m, mine, p));
    auto const done = co_await std::move(reading);
    if (!done && done.error() == errc::cancelled) throw exception(done.error());
  }
}

COMCP_DECL std::vector<blocked_tool> registry_core::blocked() const {
  std::lock_guard const lock(mutex_);
  std::vector<blocked_tool> every;
  for (auto const& [name, m] : members_) every.insert(every.end(), m->blocked.begin(), m->blocked.end());
  return every;
}

COMCP_DECL std::vector<catalog_fault> registry_core::faults() const {
  std::lock_guard const lock(mutex_);
  std::vector<catalog_fault> every;
  for (auto const& [name, m] : members_) {
    for (auto const& kind : m->faults) every.insert(every.end(), kind.begin(), kind.end());
  }
  return every;
}

COMCP_DECL result<std::string> registry_core::instructions(std::string_view name) const {
  std::lock_guard const lock(mutex_);
  auto const found = members_.find(name);
  if (found == members_.end()) return no_such_server(name);
  auto const& m = *found->second;
  if (m.instructions_blocked) return m.instructions_blocked;
  if (!m.instructions) return error(errc::not_ready, "the instructions of " + std::string(name) + " were not read yet");
  return *m.instructions;
}

}  // namespace comcp::detail
