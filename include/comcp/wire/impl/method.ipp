// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <comcp/wire/method.hpp>

namespace comcp::wire {

COMCP_DECL method::method(std::string_view name) : rules_(&methods::vendor) {
  using namespace methods;
  static constexpr std::array all = {
      &initialize, &ping, &discover, &list_tools, &call_tool, &list_resources, &list_resource_templates, &read_resource,
      &subscribe, &unsubscribe, &list_prompts, &get_prompt, &complete, &set_level, &listen, &get_task, &task_result,
      &list_tasks, &cancel_task, &create_message, &list_roots, &elicit, &update_task};
  for (auto const* const each : all) {
    if (each->name != name) continue;
    rules_ = each;
    return;
  }
  own_ = name;
}

}  // namespace comcp::wire
