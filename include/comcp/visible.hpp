// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Characters that nobody sees, or that a terminal obeys: the one table of them, and text in which they are written out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/version.hpp>

namespace comcp {

/// Why a character is suspicious.
enum class suspicion {
  control,             ///< C0 and C1 controls but tab, line feed and carriage return; line and paragraph separators.
  zero_width,          ///< Zero-width space, joiners, word joiner, byte order mark. A joiner inside an emoji is none.
  bidirectional,       ///< Marks, embeddings, overrides and isolates: text that reads in another order than it is.
  tag,                 ///< U+E0000 to U+E007F: invisible ASCII.
  variation_selector,  ///< But one U+FE0E or U+FE0F after an emoji or digit, which chooses how that looks.
  private_use,
  ignorable,           ///< Others that show nothing: soft hyphen, fillers, invisible operators, ...
};

/// The suspicion's name, such as "zero_width".
std::string_view to_text(suspicion s) noexcept;

/// What becomes of line feeds and tabs in a text that is shown.
enum class line_breaks {
  keep,
  blank,  ///< A blank for each: the text stays on one line.
};

/// The text as it can be shown anywhere: every suspicious character written out as <U+200B>, a carriage return that no
/// line feed follows as <U+000D>, and each byte that is no UTF-8 as <0x9B>. Linear in its length.
std::string visible(std::string_view text, line_breaks lines = line_breaks::keep);

namespace detail {

/// Goes through a text by characters, and says which are suspicious where they stand.
class character_scan {
 public:
  explicit character_scan(std::string_view text) noexcept : text_(text) {}

  /// To the next character; false at the end.
  bool next() noexcept;
  [[nodiscard]] std::size_t start() const noexcept { return start_; }  ///< In bytes.
  [[nodiscard]] std::string_view bytes() const noexcept { return text_.substr(start_, end_ - start_); }
  [[nodiscard]] bool is_utf8() const noexcept { return is_utf8_; }  ///< Else it is one byte that is not.
  [[nodiscard]] char32_t code() const noexcept { return code_; }
  [[nodiscard]] std::optional<suspicion> why() const noexcept { return why_; }

 private:
  std::string_view text_;
  std::size_t start_ = 0, end_ = 0;
  char32_t code_ = 0;
  char32_t base_ = 0;  // the last visible character; 0 after a suspicious one
  bool is_utf8_ = true, chosen_ = false;
  std::optional<suspicion> why_;
};

/// "U+200B".
std::string code_point_name(char32_t c);

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/impl/visible.ipp>
#endif
