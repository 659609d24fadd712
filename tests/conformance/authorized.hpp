// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How the conformance client is authorized: which options of oauth each auth/* scenario wants, and a browser without a
// user.
#pragma once

#include <string>

#include <comcp/comcp.hpp>

namespace conformance {

/// A client for this server. `context` is the scenario's own data.
asio::awaitable<comcp::client> connect_authorized(std::string url, std::string scenario, comcp::json::value context,
                                                  comcp::connect_options options);

}  // namespace conformance
