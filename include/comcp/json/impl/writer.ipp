// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cmath>
#include <cstring>

#include <comcp/json/impl/simdjson.hpp>
#include <comcp/json/writer.hpp>

namespace comcp::json {
namespace detail {

constexpr std::uint64_t high_bits = 0x8080808080808080;

// Nonzero when one of eight bytes is a quote, a backslash or a control character.
inline std::uint64_t special_bytes(std::uint64_t w) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  auto const quote = w ^ (ones * '"');
  auto const slash = w ^ (ones * '\\');
  return ((w - ones * 0x20) | (quote - ones) | (slash - ones)) & ~w & high_bits;
}

template <class Word>
Word load(char const* p) noexcept {
  Word w;
  std::memcpy(&w, p, sizeof w);
  return w;
}

// The length of the longest prefix that needs no escaping; sets `ascii` to false where it is not ASCII.
inline std::size_t plain_prefix(char const* p, std::size_t n, bool& ascii) noexcept {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    auto const w = load<std::uint64_t>(p + i);
    if (special_bytes(w)) break;
    if (w & high_bits) ascii = false;
  }
  for (; i < n; ++i) {
    auto const c = static_cast<unsigned char>(p[i]);
    if (c < 0x20 || c == '"' || c == '\\') break;
    if (c >= 0x80) ascii = false;
  }
  return i;
}

// Whether it is ASCII that needs no escaping. Most strings are short: the last word overlaps what was seen before.
inline bool is_plain_ascii(char const* p, std::size_t n) noexcept {
  auto const plain = [](std::uint64_t w) { return ((w & high_bits) | special_bytes(w)) == 0; };
  if (n < 4) {
    auto const byte = [p](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])}; };
    constexpr std::uint64_t blanks = 0x2020202020000000;
    return n == 0 || plain(blanks | byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16);
  }
  if (n < 8) return plain(load<std::uint32_t>(p) | std::uint64_t{load<std::uint32_t>(p + n - 4)} << 32);
  for (std::size_t i = 0; i + 8 < n; i += 8) {
    if (!plain(load<std::uint64_t>(p + i))) return false;
  }
  return plain(load<std::uint64_t>(p + n - 8));
}

COMCP_DECL void append_escape(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    default: break;
  }
  constexpr char const* hex = "0123456789abcdef";
  auto const u = static_cast<unsigned char>(c);
  out += "\\u00";
  out += hex[u >> 4];
  out += hex[u & 15];
}

COMCP_DECL void append_string(std::string& out, std::string_view s) {
  make_room(out, s.size() + 3);
  out += '"';
  if (is_plain_ascii(s.data(), s.size())) {
    out.append(s) += '"';
    return;
  }
  bool ascii = true;
  auto rest = s;
  while (!rest.empty()) {
    auto const n = plain_prefix(rest.data(), rest.size(), ascii);
    out.append(rest.data(), n);
    rest.remove_prefix(n);
    if (!rest.empty()) {
      append_escape(out, rest.front());
      rest.remove_prefix(1);
    }
  }
  out += '"';
  if (!ascii && !simdjson::validate_utf8(s.data(), s.size()))
    throw exception(error(errc::invalid_argument, "a string for JSON is not UTF-8"));
}

template <class... Number>
void append_number(std::string& out, Number... number) {
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, number...).ptr;
  out.append(buffer, static_cast<std::size_t>(end - buffer));
}

COMCP_DECL void write_view(writer& w, view v) {
  switch (v.kind()) {
    case kind::null: w.null(); return;
    case kind::boolean: w.boolean(*v.get_bool()); return;
    case kind::integer: w.integer(*v.get_int64()); return;
    case kind::unsigned_integer: w.unsigned_integer(*v.get_uint64()); return;
    case kind::real: w.real(*v.get_double()); return;
    case kind::string: w.string(*v.get_string()); return;
    case kind::array:
      w.begin_array();
      for (auto const e : v.elements()) write_view(w, e);
      w.end_array();
      return;
    case kind::object:
      w.begin_object();
      for (auto const m : v.members()) {
        w.key(m.key);
        write_view(w, m.value);
      }
      w.end_object();
      return;
  }
}

}  // namespace detail

COMCP_DECL writer& writer::key(std::string_view name) {
  separate();
  detail::append_string(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

COMCP_DECL writer& writer::integer(std::int64_t i) {
  separate();
  detail::append_number(out_, i);
  return *this;
}

COMCP_DECL writer& writer::unsigned_integer(std::uint64_t u) {
  separate();
  detail::append_number(out_, u);
  return *this;
}

COMCP_DECL writer& writer::real(double d) {
  if (!std::isfinite(d)) return null();
  separate();
  if (d == 0 && std::signbit(d)) {
    out_ += "-0.0";
  } else if (std::fabs(d) >= 0x1p63) {  // with an exponent: readers refuse integers beyond 64 bits
    detail::append_number(out_, d, std::chars_format::scientific);
  } else {
    detail::append_number(out_, d);
  }
  return *this;
}

COMCP_DECL writer& writer::string(std::string_view s) {
  separate();
  detail::append_string(out_, s);
  return *this;
}

COMCP_DECL writer& writer::value(view v) {
  detail::write_view(*this, v);
  return *this;
}

}  // namespace comcp::json
