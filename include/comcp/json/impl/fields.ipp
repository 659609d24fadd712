// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

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

COMCP_DECL bool read_error::repeated(view object, std::string_view key) {
  if (text_.empty()) text_ = "the key \"" + std::string(key) + "\" comes twice at " + place(object);
  return false;
}

COMCP_DECL bool unique_keys(view v, read_error& e) {
  for (auto const element : v.elements()) {
    if (!unique_keys(element, e)) return false;
  }
  std::vector<std::string_view> keys;
  for (auto const m : v.members()) {
    if (!unique_keys(m.value, e)) return false;
    keys.push_back(m.key);
  }
  std::sort(keys.begin(), keys.end());
  auto const twice = std::adjacent_find(keys.begin(), keys.end());
  return twice == keys.end() || e.repeated(v, *twice);
}

}  // namespace comcp::json
