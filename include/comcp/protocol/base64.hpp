// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Base64 as MCP content carries it (RFC 4648 section 4): strict when reading.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/result.hpp>

namespace comcp {

/// Decodes padded Base64. Whitespace, other alphabets, missing padding and stray bits are errc::wrong_shape.
result<std::vector<std::byte>> from_base64(std::string_view text);

std::string to_base64(std::span<std::byte const> bytes);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/base64.ipp>
#endif
