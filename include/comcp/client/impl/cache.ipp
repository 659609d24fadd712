// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The core's cache: whose results it may use, and one request for all who want the same at once.
#pragma once

#include <atomic>
#include <map>
#include <random>
#include <stop_token>

#include <comcp/client/cache.hpp>
#include <comcp/client/core.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

/// A name that no other connection has, of this process or another.
COMCP_DECL std::string unique_partition() {
  static std::string const process = [] {
    std::random_device random;
    return "connection " + std::to_string(random()) + '-' + std::to_string(random()) + ' ';
  }();
  static std::atomic<std::uint64_t> count{0};
  return process + std::to_string(++count);
}

class cache_step {
 public:
  cache_step(client_core& core, cache_options options)
      : core_(core), options_(std::move(options)), own_(unique_partition()) {}

  [[nodiscard]] bool concerns(std::string_view method) const noexcept { return sansio::is_cacheable(method); }
  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c, performer next);
  COMCP_LAZY void notified(std::string_view method, json::value const& params);
  void connected(bool restarted) {
    if (restarted) own_ = unique_partition();
  }

 private:
  struct question {
    cache_key key;  // of an answer that is for us alone
    bool has_cursor = false;
    std::optional<std::uint64_t> ticket;  // none: the answer is not stored
  };
  struct passenger {
    request_id wait;
    bool extends;
  };
  struct flight {
    flight(question const& q, prepared_call c) : asked(q), call(std::move(c)) {}
    question asked;
    prepared_call call;
    std::stop_source abandoned;
    std::vector<passenger> aboard;
    bool landed = false;
    bool asks_back = false;  // an answer for nobody but who can answer the server's questions
  };

  /// What a user's store throws must end no call and no connection.
  template <class F>
  void with_store(F const& use) const {
    if (!options_.store()) return;
    try {
      use(options_.store());
    } catch (...) {
      core_.fault(error(errc::invalid_argument, "a cache store threw"));
    }
  }

  COMCP_LAZY void locate(cache_key& key) const;
  COMCP_LAZY [[nodiscard]] std::optional<question> read(prepared_call const& c) const;
  COMCP_LAZY [[nodiscard]] std::optional<cached_result> find(cache_key key) const;
  COMCP_LAZY [[nodiscard]] std::optional<reply> fresh(question const& q);
  COMCP_LAZY [[nodiscard]] reply or_stale(question const& q, prepared_call& c, reply r);
  COMCP_LAZY void keep(question const& q, prepared_call const& c, reply const& r);
  COMCP_LAZY void change(cache_change what);
  [[nodiscard]] std::optional<std::uint64_t> ticket() const {
    std::optional<std::uint64_t> out;
    with_store([&out](any_cache_store const& s) { out = s.ticket(); });
    return out;
  }

  COMCP_LAZY [[nodiscard]] bool shares(prepared_call const& c) const;
  COMCP_LAZY asio::awaitable<reply> fetch(question q, prepared_call& c);
  COMCP_LAZY asio::awaitable<reply> share(question const& q, prepared_call& c);
  COMCP_LAZY std::shared_ptr<flight> board(question const& q, prepared_call const& c);
  COMCP_LAZY [[nodiscard]] call_options flight_options(std::shared_ptr<flight> const& f);
  COMCP_LAZY asio::awaitable<void> fly(std::shared_ptr<flight> f);
  COMCP_LAZY void land(std::shared_ptr<flight> const& f, reply r);
  COMCP_LAZY void leave(std::shared_ptr<flight> const& f, request_id wait);
  COMCP_LAZY void close_doors(std::shared_ptr<flight> const& f);

  client_core& core_;
  cache_options options_;
  std::string own_;
  std::map<cache_key, std::shared_ptr<flight>> flights_;  // those that may be joined
};

COMCP_LAZY_DECL void cache_step::locate(cache_key& key) const {
  comcp::transport_info info;
  if (core_.is_http()) info = core_.connection.channel().info();
  auto const& named = options_.partition();
  key.server = own_;
  if (named) key.server = "partition " + *named;
  else if (!info.server.empty()) key.server = "server " + info.server;
  key.audience = named ? "partition" : own_;
  if (!info.identity.empty()) key.audience = "identity " + info.identity;
}

COMCP_LAZY_DECL std::optional<cache_step::question> cache_step::read(prepared_call const& c) const {
  if (c.internal || c.options.cache() == cache_use::bypass) return {};
  auto request = sansio::read_cache_request(c.method, c.params);
  if (!request) return {};
  question q;
  q.key.method = c.method.text();
  q.key.uri = std::move(request->uri);
  q.key.params = std::move(request->params);
  if (auto const v = core_.facts.version()) q.key.version = v->text();
  locate(q.key);
  q.has_cursor = request->has_cursor;
  return q;
}

// Ours or everybody's: a fresh one, else the later.
COMCP_LAZY_DECL std::optional<cached_result> cache_step::find(cache_key key) const {
  auto const now = core_.calls.now();
  std::optional<cached_result> mine, everybodys;
  with_store([&](any_cache_store const& store) {
    mine = store.find(key, now);
    if (mine && mine->is_fresh(now)) return;
    key.audience.clear();
    everybodys = store.find(key, now);
  });
  if (!mine || (everybodys && (everybodys->is_fresh(now) || everybodys->received > mine->received))) return everybodys;
  return mine;
}

COMCP_LAZY_DECL std::optional<reply> cache_step::fresh(question const& q) {
  if (!options_.store()) return {};
  auto found = find(q.key);
  bool const hit = found && found->is_fresh(core_.calls.now());
  ++(hit ? core_.calls.counters().cache_hits : core_.calls.counters().cache_misses);
  if (!hit) return {};
  return reply(std::move(found->result));
}

COMCP_LAZY_DECL reply cache_step::or_stale(question const& q, prepared_call& c, reply r) {
  auto const& most = options_.stale_on_error();
  if (r || !most || !options_.store() || c.options.cache() != cache_use::use || core_.is_closing()) return r;
  if (!sansio::is_outage(r.error())) return r;
  auto old = find(q.key);
  if (!old || std::chrono::ceil<std::chrono::milliseconds>(core_.calls.now() - old->received) > *most) return r;
  c.outdated = true;
  ++core_.calls.counters().cache_stale;
  core_.fault(r.error());
  return std::move(old->result);
}

COMCP_LAZY_DECL void cache_step::keep(question const& q, prepared_call const& c, reply const& r) {
  if (!options_.store()) return;
  if (!r) {
    if (!r.error().peer() || !q.has_cursor) return;
    cache_change list(q.key.method, {});  // the cursor may be of a list that is no more
    list.server = q.key.server;
    return change(std::move(list));
  }
  auto const hints = sansio::read_cache_hints(r->view(), options_.default_time_to_live());
  if (!hints || !sansio::read_cache_request(c.method, c.params)) return;
  cache_key here;
  locate(here);
  if (auto const v = core_.facts.version()) here.version = v->text();
  if (here.server != q.key.server || here.audience != q.key.audience) return;  // whose it is cannot be told
  if (here.version != q.key.version) return;
  auto mine = q.key, everybodys = q.key;
  everybodys.audience.clear();
  if (hints->scope == cache_scope::public_) std::swap(mine, everybodys);
  bool const useful = q.ticket && (hints->time_to_live.count() > 0 || options_.stale_on_error());
  with_store([&](any_cache_store const& store) {
    store.erase(everybodys);  // what was said before of who may see it
    if (!useful) return store.erase(mine);
    if (store.store(mine, cached_result(*r, core_.calls.now(), hints->time_to_live), *q.ticket)) ++core_.calls.counters().cache_stores;
  });
}

COMCP_LAZY_DECL void cache_step::notified(std::string_view method, json::value const& params) {
  for (auto& each : sansio::read_cache_changes(method, params.view())) {
    cache_key here;
    locate(here);
    each.server = std::move(here.server);
    change(std::move(each));
  }
}

// Whoever asks from now on joins no request from before.
COMCP_LAZY_DECL void cache_step::change(cache_change what) {
  ++core_.calls.counters().cache_invalidations;
  std::erase_if(flights_, [&what](auto const& f) { return covers(what, f.first); });
  with_store([&what](any_cache_store const& store) { store.invalidate(std::move(what)); });
}

COMCP_LAZY_DECL asio::awaitable<reply> cache_step::perform(prepared_call& c, performer) {
  auto const hold = core_.shared_from_this();
  auto const q = read(c);
  if (!q) {
    auto work = core_.exchange.perform(c);
    auto r = co_await std::move(work);
    co_return r;
  }
  if (auto const bad = core_.exchange.check(c)) co_return reply(bad);
  if (c.options.stop().stop_requested()) co_return reply(error(errc::cancelled));
  if (c.options.cache() == cache_use::use) {
    if (auto hit = fresh(*q)) co_return std::move(*hit);
  }
  c.repeatable = true;
  c.started = core_.calls.now();
  auto work = shares(c) ? share(*q, c) : fetch(*q, c);
  auto r = co_await std::move(work);
  co_return or_stale(*q, c, std::move(r));
}

COMCP_LAZY_DECL asio::awaitable<reply> cache_step::fetch(question q, prepared_call& c) {
  q.ticket = ticket();
  auto work = core_.exchange.perform(c);
  auto r = co_await std::move(work);
  keep(q, c, r);
  co_return r;
}

// What is a caller's own cannot be in a request that others share.
COMCP_LAZY_DECL bool cache_step::shares(prepared_call const& c) const {
  return options_.coalesces() && !c.options.on_progress() && !c.options.says_meta() && !c.options.log_level();
}

COMCP_LAZY_DECL asio::awaitable<reply> cache_step::share(question const& q, prepared_call& c) {
  pending_entry e(pending_entry::span::client);
  auto const timeout = core_.calls.timeout(c.options);
  auto const id = core_.calls.enlist(e, c.started, timeout, later(c.started, core_.calls.hard_limit(c.options)), c.counted);
  if (!id) co_return reply(error(errc::queue_full, "more calls in flight than limits().pending_calls()"));
  core_.calls.end_with(c.options.stop(), e);
  auto const f = board(q, c);
  f->aboard.push_back({id, c.options.extends_on_progress()});
  auto r = co_await core_.calls.wait(e);
  if (!f->landed) {
    leave(f, id);
    if (r.error() == errc::timeout) co_return reply(error(errc::timeout, c.method.text()));
  } else if (f->asks_back && r) {
    auto work = fetch(q, c);
    r = co_await std::move(work);
  }
  co_return r;
}

COMCP_LAZY_DECL std::shared_ptr<cache_step::flight> cache_step::board(question const& q, prepared_call const& c) {
  auto& there = flights_[q.key];
  if (there && c.options.cache() == cache_use::use) {
    ++core_.calls.counters().coalesced;
    return there;
  }
  auto const f = std::make_shared<flight>(q, prepared_call(c.method, c.params, {}));
  there = f;
  f->asked.ticket = ticket();
  f->call.repeatable = true;
  f->call.counted = true;
  f->call.options = flight_options(f);
  f->call.told_id = c.told_id;
  if (auto const trace = trace_of(c.options); !trace.empty()) f->call.options.trace(trace);  // of who asked first
  // Posted, so that nothing ends before the wait for it has begun.
  auto start = [this, hold = core_.shared_from_this(), f] { detail::spawn(core_.home(), fly(f)); };
  detail::post(core_.home(), std::move(start));
  return f;
}

// It lasts as long as somebody waits: theirs are the timeouts. Whoever joins later may want its progress.
COMCP_LAZY_DECL call_options cache_step::flight_options(std::shared_ptr<flight> const& f) {
  call_options o;
  constexpr auto forever = std::chrono::nanoseconds::max();
  o.timeout(forever).hard_timeout(forever).manual_input().stop(f->abandoned.get_token());
  return o.on_progress([this, weak = std::weak_ptr(f)](progress_notification const&) {
    auto const alive = weak.lock();
    if (!alive) return;
    for (auto const& p : alive->aboard) {
      if (p.extends) core_.calls.extend(p.wait);
    }
  });
}

COMCP_LAZY_DECL asio::awaitable<void> cache_step::fly(std::shared_ptr<flight> f) {
  auto const hold = core_.shared_from_this();
  reply r = error(errc::cancelled);
  try {
    auto work = core_.exchange.perform(f->call);
    r = co_await std::move(work);
  } catch (...) {
    r = detail::current_error();
  }
  land(f, std::move(r));
}

COMCP_LAZY_DECL void cache_step::land(std::shared_ptr<flight> const& f, reply r) {
  f->landed = true;
  close_doors(f);
  keep(f->asked, f->call, r);
  auto const kind = r ? r->view().find("resultType") : std::nullopt;
  f->asks_back = kind && kind->get_string() == "input_required";
  for (auto const& p : std::exchange(f->aboard, {})) core_.calls.end(p.wait, reply(r));
}

COMCP_LAZY_DECL void cache_step::leave(std::shared_ptr<flight> const& f, request_id wait) {
  std::erase_if(f->aboard, [wait](passenger const& p) { return p.wait == wait; });
  if (!f->aboard.empty()) return;
  close_doors(f);
  f->abandoned.request_stop();
}

COMCP_LAZY_DECL void cache_step::close_doors(std::shared_ptr<flight> const& f) {
  auto const found = flights_.find(f->asked.key);
  if (found != flights_.end() && found->second == f) flights_.erase(found);
}

}  // namespace comcp::detail

namespace comcp {

COMCP_LAZY_DECL connect_options& connect_options::cache(cache_options options) {
  settings_.steps[detail::connect_settings::caching] = [own = std::move(options)](client_core& core) {
    core.subscriptions.hub([](client_core& c) { return detail::make_subscriptions(c); });
    return std::make_unique<detail::step_of<detail::cache_step>>(core, own);
  };
  return *this;
}

}  // namespace comcp
