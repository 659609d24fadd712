// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of large texts, used again by the thread that gave it back: fresh pages cost more than what is in them.
#pragma once

#include <cstddef>
#include <utility>

#if defined(__MINGW32__) && defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

#include <comcp/json/padded_text.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

// What outlives its place must not go unseen there.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_asan = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool under_asan = true;
#else
inline constexpr bool under_asan = false;
#endif
#else
inline constexpr bool under_asan = false;
#endif

#if defined(__MINGW32__) && defined(__GLIBCXX__)
// A thread that ends frees its thread_local objects and then calls their destructors (GCC bug 83562), unless the key of the
// destructors is older than that of the objects: made here, before main().
inline int const destructors_come_first =
    abi::__cxa_thread_atexit([](void*) {}, nullptr, const_cast<int*>(&destructors_come_first));
#endif

struct spare_buffers {
  static constexpr std::size_t least = 64 * 1024, most = 3 * 512 * 1024;
  text_buffer kept[2];

  ~spare_buffers() { closed() = true; }
  static bool& closed() noexcept {  // the thread ends
    static constinit thread_local bool is = false;
    return is;
  }
  static spare_buffers& mine() noexcept {
    static thread_local spare_buffers spares;
    return spares;
  }
};

COMCP_DECL text_buffer buffer_for(std::size_t size) {
  if (size >= spare_buffers::least && size <= spare_buffers::most && !spare_buffers::closed()) {
    for (auto& spare : spare_buffers::mine().kept) {
      if (spare.capacity() >= size && spare.capacity() / 4 <= size) return std::move(spare);
    }
  }
  return text_buffer(size);
}

COMCP_DECL void give_back(text_buffer&& buffer) noexcept {
  auto old = std::move(buffer);
  auto const size = old.capacity();
  if (under_asan || size < spare_buffers::least || size > spare_buffers::most || spare_buffers::closed()) return;
  auto& kept = spare_buffers::mine().kept;
  auto& smaller = kept[0].capacity() <= kept[1].capacity() ? kept[0] : kept[1];
  if (smaller.capacity() < size) smaller = std::move(old);
}

}  // namespace comcp::detail
