// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/client/core.hpp>
#include <comcp/client/exchange.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/protocol/meta.hpp>
#include <comcp/protocol/progress.hpp>
#include <comcp/sansio/backoff.hpp>

namespace comcp::detail {

// A round that a caller takes over: the result, and the call that it belongs to.
COMCP_LAZY json::value with_call(json::value const& required, prepared_call const& c, std::string const& params) {
  json::writer w;
  w.begin_object();
  for (auto const m : required.members()) {
    if (m.key != "comcp/call") w.key(m.key).value(m.value);  // the server's own would be found first
  }
  w.plain_key("comcp/call").begin_object().plain_key("method").string(c.method);
  w.plain_key("params").raw(params.empty() ? "{}" : params).end_object().end_object();
  auto text = std::move(w).text();
  return json::parse(pad(text)).value();
}

/// A call that goes on beyond its first round trip, and what is left of its time: the clock stops while a handler answers.
struct exchange::progress {
  using nanoseconds = std::chrono::nanoseconds;
  using time_point = std::chrono::steady_clock::time_point;

  progress(calls const& table, prepared_call& of, std::size_t most_rounds)
      : call(of), original(of.params), life(most_rounds), sent_at(of.started), left(table.timeout(of.options)) {
    call.options.hard_timeout(table.hard_limit(call.options));  // said once: the timeout shrinks
    hard = later(call.started, *call.options.hard_timeout());
    call.options.extend_on_progress(call.options.extends_on_progress());
  }
  void spend(nanoseconds d) { left -= std::min(left, d); }

  prepared_call& call;
  std::string const original;  // its parameters, which every round begins with
  sansio::call_life life;
  time_point sent_at, hard;
  nanoseconds left;
  // Before state alone goes back.
  sansio::backoff rests{reconnect_policy::forever().delay(std::chrono::milliseconds(50), std::chrono::seconds(1))};
};

COMCP_LAZY_DECL error exchange::check(prepared_call const& c) const {
  if (core_.end_reason()) return *core_.end_reason();
  if (core_.is_closing()) return {errc::closed, "the client is closing"};
  if (c.unusable) return c.unusable;
  if (c.internal) return {};
  if (c.method.is_vendors() && !jsonrpc::is_plain_method(c.method)) return {errc::invalid_argument, "not a method name: " + c.method.text()};
  for (auto const& [key, text] : c.options.meta()) {
    if (auto const ok = check_meta(key, text); !ok) return ok.error();
  }
  return core_.recovery.is_unsettled() ? error() : refuses(c);
}

COMCP_LAZY_DECL error exchange::refuses(prepared_call const& c) const {
  return c.internal ? error() : core_.facts.refuses(c, core_.settings.check_capabilities);
}

// What check() looks at for resources/subscribe, which the modern era has not.
COMCP_LAZY_DECL error exchange::check_subscribe(call_options const& options) const {
  prepared_call const listen(wire::methods::listen, {}, options);
  if (auto bad = check(listen)) return bad;
  return core_.settings.check_capabilities ? core_.facts.refuses_subscriptions() : error();
}

COMCP_LAZY_DECL result<void> exchange::start(prepared_call const& c, pending_entry& e) {
  auto bad = check(c);
  if (!bad && !c.internal && core_.settings.check_capabilities) bad = core_.facts.refuses_without_task(c);
  if (!bad && c.options.stop().stop_requested()) bad = error(errc::cancelled);
  if (!bad) {
    overlap_guard::scope const alone(core_.calls.guard());
    auto begun = core_.calls.enlist(e, c);
    if (begun && !core_.recovery.defers(e)) {
      begun = core_.outbound.transmit(e);
      if (!begun) core_.calls.end(e.id, begun.error());
    }
    if (begun) return begun;
    bad = begun.error();
  }
  return bad.with_outcome(c.outcome);  // of the attempts before this one
}

COMCP_LAZY_DECL asio::awaitable<reply> exchange::begin(prepared_call const& c, pending_entry& e) {
  auto const started = start(c, e);
  return started ? core_.calls.wait(e) : ended(started.error());
}

COMCP_LAZY_DECL asio::awaitable<reply> exchange::round_trip(prepared_call const& c) {
  pending_entry e;
  if (auto const started = start(c, e); !started) co_return reply(started.error());
  auto r = co_await core_.calls.wait(e);
  co_return r;
}

COMCP_LAZY_DECL asio::awaitable<reply> exchange::perform(prepared_call& c) {
  pending_entry e;
  reply r;
  auto const started = start(c, e);
  if (started) r = co_await core_.calls.wait(e);
  else r = started.error();
  if (needs_settling(c, r)) r = co_await settle(c, std::move(r));
  co_return r;
}

COMCP_LAZY_DECL std::optional<request_id> exchange::call_of(json::view params) const {
  auto const token = params.find("progressToken");
  auto const id = token ? token->get_uint64() : std::nullopt;
  auto const* const found = id ? core_.calls.table().find(*id) : nullptr;
  return (found && (*found)->call) || (id && answered_.contains(*id)) ? id : std::nullopt;
}

COMCP_LAZY_DECL void exchange::hears_on(request_id id, progress_callback told) {
  if (told) answered_.insert_or_assign(id, std::move(told));
  else answered_.erase(id);
}

COMCP_LAZY_DECL bool exchange::notified(std::string const& method, json::value const& params) {
  if (method != "notifications/progress") return false;
  auto const id = call_of(params.view());
  if (!id) return ++core_.calls.counters().dropped, true;
  auto const* const waits = core_.calls.table().find(*id);
  if (waits && (*waits)->call->options.extends_on_progress()) core_.calls.extend(*id);
  auto const on_progress = waits ? (*waits)->call->options.on_progress() : answered_[*id];
  if (!on_progress) return true;
  auto const p = json::read<progress_notification>(params.view());
  if (!p) return core_.fault(p.error()), true;
  try {
    on_progress(*p);
  } catch (...) {
    core_.fault(error(errc::invalid_argument, "a progress callback threw"));
  }
  return true;
}

COMCP_LAZY_DECL bool exchange::needs_settling(prepared_call const& c, reply const& r) const {
  if (!core_.facts.codec) return false;
  if (r) {
    if (!core_.is_modern() || is_claimed(c, r->view())) return false;
    auto const kind = core_.facts.codec->classify(c.method, r->view());
    return !kind || *kind != wire::result_kind::complete;
  }
  sansio::call_life first(0);
  return first.failed(r.error(), facts(c, &r.error())) != sansio::call_action::deliver;
}

COMCP_LAZY_DECL sansio::call_facts exchange::facts(prepared_call const& c, error const* e) const {
  sansio::call_facts now;
  now.modern = core_.is_modern();
  now.http = core_.is_http();
  now.is_tool = c.method.is(wire::methods::call_tool);
  now.manual = c.options.is_manual_input();
  if (e) now.era_in_doubt = may_be_of_other_era(c, *e);
  if (e) now.may_repeat = may_repeat(c, *e);
  return now;
}

COMCP_LAZY_DECL asio::awaitable<reply> exchange::settle(prepared_call& c, reply r) {
  progress p(core_.calls, c, core_.settings.limits.input_rounds());
  for (;;) {
    if (r && (!core_.is_modern() || is_claimed(c, r->view()))) co_return r;
    auto work = r ? next_round(p, r) : after_failure(p, r);
    auto ended = co_await std::move(work);
    if (ended) co_return std::move(*ended);
    r = co_await round_trip(c);
  }
}

COMCP_LAZY_DECL asio::awaitable<std::optional<reply>> exchange::after_failure(progress& p, reply& r) {
  using action = sansio::call_action;
  auto& c = p.call;
  auto const why = r.error();
  switch (p.life.failed(why, facts(c, &why))) {
    case action::show_pages: {
      if (!rounds_) co_return reply(why.with_code(make_error_code(errc::url_elicitation_required)));
      auto const ended = co_await rounds_->show_pages(c, why, p.hard);
      if (ended) co_return reply(ended);
      break;
    }
    case action::give_up_pages: co_return reply(why.with_code(make_error_code(errc::url_elicitation_required)));
    case action::check_era: {
      auto const repeat = co_await probe_again(c, why);
      if (!repeat) co_return reply(repeat.error().with_outcome(c.outcome));
      if (!*repeat) co_return std::move(r);
      break;
    }
    case action::list_again: {
      auto const found = co_await list_again(c);
      if (!found) co_return std::move(r);
      break;
    }
    case action::follow_version: {
      if (follow_version(why)) break;
      auto const list = sansio::modern_versions(why).value_or(std::vector<std::string>());
      auto const text = sansio::no_common_text(list, core_.settings.handshake.allowed);
      co_return reply(error(errc::no_common_version, text).with_peer(*why.peer()));
    }
    case action::send_again: break;
    default: co_return std::move(r);
  }
  co_return std::nullopt;
}

COMCP_LAZY_DECL asio::awaitable<std::optional<reply>> exchange::next_round(progress& p, reply& r) {
  using action = sansio::call_action;
  auto& c = p.call;
  auto const kind = core_.facts.codec->classify(c.method, r->view());
  if (!kind) co_return reply(kind.error());
  auto const what = p.life.answered(*kind, facts(c, nullptr));
  if (what == action::deliver) co_return std::move(r);
  if (what == action::hand_over) co_return reply(with_call(*r, c, p.original));
  if (what == action::too_many_rounds)
    co_return reply(error(errc::limit_exceeded, "more input rounds than limits().input_rounds()"));
  auto required = json::read<input_required_result>(r->view());
  if (!required) co_return reply(required.error().with_code(make_error_code(errc::protocol_violation)));
  if (auto const bad = check_round(*required)) co_return reply(bad);
  p.spend(core_.calls.now() - p.sent_at);
  auto state = required->request_state;
  result<std::string> answers = std::string();
  if (required->input_requests && !required->input_requests->empty()) {
    p.rests.proved();
    answers = co_await rounds_->answer(std::move(*required), c.options.stop(), p.hard);
  } else {
    auto const ended = co_await rest(p);
    if (ended) co_return reply(ended);
  }
  if (!answers) co_return reply(answers.error());
  c.params = with_answers(p.original, *answers, state);
  p.sent_at = core_.calls.now();
  c.options.timeout(std::max(p.left, std::chrono::nanoseconds(1)));
  co_return std::nullopt;
}

COMCP_LAZY_DECL asio::awaitable<result<std::string>> exchange::answer(input_required_result required,
                                                                      std::stop_token stop,
                                                                      rounds_link::time_point hard) {
  if (auto bad = check_round(required)) co_return bad;
  auto answering = rounds_->answer(std::move(required), std::move(stop), hard);
  auto answers = co_await std::move(answering);
  co_return answers;
}

COMCP_LAZY_DECL error exchange::check_round(input_required_result const& required) const {
  bool const asks = required.input_requests && !required.input_requests->empty();
  if (!asks && !required.request_state)
    return {errc::protocol_violation, "input_required with neither inputRequests nor requestState"};
  if (!asks) return {};
  if (required.input_requests->size() > core_.settings.limits.input_requests())
    return error(errc::limit_exceeded, "one round with more than limits().input_requests()").with_outcome(call_outcome::known);
  for (auto const& [key, asked] : *required.input_requests) {
    bool declared = false;
    if (asked.method == "sampling/createMessage") declared = core_.introduction.capabilities().sampling.has_value();
    if (asked.method == "roots/list") declared = core_.introduction.capabilities().roots.has_value();
    if (asked.method == "elicitation/create") {
      auto const mode = asked.params.view().find("mode");
      bool const url = mode && mode->get_string() == "url";
      declared = url ? core_.introduction.capabilities().supports_elicitation_url() : core_.introduction.capabilities().supports_elicitation_form();
    }
    if (!declared || !rounds_)
      return {errc::protocol_violation, "the server asks for " + asked.method + ", which was not declared"};
  }
  return {};
}

// Before state alone goes back: a server that is not ready yet is not asked in a loop.
COMCP_LAZY_DECL asio::awaitable<error> exchange::rest(progress& p) {
  auto& calls = core_.calls;
  auto const before = calls.now();
  pending_entry e(pending_entry::span::client);
  std::chrono::nanoseconds const pause = p.rests.failed(0).value();
  if (!calls.enlist(e, std::min({pause, p.left, std::chrono::nanoseconds(p.hard - before)})))
    co_return error(errc::queue_full, "too many calls in flight");
  calls.end_with(p.call.options.stop(), e);
  auto const over = co_await calls.wait(e);
  if (over.error() != errc::timeout) co_return over.error();
  p.spend(calls.now() - before);
  if (p.left <= p.left.zero() || calls.now() >= p.hard) co_return error(errc::timeout, p.call.method.text());
  co_return error();
}

// What is broken off may go out again under a new id only where the caller, or what it is, allows that.
COMCP_LAZY_DECL bool exchange::may_repeat(prepared_call const& c, error const& e) const {
  if (e.peer() || core_.end_reason() || core_.is_closing() || !(c.repeatable || c.options.is_idempotent())) return false;
  return core_.connection.life().is_restarting() || (core_.is_http() && (e == errc::transport_failed || e == errc::idle_timeout));
}

// Of a saved verdict that nothing has shown to hold yet, that is being checked, or that was found to be wrong since.
COMCP_LAZY_DECL bool exchange::may_be_of_other_era(prepared_call const& c, error const& e) const {
  if (!c.sent_modern || !(e.peer() || (core_.is_http() && sansio::is_legacy_refusal(e)))) return false;
  return core_.recovery.doubts_era() || core_.connection.life().is_restarting() || !core_.is_modern();
}

// A saved verdict may be out of date, which an error answer can be the sign of: the server is asked, once for all
// calls. True when the call is to go out again, in the other era; one that was refused unread did nothing yet.
COMCP_LAZY_DECL asio::awaitable<result<bool>> exchange::probe_again(prepared_call const& c, error refusal) {
  core_.recovery.check_era();
  auto const failed = co_await core_.recovery.settled(c);
  if (failed) co_return failed;
  auto const* const peer = refusal.peer();
  auto const status = refusal.detail() ? refusal.detail()->http_status.value_or(0) : 0;
  bool const unread = (status >= 400 && status < 500) || (peer && peer->code <= -32600 && peer->code >= -32602);
  co_return !core_.is_modern() && (unread || c.repeatable || c.options.is_idempotent());
}

COMCP_LAZY_DECL bool exchange::follow_version(error const& e) {
  auto const offered = sansio::modern_versions(e);
  if (!offered) return false;
  std::optional<protocol_version> best;
  for (auto const& text : *offered) {
    auto const v = protocol_version::parse(text);
    auto const& allowed = core_.settings.handshake.allowed;
    if (!v || v->era() != era::modern || std::find(allowed.begin(), allowed.end(), *v) == allowed.end()) continue;
    if (!best || *best < *v) best = v;
  }
  if (!best) return false;
  core_.facts.codec = core_.introduction.modern(*best);
  core_.publish();
  return true;
}

COMCP_LAZY_DECL asio::awaitable<bool> exchange::list_again(prepared_call& c) {
  c.options.forget_tool();
  auto const name = wire::name_in(c.method, c.params);
  call_options bounds;
  bounds.timeout(core_.calls.timeout(c.options)).extend_on_progress(false).stop(c.options.stop());
  bounds.hard_timeout(core_.calls.hard_limit(c.options));
  auto const& steps = core_.pipeline.steps();
  std::optional<std::string> from;
  for (std::size_t pages = 0; pages < core_.settings.limits.pages(); ++pages) {
    prepared_call again(wire::methods::list_tools, from ? args("cursor", *from).text() : std::string(), bounds);
    again.started = c.started;
    again.internal = true;
    again.repeatable = true;
    std::vector<std::uint64_t> asked;
    for (auto const& step : steps) asked.push_back(step->moment());
    auto const r = co_await round_trip(again);
    if (!r) co_return false;
    auto page = json::read<list_tools_result>(r->view());
    if (!page) co_return false;
    core_.facts.learn(*page, core_.settings.limits.items(), core_.is_http());
    for (std::size_t i = 0; i < asked.size(); ++i) steps[i]->learn(r->view(), asked[i]);
    for (auto const& t : page->tools) {
      if (name == t.name) co_return true;
    }
    if (!page->next_cursor || page->next_cursor == from) co_return false;
    from = page->next_cursor;
  }
  co_return false;
}

}  // namespace comcp::detail
