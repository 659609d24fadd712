// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/schema/impl/compiler.ipp>
#include <comcp/schema/impl/evaluator.ipp>
#include <comcp/schema/schema.hpp>

namespace comcp {

COMCP_DECL std::string violation::to_string() const {
  return (instance.empty() ? "the value" : instance) + ": " + text + " (" + (schema.empty() ? "schema" : schema) + ")";
}

COMCP_DECL result<schema> schema::compile(json::value const& text, schema_options const& options) {
  auto compiled = schema_detail::schema_compiler(options).run(text);
  if (!compiled) return std::move(compiled).error();
  return schema(std::move(*compiled));
}

COMCP_DECL result<void> schema::validate(json::view instance) const {
  constexpr std::size_t named = 3;
  schema_detail::evaluator e(*program_, named);
  if (e.run(instance)) return {};
  auto const& found = e.found;
  if (found.limit && found.violations.empty())
    return error(errc::limit_exceeded, std::string("schema validation: ") + found.limit);
  std::string text;
  for (auto const& v : found.violations) text += (text.empty() ? "" : "; ") + v.to_string();
  return error(errc::validation_failed, std::move(text));
}

COMCP_DECL std::vector<violation> schema::violations(json::view instance) const {
  schema_detail::evaluator e(*program_, std::max<std::size_t>(program_->max_violations, 1));
  if (!e.run(instance) && e.found.limit)
    e.found.violations.push_back({"", "", std::string("was not checked to the end: limit exceeded, ") + e.found.limit});
  return std::move(e.found.violations);
}

COMCP_DECL json::value const& schema::text() const noexcept { return program_->documents.front(); }

COMCP_DECL schema_dialect schema::dialect() const noexcept { return program_->dialect; }

}  // namespace comcp
