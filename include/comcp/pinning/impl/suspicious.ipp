// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/pinning/fingerprint.hpp>
#include <comcp/pinning/suspicious.hpp>

namespace comcp {
namespace detail {

class suspicious_search {
 public:
  suspicious_search(std::vector<suspicious_character>& out, std::size_t limit) : out_(out), limit_(limit) {}

  void value(json::view v) {
    if (auto const s = v.get_string()) text(*s, false);
    std::size_t index = 0;
    for (auto const e : v.elements()) step(std::to_string(index++), [&] { value(e); });
    for (auto const [key, inner] : v.members()) {
      step(escaped(key), [&, k = key, i = inner] {
        text(k, true);
        value(i);
      });
    }
  }

 private:
  template <class F>
  void step(std::string const& name, F const& inside) {
    if (out_.size() >= limit_) return;
    auto const size = path_.size();
    path_.append("/").append(name);
    inside();
    path_.resize(size);
  }
  static std::string escaped(std::string_view key) {
    std::string name;
    for (char const c : key) name += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return name;
  }

  void text(std::string_view s, bool in_key) {
    for (character_scan at(s); out_.size() < limit_ && at.next();) {
      if (at.why()) found(in_key, at.start(), at.code(), *at.why());
    }
  }

  void found(bool in_key, std::size_t offset, char32_t c, suspicion why) {
    auto& one = out_.emplace_back();
    one.where = path_;
    one.in_key = in_key;
    one.offset = offset;
    one.code_point = c;
    one.why = why;
  }

  std::vector<suspicious_character>& out_;
  std::size_t limit_;
  std::string path_;
};

}  // namespace detail

COMCP_DECL std::string suspicious_character::to_string() const {
  return visible(where) + (in_key ? " (its key), byte " : ", byte ") + std::to_string(offset) + ": " +
         detail::code_point_name(code_point) + " (" + std::string(to_text(why)) + ")";
}

COMCP_DECL std::vector<suspicious_character> find_suspicious(json::view text, std::size_t limit) {
  std::vector<suspicious_character> out;
  detail::suspicious_search(out, limit).value(text);
  return out;
}

COMCP_DECL std::vector<suspicious_character> find_suspicious(tool const& definition, std::size_t limit) {
  auto const covered = detail::pinned_part(definition);
  return find_suspicious(covered, limit);
}
COMCP_DECL std::vector<suspicious_character> find_suspicious(prompt const& definition, std::size_t limit) {
  auto const covered = detail::pinned_part(definition);
  return find_suspicious(covered, limit);
}

}  // namespace comcp
