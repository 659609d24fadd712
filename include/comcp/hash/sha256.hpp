// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) for fingerprints and names, so that they need no crypto library. It hashes public data: nothing
// here runs in constant time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <comcp/version.hpp>

namespace comcp {

using sha256_digest = std::array<std::uint8_t, 32>;

/// A hash in progress. Regular: a copy goes on by itself.
class sha256_hasher {
 public:
  sha256_hasher() noexcept = default;
  sha256_hasher& update(std::string_view bytes) noexcept;
  /// The digest of everything so far. update() may go on after it.
  [[nodiscard]] sha256_digest digest() const noexcept;

 private:
  void block(std::uint8_t const* bytes) noexcept;

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> rest_{};  // what fills no block yet
  std::uint64_t size_ = 0;               // bytes so far
};

inline sha256_digest sha256(std::string_view bytes) noexcept { return sha256_hasher().update(bytes).digest(); }

/// The digest as 64 lower-case hexadecimal digits.
std::string to_hex(sha256_digest const& digest);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/hash/impl/sha256.ipp>
#endif
