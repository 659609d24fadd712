// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A diagnosis on stdout, for people or as JSON.
#pragma once

#include "diagnosis.hpp"
#include "options.hpp"

namespace cli {

void print_diagnosis(diagnosis const& d, options const& o);

}  // namespace cli
