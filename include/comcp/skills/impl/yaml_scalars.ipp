// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What has a value and no parts: plain text, text in quotes, text in a block.
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

COMCP_DECL bool yaml_scalars::plain_starts(bool flow) const noexcept {
  auto const r = in_.rest();
  if (r.find_first_of(",[]{}#&*!|>'\"%@`") == 0) return false;
  if (r.find_first_of("-?:") != 0) return true;
  if (flow && r[0] != '-') return false;  // text in YAML 1.2, a key or a colon to readers of YAML 1.1
  return r.size() > 1 && !yaml_space(r[1]) && !(flow && r.find_first_of(",[]{}", 1) == 1);
}

COMCP_DECL bool yaml_scalars::refuse_start() {
  switch (in_.rest()[0]) {
    case '&': return in_.fail("an anchor, which is not supported");
    case '*': return in_.fail("an alias, which is not supported");
    case '!': return in_.fail("a tag, which is not supported");
    case '%': return in_.fail("a directive, which is not supported");
    default: return in_.fail("a value may not begin so");
  }
}

// As much of a plain scalar as this line has, which is read beyond it.
COMCP_DECL bool yaml_scalars::plain_line(std::string_view& piece, bool flow) {
  auto const r = in_.rest();
  std::size_t i = 0;
  for (; i < r.size(); ++i) {
    char const c = r[i];
    bool const last = i + 1 == r.size();
    if (c == '#' && i > 0 && yaml_space(r[i - 1])) break;
    if (flow && std::string_view(",[]{}").find(c) != std::string_view::npos) break;
    if (c != ':') continue;
    if (flow && (last || yaml_space(r[i + 1]) || r.find_first_of(",[]{}", i + 1) == i + 1)) break;
    if (last || yaml_space(r[i + 1])) return in_.fail("a colon and a space inside a value: quote it");
  }
  piece = r.substr(0, i);
  piece = piece.substr(0, piece.find_last_not_of(" \t") + 1);
  in_.col += piece.size();
  return true;
}

// A plain scalar and the lines below that belong to it.
COMCP_DECL bool yaml_scalars::plain(int n) {
  if (!plain_starts(false)) return refuse_start();
  std::string_view piece;
  if (!plain_line(piece, false)) return false;
  std::string text(piece);
  while (yaml_blank(in_.rest())) {  // else a comment, which ends it
    auto next = in_.row + 1;
    while (next < in_.lines.size() && yaml_blank(in_.lines[next])) ++next;
    if (next == in_.lines.size()) break;
    auto const indent = in_.lines[next].find_first_not_of(' ');
    if (static_cast<int>(indent) <= n || in_.lines[next][indent] == '#') break;
    auto const empty = next - in_.row - 1;
    in_.row = next;
    in_.col = indent;
    if (in_.lines[next][indent] == '\t') return in_.fail("a tab in the indentation");
    if (!plain_line(piece, false)) return false;
    text.append(empty, '\n').append(empty ? "" : " ").append(piece);
  }
  return resolve(text) && in_.end_line();
}

COMCP_DECL bool yaml_scalars::quoted(std::string& out, int n) {
  char const quote = in_.rest()[0];
  std::size_t kept = 0;  // this much of it is no blank that the end of a line takes away
  for (++in_.col;;) {
    auto const r = in_.rest();
    if (r.empty()) {
      while (out.size() > kept && yaml_space(out.back())) out.pop_back();
      if (!fold_quoted(out, n, false)) return false;
      kept = out.size();
    } else if (r[0] == quote && quote == '\'' && r.starts_with("''")) {
      out += '\'';
      in_.col += 2;
    } else if (r[0] == quote) {
      ++in_.col;
      return true;
    } else if (r[0] == '\\' && quote == '"') {
      if (!(r.size() == 1 ? fold_quoted(out, n, true) : escape(out))) return false;
      kept = out.size();
    } else {
      out += r[0];
      ++in_.col;
    }
  }
}

// From the end of a line to where the text goes on.
COMCP_DECL bool yaml_scalars::fold_quoted(std::string& out, int n, bool escaped) {
  std::size_t empty = 0;
  for (++in_.row; !in_.at_end() && yaml_blank(in_.lines[in_.row]); ++in_.row) ++empty;
  if (in_.at_end()) return in_.fail("a quote that does not end");
  if (yaml_marker(in_.lines[in_.row])) return in_.fail("more than one document");
  if (static_cast<int>(in_.lines[in_.row].find_first_not_of(' ')) <= n) return in_.fail("text in quotes that is not indented");
  in_.col = in_.lines[in_.row].find_first_not_of(" \t");
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

COMCP_DECL bool yaml_scalars::hex(std::size_t digits, char32_t& out) {
  auto const text = in_.rest().substr(0, digits);
  if (text.size() != digits || !yaml_is_digits(text, "0123456789abcdefABCDEF")) return in_.fail("an escape without its digits");
  out = static_cast<char32_t>(std::stoul(std::string(text), nullptr, 16));
  in_.col += digits;
  return true;
}

COMCP_DECL bool yaml_scalars::escape(std::string& out) {
  constexpr std::string_view names = "0abt\tnvfre \"/\\N_LP";
  constexpr std::array<char32_t, 18> meanings = {0,    7,    8,   9,   9,    10,   11,   12,     13,
                                                 0x1B, 0x20, '"', '/', '\\', 0x85, 0xA0, 0x2028, 0x2029};
  static_assert(names.size() == meanings.size());
  char const c = in_.rest()[1];
  in_.col += 2;
  char32_t code = 0;
  if (auto const i = names.find(c); i != std::string_view::npos) {
    code = meanings[i];
  } else if (c != 'x' && c != 'u' && c != 'U') {
    return in_.fail("an unknown escape");
  } else if (!hex(c == 'x' ? 2 : c == 'u' ? 4 : 8, code)) {
    return false;
  }
  if (code >= 0xD800 && code < 0xDC00 && in_.rest().starts_with("\\u")) {  // the other half of a pair, as JSON has it
    char32_t low = 0;
    in_.col += 2;
    if (!hex(4, low)) return false;
    if (low >= 0xDC00 && low < 0xE000) code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return in_.fail("an escape that is no character");
  append_code_point(out, code);
  return true;
}

COMCP_DECL bool yaml_scalars::resolve(std::string_view text) {
  bool endless = false;
  auto json = yaml_constant(text);
  if (!json) json = yaml_number(text, endless);
  if (endless) return in_.fail("a number that JSON has not");
  if (json) {
    in_.out.raw(*json);
  } else {
    in_.out.string(text);
  }
  return true;
}

// How far the lines of a block scalar are indented, from its first one that is not empty.
COMCP_DECL bool yaml_scalars::block_indent(int n, std::size_t from, std::size_t& indent) {
  std::size_t longest = 0;
  for (auto i = from; i < in_.lines.size(); ++i) {
    auto const spaces = in_.lines[i].find_first_not_of(' ');
    if (spaces == std::string_view::npos) {
      longest = std::max(longest, in_.lines[i].size());
      continue;
    }
    if (static_cast<int>(spaces) <= n) break;
    indent = spaces;
    return longest <= indent || in_.fail("empty lines that are longer than the indentation");
  }
  indent = std::max(longest, static_cast<std::size_t>(n + 1));  // there are only empty lines
  return true;
}

// What stands behind `|` or `>`: how its end is kept, and its indentation where that is said.
COMCP_DECL bool yaml_scalars::block_header(int n, char& chomping, std::size_t& indent) {
  for (++in_.col; !in_.rest().empty() && !yaml_space(in_.rest()[0]); ++in_.col) {
    char const c = in_.rest()[0];
    if ((c == '+' || c == '-') && !chomping) {
      chomping = c;
    } else if (c >= '1' && c <= '9' && !indent) {
      indent = static_cast<std::size_t>(std::max(n, 0) + (c - '0'));
    } else {
      return in_.fail("no way to begin a block of text");
    }
  }
  auto const i = in_.rest().find_first_not_of(" \t");
  if (i != std::string_view::npos && in_.rest()[i] != '#') return in_.fail("text behind the beginning of a block");
  ++in_.row;
  return indent || block_indent(n, in_.row, indent);
}

COMCP_DECL bool yaml_scalars::block_scalar(int n) {
  bool const folded = in_.rest()[0] == '>';
  char chomping = 0;
  std::size_t indent = 0, empty = 0;
  if (!block_header(n, chomping, indent)) return false;
  std::string out;
  bool first = true, more_before = false;
  for (; !in_.at_end(); ++in_.row) {
    auto const line = in_.lines[in_.row];
    auto const spaces = std::min(line.find_first_not_of(' '), line.size());
    if (spaces == line.size() && spaces <= indent) {
      ++empty;
      continue;
    }
    if (spaces < indent) {
      if (line[spaces] == '\t') return in_.fail("a tab in the indentation");
      if (static_cast<int>(spaces) <= n || line[spaces] == '#') break;
      return in_.fail("indentation that fits nothing above");
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
  in_.out.string(out);
  return in_.next_content();
}

}  // namespace comcp::detail
