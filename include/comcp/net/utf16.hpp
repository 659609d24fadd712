// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// UTF-8, as all of comcp has it, and UTF-16, as Windows has it. Nothing is replaced: what is neither is refused. Internal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <comcp/version.hpp>

namespace comcp::net::detail {

/// Nothing where the text is no UTF-8: cut off, overlong, a surrogate, above U+10FFFF.
std::optional<std::u16string> to_utf16(std::string_view text);
/// Nothing where a surrogate is alone.
std::optional<std::string> to_utf8(std::u16string_view text);

}  // namespace comcp::net::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/net/impl/utf16.ipp>
#endif
