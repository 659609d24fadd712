// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// `server/tool`: names of tools across servers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// `server` + separator + `tool`.
std::string qualified_name(std::string_view server, std::string_view tool, std::string_view separator = "/");

/// At the first separator; the tool's name may have more of them. Errors: no_separator; invalid_argument (an empty part).
result<std::pair<std::string, std::string>> split_name(std::string_view name, std::string_view separator = "/");

/// The longest name that a server may have in a registry, in bytes.
inline constexpr std::size_t longest_server_name = 128;

/// Whether a server may be called so: not empty, at most longest_server_name bytes, no control characters, and no
/// separator in it or across its end. Errors: invalid_argument.
result<void> check_server_name(std::string_view name, std::string_view separator = "/");

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/registry/impl/qualified_name.ipp>
#endif
