// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/protocol/impl/content.ipp>
#include <comcp/protocol/resources.hpp>
#include <comcp/protocol/uri_template.hpp>

namespace comcp {

COMCP_DECL result<std::string> resource_template::expand(json::fragment const& variables) const {
  auto const parsed = comcp::uri_template::parse(uri_template);
  if (!parsed) return parsed.error();
  return parsed->expand(variables);
}

COMCP_DECL std::string read_resource_result::text() const& {
  return detail::joined_texts(contents, [](resource_contents const& part) { return part.text ? &*part.text : nullptr; });
}
COMCP_DECL std::string read_resource_result::text() && {
  return detail::joined_texts(std::move(contents), [](resource_contents& part) { return part.text ? &*part.text : nullptr; });
}

}  // namespace comcp
