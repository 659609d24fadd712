// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The values of JSON Schema's `format` keyword, as assertions.
#pragma once

#include <cstdint>
#include <string_view>

#include <comcp/version.hpp>

namespace comcp {

/// Whether comcp checks this format: date-time, date, time, duration, email, idn-email, hostname, idn-hostname, ipv4,
/// ipv6, uri, uri-reference, iri, iri-reference, uuid, uri-template, json-pointer, relative-json-pointer, regex.
/// Of internationalised host names only the shape is checked (no IDNA tables).
bool is_known_format(std::string_view name) noexcept;

/// Whether `text` is of the format; true for formats that comcp does not check. Safe from any thread.
bool is_format(std::string_view name, std::string_view text);

namespace schema_detail {
/// The same, its work taken from `steps`; with none left the answer means nothing.
bool is_format(std::string_view name, std::string_view text, std::uint64_t& steps);
}  // namespace schema_detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/schema/impl/formats.ipp>
#endif
