// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include <comcp/client/operation.hpp>
#include <comcp/registry/registry_core.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL void registry_refresher::touch(member const& m, unsigned kinds, bool at_once) {
  if (m->gone) return;
  bool const begins = m->lists.touch(kinds, at_once);
  if (at_once && m->gathering) m->gathering->open();
  if (!begins) return;
  post(core_.home(), [this, hold = core_.shared_from_this(), m] { core_.spawn(keep_current(m)); });
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::keep_current(member m) {
  using want = sansio::list_refresh::want;
  while (!m->gone) {
    auto c = m->server->connection();
    auto const next = m->lists.next(c.has_value());
    if (next == want::rest) break;
    if (next == want::gather) {
      auto gathering = gather_changes(m);
      co_await std::move(gathering);
      continue;
    }
    auto const kinds = m->lists.take(m->server->look()->starts);
    auto reading = as_result(read_lists(m, std::move(*c), kinds));
    (void)co_await std::move(reading);
    if (m->gone) break;
    m->lists.finished();
    core_.servers.ring(*m);
  }
  core_.servers.ring(*m);
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::gather_changes(member m) {
  auto const over = std::make_shared<gate>(core_.home());
  m->gathering = over;
  auto const alarm = core_.time->make_deadline(core_.home());
  std::function<void()> fire = [over] { over->open(); };
  alarm->arm(later(core_.time->now(), core_.options.debounce()), std::move(fire));
  co_await over->wait();
  m->gathering.reset();
}

namespace registry_detail {

// The lists that one refresh reads, all at once.
struct reading {
  reading(std::shared_ptr<registry_core> c, std::shared_ptr<registry_member> server, client connection)
      : core(std::move(c)), m(std::move(server)), from(std::move(connection)), done(core->home()) {}

  // Each is taken over when it comes: one that is slow holds up no other.
  template <class T>
  static asio::awaitable<void> take(std::shared_ptr<reading> all, asio::awaitable<listing<T>> list) {
    struct turn {
      explicit turn(reading& a) noexcept : of(a) {}
      ~turn() { of.finish(); }
      reading& of;
    } const mine(*all);
    auto listed = co_await as_result(std::move(list));
    all->core->offers.adopt(*all->m->offers, std::move(listed));
  }
  template <class T>
  static void start(std::shared_ptr<reading> const& all, bool offered, asio::awaitable<listing<T>> list) {
    if (!offered) return all->core->offers.adopt(*all->m->offers, result<listing<T>>(listing<T>()));
    ++all->open;
    spawn(all->core->home(), take<T>(all, std::move(list)));
  }
  void finish() noexcept {
    if (--open == 0) done.open();
  }

  std::shared_ptr<registry_core> core;
  std::shared_ptr<registry_member> m;
  client from;
  unsigned open = 1;
  gate done;
};

}  // namespace registry_detail

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::read_lists(member m, client c, unsigned kinds) {
  auto can = c.capabilities();
  if (c.era() == era::modern && !c.verdict().discovered) {  // a prior verdict came without them
    auto asking = as_result(c.discover());
    auto const found = co_await std::move(asking);
    if (found) can = found->capabilities;
  }
  core_.offers.adopt_instructions(*m->offers, c.instructions());
  if (m->gone) co_return;
  watch(m, c, can);
  using registry_detail::reading;
  auto const all = std::make_shared<reading>(core_.shared_from_this(), m, std::move(c));
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

// Hears of list changes, once for each client, which has none of the subscriptions of the one before.
COMCP_LAZY_DECL void registry_refresher::watch(member const& m, client const& c, server_capabilities const& can) {
  auto const watched = client_access::core(c);
  if (m->watched.lock() == watched) return;
  m->watched = watched;
  core_.calls.subscribe_again(m);
  auto const hear = [&](std::string const& kind, unsigned bit) {
    if (c.era() == era::modern && !can.supports_list_changed(kind)) return;  // it would be asked for them
    auto changed = [at = core_.told_at, weak = std::weak_ptr(m), bit] {
      at->post([weak, bit] {
        auto const alive = weak.lock();
        auto const r = alive ? alive->registry.lock() : nullptr;
        if (r) r->refresher.touch(alive, bit, false);
      });
    };
    dispatch(watched->home(), [watched, kind, changed = std::move(changed)] {
      subscriptions_of<client_core>(*watched).watch(kind, changed, {});
    });
  };
  hear("tools", list_kinds::tools);
  hear("resources", list_kinds::resources);
  hear("prompts", list_kinds::prompts);
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::until_listed(member m, patience p) {
  for (;;) {
    if (m->gone) throw exception(m->gone);
    if (m->is_listed()) co_return;
    auto const life = m->server->look();
    bool const late = core_.time->now() >= p.until;
    if (life->state == server_state::failed || (late && life->state != server_state::ready)) throw exception(life->reason);
    if (late) co_return;
    auto waiting = m->rung.wait(core_.time, p.until, p.stop);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL std::uint64_t registry_refresher::ask(member const& m) {
  auto const mine = m->lists.ask();
  if (m->server->connection()) touch(m, list_kinds::all, true);  // else its becoming ready does that
  return mine;
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::until_read(member m, std::uint64_t mine, patience p) {
  while (!m->lists.has_answered(mine)) {
    if (m->gone) throw exception(m->gone);
    if (!m->server->connection()) {
      auto waiting = core_.calls.wait_for(m, p);
      co_await std::move(waiting);
      continue;
    }
    if (core_.time->now() >= p.until)
      throw exception(error(errc::timeout, "the lists of " + m->name + " were not read in time"));
    auto waiting = m->rung.wait(core_.time, p.until, p.stop);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::refresh(std::string name) {
  auto const hold = core_.shared_from_this();
  auto const m = core_.servers.require(name);
  auto reading = until_read(m, ask(m), core_.calls.patience_for(*m, call_options()));
  co_await std::move(reading);
  for (auto const& kind : m->offers->faults) {
    for (auto const& fault : kind) throw exception(fault.reason);
  }
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::refresh_all() {
  auto const hold = core_.shared_from_this();
  std::vector<std::pair<member, std::uint64_t>> asked;
  for (auto const& [name, m] : core_.servers.all()) {
    if (m->server->connection()) asked.emplace_back(m, ask(m));
  }
  patience const p(core_.time->now(), std::chrono::seconds(30));
  for (auto const& [m, mine] : asked) {
    auto reading = as_result(until_read(m, mine, p));
    auto const done = co_await std::move(reading);
    if (!done && done.error() == errc::cancelled) throw exception(done.error());
  }
}

}  // namespace comcp::detail
