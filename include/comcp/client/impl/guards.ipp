// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include <comcp/client/guards.hpp>
#include <comcp/protocol/elicitation.hpp>

namespace comcp {
namespace detail {

inline error refused_sampling(std::string_view why) { return error::from_peer({-1, std::string(why), {}}); }

inline bool asks_model(std::string_view method) noexcept { return method == "sampling/createMessage"; }
inline bool asks_user(std::string_view method) noexcept { return method == "elicitation/create"; }

// The answer to one that was to be a task is a task or an error: an elicitation's own would not be understood.
inline bool is_to_be_task(incoming_request const& r) {
  auto const task = r.params.is_object() ? r.params.view().find("task") : std::nullopt;
  return task && task->is_object();
}

COMCP_LAZY asio::awaitable<hook_answer> ask_first(
    std::function<asio::awaitable<bool>(incoming_request const&)> ask, incoming_request const& r) {
  auto asking = ask(r);
  bool const yes = co_await std::move(asking);
  if (yes) co_return hook_answer();
  if (asks_model(r.method)) throw exception(refused_sampling("User rejected sampling request"));
  if (is_to_be_task(r)) throw exception(error::from_peer({-1, "User rejected elicitation request", {}}));
  co_return hook_answer(json::fragment::of(args("action", "decline")));
}

// What a request may cost at most.
inline std::uint64_t max_tokens_of(incoming_request const& r) {
  auto const most = r.params.is_object() ? r.params.view().find("maxTokens") : std::nullopt;
  auto const n = most ? most->get_int64() : std::nullopt;
  if (!n || *n <= 0) throw exception(error::from_peer({-32602, "Invalid params: maxTokens is a positive integer", {}}));
  return static_cast<std::uint64_t>(*n);
}

COMCP_DECL bool rate_limiter::admits(incoming_notification const& n) {
  bool const is_progress = n.method == "notifications/progress";
  if (!is_progress && n.method != "notifications/message") return true;
  if (is_progress && !n.call) return false;  // nobody waits for it
  whose const key(n.client, n.call.value_or(0));
  std::scoped_lock const alone(mutex_);
  auto found = buckets_.find(key);
  if (found == buckets_.end()) {
    if (buckets_.size() >= most && n.at - tidied_ >= std::chrono::seconds(1)) {  // by then most are full again
      std::erase_if(buckets_, [&](auto const& each) { return each.second.is_full(per_second_, n.at); });
      tidied_ = n.at;
    }
    if (buckets_.size() >= most) return false;
    found = buckets_.emplace(key, token_bucket(per_second_, n.at)).first;
  }
  return found->second.take(per_second_, n.at);
}

COMCP_DECL void sampling_account::spend(incoming_request& r, std::uint64_t tokens) {
  std::scoped_lock const alone(mutex_);
  if (rounds_ >= bounds_.rounds() || tokens > bounds_.tokens() - tokens_)
    throw exception(refused_sampling("The budget for sampling is spent"));
  ++rounds_;
  tokens_ += tokens;
  r.kept[this] = std::make_shared<std::uint64_t>(tokens);
}

COMCP_DECL void sampling_account::settle(incoming_request const& r, bool answered) {
  std::scoped_lock const alone(mutex_);
  auto const took = r.kept.find(this);
  // The model may be at work on one that was withdrawn.
  if (took == r.kept.end() || answered || r.about.cancelled()) return;
  --rounds_;
  tokens_ -= *std::static_pointer_cast<std::uint64_t>(took->second);
}

}  // namespace detail

COMCP_DECL incoming_hook rate_limit(unsigned per_second) {
  if (per_second == 0) throw exception(error(errc::invalid_argument, "a rate of nothing"));
  incoming_hook h;
  h.notified = [limiter = std::make_shared<detail::rate_limiter>(per_second)](incoming_notification& n) {
    return limiter->admits(n);
  };
  return h;
}

COMCP_DECL incoming_hook approve(std::function<asio::awaitable<bool>(incoming_request const&)> ask) {
  incoming_hook h;
  h.before = [ask = std::move(ask)](incoming_request& r) {
    bool const concerns = detail::asks_model(r.method) || detail::asks_user(r.method);
    return concerns ? detail::ask_first(ask, r) : detail::goes_on();
  };
  return h;
}

COMCP_DECL incoming_hook limit_sampling(sampling_budget bounds) {
  auto const account = std::make_shared<detail::sampling_account>(bounds);
  incoming_hook h;
  h.before = [account](incoming_request& r) {
    if (detail::asks_model(r.method)) account->spend(r, detail::max_tokens_of(r));
    return detail::goes_on();
  };
  h.after = [account](incoming_request const& r, result<json::fragment>& outcome) {
    if (detail::asks_model(r.method)) account->settle(r, outcome.has_value());
    return detail::no_more();
  };
  return h;
}

COMCP_DECL incoming_hook require_origin() {
  incoming_hook h;
  h.before = [](incoming_request& r) {
    bool const must = detail::asks_model(r.method) || detail::asks_user(r.method) || r.method == "roots/list";
    if (must && !r.about.belongs_to_call())
      throw exception(error::from_peer({-32602, "Invalid params: " + r.method + " belongs to no request of the client", {}}));
    return detail::goes_on();
  };
  return h;
}

}  // namespace comcp
