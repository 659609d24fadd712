// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/dispatch.hpp>
#include <asio/io_context.hpp>

#include <comcp/client/impl/core_registry.hpp>
#include <comcp/client/tenant.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL tenant::tenant(asio::any_io_executor home) : home_(std::move(home)) {
  core_registry::of(home_).add(this);
}

COMCP_DECL tenant::~tenant() {
  if (home_) core_registry::of(home_).remove(this);
}

COMCP_LAZY_DECL void tenant::at_home(std::function<void()> end) const {
  if (!home_) return;
  auto const* const context = executor_as<asio::io_context::executor_type>(home_);
  if (context && asio::query(*context, asio::execution::context).stopped()) return end();
  auto const home = home_;  // `end` may hold the last reference to this
  asio::dispatch(home, std::move(end));
}

}  // namespace comcp::detail
