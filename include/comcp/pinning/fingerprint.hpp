// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The fingerprint of what a server offers: what somebody approved, in 71 characters.
#pragma once

#include <string>
#include <string_view>

#include <comcp/protocol/prompts.hpp>
#include <comcp/protocol/tools.hpp>

namespace comcp {

/// "sha256:" and 64 lower-case hexadecimal digits: SHA-256 of the canonical JSON (RFC 8785) of the definition as
/// tools/list has it. Covered is all that a model, a user or comcp may act on: name, title, description, inputSchema,
/// outputSchema, annotations (they decide on confirmations), execution, icons (users trust what they look like), and
/// every member that comcp does not know. Left out is `_meta` alone: bookkeeping that may differ with each listing, and
/// on which comcp never acts; a host that does should not take the fingerprint as approval of it. A member that is null
/// where its type allows none counts as absent. Where an object has a key twice (lists set such a definition aside) all
/// that came is covered, since readers differ about which one counts. The server's name is not covered: pins have it as
/// their key. Throws comcp::exception (invalid_argument) for a string that is not UTF-8, which no parsed definition has.
std::string fingerprint(tool const& definition);
/// The same of a prompt, as prompts/list has it.
std::string fingerprint(prompt const& definition);

/// Whether the text has the form of a fingerprint.
bool is_fingerprint(std::string_view text) noexcept;

namespace detail {
/// The covered definition as JSON.
json::value pinned_part(tool const& definition);
json::value pinned_part(prompt const& definition);
std::string fingerprint_of(json::view covered);
}  // namespace detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/pinning/impl/fingerprint.ipp>
#endif
