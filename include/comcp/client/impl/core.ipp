// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the core does itself: it puts its parts together, sends, and tells what it knows.
#pragma once

#include <asio/strand.hpp>
#include <asio/this_coro.hpp>
#include <asio/thread_pool.hpp>

#include <comcp/client/core.hpp>
#include <comcp/client/impl/core_registry.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/protocol/meta.hpp>

namespace comcp {

COMCP_DECL client_core::client_core(any_transport transport, any_handler handler, connect_options options,
                                    asio::any_io_executor home)
    : tenant(std::move(home)),
      handler_(std::move(handler)),
      settings_(options.settings()),
      calls_(*this, home_, settings_, settings_.time ? settings_.time : steady_time()),
      introduction_(handler_, settings_, transport.info()),
      connection_(*this, settings_, std::move(transport)),
      recovery_(*this, connection_, settings_),
      exchange_(*this),
      inbound_(*this),
      dispatcher_(*this),
      subscriptions_(*this),
      level_(settings_.log_level) {
  settings_.handshake.over_http = is_http();
  for (auto const& make : settings_.steps) {
    if (make) pipeline_.add(make(*this));
  }
  inbound_.add(pipeline_);
  inbound_.add(exchange_.rounds());
  inbound_.add(subscriptions_);
  inbound_.add(dispatcher_);
  if (settings_.observer.on_status) connection_.on_status(settings_.observer.on_status);
}

COMCP_DECL client_core::~client_core() = default;

COMCP_DECL asio::awaitable<std::shared_ptr<client_core>> client_core::connect(any_transport transport,
                                                                              any_handler handler,
                                                                              connect_options options) {
  auto const here = co_await asio::this_coro::executor;
  asio::any_io_executor home = here;
  if (options.settings().executor) home = options.settings().executor;
  if (detail::executor_as<asio::thread_pool::executor_type>(home)) home = asio::make_strand(home);
  auto core = std::make_shared<client_core>(std::move(transport), std::move(handler), std::move(options), home);
  // Never in the caller's own coroutine: what fails changes the cancellation state to close in peace.
  auto work = core->connection_.open();
  co_await detail::spawn_and_wait(home, std::move(work));
  co_return core;
}

COMCP_DECL asio::awaitable<void> client_core::close() {
  auto const hold = shared_from_this();
  auto const wait_closed = [](std::shared_ptr<client_core> self) -> asio::awaitable<void> {
    if (self->end_reason()) co_return;
    if (!self->is_closing()) self->spawn(self->connection_.close(error(errc::closed)));
    (void)co_await self->connection_.ended();
  };
  auto work = wait_closed(hold);
  co_await detail::on_home(hold, std::move(work));
}

COMCP_DECL void client_core::abandon() noexcept {
  at_home([self = shared_from_this()] { self->connection_.abandon(); });
  connection_.channel().cut();  // home may never run again
}

COMCP_DECL void client_core::abandon(std::shared_ptr<client_core> core) noexcept {
  core->abandon();
  auto& mine = *core;
  mine.at_home([last = std::move(core)] {});
}

COMCP_DECL void client_core::context_gone() noexcept {
  connection_.context_gone();
  calls_.shut_down();
  subscriptions_.streams().shut_down();
  settings_.executor = {};
}

COMCP_DECL error client_core::check(detail::prepared_call const& c) const {
  if (end_reason()) return *end_reason();
  if (is_closing()) return {errc::closed, "the client is closing"};
  if (c.unusable) return c.unusable;
  if (c.internal) return {};
  if (!jsonrpc::is_plain_method(c.method)) return {errc::invalid_argument, "not a method name: " + c.method};
  for (auto const& [key, text] : c.options.meta()) {
    if (auto const ok = check_meta(key, text); !ok) return ok.error();
  }
  return recovery_.is_unsettled() ? error() : refuses(c);
}

COMCP_DECL error client_core::refuses(detail::prepared_call const& c) const {
  return c.internal ? error() : facts_.refuses(c, settings_.check_capabilities);
}

// What check() looks at for resources/subscribe, which the modern era has not.
COMCP_DECL error client_core::check_subscribe(call_options const& options) const {
  detail::prepared_call const listen("subscriptions/listen", {}, options);
  if (auto bad = check(listen)) return bad;
  return settings_.check_capabilities ? facts_.refuses_subscriptions() : error();
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
  if (is_http()) {
    if (auto const labelled = detail::label(message, e, codec, facts_.tools); !labelled) return labelled.error();
  }
  if (settings_.tracer) trace(direction::sent, message.text);
  auto sent = connection_.channel().send(std::move(message));
  e.sent = sent.has_value();
  return sent;
}

COMCP_DECL void client_core::given_up(request_id id, detail::pending_entry const& e, std::string_view why) {
  auto& channel = connection_.channel();
  if (!e.call || !e.sent || !channel.is_open()) return;
  if (e.handshake) {  // never told; over HTTP there is a response that nobody waits for any more
    if (is_http()) channel.abandon(id);
    return;
  }
  if (channel.abandon(id) || (is_http() && is_modern())) return;
  send_text(wire::codec::cancelled(id, why.empty() ? e.call->options.cancel_reason() : why));
}

COMCP_DECL asio::awaitable<bool> client_core::sleep(std::chrono::nanoseconds d) {
  detail::pending_entry e(detail::pending_entry::span::client);
  if (is_closing() || !calls_.enlist(e, d)) co_return false;
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
    detail::overlap_guard::scope const alone(calls_.guard());
    auto begun = calls_.enlist(e, c);
    if (begun && !recovery_.defers(e)) {
      begun = transmit(e);
      if (!begun) calls_.end(e.id, begun.error());
    }
    if (begun) return begun;
    bad = begun.error();
  }
  return bad.with_outcome(c.outcome);  // of the attempts before this one
}

COMCP_DECL bool client_core::is_plain(asio::any_io_executor const& here, std::string_view method) const noexcept {
  return here == home_ && pipeline_.is_plain(method);
}

COMCP_DECL void client_core::spawn(asio::awaitable<void> work) {
  detail::spawn(home_, std::move(work));
}

COMCP_DECL asio::awaitable<json::value> client_core::call(detail::prepared_call c) {
  return detail::on_home(shared_from_this(), call_on_home(std::move(c)));
}

COMCP_DECL asio::awaitable<json::value> client_core::call_on_home(detail::prepared_call c) {
  detail::performer exchange = [this](detail::prepared_call& call) { return exchange_.perform(call); };
  auto work = pipeline_.run(std::move(c), std::move(exchange));
  auto r = co_await std::move(work);
  co_return std::move(r).value();
}

COMCP_DECL asio::awaitable<json::value> client_core::settle(detail::prepared_call c, detail::reply first) {
  auto const hold = shared_from_this();
  auto r = co_await exchange_.settle(c, std::move(first));
  if (!r) throw exception(detail::judged(c, r.error()));
  co_return *std::move(r);
}

COMCP_DECL void client_core::notify(std::string_view method, std::string_view params, wire::request_meta const& meta) {
  if (!facts_.codec || !connection_.channel().is_open()) return;
  outgoing message(facts_.codec->notification(method, params, meta));
  message.method = method;
  send_message(std::move(message));
}

COMCP_DECL void client_core::send_text(std::string text) {
  if (connection_.channel().is_open()) send_message(outgoing(std::move(text)));
}

COMCP_DECL void client_core::send_message(outgoing message) {
  if (is_http()) detail::label(message, facts_);
  if (settings_.tracer) trace(direction::sent, message.text);
  auto const sent = connection_.channel().send(std::move(message));
  if (!sent) fault(sent.error());
}

// A round that manual_input() gave to the caller goes on with its answers.
COMCP_DECL asio::awaitable<json::value> client_core::resume_rounds(detail::prepared_call c, json::value required,
                                                                   json::fragment responses) {
  auto const hold = shared_from_this();
  auto const of = required.view().find("comcp/call");
  if (!of) throw exception(error(errc::invalid_argument, "not a value that manual_input() gave"));
  auto const method = of->find("method");
  c.method = method ? std::string(method->get_string().value_or("")) : std::string();
  std::optional<std::string> state;
  if (auto const came = required.view().find("requestState")) state = std::string(came->get_string().value_or(""));
  auto const params = of->find("params");
  c.params = detail::with_answers(params ? params->dump() : "{}", responses.text(), state);
  auto v = co_await call(std::move(c));
  co_return v;
}

COMCP_DECL void client_core::answered(detail::pending_entry const& e, json::value const& result) {
  if (is_modern() && !e.handshake) facts_.learn_name(result);
  recovery_.answered(e);
}

COMCP_DECL void client_core::adopt_tools(list_tools_result& page) {
  facts_.tools.learn_tasks(page, settings_.limits.items());
  if (is_http() && is_modern()) facts_.tools.learn_headers(page);
}

COMCP_DECL void client_core::stream_ended(request_id id, error why) {
  auto const hold = shared_from_this();
  auto const* const found = calls_.table().find(id);
  if (!found || !(*found)->call) return;
  auto const& c = *(*found)->call;
  // A wrong answer stays what it is: its code says that the outcome is open.
  bool const broken = why == errc::transport_failed || why == errc::response_timeout || why == errc::idle_timeout ||
                      why == errc::exchange_timeout;
  bool const unknown = broken && !c.repeatable && !c.options.is_idempotent() && !(*found)->handshake;
  calls_.end(id, unknown ? why.with_code(make_error_code(errc::outcome_unknown)) : why);
}

COMCP_DECL void client_core::fault(error e) {
  // What a close that was asked for ends has lost nothing.
  bool const orderly = is_closing() && (e == errc::closed || e == errc::cancelled);
  if (orderly || !settings_.observer.on_fault) return;
  try {
    settings_.observer.on_fault(e);
  } catch (...) {  // documented: dropped
  }
}

COMCP_DECL void client_core::trace(direction d, std::string_view message) {
  try {
    settings_.tracer(d, message);
  } catch (...) {
    fault(error(errc::invalid_argument, "a tracer threw"));
  }
}

COMCP_DECL era_verdict client_core::verdict() const {
  auto v = facts_.verdict();
  if (settings_.handshake.prior) v.authorization = settings_.handshake.prior->authorization;
  return v;
}

COMCP_DECL statistics client_core::statistics() const {
  auto s = calls_.statistics();
  auto const info = transport_info();
  s.messages_out = info.messages_out;
  s.bytes_out = info.bytes_out;
  return s;
}

COMCP_DECL bool client_core::awaits(request_id id) const {
  auto const* const found = calls_.table().find(id);
  return found && (*found)->call && (*found)->sent;
}

COMCP_DECL void client_core::session_lost(request_id id, error why) {
  auto const hold = shared_from_this();
  recovery_.session_lost(id, std::move(why));
}

COMCP_DECL std::optional<saved_session> client_core::session() const {
  if (!is_http() || is_modern()) return {};
  saved_session s;
  s.id = transport_info().session_id;
  if (s.id.empty() || facts_.initialize_result.is_null()) return {};
  s.initialize_result = facts_.initialize_result.dump();
  return s;
}

}  // namespace comcp
