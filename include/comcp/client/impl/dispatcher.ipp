// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/client/dispatcher.hpp>
#include <comcp/jsonrpc/encode.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL context dispatcher::make_context(std::string method, json::value const& params) const {
  context ctx;
  ctx.core_ = core_.facade();
  ctx.validation_ = core_.settings.answers;
  ctx.method_ = std::move(method);
  ctx.cancelled_ = std::make_shared<bool>(false);
  if (auto const meta = params.view().find("_meta")) {
    if (auto const token = meta->find("progressToken")) ctx.progress_token_ = token->dump();
    ctx.meta_ = meta->share();
  }
  return ctx;
}

COMCP_LAZY_DECL void dispatcher::request(jsonrpc::envelope const& m, request_id stream) {
  std::string raw_id(m.raw_id);
  if (m.method == "ping") return core_.outbound.send_text(jsonrpc::response(raw_id, "{}"));
  if (running_.size() + leaving_.size() >= core_.settings.limits.handlers_in_flight()) {
    ++core_.calls.counters().dropped;
    return core_.outbound.send_text(jsonrpc::error_response(raw_id, {-32603, "Too many requests at once", {}}));
  }
  json::value params;
  if (!m.params.empty()) {
    auto parsed = json::parse(m.params, core_.settings.limits.json());
    if (!parsed) return core_.outbound.send_text(jsonrpc::error_response(raw_id, {-32700, "Parse error", {}}));
    params = std::move(*parsed);
  }
  if (running_.contains(raw_id))
    return core_.outbound.send_text(jsonrpc::error_response(raw_id, {-32600, "This id is in use", {}}));
  auto const state = std::make_shared<running>();
  if (running_.empty()) core_.calls.hold_clocks(true);
  running_.emplace(raw_id, state);
  auto work = serve(core_.shared_from_this(), raw_id, m.method, std::move(params), belongs_to_call(stream), state);
  detail::spawn(core_.home(), std::move(work), state->signal.slot(), state);
}

// Over streamable HTTP what comes on no call's stream belongs to none; elsewhere nobody says.
COMCP_LAZY_DECL bool dispatcher::belongs_to_call(request_id stream) const {
  if (stream != 0) {
    auto const* const found = core_.calls.table().find(stream);
    return found && (*found)->call && !(*found)->handshake && !(*found)->call->internal;
  }
  auto const& channel = core_.connection.channel();
  bool const would_tell = channel.is_http() && channel.info().kind != "http+sse";
  return !would_tell && core_.calls.counters().serves_user();
}

COMCP_LAZY_DECL asio::awaitable<void> dispatcher::serve(std::shared_ptr<client_core> hold, std::string raw_id,
                                                        std::string method, json::value params, bool belongs,
                                                        std::shared_ptr<running> state) {
  result<json::fragment> answered = error(errc::cancelled);
  try {
    auto ctx = make_context(method, params);
    ctx.cancelled_ = state->cancelled;
    ctx.belongs_ = belongs;
    answered = co_await answer(std::move(method), std::move(params), ctx);
  } catch (std::exception const&) {
    // Only a cancelled coroutine comes here: answer() turns what a handler throws into an error.
  }
  leaving_.erase(state);
  auto const found = running_.find(raw_id);
  if (found == running_.end() || found->second != state) co_return;  // withdrawn: nothing is answered
  running_.erase(found);
  if (running_.empty()) hold->calls.hold_clocks(false);
  if (answered) {
    hold->outbound.send_text(jsonrpc::response(raw_id, answered->text()));
  } else if (auto const* const peer = answered.error().peer()) {
    hold->outbound.send_text(jsonrpc::error_response(raw_id, *peer));
  } else {
    hold->fault(answered.error());
    hold->outbound.send_text(jsonrpc::error_response(raw_id, {-32603, "Internal error", {}}));
  }
}

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> dispatcher::answer(std::string method, json::value params,
                                                                           context& ctx) {
  bool const has_member = core_.handler.answers(method);
  if (!has_member && !core_.handler.parts().filter) co_return method_not_found(method);
  try {
    auto const bad = has_member ? check(method, params.view()) : error();
    if (bad) co_return bad;
    auto answered = co_await core_.handler.answer(method, params, ctx);
    co_return answered;
  } catch (...) {
    co_return handler_failure(ctx);
  }
}

COMCP_LAZY_DECL error handler_failure(context const& ctx) {
  try {
    throw;
  } catch (exception const& e) {
    return e.error();
  } catch (std::system_error const& e) {
    if (ctx.cancelled()) return error(errc::cancelled);
    return error(e.code(), "a handler failed");
  } catch (std::exception const& e) {
    return error(errc::input_refused, std::string("a handler threw: ") + e.what());
  } catch (...) {
    return error(errc::input_refused, "a handler threw");
  }
}

// What the specification asks of every request, whoever answers it.
COMCP_LAZY_DECL error dispatcher::check(std::string_view method, json::view request) const {
  auto const& own = core_.introduction.capabilities();
  auto const refused = [](char const* why) {
    return error::from_peer({-32602, std::string("Invalid params: ") + why, {}});
  };
  if (method == "elicitation/create") {
    auto const mode = request.find("mode");
    bool const form = !mode || mode->get_string() == "form";
    bool const declared = form ? own.supports_elicitation_form() : own.supports_elicitation_url();
    if (!declared || (mode && !form && mode->get_string() != "url")) return refused("this mode was not declared");
    auto const needed = request.find(form ? "requestedSchema" : "url");
    if (!needed || !(form ? needed->is_object() : needed->is_string()))
      return refused(form ? "no requestedSchema" : "no url");
  } else if (method == "sampling/createMessage" && (request.find("tools") || request.find("toolChoice"))) {
    if (!own.sampling || !own.sampling->tools) return refused("sampling.tools was not declared");
  }
  return {};
}

COMCP_LAZY_DECL void dispatcher::withdraw(std::string const& raw_id) {
  auto const found = running_.find(raw_id);
  if (found == running_.end()) return;
  auto const state = found->second;
  running_.erase(found);
  leaving_.insert(state);
  if (running_.empty()) core_.calls.hold_clocks(false);
  *state->cancelled = true;
  state->signal.emit(asio::cancellation_type::terminal);
}

COMCP_LAZY_DECL void dispatcher::cancel_all() {
  auto const all = std::exchange(running_, {});
  notifications_.clear();
  if (auto const p = pump_; p && core_.is_closing()) {  // it may end what it began before a restart
    *p->cancelled = true;
    p->signal.emit(asio::cancellation_type::terminal);
  }
  if (!all.empty()) core_.calls.hold_clocks(false);
  auto const left = leaving_;
  for (auto const& state : left) state->signal.emit(asio::cancellation_type::terminal);
  for (auto const& [id, state] : all) {
    leaving_.insert(state);
    *state->cancelled = true;
    state->signal.emit(asio::cancellation_type::terminal);
  }
}

COMCP_LAZY_DECL bool dispatcher::notified(std::string const& method, json::value const& params) {
  if (method == "notifications/cancelled") {
    if (auto const which = params.view().find("requestId")) withdraw(which->dump());
  }
  if (!core_.handler) return true;
  if (notifications_.size() >= core_.settings.limits.queued_notifications()) {
    ++core_.calls.counters().dropped;
    core_.fault(error(errc::limit_exceeded, "a notification was dropped: limits().queued_notifications()"));
    return true;
  }
  if (pump_ && *pump_->cancelled) return true;
  notifications_.push_back({method, params});
  if (pump_) return true;
  pump_ = std::make_shared<running>();
  auto work = pump(core_.shared_from_this(), pump_);
  detail::spawn(core_.home(), std::move(work), pump_->signal.slot(), pump_);
  return true;
}

COMCP_LAZY_DECL asio::awaitable<void> dispatcher::pump(std::shared_ptr<client_core> hold,
                                                       std::shared_ptr<running> state) {
  while (!notifications_.empty()) {
    auto const next = std::move(notifications_.front());
    notifications_.pop_front();
    auto ctx = make_context(next.method, next.params);
    ctx.cancelled_ = state->cancelled;
    error failure;
    try {
      co_await hold->handler.notify(next.method, next.params, ctx);
    } catch (exception const& e) {
      failure = e.error();
    } catch (std::exception const& e) {
      failure = error(errc::invalid_argument, std::string("a notification handler threw: ") + e.what());
    } catch (...) {
      failure = error(errc::invalid_argument, "a notification handler threw");
    }
    if (failure && !*state->cancelled) hold->fault(failure);
  }
  pump_.reset();
}

}  // namespace comcp::detail
