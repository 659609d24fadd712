// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/protocol/elicitation_schema.hpp>

namespace comcp {

COMCP_DECL bool json::codec<primitive_schema_definition>::read(view v, primitive_schema_definition& out,
                                                               read_error& e) {
  if (!v.is_object()) return e.expected(v, "object");
  auto const as = [&]<class Kind>(std::type_identity<Kind>) { return codec<Kind>::read(v, out.emplace<Kind>(), e); };
  auto const found = v.find("type");
  auto const type = found ? found->get_string().value_or("") : std::string_view();
  if (type == "string") {
    if (v.find("oneOf")) return as(std::type_identity<titled_single_select_enum_schema>{});
    if (v.find("enumNames")) return as(std::type_identity<legacy_titled_enum_schema>{});
    if (v.find("enum")) return as(std::type_identity<untitled_single_select_enum_schema>{});
    return as(std::type_identity<string_schema>{});
  }
  if (type == "number" || type == "integer") return as(std::type_identity<number_schema>{});
  if (type == "boolean") return as(std::type_identity<boolean_schema>{});
  if (type == "array") {
    auto const items = v.find("items");
    if (items && items->find("anyOf")) return as(std::type_identity<titled_multi_select_enum_schema>{});
    return as(std::type_identity<untitled_multi_select_enum_schema>{});
  }
  return as(std::type_identity<unknown_schema>{});
}

}  // namespace comcp
