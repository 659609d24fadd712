// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <comcp/net/spawn.hpp>
#include <comcp/pool/pool.hpp>

namespace comcp {
namespace detail {

COMCP_LAZY_DECL asio::awaitable<lease> check_out(std::shared_ptr<pool_core> core, std::chrono::nanoseconds timeout) {
  auto taking = core->take(timeout);
  auto turn = co_await std::move(taking);
  co_return std::move(turn).take_lease();
}

}  // namespace detail

COMCP_LAZY_DECL pool::pool(asio::any_io_executor home, server_config config, pool_options options)
    : pool(std::move(home), std::vector<server_config>(1, std::move(config)), std::move(options)) {}

COMCP_LAZY_DECL pool::pool(asio::any_io_executor home, std::vector<server_config> configs, pool_options options)
    : core_(std::make_shared<detail::pool_core>(std::move(home), options)), end_(detail::abandoned_at_end(core_)) {
  core_->begin(configs, options.size());
}

COMCP_LAZY_DECL asio::awaitable<void> pool::warm_up() const { return detail::on_home(core_, core_->warm_up()); }
COMCP_LAZY_DECL asio::awaitable<lease> pool::checkout(timespan timeout) const {
  return detail::on_home(core_, detail::check_out(core_, timeout));
}
COMCP_LAZY_DECL asio::awaitable<std::string> pool::add(server_config config) const {
  return detail::on_home(core_, core_->add(std::move(config)));
}
COMCP_LAZY_DECL asio::awaitable<void> pool::remove(std::string_view name) const {
  return detail::on_home(core_, core_->remove(std::string(name)));
}
COMCP_LAZY_DECL asio::awaitable<void> pool::set_log_level(log_level level, call_options options) const {
  return detail::on_home(core_, core_->set_log_level(level, std::move(options)));
}
COMCP_LAZY_DECL asio::awaitable<void> pool::close() const { return detail::on_home(core_, core_->close()); }
COMCP_LAZY_DECL std::vector<server_status> pool::connections() const { return core_->members().status(); }
COMCP_LAZY_DECL pool_statistics pool::stats() const { return core_->members().statistics(); }
COMCP_LAZY_DECL asio::any_io_executor pool::get_executor() const noexcept {
  return core_ ? core_->home() : asio::any_io_executor();
}

}  // namespace comcp

#include <comcp/pool/impl/calls.ipp>
