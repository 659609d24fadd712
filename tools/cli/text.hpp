// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Text for people: what a server says, made harmless for a terminal; width, wrapping, readable JSON.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/json/value.hpp>

namespace cli {

/// Text that may be a server's. It can be printed in one way only: cleaned, as printable() says. Every text that is
/// written to a stream inside of this namespace becomes one, by the operators below; so does what console and terminal
/// are given. Looks at the string, which outlives it.
class server_text {
 public:
  server_text(std::string_view text) noexcept : text_(text) {}
  server_text(std::string const& text) noexcept : text_(text) {}
  server_text(char const* text) noexcept : text_(text) {}

  friend std::ostream& operator<<(std::ostream& out, server_text text);

 private:
  std::string_view text_;
};
// Found before those of the standard library.
std::ostream& operator<<(std::ostream& out, std::string const& text);
std::ostream& operator<<(std::ostream& out, std::string_view text);
std::ostream& operator<<(std::ostream& out, char const* text);

/// What the terminal shall obey, and data for a pipe: written as it is.
struct raw_text {
  std::string_view text;
  friend std::ostream& operator<<(std::ostream& out, raw_text const& t);
};

/// The text with what a terminal would obey and nobody would see shown instead (see comcp::visible()). Newlines and tabs
/// stay.
std::string printable(std::string_view text);
/// The same on one line.
std::string one_line(std::string_view text);
/// The start of a text that has more than about `most` bytes, and how much is missing.
std::string shortened(std::string_view text, std::size_t most);
/// JSON text in which the same characters are escaped as \uXXXX: equal to what it was, and harmless.
std::string json_text(std::string_view json);

/// How many columns are taken; wide characters take two.
std::size_t columns(std::string_view text) noexcept;
/// `text` with blanks up to `width` columns.
std::string padded(std::string_view text, std::size_t width);
/// Lines of at most `width` columns, broken at blanks, else behind '|', where possible. Newlines of the text stay.
std::vector<std::string> wrap(std::string_view text, std::size_t width);
/// The first of them.
std::string first_line(std::string_view text, std::size_t width);

bool is_terminal(int descriptor) noexcept;
/// Whether it is a terminal that understands more than text: TERM is not "dumb".
bool obeys_escapes(int descriptor) noexcept;
/// Of the terminal at `descriptor`; else of COLUMNS; else 80.
std::size_t terminal_width(int descriptor);

/// Text that is printed bold.
struct bold_text {
  std::string text;
  bool is_bold = false;
  friend std::ostream& operator<<(std::ostream& out, bold_text const& t);
};
/// Bold on a terminal that can do so, unless NO_COLOR is set.
bold_text bold(std::string_view text, int descriptor);

/// JSON with two blanks of indentation, short parts on one line.
std::string pretty(comcp::json::view v);

}  // namespace cli
