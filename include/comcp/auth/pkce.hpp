// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Proof Key for Code Exchange (RFC 7636), method S256 alone; and base64url. Pure: randomness is an argument.
// Specification: 2026-07-28, basic/authorization/security-considerations, "Authorization Code Protection"
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <comcp/result.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// Base64 with the URL alphabet and no padding (RFC 4648, section 5).
std::string to_base64url(std::span<unsigned char const> bytes);
std::string to_base64url(std::string_view bytes);
/// Strict: other characters, padding and stray bits are errc::wrong_shape.
result<std::string> from_base64url(std::string_view text);

/// The verifier for 32 random bytes: 43 characters.
secret pkce_verifier(std::span<unsigned char const, 32> random);
/// The S256 challenge of a verifier.
std::string pkce_challenge(secret const& verifier);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/pkce.ipp>
#endif
