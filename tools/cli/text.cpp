// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <utility>

#include <comcp/json/writer.hpp>
#include <comcp/visible.hpp>

#include "platform.hpp"

namespace cli {
namespace {

using comcp::detail::character_scan;

std::size_t width_of(char32_t code) noexcept {
  return code < 0x80 ? 1 : letter_columns(code);
}

// The longest start of `text` that has at most `width` columns, and one letter at least. Looks no further.
std::size_t start_of(std::string_view text, std::size_t width) noexcept {
  std::size_t used = 0;
  for (character_scan at(text); at.next();) {
    used += width_of(at.code());
    if (used > width && at.start() > 0) return at.start();
  }
  return text.size();
}

// The length of the first line of `text`, which has no newline, and where the next one begins.
std::pair<std::size_t, std::size_t> cut_line(std::string_view text, std::size_t width) noexcept {
  auto const most = start_of(text, width);
  if (most == text.size()) return {most, most};
  auto const blank = text.rfind(' ', most);
  if (blank != std::string_view::npos && blank != 0) return {blank, blank + 1};
  auto const bar = text.rfind('|', most - 1);
  auto const cut = bar == std::string_view::npos ? most : bar + 1;
  return {cut, cut};
}

void append_escape(std::string& out, char32_t c) {
  char text[16];
  if (c > 0xFFFF) {
    auto const high = 0xD800 + ((c - 0x10000) >> 10), low = 0xDC00 + ((c - 0x10000) & 0x3FF);
    std::snprintf(text, sizeof text, "\\u%04x\\u%04x", static_cast<unsigned>(high), static_cast<unsigned>(low));
  } else {
    std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(c));
  }
  out += text;
}

// The value on one line; false once that has more than `most` bytes, so that whoever asks for each part of a large value
// does not go through all of it each time.
bool append_flat(std::string& out, comcp::json::view v, std::size_t most) {
  bool const is_object = v.is_object();
  if (!is_object && !v.is_array()) {
    auto const s = v.get_string();
    if (s && s->size() > most) return false;
    out += v.dump();
    return out.size() <= most;
  }
  out += is_object ? '{' : '[';
  char const* before = "";
  for (auto const m : v.members()) {
    if (m.key.size() > most) return false;
    comcp::json::detail::append_string(out.append(before), m.key);
    if (!append_flat(out += ':', m.value, most)) return false;
    before = ",";
  }
  for (auto const e : v.elements()) {
    if (!append_flat(out.append(before), e, most)) return false;
    before = ",";
  }
  out += is_object ? '}' : ']';
  return out.size() <= most;
}

void append_pretty(std::string& out, comcp::json::view v, std::size_t depth) {
  constexpr std::size_t width = 72, deepest = 20;  // what is nested deeper stands below that
  auto const indent = 2 * std::min(depth, deepest);
  bool const nested = v.is_object() || v.is_array();
  std::string flat;
  if (!nested) {
    out += v.dump();
    return;
  }
  if (v.size() == 0 || (append_flat(flat, v, 4 * width) && columns(flat) + indent <= width)) {
    out += v.size() == 0 ? v.dump() : flat;
    return;
  }
  std::string const blanks(2 * std::min(depth + 1, deepest), ' ');
  out += v.is_object() ? '{' : '[';
  char const* before = "\n";
  for (auto const m : v.members()) {
    comcp::json::detail::append_string(out.append(before).append(blanks), m.key);
    append_pretty(out.append(": "), m.value, depth + 1);
    before = ",\n";
  }
  for (auto const e : v.elements()) {
    append_pretty(out.append(before).append(blanks), e, depth + 1);
    before = ",\n";
  }
  out.append("\n").append(indent, ' ').append(v.is_object() ? "}" : "]");
}

}  // namespace

std::ostream& operator<<(std::ostream& out, raw_text const& t) {
  return out.write(t.text.data(), static_cast<std::streamsize>(t.text.size()));
}
std::ostream& operator<<(std::ostream& out, server_text text) { return out << raw_text{printable(text.text_)}; }
std::ostream& operator<<(std::ostream& out, std::string const& text) { return out << server_text(text); }
std::ostream& operator<<(std::ostream& out, std::string_view text) { return out << server_text(text); }
std::ostream& operator<<(std::ostream& out, char const* text) { return out << server_text(text); }
std::ostream& operator<<(std::ostream& out, bold_text const& t) {
  return out << raw_text{t.is_bold ? "\x1b[1m" : ""} << t.text << raw_text{t.is_bold ? "\x1b[0m" : ""};
}

std::string printable(std::string_view text) { return comcp::visible(text); }
std::string one_line(std::string_view text) { return comcp::visible(text, comcp::line_breaks::blank); }

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  auto end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + " ... (" + std::to_string(text.size() - end) + " bytes more: see --json)";
}

std::string json_text(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (character_scan at(json); at.next();) {
    if (at.why() && at.is_utf8()) {
      append_escape(out, at.code());
    } else {
      out.append(at.bytes());
    }
  }
  return out;
}

std::size_t columns(std::string_view text) noexcept {
  std::size_t all = 0;
  for (character_scan at(text); at.next();) all += width_of(at.code());
  return all;
}

std::string padded(std::string_view text, std::size_t width) {
  auto const used = columns(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 10);
  std::vector<std::string> lines;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto rest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    do {
      auto const [length, next] = cut_line(rest, width);
      lines.emplace_back(rest.substr(0, length));
      rest.remove_prefix(next);
    } while (!rest.empty());
  }
  return lines;
}

std::string first_line(std::string_view text, std::size_t width) {
  auto const line = text.substr(0, text.find('\n'));
  return std::string(line.substr(0, cut_line(line, width).first));
}

bool obeys_escapes(int descriptor) noexcept {
  auto const* const kind = std::getenv("TERM");
  return (!kind || std::string_view(kind) != "dumb") && takes_escapes(descriptor);
}

std::size_t terminal_width(int descriptor) {
  if (auto const found = window_columns(descriptor); found >= 20) return found;
  auto const* const set = std::getenv("COLUMNS");
  auto const wanted = set ? std::strtoul(set, nullptr, 10) : 0;
  return wanted >= 20 && wanted <= 1000 ? wanted : 80;
}

bold_text bold(std::string_view text, int descriptor) {
  auto const* const plain = std::getenv("NO_COLOR");
  return {std::string(text), obeys_escapes(descriptor) && (!plain || !*plain)};
}

std::string pretty(comcp::json::view v) {
  std::string out;
  append_pretty(out, v, 0);
  return out;
}

}  // namespace cli
