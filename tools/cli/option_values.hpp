// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What single option values mean. Each throws usage_error for a value that it does not understand.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "options.hpp"

namespace cli {

/// "5", "0.5", "500ms", "2s", "1m": more than nothing, at most a day.
std::chrono::nanoseconds parse_duration(std::string const& text);
/// "auto", "legacy", "modern" or a version.
era_choice parse_era(std::string const& text);
/// "inherit" or "hide": whether to show it.
bool parse_stderr(std::string const& text);
/// A level, or "off": none.
std::optional<comcp::log_level> parse_log_level(std::string const& text);
/// "NAME=value".
std::pair<std::string, std::string> parse_variable(std::string const& text);
/// An existing directory as a file:// root.
comcp::root parse_root(std::string const& directory);
/// "Name: value". The value is not quoted in errors: it may be a secret.
std::pair<std::string, std::string> parse_header(std::string const& text);
/// "Name: VARIABLE": a header with what the variable holds.
std::pair<std::string, std::string> parse_header_variable(std::string const& text);
/// The name of a file that is the user's own to read, if it is the user's at all.
std::string private_file(std::string const& option, std::string const& file);
/// What the variable or file holds, without blanks around it. A file is as private_file() wants it.
comcp::secret token_from_environment(std::string const& variable);
comcp::secret token_from_file(std::string const& file);
comcp::secret client_secret_from_environment(std::string const& variable);
/// A JWK where the file holds a JSON object, else PEM.
comcp::private_key key_from_file(std::string const& file);

}  // namespace cli
