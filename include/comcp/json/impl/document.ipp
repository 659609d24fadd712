// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a value shares: a text, its strings unescaped in place, and an index of its values. Small ones are used again,
// which saves three allocations for each answer.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/json/impl/buffers.ipp>
#include <comcp/json/impl/unescape.ipp>
#include <comcp/json/value.hpp>

namespace comcp::json {

// The index has a word for each value and each key, in the order of the text: its kind in 4 bits, 28 and 32 more.
//   null; boolean: whether it is true; string: size, place in the text; array, object: members, index behind the last
// Numbers have their bits in a second word. So has the size of a string that 28 bits do not hold. The highest bit of a
// string's word says that it is a long_string.
class document {
 public:
  static constexpr std::uint64_t most_size = (std::uint64_t{1} << 28) - 1;
  static constexpr std::uint64_t word(kind k, std::uint64_t size, std::uint64_t place) noexcept {
    return static_cast<std::uint64_t>(k) << 60 | size << 32 | place;
  }

  /// A long string with escapes. It is unescaped once, for whoever copies it first, who is given that: its final place.
  /// The text is touched when somebody looks at the string in the document after that.
  static constexpr std::size_t long_size = 64 * 1024;
  static constexpr std::uint64_t long_mark = std::uint64_t{1} << 63;
  class long_string {
   public:
    long_string(std::size_t at, char* text, std::size_t size) noexcept : at_(at), text_(text), size_(size) {}
    /// False where an escape is none.
    bool unescape() { return detail::unescape_to(made_, {text_, size_}); }
    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    std::string_view look() noexcept {
      if (now_ == form::given) {
        size_ = detail::unescape_in_place(text_, size_);
        now_ = form::in_text;
      }
      if (now_ == form::made) now_ = form::looked_at;
      return now_ == form::in_text ? std::string_view(text_, size_) : made_;
    }
    void copy(std::string& to) {
      switch (now_) {
        case form::made:
          to = std::move(made_);
          now_ = form::given;
          break;
        case form::looked_at: to = made_; break;
        case form::given:
          to.clear();
          detail::unescape_to(to, {text_, size_});
          break;
        case form::in_text: to.assign(text_, size_); break;
      }
    }

   private:
    enum class form : unsigned char { made, looked_at, given, in_text };
    std::size_t at_;
    char* text_;
    std::size_t size_;
    std::string made_;
    form now_ = form::made;
  };
  struct long_strings {
    long_string& find(std::size_t at) noexcept {
      return *std::lower_bound(all.begin(), all.end(), at, [](auto const& s, std::size_t i) { return s.at() < i; });
    }
    std::vector<long_string> all;  // in the order of the text
    std::atomic_flag busy;
  };
  /// One thread at a time, while it lives.
  class alone {
   public:
    explicit alone(long_strings& with) noexcept : busy_(with.busy) {
      while (busy_.test_and_set(std::memory_order_acquire)) busy_.wait(true, std::memory_order_relaxed);
    }
    alone(alone const&) = delete;
    alone& operator=(alone const&) = delete;
    ~alone() {
      busy_.clear(std::memory_order_release);
      busy_.notify_one();
    }

   private:
    std::atomic_flag& busy_;
  };

  document() noexcept = default;
  document(document const&) = delete;
  document& operator=(document const&) = delete;
  ~document() {
    comcp::detail::give_back(std::move(memory));
    comcp::detail::give_back(std::move(index));
  }

  [[nodiscard]] std::uint64_t* words() const noexcept { return reinterpret_cast<std::uint64_t*>(index.data()); }
  [[nodiscard]] kind kind_at(std::size_t i) const noexcept { return static_cast<kind>(words()[i] >> 60 & 7); }
  [[nodiscard]] std::size_t size_at(std::size_t i) const noexcept { return words()[i] >> 32 & most_size; }
  [[nodiscard]] std::size_t place_at(std::size_t i) const noexcept { return words()[i] & 0xFFFFFFFF; }
  template <class Number>
  [[nodiscard]] Number number_at(std::size_t i) const noexcept {
    return std::bit_cast<Number>(words()[i + 1]);
  }
  [[nodiscard]] std::string_view string_at(std::size_t i) const noexcept {
    if (!(words()[i] & long_mark)) return written_at(i);
    alone const now(*longs);
    return longs->find(i).look();
  }
  void copy_string_at(std::size_t i, std::string& to) const {
    if (words()[i] & long_mark) {
      alone const now(*longs);
      longs->find(i).copy(to);
    } else {
      to.assign(written_at(i));
    }
  }
  /// The string at `i`, which has escapes: away with them. False where one is none.
  bool unescape_at(std::size_t i) {
    auto const written = written_at(i);
    auto* const place = const_cast<char*>(written.data());
    if (!is_long(i)) {
      words()[i] = word(kind::string, detail::unescape_in_place(place, written.size()), place_at(i));
      return true;
    }
    if (!longs) longs = std::make_unique<long_strings>();
    words()[i] |= long_mark;
    return longs->all.emplace_back(i, place, written.size()).unescape();
  }
  [[nodiscard]] bool is_long(std::size_t i) const noexcept { return written_at(i).size() >= long_size; }
  /// Of a short one.
  [[nodiscard]] bool can_unescape(std::size_t i) const noexcept { return detail::has_good_escapes(written_at(i)); }
  /// What follows the value, or the key, at `i`.
  [[nodiscard]] std::size_t after(std::size_t i) const noexcept {
    auto const k = kind_at(i);
    if (k >= kind::array) return place_at(i);
    if (k == kind::string) return size_at(i) == most_size ? i + 2 : i + 1;
    return k <= kind::boolean ? i + 1 : i + 2;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(document) + memory.capacity() + index.capacity(); }
  [[nodiscard]] view at(std::size_t i) const noexcept { return {this, i}; }
  static value root_value(detail::document_share owner) noexcept { return {std::move(owner), 0}; }

 private:
  [[nodiscard]] std::string_view written_at(std::size_t i) const noexcept {
    auto const size = size_at(i);
    return {text + place_at(i), size == most_size ? words()[i + 1] : size};
  }

 public:

  text_buffer memory, index;
  std::unique_ptr<long_strings> longs;
  char const* text = nullptr;  // in `memory`
  std::size_t text_size = 0;
  mutable std::atomic<std::size_t> shares = 1;
};

namespace detail {

// The documents of small texts that this thread gave back, for its next ones. They keep at most 6 KiB each, so that
// one that is taken for a tiny text and kept for long wastes little.
struct spare_documents {
  static constexpr std::size_t most = 8, largest = 6 * 1024;
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
    if (comcp::detail::under_asan || closed || size == most || d->bytes() > largest || d->longs) return false;
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
