// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
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

namespace detail {

// One bit of 64 for each key: keys of other bits are other keys.
inline std::uint64_t key_bit(std::string_view key) noexcept {
  auto const first = key.empty() ? 0U : static_cast<unsigned char>(key.front());
  auto const last = key.empty() ? 0U : static_cast<unsigned char>(key.back());
  return std::uint64_t{1} << ((first * 7 + last * 3 + key.size()) & 63);
}

// A key of the object at `object` that comes twice in it.
COMCP_DECL std::optional<std::string_view> repeated_key(document const& d, std::size_t object) {
  std::vector<std::string_view> all;
  for (auto i = object + 1; i != d.place_at(object); i = d.after(d.after(i))) all.push_back(d.string_at(i));
  std::sort(all.begin(), all.end());
  auto const twice = std::adjacent_find(all.begin(), all.end());
  return twice == all.end() ? std::nullopt : std::optional(*twice);
}

// The key at `i`, among those that begin at `first`.
COMCP_DECL bool came_before(document const& d, std::size_t first, std::size_t i) {
  auto const key = d.string_at(i);
  while (first != i && d.string_at(first) != key) first = d.after(d.after(first));
  return first != i;
}

COMCP_DECL bool unique_keys_at(document const& d, std::size_t at, read_error& e) {
  constexpr std::size_t few = 12;  // are compared with each other, where their bits are the same
  bool const object = d.kind_at(at) == kind::object;
  std::size_t count = 0;
  std::uint64_t bits = 0;
  bool in_doubt = false;
  for (auto i = at + 1; i != d.place_at(at); i = d.after(i)) {
    if (object) {
      auto const bit = key_bit(d.string_at(i));
      if (bits & bit) {
        if (++count <= few && came_before(d, at + 1, i)) return e.repeated(d.at(at), d.string_at(i));
        in_doubt = in_doubt || count > few;
      }
      bits |= bit;
      i = d.after(i);
    }
    if (d.kind_at(i) >= kind::array && !unique_keys_at(d, i, e)) return false;
  }
  auto const twice = in_doubt ? repeated_key(d, at) : std::nullopt;
  return !twice || e.repeated(d.at(at), *twice);
}

}  // namespace detail

COMCP_DECL bool unique_keys(view v, read_error& e) {
  return v.kind() < kind::array || detail::unique_keys_at(*v.owner_, v.at_, e);
}

}  // namespace comcp::json
