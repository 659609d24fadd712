// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The core's calls: registering, sending, waiting, and the one way in which each of them ends.
#pragma once

#include <asio/this_coro.hpp>

#include <comcp/client/core.hpp>
#include <comcp/client/impl/core_facts.ipp>
#include <comcp/net/spawn.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/protocol/meta.hpp>

namespace comcp {
COMCP_DECL error client_core::check(detail::prepared_call const& c) const {
  if (end_reason_) return *end_reason_;
  if (closing_) return {errc::closed, "the client is closing"};
  if (c.unusable) return c.unusable;
  if (c.internal) return {};
  if (!jsonrpc::is_plain_method(c.method)) return {errc::invalid_argument, "not a method name: " + c.method};
  for (auto const& [key, text] : c.options.meta()) {
    if (auto const ok = check_meta(key, text); !ok) return ok.error();
  }
  return unsettled() ? error() : check_offer(c);
}

// What the version has and the server declared.
COMCP_DECL error client_core::check_offer(detail::prepared_call const& c) const {
  if (!codec_->offers(c.method))
    return {errc::not_in_protocol, c.method + " does not exist in " + std::string(codec_->version().text())};
  if (!settings_.check_capabilities) return {};
  if (needs_task(c)) {
    return {errc::capability_missing,
            "the tool " + wire::name_in(c.method, c.params).value_or("") + " can only be called as a task (its execution.taskSupport is \"required\"), which comcp has not yet"};
  }
  if (std::string_view(c.method) == "resources/directory/read" && !detail::reads_directories(server_capabilities_))
    return {errc::capability_missing, "the server did not declare directoryRead of io.modelcontextprotocol/skills"};
  if (discovered_unknown() && !c.method.starts_with("skills/")) return {};  // those want a declaration that was seen
  auto const* needed = detail::capability_for(c.method);
  if (!needed || server_capabilities_.supports(needed)) {
    if (std::string_view(c.method) == "resources/subscribe" && !server_capabilities_.supports_subscribe())
      return {errc::capability_missing, "the server did not declare resources.subscribe"};
    return {};
  }
  // 2024-11-05 has no completions capability to declare.
  if (c.method == "completion/complete" && codec_->version() == version::v2024_11_05) return {};
  return {errc::capability_missing, std::string("the server did not declare ") + needed + ", which " + c.method + " needs"};
}

// What check() looks at for resources/subscribe, which the modern era has not.
COMCP_DECL error client_core::check_subscribe(call_options const& options) const {
  detail::prepared_call const listen("subscriptions/listen", {}, options);
  if (auto bad = check(listen)) return bad;
  if (settings_.check_capabilities && !discovered_unknown() && !server_capabilities_.supports_subscribe())
    return {errc::capability_missing, "the server did not declare resources.subscribe"};
  return {};
}

COMCP_DECL result<void> client_core::begin(detail::prepared_call const& c, detail::pending_entry& e) {
  detail::overlap_guard::scope const alone(calls_.guard());
  if (auto room = calls_.enlist(e, c); !room) return room;
  if (renewal_due_ && !restarting_) renew();
  if (unsettled()) {
    calls_.table().line_up(deferred_, e.id);
    return {};
  }
  auto sent = transmit(e);
  if (!sent) calls_.end(e.id, sent.error());
  return sent;
}

COMCP_DECL result<void> client_core::transmit(detail::pending_entry& e, wire::codec const& codec) {
  auto const& c = *e.call;
  c.sent_modern = codec.is_modern();
  wire::request_meta meta;
  meta.user = &c.options.meta();
  meta.progress = c.options.wants_progress();
  if (!e.handshake) meta.level = c.options.log_level() ? c.options.log_level() : level_;
  outgoing message(codec.request(e.id, c.method, c.params, meta), e.id);
  message.method = c.method;
  message.handshake = e.handshake;
  message.open_ended = e.open_ended;
  if (is_http_) {
    if (auto const labelled = label(message, e, codec); !labelled) return labelled.error();
  }
  if (settings_.tracer) trace(direction::sent, message.text);
  if (!transport_) return error(errc::closed, "the client was destroyed");  // by the tracer, or before; its end is posted
  auto sent = transport_.send(std::move(message));
  e.sent = sent.has_value();
  return sent;
}

COMCP_DECL void client_core::given_up(request_id id, detail::pending_entry const& e, std::string_view why) {
  if (!e.call || !e.sent || !transport_open_) return;
  if (e.handshake) {  // never told; over HTTP there is a response that nobody waits for any more
    if (is_http_) transport_.abandon(id);
    return;
  }
  if (transport_.abandon(id) || (is_http_ && is_modern())) return;
  send_text(wire::codec::cancelled(id, why.empty() ? e.call->options.cancel_reason() : why));
}

// First the calls, then what else waits for their ends.
COMCP_DECL void client_core::fail_all(error const& reason) {
  using span = detail::pending_entry::span;
  calls_.fail(reason, span::connection, spared());
  if (!restarting_ || closing_) calls_.fail(reason, span::client, detail::calls::spared::nothing);
}

COMCP_DECL detail::calls::spared client_core::spared() const {
  if (!restarting_ || closing_) return detail::calls::spared::nothing;
  return negotiation_.expired() ? detail::calls::spared::unsent : detail::calls::spared::unsent_and_handshake;
}

COMCP_DECL asio::awaitable<bool> client_core::sleep(std::chrono::nanoseconds d) {
  detail::pending_entry e(detail::pending_entry::span::client);
  if (end_reason_ || closing_ || !calls_.enlist(e, d)) co_return false;
  auto const r = co_await calls_.wait(e);
  co_return r.error() == errc::timeout;
}

COMCP_DECL asio::awaitable<detail::reply> client_core::round_trip(detail::prepared_call const& c) {
  detail::pending_entry e;
  if (auto const started = start(c, e); !started) co_return detail::reply(started.error());
  auto r = co_await calls_.wait(e);
  co_return r;
}

COMCP_DECL result<void> client_core::start(detail::prepared_call const& c, detail::pending_entry& e) {
  auto bad = check(c);
  if (!bad && c.options.stop().stop_requested()) bad = error(errc::cancelled);
  if (!bad) {
    auto begun = begin(c, e);
    if (begun) return begun;
    bad = begun.error();
  }
  return bad.with_outcome(c.outcome);  // of the attempts before this one
}

COMCP_DECL bool client_core::is_plain(asio::any_io_executor const& here, std::string_view method) const noexcept {
  return settings_.interceptors.empty() && !checks_ && here == home_ && !(cache_ && cache_->concerns(method));
}

COMCP_DECL void client_core::spawn(asio::awaitable<void> work) {
  detail::spawn(home_, std::move(work));
}

COMCP_DECL asio::awaitable<json::value> client_core::call(detail::prepared_call c) {
  auto const hold = shared_from_this();
  auto const here = co_await asio::this_coro::executor;
  if (here == home_) {
    auto v = co_await call_on_home(std::move(c));
    co_return v;
  }
  std::optional<json::value> value;
  auto work = detail::store(call_on_home(std::move(c)), value);
  co_await detail::spawn_and_wait(home_, std::move(work));
  co_return std::move(*value);
}

COMCP_DECL asio::awaitable<void> client_core::run_on_home(asio::awaitable<void> work) {
  auto const hold = shared_from_this();
  auto const here = co_await asio::this_coro::executor;
  if (here == home_) {
    co_await std::move(work);
  } else {
    co_await detail::spawn_and_wait(home_, std::move(work));
  }
}

COMCP_DECL asio::awaitable<json::value> client_core::call_on_home(detail::prepared_call c) {
  detail::performer send = [this](detail::prepared_call& call) {
    return checks_ ? checks_->perform(call) : carry_out(call);
  };
  auto r = co_await intercept(std::move(c), std::move(send));
  co_return std::move(r).value();
}

COMCP_DECL asio::awaitable<detail::reply> client_core::carry_out(detail::prepared_call& c) {
  return cache_ && cache_->concerns(c.method) ? cache_->answer(c) : perform(c);
}

// Repeats what may be repeated, follows one version change, and goes through the input rounds.
COMCP_DECL asio::awaitable<detail::reply> client_core::perform(detail::prepared_call& c) {
  auto r = co_await round_trip(c);
  if (needs_settling(c, r)) r = co_await rounds(c, std::move(r));
  co_return r;
}

COMCP_DECL bool client_core::needs_settling(detail::prepared_call const& c, detail::reply const& r) const {
  if (!codec_) return false;
  if (!r.has_value()) {
    if (may_be_of_other_era(c, r.error())) return true;
    if (auto const* const peer = r.error().peer())
      return is_modern() ? peer->code == -32022 || (peer->code == -32020 && is_http_) : peer->code == -32042;
    return may_repeat(c, r.error());
  }
  if (!is_modern()) return false;
  auto const kind = codec_->classify(c.method, r->view());
  return !kind || *kind != wire::result_kind::complete;
}

COMCP_DECL asio::awaitable<json::value> client_core::settle(detail::prepared_call c, detail::reply first) {
  auto const hold = shared_from_this();
  auto r = co_await rounds(c, std::move(first));
  if (!r) throw exception(judged(c, r.error()));
  co_return *std::move(r);
}

COMCP_DECL void client_core::notify(std::string_view method, std::string_view params, wire::request_meta const& meta) {
  if (!codec_ || !transport_open_) return;
  outgoing message(codec_->notification(method, params, meta));
  message.method = method;
  send_message(std::move(message));
}

COMCP_DECL void client_core::send_text(std::string text) {
  if (transport_open_) send_message(outgoing(std::move(text)));
}

COMCP_DECL void client_core::send_message(outgoing message) {
  if (is_http_) label(message);
  if (settings_.tracer) trace(direction::sent, message.text);
  if (!transport_) return;  // the tracer destroyed the client
  auto const sent = transport_.send(std::move(message));
  if (!sent) fault(sent.error());
}

}  // namespace comcp
