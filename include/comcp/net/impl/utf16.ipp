// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/net/utf16.hpp>

namespace comcp::net::detail {

/// The character at `at`, which goes behind it.
COMCP_DECL std::optional<char32_t> next_of_utf8(std::string_view text, std::size_t& at) noexcept {
  auto const first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  int const more = first < 0xC2 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : 0;
  if (more == 0) return std::nullopt;
  char32_t code = first & (0x3Fu >> more);
  for (int i = 0; i != more; ++i) {
    if (at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) return std::nullopt;
    code = (code << 6) | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
  }
  bool const overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
  if (overlong || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return std::nullopt;
  return code;
}

COMCP_DECL std::optional<std::u16string> to_utf16(std::string_view text) {
  std::u16string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at != text.size();) {
    auto const code = next_of_utf8(text, at);
    if (!code) return std::nullopt;
    if (*code < 0x10000) {
      out.push_back(static_cast<char16_t>(*code));
    } else {
      out.push_back(static_cast<char16_t>(0xD7C0 + (*code >> 10)));
      out.push_back(static_cast<char16_t>(0xDC00 + (*code & 0x3FF)));
    }
  }
  return out;
}

COMCP_DECL void append_utf8(std::string& out, char32_t code) {
  auto const put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      put(0xE0 | (code >> 12));
    } else {
      put(0xF0 | (code >> 18));
      put(0x80 | ((code >> 12) & 0x3F));
    }
    put(0x80 | ((code >> 6) & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

COMCP_DECL std::optional<std::string> to_utf8(std::u16string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at != text.size(); ++at) {
    char32_t code = text[at];
    if (code >= 0xD800 && code < 0xE000) {
      bool const pair = code < 0xDC00 && at + 1 != text.size() && text[at + 1] >= 0xDC00 && text[at + 1] < 0xE000;
      if (!pair) return std::nullopt;
      code = 0x10000 + ((code - 0xD800) << 10) + (text[++at] - 0xDC00u);
    }
    append_utf8(out, code);
  }
  return out;
}

}  // namespace comcp::net::detail
