// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists as tables: a name, beside it its description in lines that fit, below that its arguments.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace cli {

struct argument_row {
  std::string name;
  std::string type;         // with "required" or a default
  std::string description;
};

struct row {
  std::string name;
  std::string description;
  std::vector<argument_row> arguments;
};

/// `descriptor` is that of `out`; it decides about bold names. Texts of many kilobytes are shortened.
void print_table(std::ostream& out, std::vector<row> const& rows, std::size_t width, int descriptor);

}  // namespace cli
