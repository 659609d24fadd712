// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/client.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/protocol/meta.hpp>

namespace comcp {
namespace detail {

// Parameters of the untyped operations: an object, whose `_meta` joins that of the options.
COMCP_DECL error check_params(json::fragment const& params) {
  if (params.empty()) return {};
  auto const parsed = json::parse(params.text());
  if (!parsed || !parsed->is_object()) return {errc::invalid_argument, "params are not an object"};
  auto const meta = parsed->view().find("_meta");
  auto const sound = meta ? check_user_meta(*meta) : result<void>();
  return sound ? error() : sound.error();
}

COMCP_LAZY asio::awaitable<void> done_call(std::shared_ptr<client_link> core, prepared_call c) {
  (void)co_await typed_call<json::value>(std::move(core), std::move(c));
}

COMCP_LAZY asio::awaitable<read_resource_result> read_call(std::shared_ptr<client_link> core, prepared_call c) {
  try {
    auto r = co_await typed_call<read_resource_result>(std::move(core), std::move(c));
    co_return r;
  } catch (exception const& e) {
    // Both mean that there is no such resource (2026-07-28, server/resources, error handling).
    auto const* const peer = e.error().peer();
    if (peer && (peer->code == -32002 || peer->code == -32602))
      throw exception(e.error().with_code(make_error_code(errc::not_found)));
    throw;
  }
}

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

COMCP_LAZY_DECL asio::awaitable<call_tool_result> client::call_tool(std::string_view name, json::fragment arguments,
                                                               call_options options) const {
  return detail::typed_call<call_tool_result>(core_,
                                              detail::tool_call(name, std::move(arguments), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> client::read_resource(std::string_view uri,
                                                                       call_options options) const {
  detail::prepared_call c(wire::methods::read_resource, args("uri", uri).text(), std::move(options));
  c.repeatable = true;
  return detail::read_call(core_, std::move(c));
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> client::read_resource(resource_template const& t,
                                                                       json::fragment const& variables,
                                                                       call_options options) const {
  auto const uri = t.expand(variables);
  if (!uri) return detail::failed<read_resource_result>(uri.error());
  return read_resource(*uri, std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<get_prompt_result> client::get_prompt(std::string_view name, json::fragment arguments,
                                                                 call_options options) const {
  json::object params;
  params.set("name", name);
  if (!arguments.empty()) params.set("arguments", arguments);
  detail::prepared_call c(wire::methods::get_prompt, params.text(), std::move(options));
  c.repeatable = true;
  return detail::typed_call<get_prompt_result>(core_, std::move(c));
}

COMCP_LAZY_DECL asio::awaitable<complete_result> client::complete(complete_params const& what,
                                                                  call_options options) const {
  detail::prepared_call c(wire::methods::complete, json::to_text(what), std::move(options));
  c.repeatable = true;
  return detail::typed_call<complete_result>(core_, std::move(c));
}

COMCP_LAZY_DECL asio::awaitable<void> client::set_log_level(log_level level, call_options options) const {
  return core_ ? core_->set_level(level, std::move(options)) : detail::failed<void>(detail::not_connected());
}

COMCP_LAZY_DECL asio::awaitable<void> client::ping(call_options options) const {
  return detail::done_call(core_, detail::prepared_call(wire::methods::ping, {}, std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<discover_result> client::discover(call_options options) const {
  detail::prepared_call c(wire::methods::discover, {}, std::move(options));
  c.repeatable = true;
  return detail::typed_call<discover_result>(core_, std::move(c));
}

COMCP_LAZY_DECL asio::awaitable<void> client::subscribe(std::string_view uri, updated_callback f,
                                                   call_options options) const {
  if (!core_) return detail::failed<void>(detail::not_connected());
  return detail::on_home(core_, detail::subscribing(core_, std::string(uri), std::move(f), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<void> client::unsubscribe(std::string_view uri, call_options options) const {
  if (!core_) return detail::failed<void>(detail::not_connected());
  return detail::on_home(core_, detail::unsubscribing(core_, std::string(uri), std::move(options)));
}

COMCP_LAZY_DECL asio::awaitable<subscription> client::listen(subscription_filter filter, call_options options) const {
  return detail::listen_call(core_, std::move(filter), std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<json::value> client::request(std::string_view method, json::fragment params,
                                                        call_options options) const {
  if (auto const bad = detail::check_params(params)) return detail::failed<json::value>(bad);
  detail::prepared_call c(method, std::move(params).text(), std::move(options));
  return detail::typed_call<json::value>(core_, std::move(c));
}

COMCP_LAZY_DECL asio::awaitable<void> client::notify(std::string_view method, json::fragment params) const {
  if (auto const bad = detail::check_params(params)) return detail::failed<void>(bad);
  if (!jsonrpc::is_plain_method(method)) return detail::failed<void>({errc::invalid_argument, "not a method name"});
  if (!core_) return detail::failed<void>(detail::not_connected());
  return core_->notify(std::string(method), std::move(params).text());
}

COMCP_LAZY_DECL asio::awaitable<void> client::notify_roots_changed() const {
  return core_ ? core_->notify_roots_changed() : detail::failed<void>(detail::not_connected());
}

COMCP_LAZY_DECL asio::awaitable<void> client::close() const {
  return core_ ? core_->life().close() : detail::failed<void>(detail::not_connected());
}
COMCP_LAZY_DECL asio::awaitable<void> client::restart() const {
  return core_ ? detail::on_home(core_, detail::restarting(core_)) : detail::failed<void>(detail::not_connected());
}
COMCP_LAZY_DECL asio::awaitable<error> client::closed() const {
  return core_ ? core_->life().ended() : detail::failed<error>(detail::not_connected());
}

}  // namespace comcp

#include <comcp/client/impl/context.ipp>
