// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines and indentation: mappings, sequences and block scalars. Each of these begins at its first character and ends at
// the first content behind it.
#pragma once

#include <algorithm>

#include <comcp/skills/impl/yaml_reader.hpp>

namespace comcp::detail {

COMCP_DECL yaml_reader::yaml_reader(std::string_view text) {
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

COMCP_DECL result<std::string> yaml_reader::to_json() {
  auto const control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; };
  for (auto const line : lines_) {
    if (std::any_of(line.begin(), line.end(), control) || line.find("\xEF\xBB\xBF") != std::string_view::npos)
      return error(errc::wrong_shape, "the frontmatter has a control character or a byte order mark");
  }
  bool ok = next_content();
  if (ok && at_end()) return error(errc::wrong_shape, "the frontmatter is empty");
  ok = ok && block_node(-1);
  if (ok && !at_end()) ok = fail("what does not belong to anything above it");
  if (!ok) return error_;
  return std::move(w_).text();
}

COMCP_DECL bool yaml_reader::fail(std::string_view why, errc code) {
  auto const line = std::min(line_ + 1, lines_.size());
  if (!error_) error_ = error(code, "line " + std::to_string(line) + " of the frontmatter: " + std::string(why));
  return false;
}

COMCP_DECL bool yaml_reader::deeper() {
  return depth_ <= yaml_max_depth || fail("more than 32 collections in each other", errc::limit_exceeded);
}

COMCP_DECL bool yaml_reader::at_dash() const noexcept {
  auto const r = rest();
  return r.starts_with('-') && (r.size() == 1 || yaml_space(r[1]));
}

// From the start of a line to the next one with content, and there to its first character.
COMCP_DECL bool yaml_reader::next_content() {
  for (col_ = 0; !at_end(); ++line_) {
    auto const line = lines_[line_];
    auto const indent = line.find_first_not_of(' ');
    if (yaml_blank(line) || line[indent] == '#') continue;
    if (line[indent] == '\t') return fail("a tab in the indentation");
    if (yaml_marker(line)) return fail("more than one document");
    col_ = indent;
    return true;
  }
  return true;
}

COMCP_DECL bool yaml_reader::end_line() {
  auto const r = rest();
  auto const i = r.find_first_not_of(" \t");
  if (i != std::string_view::npos && (r[i] != '#' || i == 0)) return fail("text behind a value");
  ++line_;
  return next_content();
}

COMCP_DECL bool yaml_reader::block_node(int n) {
  if (at_dash()) return sequence();
  std::string key;
  bool found = false;
  if (!key_here(key, found)) return false;
  return found ? mapping(std::move(key)) : inline_node(n);
}

COMCP_DECL bool yaml_reader::add_key(std::set<std::string>& keys, std::string const& key) {
  if (!keys.insert(key).second) return fail("the key \"" + key + "\" comes twice");
  w_.key(key);
  return true;
}

// The first key has been read.
COMCP_DECL bool yaml_reader::mapping(std::string key) {
  level const one_more(*this);
  if (!deeper()) return false;
  // key_here() has gone beyond it: its column is where this line's content begins, dashes left out.
  auto const column = key_column_;
  std::set<std::string> keys;
  w_.begin_object();
  for (;;) {
    if (!add_key(keys, key) || !value_behind(static_cast<int>(column), true)) return false;
    if (at_end() || col_ < column) break;
    bool found = false;
    if (col_ > column) return fail("indentation that fits nothing above");
    if (!key_here(key, found)) return false;
    if (!found) return fail("expected a key and a colon");
  }
  w_.end_object();
  return true;
}

COMCP_DECL bool yaml_reader::sequence() {
  level const one_more(*this);
  if (!deeper()) return false;
  auto const column = col_;
  w_.begin_array();
  do {
    ++col_;
    if (!value_behind(static_cast<int>(column), false)) return false;
    if (at_end() || col_ < column) break;
    if (col_ > column) return fail("indentation that fits nothing above");
  } while (at_dash());
  w_.end_array();
  return true;
}

// What is behind a colon or a dash, on this line or below it.
COMCP_DECL bool yaml_reader::value_behind(int n, bool of_key) {
  auto const r = rest();
  auto const i = r.find_first_not_of(" \t");
  if (i == std::string_view::npos || r[i] == '#') {
    ++line_;
    if (!next_content()) return false;
    int const indent = static_cast<int>(col_);
    if (!at_end() && (indent > n || (indent == n && of_key && at_dash()))) return block_node(n);
    w_.null();
    return true;
  }
  col_ += i;
  if (of_key) return inline_node(n);
  if (r.substr(0, i).find('\t') != std::string_view::npos) return fail("a tab behind a dash");
  return block_node(n);
}

// Whether a key begins here: then it is read with its colon.
COMCP_DECL bool yaml_reader::key_here(std::string& key, bool& found) {
  auto const r = rest();
  key_column_ = col_;
  if (r.starts_with('"') || r.starts_with('\'')) return quoted_key(key, found);
  if (r.starts_with('?') && (r.size() == 1 || yaml_space(r[1]))) return fail("a key of several lines");
  if (!plain_starts(false)) return true;
  for (std::size_t i = 1; i < r.size(); ++i) {
    if (r[i] == '#' && yaml_space(r[i - 1])) return true;
    if (r[i] != ':' || (i + 1 < r.size() && !yaml_space(r[i + 1]))) continue;
    key = r.substr(0, r.find_last_not_of(" \t", i - 1) + 1);
    if (key == "<<") return fail("a merge key");
    if (!yaml_is_text(key)) return fail("a key that is no text: quote it");
    col_ += i + 1;
    found = true;
    return true;
  }
  return true;
}

COMCP_DECL bool yaml_reader::quoted_key(std::string& key, bool& found) {
  auto const r = rest();
  std::size_t i = 1;
  while (i < r.size() && r[i] != r[0]) i += r[i] == '\\' && r[0] == '"' ? 2 : 1;
  while (r[0] == '\'' && i + 1 < r.size() && r[i + 1] == '\'') {
    i = std::min(r.find('\'', i + 2), r.size());
  }
  if (i >= r.size()) return true;  // it goes on below: no key
  i = r.find_first_not_of(" \t", i + 1);
  if (i == std::string_view::npos || r[i] != ':' || (i + 1 < r.size() && !yaml_space(r[i + 1]))) return true;
  auto const column = col_;
  key.clear();
  if (!quoted(key, -1)) return false;
  col_ = column + i + 1;
  found = true;
  return true;
}

// How far the lines of a block scalar are indented, from its first one that is not empty.
COMCP_DECL bool yaml_reader::block_indent(int n, std::size_t from, std::size_t& indent) {
  std::size_t longest = 0;
  for (auto i = from; i < lines_.size(); ++i) {
    auto const spaces = lines_[i].find_first_not_of(' ');
    if (spaces == std::string_view::npos) {
      longest = std::max(longest, lines_[i].size());
      continue;
    }
    if (static_cast<int>(spaces) <= n) break;
    indent = spaces;
    return longest <= indent || fail("empty lines that are longer than the indentation");
  }
  indent = std::max(longest, static_cast<std::size_t>(n + 1));  // there are only empty lines
  return true;
}

// What stands behind `|` or `>`: how its end is kept, and its indentation where that is said.
COMCP_DECL bool yaml_reader::block_header(int n, char& chomping, std::size_t& indent) {
  for (++col_; !rest().empty() && !yaml_space(rest()[0]); ++col_) {
    char const c = rest()[0];
    if ((c == '+' || c == '-') && !chomping) {
      chomping = c;
    } else if (c >= '1' && c <= '9' && !indent) {
      indent = static_cast<std::size_t>(std::max(n, 0) + (c - '0'));
    } else {
      return fail("no way to begin a block of text");
    }
  }
  auto const i = rest().find_first_not_of(" \t");
  if (i != std::string_view::npos && rest()[i] != '#') return fail("text behind the beginning of a block");
  ++line_;
  return indent || block_indent(n, line_, indent);
}

COMCP_DECL bool yaml_reader::block_scalar(int n) {
  bool const folded = rest()[0] == '>';
  char chomping = 0;
  std::size_t indent = 0, empty = 0;
  if (!block_header(n, chomping, indent)) return false;
  std::string out;
  bool first = true, more_before = false;
  for (; !at_end(); ++line_) {
    auto const line = lines_[line_];
    auto const spaces = std::min(line.find_first_not_of(' '), line.size());
    if (spaces == line.size() && spaces <= indent) {
      ++empty;
      continue;
    }
    if (spaces < indent) {
      if (line[spaces] == '\t') return fail("a tab in the indentation");
      if (static_cast<int>(spaces) <= n || line[spaces] == '#') break;
      return fail("indentation that fits nothing above");
    }
    auto const text = line.substr(indent);
    bool const more = yaml_space(text[0]);
    bool const folds = folded && !first && !more && !more_before;
    if (folds && empty == 0) out += ' ';
    out.append(empty + (first || folds ? 0 : 1), '\n').append(text);
    empty = 0;
    first = false;
    more_before = more;
  }
  if (!first && chomping != '-') out += '\n';
  if (chomping == '+') out.append(empty, '\n');
  w_.string(out);
  return next_content();
}

}  // namespace comcp::detail
