// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <comcp/json/writer.hpp>

namespace cli {
namespace {

struct character {
  std::uint32_t code = 0;
  std::size_t length = 0;  // 0: no UTF-8 here
};

character first_of(std::string_view text) noexcept {
  auto const lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  std::size_t const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  std::uint32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    auto const next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80) return {};
    code = (code << 6) | (next & 0x3fU);
  }
  return {code, length};
}

bool is_harmful(std::uint32_t c) noexcept {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

void append_code(std::string& out, std::uint32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, c < 0x100 ? "\\x%02x" : "\\u{%x}", static_cast<unsigned>(c));
  out += text;
}

std::string cleaned(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    auto const c = first_of(text);
    if (c.length == 0) {
      append_code(out, static_cast<unsigned char>(text[0]));
    } else if (c.code == '\n' || c.code == '\t') {
      out += keep_lines ? text[0] : ' ';
    } else if (c.code == '\r' && text.size() > 1 && text[1] == '\n') {
      // the newline follows
    } else if (is_harmful(c.code)) {
      append_code(out, c.code);
    } else {
      out.append(text.substr(0, c.length));
    }
    text.remove_prefix(std::max<std::size_t>(c.length, 1));
  }
  return out;
}

// Two for wide letters, none for combining marks; needs a UTF-8 locale, else one.
std::size_t width_of(std::uint32_t code) noexcept {
  auto const width = code < 0x80 ? 1 : ::wcwidth(static_cast<wchar_t>(code));
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

// The longest start of `text` that has at most `width` columns, and one letter at least.
std::size_t start_of(std::string_view text, std::size_t width) noexcept {
  std::size_t bytes = 0, used = 0;
  while (bytes < text.size()) {
    auto const c = first_of(text.substr(bytes));
    used += width_of(c.code);
    if (used > width && bytes > 0) break;
    bytes += std::max<std::size_t>(c.length, 1);
  }
  return bytes;
}

}  // namespace

std::string printable(std::string_view text) { return cleaned(text, true); }
std::string one_line(std::string_view text) { return cleaned(text, false); }

std::size_t columns(std::string_view text) noexcept {
  std::size_t all = 0;
  while (!text.empty()) {
    auto const c = first_of(text);
    all += width_of(c.code);
    text.remove_prefix(std::max<std::size_t>(c.length, 1));
  }
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
    while (columns(rest) > width) {
      auto const most = start_of(rest, width);
      auto cut = rest.rfind(' ', most);
      bool const at_blank = cut != std::string_view::npos && cut != 0;
      if (!at_blank) {
        auto const bar = rest.rfind('|', most - 1);
        cut = bar == std::string_view::npos ? most : bar + 1;
      }
      lines.emplace_back(rest.substr(0, cut));
      rest.remove_prefix(at_blank ? cut + 1 : cut);
    }
    lines.emplace_back(rest);
  }
  return lines;
}

bool is_terminal(int descriptor) noexcept { return ::isatty(descriptor) == 1; }

bool obeys_escapes(int descriptor) noexcept {
  auto const* const kind = std::getenv("TERM");
  return is_terminal(descriptor) && !(kind && std::string_view(kind) == "dumb");
}

std::size_t terminal_width(int descriptor) {
  ::winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  auto const* const set = std::getenv("COLUMNS");
  auto const wanted = set ? std::strtoul(set, nullptr, 10) : 0;
  return wanted >= 20 && wanted <= 1000 ? wanted : 80;
}

std::string bold(std::string_view text, int descriptor) {
  auto const* const plain = std::getenv("NO_COLOR");
  if (!obeys_escapes(descriptor) || (plain && *plain)) return std::string(text);
  return "\x1b[1m" + std::string(text) + "\x1b[0m";
}

std::string pretty(comcp::json::view v, std::size_t indent) {
  auto const flat = v.dump();
  bool const nested = v.is_object() || v.is_array();
  if (!nested || v.size() == 0 || columns(flat) + indent <= 72) return flat;
  std::string const blanks(indent + 2, ' ');
  std::string out(v.is_object() ? "{" : "[");
  char const* before = "\n";
  for (auto const m : v.members()) {
    out.append(before).append(blanks);
    comcp::json::detail::append_string(out, m.key);
    out.append(": ").append(pretty(m.value, indent + 2));
    before = ",\n";
  }
  for (auto const e : v.elements()) {
    out.append(before).append(blanks).append(pretty(e, indent + 2));
    before = ",\n";
  }
  return out.append("\n").append(indent, ' ').append(v.is_object() ? "}" : "]");
}

}  // namespace cli
