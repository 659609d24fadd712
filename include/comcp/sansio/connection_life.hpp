// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a connection stands, and what each event makes of that: one table, no flag beside it. Who drives it opens,
// negotiates, waits and closes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace comcp::sansio {

enum class life_state : std::uint8_t {
  idle,
  opening,        ///< The first time.
  negotiating,
  settling,       ///< The server is known, and told what it has to be told.
  ready,
  waiting,        ///< To be started again: the old transport closes, and a pause passes.
  restarting,     ///< The transport opens again.
  renewing,       ///< A new handshake on the connection as it is, for a new session or another era.
  renegotiating,  ///< That handshake, or the one after a restart.
  restoring,      ///< As settling.
  closing,
  closed,
};

enum class life_event : std::uint8_t {
  open,
  opened,
  negotiated,
  settled,
  lost,     ///< The connection or the attempt has failed, and another one follows.
  due,      ///< The pause is over.
  renew,
  kept,     ///< The new handshake failed, and the connection is as it was.
  close,
  end,      ///< It is over, however that came.
};

class connection_life {
 public:
  static constexpr std::size_t states = 12, events = 10;

  /// What the event makes of the state; itself where it means nothing there.
  [[nodiscard]] static constexpr life_state after(life_event e, life_state s) noexcept;

  /// False where it means nothing now.
  bool on(life_event e) noexcept {
    auto const next = after(e, state_);
    return std::exchange(state_, next) != next;
  }
  [[nodiscard]] life_state state() const noexcept { return state_; }
  [[nodiscard]] bool is(life_state s) const noexcept { return state_ == s; }
  /// It is known what the server is, or will be again: calls wait for that.
  [[nodiscard]] bool is_restarting() const noexcept {
    return state_ >= life_state::waiting && state_ <= life_state::renegotiating;
  }
  /// Nothing begins any more.
  [[nodiscard]] bool is_closing() const noexcept { return state_ >= life_state::closing; }

 private:
  life_state state_ = life_state::idle;
};

constexpr life_state connection_life::after(life_event e, life_state s) noexcept {
  using enum life_state;
  // idle, opening, negotiating, settling, ready, waiting, restarting, renewing, renegotiating, restoring, closing, closed
  constexpr std::array<std::array<life_state, states>, events> table = {{
      /* open       */ {opening, opening, negotiating, settling, ready, waiting, restarting, renewing, renegotiating, restoring, closing, closed},
      /* opened     */ {idle, negotiating, negotiating, settling, ready, waiting, renegotiating, renegotiating, renegotiating, restoring, closing, closed},
      /* negotiated */ {idle, opening, settling, settling, ready, waiting, restarting, renewing, restoring, restoring, closing, closed},
      /* settled    */ {idle, opening, negotiating, ready, ready, waiting, restarting, renewing, renegotiating, ready, closing, closed},
      /* lost       */ {idle, opening, negotiating, settling, waiting, waiting, waiting, waiting, waiting, waiting, closing, closed},
      /* due        */ {idle, opening, negotiating, settling, ready, restarting, restarting, renewing, renegotiating, restoring, closing, closed},
      /* renew      */ {idle, opening, negotiating, settling, renewing, waiting, restarting, renewing, renegotiating, restoring, closing, closed},
      /* kept       */ {idle, opening, negotiating, settling, ready, waiting, restarting, ready, ready, restoring, closing, closed},
      /* close      */ {closing, closing, closing, closing, closing, closing, closing, closing, closing, closing, closing, closed},
      /* end        */ {closed, closed, closed, closed, closed, closed, closed, closed, closed, closed, closed, closed},
  }};
  return table[static_cast<std::size_t>(e)][static_cast<std::size_t>(s)];
}

}  // namespace comcp::sansio
