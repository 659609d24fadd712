// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The registry as its users hold it: arguments are copied, and the work goes home. And its core.
#pragma once

#include <comcp/net/serial.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/registry/registry.hpp>
#include <comcp/registry/registry_core.hpp>

namespace comcp {
namespace detail {

COMCP_LAZY_DECL registry_core::registry_core(asio::any_io_executor home, registry_options o)
    : tenant_of(std::move(home)),
      options(std::move(o)),
      time(options.time() ? options.time() : steady_time()),
      told_at(std::make_shared<owner_home>(home_)),
      servers(*this),
      offers(options),
      refresher(*this),
      calls(*this) {}

COMCP_LAZY_DECL std::shared_ptr<registry_core> make_registry_core(asio::any_io_executor home,
                                                                  registry_options options) {
  if (options.separator().empty()) throw exception(error(errc::invalid_argument, "a separator is never empty"));
  return std::make_shared<registry_core>(serial(std::move(home)), std::move(options));
}

COMCP_LAZY_DECL std::shared_ptr<void> end_of(std::shared_ptr<registry_core> core) {
  return abandoned_at_end(std::move(core));
}

COMCP_LAZY_DECL std::shared_ptr<registry_core> const& there(std::shared_ptr<registry_core> const& core) {
  if (!core) throw exception(error(errc::closed, "this registry was moved from"));
  return core;
}

COMCP_LAZY_DECL void registry_core::abandon() noexcept {
  at_home([self = shared_from_this()] { self->servers.abrupt(); });
  servers.cut();  // should home never run again
}

COMCP_LAZY_DECL void registry_core::spawn(asio::awaitable<void> work) {
  detail::spawn(home_, std::move(work), asio::cancellation_slot(), shared_from_this());
}

COMCP_LAZY_DECL void registry_core::lose_context() noexcept {
  told_at->gone();
  servers.context_gone();
}

}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<void> registry::add(std::string_view name, server_config config) const {
  return detail::on_home(detail::there(core_), detail::there(core_)->servers.add(std::string(name), std::move(config)));
}
COMCP_LAZY_DECL asio::awaitable<void> registry::remove(std::string_view name) const {
  return detail::on_home(detail::there(core_), detail::there(core_)->servers.remove(std::string(name)));
}
COMCP_LAZY_DECL asio::awaitable<void> registry::reconnect(std::string_view name) const {
  return detail::on_home(detail::there(core_), detail::there(core_)->servers.restart(std::string(name)));
}
COMCP_LAZY_DECL asio::awaitable<void> registry::close() const {
  return detail::on_home(detail::there(core_), detail::there(core_)->servers.close());
}
COMCP_LAZY_DECL asio::awaitable<bool> registry::settled(timespan limit) const {
  return detail::on_home(detail::there(core_), detail::there(core_)->servers.settled(limit));
}

COMCP_LAZY_DECL std::vector<std::string> registry::servers() const { return detail::there(core_)->servers.names(); }
COMCP_LAZY_DECL result<server_status> registry::status(std::string_view name) const {
  return detail::there(core_)->servers.status(name);
}
COMCP_LAZY_DECL result<server_config> registry::config(std::string_view name) const {
  return detail::there(core_)->servers.config(name);
}
COMCP_LAZY_DECL result<client> registry::find(std::string_view name) const { return detail::there(core_)->servers.connection(name); }
COMCP_LAZY_DECL catalog_view<tool> registry::tools() const { return detail::there(core_)->offers.view<tool>(); }
COMCP_LAZY_DECL catalog_view<resource> registry::resources() const { return detail::there(core_)->offers.view<resource>(); }
COMCP_LAZY_DECL catalog_view<resource_template> registry::resource_templates() const {
  return detail::there(core_)->offers.view<resource_template>();
}
COMCP_LAZY_DECL catalog_view<comcp::prompt> registry::prompts() const { return detail::there(core_)->offers.view<comcp::prompt>(); }
COMCP_LAZY_DECL std::vector<blocked_tool> registry::blocked() const { return detail::there(core_)->offers.blocked(); }
COMCP_LAZY_DECL result<std::string> registry::instructions(std::string_view server) const {
  return detail::there(core_)->offers.instructions(server);
}
COMCP_LAZY_DECL std::vector<catalog_fault> registry::faults() const { return detail::there(core_)->offers.faults(); }
COMCP_LAZY_DECL registry_statistics registry::statistics() const {
  auto const& core = *detail::there(core_);
  registry_statistics all;
  for (auto& name : core.servers.names()) {
    auto const now = core.servers.status(name);
    if (!now) continue;  // removed meanwhile
    auto& one = all.servers.emplace_back();
    one.state = now->state;
    one.failures = now->failures;
    one.starts = now->starts;
    if (auto const c = core.servers.connection(name)) one.calls = c->statistics();
    one.name = std::move(name);
    if (one.state == server_state::ready) ++all.ready;
  }
  all.total = all.servers.size();
  core.offers.count(all.servers);
  return all;
}
COMCP_LAZY_DECL asio::any_io_executor registry::get_executor() const noexcept {
  return core_ ? core_->home() : asio::any_io_executor();
}

namespace registry_detail {

template <class T>
using operation = std::function<asio::awaitable<T>(call_options)>;

template <class T>
asio::awaitable<T> in_span(std::shared_ptr<detail::registry_core> core, char const* name, std::string target,
                           call_options options, operation<T> f) {
  auto of = detail::span_of_call(core->options.spans(), span_layer::registry, name, options);
  of.set("comcp.target", std::move(target));
  try {
    auto work = f(std::move(options));
    if constexpr (std::is_void_v<T>) {
      co_await std::move(work);
      of.end();
    } else {
      auto value = co_await std::move(work);
      of.end();
      co_return value;
    }
  } catch (...) {
    of.fail(detail::current_error());
    throw;
  }
}

template <class T, class F>
asio::awaitable<T> start(std::shared_ptr<detail::registry_core> const& core, char const* name, std::string_view target,
                         call_options options, F f) {
  if (!core->options.spans()) return detail::on_home(core, f(std::move(options)));
  return detail::on_home(core, in_span<T>(core, name, std::string(target), std::move(options), std::move(f)));
}

}  // namespace registry_detail

COMCP_LAZY_DECL asio::awaitable<call_tool_result> registry::call(std::string_view tool, json::fragment arguments,
                                                                 call_options options) const {
  return registry_detail::start<call_tool_result>(
      detail::there(core_), "registry.call", tool, std::move(options),
      [c = detail::there(core_).get(), tool = std::string(tool), arguments = std::move(arguments)](call_options o) mutable {
        return c->calls.call(std::move(tool), std::move(arguments), std::move(o));
      });
}
COMCP_LAZY_DECL asio::awaitable<read_resource_result> registry::read(std::string_view server, std::string_view uri,
                                                                     call_options options) const {
  return registry_detail::start<read_resource_result>(
      detail::there(core_), "registry.read", server, std::move(options),
      [c = detail::there(core_).get(), server = std::string(server), uri = std::string(uri)](call_options o) mutable {
        return c->calls.read(std::move(server), std::move(uri), std::move(o));
      });
}
COMCP_LAZY_DECL asio::awaitable<get_prompt_result> registry::prompt(std::string_view server, std::string_view name,
                                                                    json::fragment arguments,
                                                                    call_options options) const {
  return registry_detail::start<get_prompt_result>(
      detail::there(core_), "registry.prompt", server, std::move(options),
      [c = detail::there(core_).get(), server = std::string(server), name = std::string(name),
       arguments = std::move(arguments)](call_options o) mutable {
        return c->calls.prompt(std::move(server), std::move(name), std::move(arguments), std::move(o));
      });
}
COMCP_LAZY_DECL asio::awaitable<void> registry::subscribe(std::string_view server, std::string_view uri,
                                                          updated_callback f, call_options options) const {
  return registry_detail::start<void>(
      detail::there(core_), "registry.subscribe", server, std::move(options),
      [c = detail::there(core_).get(), server = std::string(server), uri = std::string(uri), f = std::move(f)](call_options o) mutable {
        return c->calls.subscribe(std::move(server), std::move(uri), std::move(f), std::move(o));
      });
}
COMCP_LAZY_DECL asio::awaitable<void> registry::unsubscribe(std::string_view server, std::string_view uri,
                                                            call_options options) const {
  return registry_detail::start<void>(
      detail::there(core_), "registry.unsubscribe", server, std::move(options),
      [c = detail::there(core_).get(), server = std::string(server), uri = std::string(uri)](call_options o) mutable {
        return c->calls.unsubscribe(std::move(server), std::move(uri), std::move(o));
      });
}
COMCP_LAZY_DECL asio::awaitable<void> registry::refresh(std::string_view server) const {
  return detail::on_home(detail::there(core_), detail::there(core_)->refresher.refresh(std::string(server)));
}
COMCP_LAZY_DECL asio::awaitable<void> registry::refresh() const {
  return detail::on_home(detail::there(core_), detail::there(core_)->refresher.refresh_all());
}

}  // namespace comcp
