// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Form elicitation: what the answer to a requested schema (a flat object of primitive properties) must be.
#pragma once

#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// The content with the schema's defaults for properties that it omits. A null content has none.
/// Errors: invalid_argument (the content is no object).
result<json::value> fill_defaults(json::view requested_schema, json::view content);

/// Whether the content is an object whose members are strings, numbers, booleans or arrays of strings, as the
/// specification asks whatever the schema says. Errors: validation_failed.
result<void> check_primitive_content(json::view content);

/// Whether the content (defaults filled in) may be sent: it is primitive, and it matches the schema, formats included.
/// Errors: validation_failed, and those of schema::compile.
result<void> check_content(json::view requested_schema, json::view content);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/schema/impl/elicitation.ipp>
#endif
