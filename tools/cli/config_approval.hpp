// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of servers that somebody else may have written: what they read of the environment is shown and asked about,
// once for each content.
#pragma once

#include <string>

#include <comcp/config/configured_server.hpp>

namespace cli {

/// Whether this is a file of the user, in its usual place. Any other may be a project's.
bool is_users_own(std::string const& path);

/// How the server is reached, what it sets, and what it reads of the environment; in lines. Of a file that somebody else
/// may have written all is shown as it stands there, what looks like a secret too: whoever approves it has to see it. Of
/// the user's own files no secret is.
std::string described(comcp::configured_server const& s);

/// Asks whether the servers of the file may read the variables that they name, unless this content was approved at this
/// place before; `yes` is the answer. Throws usage_error where that is no, or nobody is there to answer.
void approve_reading(comcp::config_file const& file, bool yes);

}  // namespace cli
