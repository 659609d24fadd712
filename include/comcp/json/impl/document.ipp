// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a value shares: a parsed text. Small ones are used again, which saves three allocations for each answer.
#pragma once

#include <atomic>
#include <bit>
#include <utility>

#include <comcp/json/impl/simdjson.hpp>
#include <comcp/json/value.hpp>

namespace comcp::json {

class document {
 public:
  simdjson::dom::document dom;
  mutable std::atomic<std::size_t> shares = 1;

  [[nodiscard]] view root() const noexcept { return {this, std::bit_cast<detail::node>(dom.root())}; }
  static value root_value(detail::document_share owner) noexcept {
    auto const root = std::bit_cast<detail::node>(owner.get()->dom.root());
    return {std::move(owner), root};
  }
};

namespace detail {

// A view that outlives its document must not go unseen there.
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

// The documents of small texts that this thread gave back, for its next ones. They keep at most 6 KiB each, so that
// one that is taken for a tiny text and kept for long wastes little.
struct spare_documents {
  static constexpr std::size_t most = 8, largest_text = 512;
  document* kept[most];
  std::size_t size;
  bool closed;  // the thread ends; what is given back after that is deleted

  static spare_documents& mine() noexcept {
    static constinit thread_local spare_documents spares{};
    return spares;
  }
  void empty() noexcept {
    while (size > 0) delete kept[--size];
  }
  bool keep(document* d) noexcept {
    struct at_thread_end {
      ~at_thread_end() {
        mine().closed = true;
        mine().empty();
      }
    };
    static thread_local at_thread_end const janitor;
    (void)janitor;
    if (under_asan || closed || size == most || d->dom.capacity() > largest_text) return false;
    kept[size++] = d;
    return true;
  }
};

COMCP_DECL document* new_document() {
  auto& spares = spare_documents::mine();
  if (spares.size == 0) return new document;
  auto* const d = spares.kept[--spares.size];
  d->shares.store(1, std::memory_order_relaxed);
  return d;
}

COMCP_DECL document const* document_share::one_more(document const* d) noexcept {
  if (d) d->shares.fetch_add(1, std::memory_order_relaxed);
  return d;
}

COMCP_DECL void document_share::give_back(document const* d) noexcept {
  // Nobody else can count one more share of a document that has a single one.
  bool const last = d->shares.load(std::memory_order_acquire) == 1 ||
                    d->shares.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (!last) return;
  auto* const mine = const_cast<document*>(d);
  if (!spare_documents::mine().keep(mine)) delete mine;
}

}  // namespace detail
}  // namespace comcp::json
