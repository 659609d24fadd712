// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The core's life: opening, the handshake, becoming ready, closing, starting again.
#pragma once

#include <asio/dispatch.hpp>
#include <asio/io_context.hpp>
#include <asio/strand.hpp>
#include <asio/this_coro.hpp>
#include <asio/thread_pool.hpp>

#include <comcp/client/core.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/client/impl/core_registry.hpp>
#include <comcp/client/impl/negotiation.ipp>

namespace comcp {

COMCP_DECL client_core::client_core(any_transport transport, any_handler handler, connect_options options,
                                    asio::any_io_executor home)
    : tenant(std::move(home)),
      transport_(std::move(transport)),
      cut_(transport_.cutter()),
      handler_(std::move(handler)),
      settings_(options.settings()),
      calls_(*this, home_, settings_, settings_.time ? settings_.time : steady_time()),
      exchange_(*this),
      inbound_(*this),
      dispatcher_(*this),
      subscriptions_(*this),
      level_(settings_.log_level) {
  is_http_ = transport_.is_http();
  settings_.handshake.over_http = is_http_;
  declare_capabilities();
  for (auto const& make : settings_.steps) {
    if (make) pipeline_.add(make(*this));
  }
  inbound_.add(pipeline_);
  inbound_.add(exchange_.rounds());
  inbound_.add(subscriptions_);
  inbound_.add(dispatcher_);
  if (settings_.observer.on_status) status_listeners_.push_back(settings_.observer.on_status);
}

COMCP_DECL client_core::~client_core() = default;

COMCP_DECL void client_core::declare_capabilities() {
  handler_.declare(own_capabilities_);
  auto const entries = [](auto const& from, capability_entries& to) {
    for (auto const& [name, settings] : from) to[name] = json::parse(settings.empty() ? "{}" : settings.text()).value();
  };
  auto const about = transport_.info();
  for (auto const& name : about.extensions) own_capabilities_.extensions[name] = json::parse("{}").value();
  entries(settings_.experimental, own_capabilities_.experimental);
  entries(settings_.extensions, own_capabilities_.extensions);
  own_capabilities_text_ = json::to_text(own_capabilities_);
  // capabilities() of a handler may narrow, and add what belongs to a member; it cannot promise what nobody answers.
  auto const unanswered = [this](bool declared, char const* method) {
    if (declared && !handler_.answers(method))
      throw exception(error(errc::invalid_argument, std::string("the handler declares what it has no member for: ") + method));
  };
  unanswered(own_capabilities_.sampling.has_value(), "sampling/createMessage");
  unanswered(own_capabilities_.roots.has_value(), "roots/list");
  unanswered(own_capabilities_.elicitation.has_value(), "elicitation/create");
}

COMCP_DECL asio::awaitable<std::shared_ptr<client_core>> client_core::connect(any_transport transport,
                                                                              any_handler handler,
                                                                              connect_options options) {
  auto const here = co_await asio::this_coro::executor;
  asio::any_io_executor home = here;
  if (options.settings().executor) home = options.settings().executor;
  if (detail::executor_as<asio::thread_pool::executor_type>(home)) home = asio::make_strand(home);
  auto core = std::make_shared<client_core>(std::move(transport), std::move(handler), std::move(options), home);
  // Never in the caller's own coroutine: what fails changes the cancellation state to close in peace.
  auto work = core->open_and_negotiate();
  co_await detail::spawn_and_wait(home, std::move(work));
  co_return core;
}

COMCP_DECL asio::awaitable<void> client_core::open_and_negotiate() {
  auto const hold = shared_from_this();
  error failure;
  try {
    set_status(connection_status::connecting);
    begin_attempt();
    auto done = co_await open_transport();
    if (done) done = co_await negotiate();
    if (done) co_await after_handshake();
    if (!done) failure = done.error();
    else if (end_reason_) failure = *end_reason_;
    else restored();
  } catch (...) {
    failure = detail::current_error();
  }
  if (!failure) co_return;
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  co_await close_on_home(failure);
  throw exception(failure);
}

// Opens within its timeout. What comes too late is dropped.
COMCP_DECL asio::awaitable<result<void>> client_core::open_transport() {
  struct opening {
    detail::pending_entry done;
    result<void> outcome = error(errc::connect_failed);
    asio::cancellation_signal signal;
  };
  auto const o = std::make_shared<opening>();
  auto const hold = shared_from_this();
  if (!enlist_part(o->done, bounded(settings_.open_timeout))) co_return error(errc::queue_full);
  auto task = [](std::shared_ptr<client_core> self, std::shared_ptr<opening> state) -> asio::awaitable<void> {
    try {
      if (!self->transport_) co_return;  // destroyed meanwhile, and so is the wait below
      auto opened = co_await self->transport_.open(*self);
      if (opened) self->transport_open_ = true;
      state->outcome = std::move(opened);
    } catch (...) {
      state->outcome = detail::current_error();
    }
    self->calls_.end(state->done.id, json::value());
  };
  auto work = task(hold, o);
  // Posted, so that nothing ends before the wait below has begun.
  auto start = [this, hold, o, work = std::make_shared<asio::awaitable<void>>(std::move(work))] {
    detail::spawn(home_, std::move(*work), o->signal.slot(), o);
  };
  detail::post(home_, std::move(start));
  auto const waited = co_await calls_.wait(o->done);
  if (waited) co_return o->outcome;
  auto give_up = [o] { o->signal.emit(asio::cancellation_type::terminal); };
  detail::post(home_, std::move(give_up));
  if (waited.error() == errc::timeout) co_return error(errc::timeout, "the transport did not open in time");
  co_return waited.error();
}

// A part of connecting, whose clock stops while a user logs in.
COMCP_DECL request_id client_core::enlist_part(detail::pending_entry& e, std::chrono::nanoseconds timeout) {
  auto const now = calls_.now();
  auto const soft = detail::later(now, timeout);
  return calls_.enlist(e, now, timeout, is_http_ ? detail::later(soft, settings_.hard_timeout) : soft, true);
}

COMCP_DECL void client_core::authorizing(bool begins) {
  if (begins) {
    if (authorizing_++ == 0) authorizing_since_ = calls_.now();
    return calls_.pause();
  }
  if (authorizing_ == 0) return;  // cancel_inbound() came before
  if (--authorizing_ == 0 && attempt_until_ != std::chrono::steady_clock::time_point::max()) {
    attempt_until_ = detail::later(attempt_until_, calls_.now() - authorizing_since_);
  }
  calls_.resume();
}

COMCP_DECL asio::awaitable<result<void>> client_core::negotiate() {
  set_status(connection_status::initializing);
  recall_era();
  auto const n = std::make_shared<negotiation>(
      *this, sansio::handshake(settings_.handshake, std::chrono::system_clock::now()));
  negotiation_ = n;
  if (!enlist_part(n->done, bounded(settings_.handshake_timeout))) co_return error(errc::queue_full);
  if (!adopt_resumed(*n)) take_step(n, n->machine.start());
  if (!n->outcome) {
    auto const waited = co_await calls_.wait(n->done);
    if (!n->outcome && !waited) {
      n->outcome = waited.error() == errc::timeout ? error(errc::timeout, "the handshake was not finished in time")
                                                   : waited.error();
    }
  }
  n->drop_all();
  if (!*n->outcome) co_return inbound_.with_what_came(n->outcome->error());
  remember_era();
  co_return *n->outcome;
}

COMCP_DECL void client_core::settle_handshake(negotiation& n, error why) {
  if (n.outcome) return;
  n.outcome = why ? result<void>(std::move(why)) : result<void>();
  negotiation_.reset();
  if (n.done.id) calls_.end(n.done.id, json::value());
}

COMCP_DECL void client_core::take_step(std::shared_ptr<negotiation> const& n, sansio::handshake_step const& step) {
  using action = sansio::handshake_step::action;
  switch (step.what) {
    case action::wait: return;
    case action::discover: return send_probe(n, *step.version);
    case action::initialize: return send_initialize(n, *step.version);
    case action::reopen: return spawn(reopen(n));
    case action::fail: return settle_handshake(*n, step.why);
    case action::ready:
      if (step.version->era() == era::modern) {
        n->codec = modern_codec(*step.version);
        if (n->machine.from_prior()) n->discovered = settings_.handshake.prior->discovered;
      } else {
        n->codec = std::make_unique<wire::legacy>(*step.version);
      }
      commit(*n);
      return settle_handshake(*n, {});
  }
}

// What callers see of it, in one step: until here the connection is what it was before.
COMCP_DECL void client_core::commit(negotiation& n) {
  auto& f = facts_;
  f.codec = std::move(n.codec);
  f.era_learned = n.machine.from_prior() ? settings_.handshake.prior->date : std::chrono::system_clock::now();
  prior_unconfirmed_ = is_modern() && n.machine.from_prior();
  if (!is_modern()) {
    auto const& r = *n.initialized;
    f.info = r.server_info;
    f.capabilities = r.capabilities;
    f.instructions = r.instructions.value_or("");
    f.discovered.reset();
    f.initialize_result = n.initialize_result;
  } else if (n.discovered) {
    f.discovered = std::move(n.discovered);
    f.capabilities = f.discovered->capabilities;
    f.instructions = f.discovered->instructions.value_or("");
    if (auto const info = server_info_of(f.discovered->meta)) f.info = *info;
  }
}

COMCP_DECL std::unique_ptr<wire::codec> client_core::modern_codec(protocol_version v) const {
  auto const info = own_info();
  return std::make_unique<wire::modern>(v, settings_.anonymous ? nullptr : &info, own_capabilities_text_);
}

COMCP_DECL void client_core::send_probe(std::shared_ptr<negotiation> const& n, protocol_version v) {
  n->codec = modern_codec(v);
  n->drop(n->probe_entry);
  n->probe.internal = true;
  n->probe_entry.call = &n->probe;
  n->probe_entry.handshake = true;
  n->probe_entry.on_end = [this, weak = std::weak_ptr(n)](detail::reply r) {
    auto const alive = weak.lock();
    if (!alive) return;
    alive->drop(alive->probe_timer);
    if (!r) return take_step(alive, alive->machine.discover_failed(r.error()));
    auto found = json::read<discover_result>(r->view());
    if (!found) return take_step(alive, alive->machine.discover_failed(error::from_peer({-32603, "no DiscoverResult", {}})));
    auto const step = alive->machine.discovered(found->supported_versions);
    alive->discovered = std::move(*found);
    take_step(alive, step);
  };
  n->probe_timer.on_end = [this, weak = std::weak_ptr(n)](detail::reply const& r) {
    auto const alive = weak.lock();
    if (alive && r.error() == errc::timeout) take_step(alive, alive->machine.probe_timed_out());
  };
  enlist_part(n->probe_entry, settings_.handshake_timeout);
  n->drop(n->probe_timer);
  if (!is_http_) calls_.enlist(n->probe_timer, settings_.probe_timeout);  // silence of a process says it is legacy
  if (auto const sent = transmit(n->probe_entry, *n->codec); !sent) settle_handshake(*n, sent.error());
}

COMCP_DECL void client_core::send_initialize(std::shared_ptr<negotiation> const& n, protocol_version v) {
  n->codec = std::make_unique<wire::legacy>(v);
  json::writer w;
  w.begin_object().plain_key("protocolVersion").string(v.text());
  w.plain_key("capabilities").raw(own_capabilities_text_);
  w.plain_key("clientInfo");
  json::write(w, own_info());
  w.end_object();
  n->init.params = std::move(w).text();
  n->init.internal = true;
  n->drop(n->initialize_entry);
  n->initialize_entry.call = &n->init;
  n->initialize_entry.handshake = true;
  n->initialize_entry.on_end = [this, weak = std::weak_ptr(n)](detail::reply r) {
    auto const alive = weak.lock();
    if (!alive) return;
    if (!r) return take_step(alive, alive->machine.initialize_failed(r.error()));
    auto const named = r->view().find("protocolVersion");
    auto const step = alive->machine.initialized(named ? std::string(named->get_string().value_or("")) : std::string());
    auto found = json::read<initialize_result>(r->view());
    if (step.what == sansio::handshake_step::action::ready) {
      if (!found) return settle_handshake(*alive, found.error().with_code(make_error_code(errc::protocol_violation)));
      alive->initialized = std::move(*found);
      alive->initialize_result = *r;
    }
    take_step(alive, step);
  };
  enlist_part(n->initialize_entry, settings_.handshake_timeout);
  if (auto const sent = transmit(n->initialize_entry, *n->codec); !sent) settle_handshake(*n, sent.error());
}

COMCP_DECL asio::awaitable<void> client_core::reopen(std::shared_ptr<negotiation> n) {
  auto const hold = shared_from_this();
  n->drop(n->probe_entry);
  n->drop(n->initialize_entry);
  n->drop(n->probe_timer);
  auto const opened = co_await open_transport();
  if (n->outcome) co_return;
  if (opened) {
    take_step(n, n->machine.reopened());
  } else {
    settle_handshake(*n, opened.error());
  }
}

COMCP_DECL implementation client_core::own_info() const {
  return settings_.client_info.value_or(implementation("comcp", COMCP_VERSION_STRING));
}

COMCP_DECL asio::awaitable<void> client_core::after_handshake() {
  for (auto const& step : pipeline_.steps()) step->connected(false);
  if (!is_modern()) {
    if (!resumed_) notify("notifications/initialized", {});
    if (level_ && facts_.capabilities.supports("logging")) {
      call_options patience;
      patience.timeout(bounded(settings_.timeout)).extend_on_progress(false);
      detail::prepared_call set("logging/setLevel", args("level", enum_text(*level_)).text(), std::move(patience));
      set.internal = true;
      auto const done = co_await round_trip(set);
      if (!done) fault(done.error());
    }
  }
  if (end_reason_ || restarting_) co_return;  // lost again meanwhile
  set_status(connection_status::ready);
  subscriptions_.connected();
  if (settings_.ping_interval && !std::exchange(keeping_alive_, true)) spawn(keep_alive());
}

COMCP_DECL asio::awaitable<void> client_core::keep_alive() {
  auto const hold = shared_from_this();
  unsigned failures = 0;
  for (;;) {
    bool const awake = co_await sleep(*settings_.ping_interval);
    if (!awake) break;
    if (status_ != connection_status::ready) continue;
    if (calls_.counters().messages_in != messages_at_last_ping_) {
      messages_at_last_ping_ = calls_.counters().messages_in;
      failures = 0;
      continue;
    }
    call_options limited;
    limited.timeout(settings_.ping_timeout).extend_on_progress(false);
    detail::prepared_call ping(is_modern() ? "server/discover" : "ping", {}, std::move(limited));
    ping.internal = true;
    auto const r = co_await round_trip(ping);
    messages_at_last_ping_ = calls_.counters().messages_in;
    if (r || r.error().peer()) {
      failures = 0;
    } else if (r.error() == errc::timeout && ++failures >= settings_.ping_failure_threshold) {
      break_off(error(errc::timeout, "the server answered " + std::to_string(failures) + " pings not at all"));
      failures = 0;
    }
  }
  keeping_alive_ = false;
}

COMCP_DECL void client_core::set_status(connection_status s) {
  if (status_ == s) return;
  status_ = s;
  auto const listeners = status_listeners_;
  for (auto const& listener : listeners) {
    try {
      listener(s);
    } catch (...) {
      fault(error(errc::invalid_argument, "a status listener threw"));
    }
  }
}

}  // namespace comcp
