// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Equality of JSON values that counts its work and stays near linear for hostile ones, which json::view's does not.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/json/value.hpp>
#include <comcp/schema/pattern.hpp>

namespace comcp::schema_detail {

/// Takes its work from `steps`; with none left the answers mean nothing.
class comparison {
 public:
  explicit comparison(std::uint64_t& steps) noexcept : steps_(steps) {}

  bool equal(json::view a, json::view b) {
    if (!step()) return false;
    if (a.is_array() && b.is_array()) {
      auto const x = a.elements();
      auto const y = b.elements();
      if (a.size() != b.size()) return false;
      return std::equal(x.begin(), x.end(), y.begin(), y.end(), [this](auto i, auto j) { return equal(i, j); });
    }
    if (a.is_string() && b.is_string()) {
      auto const x = *a.get_string(), y = *b.get_string();
      return x.size() == y.size() && step(1 + x.size() / 64) && x == y;
    }
    if (!a.is_object() || !b.is_object()) return a == b;
    if (a.size() != b.size()) return false;
    auto const x = sorted_members(a);
    auto const y = sorted_members(b);
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [this](auto const& i, auto const& j) { return i.key == j.key && equal(i.value, j.value); });
  }

  // By sorted hashes: a peer that knows how a hash table places them could make one quadratic.
  bool is_unique(json::view v) {
    std::size_t const n = v.size();
    if (!step(n * bits(n) / 4)) return true;
    std::vector<std::pair<std::size_t, json::view>> all;
    all.reserve(v.is_array() ? n : 0);
    for (auto const e : v.elements()) all.emplace_back(hash(e), e);
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < all.size() && steps_ > 0; ++i) {
      for (auto j = i + 1; j < all.size() && all[j].first == all[i].first && steps_ > 0; ++j) {
        if (equal(all[i].second, all[j].second)) return false;
      }
    }
    return true;
  }

 private:
  bool step(std::uint64_t n = 1) { return pay(steps_, n); }
  static std::uint64_t bits(std::size_t n) noexcept { return static_cast<std::uint64_t>(std::bit_width(n)); }

  std::vector<json::member> sorted_members(json::view v) {
    std::vector<json::member> out;
    std::uint64_t work = 0;
    for (auto const m : v.members()) work += 1 + m.key.size() / 64;
    if (!step(work * bits(v.size()))) return out;
    for (auto const m : v.members()) out.push_back(m);
    std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.key < b.key; });
    return out;
  }

  std::size_t hash(json::view v) {
    if (!step()) return 0;
    auto const mix = [](std::size_t h, std::size_t more) { return (h ^ more) * 0x9E3779B1u + (h >> 7); };
    auto h = static_cast<std::size_t>(v.kind());
    if (v.is_number()) {
      if (auto const i = v.get_int64()) return mix(1, std::hash<std::int64_t>()(*i));
      if (auto const u = v.get_uint64()) return mix(2, std::hash<std::uint64_t>()(*u));
      return mix(3, std::hash<double>()(*v.get_double()));
    }
    if (auto const s = v.get_string()) return step(s->size() / 16) ? mix(h, std::hash<std::string_view>()(*s)) : 0;
    if (auto const b = v.get_bool()) return mix(h, *b ? 2 : 1);
    for (auto const e : v.elements()) h = mix(h, hash(e));
    for (auto const m : v.members()) {
      if (step(m.key.size() / 16)) h += mix(std::hash<std::string_view>()(m.key), hash(m.value));
    }
    return h;
  }

  std::uint64_t& steps_;
};

}  // namespace comcp::schema_detail
