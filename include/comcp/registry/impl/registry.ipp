// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The registry as its users hold it: arguments are copied, and the work goes home.
#pragma once

#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

#include <comcp/client/impl/core_registry.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/registry/registry.hpp>
#include <comcp/registry/registry_core.hpp>

namespace comcp {

COMCP_DECL std::shared_ptr<detail::registry_core> registry::make(asio::any_io_executor home, registry_options options) {
  if (options.separator().empty()) throw exception(error(errc::invalid_argument, "a separator is never empty"));
  if (detail::executor_as<asio::thread_pool::executor_type>(home)) home = asio::make_strand(home);
  return std::make_shared<detail::registry_core>(std::move(home), std::move(options));
}

COMCP_DECL registry& registry::operator=(registry&& other) noexcept {
  if (this == &other) return *this;
  if (core_) core_->abandon();
  core_ = std::move(other.core_);
  return *this;
}

COMCP_DECL registry::~registry() {
  if (core_) core_->abandon();
}

COMCP_DECL std::shared_ptr<detail::registry_core> const& registry::core() const {
  if (!core_) throw exception(error(errc::closed, "this registry was moved from"));
  return core_;
}

COMCP_DECL asio::awaitable<void> registry::add(std::string_view name, server_config config) const {
  return detail::on_home(core(), detail::registry_core::add(core(), std::string(name), std::move(config)));
}
COMCP_DECL asio::awaitable<void> registry::remove(std::string_view name) const {
  return detail::on_home(core(), detail::registry_core::remove(core(), std::string(name)));
}
COMCP_DECL asio::awaitable<void> registry::restart(std::string_view name) const {
  return detail::on_home(core(), detail::registry_core::restart(core(), std::string(name)));
}
COMCP_DECL asio::awaitable<void> registry::close() const {
  return detail::on_home(core(), detail::registry_core::close(core()));
}
COMCP_DECL asio::awaitable<bool> registry::settled(std::chrono::nanoseconds limit) const {
  return detail::on_home(core(), detail::registry_core::settled(core(), limit));
}

COMCP_DECL std::vector<std::string> registry::servers() const { return core()->servers(); }
COMCP_DECL result<server_status> registry::status(std::string_view name) const { return core()->status(name); }
COMCP_DECL result<server_config> registry::config(std::string_view name) const { return core()->config(name); }
COMCP_DECL result<client> registry::find(std::string_view name) const { return core()->find(name); }
COMCP_DECL catalog_view<tool> registry::tools() const { return core()->view<tool>(); }
COMCP_DECL catalog_view<resource> registry::resources() const { return core()->view<resource>(); }
COMCP_DECL catalog_view<resource_template> registry::resource_templates() const {
  return core()->view<resource_template>();
}
COMCP_DECL catalog_view<comcp::prompt> registry::prompts() const { return core()->view<comcp::prompt>(); }
COMCP_DECL std::vector<blocked_tool> registry::blocked() const { return core()->blocked(); }
COMCP_DECL result<std::string> registry::instructions(std::string_view server) const {
  return core()->instructions(server);
}
COMCP_DECL std::vector<catalog_fault> registry::faults() const { return core()->faults(); }
COMCP_DECL asio::any_io_executor registry::get_executor() const { return core()->home(); }

COMCP_DECL asio::awaitable<call_tool_result> registry::call(std::string_view tool, json::fragment arguments,
                                                            call_options options) const {
  auto work = detail::registry_core::call(core(), std::string(tool), std::move(arguments), std::move(options));
  return detail::on_home(core(), std::move(work));
}

namespace detail {

template <class T>
asio::awaitable<T> server_operation(registry_core::self const& core, std::string_view server, call_options options,
                                    registry_core::operation<T> op) {
  auto work = registry_core::with_server<T>(core, std::string(server), std::move(options), std::move(op));
  return on_home(core, std::move(work));
}

}  // namespace detail

COMCP_DECL asio::awaitable<read_resource_result> registry::read(std::string_view server, std::string_view uri,
                                                                call_options options) const {
  auto op = [uri = std::string(uri)](client const& c, call_options o) { return c.read_resource(uri, std::move(o)); };
  return detail::server_operation<read_resource_result>(core(), server, std::move(options), std::move(op));
}
COMCP_DECL asio::awaitable<get_prompt_result> registry::prompt(std::string_view server, std::string_view name,
                                                               json::fragment arguments, call_options options) const {
  auto work = detail::registry_core::prompt_of(core(), std::string(server), std::string(name), std::move(arguments),
                                               std::move(options));
  return detail::on_home(core(), std::move(work));
}
COMCP_DECL asio::awaitable<void> registry::subscribe(std::string_view server, std::string_view uri, updated_callback f,
                                                     call_options options) const {
  auto work = detail::registry_core::subscribe(core(), std::string(server), std::string(uri), std::move(f), std::move(options));
  return detail::on_home(core(), std::move(work));
}
COMCP_DECL asio::awaitable<void> registry::unsubscribe(std::string_view server, std::string_view uri,
                                                       call_options options) const {
  auto work = detail::registry_core::unsubscribe(core(), std::string(server), std::string(uri), std::move(options));
  return detail::on_home(core(), std::move(work));
}
COMCP_DECL asio::awaitable<void> registry::refresh(std::string_view server) const {
  return detail::on_home(core(), detail::registry_core::refresh(core(), std::string(server)));
}
COMCP_DECL asio::awaitable<void> registry::refresh() const {
  return detail::on_home(core(), detail::registry_core::refresh_all(core()));
}

}  // namespace comcp
