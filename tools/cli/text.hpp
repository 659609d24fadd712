// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Text for people: what a server says, made harmless for a terminal; width, wrapping, readable JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/json/value.hpp>

namespace cli {

/// The text with control characters, bidirectional overrides and bytes that are no UTF-8 shown instead of obeyed.
/// Newlines and tabs stay.
std::string printable(std::string_view text);
/// The same on one line.
std::string one_line(std::string_view text);

/// How many characters are shown; wide ones count as one.
std::size_t columns(std::string_view text) noexcept;
/// `text` with blanks up to `width` columns.
std::string padded(std::string_view text, std::size_t width);
/// Lines of at most `width` columns, broken at blanks, else behind '|', where possible. Newlines of the text stay.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

bool is_terminal(int descriptor) noexcept;
/// Whether it is a terminal that understands more than text: TERM is not "dumb".
bool obeys_escapes(int descriptor) noexcept;
/// Of the terminal at `descriptor`; else of COLUMNS; else 80.
std::size_t terminal_width(int descriptor);
/// Bold on a terminal, unless NO_COLOR is set.
std::string bold(std::string_view text, int descriptor);

/// JSON with two blanks of indentation, short parts on one line.
std::string pretty(comcp::json::view v, std::size_t indent = 0);

}  // namespace cli
