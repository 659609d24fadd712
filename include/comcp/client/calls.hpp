// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What waits: requests on the wire and waits of our own, each with its deadline, and the one way in which each of them
// ends. It knows no method and no version. On home only. Internal.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_type.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/capacity.hpp>
#include <comcp/client/counters.hpp>
#include <comcp/client/options.hpp>
#include <comcp/client/overlap_guard.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/sansio/pending_calls.hpp>

namespace comcp::detail {

class calls final : public call_table {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Whose calls they are.
  class owner {
   public:
    /// Keeps them alive.
    [[nodiscard]] virtual std::shared_ptr<void> itself() noexcept = 0;
    /// This one ends before its answer: whoever works on it may stop. Without a reason, the caller's own holds.
    virtual void given_up(request_id id, pending_entry const& e, std::string_view why) = 0;

   protected:
    ~owner() = default;
  };

  COMCP_LAZY calls(owner& o, asio::any_io_executor const& home, connect_settings const& settings,
                   std::shared_ptr<time_source> time);

  /// A wait of our own. 0 where there is no room.
  COMCP_LAZY request_id enlist(pending_entry& e, std::chrono::nanoseconds timeout);
  COMCP_LAZY request_id enlist(pending_entry& e, time_point now, std::chrono::nanoseconds timeout, time_point hard,
                               bool extra);
  /// A call with the timeouts that its options ask for; it counts from now on.
  COMCP_LAZY result<void> enlist(pending_entry& e, prepared_call const& c);
  /// Before wait(): a stop that was requested already is posted.
  COMCP_LAZY void end_with(std::stop_token const& stop, pending_entry& e);
  /// Must follow at once. `room`: for one that may be completed after its entry is gone.
  COMCP_LAZY asio::awaitable<reply> wait(pending_entry& e, waiter_room* room = nullptr);
  /// As long as the call may; cancelling it stops only the waiting.
  COMCP_LAZY asio::awaitable<error> wait_in(std::vector<request_id>& line, prepared_call const& c);

  COMCP_LAZY void end(request_id id, reply&& r);
  /// What may only be cancelled as long as it had no effect goes on once it was sent.
  COMCP_LAZY void cancel(request_id id, asio::cancellation_type how = asio::cancellation_type::terminal);
  COMCP_DECL void withdraw(pending_entry& e) noexcept override;
  COMCP_LAZY void wake(std::vector<request_id>& line, reply const& r);

  /// What the loss of a connection leaves alone: where another one follows, what was not sent yet, and what makes that.
  enum class spared : unsigned char { nothing, unsent, unsent_and_handshake };
  /// Ends what waits now and lasts so long: a caller that resumes inside may begin the next one.
  COMCP_LAZY void fail(error const& reason, pending_entry::span those, spared left);
  /// The context is gone: nobody is resumed.
  COMCP_LAZY void shut_down() noexcept;
  /// Nothing is timed any more.
  COMCP_LAZY void disarm() noexcept;

  /// All clocks but the hard ones, until they are let go as often.
  COMCP_LAZY void hold_clocks(bool yes);
  /// Progress came: the timeout begins anew.
  COMCP_LAZY void extend(request_id id);

  [[nodiscard]] auto const& table() const noexcept { return table_; }
  [[nodiscard]] time_point now() const noexcept { return time_->now(); }
  COMCP_LAZY [[nodiscard]] std::chrono::nanoseconds timeout(call_options const& o) const;
  /// The age at which a call ends whatever progress says: never below its timeout.
  COMCP_LAZY [[nodiscard]] std::chrono::nanoseconds hard_limit(call_options const& o) const;
  [[nodiscard]] call_records& counters() noexcept { return counters_; }
  /// Who waits for a place; null where nobody ever did.
  [[nodiscard]] std::unique_ptr<capacity_link>& room() noexcept { return room_; }
  [[nodiscard]] overlap_guard& guard() noexcept { return guard_; }

 private:
  struct cancel_hook;
  struct cancel_request;
  COMCP_LAZY pending_entry* take(request_id id) noexcept;
  COMCP_LAZY void arm();
  COMCP_LAZY void expire();

  owner& owner_;
  asio::any_io_executor const& home_;  // empty once its context is gone
  connect_settings const& settings_;
  std::shared_ptr<time_source> const time_;
  std::unique_ptr<deadline> deadline_;  // null once the context is gone
  std::optional<time_point> armed_;
  sansio::pending_calls<pending_entry*> table_;
  call_records counters_;
  std::unique_ptr<capacity_link> room_;
  overlap_guard guard_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/calls.ipp>
#endif
