// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Completion while somebody types: of rapid questions only the newest is sent, and an answer is used again for a while.
// What a question is, and what it may fail with, is client.complete()'s. Only who includes this pays for it.
// Spec: https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion (Implementation Considerations)
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/client/client.hpp>
#include <comcp/client/tenant.hpp>
#include <comcp/net/gate.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/result.hpp>
#include <comcp/timespan.hpp>

namespace comcp {

class completer_options {
 public:
  completer_options() {}
  /// How long a question waits for a newer one before it is sent (default 150 ms); zero: not at all.
  completer_options& delay(timespan d) { return delay_ = d, *this; }
  /// How long an answer is used again (default 1 min); zero: never.
  completer_options& ttl(timespan d) { return ttl_ = d, *this; }
  /// How many answers are kept (default 64), the least recently used go first. Answers above 64 KiB are not kept.
  completer_options& entries(std::size_t most) { return entries_ = most, *this; }
  /// Of each request: its timeout, `_meta`, ...
  completer_options& call(call_options o) { return call_ = std::move(o), *this; }
  /// Default: steady_time(). Give the client's own, if it has another.
  completer_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }

  [[nodiscard]] std::chrono::nanoseconds delay() const noexcept { return delay_; }
  [[nodiscard]] std::chrono::nanoseconds ttl() const noexcept { return ttl_; }
  [[nodiscard]] std::size_t entries() const noexcept { return entries_; }
  [[nodiscard]] call_options const& call() const noexcept { return call_; }
  [[nodiscard]] auto const& time() const noexcept { return time_; }

 private:
  std::chrono::nanoseconds delay_ = std::chrono::milliseconds(150);
  std::chrono::nanoseconds ttl_ = std::chrono::minutes(1);
  std::size_t entries_ = 64;
  call_options call_;
  std::shared_ptr<time_source> time_;
};

namespace detail {

/// Answers by their questions' texts, for a while.
class completion_cache {
 public:
  using time_point = time_source::time_point;

  completion_cache(std::size_t most, std::chrono::nanoseconds ttl) : most_(most), ttl_(ttl) {}
  [[nodiscard]] std::optional<complete_result> find(std::string_view key, time_point now);
  void store(std::string key, complete_result const& answer, time_point now);
  void clear() noexcept;

 private:
  struct entry {
    entry(std::string k, complete_result a, time_point u) : key(std::move(k)), answer(std::move(a)), until(u) {}
    std::string key;
    complete_result answer;
    time_point until;
  };
  void erase(std::list<entry>::iterator e);

  std::size_t most_;
  std::chrono::nanoseconds ttl_;
  std::list<entry> entries_;  // the last used first
  std::map<std::string_view, std::list<entry>::iterator> places_;
};

class completer_core final : private tenant_of<completer_core>, public std::enable_shared_from_this<completer_core> {
 public:
  COMCP_LAZY completer_core(std::shared_ptr<client_link> const& link, completer_options options);

  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }
  COMCP_LAZY void abandon() noexcept;  ///< From any thread.

  // On home.
  COMCP_LAZY asio::awaitable<std::optional<complete_result>> ask(complete_params what);
  void forget() noexcept {
    cache_.clear();
    ++times_forgotten_;
  }

 private:
  using outcome = result<std::optional<complete_result>>;
  struct question {
    question(asio::any_io_executor const& home, std::string k, complete_params w)
        : key(std::move(k)), what(std::move(w)), ended(home) {}
    std::string key;
    complete_params what;
    gate ended;
    asio::cancellation_signal signal;  // of what waits to send it, and of the request
    std::size_t waiting = 0;
    std::size_t asked_after = 0;  // so many times of forgetting
    bool over = false;
    outcome answer;  // none: a newer question came
  };

  COMCP_LAZY std::shared_ptr<question> board(std::string key, complete_params what);
  COMCP_LAZY static asio::awaitable<void> send(std::shared_ptr<completer_core> self, std::shared_ptr<question> q);
  COMCP_LAZY void end(question& q, outcome o) noexcept;
  COMCP_LAZY void call_off(std::shared_ptr<question> q, outcome o);
  friend tenant_of<completer_core>;
  COMCP_LAZY void lose_context() noexcept;

  completer_options const options_;
  std::shared_ptr<time_source> const time_;
  client const client_;  // does not own the connection
  completion_cache cache_;
  std::shared_ptr<question> current_;
  std::size_t times_forgotten_ = 0;
  bool closed_ = false;
};

}  // namespace detail

/// Completion for one place where somebody types. Of questions that come one upon another only the newest matters: an older
/// one ends at once with nothing, and what of it was sent already is cancelled, so that at most one request is under way.
/// The same question asked again while it waits or is under way is asked once, and answers both; the answer is used again
/// within its time. Errors are not kept.
///
/// Holds the client's connection without owning it. Move-only; one that was moved from may only be assigned to or
/// destroyed. Destroying it ends who waits with errc::closed. It may be made, used and destroyed on any thread, as a client
/// may; what it does runs on the client's executor.
class completer {
 public:
  /// Throws errc::closed where the client is not connected.
  COMCP_LAZY explicit completer(client_base const& c, completer_options options = completer_options());
  completer(completer&&) noexcept = default;
  completer& operator=(completer&&) noexcept = default;

  /// The completions of an argument whose text is `value` so far; `context` has the arguments that are settled. Nothing where
  /// a newer question came before the answer (newer is what begins later). Resumes on the caller's executor; cancelling the
  /// last one that waits cancels the request. Errors: those of client.complete().
  COMCP_LAZY [[nodiscard]] asio::awaitable<std::optional<complete_result>> complete(
      completion_reference ref, std::string argument, std::string value,
      completion_context context = completion_context()) const;

  /// Answers that are kept are used no more: the prompts or resources changed, for instance. Takes effect on the client's
  /// executor.
  COMCP_LAZY void clear() const;

 private:
  std::shared_ptr<detail::completer_core> core_;
  std::shared_ptr<void> end_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/completer.ipp>
#endif
