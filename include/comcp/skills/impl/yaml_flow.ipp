// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Collections in brackets.
#pragma once

#include <set>

#include <comcp/skills/impl/yaml_reader.hpp>

namespace comcp::detail {

// To the next character that is no blank, no comment and no end of a line.
COMCP_DECL bool yaml_flow::space(int n) {
  for (;;) {
    auto const r = in_.rest();
    auto const i = r.find_first_not_of(" \t");
    bool const found = i != std::string_view::npos;
    bool const comment = found && r[i] == '#' && (in_.col + i == 0 || yaml_space(in_.lines[in_.row][in_.col + i - 1]));
    if (found && !comment) {
      in_.col += i;
      return true;
    }
    ++in_.row;
    if (in_.at_end()) return in_.fail("a bracket that does not close");
    in_.col = 0;
    auto const line = in_.lines[in_.row];
    auto const indent = line.find_first_not_of(' ');
    if (yaml_blank(line) || line[indent] == '#') continue;
    if (yaml_marker(line)) return in_.fail("more than one document");
    if (line[indent] == '\t') return in_.fail("a tab in the indentation");
    bool const closes = line[indent] == ']' || line[indent] == '}';  // may stand below its key
    if (static_cast<int>(indent) + (closes ? 1 : 0) <= n) return in_.fail("text in brackets that is not indented");
  }
}

COMCP_DECL bool yaml_flow::node(int n) {
  char const c = in_.rest()[0];
  if (c == '[') return sequence(n);
  if (c == '{') return mapping(n);
  if (c == '"' || c == '\'') {
    std::string text;
    if (!scalars_.quoted(text, n)) return false;
    in_.out.string(text);
    return true;
  }
  if (!scalars_.plain_starts(true)) return scalars_.refuse_start();
  std::string_view piece;
  return scalars_.plain_line(piece, true) && scalars_.resolve(piece);
}

// Behind an element: a comma, or the end.
COMCP_DECL bool yaml_flow::next(char close, bool& more, int n) {
  if (!space(n)) return false;
  if (in_.rest()[0] == ',') {
    ++in_.col;
    if (!space(n)) return false;
  } else if (in_.rest()[0] != close) {
    return in_.fail("expected a comma or a closing bracket");
  }
  more = in_.rest()[0] != close;
  return true;
}

COMCP_DECL bool yaml_flow::sequence(int n) {
  yaml_lines::level const one_more(in_);
  ++in_.col;
  if (!in_.deeper() || !space(n)) return false;
  in_.out.begin_array();
  for (bool more = in_.rest()[0] != ']'; more;) {
    if (!node(n) || !next(']', more, n)) return false;
  }
  ++in_.col;
  in_.out.end_array();
  return true;
}

COMCP_DECL bool yaml_flow::take_key(std::string& key, bool& was_quoted, int n) {
  was_quoted = in_.rest()[0] == '"' || in_.rest()[0] == '\'';
  key.clear();
  if (was_quoted) return scalars_.quoted(key, n);
  std::string_view piece;
  if (!scalars_.plain_starts(true)) return scalars_.refuse_start();
  if (!scalars_.plain_line(piece, true)) return false;
  key = piece;
  if (key == "<<") return in_.fail("a merge key");
  return yaml_is_text(key) || in_.fail("a key that is no text: quote it");
}

COMCP_DECL bool yaml_flow::mapping(int n) {
  yaml_lines::level const one_more(in_);
  ++in_.col;
  if (!in_.deeper() || !space(n)) return false;
  std::set<std::string> keys;
  std::string key;
  in_.out.begin_object();
  for (bool more = in_.rest()[0] != '}', was_quoted = false; more;) {
    if (!take_key(key, was_quoted, n) || !space(n)) return false;
    auto const r = in_.rest();
    bool const apart = r.size() == 1 || yaml_space(r[1]) || r.find_first_of(",[]{}", 1) == 1;
    if (r[0] != ':' || !(apart || was_quoted)) return in_.fail("expected a colon behind a key");
    ++in_.col;
    if (!in_.add_key(keys, key) || !space(n)) return false;
    if (in_.rest()[0] == ',' || in_.rest()[0] == '}') {
      in_.out.null();
    } else if (!node(n)) {
      return false;
    }
    if (!next('}', more, n)) return false;
  }
  ++in_.col;
  in_.out.end_object();
  return true;
}

}  // namespace comcp::detail
