// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/client.hpp>
#include <comcp/client/context.hpp>

namespace comcp {

COMCP_DECL context::context() = default;
COMCP_DECL context::~context() = default;
COMCP_DECL context::context(context const&) = default;
COMCP_DECL context& context::operator=(context const&) = default;

COMCP_DECL trace_context context::trace() const {
  return meta_.is_object() ? trace_context::of(meta_.view()).well_formed() : trace_context();
}

COMCP_DECL std::string context::server_name() const {
  auto const core = core_.lock();
  return core ? core->server()->info.name : std::string();
}

COMCP_DECL void context::progress(double progress, std::optional<double> total, std::string message) const {
  auto const core = core_.lock();
  auto const version = core ? core->server()->version : std::nullopt;
  if (!core || progress_token_.empty() || cancelled() || (version && version->era() == era::modern)) return;
  json::writer w;
  w.begin_object().plain_key("progressToken").raw(progress_token_).plain_key("progress").real(progress);
  if (total) w.plain_key("total").real(*total);
  if (!message.empty()) w.plain_key("message").string(message);
  w.end_object();
  core->notify_now("notifications/progress", w.text());
}

COMCP_DECL void context::fault(error const& what) const {
  if (auto const core = core_.lock()) core->fault(what);
}

COMCP_DECL std::shared_ptr<detail::client_link> detail::link_of(context const& ctx) noexcept { return ctx.core_.lock(); }
COMCP_DECL context detail::with_flag(context const& ctx, std::shared_ptr<bool> cancelled) {
  auto own = ctx;
  own.cancelled_ = std::move(cancelled);
  return own;
}

COMCP_DECL client context::client() const { return comcp::client(core_.lock(), false); }

}  // namespace comcp
