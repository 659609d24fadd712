// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands about logins, and when and how to tell of them.
#pragma once

#include <memory>
#include <string>

#include <asio/awaitable.hpp>

#include "handler.hpp"

namespace cli {

/// login, logout, whoami and doctor; gives the exit code. Throws comcp::exception and usage_error, always where comcp was
/// built without TLS.
asio::awaitable<int> run_login_command(std::shared_ptr<surroundings> around);

/// Whether this failure is a server's wish for a login.
bool wants_login(comcp::error const& e) noexcept;
/// The URL without its query, which may hold a secret.
std::string shown_url(std::string const& url);
/// The command line of "login" or "doctor" for the server of the options, without what its URL may hide.
std::string command_about(options const& o, char const* what);

}  // namespace cli
