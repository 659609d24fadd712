// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// `server/tool`: names of tools across servers.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <comcp/result.hpp>

namespace comcp {

/// `server` + separator + `tool`.
std::string qualified_name(std::string_view server, std::string_view tool, std::string_view separator = "/");

/// At the first separator; the tool's name may have more of them. Errors: no_separator; invalid_argument (an empty part).
result<std::pair<std::string, std::string>> split_name(std::string_view name, std::string_view separator = "/");

}  // namespace comcp
