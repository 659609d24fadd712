// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/protocol/resources.hpp>
#include <comcp/protocol/uri_template.hpp>

namespace comcp {

COMCP_DECL result<std::string> resource_template::expand(json::fragment const& variables) const {
  auto const parsed = comcp::uri_template::parse(uri_template);
  if (!parsed) return parsed.error();
  return parsed->expand(variables);
}

COMCP_DECL std::string read_resource_result::text() const {
  std::string all;
  bool first = true;
  for (auto const& part : contents) {
    if (!part.text) continue;
    if (!first) all += '\n';
    first = false;
    all += *part.text;
  }
  return all;
}

}  // namespace comcp
