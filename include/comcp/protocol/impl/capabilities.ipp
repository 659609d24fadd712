// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/protocol/capabilities.hpp>

namespace comcp {

COMCP_DECL bool tasks_capability::supports(std::string_view area, std::string_view request) const {
  auto const found = requests.view().find(area);
  auto const entry = found ? found->find(request) : std::nullopt;
  return entry && !entry->is_null();
}

COMCP_DECL bool server_capabilities::supports(std::string_view name) const {
  if (name == "tools") return tools.has_value();
  if (name == "prompts") return prompts.has_value();
  if (name == "resources") return resources.has_value();
  if (name == "logging") return !logging.is_null();
  if (name == "completions") return !completions.is_null();
  if (name == "tasks") return tasks.has_value();
  if (name == "experimental" || name == "extensions") return false;
  std::string const key(name);
  if (extensions.contains(key) || experimental.contains(key)) return true;
  auto const other = raw.view().find(name);
  return other && !other->is_null();
}

COMCP_DECL bool server_capabilities::supports_list_changed(std::string_view name) const noexcept {
  if (name == "tools") return tools && tools->list_changed;
  if (name == "prompts") return prompts && prompts->list_changed;
  if (name == "resources") return resources && resources->list_changed;
  return false;
}

}  // namespace comcp
