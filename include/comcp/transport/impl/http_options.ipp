// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include <comcp/transport/http_options.hpp>

namespace comcp {
namespace detail {

COMCP_DECL bool belongs_to_protocol(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  static constexpr std::array<std::string_view, 10> reserved{
      "accept", "accept-encoding", "connection",        "content-length", "content-type",
      "host",   "last-event-id",   "transfer-encoding", "te",             "upgrade"};
  return lower.starts_with("mcp-") || std::find(reserved.begin(), reserved.end(), lower) != reserved.end();
}

}  // namespace detail

COMCP_DECL http_options& http_options::header(std::string_view name, std::string_view value) {
  if (detail::belongs_to_protocol(name)) {
    unusable_ = error(errc::invalid_argument, "a header that only comcp may set: " + std::string(name));
  } else if (auto const added = headers_.set(std::string(name), value); !added) {
    unusable_ = added.error();
  }
  return *this;
}

}  // namespace comcp
