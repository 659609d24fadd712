// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One call on its way: what it sends, who waits for it, how its end is told. Internal to the core.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/call_options.hpp>
#include <comcp/client/waiter.hpp>
#include <comcp/json/value.hpp>
#include <comcp/later.hpp>
#include <comcp/result.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/wire/method.hpp>

namespace comcp::detail {

using reply = result<json::value>;

struct pending_entry;

/// What the server answered to a call before, and whether nothing is left of it there when the call ends.
struct earlier_answer {
  explicit earlier_answer(json::value v) noexcept : value(std::move(v)) {}
  json::value const value;
  bool settled = false;
};

/// What an operation prepared: it owns everything, so that it can be started later and elsewhere.
struct prepared_call {
  prepared_call(wire::method m, std::string p, call_options o) : method(std::move(m)), params(std::move(p)), options(std::move(o)) {}

  wire::method method;
  std::string params;    // an object's text, or empty
  call_options options;
  error unusable;        // what is wrong with it from the start; the call ends with it
  bool repeatable = false;  // lists and reads: may be sent again after a broken connection
  bool internal = false;    // handshake, keep-alive: no capability check, no interceptors, no limit
  bool outdated = false;    // it was answered by what a change or its age had made stale
  waiter_room* room = nullptr;  // in the frame of who waits for all of it
  std::function<bool(std::string_view method, json::view result)> const* claims = nullptr;  // results that a step takes as they are
  std::shared_ptr<earlier_answer> earlier;  // it goes on from there, nothing is sent
  bool handed_over = false;  // what a step claims goes to the caller as it is
  bool is_seen_to = false;   // where its caller leaves it: by a step, so that the server is not told
  bool counted = false;     // its interceptors' entry has its place under limits().pending_calls()
  mutable std::chrono::steady_clock::time_point started{};  // when the first round trip began
  mutable call_outcome outcome = call_outcome::not_sent;    // of its attempts so far, as the table of calls knows them
  std::shared_ptr<request_id> told_id;  // gets that of its last request, where somebody wants to know
  mutable bool sent_modern = false;  // it went out last in the modern era's way
};

/// Whether a step of its way takes this result, whatever its type.
[[nodiscard]] inline bool is_claimed(prepared_call const& c, json::view result) {
  return c.claims && (*c.claims)(c.method.name(), result);
}

/// What is known of a call that ended between its attempts, or before the first.
[[nodiscard]] inline error judged(prepared_call const& c, error why) {
  if (why.states_outcome()) return why;
  return why.with_outcome(c.outcome == call_outcome::not_sent ? c.outcome : std::max(c.outcome, why.outcome()));
}

/// The table of pending calls, for those that are in it.
class call_table {
 public:
  /// Whoever waits for it goes away before its end. The server is told of a request that it works on.
  virtual void withdraw(pending_entry& e) noexcept = 0;

 protected:
  ~call_table() = default;
};

/// One entry of the table of pending calls: a request on the wire, or a wait of our own. Lives in the frame of
/// the coroutine that waits, or with what several share, and leaves the table with it at the latest.
struct pending_entry {
  /// What ends it at the latest: the loss of the connection, that of the client, or nothing before all else has ended.
  enum class span : unsigned char { connection, client, last };

  pending_entry() = default;
  explicit pending_entry(span s) noexcept : lasts(s) {}
  pending_entry(pending_entry const&) = delete;
  pending_entry& operator=(pending_entry const&) = delete;
  ~pending_entry() {
    if (id) leave();
  }
  /// Out of the table without an end.
  void leave() noexcept { table->withdraw(*this); }

  request_id id = 0;
  call_table* table = nullptr;  // while `id` is not 0
  waiter_room room;             // for `waiting`
  waiter<reply> waiting;
  std::function<void(reply)> on_end;    // instead of a waiting coroutine
  reply (*told)(pending_entry& e, reply&& r) = nullptr;  // what its end is for who waits, where that is not its end itself
  prepared_call const* call = nullptr;  // null: a wait of our own
  bool sent = false;
  bool handshake = false;
  bool by_id = false;  // who waits is cancelled by calls::cancel() alone
  bool open_ended = false;  // its end is the server's
  bool renewed = false;  // it waited for a new session once
  span lasts = span::connection;
  struct {
    pending_entry* older = nullptr;
    pending_entry* younger = nullptr;
    std::chrono::steady_clock::time_point since{};
  } age;  // in by_age
  std::unique_ptr<std::stop_callback<std::function<void()>>> stop;
};

}  // namespace comcp::detail
