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

COMCP_DECL void client_core::label(outgoing& message) const {
  message.stateless = is_modern();
  if (!codec_) return;
  message.headers.emplace_back("MCP-Protocol-Version", codec_->version().text());
  if (message.method.empty()) return;
  message.established = !is_modern() && message.method == "notifications/initialized";
  if (!is_modern()) return;
  if (auto mirrors = wire::request_headers(codec_->version(), message.method, std::nullopt))
    message.headers = std::move(*mirrors);
}

COMCP_DECL result<void> client_core::label(outgoing& message, detail::pending_entry const& e,
                                           wire::codec const& codec) const {
  auto const& c = *e.call;
  message.repeatable = c.repeatable || c.options.is_idempotent() || e.handshake;
  message.stateless = codec.is_modern();
  if (!message.stateless) {
    if (!e.handshake) message.headers.emplace_back("MCP-Protocol-Version", codec.version().text());
    return {};
  }
  auto const name = wire::name_in(c.method, c.params);  // of what goes out, whoever wrote it
  auto mirrors = wire::request_headers(codec.version(), message.method, name);
  if (!mirrors) return mirrors.error();
  message.headers = std::move(*mirrors);
  if (c.method != "tools/call") return {};
  auto arguments = mirrored(c, *name);
  if (!arguments) return arguments.error();
  for (auto& header : *arguments) message.headers.push_back(std::move(header));
  return {};
}

// Specification: 2026-07-28, basic/transports/streamable-http#custom-headers-from-tool-parameters
COMCP_DECL result<wire::header_list> client_core::mirrored(detail::prepared_call const& c, std::string const& tool) const {
  std::vector<wire::param_header> given;
  auto const* wanted = &given;
  if (!c.options.input_schema().is_null()) {
    auto found = wire::find_param_headers(c.options.input_schema().view());
    if (!found) return found.error().with_code(make_error_code(errc::invalid_argument));
    given = std::move(*found);
  } else {
    auto const known = param_headers_.find(tool);
    if (known == param_headers_.end()) return wire::header_list();
    wanted = &known->second;
  }
  if (wanted->empty()) return wire::header_list();
  auto text = c.params;
  auto const params = json::parse(pad(text));
  if (!params) return params.error();
  auto const arguments = params->view().find("arguments");
  return wire::param_headers(*wanted, arguments.value_or(json::view()));
}

COMCP_DECL void client_core::adopt_tools(list_tools_result& page) {
  for (auto const& t : page.tools) {
    bool const wants_task = t.execution && t.execution->task_support == "required";
    if (!wants_task) task_tools_.erase(t.name);
    else if (task_tools_.size() < settings_.limits.items()) task_tools_.insert(t.name);
  }
  if (!is_http_ || !is_modern()) return;
  auto const unusable = [this, &page](tool const& t) {
    auto wanted = wire::find_param_headers(t.input_schema.view());
    if (!wanted) {
      comcp::set_aside broken;
      broken.raw = t.raw;
      broken.reason = "the tool " + t.name + ": " + std::string(wanted.error().message());
      page.set_aside.push_back(std::move(broken));
      param_headers_.erase(t.name);
      return true;
    }
    if (wanted->empty()) {
      param_headers_.erase(t.name);
    } else {
      param_headers_.insert_or_assign(t.name, std::move(*wanted));
    }
    return false;
  };
  std::erase_if(page.tools, unusable);
}

// After a -32020: whether the tool is still there, and usable. Within the call's own bounds.
COMCP_DECL asio::awaitable<bool> client_core::list_again(detail::prepared_call const& c) {
  auto const name = wire::name_in(c.method, c.params);
  call_options bounds;
  bounds.timeout(calls_.timeout(c.options)).extend_on_progress(false).stop(c.options.stop());
  bounds.hard_timeout(calls_.hard_limit(c.options));
  std::optional<std::string> from;
  for (std::size_t pages = 0; pages < settings_.limits.pages(); ++pages) {
    detail::prepared_call again("tools/list", from ? args("cursor", *from).text() : std::string(), bounds);
    again.started = c.started;
    again.internal = true;
    again.repeatable = true;
    auto const asked = checks_ ? checks_->moment() : 0;
    auto const r = co_await round_trip(again);
    if (!r) co_return false;
    auto page = json::read<list_tools_result>(r->view());
    if (!page) co_return false;
    adopt_tools(*page);
    if (checks_) checks_->learn(r->view(), asked);
    for (auto const& t : page->tools) {
      if (name == t.name) co_return true;
    }
    if (!page->next_cursor || page->next_cursor == from) co_return false;
    from = page->next_cursor;
  }
  co_return false;
}

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
    } else if (auto const bad = e.call->internal ? error() : check_offer(*e.call)) {
      calls_.end(id, bad);
    } else if (auto const sent = transmit(e); !sent) {
      calls_.end(id, sent.error());
    }
  }
  if (unsettled() || closing_ || end_reason_) return;
  calls_.wake(unsettled_, json::value());
  calls_.wake(restart_waits_, json::value());
}

// What is broken off may go out again under a new id only where the caller, or what it is, allows that.
COMCP_DECL bool client_core::may_repeat(detail::prepared_call const& c, error const& e) const {
  if (e.peer() || end_reason_ || closing_ || !(c.repeatable || c.options.is_idempotent())) return false;
  return restarting_ || (is_http_ && (e == errc::transport_failed || e == errc::idle_timeout));
}

COMCP_DECL std::optional<saved_session> client_core::session() const {
  if (!is_http_ || is_modern()) return {};
  saved_session s;
  s.id = transport_info().session_id;
  if (s.id.empty() || initialize_result_.is_null()) return {};
  s.initialize_result = initialize_result_.dump();
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
  era_learned_ = std::chrono::system_clock::now();
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
