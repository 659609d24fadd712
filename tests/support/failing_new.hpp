// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that runs out on request: this program's operator new refuses large pieces, or one piece, while a test says so.
// For one source of a program.
#pragma once

#include <cstdlib>
#include <limits>
#include <new>

namespace comcp_test {

inline thread_local std::size_t refused_from = std::numeric_limits<std::size_t>::max();
inline thread_local int refused_in = 0;  // pieces from now

/// While it lives, this thread gets no piece of so many bytes or more.
class scarce_memory {
 public:
  explicit scarce_memory(std::size_t from) noexcept { refused_from = from; }
  scarce_memory(scarce_memory const&) = delete;
  scarce_memory& operator=(scarce_memory const&) = delete;
  ~scarce_memory() { refused_from = std::numeric_limits<std::size_t>::max(); }
};

/// While it lives, this thread does not get its n-th piece, and every other.
class one_refusal {
 public:
  explicit one_refusal(int n) noexcept { refused_in = n; }
  one_refusal(one_refusal const&) = delete;
  one_refusal& operator=(one_refusal const&) = delete;
  ~one_refusal() { refused_in = 0; }
  [[nodiscard]] bool came() const noexcept { return refused_in <= 0; }
};

}  // namespace comcp_test

// All forms of it: a sanitizer's own do not come to the first.
inline void* piece_of(std::size_t n) noexcept {
  bool const refused = n >= comcp_test::refused_from || (comcp_test::refused_in > 0 && --comcp_test::refused_in == 0);
  return refused ? nullptr : std::malloc(n ? n : 1);
}
void* operator new(std::size_t n) {
  if (void* const p = piece_of(n)) return p;
  throw std::bad_alloc();
}
void* operator new[](std::size_t n) { return operator new(n); }
void* operator new(std::size_t n, std::nothrow_t const&) noexcept { return piece_of(n); }
void* operator new[](std::size_t n, std::nothrow_t const&) noexcept { return piece_of(n); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::nothrow_t const&) noexcept { std::free(p); }
void operator delete[](void* p, std::nothrow_t const&) noexcept { std::free(p); }
