// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// "Did you mean": the known name that a mistyped one is nearest to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// "; did you mean 'x'?", or nothing where no known name is near. Names are cleaned for a terminal.
std::string did_you_mean(std::string_view given, std::vector<std::string> const& known);

}  // namespace cli
