// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What HTTP asks of the core beyond messages: headers that mirror them, sessions that are lost and renewed or saved
// and continued, verdicts that are remembered.
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/client/impl/negotiation.ipp>
#include <comcp/net/spawn.hpp>

namespace comcp {

COMCP_DECL bool client_core::awaits(request_id id) const {
  auto const* const found = calls_.table().find(id);
  return found && (*found)->call && (*found)->sent;
}

// The server refused the message unread, so that it may go out again in the new session; a second time it may not.
COMCP_DECL void client_core::session_lost(request_id id, error why) {
  auto const hold = shared_from_this();
  constexpr unsigned most = 2;  // without one answer in between
  auto const* const found = id ? calls_.table().find(id) : nullptr;
  bool const hopeless = !restarting_ && (status_ != connection_status::ready || renewals_in_a_row_ >= most);
  if (found && (*found)->call) {
    if (hopeless) renewals_in_a_row_ = 0;  // for the next call to try again
    auto& e = **found;
    if (hopeless || e.handshake || std::exchange(e.renewed, true)) {
      calls_.end(id, std::move(why));
    } else {
      e.sent = false;
      calls_.table().line_up(deferred_, id);
    }
  }
  if (!hopeless) renew();
}

COMCP_DECL void client_core::check_era() {
  if (!std::exchange(prior_unconfirmed_, false) || restarting_) return;
  forget_era();
  begin_renegotiation({});
}

COMCP_DECL void client_core::renew() {
  if (restarting_ || closing_ || end_reason_ || status_ != connection_status::ready) return;
  resumed_ = renewal_due_ = false;
  ++renewals_in_a_row_;
  // The server is known: no probe. Should it have become a modern one, its answer to initialize says so.
  auto known = verdict();
  known.date = std::chrono::system_clock::now();
  begin_renegotiation(std::move(known));
}

// On the connection as it is. Shared by all calls that wait for its outcome: none of them ends it.
COMCP_DECL void client_core::begin_renegotiation(std::optional<era_verdict> known) {
  restarting_ = true;
  set_status(connection_status::connecting);
  spawn(renegotiate(std::move(known)));
}

COMCP_DECL asio::awaitable<void> client_core::renegotiate(std::optional<era_verdict> known) {
  auto const hold = shared_from_this();
  bool const renews = known.has_value();
  auto const before = std::exchange(settings_.handshake.prior, std::move(known));
  begin_attempt();
  auto const done = co_await negotiate();
  settings_.handshake.prior = before;
  if (closing_ || end_reason_) co_return;
  restarting_ = false;
  if (!transport_open_) co_return lost(done ? error(errc::transport_failed, "lost while it was renewed") : done.error());
  if (!done) {
    if (!renews) prior_unconfirmed_ = is_modern();  // it may be checked again
    co_return renegotiation_failed(done.error());
  }
  calls_.counters().renewals += renews;
  error why;
  restoring_ = &why;
  co_await after_handshake();
  restoring_ = nullptr;
  if (closing_ || end_reason_) co_return;
  if (!std::exchange(restarting_, false)) co_return restored();
  lost(why);
}

// The connection is as it was: the next call tries again. Those that waited do not.
COMCP_DECL void client_core::renegotiation_failed(error const& why) {
  renewal_due_ = is_http_ && !is_modern();
  set_status(connection_status::ready);
  // Those that wait now: who resumes here may begin the next one, and wait for that.
  auto calls = std::exchange(deferred_, {});
  auto settling = std::exchange(unsettled_, {});
  auto restarts = std::exchange(restart_waits_, {});
  calls_.wake(calls, why);
  calls_.wake(settling, why);
  calls_.wake(restarts, why);
}

// What waited for a connection goes on.
COMCP_DECL void client_core::restored() {
  for (auto const id : std::exchange(deferred_, {})) {
    auto const* const found = calls_.table().find(id);
    if (!found) continue;
    auto& e = **found;
    if (unsettled()) {  // by whoever resumed here
      calls_.table().line_up(deferred_, id);
    } else if (auto const bad = e.call->internal ? error() : facts_.refuses(*e.call, settings_.check_capabilities)) {
      calls_.end(id, bad);
    } else if (auto const sent = transmit(e); !sent) {
      calls_.end(id, sent.error());
    }
  }
  if (unsettled() || closing_ || end_reason_) return;
  calls_.wake(unsettled_, json::value());
  calls_.wake(restart_waits_, json::value());
}

COMCP_DECL std::optional<saved_session> client_core::session() const {
  if (!is_http_ || is_modern()) return {};
  saved_session s;
  s.id = transport_info().session_id;
  if (s.id.empty() || facts_.initialize_result.is_null()) return {};
  s.initialize_result = facts_.initialize_result.dump();
  return s;
}

COMCP_DECL bool client_core::adopt_resumed(negotiation& n) {
  auto const saved = restarting_ ? std::nullopt : transport_.resumed();
  if (!saved) return false;
  auto text = saved->initialize_result;
  auto const raw = json::parse(pad(text));
  auto const agreed = raw ? json::read<initialize_result>(raw->view()) : result<initialize_result>(error(errc::invalid_json));
  auto const named = agreed ? raw->view().find("protocolVersion") : std::nullopt;
  auto const version = named ? protocol_version::parse(named->get_string().value_or("")) : std::nullopt;
  if (!version || version->era() != era::legacy || saved->id.empty()) {
    settle_handshake(n, error(errc::invalid_argument, "not a session that client.session() gave"));
    return true;
  }
  n.codec = std::make_unique<wire::legacy>(*version);
  n.initialized = *agreed;
  n.initialize_result = *raw;
  facts_.era_learned = std::chrono::system_clock::now();
  resumed_ = true;
  commit(n);
  settle_handshake(n, {});
  return true;
}

namespace detail {

COMCP_DECL std::string server_key(transport_info const& info) {
  return info.origin.empty() ? info.kind + ' ' + info.target : info.origin + ' ' + info.identity;
}

}  // namespace detail

COMCP_DECL void client_core::recall_era() {
  if (!settings_.eras || settings_.handshake.prior) return;
  settings_.handshake.prior = settings_.eras->find(detail::server_key(transport_info()));
}

COMCP_DECL void client_core::forget_era() {
  settings_.handshake.prior.reset();
  if (settings_.eras) settings_.eras->forget(detail::server_key(transport_info()));
}

COMCP_DECL void client_core::remember_era() {
  if (!settings_.eras) return;
  auto learned = verdict();
  learned.authorization = transport_info().identity;
  settings_.eras->store(detail::server_key(transport_info()), std::move(learned));
}

}  // namespace comcp
