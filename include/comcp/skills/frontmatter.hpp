// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The YAML frontmatter of a SKILL.md: where it is, and what it says, as JSON. The bundled reader knows the part of YAML
// that frontmatter is written in, and refuses the rest instead of guessing.
#pragma once

#include <functional>
#include <string_view>

#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// A SKILL.md in its two parts, which are views of its text: the lines between the two "---", and what is behind them.
struct skill_parts {
  std::string_view frontmatter;
  std::string_view body;
};

/// Takes a SKILL.md apart. A byte order mark is let pass. Errors: wrong_shape (not UTF-8, no frontmatter, no end of it).
result<skill_parts> split_skill(std::string_view text);

/// Reads frontmatter, a mapping, at most 64 KiB and 32 collections deep. It knows mappings and sequences in blocks and in brackets,
/// plain and quoted scalars, those of several lines too, `|` and `>`, and comments; plain scalars are null, booleans,
/// integers and numbers as in YAML 1.2's core schema (so `yes` and dates are text). Anchors, aliases, tags, merge keys,
/// several documents, keys that are no text or come twice, tabs as indentation, .inf and .nan are errors.
/// Errors: wrong_shape, limit_exceeded; the text names the line.
result<json::value> read_frontmatter(std::string_view yaml);

/// A reader of the same kind over a YAML library, for skills that the bundled one refuses. What it throws counts as an
/// error. It may be called on any thread that verifies.
using frontmatter_reader = std::function<result<json::value>(std::string_view yaml)>;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/skills/impl/frontmatter.ipp>
#endif
