// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Types, and exact comparison and division of JSON numbers, whatever kind they were parsed as.
#pragma once

#include <charconv>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <comcp/json/value.hpp>
#include <comcp/schema/pattern.hpp>

namespace comcp::schema_detail {

inline bool is_integer(json::view v) noexcept {
  if (v.kind() != json::kind::real) return v.is_number();
  auto const d = *v.get_double();
  return d == std::trunc(d);
}

inline constexpr std::string_view type_names[] = {"null", "boolean", "integer", "number", "string", "array", "object"};

/// Whether v has one of the types in the mask; the bits are those of type_names.
COMCP_DECL bool has_type(json::view v, std::size_t mask) noexcept {
  auto const has = [mask](std::size_t bit) { return (mask >> bit & 1) != 0; };
  switch (v.kind()) {
    case json::kind::null: return has(0);
    case json::kind::boolean: return has(1);
    case json::kind::string: return has(4);
    case json::kind::array: return has(5);
    case json::kind::object: return has(6);
    default: return has(3) || (has(2) && is_integer(v));
  }
}

/// Whether a < b. Precondition: numbers.
COMCP_DECL bool less(json::view a, json::view b) noexcept {
  if (a.kind() != json::kind::real && b.kind() != json::kind::real) {
    auto const x = a.get_int64();
    auto const y = b.get_int64();
    if (x && y) return *x < *y;
    if (!x && !y) return *a.get_uint64() < *b.get_uint64();
    return x.has_value();  // what does not fit a signed integer is larger
  }
  auto const x = *a.get_double();
  auto const y = *b.get_double();
  if (x != y || std::abs(x) < 0x1p53) return x < y;
  // Equal once rounded: integers decide, where both are such (reals of this size have no fraction).
  if (auto const i = a.get_int64(), j = b.get_int64(); i && j) return *i < *j;
  if (auto const i = a.get_uint64(), j = b.get_uint64(); i && j) return *i < *j;
  return false;
}

/// digits * 10^exponent, the shortest that reads back as the same number.
struct decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

COMCP_DECL decimal to_decimal(json::view v) noexcept {
  decimal out;
  if (auto const i = v.get_int64()) {
    out.digits = *i < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(*i) : static_cast<std::uint64_t>(*i);
    return out;
  }
  if (auto const u = v.get_uint64()) return {*u, 0};
  char text[40];
  auto const end =
      std::to_chars(text, text + sizeof text, std::abs(*v.get_double()), std::chars_format::scientific).ptr;
  bool fraction = false;
  for (char const* p = text; p != end; ++p) {
    if (*p == 'e') {
      if (p + 1 != end && p[1] == '+') ++p;
      int exponent = 0;
      std::from_chars(p + 1, end, exponent);
      out.exponent += exponent;
      break;
    }
    if (*p == '.') {
      fraction = true;
    } else {
      out.digits = out.digits * 10 + static_cast<std::uint64_t>(*p - '0');
      if (fraction) --out.exponent;
    }
  }
  return out;
}

/// value * 10^power modulo m, without overflow.
COMCP_DECL std::uint64_t scaled_remainder(std::uint64_t value, int power, std::uint64_t m) noexcept {
  auto const add = [m](std::uint64_t x, std::uint64_t y) { return x >= m - y ? x - (m - y) : x + y; };
  auto r = value % m;
  for (; power > 0 && r != 0; --power) {
    auto const twice = add(r, r);
    auto const four = add(twice, twice);
    r = add(add(four, four), twice);
  }
  return r;
}

/// Takes one of `steps` for each eight powers of ten between them. Precondition: numbers, `step` above 0.
COMCP_DECL bool is_multiple(json::view value, json::view step, std::uint64_t& steps) noexcept {
  auto const a = to_decimal(value);
  auto b = to_decimal(step);
  if (a.digits == 0) return true;
  if (b.digits == 0) return false;
  auto power = a.exponent - b.exponent;
  for (; power < 0; ++power) {  // a is divisible only by what is not larger
    if (b.digits > a.digits / 10) return false;
    b.digits *= 10;
  }
  return pay(steps, 1 + static_cast<std::uint64_t>(power) / 8) && scaled_remainder(a.digits, power, b.digits) == 0;
}

}  // namespace comcp::schema_detail
