// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <comcp/json/value.hpp>
#include <comcp/later.hpp>
#include <comcp/transport/http_link.hpp>

namespace comcp::detail {

COMCP_DECL void http_activity::give_up() noexcept {
  given_up = true;
  try {
    signal.emit(asio::cancellation_type::terminal);
  } catch (...) {
    // An engine whose cancellation throws ends by its own deadlines.
  }
}

COMCP_DECL common_headers with_types_of_post(http_headers const& own) {
  auto const headers = std::make_shared<http_headers>(own);
  (void)headers->add("Content-Type", "application/json");
  (void)headers->add("Accept", "application/json, text/event-stream");
  return headers;
}

COMCP_DECL http_labels::http_labels(http_options const& options)
    : own_(options.headers()), post_(with_types_of_post(options.headers())) {
  if (!options.resumed()) return;
  session_ = options.resumed()->id;
  auto text = options.resumed()->initialize_result;
  auto const agreed = json::parse(pad(text));
  auto const version = agreed ? agreed->view().find("protocolVersion") : std::nullopt;
  if (version) version_ = version->get_string().value_or("");
}

COMCP_DECL result<void> http_labels::check_resumed() {
  if (sansio::is_session_id(session_) && !version_.empty()) return {};
  session_.clear();
  return error(errc::invalid_argument, "not a session that client.session() gave");
}

COMCP_DECL result<bool> http_labels::adopt_session(http_headers const& got) {
  auto const* const id = got.find("Mcp-Session-Id");
  if (!id) return false;
  if (!sansio::is_session_id(*id)) return error(errc::protocol_violation, "a session id of other characters than visible ASCII");
  session_ = *id;
  return true;
}

COMCP_DECL void http_labels::established(outgoing const& last) {
  for (auto const& [name, value] : last.headers) {
    if (name == "MCP-Protocol-Version") version_ = value;
  }
}

COMCP_DECL common_headers http_labels::common_of(http_activity const& a) {
  if (a.message.stateless || a.message.headers.size() != 1) return post_;
  auto const& version = a.message.headers.front();
  if (last_.headers && last_.version == version.second && last_.session == a.session) return last_.headers;
  auto headers = std::make_shared<http_headers>(*post_);
  // None can fail: the session's id was looked at when it came, the rest is ours.
  (void)headers->add(version.first, version.second);
  if (!a.session.empty()) (void)headers->add("Mcp-Session-Id", a.session);
  last_ = {version.second, a.session, headers};
  return headers;
}

COMCP_DECL http_headers http_labels::own_of(http_activity const& a) const {
  http_headers headers;
  if (!a.message.stateless && a.message.headers.size() == 1) return headers;
  for (auto const& [name, value] : a.message.headers) (void)headers.add(name, value);
  if (!a.session.empty()) (void)headers.add("Mcp-Session-Id", a.session);
  return headers;
}

COMCP_DECL common_headers http_labels::of_stream(std::string_view session, std::string_view last_event_id) const {
  auto headers = std::make_shared<http_headers>(own_);
  (void)headers->add("Accept", "text/event-stream");
  if (!version_.empty()) (void)headers->add("MCP-Protocol-Version", version_);
  if (!last_event_id.empty()) (void)headers->add("Last-Event-ID", last_event_id);
  if (!session.empty()) (void)headers->add("Mcp-Session-Id", session);
  return headers;
}

COMCP_DECL common_headers http_labels::of_end() const {
  auto headers = std::make_shared<http_headers>(own_);
  if (!version_.empty()) (void)headers->add("MCP-Protocol-Version", version_);
  if (!session_.empty()) (void)headers->add("Mcp-Session-Id", session_);
  return headers;
}

COMCP_DECL http_link::http_link(asio::any_io_executor on, http_options o, http_carrier c, inbox& in)
    : executor(std::move(on)), options(std::move(o)), carrier(std::move(c)), labels(options), url(carrier.server), inbox_(&in) {}

COMCP_DECL void http_link::deliver(padded_text text, request_id stream) {
  ++messages_in;
  bytes_in += text.size();
  in().delivered(text, stream);
}

COMCP_DECL void http_link::failed(http_activity const& a, error why) {
  if (a.message.id) return in().stream_ended(a.message.id, std::move(why));
  in().fault(why.with_message("a message was not accepted: " + std::string(why.message())));
}

COMCP_DECL time_source::time_point http_link::in_time(std::chrono::nanoseconds d) const {
  return later(carrier.time->now(), d);
}

COMCP_DECL void http_link::limit(std::shared_ptr<http_activity> const& a, std::chrono::nanoseconds d) {
  if (!a->limit) a->limit = carrier.time->make_deadline(executor);
  std::function<void()> fire = [weak = std::weak_ptr(a)] {
    auto const alive = weak.lock();
    if (alive) alive->give_up();
  };
  a->limit->arm(in_time(d), std::move(fire));
}

COMCP_DECL void http_link::unlimit(http_activity& a) {
  if (a.limit) a.limit->disarm();
}

COMCP_DECL std::unique_ptr<deadline> http_link::open_later(std::shared_ptr<gate> const& g, time_source::time_point at) {
  auto alarm = carrier.time->make_deadline(executor);
  std::function<void()> enough = [g] { g->open(); };
  alarm->arm(at, std::move(enough));
  return alarm;
}

}  // namespace comcp::detail
