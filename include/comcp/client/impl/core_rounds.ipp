// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a call may need beyond one round trip: input rounds (2026-07-28, basic/patterns/mrtr), one change of the
// version, one repetition after a restart, url elicitations of 2025-11-25.
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/client/impl/core_calls.ipp>
#include <comcp/net/spawn.hpp>
#include <comcp/json/build.hpp>

namespace comcp {

/// The requests of one round, answered at once. Shared by the coroutines that answer.
struct client_core::round {
  detail::pending_entry done;
  input_requests waiting;  // for their turn: limits().handlers_in_flight() are answered at once
  std::map<std::string, std::string> answers;
  error failure;
  std::size_t running = 0;
  std::vector<std::unique_ptr<asio::cancellation_signal>> signals;
  std::vector<std::shared_ptr<bool>> cancelled;

  void cancel() {
    waiting.clear();
    for (auto const& flag : cancelled) *flag = true;
    for (auto const& s : signals) s->emit(asio::cancellation_type::terminal);
  }
};

/// A call that waits until the pages of its -32042 are completed.
struct client_core::open_urls {
  explicit open_urls(client_core& c) : core(c) { core.open_urls_.push_back(this); }
  open_urls(open_urls const&) = delete;
  open_urls& operator=(open_urls const&) = delete;
  ~open_urls() { std::erase(core.open_urls_, this); }

  client_core& core;
  std::set<std::string, std::less<>> ids;
  detail::pending_entry done;
};

namespace detail {

inline constexpr std::chrono::milliseconds first_rest{50}, longest_rest{1000};  // before state alone goes back

// The original parameters with what a retry adds. Both texts are objects.
COMCP_DECL std::string with_answers(std::string_view params, std::string const& responses,
                                    std::optional<std::string> const& state) {
  json::writer w;
  if (!responses.empty()) w.plain_key("inputResponses").raw(responses);
  if (state) w.plain_key("requestState").string(*state);
  std::string out(params.size() > 2 ? params.substr(0, params.size() - 1) : "{");
  if (out.size() > 1 && !w.text().empty()) out += ',';
  return out + w.text() + "}";
}

COMCP_DECL std::string responses_text(std::map<std::string, std::string> const& answers) {
  json::writer w;
  w.begin_object();
  for (auto const& [key, text] : answers) w.key(key).raw(text);
  w.end_object();
  return std::move(w).text();
}

// Why a round ended its call. That was sent: a code which says that nothing was does not leave here.
COMCP_DECL error round_error(error const& e) {
  if (e == errc::validation_failed)
    return e.with_message("the call was sent, but the answer that its server asked for does not match: " +
                          std::string(e.message()));
  bool const is_ours = e.code().category() == comcp_category();
  for (auto const as_it_is : {errc::cancelled, errc::closed, errc::timeout, errc::limit_exceeded, errc::out_of_memory,
                              errc::protocol_violation, errc::outcome_unknown}) {
    if (e == as_it_is) return e;
  }
  return e.peer() || is_ours ? e.with_code(make_error_code(errc::input_refused)) : e;
}

// A round that a caller takes over: the result, and the call that it belongs to.
COMCP_DECL json::value with_call(json::value const& required, prepared_call const& c, std::string const& params) {
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

}  // namespace detail

COMCP_DECL bool client_core::follow_version(error const& e) {
  auto const offered = sansio::modern_versions(e);
  if (!offered) return false;
  std::optional<protocol_version> best;
  for (auto const& text : *offered) {
    auto const v = protocol_version::parse(text);
    auto const& allowed = settings_.handshake.allowed;
    if (!v || v->era() != era::modern || std::find(allowed.begin(), allowed.end(), *v) == allowed.end()) continue;
    if (!best || *best < *v) best = v;
  }
  if (!best) return false;
  codec_ = modern_codec(*best);
  return true;
}

COMCP_DECL asio::awaitable<detail::reply> client_core::rounds(detail::prepared_call& c, detail::reply r) {
  using std::chrono::nanoseconds;
  auto const original = c.params;
  c.options.hard_timeout(calls_.hard_limit(c.options));  // said once: the timeout below shrinks
  auto const hard = detail::later(c.started, *c.options.hard_timeout());
  nanoseconds left = calls_.timeout(c.options);
  auto sent_at = c.started;
  c.options.extend_on_progress(c.options.extends_on_progress());
  bool followed = false, listed = false, urls_done = false;
  unsigned repeats = 0;
  nanoseconds pause = detail::first_rest;
  for (unsigned taken = 0;;) {
    if (!r) {
      auto const* const peer = r.error().peer();
      if (peer && !is_modern() && peer->code == -32042) {
        if (std::exchange(urls_done, true)) co_return r.error().with_code(make_error_code(errc::url_elicitation_required));
        auto const ended = co_await ask_urls(c, r.error(), hard);
        if (ended) co_return ended;
        r = co_await round_trip(c);
        continue;
      }
      if (may_be_of_other_era(c, r.error())) {
        auto const repeat = co_await probe_again(c, r.error());
        if (!repeat) co_return repeat.error().with_outcome(c.outcome);
        if (!*repeat) co_return r;
        r = co_await round_trip(c);
        continue;
      }
      bool const other_version = peer && is_modern() && peer->code == -32022 && !followed;
      bool const again = may_repeat(c, r.error()) && ++repeats <= 3;
      bool const mismatch = peer && is_http_ && is_modern() && peer->code == -32020 && c.method == "tools/call";
      if (mismatch && !listed) {
        listed = true;
        c.options.forget_tool();
        auto const found = co_await list_again(c);
        if (!found) co_return r;
      } else if (other_version && follow_version(r.error())) {
        followed = true;
      } else if (other_version) {
        auto const list = sansio::modern_versions(r.error()).value_or(std::vector<std::string>());
        co_return detail::reply(
            error(errc::no_common_version, sansio::no_common_text(list, settings_.handshake.allowed)).with_peer(*peer));
      } else if (!again) {
        co_return r;
      }
      r = co_await round_trip(c);
      continue;
    }
    if (!is_modern()) co_return r;
    auto const kind = codec_->classify(c.method, r->view());
    if (!kind) co_return detail::reply(kind.error());
    if (*kind == wire::result_kind::complete) co_return r;
    if (c.options.is_manual_input()) co_return detail::reply(detail::with_call(*r, c, original));
    if (++taken > settings_.limits.input_rounds())
      co_return detail::reply(error(errc::limit_exceeded, "more input rounds than limits().input_rounds()"));
    auto required = json::read<input_required_result>(r->view());
    if (!required) co_return detail::reply(required.error().with_code(make_error_code(errc::protocol_violation)));
    if (auto const bad = check_round(*required)) co_return detail::reply(bad);
    left -= std::min(left, nanoseconds(calls_.now() - sent_at));  // the clock stops while a handler answers
    auto state = required->request_state;
    if (required->input_requests && !required->input_requests->empty()) {
      pause = detail::first_rest;
    } else {
      auto const before = calls_.now();
      auto const most = std::min<nanoseconds>(left, hard - before);
      auto const ended = co_await rest(c, std::min(pause, most));
      if (ended) co_return ended;
      left -= std::min(left, nanoseconds(calls_.now() - before));
      if (left <= left.zero() || calls_.now() >= hard) co_return error(errc::timeout, c.method);
      pause = std::min<nanoseconds>(2 * pause, detail::longest_rest);
    }
    auto answers = co_await answer_round(std::move(*required), c.options.stop(), hard);
    if (!answers) co_return detail::reply(answers.error());
    c.params = detail::with_answers(original, *answers, state);
    sent_at = calls_.now();
    c.options.timeout(std::max(left, nanoseconds(1)));
    r = co_await round_trip(c);
  }
}

// Of a saved verdict that nothing has shown to hold yet, that is being checked, or that was found to be wrong since.
COMCP_DECL bool client_core::may_be_of_other_era(detail::prepared_call const& c, error const& e) const {
  if (!c.sent_modern || !(e.peer() || (is_http_ && sansio::is_legacy_refusal(e)))) return false;
  return prior_unconfirmed_ || restarting_ || !is_modern();
}

// A saved verdict may be out of date, which an error answer can be the sign of: the server is asked, once for all
// calls. True when the call is to go out again, in the other era; one that was refused unread did nothing yet.
COMCP_DECL asio::awaitable<result<bool>> client_core::probe_again(detail::prepared_call const& c, error refusal) {
  if (std::exchange(prior_unconfirmed_, false) && !restarting_) {
    forget_era();
    begin_renegotiation({});
  }
  auto const failed = co_await settled(c);
  if (failed) co_return failed;
  auto const* const peer = refusal.peer();
  auto const status = refusal.detail() ? refusal.detail()->http_status.value_or(0) : 0;
  bool const unread = (status >= 400 && status < 500) || (peer && peer->code <= -32600 && peer->code >= -32602);
  co_return !is_modern() && (unread || c.repeatable || c.options.is_idempotent());
}

COMCP_DECL error client_core::check_round(input_required_result const& required) const {
  bool const asks = required.input_requests && !required.input_requests->empty();
  if (!asks && !required.request_state)
    return {errc::protocol_violation, "input_required with neither inputRequests nor requestState"};
  if (!asks) return {};
  if (required.input_requests->size() > settings_.limits.input_requests())
    return error(errc::limit_exceeded, "one round with more than limits().input_requests()").with_outcome(call_outcome::known);
  for (auto const& [key, asked] : *required.input_requests) {
    bool declared = false;
    if (asked.method == "sampling/createMessage") declared = own_capabilities_.sampling.has_value();
    if (asked.method == "roots/list") declared = own_capabilities_.roots.has_value();
    if (asked.method == "elicitation/create") {
      auto const mode = asked.params.view().find("mode");
      bool const url = mode && mode->get_string() == "url";
      declared = url ? own_capabilities_.supports_elicitation_url() : own_capabilities_.supports_elicitation_form();
    }
    if (!declared)
      return {errc::protocol_violation, "the server asks for " + asked.method + ", which was not declared"};
  }
  return {};
}

COMCP_DECL asio::awaitable<void> client_core::answer_one(std::shared_ptr<round> r, std::string key,
                                                         input_request asked) {
  auto const hold = shared_from_this();
  auto ctx = dispatcher_.make_context(asked.method, asked.params);
  r->cancelled.push_back(ctx.cancelled_);
  result<json::fragment> answer = error(errc::cancelled);
  try {
    answer = co_await dispatcher_.answer(asked.method, asked.params, ctx);
  } catch (std::exception const&) {
    // A cancelled coroutine; its round has ended.
  }
  --r->running;
  if (!answer) {
    if (!r->failure) r->failure = answer.error();
  } else {
    r->answers.emplace(std::move(key), answer->text());
  }
  if (!r->failure && r->done.id) start_answers(r);
  if (r->running == 0 || r->failure) calls_.end(r->done.id, json::value());
}

COMCP_DECL void client_core::start_answers(std::shared_ptr<round> const& r) {
  auto const most = std::max<std::size_t>(1, settings_.limits.handlers_in_flight());
  while (r->running < most && !r->waiting.empty()) {
    auto next = r->waiting.extract(r->waiting.begin());
    ++r->running;
    r->signals.push_back(std::make_unique<asio::cancellation_signal>());
    auto work = std::make_shared<asio::awaitable<void>>(answer_one(r, std::move(next.key()), std::move(next.mapped())));
    auto* const signal = r->signals.back().get();
    // Posted: a handler that answers at once must not end the round before it is waited for.
    auto start = [this, hold = shared_from_this(), r, work, signal] {
      if (!r->done.id) return;  // the call has ended
      detail::spawn(home_, std::move(*work), signal->slot(), r);
    };
    detail::post(home_, std::move(start));
  }
}

COMCP_DECL asio::awaitable<result<std::string>> client_core::answer_round(input_required_result required,
                                                                          std::stop_token stop,
                                                                          std::chrono::steady_clock::time_point hard) {
  if (!required.input_requests || required.input_requests->empty()) co_return std::string();
  auto const r = std::make_shared<round>();
  auto const most = std::max(std::chrono::nanoseconds(hard - calls_.now()), std::chrono::nanoseconds(1));
  if (!calls_.enlist(r->done, most)) co_return error(errc::queue_full, "too many calls in flight");
  calls_.end_with(stop, r->done);
  r->waiting = std::move(*required.input_requests);
  start_answers(r);
  auto const waited = co_await calls_.wait(r->done);
  if (waited && !r->failure) co_return detail::responses_text(r->answers);
  auto cancel_the_rest = [r] { r->cancel(); };
  detail::post(home_, std::move(cancel_the_rest));
  if (!waited) co_return waited.error();
  co_return detail::round_error(r->failure);
}

// Before state alone goes back: a server that is not ready yet is not asked in a loop.
COMCP_DECL asio::awaitable<error> client_core::rest(detail::prepared_call const& c, std::chrono::nanoseconds d) {
  detail::pending_entry e;
  e.lasts = detail::pending_entry::span::client;
  if (!calls_.enlist(e, d)) co_return error(errc::queue_full, "too many calls in flight");
  calls_.end_with(c.options.stop(), e);
  auto const over = co_await calls_.wait(e);
  co_return over.error() == errc::timeout ? error() : over.error();
}

namespace detail {

COMCP_DECL bool is_accepted(std::string const& responses, std::string_view key) {
  auto const all = json::parse(responses);
  auto const one = all ? all->find(key) : std::nullopt;
  auto const action = one ? one->find("action") : std::nullopt;
  return action && action->view().get_string() == "accept";
}

}  // namespace detail

// One page after the other, each as a round of its own: bounded, and ended with the call.
COMCP_DECL asio::awaitable<error> client_core::ask_urls(detail::prepared_call const& c, error refusal,
                                                        std::chrono::steady_clock::time_point hard) {
  auto const failure = refusal.with_code(make_error_code(errc::url_elicitation_required));
  auto const data = json::parse(refusal.peer()->data);
  auto const list = data ? data->find("elicitations") : std::nullopt;
  if (!list || !own_capabilities_.supports_elicitation_url()) co_return failure;
  if (list->size() > settings_.limits.input_requests())
    co_return error(errc::limit_exceeded, "a -32042 with more pages than limits().input_requests()");
  open_urls pages(*this);  // before the first is shown: it may be completed while it is
  bool may_wait = c.options.awaits_url_elicitations() && list->size() > 0;
  for (auto const e : list->elements()) {
    auto const id = e.find("elicitationId");
    if (id && id->is_string()) pages.ids.emplace(*id->get_string());
    else may_wait = false;
  }
  for (auto const e : list->elements()) {
    input_request page;
    page.method = "elicitation/create";
    page.params = e.share();
    input_required_result one;
    one.input_requests.emplace().emplace("page", std::move(page));
    auto const answered = co_await answer_round(std::move(one), c.options.stop(), hard);
    may_wait = may_wait && answered && detail::is_accepted(*answered, "page");
    if (answered) continue;
    auto const& why = answered.error();
    bool const call_is_over = why == errc::cancelled || why == errc::closed || why == errc::timeout;
    if (call_is_over && !why.peer()) co_return why;
  }
  if (!may_wait) co_return failure;
  if (pages.ids.empty()) co_return error();
  auto const left = std::max(std::chrono::nanoseconds(hard - calls_.now()), std::chrono::nanoseconds(1));
  pages.done.lasts = detail::pending_entry::span::client;
  if (!calls_.enlist(pages.done, left)) co_return error(errc::queue_full, "too many calls in flight");
  calls_.end_with(c.options.stop(), pages.done);
  auto const completed = co_await calls_.wait(pages.done);
  if (completed) co_return error();
  co_return completed.error() == errc::timeout ? failure : completed.error();
}

COMCP_DECL void client_core::url_completed(json::value const& params) {
  auto const which = params.view().find("elicitationId");
  auto const id = which ? which->get_string() : std::nullopt;
  if (!id) return;
  std::vector<request_id> complete;  // first all of them: an end may begin anything
  for (auto* const waiting : open_urls_) {
    auto const found = waiting->ids.find(*id);
    if (found == waiting->ids.end()) continue;
    waiting->ids.erase(found);
    if (waiting->ids.empty() && waiting->done.id) complete.push_back(waiting->done.id);
  }
  for (auto const which_call : complete) calls_.end(which_call, json::value());
}

COMCP_DECL asio::awaitable<json::value> client_core::resume_rounds(detail::prepared_call c, json::value required,
                                                                   json::fragment responses) {
  auto const hold = shared_from_this();
  auto const of = required.view().find("comcp/call");
  if (!of) throw exception(error(errc::invalid_argument, "not a value that manual_input() gave"));
  auto const method = of->find("method");
  c.method = method ? std::string(method->get_string().value_or("")) : std::string();
  std::optional<std::string> state;
  if (auto const came = required.view().find("requestState")) state = std::string(came->get_string().value_or(""));
  auto const params = of->find("params");
  c.params = detail::with_answers(params ? params->dump() : "{}", responses.text(), state);
  auto v = co_await call(std::move(c));
  co_return v;
}

}  // namespace comcp
