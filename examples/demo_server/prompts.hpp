// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The prompts of the demo server, and the completion of their arguments and of the template's variable.
#pragma once

#include <vector>

#include "call.hpp"

namespace demo {

std::vector<json::fragment> prompt_list();
/// Answers prompts/get.
json::object get_prompt(call& c);
/// Answers completion/complete.
json::object complete(call& c);

}  // namespace demo
