// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/auth/pkce.hpp>
#include <comcp/hash/sha256.hpp>
#include <comcp/protocol/base64.hpp>

namespace comcp {

COMCP_DECL std::string to_base64url(std::span<unsigned char const> bytes) {
  auto out = to_base64(std::as_bytes(bytes));
  while (out.ends_with('=')) out.pop_back();
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

COMCP_DECL std::string to_base64url(std::string_view bytes) {
  return to_base64url(std::span(reinterpret_cast<unsigned char const*>(bytes.data()), bytes.size()));
}

COMCP_DECL result<std::string> from_base64url(std::string_view text) {
  if (text.find_first_of("+/=") != text.npos || text.size() % 4 == 1) return error(errc::wrong_shape, "bad base64url");
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '-', '+');
  std::replace(plain.begin(), plain.end(), '_', '/');
  plain.append((4 - plain.size() % 4) % 4, '=');
  auto const bytes = from_base64(plain);
  if (!bytes) return error(errc::wrong_shape, "bad base64url");
  return std::string(reinterpret_cast<char const*>(bytes->data()), bytes->size());
}

COMCP_DECL secret pkce_verifier(std::span<unsigned char const, 32> random) { return secret(to_base64url(random)); }

COMCP_DECL std::string pkce_challenge(secret const& verifier) { return to_base64url(sha256(verifier.reveal())); }

}  // namespace comcp
