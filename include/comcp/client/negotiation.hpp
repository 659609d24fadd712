// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A handshake under way: what is sent and waited for, as sansio/handshake decides. Until it is done the connection is
// what it was before. On home only. Internal.
#pragma once

#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/sansio/handshake.hpp>
#include <comcp/wire/codec.hpp>

namespace comcp {
class client_core;

namespace detail {

class negotiation : public std::enable_shared_from_this<negotiation> {
 public:
  COMCP_LAZY explicit negotiation(client_core& core);
  negotiation(negotiation const&) = delete;
  negotiation& operator=(negotiation const&) = delete;

  /// Goes on with a saved session where there is one, else asks. What it found is the core's when it is done.
  COMCP_LAZY asio::awaitable<result<void>> run(std::optional<saved_session> saved, std::chrono::nanoseconds timeout);
  COMCP_LAZY void closed(error const& reason);
  [[nodiscard]] bool is_over() const noexcept { return outcome_.has_value(); }
  [[nodiscard]] bool has_resumed() const noexcept { return resumed_; }
  [[nodiscard]] bool from_prior() const noexcept { return machine_.from_prior(); }
  /// Whether what it asked last was asked in the modern era's way.
  [[nodiscard]] bool asks_modern() const noexcept { return codec_ && codec_->is_modern(); }

 private:
  COMCP_LAZY void take(sansio::handshake_step const& step);
  COMCP_LAZY void probe(protocol_version v);
  COMCP_LAZY void probed(reply const& r);
  COMCP_LAZY void initialize(protocol_version v);
  COMCP_LAZY void initialized(reply const& r);
  COMCP_LAZY void send(prepared_call& c, pending_entry& e);
  COMCP_LAZY asio::awaitable<void> reopen();
  COMCP_LAZY void resume(saved_session const& saved);
  COMCP_LAZY void commit();
  COMCP_LAZY void settle(error why);
  COMCP_LAZY void drop_all() noexcept;
  /// Calls the member with what it ends with, while this lives.
  COMCP_LAZY [[nodiscard]] std::function<void(reply)> then(void (negotiation::*next)(reply const&));

  client_core& core_;
  sansio::handshake machine_;
  prepared_call probe_{"server/discover", {}, {}};
  prepared_call init_{"initialize", {}, {}};
  pending_entry probe_entry_, initialize_entry_, probe_timer_, done_;
  std::optional<result<void>> outcome_;
  bool resumed_ = false;

  // What it found.
  std::unique_ptr<wire::codec> codec_;
  std::optional<discover_result> discovered_;
  std::optional<initialize_result> agreed_;
  json::value initialize_result_;  // the same, as it came
};

}  // namespace detail
}  // namespace comcp
