// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/protocol/elicitation.hpp>

namespace comcp {

COMCP_DECL result<std::vector<form_field>> elicit_params::fields() const {
  std::vector<form_field> all;
  auto const schema = requested_schema.view();
  auto const properties = schema.find("properties");
  if (!properties) return all;
  auto const required = schema.find("required").value_or(json::view());
  for (auto const property : properties->members()) {
    auto definition = json::read<primitive_schema_definition>(property.value);
    if (!definition) return definition.error();
    auto& field = all.emplace_back();
    field.name = property.key;
    field.schema = *std::move(definition);
    for (auto const name : required.elements()) field.required |= name.get_string() == property.key;
  }
  return all;
}

}  // namespace comcp
