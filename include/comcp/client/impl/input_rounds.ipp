// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>

#include <comcp/client/core.hpp>
#include <comcp/client/input_rounds.hpp>
#include <comcp/json/build.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

/// The requests of one round, answered at once. Shared by the coroutines that answer.
struct input_rounds::round {
  pending_entry done;
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
struct input_rounds::open_pages {
  explicit open_pages(input_rounds& r) : of(r) { of.open_.push_back(this); }
  open_pages(open_pages const&) = delete;
  open_pages& operator=(open_pages const&) = delete;
  ~open_pages() { std::erase(of.open_, this); }

  input_rounds& of;
  std::set<std::string, std::less<>> ids;
  pending_entry done;
};

COMCP_LAZY std::string responses_text(std::map<std::string, std::string> const& answers) {
  json::writer w;
  w.begin_object();
  for (auto const& [key, text] : answers) w.key(key).raw(text);
  w.end_object();
  return std::move(w).text();
}

// Why a round ended its call. That was sent: a code which says that nothing was does not leave here.
COMCP_LAZY error round_error(error const& e) {
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

COMCP_LAZY_DECL std::unique_ptr<rounds_link> make_rounds(client_core& core) {
  return std::make_unique<input_rounds_link<input_rounds>>(core);
}

COMCP_LAZY_DECL asio::awaitable<void> input_rounds::answer_one(std::shared_ptr<round> r, std::string key,
                                                               input_request asked) {
  auto const hold = core_.shared_from_this();
  auto ctx = core_.dispatcher.make_context(asked.method, asked.params);
  r->cancelled.push_back(ctx.cancelled_);
  result<json::fragment> answer = error(errc::cancelled);
  try {
    answer = co_await core_.dispatcher.answer(asked.method, asked.params, ctx);
  } catch (std::exception const&) {
    // A cancelled coroutine; its round has ended.
  }
  --r->running;
  if (!answer) {
    if (!r->failure) r->failure = answer.error();
  } else {
    r->answers.emplace(std::move(key), answer->text());
  }
  if (!r->failure) start_answers(r);
  if (r->running == 0 || r->failure) core_.calls.end(r->done.id, json::value());
}

COMCP_LAZY_DECL void input_rounds::start_answers(std::shared_ptr<round> const& r) {
  auto const most = std::max<std::size_t>(1, core_.settings.limits.handlers_in_flight());
  while (r->running < most && !r->waiting.empty()) {
    auto next = r->waiting.extract(r->waiting.begin());
    ++r->running;
    r->signals.push_back(std::make_unique<asio::cancellation_signal>());
    auto work = std::make_shared<asio::awaitable<void>>(answer_one(r, std::move(next.key()), std::move(next.mapped())));
    auto* const signal = r->signals.back().get();
    // Posted: a handler that answers at once must not end the round before it is waited for.
    auto start = [this, hold = core_.shared_from_this(), r, work, signal] {
      if (!r->done.id) return;  // the call has ended
      detail::spawn(core_.home(), std::move(*work), signal->slot(), r);
    };
    detail::post(core_.home(), std::move(start));
  }
}

COMCP_LAZY_DECL asio::awaitable<result<std::string>> input_rounds::answer(input_required_result required,
                                                                          std::stop_token stop, time_point hard) {
  auto const r = std::make_shared<round>();
  auto const most = std::max(std::chrono::nanoseconds(hard - core_.calls.now()), std::chrono::nanoseconds(1));
  if (!core_.calls.enlist(r->done, most)) co_return error(errc::queue_full, "too many calls in flight");
  core_.calls.end_with(stop, r->done);
  r->waiting = std::move(*required.input_requests);
  start_answers(r);
  auto const waited = co_await core_.calls.wait(r->done);
  if (waited && !r->failure) co_return responses_text(r->answers);
  auto cancel_the_rest = [r] { r->cancel(); };
  detail::post(core_.home(), std::move(cancel_the_rest));
  if (!waited) co_return waited.error();
  co_return round_error(r->failure);
}

COMCP_LAZY bool is_accepted(std::string const& responses, std::string_view key) {
  auto const all = json::parse(responses);
  auto const one = all ? all->find(key) : std::nullopt;
  auto const action = one ? one->find("action") : std::nullopt;
  return action && action->view().get_string() == "accept";
}

// One page after the other, each as a round of its own: bounded, and ended with the call.
COMCP_LAZY_DECL asio::awaitable<error> input_rounds::show_pages(prepared_call const& c, error refusal,
                                                                time_point hard) {
  auto const failure = refusal.with_code(make_error_code(errc::url_elicitation_required));
  auto const data = json::parse(refusal.peer()->data);
  auto const list = data ? data->find("elicitations") : std::nullopt;
  if (!list || !core_.introduction.capabilities().supports_elicitation_url()) co_return failure;
  if (list->size() > core_.settings.limits.input_requests())
    co_return error(errc::limit_exceeded, "a -32042 with more pages than limits().input_requests()");
  open_pages pages(*this);  // before the first is shown: it may be completed while it is
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
    auto const answered = co_await answer(std::move(one), c.options.stop(), hard);
    may_wait = may_wait && answered && is_accepted(*answered, "page");
    if (answered) continue;
    auto const& why = answered.error();
    bool const call_is_over = why == errc::cancelled || why == errc::closed || why == errc::timeout;
    if (call_is_over && !why.peer()) co_return why;
  }
  if (!may_wait) co_return failure;
  if (pages.ids.empty()) co_return error();
  auto const left = std::max(std::chrono::nanoseconds(hard - core_.calls.now()), std::chrono::nanoseconds(1));
  pages.done.lasts = pending_entry::span::client;
  if (!core_.calls.enlist(pages.done, left)) co_return error(errc::queue_full, "too many calls in flight");
  core_.calls.end_with(c.options.stop(), pages.done);
  auto const completed = co_await core_.calls.wait(pages.done);
  if (completed) co_return error();
  co_return completed.error() == errc::timeout ? failure : completed.error();
}

COMCP_LAZY_DECL bool input_rounds::notified(std::string const& method, json::value const& params) {
  if (method != "notifications/elicitation/complete") return false;
  auto const which = params.view().find("elicitationId");
  auto const id = which ? which->get_string() : std::nullopt;
  if (!id) return false;
  std::vector<request_id> complete;  // first all of them: an end may begin anything
  for (auto* const waiting : open_) {
    auto const found = waiting->ids.find(*id);
    if (found == waiting->ids.end()) continue;
    waiting->ids.erase(found);
    if (waiting->ids.empty() && waiting->done.id) complete.push_back(waiting->done.id);
  }
  for (auto const which_call : complete) core_.calls.end(which_call, json::value());
  return false;
}

}  // namespace comcp::detail
