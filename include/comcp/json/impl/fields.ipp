// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/json/fields.hpp>
#include <comcp/json/impl/access.ipp>

namespace comcp::json {

COMCP_DECL std::string read_error::place(view at) const {
  if (!base_) return detail::place(at);
  auto path = at.path(*base_);
  return path.empty() ? std::string("its root") : path;
}

COMCP_DECL bool read_error::expected(view at, std::string_view what) {
  if (text_.empty()) {
    text_ = "expected " + std::string(what) + " at " + place(at) + ", found " + detail::kind_name(at.kind());
  }
  return false;
}

COMCP_DECL bool read_error::missing(view object, std::string_view key) {
  if (text_.empty()) text_ = "no member \"" + std::string(key) + "\" at " + place(object);
  return false;
}

}  // namespace comcp::json
