// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Ready hooks for connect_options().intercept(): what a server may ask for, how often, and when. Each is one object for
// all connections that are given the same options, on any threads: a server that comes back has no fresh budget.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

#include <comcp/client/incoming.hpp>

namespace comcp {

/// Lets through, each second, so many progress notifications of each call, and so many log messages; more are dropped, and
/// counted by statistics(). A call whose timeout progress extends is extended by what is let through.
/// Errors, thrown: invalid_argument for zero.
[[nodiscard]] incoming_hook rate_limit(unsigned per_second);

/// Asks before each sampling (create_message) and each elicitation; `ask` may take its time. False refuses: sampling with
/// the specification's error -1, an elicitation with "decline", or with error -1 where it was to be a task of 2025-11-25
/// (see serve_tasks()), of which there then is none. What `ask` throws is answered as if a handler threw it.
[[nodiscard]] incoming_hook approve(std::function<asio::awaitable<bool>(incoming_request const&)> ask);

/// What a server may have sampled in all; more is answered with error -1. Samplings that the handler
/// or another hook refused count for nothing; those that the server withdrew count, and those that it made tasks of
/// (serve_tasks()), however these end: a hook sees no more of them than that they began.
class sampling_budget {
 public:
  sampling_budget() {}
  /// The sum of the requests' maxTokens (default: no bound). What a model really wrote is not told.
  sampling_budget& tokens(std::uint64_t n) { return tokens_ = n, *this; }
  /// Requests, each a round of the model (default: no bound).
  sampling_budget& rounds(std::uint64_t n) { return rounds_ = n, *this; }

  [[nodiscard]] std::uint64_t tokens() const noexcept { return tokens_; }
  [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_; }

 private:
  std::uint64_t tokens_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t rounds_ = std::numeric_limits<std::uint64_t>::max();
};
[[nodiscard]] incoming_hook limit_sampling(sampling_budget bounds);

/// Refuses, with -32602, samplings, elicitations and roots/list that belong to no call of ours, as
/// context::belongs_to_call() has it. Versions to 2025-11-25 allow them ("SHOULD be unrelated" even on the stream that is
/// no call's), so this is by choice; the modern era has none. What a server asks about its tasks (tasks/get and the like)
/// passes, as a task outlives the call that it was made in.
/// Specification: SEP-2260.
[[nodiscard]] incoming_hook require_origin();

namespace detail {

/// So many a second, and as many at once.
class token_bucket {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  token_bucket(unsigned per_second, time_point now) noexcept : left_(per_second), at_(now) {}
  bool take(unsigned per_second, time_point now) noexcept {
    left_ = level(per_second, now);
    at_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }
  /// As good as a new one.
  [[nodiscard]] bool is_full(unsigned per_second, time_point now) const noexcept {
    return level(per_second, now) >= per_second;
  }

 private:
  [[nodiscard]] double level(unsigned per_second, time_point now) const noexcept {
    std::chrono::duration<double> const passed = now - at_;
    double const more = left_ + passed.count() * per_second;
    return more < per_second ? more : per_second;
  }
  double left_;
  time_point at_;
};

class rate_limiter {
 public:
  explicit rate_limiter(unsigned per_second) noexcept : per_second_(per_second) {}
  bool admits(incoming_notification const& n);

 private:
  using whose = std::pair<std::uint64_t, request_id>;  // client, and call; 0 for log messages
  static constexpr std::size_t most = 65536;            // whose rate is known at once
  unsigned const per_second_;
  std::mutex mutex_;
  std::map<whose, token_bucket> buckets_;
  token_bucket::time_point tidied_{};
};

class sampling_account {
 public:
  explicit sampling_account(sampling_budget bounds) noexcept : bounds_(bounds) {}
  /// Throws what the server is to get where that is more than is left.
  void spend(incoming_request& r, std::uint64_t tokens);
  void settle(incoming_request const& r, bool answered);

 private:
  sampling_budget const bounds_;
  std::mutex mutex_;
  std::uint64_t tokens_ = 0, rounds_ = 0;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/guards.ipp>
#endif
