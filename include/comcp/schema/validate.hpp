// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The seam at which another JSON Schema implementation can take the bundled one's place.
#pragma once

#include <concepts>
#include <utility>

#include <comcp/schema/schema.hpp>

namespace comcp {

/// Checks an instance against the text of a schema. Errors as of schema::compile and schema::validate.
template <class V>
concept schema_validator = requires(V const v, json::value const& text, json::view instance) {
  { v.validate(text, instance) } -> std::same_as<result<void>>;
};

/// The default: compiles the schema each time. Whoever validates often keeps a comcp::schema.
class bundled_validator {
 public:
  explicit bundled_validator(schema_options options = {}) : options_(std::move(options)) {}

  [[nodiscard]] result<void> validate(json::value const& text, json::view instance) const {
    auto const compiled = schema::compile(text, options_);
    if (!compiled) return compiled.error();
    return compiled->validate(instance);
  }

 private:
  schema_options options_;
};
static_assert(schema_validator<bundled_validator>);

}  // namespace comcp
