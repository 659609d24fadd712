// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
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

inline bool has_members(view v) noexcept {
  auto const k = v.kind();
  return k == kind::object || k == kind::array;
}

COMCP_DECL bool unique_keys(view v, read_error& e) {
  for (auto const element : v.elements()) {
    if (has_members(element) && !unique_keys(element, e)) return false;
  }
  constexpr std::size_t few = 12;  // are compared with each other, in place
  std::array<std::string_view, few> first;
  std::vector<std::string_view> all;
  std::size_t count = 0;
  for (auto const m : v.members()) {
    if (has_members(m.value) && !unique_keys(m.value, e)) return false;
    if (count < few) {
      if (std::find(first.begin(), first.begin() + count, m.key) != first.begin() + count) return e.repeated(v, m.key);
      first[count] = m.key;
    } else {
      if (all.empty()) all.assign(first.begin(), first.end());
      all.push_back(m.key);
    }
    ++count;
  }
  std::sort(all.begin(), all.end());
  auto const twice = std::adjacent_find(all.begin(), all.end());
  return twice == all.end() || e.repeated(v, *twice);
}

}  // namespace comcp::json
