// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/client_base.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/client/status_listeners.hpp>

namespace comcp {

COMCP_DECL client_base& client_base::operator=(client_base&& other) noexcept {
  if (this == &other) return *this;
  if (owner_ && core_) core_->abandon();
  core_ = std::move(other.core_);
  owner_ = std::exchange(other.owner_, false);
  return *this;
}

COMCP_DECL client_base::~client_base() {
  if (owner_ && core_) core_->abandon();
}

COMCP_DECL std::shared_ptr<detail::client_link> const& client_base::core() const {
  if (!core_) throw exception(detail::not_connected());
  return core_;
}

COMCP_DECL connection_status client_base::status() const noexcept {
  return core_ ? core_->life().status()->now() : connection_status::disconnected;
}
COMCP_DECL watch_handle client_base::on_status(std::function<void(connection_status)> listener) const {
  auto const& all = core()->life().status();
  return watch_handle([weak = std::weak_ptr(all), id = all->add(std::move(listener))] {
    if (auto const alive = weak.lock()) alive->remove(id);
  });
}
COMCP_DECL implementation client_base::server_info() const { return core()->server()->info; }
COMCP_DECL server_capabilities client_base::capabilities() const { return core()->server()->capabilities; }
COMCP_DECL std::string client_base::instructions() const { return core()->server()->instructions; }
COMCP_DECL protocol_version client_base::protocol_version() const {
  return core()->server()->version.value_or(version::latest);
}
COMCP_DECL era_verdict client_base::verdict() const { return core()->server()->verdict; }
COMCP_DECL std::optional<saved_session> client_base::session() const { return core()->server()->session; }
COMCP_DECL statistics client_base::statistics() const { return core()->statistics(); }
COMCP_DECL asio::any_io_executor client_base::get_executor() const noexcept {
  return core_ ? core_->home() : asio::any_io_executor();
}

}  // namespace comcp
