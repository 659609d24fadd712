// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <ostream>

#include "text.hpp"

namespace cli {
namespace {

constexpr std::size_t widest_name = 28;
constexpr std::size_t gap = 2;
constexpr std::size_t longest_name = 256, longest_text = 4000;  // bytes that are shown

std::string shown_name(std::string const& name) { return one_line(shortened(name, longest_name)); }

// `head`, beside it the first line where there is room, and the other lines, all from the column `indent` on.
void print_block(std::ostream& out, bold_text const& head, std::string const& text, std::size_t indent,
                 std::size_t width) {
  auto const head_width = columns(head.text);
  auto const lines = wrap(printable(shortened(text, longest_text)), width - std::min(width, indent));
  std::string const blanks(indent, ' ');
  out << head;
  bool const at_start = head_width + gap > indent;  // the head is too long to stand beside
  if (at_start) {
    out << '\n';
  } else if (!lines.empty()) {
    out << std::string(indent - head_width, ' ');
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 || at_start) out << (lines[i].empty() ? "" : blanks);
    out << lines[i] << '\n';
  }
  if (lines.empty() && !at_start) out << '\n';
}

void print_arguments(std::ostream& out, std::vector<argument_row> const& rows, std::size_t indent, std::size_t width) {
  std::size_t names = 0;
  for (auto const& a : rows) names = std::max(names, columns(shown_name(a.name)));
  names = std::min(names, widest_name);
  for (auto const& a : rows) {
    auto text = a.type;
    if (!a.description.empty()) text.append(": ").append(a.description);
    bold_text const head{std::string(indent, ' ') + shown_name(a.name)};
    print_block(out, head, text, indent + names + gap, width);
  }
}

}  // namespace

void print_table(std::ostream& out, std::vector<row> const& rows, std::size_t width, int descriptor) {
  std::size_t names = 0;
  for (auto const& r : rows) names = std::max(names, columns(shown_name(r.name)));
  names = std::min(names, width < 60 ? std::size_t{6} : widest_name);
  auto const column = names + gap;
  for (auto const& r : rows) {
    print_block(out, bold(shown_name(r.name), descriptor), r.description, column, width);
    print_arguments(out, r.arguments, column, width);
  }
}

}  // namespace cli
