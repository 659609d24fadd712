// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <comcp/protocol/base64.hpp>

namespace comcp {
namespace detail {

inline constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// 64 for what is no digit.
inline constexpr auto base64_digits = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(64);
  for (std::size_t i = 0; i < base64_alphabet.size(); ++i)
    table[static_cast<unsigned char>(base64_alphabet[i])] = static_cast<std::uint8_t>(i);
  return table;
}();

inline std::uint32_t base64_digit(char c) noexcept { return base64_digits[static_cast<unsigned char>(c)]; }

}  // namespace detail

COMCP_DECL result<std::vector<std::byte>> from_base64(std::string_view text) {
  auto const refuse = [](char const* why) { return error(errc::wrong_shape, std::string("bad Base64: ") + why); };
  if (text.size() % 4 != 0) return refuse("the length is no multiple of four");
  std::size_t const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::vector<std::byte> out(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  std::uint32_t bad = 0;
  for (std::size_t i = 0, o = 0; i < text.size(); i += 4, o += 3) {
    bits = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      bool const pad = i + k >= text.size() - padding;
      auto const digit = pad ? 0 : detail::base64_digit(text[i + k]);
      bad |= digit;
      bits = bits << 6 | (digit & 63);
    }
    out[o] = static_cast<std::byte>(bits >> 16 & 255);
    out[o + 1] = static_cast<std::byte>(bits >> 8 & 255);
    out[o + 2] = static_cast<std::byte>(bits & 255);
  }
  if (bad & 64) return refuse("a character outside the alphabet");
  if (bits & ((1U << (8 * padding)) - 1)) return refuse("stray bits before the padding");
  out.resize(out.size() - padding);
  return out;
}

COMCP_DECL std::string to_base64(std::span<std::byte const> bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    auto const at = [&](std::size_t k) { return k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[k]) : 0U; };
    std::uint32_t const bits = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    out += detail::base64_alphabet[bits >> 18];
    out += detail::base64_alphabet[bits >> 12 & 63];
    out += i + 1 < bytes.size() ? detail::base64_alphabet[bits >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? detail::base64_alphabet[bits & 63] : '=';
  }
  return out;
}

}  // namespace comcp
