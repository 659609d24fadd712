// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The one place that knows how a server is reached.
#pragma once

#include <memory>

#include <comcp/client/connect.hpp>
#include <comcp/server/server_config.hpp>

#include "handler.hpp"

namespace cli {

/// What the options say of any connection. Opens the file of --trace, once.
comcp::connect_options make_connect_options(options const& o, std::shared_ptr<surroundings> const& around);

/// A client for the server that the options name. Throws comcp::exception and usage_error.
asio::awaitable<comcp::client> connect(std::shared_ptr<surroundings> around);

/// How one of several configured servers is reached: with a stored login where it has one.
asio::awaitable<comcp::server_config> configured_way(comcp::configured_server s, std::shared_ptr<surroundings> around);

}  // namespace cli
