// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What an evaluation knows of the instance: where it is, and which parts have been looked at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/schema/impl/index.ipp>

namespace comcp::schema_detail {

/// Which members or elements of one instance have been looked at by subschemas that matched.
struct evaluated {
  bool all = false;
  std::size_t first = 0;             // so many from the start
  std::vector<std::uint64_t> words;  // a bit for each

  void add(std::size_t i) {
    if (i / 64 >= words.size()) words.resize(i / 64 + 1);
    words[i / 64] |= std::uint64_t{1} << i % 64;
  }
  [[nodiscard]] bool has(std::size_t i) const noexcept {
    return all || i < first || (i / 64 < words.size() && (words[i / 64] >> i % 64 & 1) != 0);
  }
  void merge(evaluated&& other) {
    all |= other.all;
    first = std::max(first, other.first);
    if (words.size() < other.words.size()) words.swap(other.words);
    for (std::size_t i = 0; i < other.words.size(); ++i) words[i] |= other.words[i];
  }
};

/// An instance and how it was reached.
struct spot {
  json::view value;
  spot const* outer;
  std::string_view key;  // with null data: an index
  std::size_t index;
};

inline spot element(spot const& of, json::view value, std::size_t i) { return {value, &of, {}, i}; }
inline spot member(spot const& of, json::member const& m) {
  return {m.value, &of, m.key.data() ? m.key : std::string_view("", 0), 0};
}

COMCP_DECL std::string shortened(std::string_view s) {
  constexpr std::size_t most = 1000;
  if (s.size() <= most) return std::string(s);
  auto end = most;
  while (end > 0 && (static_cast<unsigned char>(s[end]) & 0xC0) == 0x80) --end;
  return std::string(s.substr(0, end)) + "...";
}

COMCP_DECL std::string path_of(spot const& on) {
  std::vector<spot const*> all;
  for (auto const* s = &on; s->outer; s = s->outer) all.push_back(s);
  std::string path;
  for (auto s = all.rbegin(); s != all.rend(); ++s)
    path += (*s)->key.data() ? pointer_token((*s)->key) : "/" + std::to_string((*s)->index);
  return path;
}

}  // namespace comcp::schema_detail
