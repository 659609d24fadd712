// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/awaitable_client.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/client/prepared.hpp>

namespace comcp {
namespace detail {

// At home: whoever sees to subscriptions may have to be made.
COMCP_LAZY asio::awaitable<void> subscribing(std::shared_ptr<client_link> core, std::string uri, updated_callback f,
                                             call_options options) {
  auto work = subscriptions_of<client_core>(*core).subscribe(std::move(uri), std::move(f), std::move(options));
  co_await std::move(work);
}

COMCP_LAZY asio::awaitable<void> unsubscribing(std::shared_ptr<client_link> core, std::string uri,
                                               call_options options) {
  auto work = subscriptions_of<client_core>(*core).unsubscribe(std::move(uri), std::move(options));
  co_await std::move(work);
}

COMCP_LAZY asio::awaitable<std::shared_ptr<listen_stream>> listening(std::shared_ptr<client_link> core,
                                                                             subscription_filter filter,
                                                                             call_options options) {
  auto work = subscriptions_of<client_core>(*core).listen(std::move(filter), std::move(options));
  auto stream = co_await std::move(work);
  co_return stream;
}

COMCP_LAZY asio::awaitable<void> restarting(std::shared_ptr<client_link> core) {
  auto work = restarts_of<client_core>(*core).reconnect(error(errc::transport_failed, "the connection is begun anew"));
  co_await std::move(work);
}

COMCP_LAZY asio::awaitable<subscription> listen_call(std::shared_ptr<client_link> core, subscription_filter filter,
                                                     call_options options) {
  require(core);
  auto opening = on_home(core, listening(core, std::move(filter), std::move(options)));
  auto stream = co_await std::move(opening);
  co_return subscription(core, std::move(stream));
}

}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<call_tool_result> awaitable_client::call_tool(std::string_view name, json::fragment arguments,
                                                               call_options options) const {
  return detail::typed_call<call_tool_result>(core_,
                                              detail::tool_call(name, std::move(arguments), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> awaitable_client::read_resource(std::string_view uri,
                                                                       call_options options) const {
  return detail::typed_call<read_resource_result>(core_, detail::resource_call(uri, std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> awaitable_client::read_resource(resource_template const& t,
                                                                       json::fragment const& variables,
                                                                       call_options options) const {
  return detail::typed_call<read_resource_result>(core_, detail::resource_call(t, variables, std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<get_prompt_result> awaitable_client::get_prompt(std::string_view name, json::fragment arguments,
                                                                 call_options options) const {
  return detail::typed_call<get_prompt_result>(core_, detail::prompt_call(name, std::move(arguments), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<complete_result> awaitable_client::complete(complete_params const& what,
                                                                  call_options options) const {
  return detail::typed_call<complete_result>(core_, detail::complete_call(what, std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::set_log_level(log_level level, call_options options) const {
  return core_ ? core_->set_level(level, std::move(options)) : detail::failed<void>(detail::not_connected());
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::ping(call_options options) const {
  return detail::typed_call<void>(core_, detail::prepared_call(wire::methods::ping, {}, std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<discover_result> awaitable_client::discover(call_options options) const {
  return detail::typed_call<discover_result>(core_, detail::discover_call(std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::subscribe(std::string_view uri, updated_callback f,
                                                   call_options options) const {
  if (!core_) return detail::failed<void>(detail::not_connected());
  return detail::on_home(core_, detail::subscribing(core_, std::string(uri), std::move(f), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::unsubscribe(std::string_view uri, call_options options) const {
  if (!core_) return detail::failed<void>(detail::not_connected());
  return detail::on_home(core_, detail::unsubscribing(core_, std::string(uri), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<subscription> awaitable_client::listen(subscription_filter filter, call_options options) const {
  return detail::listen_call(core_, std::move(filter), std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<json::value> awaitable_client::request(std::string_view method, json::fragment params,
                                                        call_options options) const {
  return detail::typed_call<json::value>(core_, detail::any_call(method, std::move(params), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::notify(std::string_view method, json::fragment params) const {
  if (auto const bad = detail::check_params(params)) return detail::failed<void>(bad);
  if (!jsonrpc::is_plain_method(method)) return detail::failed<void>({errc::invalid_argument, "not a method name"});
  if (!core_) return detail::failed<void>(detail::not_connected());
  return core_->notify(std::string(method), std::move(params).text());
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::notify_roots_changed() const {
  return core_ ? core_->notify_roots_changed() : detail::failed<void>(detail::not_connected());
}

namespace detail {
COMCP_LAZY asio::awaitable<comcp::transport_info> ask_transport(std::shared_ptr<client_link> core) {
  co_return core->transport_info();
}

COMCP_LAZY asio::awaitable<std::shared_ptr<void>> take_turn(std::shared_ptr<client_link> core, call_options options) {
  auto waiting = capacity_of<client_core>(*core).turn(std::move(options));
  auto turn = co_await std::move(waiting);
  co_return turn;
}

// The turn is over when who waits for this has gone on: that is what runs next here.
COMCP_LAZY asio::awaitable<void> await_capacity(std::shared_ptr<client_link> core, call_options options) {
  asio::any_io_executor const here = co_await asio::this_coro::executor;
  auto waiting = on_home(core, take_turn(core, std::move(options)));
  auto turn = co_await std::move(waiting);
  auto over = [turn = std::move(turn)] {};
  post(here, std::move(over));
}
}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<comcp::transport_info> awaitable_client::transport_info() const {
  if (!core_) return detail::failed<comcp::transport_info>(detail::not_connected());
  return detail::on_home(core_, detail::ask_transport(core_));
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::capacity(call_options options) const {
  if (!core_) return detail::failed<void>(detail::not_connected());
  return detail::await_capacity(core_, std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::close() const {
  return core_ ? core_->life().close() : detail::failed<void>(detail::not_connected());
}
COMCP_LAZY_DECL asio::awaitable<void> awaitable_client::reconnect() const {
  return core_ ? detail::on_home(core_, detail::restarting(core_)) : detail::failed<void>(detail::not_connected());
}
COMCP_LAZY_DECL asio::awaitable<error> awaitable_client::closed() const {
  return core_ ? core_->life().ended() : detail::failed<error>(detail::not_connected());
}

}  // namespace comcp
