// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What an answer or a failure means for its call, decided from facts alone. Who drives it waits, asks and sends.
#pragma once

#include <cstddef>
#include <cstdint>

#include <comcp/error.hpp>
#include <comcp/wire/codec.hpp>

namespace comcp::sansio {

/// What to do with a call that was sent, and what came.
enum class call_action : std::uint8_t {
  deliver,         ///< It has ended: with what came.
  show_pages,      ///< Show the user the pages that a -32042 names, then send it again.
  give_up_pages,   ///< It came twice: end with errc::url_elicitation_required.
  check_era,       ///< Find out whether the saved verdict still holds, then send it again where that may be.
  list_again,      ///< List the tools, and send it again if this one is still among them.
  follow_version,  ///< Go over to a version that the error names, and send it again; or end with no_common_version.
  send_again,      ///< What was broken off goes out once more.
  renew,           ///< It waits for a new session, then goes out once more.
  hand_over,       ///< The caller answers this round.
  answer,          ///< Ask the handler what the server asks for, and send it again with the answers.
  too_many_rounds,
};

/// What holds when it came.
struct call_facts {
  call_facts() = default;
  bool modern = false;
  bool http = false;
  bool era_in_doubt = false;  ///< The era was taken from a saved verdict that nothing has shown to hold.
  bool may_repeat = false;    ///< It was broken off, and sending it twice does no harm.
  bool is_tool = false;       ///< It is a tools/call.
  bool manual = false;        ///< Rounds are the caller's.
};

/// What holds when the server refused something unread, as it knows its session no more.
struct session_facts {
  session_facts() = default;
  bool ready = false;       ///< Nothing else is being done about the connection.
  bool restarting = false;  ///< It is being replaced, and the session with it.
  unsigned renewals = 0;    ///< Without an answer since.
};

/// Whether a new session can be hoped for.
[[nodiscard]] bool may_renew(session_facts const& now) noexcept;
/// The call that was refused: renew or deliver. It was `renewed` where it has waited for one before.
[[nodiscard]] call_action session_lost(session_facts const& now, bool handshake, bool renewed) noexcept;

/// One call. Each of its ways to go on is bounded.
class call_life {
 public:
  explicit call_life(std::size_t most_rounds) noexcept : rounds_left_(most_rounds) {}

  [[nodiscard]] call_action failed(error const& e, call_facts const& now) noexcept;
  [[nodiscard]] call_action answered(wire::result_kind kind, call_facts const& now) noexcept;

 private:
  static constexpr unsigned most_repeats = 3;

  std::size_t rounds_left_;
  unsigned repeats_ = 0;
  bool pages_shown_ = false, listed_ = false, followed_ = false;  // each of these helps once
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/sansio/impl/call_life.ipp>
#endif
