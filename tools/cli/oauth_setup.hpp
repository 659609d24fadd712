// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Logins as the options describe them: where they are kept, who the client is, and over what its requests go. Nothing of
// this is there without TLS.
#pragma once

#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS

#include <memory>
#include <optional>
#include <string>

#include <comcp/auth/oauth.hpp>

#include "handler.hpp"

namespace cli {

/// Without a user agent: nobody is asked. Over the same proxy, and with the same authorities, as what goes to the server;
/// its client certificate and --insecure are for the server that the user named, not for those that it names. Throws
/// usage_error where there is no place for logins.
comcp::oauth_options make_oauth_options(options const& o);

/// Tells where tokens are good for more than the server.
void warn_of_wider_tokens(comcp::oauth_options& options, std::shared_ptr<surroundings> const& around);

/// An authenticator for the server of the options, which outlive this, where a login is stored for it or is to be had
/// without a user. What is wrong with the store is told.
asio::awaitable<std::optional<comcp::oauth>> usable_login(options const& o, std::shared_ptr<surroundings> around);

/// login.cpp: when the token expires, for people.
std::string expiry(comcp::login_status const& s);
/// doctor.cpp
asio::awaitable<int> run_doctor(std::shared_ptr<surroundings> around);

}  // namespace cli

#endif
