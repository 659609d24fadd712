// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Plain and quoted scalars, and collections in brackets.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include <comcp/skills/impl/yaml_reader.hpp>

namespace comcp::detail {

COMCP_DECL bool yaml_is_digits(std::string_view s, std::string_view digits = "0123456789") {
  return !s.empty() && s.find_first_not_of(digits) == std::string_view::npos;
}

// A number of the core schema as JSON; nothing where it is none. `endless` is set for what JSON has no number for.
COMCP_DECL std::optional<std::string> yaml_number(std::string_view s, bool& endless) {
  auto const bare = s.substr(s.starts_with('-') || s.starts_with('+') ? 1 : 0);
  endless = bare == ".inf" || bare == ".Inf" || bare == ".INF" || s == ".nan" || s == ".NaN" || s == ".NAN";
  if (endless) return {};
  bool const octal = s.starts_with("0o"), hexadecimal = s.starts_with("0x");
  if ((octal && yaml_is_digits(s.substr(2), "01234567")) ||
      (hexadecimal && yaml_is_digits(s.substr(2), "0123456789abcdefABCDEF"))) {
    auto const digits = s.substr(2);
    if (digits.size() > 15) return endless = true, std::nullopt;
    return std::to_string(std::stoull(std::string(digits), nullptr, octal ? 8 : 16));
  }
  auto const e = bare.find_first_of("eE");
  auto const mantissa = bare.substr(0, e);
  auto const point = mantissa.find('.');
  auto whole = mantissa.substr(0, point);
  auto const part = point == std::string_view::npos ? std::string_view() : mantissa.substr(point + 1);
  if ((!whole.empty() && !yaml_is_digits(whole)) || (!part.empty() && !yaml_is_digits(part))) return {};
  if (whole.empty() && part.empty()) return {};
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  std::string out(s.starts_with('-') ? "-" : "");
  out += whole.empty() ? std::string_view("0") : whole;
  if (!part.empty()) out.append(".").append(part);
  if (e == std::string_view::npos) return out;
  auto const exponent = bare.substr(e + 1);
  bool const sign = exponent.starts_with('-') || exponent.starts_with('+');
  if (!yaml_is_digits(exponent.substr(sign ? 1 : 0))) return {};
  return out.append("e").append(exponent);
}

// The text in JSON of a plain scalar that is no string.
COMCP_DECL std::optional<std::string> yaml_constant(std::string_view s) {
  if (s.empty() || s == "~" || s == "null" || s == "Null" || s == "NULL") return "null";
  if (s == "true" || s == "True" || s == "TRUE") return "true";
  if (s == "false" || s == "False" || s == "FALSE") return "false";
  return {};
}

COMCP_DECL bool yaml_is_text(std::string_view plain) {
  bool endless = false;
  return !yaml_constant(plain) && !yaml_number(plain, endless) && !endless;
}

COMCP_DECL bool yaml_reader::resolve(std::string_view text) {
  bool endless = false;
  auto json = yaml_constant(text);
  if (!json) json = yaml_number(text, endless);
  if (endless) return fail("a number that JSON has not");
  if (json) {
    w_.raw(*json);
  } else {
    w_.string(text);
  }
  return true;
}

COMCP_DECL bool yaml_reader::inline_node(int n) {
  char const c = rest()[0];
  if (c == '|' || c == '>') return block_scalar(n);
  if (c == '[' || c == '{') return flow_node(n) && end_line();
  if (c != '"' && c != '\'') return plain(n);
  std::string text;
  if (!quoted(text, n)) return false;
  w_.string(text);
  return end_line();
}

COMCP_DECL bool yaml_reader::plain_starts(bool flow) const noexcept {
  auto const r = rest();
  if (r.find_first_of(",[]{}#&*!|>'\"%@`") == 0) return false;
  if (r.find_first_of("-?:") != 0) return true;
  if (flow && r[0] != '-') return false;  // text in YAML 1.2, a key or a colon to readers of YAML 1.1
  return r.size() > 1 && !yaml_space(r[1]) && !(flow && r.find_first_of(",[]{}", 1) == 1);
}

COMCP_DECL bool yaml_reader::refuse_start() {
  switch (rest()[0]) {
    case '&': return fail("an anchor, which is not supported");
    case '*': return fail("an alias, which is not supported");
    case '!': return fail("a tag, which is not supported");
    case '%': return fail("a directive, which is not supported");
    default: return fail("a value may not begin so");
  }
}

// As much of a plain scalar as this line has, which is read beyond it.
COMCP_DECL bool yaml_reader::plain_line(std::string_view& piece, bool flow) {
  auto const r = rest();
  std::size_t i = 0;
  for (; i < r.size(); ++i) {
    char const c = r[i];
    bool const last = i + 1 == r.size();
    if (c == '#' && i > 0 && yaml_space(r[i - 1])) break;
    if (flow && std::string_view(",[]{}").find(c) != std::string_view::npos) break;
    if (c != ':') continue;
    if (flow && (last || yaml_space(r[i + 1]) || r.find_first_of(",[]{}", i + 1) == i + 1)) break;
    if (last || yaml_space(r[i + 1])) return fail("a colon and a space inside a value: quote it");
  }
  piece = r.substr(0, i);
  piece = piece.substr(0, piece.find_last_not_of(" \t") + 1);
  col_ += piece.size();
  return true;
}

// A plain scalar and the lines below that belong to it.
COMCP_DECL bool yaml_reader::plain(int n) {
  if (!plain_starts(false)) return refuse_start();
  std::string_view piece;
  if (!plain_line(piece, false)) return false;
  std::string text(piece);
  while (yaml_blank(rest())) {  // else a comment, which ends it
    auto next = line_ + 1;
    while (next < lines_.size() && yaml_blank(lines_[next])) ++next;
    if (next == lines_.size()) break;
    auto const indent = lines_[next].find_first_not_of(' ');
    if (static_cast<int>(indent) <= n || lines_[next][indent] == '#') break;
    auto const empty = next - line_ - 1;
    line_ = next;
    col_ = indent;
    if (lines_[next][indent] == '\t') return fail("a tab in the indentation");
    if (!plain_line(piece, false)) return false;
    text.append(empty, '\n').append(empty ? "" : " ").append(piece);
  }
  return resolve(text) && end_line();
}

COMCP_DECL bool yaml_reader::quoted(std::string& out, int n) {
  char const quote = rest()[0];
  std::size_t kept = 0;  // this much of it is no blank that the end of a line takes away
  for (++col_;;) {
    auto const r = rest();
    if (r.empty()) {
      while (out.size() > kept && yaml_space(out.back())) out.pop_back();
      if (!fold_quoted(out, n, false)) return false;
      kept = out.size();
    } else if (r[0] == quote && quote == '\'' && r.starts_with("''")) {
      out += '\'';
      col_ += 2;
    } else if (r[0] == quote) {
      ++col_;
      return true;
    } else if (r[0] == '\\' && quote == '"') {
      if (!(r.size() == 1 ? fold_quoted(out, n, true) : escape(out))) return false;
      kept = out.size();
    } else {
      out += r[0];
      ++col_;
    }
  }
}

// From the end of a line to where the text goes on.
COMCP_DECL bool yaml_reader::fold_quoted(std::string& out, int n, bool escaped) {
  std::size_t empty = 0;
  for (++line_; !at_end() && yaml_blank(lines_[line_]); ++line_) ++empty;
  if (at_end()) return fail("a quote that does not end");
  if (yaml_marker(lines_[line_])) return fail("more than one document");
  if (static_cast<int>(lines_[line_].find_first_not_of(' ')) <= n) return fail("text in quotes that is not indented");
  col_ = lines_[line_].find_first_not_of(" \t");
  if (empty) {
    out.append(empty, '\n');
  } else if (!escaped) {
    out += ' ';
  }
  return true;
}

COMCP_DECL void append_code_point(std::string& out, char32_t c) {
  auto const tail = [&out](char32_t bits) { out += static_cast<char>(0x80 | (bits & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(c);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(c >> 6);
    tail(c);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(c >> 12);
    tail(c >> 6);
    tail(c);
  }
}

COMCP_DECL bool yaml_reader::hex(std::size_t digits, char32_t& out) {
  auto const text = rest().substr(0, digits);
  if (text.size() != digits || !yaml_is_digits(text, "0123456789abcdefABCDEF")) return fail("an escape without its digits");
  out = static_cast<char32_t>(std::stoul(std::string(text), nullptr, 16));
  col_ += digits;
  return true;
}

COMCP_DECL bool yaml_reader::escape(std::string& out) {
  constexpr std::string_view names = "0abt\tnvfre \"/\\N_LP";
  constexpr std::array<char32_t, 18> meanings = {0,    7,    8,   9,   9,    10,   11,   12,     13,
                                                 0x1B, 0x20, '"', '/', '\\', 0x85, 0xA0, 0x2028, 0x2029};
  static_assert(names.size() == meanings.size());
  char const c = rest()[1];
  col_ += 2;
  char32_t code = 0;
  if (auto const i = names.find(c); i != std::string_view::npos) {
    code = meanings[i];
  } else if (c != 'x' && c != 'u' && c != 'U') {
    return fail("an unknown escape");
  } else if (!hex(c == 'x' ? 2 : c == 'u' ? 4 : 8, code)) {
    return false;
  }
  if (code >= 0xD800 && code < 0xDC00 && rest().starts_with("\\u")) {  // the other half of a pair, as JSON has it
    char32_t low = 0;
    col_ += 2;
    if (!hex(4, low)) return false;
    if (low >= 0xDC00 && low < 0xE000) code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return fail("an escape that is no character");
  append_code_point(out, code);
  return true;
}

// To the next character that is no blank, no comment and no end of a line.
COMCP_DECL bool yaml_reader::flow_space(int n) {
  for (;;) {
    auto const r = rest();
    auto const i = r.find_first_not_of(" \t");
    bool const found = i != std::string_view::npos;
    bool const comment = found && r[i] == '#' && (col_ + i == 0 || yaml_space(lines_[line_][col_ + i - 1]));
    if (found && !comment) {
      col_ += i;
      return true;
    }
    ++line_;
    if (at_end()) return fail("a bracket that does not close");
    col_ = 0;
    auto const line = lines_[line_];
    auto const indent = line.find_first_not_of(' ');
    if (yaml_blank(line) || line[indent] == '#') continue;
    if (yaml_marker(line)) return fail("more than one document");
    if (line[indent] == '\t') return fail("a tab in the indentation");
    bool const closes = line[indent] == ']' || line[indent] == '}';  // may stand below its key
    if (static_cast<int>(indent) + (closes ? 1 : 0) <= n) return fail("text in brackets that is not indented");
  }
}

COMCP_DECL bool yaml_reader::flow_node(int n) {
  char const c = rest()[0];
  if (c == '[') return flow_sequence(n);
  if (c == '{') return flow_mapping(n);
  if (c == '"' || c == '\'') {
    std::string text;
    if (!quoted(text, n)) return false;
    w_.string(text);
    return true;
  }
  if (!plain_starts(true)) return refuse_start();
  std::string_view piece;
  return plain_line(piece, true) && resolve(piece);
}

// Behind an element: a comma, or the end.
COMCP_DECL bool yaml_reader::flow_next(char close, bool& more, int n) {
  if (!flow_space(n)) return false;
  if (rest()[0] == ',') {
    ++col_;
    if (!flow_space(n)) return false;
  } else if (rest()[0] != close) {
    return fail("expected a comma or a closing bracket");
  }
  more = rest()[0] != close;
  return true;
}

COMCP_DECL bool yaml_reader::flow_sequence(int n) {
  level const one_more(*this);
  ++col_;
  if (!deeper() || !flow_space(n)) return false;
  w_.begin_array();
  for (bool more = rest()[0] != ']'; more;) {
    if (!flow_node(n) || !flow_next(']', more, n)) return false;
  }
  ++col_;
  w_.end_array();
  return true;
}

COMCP_DECL bool yaml_reader::flow_key(std::string& key, bool& was_quoted, int n) {
  was_quoted = rest()[0] == '"' || rest()[0] == '\'';
  key.clear();
  if (was_quoted) return quoted(key, n);
  std::string_view piece;
  if (!plain_starts(true)) return refuse_start();
  if (!plain_line(piece, true)) return false;
  key = piece;
  if (key == "<<") return fail("a merge key");
  return yaml_is_text(key) || fail("a key that is no text: quote it");
}

COMCP_DECL bool yaml_reader::flow_mapping(int n) {
  level const one_more(*this);
  ++col_;
  if (!deeper() || !flow_space(n)) return false;
  std::set<std::string> keys;
  std::string key;
  w_.begin_object();
  for (bool more = rest()[0] != '}', was_quoted = false; more;) {
    if (!flow_key(key, was_quoted, n) || !flow_space(n)) return false;
    auto const r = rest();
    bool const apart = r.size() == 1 || yaml_space(r[1]) || r.find_first_of(",[]{}", 1) == 1;
    if (r[0] != ':' || !(apart || was_quoted)) return fail("expected a colon behind a key");
    ++col_;
    if (!add_key(keys, key) || !flow_space(n)) return false;
    if (rest()[0] == ',' || rest()[0] == '}') {
      w_.null();
    } else if (!flow_node(n)) {
      return false;
    }
    if (!flow_next('}', more, n)) return false;
  }
  ++col_;
  w_.end_object();
  return true;
}

}  // namespace comcp::detail
