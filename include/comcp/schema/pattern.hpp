// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions of JSON Schema (ECMA-262, Unicode mode) that run in linear time: all states are followed at
// once, so that no pattern and no text can make the search explode. Backreferences are refused for that reason.
// RE2 would be linear too, but has neither lookarounds nor ECMA-262's syntax, and is a library to link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/result.hpp>

namespace comcp {

namespace schema_detail {
class pattern_compiler;
class pattern_parser;
class pattern_run;

/// Code points as sorted, disjoint, inclusive ranges.
using char_ranges = std::vector<std::pair<char32_t, char32_t>>;

/// Takes work from `steps`. False when they do not suffice: then they are 0 and stay so.
inline bool pay(std::uint64_t& steps, std::uint64_t n) noexcept {
  bool const enough = n < steps;
  steps = enough ? steps - n : 0;
  return enough;
}
}  // namespace schema_detail

/// One compiled pattern. Immutable; safe to use from any thread.
class pattern {
 public:
  /// Largest program; a counted repetition such as x{1,500} takes as many copies of x.
  static constexpr std::size_t max_program = 20'000;

  /// Understood: all of ECMA-262 but backreferences, inline flags and \p{...} of other properties than the general
  /// category. A brace or bracket that begins nothing stands for itself. Errors: invalid_argument (with the reason),
  /// limit_exceeded (too large or nested too deep).
  static result<pattern> compile(std::string_view text);
  /// The same, the work and the memory taken from `steps`: about one for each instruction and range of characters, of
  /// some 16 bytes each. limit_exceeded, and no steps left, when they do not suffice.
  static result<pattern> compile(std::string_view text, std::uint64_t& steps);

  /// Whether the pattern matches anywhere in this UTF-8 text. The work done is taken from `steps`; nothing is
  /// returned when they do not suffice.
  [[nodiscard]] std::optional<bool> search(std::string_view text, std::uint64_t& steps) const;

 private:
  friend class schema_detail::pattern_compiler;
  friend class schema_detail::pattern_parser;
  friend class schema_detail::pattern_run;

  enum class code : std::uint8_t { set, split, jump, line_begin, line_end, word_edge, no_word_edge, look, match };
  struct instruction {
    code what;
    std::uint32_t x = 0, y = 0;  // set or look index, or targets
  };
  struct look {
    std::uint32_t start = 0;
    bool behind = false, negative = false;
  };

  std::vector<instruction> program_;
  std::vector<schema_detail::char_ranges> sets_;
  std::vector<look> looks_;  // inner ones after the outer ones
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/schema/impl/pattern.ipp>
#endif
