// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/client/negotiation.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL negotiation::negotiation(client_core& core)
    : core_(core), machine_(core.settings.handshake, std::chrono::system_clock::now()) {
  probe_.internal = init_.internal = true;
}

COMCP_LAZY_DECL asio::awaitable<result<void>> negotiation::run(std::optional<saved_session> saved,
                                                               std::chrono::nanoseconds timeout) {
  auto const hold = shared_from_this();
  if (!core_.connection.clock().enlist(done_, timeout)) co_return error(errc::queue_full);
  if (saved) resume(*saved);
  else take(machine_.start());
  if (!outcome_) {
    auto const waited = co_await core_.calls.wait(done_);
    if (!outcome_ && !waited) {
      outcome_ = waited.error() == errc::timeout ? error(errc::timeout, "the handshake was not finished in time")
                                                 : waited.error();
    }
  }
  drop_all();
  co_return *outcome_;
}

COMCP_LAZY_DECL void negotiation::drop_all() noexcept {
  for (auto* const e : {&probe_entry_, &initialize_entry_, &probe_timer_, &done_}) core_.calls.withdraw(*e);
}

COMCP_LAZY_DECL void negotiation::closed(error const& reason) { take(machine_.closed(reason)); }

COMCP_LAZY_DECL void negotiation::settle(error why) {
  if (outcome_) return;
  outcome_ = why ? result<void>(std::move(why)) : result<void>();
  if (done_.id) core_.calls.end(done_.id, json::value());
}

COMCP_LAZY_DECL void negotiation::take(sansio::handshake_step const& step) {
  using action = sansio::handshake_step::action;
  switch (step.what) {
    case action::wait: return;
    case action::discover: return probe(*step.version);
    case action::initialize: return initialize(*step.version);
    case action::reopen: return core_.spawn(reopen());
    case action::fail: return settle(step.why);
    case action::ready:
      if (step.version->era() == era::modern) {
        codec_ = core_.introduction.modern(*step.version);
        if (machine_.from_prior()) discovered_ = core_.settings.handshake.prior->discovered;
      } else {
        codec_ = std::make_unique<wire::legacy>(*step.version);
      }
      commit();
      return settle({});
  }
}

// What callers see of it, in one step.
COMCP_LAZY_DECL void negotiation::commit() {
  auto& f = core_.facts;
  f.codec = std::move(codec_);
  f.era_learned = from_prior() ? core_.settings.handshake.prior->date : std::chrono::system_clock::now();
  if (!f.is_modern()) {
    f.info = agreed_->server_info;
    f.capabilities = agreed_->capabilities;
    f.instructions = agreed_->instructions.value_or("");
    f.discovered.reset();
    f.initialize_result = initialize_result_;
  } else if (discovered_) {
    f.discovered = std::move(discovered_);
    f.capabilities = f.discovered->capabilities;
    f.instructions = f.discovered->instructions.value_or("");
    if (auto const info = server_info_of(f.discovered->meta)) f.info = *info;
  }
}

COMCP_LAZY_DECL std::function<void(reply)> negotiation::then(void (negotiation::*next)(reply const&)) {
  return [weak = weak_from_this(), next](reply r) {
    if (auto const alive = weak.lock()) ((*alive).*next)(r);
  };
}

COMCP_LAZY_DECL void negotiation::send(prepared_call& c, pending_entry& e) {
  core_.calls.withdraw(e);
  e.call = &c;
  e.handshake = true;
  core_.connection.clock().enlist(e, core_.settings.handshake_timeout);
}

COMCP_LAZY_DECL void negotiation::probe(protocol_version v) {
  codec_ = core_.introduction.modern(v);
  probe_entry_.on_end = then(&negotiation::probed);
  send(probe_, probe_entry_);
  core_.calls.withdraw(probe_timer_);
  probe_timer_.on_end = [weak = weak_from_this()](reply const& r) {
    auto const alive = weak.lock();
    if (alive && r.error() == errc::timeout) alive->take(alive->machine_.probe_timed_out());
  };
  // Silence of a process says it is legacy.
  if (!core_.is_http()) core_.calls.enlist(probe_timer_, core_.settings.probe_timeout);
  if (auto const sent = core_.outbound.transmit(probe_entry_, *codec_); !sent) settle(sent.error());
}

COMCP_LAZY_DECL void negotiation::probed(reply const& r) {
  core_.calls.withdraw(probe_timer_);
  if (!r) return take(machine_.discover_failed(r.error()));
  auto found = json::read<discover_result>(r->view());
  if (!found) return take(machine_.discover_failed(error::from_peer({-32603, "no DiscoverResult", {}})));
  auto const step = machine_.discovered(found->supported_versions);
  discovered_ = std::move(*found);
  take(step);
}

COMCP_LAZY_DECL void negotiation::initialize(protocol_version v) {
  codec_ = std::make_unique<wire::legacy>(v);
  init_.params = core_.introduction.initialize(v);
  initialize_entry_.on_end = then(&negotiation::initialized);
  send(init_, initialize_entry_);
  if (auto const sent = core_.outbound.transmit(initialize_entry_, *codec_); !sent) settle(sent.error());
}

COMCP_LAZY_DECL void negotiation::initialized(reply const& r) {
  if (!r) return take(machine_.initialize_failed(r.error()));
  auto const named = r->view().find("protocolVersion");
  auto const step = machine_.initialized(named ? std::string(named->get_string().value_or("")) : std::string());
  auto found = json::read<initialize_result>(r->view());
  if (step.what == sansio::handshake_step::action::ready) {
    if (!found) return settle(found.error().with_code(make_error_code(errc::protocol_violation)));
    agreed_ = std::move(*found);
    initialize_result_ = *r;
  }
  take(step);
}

COMCP_LAZY_DECL asio::awaitable<void> negotiation::reopen() {
  auto const hold = shared_from_this();
  auto const core = core_.shared_from_this();
  for (auto* const e : {&probe_entry_, &initialize_entry_, &probe_timer_}) core_.calls.withdraw(*e);
  auto const opened = co_await core_.connection.open_channel();
  if (outcome_) co_return;
  if (opened) take(machine_.reopened());
  else settle(opened.error());
}

COMCP_LAZY_DECL void negotiation::resume(saved_session const& saved) {
  auto text = saved.initialize_result;
  auto const raw = json::parse(pad(text));
  auto agreed = raw ? json::read<initialize_result>(raw->view()) : result<initialize_result>(error(errc::invalid_json));
  auto const named = agreed ? raw->view().find("protocolVersion") : std::nullopt;
  auto const version = named ? protocol_version::parse(named->get_string().value_or("")) : std::nullopt;
  if (!version || version->era() != era::legacy || saved.id.empty())
    return settle(error(errc::invalid_argument, "not a session that client.session() gave"));
  codec_ = std::make_unique<wire::legacy>(*version);
  agreed_ = std::move(*agreed);
  initialize_result_ = *raw;
  resumed_ = true;
  commit();
  settle({});
}

}  // namespace comcp::detail
