// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <comcp/protocol/roots.hpp>

namespace comcp {
namespace detail {

// With '.' and '/' as they are, however they are written; a file server on Windows takes '\\' for '/'.
COMCP_DECL std::string plain_path(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    auto const code = path.substr(i, 3);
    bool const dot = code == "%2e" || code == "%2E";
    bool const slash = code == "%2f" || code == "%2F" || code == "%5c" || code == "%5C";
    out += dot ? '.' : slash || path[i] == '\\' ? '/' : path[i];
    if (dot || slash) i += 2;
  }
  return out;
}

}  // namespace detail

COMCP_DECL result<void> check_root(root const& r) {
  constexpr std::string_view scheme = "file://";
  if (!r.uri.starts_with(scheme)) return error(errc::invalid_argument, "a root is a file:// uri, not " + r.uri);
  auto const path = detail::plain_path(std::string_view(r.uri).substr(scheme.size())) + '/';
  if (path.find("/./") != path.npos || path.find("/../") != path.npos)
    return error(errc::invalid_argument, "the path of a root has no \".\" and no \"..\": " + r.uri);
  return {};
}

}  // namespace comcp
