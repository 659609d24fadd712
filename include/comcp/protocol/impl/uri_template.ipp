// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>

#include <comcp/protocol/uri_template.hpp>

namespace comcp {

// How each operator joins and encodes: RFC 6570, appendix A.
struct uri_template::operators {
  char op;
  char const* first;
  char separator;
  bool named;
  char const* if_empty;
  bool reserved;

  static operators const& of(char op) noexcept {
    static constexpr operators table[] = {
        {0, "", ',', false, "", false},    {'+', "", ',', false, "", true},   {'#', "#", ',', false, "", true},
        {'.', ".", '.', false, "", false}, {'/', "/", '/', false, "", false}, {';', ";", ';', true, "", false},
        {'?', "?", '&', true, "=", false}, {'&', "&", '&', true, "=", false},
    };
    return *std::find_if(std::begin(table), std::end(table) - 1, [op](auto const& o) { return o.op == op; });
  }
};

namespace uri_detail {

inline bool is_hex(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool is_alnum(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool is_unreserved(char c) noexcept { return is_alnum(c) || (c && std::string_view("-._~").find(c) < 4); }
inline bool is_reserved(char c) noexcept { return c && std::string_view(":/?#[]@!$&'()*+,;=").find(c) < 18; }
inline bool is_triplet(std::string_view s, std::size_t i) noexcept {
  return s[i] == '%' && i + 2 < s.size() && is_hex(s[i + 1]) && is_hex(s[i + 2]);
}

/// Appends `s`, percent-encoded; with `reserved`, reserved characters and percent triplets stay as they are.
COMCP_DECL void encode(std::string& out, std::string_view s, bool reserved) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    auto const c = s[i];
    if (is_unreserved(c) || (reserved && (is_reserved(c) || is_triplet(s, i)))) {
      out += c;
    } else {
      auto const byte = static_cast<unsigned char>(c);
      out += '%';
      out += "0123456789ABCDEF"[byte >> 4];
      out += "0123456789ABCDEF"[byte & 15];
    }
  }
}

/// The first `n` characters of UTF-8 text.
inline std::string_view prefix(std::string_view s, std::size_t n) noexcept {
  std::size_t i = 0;
  while (i < s.size() && n > 0) {
    ++i;
    while (i < s.size() && (static_cast<unsigned char>(s[i]) & 0xC0) == 0x80) ++i;
    --n;
  }
  return s.substr(0, i);
}

/// The text of a plain value; nothing for arrays and objects.
inline std::optional<std::string> scalar(json::view v) {
  if (auto const s = v.get_string()) return std::string(*s);
  if (v.is_array() || v.is_object()) return {};
  return v.dump();
}

/// varname of RFC 6570: letters, digits, underscores and triplets, single dots between them.
inline bool is_name(std::string_view s) noexcept {
  bool dot_allowed = false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '.') {
      if (!dot_allowed) return false;
      dot_allowed = false;
      continue;
    }
    if (is_triplet(s, i)) {
      i += 2;
    } else if (!is_alnum(s[i]) && s[i] != '_') {
      return false;
    }
    dot_allowed = true;
  }
  return dot_allowed;
}

inline error fault(std::string_view what, std::size_t offset) {
  return {errc::invalid_argument, "URI template: " + std::string(what) + " at offset " + std::to_string(offset)};
}

}  // namespace uri_detail

COMCP_DECL result<uri_template> uri_template::parse(std::string_view text) {
  uri_template t;
  t.text_ = text;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '}') return uri_detail::fault("'}' without '{'", i);
    if (text[i] != '{') {
      auto const end = std::min(text.find_first_of("{}", i), text.size());
      uri_detail::encode(t.parts_.emplace_back().literal, text.substr(i, end - i), true);
      i = end;
      continue;
    }
    auto const end = text.find_first_of("{}", i + 1);
    if (end == text.npos || text[end] == '{') return uri_detail::fault("'{' without '}'", i);
    if (auto parsed = t.parse_expression(text.substr(i + 1, end - i - 1), i + 1); !parsed) return parsed.error();
    i = end + 1;
  }
  return t;
}

COMCP_DECL result<void> uri_template::parse_expression(std::string_view text, std::size_t offset) {
  part p;
  if (!text.empty() && std::string_view("+#./;?&").find(text[0]) != text.npos) {
    p.op = text[0];
    text.remove_prefix(1);
    ++offset;
  }
  for (bool more = true; more;) {
    auto const comma = text.find(',');
    auto spec = text.substr(0, comma);
    variable v;
    if (spec.ends_with('*')) {
      v.explode = true;
      spec.remove_suffix(1);
    } else if (auto const colon = spec.find(':'); colon != spec.npos) {
      auto const digits = spec.substr(colon + 1);
      bool const good = !digits.empty() && digits.size() <= 4 && digits[0] != '0' &&
                        digits.find_first_not_of("0123456789") == digits.npos;
      if (!good) return uri_detail::fault("a prefix that is not 1 to 9999", offset + colon);
      for (char const d : digits) v.prefix = v.prefix * 10 + static_cast<std::size_t>(d - '0');
      spec = spec.substr(0, colon);
    }
    if (!uri_detail::is_name(spec)) return uri_detail::fault("no variable name", offset);
    v.name = spec;
    if (std::find(variables_.begin(), variables_.end(), v.name) == variables_.end()) variables_.push_back(v.name);
    p.variables.push_back(std::move(v));
    more = comma != text.npos;
    if (more) {
      text.remove_prefix(comma + 1);
      offset += comma + 1;
    }
  }
  parts_.push_back(std::move(p));
  return {};
}

namespace uri_detail {

/// One value among those of its expression: where separators and names go.
struct sink {
  std::string& out;
  char const* first;
  char separator;
  bool named;
  char const* if_empty;
  bool reserved;
  bool started = false;

  void begin() {
    if (started) {
      out += separator;
    } else {
      out += first;
    }
    started = true;
  }
  void pair(std::string_view key, bool key_reserved, std::string_view value, bool with_name) {
    begin();
    if (with_name) {
      encode(out, key, key_reserved);
      if (value.empty()) {
        out += if_empty;
        return;
      }
      out += '=';
    }
    encode(out, value, reserved);
  }
};

inline error nested(std::string_view name) {
  return {errc::invalid_argument, "URI template: the value of \"" + std::string(name) + "\" is nested too deep"};
}

/// The members of a list or object: texts, with keys for an object. Null members are left out.
COMCP_DECL result<std::vector<std::pair<std::string, std::string>>> members_of(json::view v, std::string_view name) {
  std::vector<std::pair<std::string, std::string>> all;
  auto const add = [&all](std::string_view key, json::view member) {
    if (member.is_null()) return true;
    auto text = scalar(member);
    if (text) all.emplace_back(key, std::move(*text));
    return text.has_value();
  };
  for (auto const e : v.elements()) {
    if (!add({}, e)) return nested(name);
  }
  for (auto const m : v.members()) {
    if (!add(m.key, m.value)) return nested(name);
  }
  return all;
}

/// A list or object without explode is one value with commas.
COMCP_DECL void join(sink& s, std::string_view name, bool object,
                     std::vector<std::pair<std::string, std::string>> const& all) {
  s.begin();
  if (s.named) {
    s.out += name;
    s.out += '=';
  }
  bool first = true;
  for (auto const& [key, value] : all) {
    if (!first) s.out += ',';
    first = false;
    if (object) {
      encode(s.out, key, s.reserved);
      s.out += ',';
    }
    encode(s.out, value, s.reserved);
  }
}

}  // namespace uri_detail

COMCP_DECL result<void> uri_template::expand_part(part const& p, json::view variables, std::string& out) {
  auto const& how = operators::of(p.op);
  uri_detail::sink s{out, how.first, how.separator, how.named, how.if_empty, how.reserved};
  for (auto const& v : p.variables) {
    auto const found = variables.find(v.name);
    if (!found || found->is_null()) continue;
    if (auto const text = uri_detail::scalar(*found)) {
      s.pair(v.name, true, v.prefix ? uri_detail::prefix(*text, v.prefix) : std::string_view(*text), how.named);
      continue;
    }
    if (v.prefix)
      return error(errc::invalid_argument, "URI template: \"" + v.name + "\" has a prefix, but its value is no string");
    auto const all = uri_detail::members_of(*found, v.name);
    if (!all) return all.error();
    if (all->empty()) continue;
    if (!v.explode) {
      uri_detail::join(s, v.name, found->is_object(), *all);
    } else {
      for (auto const& [key, value] : *all) {
        if (found->is_array()) {
          s.pair(v.name, true, value, how.named);
        } else if (how.named) {
          s.pair(key, how.reserved, value, true);
        } else {  // here an empty value keeps its '='
          s.begin();
          uri_detail::encode(out, key, how.reserved);
          out += '=';
          uri_detail::encode(out, value, how.reserved);
        }
      }
    }
  }
  return {};
}

COMCP_DECL result<std::string> uri_template::expand(json::view variables) const {
  if (!variables.is_object()) return error(errc::invalid_argument, "URI template: the variables are not an object");
  std::string out;
  for (auto const& p : parts_) {
    if (p.variables.empty()) {
      out += p.literal;
    } else if (auto expanded = expand_part(p, variables, out); !expanded) {
      return expanded.error();
    }
  }
  return out;
}

COMCP_DECL result<std::string> uri_template::expand(json::fragment const& variables) const {
  auto const parsed = json::parse(variables.empty() ? std::string_view("{}") : std::string_view(variables.text()));
  if (!parsed) return parsed.error();
  return expand(parsed->view());
}

}  // namespace comcp
