// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of a call: what it needs of the server before it may be sent, and afterwards whether it may have run.
#pragma once

#include <algorithm>

#include <comcp/client/core.hpp>

namespace comcp {
namespace detail {

COMCP_DECL char const* capability_for(std::string_view method) noexcept {
  if (method.starts_with("tools/")) return "tools";
  if (method.starts_with("prompts/")) return "prompts";
  if (method.starts_with("resources/")) return "resources";
  if (method == "completion/complete") return "completions";
  if (method == "logging/setLevel") return "logging";
  if (method.starts_with("skills/")) return "io.modelcontextprotocol/skills";
  return nullptr;
}

COMCP_DECL bool reads_directories(server_capabilities const& declared) {
  auto const skills = declared.extensions.find("io.modelcontextprotocol/skills");
  if (skills == declared.extensions.end()) return false;
  auto const flag = skills->second.view().find("directoryRead");
  return flag && flag->get_bool() == true;
}

}  // namespace detail

// Specification: 2025-11-25, basic/utilities/tasks#tool-level-negotiation
COMCP_DECL bool client_core::needs_task(detail::prepared_call const& c) const {
  if (c.method != "tools/call" || is_modern()) return false;
  auto const given = c.options.needs_task();
  if (!given.value_or(!task_tools_.empty())) return false;
  if (!given && !task_tools_.contains(wire::name_in(c.method, c.params).value_or(""))) return false;
  auto const& tasks = server_capabilities_.tasks;
  if (!tasks || !tasks->supports("tools", "call")) return false;
  auto const params = json::parse(c.params);
  return params && !params->contains("task");
}

}  // namespace comcp
