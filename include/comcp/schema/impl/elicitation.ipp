// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <comcp/json/writer.hpp>
#include <comcp/schema/elicitation.hpp>
#include <comcp/schema/schema.hpp>

namespace comcp {

COMCP_DECL result<json::value> fill_defaults(json::view requested_schema, json::view content) {
  if (!content.is_object() && !content.is_null())
    return error(errc::invalid_argument, "elicitation: the content is no object");
  json::writer w;
  w.begin_object();
  std::set<std::string_view> given;
  for (auto const m : content.members()) {
    w.key(m.key).value(m.value);
    given.insert(m.key);
  }
  if (auto const properties = requested_schema.find("properties")) {
    for (auto const p : properties->members()) {
      auto const fallback = p.value.find("default");
      if (fallback && given.insert(p.key).second) w.key(p.key).value(*fallback);
    }
  }
  w.end_object();
  return json::parse(w.text(), json::parse_options().max_depth(1024));
}

COMCP_DECL result<void> check_primitive_content(json::view content) {
  if (!content.is_object()) return error(errc::validation_failed, "elicitation: the content is no object");
  for (auto const m : content.members()) {
    auto const elements = m.value.elements();
    bool const strings =
        m.value.is_array() && std::all_of(elements.begin(), elements.end(), [](json::view e) { return e.is_string(); });
    if (strings || m.value.is_string() || m.value.is_number() || m.value.get_bool()) continue;
    return error(errc::validation_failed,
                 "elicitation: \"" + std::string(m.key) + "\" is no string, number, boolean or array of strings");
  }
  return {};
}

COMCP_DECL result<void> check_content(json::view requested_schema, json::view content) {
  if (auto const ok = check_primitive_content(content); !ok) return ok.error();
  auto const text = requested_schema.share();
  auto const compiled = schema::compile(text, schema_options().assert_formats(true));
  if (!compiled) return compiled.error();
  return compiled->validate(content);
}

}  // namespace comcp
