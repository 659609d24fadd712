// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Recording a connection as JSON lines, one for each message: {"time", "direction", "message"}. What looks like a
// secret is replaced before anything is written; where the lines go is the caller's decision.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <comcp/json/value.hpp>
#include <comcp/trace/tracer.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// Whether a member of this name is likely to hold a secret: passwords, secrets, tokens, API keys, credentials,
/// authorization, cookies, session ids. Case, '-' and '_' do not matter. `progressToken` and the like are none.
[[nodiscard]] bool is_secret_key(std::string_view key);

/// The JSON text of `v` in which "***" stands for secrets: strings and numbers whose own key, or whose array's, is a secret
/// one (in a schema only the defaults and examples of such a field), the "value" of an object whose "name" is a secret key, and inside of any string:
/// bearer and basic credentials, NAME=value with a secret name, passwords of URLs, and JSON text with any of these.
/// A secret in prose, or under a harmless name, cannot be seen and stays.
[[nodiscard]] std::string redacted(json::view v);
/// The same of one string.
[[nodiscard]] std::string redacted(std::string_view text);

/// One line of a recording, without its newline. A message that does not parse is told by its size alone, since
/// nothing can be redacted in it: {"time", "direction", "unreadable": bytes}.
[[nodiscard]] std::string record_line(direction way, std::string_view message,
                                      std::chrono::system_clock::time_point at);

/// A tracer for connect_options::trace() that gives each line to `write`, on the client's executor.
[[nodiscard]] tracer record_to(std::function<void(std::string_view line)> write,
                               std::function<std::chrono::system_clock::time_point()> now = {});

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/trace/impl/record.ipp>
#endif
