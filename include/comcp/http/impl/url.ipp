// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <comcp/http/url.hpp>

namespace comcp {
namespace http_detail {

inline constexpr std::string_view path_escapes = "\"<>^`{}";
inline constexpr std::string_view query_escapes = "\"<>'";
inline constexpr std::string_view fragment_escapes = "\"<>`";

inline error bad_url(char const* why) { return {errc::invalid_argument, std::string("bad URL: ") + why}; }

constexpr bool is_slash(char c) noexcept { return c == '/' || c == '\\'; }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
constexpr bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
constexpr char url_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

/// The value of a hexadecimal digit, 16 for anything else.
constexpr unsigned hex_value(char c) noexcept {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  c = url_lower(c);
  return c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10) : 16;
}

COMCP_DECL std::string_view without_blank_ends(std::string_view text) noexcept {
  auto const blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

COMCP_DECL std::optional<std::string_view> scheme_of(std::string_view text) noexcept {
  auto const colon = text.find(':');
  if (colon == text.npos || !is_letter(text[0])) return {};
  auto const scheme = text.substr(0, colon);
  auto const fits = [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; };
  if (!std::all_of(scheme.begin(), scheme.end(), fits)) return {};
  return scheme;
}

COMCP_DECL bool is_scheme(std::string_view scheme, std::string_view lower) noexcept {
  return std::equal(scheme.begin(), scheme.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return url_lower(a) == b; });
}

/// What is neither printable ASCII nor free of `special` becomes %XX; escapes that are there stay as they are.
COMCP_DECL std::string escaped(std::string_view text, std::string_view special) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F && special.find(c) == special.npos) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

/// How many dots a path segment stands for, escaped ones too: 1 or 2; 0 for any other segment.
COMCP_DECL int dots(std::string_view segment) noexcept {
  int n = 0;
  while (!segment.empty() && n < 3) {
    if (segment.front() == '.') {
      segment.remove_prefix(1);
    } else if (segment.starts_with("%2e") || segment.starts_with("%2E")) {
      segment.remove_prefix(3);
    } else {
      return 0;
    }
    ++n;
  }
  return n < 3 ? n : 0;
}

/// Appends segments to a path that ends without a slash.
COMCP_DECL void append_segments(std::string& path, std::string_view segments) {
  for (bool last = false; !last;) {
    auto const end = segments.find_first_of("/\\");
    last = end == segments.npos;
    auto const segment = segments.substr(0, end);
    auto const up = dots(segment);
    if (up == 2) path.erase(std::min(path.rfind('/'), path.size()));
    if (up == 0) {
      path += '/';
      path += escaped(segment, path_escapes);
    } else if (last) {
      path += '/';
    }
    if (!last) segments.remove_prefix(end + 1);
  }
}

struct url_tail {
  explicit url_tail(std::string_view text) : path(text) {
    if (auto const hash = path.find('#'); hash != path.npos) {
      fragment = escaped(path.substr(hash + 1), fragment_escapes);
      path = path.substr(0, hash);
    }
    if (auto const mark = path.find('?'); mark != path.npos) {
      query = escaped(path.substr(mark + 1), query_escapes);
      path = path.substr(0, mark);
    }
  }
  std::string_view path;
  std::optional<std::string> query, fragment;
};

/// One part of an IPv4 address as browsers read it: 0x is hexadecimal, a leading zero octal. Too large ones saturate.
COMCP_DECL std::optional<std::uint64_t> ipv4_number(std::string_view part) noexcept {
  if (part.empty()) return {};
  unsigned base = 10;
  if (part.starts_with("0x") || part.starts_with("0X")) {
    base = 16;
    part.remove_prefix(2);
  } else if (part.size() > 1 && part[0] == '0') {
    base = 8;
    part.remove_prefix(1);
  }
  std::uint64_t value = 0;
  for (char const c : part) {
    auto const digit = hex_value(c);
    if (digit >= base) return {};
    value = std::min<std::uint64_t>(value * base + digit, std::uint64_t{1} << 32);
  }
  return value;
}

COMCP_DECL bool ends_in_number(std::string_view host) noexcept {
  if (host.ends_with('.')) host.remove_suffix(1);
  auto const last = host.substr(host.rfind('.') + 1);
  return (!last.empty() && std::all_of(last.begin(), last.end(), is_digit)) || ipv4_number(last).has_value();
}

COMCP_DECL std::optional<std::uint32_t> parse_ipv4(std::string_view host) noexcept {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::uint64_t address = 0;
  for (unsigned left = 4;; --left) {
    auto const dot = host.find('.');
    bool const last = dot == host.npos;
    auto const number = ipv4_number(host.substr(0, dot));
    if (!number || *number >= std::uint64_t{1} << (last ? 8 * left : 8)) return {};
    if (last) return static_cast<std::uint32_t>(address << (8 * left) | *number);
    if (left == 1) return {};
    address = address << 8 | *number;
    host.remove_prefix(dot + 1);
  }
}

/// The dotted end of an IPv6 address: four decimal numbers without leading zeros.
COMCP_DECL std::optional<std::uint32_t> parse_dotted(std::string_view text) noexcept {
  auto const plain = [](char c) { return is_digit(c) || c == '.'; };
  if (!std::all_of(text.begin(), text.end(), plain) || std::count(text.begin(), text.end(), '.') != 3) return {};
  for (std::size_t at = 0; at != text.npos; at = text.find('.', at + 1)) {
    if (text[at] == '.') ++at;
    if (at + 1 < text.size() && text[at] == '0' && text[at + 1] != '.') return {};
  }
  return text.ends_with('.') ? std::nullopt : parse_ipv4(text);
}

using ipv6_address = std::array<std::uint16_t, 8>;

COMCP_DECL std::optional<ipv6_address> parse_ipv6(std::string_view text) noexcept {
  ipv6_address pieces{};
  std::size_t count = 0;
  std::optional<std::size_t> gap;
  if (text.starts_with(':')) {
    if (!text.starts_with("::")) return {};
    text.remove_prefix(1);
  }
  while (!text.empty()) {
    if (count == 8) return {};
    if (text.front() == ':') {
      if (gap) return {};
      gap = ++count;
      text.remove_prefix(1);
      continue;
    }
    std::size_t length = 0;
    unsigned value = 0;
    for (; length < std::min<std::size_t>(4, text.size()) && hex_value(text[length]) < 16; ++length)
      value = value << 4 | hex_value(text[length]);
    if (length < text.size() && text[length] == '.') {
      auto const tail = parse_dotted(text);
      if (!tail || count > 6) return {};
      pieces[count++] = static_cast<std::uint16_t>(*tail >> 16);
      pieces[count++] = static_cast<std::uint16_t>(*tail & 0xFFFF);
      break;
    }
    text.remove_prefix(length);
    if (!text.empty() && (text.front() != ':' || text.size() == 1)) return {};
    if (length == 0) return {};
    if (!text.empty()) text.remove_prefix(1);
    pieces[count++] = static_cast<std::uint16_t>(value);
  }
  if (!gap && count != 8) return {};
  if (gap) std::rotate(pieces.begin() + *gap, pieces.begin() + count, pieces.end());
  return pieces;
}

COMCP_DECL std::string ipv4_text(std::uint32_t address) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += std::to_string(address >> shift & 255);
    if (shift > 0) out += '.';
  }
  return out;
}

/// In brackets; the first of the longest runs of two or more zero pieces becomes "::".
COMCP_DECL std::string ipv6_text(ipv6_address const& pieces) {
  std::size_t gap = 8, longest = 1;
  for (std::size_t i = 0, run = 0; i < 8; ++i) {
    run = pieces[i] == 0 ? run + 1 : 0;
    if (run > longest) longest = run, gap = i + 1 - run;
  }
  std::string out = "[";
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == gap) {
      out += i == 0 ? "::" : ":";
      i += longest - 1;
      continue;
    }
    char digits[4];
    auto const end = std::to_chars(digits, digits + 4, static_cast<unsigned>(pieces[i]), 16).ptr;
    out.append(digits, end);
    if (i < 7) out += ':';
  }
  return out + ']';
}

COMCP_DECL result<std::string> parse_host(std::string_view text) {
  if (text.empty()) return bad_url("it names no host");
  if (text.front() == '[') {
    if (text.back() != ']') return bad_url("the bracket around an IPv6 address is not closed");
    auto const address = parse_ipv6(text.substr(1, text.size() - 2));
    if (!address) return bad_url("what is in brackets is no IPv6 address");
    return ipv6_text(*address);
  }
  std::string host(text);
  for (char& c : host) {
    if (static_cast<unsigned char>(c) >= 0x80) return bad_url("the host is not ASCII (write it as xn--)");
    if (!is_letter(c) && !is_digit(c) && std::string_view("-._~!$&'()*+,;=").find(c) == std::string_view::npos)
      return bad_url("the host has a character that no host name has");
    c = url_lower(c);
  }
  if (!ends_in_number(host)) return host;
  auto const address = parse_ipv4(host);
  if (!address) return bad_url("the host ends in a number, but is no IPv4 address");
  return ipv4_text(*address);
}

/// The port of "", ":" or ":digits"; 0 where there is none.
COMCP_DECL result<std::uint16_t> parse_port(std::string_view text) {
  if (text.size() < 2) return std::uint16_t{0};
  std::uint32_t port = 0;
  for (char const c : text.substr(1)) {
    if (!is_digit(c)) return bad_url("the port is not a number");
    port = std::min<std::uint32_t>(port * 10 + static_cast<std::uint32_t>(c - '0'), 65536);
  }
  if (port == 0 || port > 65535) return bad_url("the port is not within 1 to 65535");
  return static_cast<std::uint16_t>(port);
}

}  // namespace http_detail

COMCP_DECL result<http_url> http_url::parse(std::string_view text) {
  text = http_detail::without_blank_ends(text);
  auto const scheme = http_detail::scheme_of(text);
  bool const secure = scheme && http_detail::is_scheme(*scheme, "https");
  if (!scheme || (!secure && !http_detail::is_scheme(*scheme, "http")))
    return http_detail::bad_url("it does not start with http:// or https://");
  text.remove_prefix(scheme->size() + 1);
  if (text.size() < 2 || !http_detail::is_slash(text[0]) || !http_detail::is_slash(text[1]))
    return http_detail::bad_url("two slashes are missing after the scheme");
  return from_authority(secure, text.substr(2));
}

COMCP_DECL result<http_url> http_url::from_authority(bool secure, std::string_view text) {
  if (std::any_of(text.begin(), text.end(), http_detail::is_control))
    return http_detail::bad_url("it has a control character");
  auto const authority = text.substr(0, text.find_first_of("/\\?#"));
  text.remove_prefix(authority.size());
  if (authority.find('@') != authority.npos)
    return http_detail::bad_url("it has a user name or password; credentials belong in headers");
  auto const colon = authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
  auto host = http_detail::parse_host(authority.substr(0, colon));
  if (!host) return host.error();
  auto const port = http_detail::parse_port(colon == authority.npos ? std::string_view() : authority.substr(colon));
  if (!port) return port.error();
  http_detail::url_tail tail(text);
  http_url out;
  out.secure_ = secure;
  out.host_ = std::move(*host);
  out.port_ = *port ? *port : default_port(secure);
  http_detail::append_segments(out.path_, tail.path.substr(tail.path.empty() ? 0 : 1));
  out.query_ = std::move(tail.query);
  out.fragment_ = std::move(tail.fragment);
  return out;
}

COMCP_DECL result<http_url> http_url::resolve(std::string_view reference) const {
  reference = http_detail::without_blank_ends(reference);
  if (http_detail::scheme_of(reference)) return parse(reference);
  bool const rooted = !reference.empty() && http_detail::is_slash(reference[0]);
  if (rooted && reference.size() > 1 && http_detail::is_slash(reference[1]))
    return from_authority(secure_, reference.substr(2));
  if (std::any_of(reference.begin(), reference.end(), http_detail::is_control))
    return http_detail::bad_url("it has a control character");
  http_detail::url_tail tail(reference);
  http_url out = *this;
  if (!tail.path.empty()) {
    out.path_.erase(rooted ? 0 : out.path_.rfind('/'));
    http_detail::append_segments(out.path_, tail.path.substr(rooted ? 1 : 0));
  }
  if (!tail.path.empty() || tail.query) out.query_ = std::move(tail.query);
  out.fragment_ = std::move(tail.fragment);
  return out;
}

COMCP_DECL std::string_view http_url::host_name() const noexcept {
  std::string_view const host = host_;
  return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

COMCP_DECL std::string http_url::origin() const { return std::string(scheme()).append("://").append(authority()); }

COMCP_DECL std::string http_url::authority() const {
  return has_default_port() ? host_ : host_ + ':' + std::to_string(port_);
}

COMCP_DECL std::string http_url::target() const { return query_ ? path_ + '?' + *query_ : path_; }

COMCP_DECL std::string http_url::text() const {
  auto out = origin() + target();
  if (fragment_) out.append("#").append(*fragment_);
  return out;
}

COMCP_DECL bool same_origin(http_url const& a, http_url const& b) noexcept {
  return a.secure_ == b.secure_ && a.port_ == b.port_ && a.host_ == b.host_;
}

}  // namespace comcp
