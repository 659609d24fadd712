// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Characters that a user does not see and a model may read: how instructions are hidden in a tool's definition.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/protocol/tools.hpp>

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

/// One suspicious character.
struct suspicious_character {
  suspicious_character() = default;

  std::string where;         ///< JSON Pointer into the definition, such as "/inputSchema/properties/a/description".
  bool in_key = false;       ///< In the last key of `where` instead of in its value.
  std::size_t offset = 0;    ///< In bytes, into the string.
  char32_t code_point = 0;
  suspicion why{};

  /// "/description, byte 12: U+200B (zero_width)".
  [[nodiscard]] std::string to_string() const;
};

/// The suspicious characters of all strings and keys of a JSON value. At most `limit` are told.
std::vector<suspicious_character> find_suspicious(json::view text, std::size_t limit = 100);
/// The same for a definition; what its fingerprint leaves out is not looked at.
std::vector<suspicious_character> find_suspicious(tool const& definition, std::size_t limit = 100);

/// The text with every suspicious character written out as <U+200B>, so that it can be shown.
std::string visible(std::string_view text);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/pinning/impl/suspicious.ipp>
#endif
