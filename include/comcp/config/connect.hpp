// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From a configured server to what a registry, a pool or a live_server is given. The one header of config/ that brings
// the transports along.
#pragma once

#include <comcp/config/configured_server.hpp>
#include <comcp/server/server_config.hpp>

namespace comcp {

namespace detail {
struct to_server_config {
  COMCP_LAZY [[nodiscard]] server_config operator()(configured_server const& s) const;
};
}  // namespace detail

/// The server of an expanded entry (expand_server()), its timeout among the options, and a handshake that may take as
/// long as the start. stdio: without a shell, in `cwd` or the directory of the host, with `env` beside the safe default
/// variables. Headers are sent with every request. Names and reconnect_policy are for the caller to say.
inline constexpr detail::to_server_config to_server_config;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/config/impl/connect.ipp>
#endif
