// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string_view>

#include <comcp/protocol/elicitation.hpp>

namespace comcp {

COMCP_DECL result<std::vector<form_field>> elicit_params::fields() const {
  std::vector<form_field> all;
  auto const schema = requested_schema.view();
  auto const properties = schema.find("properties");
  if (!properties) return all;
  std::set<std::string_view> required;
  if (auto const names = schema.find("required")) {
    for (auto const name : names->elements()) {
      if (auto const text = name.get_string()) required.insert(*text);
    }
  }
  for (auto const property : properties->members()) {
    auto definition = json::read<primitive_schema_definition>(property.value);
    if (!definition) return definition.error();
    auto& field = all.emplace_back();
    field.name = property.key;
    field.schema = *std::move(definition);
    field.required = required.contains(property.key);
  }
  return all;
}

}  // namespace comcp
