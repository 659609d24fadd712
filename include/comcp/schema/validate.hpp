// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The seam at which another JSON Schema implementation can take the bundled one's place.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <comcp/schema/schema.hpp>

namespace comcp {

/// One schema, ready to check any number of instances. Errors: validation_failed with a text that says what does not
/// match and where, or what kept it from finding out.
template <class S>
concept compiled_schema = std::move_constructible<S> && requires(S const s, json::view instance) {
  { s.validate(instance) } -> std::same_as<result<void>>;
};

namespace detail {
template <class R>
inline constexpr bool gives_compiled_schema = false;
template <compiled_schema S>
inline constexpr bool gives_compiled_schema<result<S>> = true;
}  // namespace detail

/// Compiles the text of a schema: `result<S> compile(json::value const& text) const`, where S is a compiled_schema.
/// Errors as of schema::compile. comcp compiles a schema once and keeps the outcome. Clients that share a validator
/// may call it from several threads.
template <class V>
concept schema_validator = std::move_constructible<V> && requires(V const v, json::value const& text) {
  requires detail::gives_compiled_schema<decltype(v.compile(text))>;
};

/// The default: comcp::schema, with its options.
class bundled_validator {
 public:
  explicit bundled_validator(schema_options options = {}) : options_(std::move(options)) {}

  [[nodiscard]] result<schema> compile(json::value const& text) const { return schema::compile(text, options_); }

 private:
  schema_options options_;
};
static_assert(schema_validator<bundled_validator>);

}  // namespace comcp
