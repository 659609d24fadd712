// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/json/value.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/transport/http_session.hpp>

namespace comcp::detail {

COMCP_DECL void http_activity::give_up() noexcept {
  given_up = true;
  try {
    signal.emit(asio::cancellation_type::terminal);
  } catch (...) {
    // An engine whose cancellation throws ends by its own deadlines.
  }
}

COMCP_DECL http_headers base_headers(http_options const& options) {
  auto headers = options.headers();
  (void)headers.add("Content-Type", "application/json");
  (void)headers.add("Accept", "application/json, text/event-stream");
  return headers;
}

COMCP_DECL http_session::http_session(http_url url, http_options options, asio::any_io_executor executor, inbox& in)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      time_(options_.time()),
      url_(std::move(url)),
      stream_url_(url_),
      inbox_(&in),
      hold_limit_(time_->make_deadline(executor_)),
      base_(base_headers(options_)),
      random_(std::random_device{}()) {
  if (!options_.resumed()) return;
  session_id_ = options_.resumed()->id;
  auto text = options_.resumed()->initialize_result;
  auto const agreed = json::parse(pad(text));
  auto const version = agreed ? agreed->view().find("protocolVersion") : std::nullopt;
  if (version) version_ = version->get_string().value_or("");
}

COMCP_DECL result<void> http_session::check_resumed() {
  if (!options_.resumed() || (sansio::is_session_id(session_id_) && !version_.empty())) return {};
  session_id_.clear();
  return error(errc::invalid_argument, "not a session that client.session() gave");
}

COMCP_DECL result<void> http_session::send(outgoing&& message) {
  if (over() || closing_) return error(errc::closed, "the connection is closed");
  if (posts_.size() + held_.size() >= options_.max_exchanges())
    return error(errc::queue_full, "more exchanges at once than http_options().max_exchanges()");
  ++messages_out_;
  bytes_out_ += message.text.size();
  if (holding_ && message.id != 0 && !message.handshake) {
    held_.push_back(std::move(message));
  } else {
    start(std::move(message));
  }
  return {};
}

COMCP_DECL void http_session::start(outgoing&& message) {
  if (is_initialize(message)) {
    session_id_.clear();
    give_back_held();
    if (listener_ && !sse_) std::exchange(listener_, nullptr)->give_up();
  }
  if (message.established && !sse_) {
    for (auto const& [name, value] : message.headers) {
      if (name == "MCP-Protocol-Version") version_ = value;
    }
    holding_ = true;
  }
  auto const a = std::make_shared<http_activity>(std::move(message));
  if (!a->message.stateless) a->session = session_id_;
  a->number = ++next_;
  posts_.emplace(a->number, a);
  if (a->message.id) by_id_.emplace(a->message.id, a->number);
  if (a->message.established && !sse_) {
    std::function<void()> go_on = [weak = weak_from_this()] {
      if (auto const self = weak.lock()) self->release_held();
    };
    hold_limit_->arm(time_->now() + options_.get_stream_wait(), std::move(go_on));
  }
  a->starting = true;
  detail::spawn(executor_, post(a), a->signal.slot(), a);
  a->starting = false;
}

// They belong to a session that is gone: the core sends them in the next one.
COMCP_DECL void http_session::give_back_held() {
  holding_ = false;
  hold_limit_->disarm();
  for (auto const& m : std::exchange(held_, {})) {
    auto back = [self = shared_from_this(), id = m.id] {
      if (!self->over()) self->in().session_lost(id, error(errc::http_status, "the session is gone"));
    };
    detail::post(executor_, std::move(back));
  }
}

COMCP_DECL void http_session::reached_again() {
  if (away_.over && time_->now() >= away_.earliest) away_.over->open();
}

COMCP_DECL void http_session::release_held() {
  hold_limit_->disarm();
  if (!std::exchange(holding_, false) || over()) return;
  for (auto& m : std::exchange(held_, {})) start(std::move(m));
}

COMCP_DECL bool http_session::abandon(request_id id) noexcept {
  auto const held = std::find_if(held_.begin(), held_.end(), [id](outgoing const& m) { return m.id == id; });
  if (held != held_.end()) {
    held_.erase(held);
    return true;
  }
  auto const found = by_id_.find(id);
  if (found == by_id_.end()) return false;
  auto const a = posts_.find(found->second)->second;
  finished(a);
  a->give_up();
  return a->message.stateless;
}

COMCP_DECL void http_session::answered(activity const& a) {
  auto const found = by_id_.find(a->message.id);
  if (found != by_id_.end() && found->second == a->number) by_id_.erase(found);
}

COMCP_DECL void http_session::send_again(activity const& a) {
  finished(a);
  if (holding_ && a->message.id != 0) {
    held_.push_back(std::move(a->message));
  } else {
    start(std::move(a->message));
  }
}

COMCP_DECL void http_session::finished(activity const& a) {
  answered(a);
  posts_.erase(a->number);
  if (posts_.empty() && drained_) drained_->open();
}

COMCP_DECL void http_session::abort() noexcept {
  inbox_ = nullptr;
  hold_limit_->disarm();
  held_.clear();
  auto const all = std::exchange(posts_, {});
  by_id_.clear();
  for (auto const& [number, a] : all) a->give_up();
  if (auto const l = std::exchange(listener_, nullptr)) l->give_up();
  if (drained_) drained_->open();
}

COMCP_DECL void http_session::finish(error reason) {
  if (over()) return;
  auto const keep = shared_from_this();
  inbox* const in = inbox_;
  abort();
  in->closed(std::move(reason));
}

COMCP_DECL http_headers http_session::post_headers(http_activity const& a) const {
  auto const& own = a.message.headers;
  bool const is_usual = !a.message.stateless && own.size() == 1;
  if (is_usual && legacy_.version == own.front().second && legacy_.session == a.session) return legacy_.fields;
  auto headers = base_;
  // None can fail: the session's id was looked at when it came, the rest is ours.
  for (auto const& [name, value] : own) (void)headers.add(name, value);
  if (!a.session.empty()) (void)headers.add("Mcp-Session-Id", a.session);
  if (is_usual) legacy_ = {own.front().second, a.session, headers};
  return headers;
}

COMCP_DECL http_headers http_session::stream_headers(http_activity const& a, std::string_view last_event_id) const {
  auto headers = options_.headers();
  (void)headers.add("Accept", "text/event-stream");
  if (!version_.empty()) (void)headers.add("MCP-Protocol-Version", version_);
  if (!last_event_id.empty()) (void)headers.add("Last-Event-ID", last_event_id);
  if (!a.session.empty()) (void)headers.add("Mcp-Session-Id", a.session);
  return headers;
}

COMCP_DECL http_headers http_session::delete_headers() const {
  auto headers = options_.headers();
  if (!version_.empty()) (void)headers.add("MCP-Protocol-Version", version_);
  if (!session_id_.empty()) (void)headers.add("Mcp-Session-Id", session_id_);
  return headers;
}

COMCP_DECL result<void> http_session::adopt_session(http_headers const& got) {
  auto const* const id = got.find("Mcp-Session-Id");
  if (!id) return {};
  if (!sansio::is_session_id(*id)) return error(errc::protocol_violation, "a session id of other characters than visible ASCII");
  session_id_ = *id;
  holding_ = true;
  return {};
}

COMCP_DECL bool http_session::has_newer_session(http_activity const& a) const noexcept {
  return !session_id_.empty() && session_id_ != a.session;
}

COMCP_DECL void http_session::start_listening() {
  if (over() || closing_ || sse_ || !options_.get_stream()) return release_held();
  if (listener_) std::exchange(listener_, nullptr)->give_up();
  listener_ = std::make_shared<http_activity>(outgoing());
  listener_->session = session_id_;
  detail::spawn(executor_, listen(listener_), listener_->signal.slot(), listener_);
}

COMCP_DECL void http_session::switch_to_sse(http_url endpoint) {
  sse_ = true;
  url_ = std::move(endpoint);
}

COMCP_DECL void http_session::deliver(std::string& text, request_id stream) {
  ++messages_in_;
  bytes_in_ += text.size();
  in().delivered(pad(text), stream);
}

COMCP_DECL void http_session::failed(http_activity const& a, error why) {
  if (a.message.id) return in().stream_ended(a.message.id, std::move(why));
  in().fault(why.with_message("a message was not accepted: " + std::string(why.message())));
}

COMCP_DECL void http_session::limit(activity const& a, std::chrono::nanoseconds d) {
  if (!a->limit) a->limit = time_->make_deadline(executor_);
  std::function<void()> fire = [weak = std::weak_ptr(a)] {
    auto const alive = weak.lock();
    if (alive) alive->give_up();
  };
  a->limit->arm(time_->now() + std::chrono::duration_cast<time_source::time_point::duration>(d), std::move(fire));
}

COMCP_DECL void http_session::unlimit(http_activity& a) {
  if (a.limit) a.limit->disarm();
}

COMCP_DECL std::unique_ptr<deadline> http_session::open_later(std::shared_ptr<gate> const& g, time_source::time_point at) {
  auto alarm = time_->make_deadline(executor_);
  std::function<void()> enough = [g] { g->open(); };
  alarm->arm(at, std::move(enough));
  return alarm;
}

COMCP_DECL sansio::http_sent http_session::sent(http_activity const& a) const {
  sansio::http_sent s;
  s.request = a.message.id != 0 && !sse_;
  s.repeatable = a.message.repeatable;
  s.in_session = !a.session.empty();
  return s;
}

COMCP_DECL void http_session::describe(transport_info& out) const {
  out.kind = sse_ ? "http+sse" : "http";
  out.session_id = session_id_;
  out.open_streams = streams_;
  out.messages_in = messages_in_;
  out.messages_out = messages_out_;
  out.bytes_in = bytes_in_;
  out.bytes_out = bytes_out_;
}

}  // namespace comcp::detail
