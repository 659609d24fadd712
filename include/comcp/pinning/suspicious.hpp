// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Characters that a user does not see and a model may read: how instructions are hidden in a tool's definition.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/protocol/prompts.hpp>
#include <comcp/protocol/tools.hpp>
#include <comcp/visible.hpp>

namespace comcp {

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
std::vector<suspicious_character> find_suspicious(prompt const& definition, std::size_t limit = 100);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/pinning/impl/suspicious.ipp>
#endif
