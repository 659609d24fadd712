// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Canonical JSON (RFC 8785, JCS): one text for equal values, to be hashed or signed.
#pragma once

#include <string>

#include <comcp/json/value.hpp>

namespace comcp::json {

/// The canonical text: no whitespace, members in the order of their keys' UTF-16 code units, numbers as ECMAScript
/// prints doubles, the shortest escapes. As I-JSON has it, integers beyond 2^53 are rounded to doubles. Members of one
/// key (which I-JSON forbids) are all written, in the order of the text, so that none hides behind another.
std::string canonical(view v);

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/json/impl/canonical.ipp>
#endif
