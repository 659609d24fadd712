// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The core's calls: registering, sending, waiting, and the one way in which each of them ends.
#pragma once

#include <asio/this_coro.hpp>

#include <comcp/client/core.hpp>
#include <comcp/client/impl/core_facts.ipp>
#include <comcp/net/spawn.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/protocol/meta.hpp>

namespace comcp {
namespace detail {

// Cancels a call from its cancellation slot or a stop token: by way of home, and only while the core lives.
struct cancel_hook {
  std::weak_ptr<client_core> core;
  request_id id;
  void (*cancel)(client_core&, request_id);
  void operator()() const {
    auto alive = core.lock();
    if (!alive) return;
    auto const home = alive->home();
    // Moved: the last reference may end on home only, not on the thread that asked to stop.
    auto post = [alive = std::move(alive), id = id, cancel = cancel] { cancel(*alive, id); };
    detail::post(home, std::move(post));
  }
};

struct cancel_request {
  client_core* core;
  request_id id;
  void (*cancel)(client_core&, request_id);
  [[nodiscard]] cancel_hook hook() const { return {core->weak_from_this(), id, cancel}; }
};

}  // namespace detail

COMCP_DECL error client_core::check(detail::prepared_call const& c) const {
  if (end_reason_) return *end_reason_;
  if (closing_) return {errc::closed, "the client is closing"};
  if (c.unusable) return c.unusable;
  if (c.internal) return {};
  if (!jsonrpc::is_plain_method(c.method)) return {errc::invalid_argument, "not a method name: " + c.method};
  for (auto const& [key, text] : c.options.meta()) {
    if (auto const ok = check_meta(key, text); !ok) return ok.error();
  }
  return unsettled() ? error() : check_offer(c);
}

// What the version has and the server declared.
COMCP_DECL error client_core::check_offer(detail::prepared_call const& c) const {
  if (!codec_->offers(c.method))
    return {errc::not_in_protocol, c.method + " does not exist in " + std::string(codec_->version().text())};
  if (!options_.check_capabilities_) return {};
  if (needs_task(c)) {
    return {errc::capability_missing,
            "the tool " + wire::name_in(c.method, c.params).value_or("") + " can only be called as a task (its execution.taskSupport is \"required\"), which comcp has not yet"};
  }
  if (std::string_view(c.method) == "resources/directory/read" && !detail::reads_directories(server_capabilities_))
    return {errc::capability_missing, "the server did not declare directoryRead of io.modelcontextprotocol/skills"};
  if (discovered_unknown() && !c.method.starts_with("skills/")) return {};  // those want a declaration that was seen
  auto const* needed = detail::capability_for(c.method);
  if (!needed || server_capabilities_.supports(needed)) {
    if (std::string_view(c.method) == "resources/subscribe" && !server_capabilities_.supports_subscribe())
      return {errc::capability_missing, "the server did not declare resources.subscribe"};
    return {};
  }
  // 2024-11-05 has no completions capability to declare.
  if (c.method == "completion/complete" && codec_->version() == version::v2024_11_05) return {};
  return {errc::capability_missing, std::string("the server did not declare ") + needed + ", which " + c.method + " needs"};
}

// What check() looks at for resources/subscribe, which the modern era has not.
COMCP_DECL error client_core::check_subscribe(call_options const& options) const {
  detail::prepared_call const listen("subscriptions/listen", {}, options);
  if (auto bad = check(listen)) return bad;
  if (options_.check_capabilities_ && !discovered_unknown() && !server_capabilities_.supports_subscribe())
    return {errc::capability_missing, "the server did not declare resources.subscribe"};
  return {};
}

COMCP_DECL request_id client_core::enlist(detail::pending_entry& e, std::chrono::nanoseconds timeout) {
  auto const now = time_->now();
  return enlist(e, now, timeout, detail::later(now, timeout), true);
}

COMCP_DECL request_id client_core::enlist(detail::pending_entry& e, std::chrono::steady_clock::time_point now,
                                          std::chrono::nanoseconds timeout,
                                          std::chrono::steady_clock::time_point hard, bool extra) {
  e.core = this;
  e.id = pending_.add(&e, now, std::chrono::duration_cast<std::chrono::steady_clock::duration>(timeout), hard, extra);
  if (e.id) arm();
  return e.id;
}

COMCP_DECL result<void> client_core::begin(detail::prepared_call const& c, detail::pending_entry& e) {
  detail::overlap_guard::scope const alone(overlap_);
  e.call = &c;
  auto const now = time_->now();
  if (c.started == std::chrono::steady_clock::time_point()) c.started = now;
  auto const timeout = c.options.timeout().value_or(options_.timeout_);
  auto const hard = detail::later(c.started, hard_limit(c.options));
  if (!enlist(e, now, timeout, hard, c.internal || c.counted))
    return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
  ++counters_.tracked;
  if (renewal_due_ && !restarting_) renew();
  if (unsettled()) {
    pending_.line_up(deferred_, e.id);
    return {};
  }
  auto sent = transmit(e);
  if (!sent) {
    pending_.take(std::exchange(e.id, 0));
    ++counters_.failed;
  }
  return sent;
}

COMCP_DECL result<void> client_core::transmit(detail::pending_entry& e, wire::codec const& codec) {
  auto const& c = *e.call;
  c.sent_modern = codec.is_modern();
  wire::request_meta meta;
  meta.user = &c.options.meta();
  meta.progress = c.options.wants_progress();
  if (!e.handshake) meta.level = c.options.log_level() ? c.options.log_level() : level_;
  outgoing message(codec.request(e.id, c.method, c.params, meta), e.id);
  message.method = c.method;
  message.handshake = e.handshake;
  message.open_ended = e.open_ended;
  if (is_http_) {
    if (auto const labelled = label(message, e, codec); !labelled) return labelled.error();
  }
  if (options_.tracer_) trace(direction::sent, message.text);
  if (!transport_) return error(errc::closed, "the client was destroyed");  // by the tracer, or before; its end is posted
  auto sent = transport_.send(std::move(message));
  e.sent = sent.has_value();
  return sent;
}

COMCP_DECL asio::awaitable<detail::reply> client_core::wait(detail::pending_entry& e) {
  detail::cancel_request const request{this, e.id, [](client_core& self, request_id id) { self.cancel(id); }};
  if (e.call && e.call->options.stop().stop_possible()) end_with(e.call->options.stop(), e);
  return detail::suspend<detail::reply>(e.waiting, request, &e.room);
}

// Before wait(): a stop that was requested already is posted.
COMCP_DECL void client_core::end_with(std::stop_token const& stop, detail::pending_entry& e) {
  if (!stop.stop_possible()) return;
  detail::cancel_request const request{this, e.id, [](client_core& self, request_id id) { self.cancel(id); }};
  std::function<void()> end_waiting = request.hook();
  e.stop = std::make_unique<std::stop_callback<std::function<void()>>>(stop, std::move(end_waiting));
}

COMCP_DECL void client_core::withdraw(detail::pending_entry& e) noexcept {
  auto const id = std::exchange(e.id, 0);
  if (!id || !pending_.take(id)) return;
  if (e.call && !e.handshake) ++counters_.cancelled;
  try {
    tell_cancelled(id, e);
  } catch (...) {  // no memory for the message
  }
}

COMCP_DECL void detail::pending_entry::leave() noexcept { core->withdraw(*this); }

// The one door through which every call ends.
COMCP_DECL void client_core::end(request_id id, detail::reply&& r) {
  if (!r.has_value()) {  // first: where that throws, whoever waits can still be found
    auto const* const found = pending_.find(id);
    if (found && (*found)->call && !(*found)->handshake) r = judged(**found, std::move(r).error());
  }
  auto const taken = pending_.take(id);
  if (!taken) return;
  auto& e = **taken;
  e.id = 0;
  e.stop.reset();
  if (e.call && !e.handshake) {  // as `tracked` counts
    if (r.has_value()) e.call->outcome = std::max(e.call->outcome, call_outcome::known);
    if (r.has_value()) ++counters_.completed;
    else if (r.error() == errc::timeout) ++counters_.timed_out;
    else if (r.error() == errc::cancelled) ++counters_.cancelled;
    else ++counters_.failed;
  }
  if (e.on_end) {
    auto const on_end = std::move(e.on_end);
    on_end(std::move(r));
  } else if (e.waiting) {
    auto waiting = std::move(e.waiting);  // the frame that `e` is in may go away
    waiting.complete(std::move(r), home_);
  }
}

COMCP_DECL void client_core::cancel(request_id id) {
  auto const* found = pending_.find(id);
  if (!found) return;
  tell_cancelled(id, **found);
  end(id, error(errc::cancelled));
}

COMCP_DECL void client_core::tell_cancelled(request_id id, detail::pending_entry const& e, std::string_view why) {
  if (!e.call || !e.sent || !transport_open_) return;
  if (e.handshake) {  // never told; over HTTP there is a response that nobody waits for any more
    if (is_http_) transport_.abandon(id);
    return;
  }
  if (transport_.abandon(id) || (is_http_ && is_modern())) return;
  send_text(wire::codec::cancelled(id, why.empty() ? e.call->options.cancel_reason() : why));
}

// First the calls, then what else waits for their ends.
COMCP_DECL void client_core::fail_all(error const& reason) {
  using span = detail::pending_entry::span;
  fail_each(reason, span::connection);
  if (!restarting_ || closing_) fail_each(reason, span::client);
}

COMCP_DECL void client_core::fail_each(error const& reason, detail::pending_entry::span those) {
  bool const goes_on = restarting_ && !closing_;
  bool const negotiates = goes_on && !negotiation_.expired();
  bool const by_us = reason == errc::closed;
  // Only those that wait now: a caller that resumes here may start the next call, for the server to come.
  for (auto const id : pending_.ids()) {
    auto const* const found = pending_.find(id);
    if (!found) continue;
    auto const& e = **found;
    bool const waits_for_restart = goes_on && e.call && !e.sent;
    bool const negotiation_s = negotiates && (!e.call || e.handshake);
    if (e.lasts != those || waits_for_restart || negotiation_s) continue;
    if (!e.call) {
      end(id, reason);
    } else if (!e.sent) {
      end(id, reason.with_code(make_error_code(errc::closed)));
    } else {
      bool const keeps_code = by_us || e.call->repeatable || e.call->options.is_idempotent() || e.handshake;
      auto const why = reason.with_outcome(call_outcome::open);  // whatever it says of another call
      end(id, keeps_code ? why : why.with_code(make_error_code(errc::outcome_unknown)));
    }
  }
}

COMCP_DECL void client_core::arm() {
  if (!deadline_) return;  // the context is gone
  auto const next = pending_.next_deadline();
  if (!next || (armed_ && *armed_ <= *next)) return;  // an early alarm re-arms itself
  armed_ = next;
  std::function<void()> fire = [weak = weak_from_this()] {
    if (auto const self = weak.lock()) self->expire();
  };
  deadline_->arm(*next, std::move(fire));
}

COMCP_DECL void client_core::expire() {
  auto const hold = shared_from_this();
  detail::overlap_guard::scope const alone(overlap_);
  armed_.reset();
  auto const now = time_->now();
  while (auto const id = pending_.expired(now)) {
    auto const& e = **pending_.find(id);
    tell_cancelled(id, e, "timed out");
    end(id, error(errc::timeout, e.call ? e.call->method : std::string()));
  }
  arm();
}

COMCP_DECL asio::awaitable<bool> client_core::sleep(std::chrono::nanoseconds d) {
  detail::pending_entry e(detail::pending_entry::span::client);
  if (end_reason_ || closing_ || !enlist(e, d)) co_return false;
  auto const r = co_await wait(e);
  co_return r.error() == errc::timeout;
}

COMCP_DECL asio::awaitable<detail::reply> client_core::round_trip(detail::prepared_call const& c) {
  detail::pending_entry e;
  if (auto const started = start(c, e); !started) co_return detail::reply(started.error());
  auto r = co_await wait(e);
  co_return r;
}

COMCP_DECL result<void> client_core::start(detail::prepared_call const& c, detail::pending_entry& e) {
  auto bad = check(c);
  if (!bad && c.options.stop().stop_requested()) bad = error(errc::cancelled);
  if (!bad) {
    auto begun = begin(c, e);
    if (begun) return begun;
    bad = begun.error();
  }
  return bad.with_outcome(c.outcome);  // of the attempts before this one
}

COMCP_DECL bool client_core::is_plain(asio::any_io_executor const& here, std::string_view method) const noexcept {
  return options_.interceptors_.empty() && !checks_ && here == home_ && !(cache_ && cache_->concerns(method));
}

COMCP_DECL void client_core::spawn(asio::awaitable<void> work) {
  detail::spawn(home_, std::move(work));
}

COMCP_DECL asio::awaitable<json::value> client_core::call(detail::prepared_call c) {
  auto const hold = shared_from_this();
  auto const here = co_await asio::this_coro::executor;
  if (here == home_) {
    auto v = co_await call_on_home(std::move(c));
    co_return v;
  }
  std::optional<json::value> value;
  auto work = detail::store(call_on_home(std::move(c)), value);
  co_await detail::spawn_and_wait(home_, std::move(work));
  co_return std::move(*value);
}

COMCP_DECL asio::awaitable<void> client_core::run_on_home(asio::awaitable<void> work) {
  auto const hold = shared_from_this();
  auto const here = co_await asio::this_coro::executor;
  if (here == home_) {
    co_await std::move(work);
  } else {
    co_await detail::spawn_and_wait(home_, std::move(work));
  }
}

COMCP_DECL asio::awaitable<json::value> client_core::call_on_home(detail::prepared_call c) {
  detail::performer send = [this](detail::prepared_call& call) {
    return checks_ ? checks_->perform(call) : carry_out(call);
  };
  auto r = co_await intercept(std::move(c), std::move(send));
  co_return std::move(r).value();
}

COMCP_DECL asio::awaitable<detail::reply> client_core::carry_out(detail::prepared_call& c) {
  return cache_ && cache_->concerns(c.method) ? cache_->answer(c) : perform(c);
}

// Repeats what may be repeated, follows one version change, and goes through the input rounds.
COMCP_DECL asio::awaitable<detail::reply> client_core::perform(detail::prepared_call& c) {
  auto r = co_await round_trip(c);
  if (needs_settling(c, r)) r = co_await rounds(c, std::move(r));
  co_return r;
}

COMCP_DECL bool client_core::needs_settling(detail::prepared_call const& c, detail::reply const& r) const {
  if (!codec_) return false;
  if (!r.has_value()) {
    if (may_be_of_other_era(c, r.error())) return true;
    if (auto const* const peer = r.error().peer())
      return is_modern() ? peer->code == -32022 || (peer->code == -32020 && is_http_) : peer->code == -32042;
    return may_repeat(c, r.error());
  }
  if (!is_modern()) return false;
  auto const kind = codec_->classify(c.method, r->view());
  return !kind || *kind != wire::result_kind::complete;
}

COMCP_DECL asio::awaitable<json::value> client_core::settle(detail::prepared_call c, detail::reply first) {
  auto const hold = shared_from_this();
  auto r = co_await rounds(c, std::move(first));
  if (!r) throw exception(judged(c, r.error()));
  co_return *std::move(r);
}

COMCP_DECL void client_core::notify(std::string_view method, std::string_view params, wire::request_meta const& meta) {
  if (!codec_ || !transport_open_) return;
  outgoing message(codec_->notification(method, params, meta));
  message.method = method;
  send_message(std::move(message));
}

COMCP_DECL void client_core::send_text(std::string text) {
  if (transport_open_) send_message(outgoing(std::move(text)));
}

COMCP_DECL void client_core::send_message(outgoing message) {
  if (is_http_) label(message);
  if (options_.tracer_) trace(direction::sent, message.text);
  if (!transport_) return;  // the tracer destroyed the client
  auto const sent = transport_.send(std::move(message));
  if (!sent) fault(sent.error());
}

}  // namespace comcp
