// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/json/canonical.hpp>
#include <comcp/json/writer.hpp>

namespace comcp::json {
namespace detail {

// ECMAScript's Number::toString: the shortest digits, with an exponent below 1e-6 and from 1e21 on.
COMCP_DECL void append_ecmascript(std::string& out, double d) {
  if (d == 0) {
    out += '0';
    return;
  }
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, d < 0 ? -d : d, std::chars_format::scientific).ptr;
  std::string_view const text(buffer, static_cast<std::size_t>(end - buffer));
  auto const e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + 1 + (text[e + 1] == '+' ? 1 : 0), end, exponent);
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  int const count = static_cast<int>(digits.size()), point = exponent + 1;  // 0.digits * 10^point
  if (d < 0) out += '-';
  if (point > 21 || point <= -6) {
    out += digits[0];
    if (count > 1) out.append(".").append(digits, 1);
    out.append(exponent < 0 ? "e" : "e+").append(std::to_string(exponent));
  } else if (point <= 0) {
    out.append("0.").append(static_cast<std::size_t>(-point), '0').append(digits);
  } else if (count <= point) {
    out.append(digits).append(static_cast<std::size_t>(point - count), '0');
  } else {
    auto const whole = static_cast<std::size_t>(point);
    out.append(digits, 0, whole).append(".").append(digits, whole);
  }
}

// Valid UTF-8 in the order of UTF-16 code units: that of the bytes, but surrogates (here four bytes, from F0 on) come
// before U+E000 to U+FFFF (three bytes that begin with EE or EF).
COMCP_DECL bool less_as_utf16(std::string_view a, std::string_view b) noexcept {
  auto const order = [](char c) {
    auto const byte = static_cast<unsigned char>(c);
    return byte == 0xEE || byte == 0xEF ? byte + 0x10 : int{byte};
  };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return order(x) < order(y); });
}

COMCP_DECL void append_canonical(std::string& out, view v) {
  switch (v.kind()) {
    case kind::integer:
    case kind::unsigned_integer:
    case kind::real: append_ecmascript(out, *v.get_double()); return;
    case kind::string: append_string(out, *v.get_string()); return;
    case kind::array: {
      char separator = '[';
      for (auto const e : v.elements()) {
        out += separator;
        separator = ',';
        append_canonical(out, e);
      }
      out += separator == '[' ? "[]" : "]";
      return;
    }
    case kind::object: {
      std::vector<std::pair<member, std::size_t>> members;  // with their places, as std::sort is not stable
      for (auto const m : v.members()) members.emplace_back(m, members.size());
      std::sort(members.begin(), members.end(), [](auto const& a, auto const& b) {
        return a.first.key == b.first.key ? a.second < b.second : less_as_utf16(a.first.key, b.first.key);
      });
      char separator = '{';
      for (auto const& [m, place] : members) {
        out += separator;
        separator = ',';
        append_string(out, m.key);
        out += ':';
        append_canonical(out, m.value);
      }
      out += members.empty() ? "{}" : "}";
      return;
    }
    default: out += v.dump(); return;
  }
}

}  // namespace detail

COMCP_DECL std::string canonical(view v) {
  std::string out;
  detail::append_canonical(out, v);
  return out;
}

}  // namespace comcp::json
