// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include <comcp/hash/sha256.hpp>

namespace comcp {
namespace detail {

inline constexpr std::uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// The 64 words that a block of 16 is expanded to.
inline std::array<std::uint32_t, 64> sha256_schedule(std::uint8_t const* bytes) noexcept {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    auto const* const b = bytes + 4 * i;
    w[i] = std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | std::uint32_t{b[3]};
  }
  for (std::size_t i = 16; i < 64; ++i) {
    auto const s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    auto const s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

}  // namespace detail

COMCP_DECL void sha256_hasher::block(std::uint8_t const* bytes) noexcept {
  auto const w = detail::sha256_schedule(bytes);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    auto const s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    auto const t1 = h + s1 + ((e & f) ^ (~e & g)) + detail::sha256_constants[i] + w[i];
    auto const s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    auto const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  std::uint32_t const added[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += added[i];
}

COMCP_DECL sha256_hasher& sha256_hasher::update(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    auto const filled = static_cast<std::size_t>(size_ % 64);
    auto const n = std::min(bytes.size(), 64 - filled);
    std::memcpy(rest_.data() + filled, bytes.data(), n);
    size_ += n;
    bytes.remove_prefix(n);
    if (filled + n == 64) block(rest_.data());
  }
  return *this;
}

COMCP_DECL sha256_digest sha256_hasher::digest() const noexcept {
  auto end = *this;
  auto const bits = size_ * 8;
  end.update(std::string_view("\x80", 1));
  constexpr char zeros[64] = {};
  end.update(std::string_view(zeros, (120 - end.size_ % 64) % 64));
  char length[8];
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(bits >> (56 - 8 * i) & 0xff);
  end.update(std::string_view(length, 8));
  sha256_digest out;
  for (std::size_t i = 0; i < 32; ++i) out[i] = static_cast<std::uint8_t>(end.state_[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

COMCP_DECL std::string to_hex(sha256_digest const& digest) {
  constexpr char const* digits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (auto const byte : digest) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

}  // namespace comcp
