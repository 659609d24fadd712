// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines and indentation, and the mappings and sequences that they make.
#pragma once

#include <algorithm>
#include <set>

#include <comcp/skills/impl/yaml_reader.hpp>

namespace comcp::detail {

COMCP_DECL yaml_lines::yaml_lines(std::string_view text) {
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

COMCP_DECL bool yaml_lines::fail(std::string_view why, errc code) {
  auto const line = std::min(row + 1, lines.size());
  if (!fault) fault = error(code, "line " + std::to_string(line) + " of the frontmatter: " + std::string(why));
  return false;
}

COMCP_DECL bool yaml_lines::deeper() {
  return depth <= yaml_max_depth || fail("more than 32 collections in each other", errc::limit_exceeded);
}

COMCP_DECL bool yaml_lines::at_dash() const noexcept {
  auto const r = rest();
  return r.starts_with('-') && (r.size() == 1 || yaml_space(r[1]));
}

// From the start of a line to the next one with content, and there to its first character.
COMCP_DECL bool yaml_lines::next_content() {
  for (col = 0; !at_end(); ++row) {
    auto const line = lines[row];
    auto const indent = line.find_first_not_of(' ');
    if (yaml_blank(line) || line[indent] == '#') continue;
    if (line[indent] == '\t') return fail("a tab in the indentation");
    if (yaml_marker(line)) return fail("more than one document");
    col = indent;
    return true;
  }
  return true;
}

COMCP_DECL bool yaml_lines::end_line() {
  auto const r = rest();
  auto const i = r.find_first_not_of(" \t");
  if (i != std::string_view::npos && (r[i] != '#' || i == 0)) return fail("text behind a value");
  ++row;
  return next_content();
}

COMCP_DECL bool yaml_lines::add_key(std::set<std::string>& keys, std::string const& key) {
  if (!keys.insert(key).second) return fail("the key \"" + key + "\" comes twice");
  out.key(key);
  return true;
}

COMCP_DECL result<std::string> yaml_reader::to_json() {
  auto const control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; };
  for (auto const line : in_.lines) {
    if (std::any_of(line.begin(), line.end(), control) || line.find("\xEF\xBB\xBF") != std::string_view::npos)
      return error(errc::wrong_shape, "the frontmatter has a control character or a byte order mark");
  }
  bool ok = in_.next_content();
  if (ok && in_.at_end()) return error(errc::wrong_shape, "the frontmatter is empty");
  ok = ok && block_node(-1);
  if (ok && !in_.at_end()) ok = in_.fail("what does not belong to anything above it");
  if (!ok) return in_.fault;
  return std::move(in_.out).text();
}

COMCP_DECL bool yaml_reader::block_node(int n) {
  if (in_.at_dash()) return sequence();
  std::string key;
  bool found = false;
  if (!key_here(key, found)) return false;
  return found ? mapping(std::move(key)) : inline_node(n);
}

COMCP_DECL bool yaml_reader::inline_node(int n) {
  char const c = in_.rest()[0];
  if (c == '|' || c == '>') return scalars_.block_scalar(n);
  if (c == '[' || c == '{') return flow_.node(n) && in_.end_line();
  if (c != '"' && c != '\'') return scalars_.plain(n);
  std::string text;
  if (!scalars_.quoted(text, n)) return false;
  in_.out.string(text);
  return in_.end_line();
}

// The first key has been read.
COMCP_DECL bool yaml_reader::mapping(std::string key) {
  yaml_lines::level const one_more(in_);
  if (!in_.deeper()) return false;
  // key_here() has gone beyond it: its column is where this line's content begins, dashes left out.
  auto const column = key_column_;
  std::set<std::string> keys;
  in_.out.begin_object();
  for (;;) {
    if (!in_.add_key(keys, key) || !value_behind(static_cast<int>(column), true)) return false;
    if (in_.at_end() || in_.col < column) break;
    bool found = false;
    if (in_.col > column) return in_.fail("indentation that fits nothing above");
    if (!key_here(key, found)) return false;
    if (!found) return in_.fail("expected a key and a colon");
  }
  in_.out.end_object();
  return true;
}

COMCP_DECL bool yaml_reader::sequence() {
  yaml_lines::level const one_more(in_);
  if (!in_.deeper()) return false;
  auto const column = in_.col;
  in_.out.begin_array();
  do {
    ++in_.col;
    if (!value_behind(static_cast<int>(column), false)) return false;
    if (in_.at_end() || in_.col < column) break;
    if (in_.col > column) return in_.fail("indentation that fits nothing above");
  } while (in_.at_dash());
  in_.out.end_array();
  return true;
}

// What is behind a colon or a dash, on this line or below it.
COMCP_DECL bool yaml_reader::value_behind(int n, bool of_key) {
  auto const r = in_.rest();
  auto const i = r.find_first_not_of(" \t");
  if (i == std::string_view::npos || r[i] == '#') {
    ++in_.row;
    if (!in_.next_content()) return false;
    int const indent = static_cast<int>(in_.col);
    if (!in_.at_end() && (indent > n || (indent == n && of_key && in_.at_dash()))) return block_node(n);
    in_.out.null();
    return true;
  }
  in_.col += i;
  if (of_key) return inline_node(n);
  if (r.substr(0, i).find('\t') != std::string_view::npos) return in_.fail("a tab behind a dash");
  return block_node(n);
}

// Whether a key begins here: then it is read with its colon.
COMCP_DECL bool yaml_reader::key_here(std::string& key, bool& found) {
  auto const r = in_.rest();
  key_column_ = in_.col;
  if (r.starts_with('"') || r.starts_with('\'')) return quoted_key(key, found);
  if (r.starts_with('?') && (r.size() == 1 || yaml_space(r[1]))) return in_.fail("a key of several lines");
  if (!scalars_.plain_starts(false)) return true;
  for (std::size_t i = 1; i < r.size(); ++i) {
    if (r[i] == '#' && yaml_space(r[i - 1])) return true;
    if (r[i] != ':' || (i + 1 < r.size() && !yaml_space(r[i + 1]))) continue;
    key = r.substr(0, r.find_last_not_of(" \t", i - 1) + 1);
    if (key == "<<") return in_.fail("a merge key");
    if (!yaml_is_text(key)) return in_.fail("a key that is no text: quote it");
    in_.col += i + 1;
    found = true;
    return true;
  }
  return true;
}

COMCP_DECL bool yaml_reader::quoted_key(std::string& key, bool& found) {
  auto const r = in_.rest();
  std::size_t i = 1;
  while (i < r.size() && r[i] != r[0]) i += r[i] == '\\' && r[0] == '"' ? 2 : 1;
  while (r[0] == '\'' && i + 1 < r.size() && r[i + 1] == '\'') {
    i = std::min(r.find('\'', i + 2), r.size());
  }
  if (i >= r.size()) return true;  // it goes on below: no key
  i = r.find_first_not_of(" \t", i + 1);
  if (i == std::string_view::npos || r[i] != ':' || (i + 1 < r.size() && !yaml_space(r[i + 1]))) return true;
  auto const column = in_.col;
  key.clear();
  if (!scalars_.quoted(key, -1)) return false;
  in_.col = column + i + 1;
  found = true;
  return true;
}

}  // namespace comcp::detail
