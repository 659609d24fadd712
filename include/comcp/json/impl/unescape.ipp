// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The escapes of JSON strings.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <comcp/version.hpp>

namespace comcp::json::detail {

/// A character that was written as an escape; `size` is 0 where it is none.
struct escape {
  std::uint32_t character = 0;
  unsigned size = 0;
};

// The number that four hexadecimal digits are, or one beyond 16 bits.
inline std::uint32_t hex_quad(char const* at) noexcept {
  std::uint32_t n = 0;
  for (int i = 0; i != 4; ++i) {
    auto const c = static_cast<unsigned char>(at[i]);
    auto const letter = static_cast<unsigned char>((c | 0x20) - 'a');
    auto const digit = static_cast<unsigned char>(c - '0');
    if (digit > 9 && letter > 5) return 0x10000;
    n = n << 4 | (digit <= 9 ? digit : letter + 10U);
  }
  return n;
}

inline bool is_u_escape(char const* at, char const* end) noexcept {
  return end - at >= 6 && at[0] == '\\' && at[1] == 'u';
}

/// What is behind a backslash, and what it stands for; 0 for all else.
inline constexpr auto simple_escapes = [] {
  std::array<char, 256> all{};
  for (char const c : {'"', '\\', '/'}) all[static_cast<unsigned char>(c)] = c;
  all['b'] = '\b';
  all['f'] = '\f';
  all['n'] = '\n';
  all['r'] = '\r';
  all['t'] = '\t';
  return all;
}();

/// The `\u` escape, or two of them, that begins at `at`. Halves of surrogate pairs are none.
COMCP_DECL escape read_escape(char const* at, char const* end) noexcept {
  if (!is_u_escape(at, end)) return {};
  auto const first = hex_quad(at + 2);
  if (first >> 11 != 0x1B) return first < 0x10000 ? escape{first, 6} : escape();
  auto const second = first < 0xDC00 && is_u_escape(at + 6, end) ? hex_quad(at + 8) : 0;
  if (second >> 10 != 0x37) return {};
  return {0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF)), 12};
}

inline char* put_utf8(char* to, std::uint32_t c) noexcept {
  auto const put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (c < 0x80) return put(c), to;
  if (c < 0x800) return put(0xC0 | c >> 6), put(0x80 | (c & 0x3F)), to;
  if (c < 0x10000) {
    put(0xE0 | c >> 12);
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
  }
  return put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F)), to;
}

// What is looked at in one step.
#if defined(__SSE2__)
class text_block {
 public:
  static constexpr std::ptrdiff_t size = 16;
  explicit text_block(char const* at) noexcept : bytes_(_mm_loadu_si128(reinterpret_cast<__m128i const*>(at))) {}
  /// Where the first backslash is; `size` where there is none.
  [[nodiscard]] std::ptrdiff_t backslash() const noexcept {
    auto const found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8('\\')));
    return std::countr_zero(static_cast<unsigned>(found) | 1U << size);
  }
  void write(char* to) const noexcept { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes_); }

 private:
  __m128i bytes_;
};
#else
class text_block {
 public:
  static constexpr std::ptrdiff_t size = 8;
  explicit text_block(char const* at) noexcept { std::memcpy(&bytes_, at, sizeof bytes_); }
  [[nodiscard]] std::ptrdiff_t backslash() const noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101;
    auto const w = bytes_ ^ (ones * '\\');
    auto const found = (w - ones) & ~w & (ones << 7);
    if constexpr (std::endian::native == std::endian::little) return std::countr_zero(found) / 8;
    std::ptrdiff_t n = 0;
    for (; n != size && reinterpret_cast<char const*>(&bytes_)[n] != '\\';) ++n;
    return n;
  }
  void write(char* to) const noexcept { std::memcpy(to, &bytes_, sizeof bytes_); }

 private:
  std::uint64_t bytes_;
};
#endif

/// Nowhere: it is only checked. Elsewhere: a block and a character may be written behind `limit`.
enum class unescaped { nowhere, in_place, elsewhere };

/// Goes on until `from` is at the end, or `to` at its limit. False where an escape is none.
template <unescaped To>
bool unescape(char const*& from, char const* end, char*& to, [[maybe_unused]] char const* limit = nullptr) noexcept {
  while (from != end && (To != unescaped::elsewhere || to < limit)) {
    if (end - from >= text_block::size) {
      text_block const block(from);
      auto const plain = block.backslash();
      if (plain == text_block::size) {  // a branch, so that the next step waits for nothing
        if constexpr (To != unescaped::nowhere) {
          block.write(to);
          to += text_block::size;
        }
        from += text_block::size;
        continue;
      }
      if constexpr (To == unescaped::elsewhere) block.write(to);
      if constexpr (To == unescaped::in_place) {
        for (std::ptrdiff_t i = 0; i != plain; ++i) to[i] = from[i];
      }
      from += plain;
      if constexpr (To != unescaped::nowhere) to += plain;
    } else if (*from != '\\') {
      if constexpr (To != unescaped::nowhere) *to++ = *from;
      ++from;
      continue;
    }
    if (char const c = end - from > 1 ? simple_escapes[static_cast<unsigned char>(from[1])] : '\0') {
      if constexpr (To != unescaped::nowhere) *to++ = c;
      from += 2;
      continue;
    }
    auto const e = read_escape(from, end);
    if (e.size == 0) return false;
    from += e.size;
    if constexpr (To != unescaped::nowhere) to = put_utf8(to, e.character);
  }
  return true;
}

inline bool has_good_escapes(std::string_view text) noexcept {
  char* nowhere = nullptr;
  char const* from = text.data();
  return unescape<unescaped::nowhere>(from, from + text.size(), nowhere);
}

/// The size of what is there afterwards. Precondition: has_good_escapes().
inline std::size_t unescape_in_place(char* text, std::size_t size) noexcept {
  char const* from = text;
  char* to = text;
  unescape<unescaped::in_place>(from, from + size, to);
  return static_cast<std::size_t>(to - text);
}

/// In pieces that stay near, as a string cannot grow without being filled. False where an escape is none.
COMCP_DECL bool unescape_to(std::string& out, std::string_view text) {
  constexpr std::size_t most = 8192;
  char piece[most + 2 * text_block::size];
  char const* from = text.data();
  char const* const end = from + text.size();
  out.reserve(text.size());
  while (from != end) {
    char* to = piece;
    if (!unescape<unescaped::elsewhere>(from, end, to, piece + most)) return false;
    out.append(piece, static_cast<std::size_t>(to - piece));
  }
  return true;
}

}  // namespace comcp::json::detail
