// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What follows a loss: a restart, where there may be one, or a new handshake on the connection as it is, for a lost
// session or an era in doubt; and who waits for that. On home only. Internal.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/connection.hpp>
#include <comcp/client/era_memory.hpp>
#include <comcp/client/link.hpp>
#include <comcp/sansio/handshake.hpp>

namespace comcp {
class client_core;

namespace detail {
class recovery {
 public:
  recovery(client_core& core, connection& c, connect_settings& settings) noexcept
      : core_(core), connection_(c), eras_(settings, c.channel()) {}

  /// The connection is lost: it is begun again, or it is over.
  COMCP_LAZY void lost(error why);
  /// The same while it is being restored.
  void lost_again(error why) { lost_again_ = std::move(why); }
  [[nodiscard]] error const& lost_again() const noexcept { return lost_again_; }
  /// An unusable peer: ends the connection where another may follow, else the client.
  COMCP_LAZY void break_off(error reason);
  /// Begins connections anew; there from the start where a policy asks for that.
  COMCP_LAZY restarts_link& restarts(restarts_maker make);

  /// The server refused the message unread, so that it may go out again in the new session; a second time it may not.
  COMCP_LAZY void session_lost(request_id id, error why);
  /// Where the era is in doubt, the server is asked, once for all calls; they wait with settled().
  COMCP_LAZY void check_era();
  /// Whether the era comes from a saved verdict that nothing has shown to hold.
  [[nodiscard]] bool doubts_era() const noexcept { return prior_unconfirmed_; }
  /// It is overtaken by a new connection.
  void forget_renewal() noexcept { renewal_due_ = false; }
  void doubt_era(bool yes) noexcept { prior_unconfirmed_ = yes; }
  /// An answer came, of a call and not of a handshake alone: the connection works, and the verdict holds.
  COMCP_LAZY void answered(pending_entry const& e) noexcept;

  [[nodiscard]] era_memory& eras() noexcept { return eras_; }

  /// A call that begins: true when it waits for the connection to be sent.
  COMCP_LAZY bool defers(pending_entry const& e);
  /// Calls that begin wait until it is known what the server is.
  COMCP_LAZY [[nodiscard]] bool is_unsettled() const noexcept;
  /// Waits for that, as long as the call may.
  COMCP_LAZY asio::awaitable<error> settled(prepared_call const& c);
  /// What waited for a connection goes on.
  COMCP_LAZY void restored();

 private:
  COMCP_LAZY void renew();
  COMCP_LAZY void begin_renegotiation(std::optional<era_verdict> known);
  COMCP_LAZY asio::awaitable<void> renegotiate(std::optional<era_verdict> known);
  COMCP_LAZY void kept(error const& why);

  client_core& core_;
  connection& connection_;
  era_memory eras_;
  std::vector<request_id> deferred_;   // calls that wait for a connection to be sent
  std::vector<request_id> unsettled_;  // what waits for one otherwise
  std::unique_ptr<restarts_link> restarts_;
  error lost_again_;
  unsigned renewals_in_a_row_ = 0;
  bool renewal_due_ = false;        // the session is lost, and the last try to renew it failed
  bool prior_unconfirmed_ = false;
};

}  // namespace detail
}  // namespace comcp
