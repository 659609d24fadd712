// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From a text to its index: simdjson finds what is structure, here is the grammar of RFC 8259. Every byte is checked.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include <comcp/json/impl/document.ipp>
#include <comcp/json/impl/simdjson.hpp>
#include <comcp/json/impl/unescape.ipp>

namespace comcp::json::detail {

/// What is needed while a text is indexed; a thread has one.
class index_room {
 public:
  struct container {
    std::uint32_t at;  // its word
    std::uint32_t members;
  };

  static index_room& mine() {
    thread_local index_room room;
    return room;
  }

  /// Where structure begins: brackets, commas, colons, opening quotes, the first characters of other values.
  simdjson::error_code find_structure(char const* text, std::size_t size) {
    auto const room = std::max<std::size_t>(1024, size);
    auto code = simdjson::SUCCESS;
    if (!finder_) {
      code = simdjson::get_active_implementation()->create_dom_parser_implementation(room, 1, finder_);
    } else if (finder_->capacity() < size) {
      code = finder_->set_capacity(room);
    }
    if (code) return finder_.reset(), code;
    return finder_->stage1(reinterpret_cast<std::uint8_t const*>(text), size, simdjson::stage1_mode::regular);
  }
  /// What that found, and behind it the size of the text.
  [[nodiscard]] std::uint32_t const* structure() const noexcept { return finder_->structural_indexes.get(); }
  [[nodiscard]] std::size_t count() const noexcept { return finder_->n_structural_indexes; }

  /// What a huge text made grow is let go again.
  void shrink() noexcept {
    constexpr std::size_t most = std::size_t{4} << 20;
    if (finder_ && finder_->capacity() > most) finder_.reset();
    if (escaped.capacity() > most / 16) escaped = {};
    if (open.capacity() > most / 16) open = {};
  }

  std::vector<container> open;         // containers around the place that was reached
  std::vector<std::uint32_t> escaped;  // strings that have escapes

 private:
  std::unique_ptr<simdjson::internal::dom_parser_implementation> finder_;
};

/// A number that std::from_chars does not take: beyond a double, or of a library that has none.
COMCP_DECL simdjson::error_code rare_real(std::string_view token, double& out) noexcept {
  simdjson::dom::parser parser;
  return parser.parse(token.data(), token.size()).get_double().get(out);
}

class indexer {
 public:
  /// Precondition: room.find_structure(text), and a word at `words` for each of what that found and one more.
  indexer(std::string_view text, index_room& room, std::uint64_t* words)
      : text_(text.data()), size_(text.size()), room_(room), next_(room.structure()), end_(next_ + room.count()),
        first_(words), word_(words) {
    room_.open.clear();
    room_.escaped.clear();
    look_for_escape(0);
  }

  simdjson::error_code run(std::size_t max_depth) {
    char const first = text_[*next_], last = text_[end_[-1]];
    if ((first == '{' && last != '}') || (first == '[' && last != ']')) return simdjson::INCOMPLETE_ARRAY_OR_OBJECT;
    do {
      if (!down(max_depth)) return failure_;
    } while (up());
    return failure_;
  }

  [[nodiscard]] std::size_t values() const noexcept { return values_; }

 private:
  bool fail(simdjson::error_code why) noexcept { return failure_ = why, false; }
  [[nodiscard]] bool is_next(char c) const noexcept { return next_ != end_ && text_[*next_] == c; }
  [[nodiscard]] std::uint32_t here() const noexcept { return static_cast<std::uint32_t>(word_ - first_); }
  void put(kind k, std::uint64_t size = 0, std::uint64_t place = 0) noexcept {
    *word_++ = document::word(k, size, place);
  }
  template <class Number>
  void put_number(kind k, Number n) noexcept {
    put(k);
    *word_++ = std::bit_cast<std::uint64_t>(n);
  }

  // A value without members, and the beginnings of all that it is the first in.
  bool down(std::size_t max_depth) {
    for (;;) {
      if (next_ == end_) return fail(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
      char const c = text_[*next_++];
      if (c != '{' && c != '[') return ++values_, scalar(c);
      bool const object = c == '{';
      if (is_next(object ? '}' : ']')) {
        ++values_;
        ++next_;
        return put(object ? kind::object : kind::array, 0, here() + 1), true;
      }
      if (room_.open.size() >= max_depth) return fail(simdjson::DEPTH_ERROR);
      room_.open.push_back({here(), 0});
      put(object ? kind::object : kind::array);
      if (object && !key()) return false;
    }
  }

  // Behind a value: whether another one follows. Without a failure, that was all.
  bool up() {
    while (!room_.open.empty()) {
      auto& around = room_.open.back();
      ++around.members;
      auto const k = static_cast<kind>(first_[around.at] >> 60);
      if (next_ == end_) return fail(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
      char const c = text_[*next_++];
      if (c == ',') return k == kind::array || key();
      if (c != (k == kind::array ? ']' : '}')) return fail(simdjson::TAPE_ERROR);
      first_[around.at] = document::word(k, std::min<std::uint64_t>(around.members, document::most_size), here());
      room_.open.pop_back();
      ++values_;
    }
    return next_ == end_ ? false : fail(simdjson::TAPE_ERROR);
  }

  bool key() {
    if (!is_next('"')) return fail(simdjson::TAPE_ERROR);
    ++next_;
    if (!string()) return false;
    if (!is_next(':')) return fail(simdjson::TAPE_ERROR);
    return ++next_, true;
  }

  // All of these begin at next_[-1], and end before what is at *next_.
  bool scalar(char c) {
    switch (c) {
      case '"': return string();
      case 't': return word("true", simdjson::T_ATOM_ERROR, kind::boolean, 1);
      case 'f': return word("false", simdjson::F_ATOM_ERROR, kind::boolean, 0);
      case 'n': return word("null", simdjson::N_ATOM_ERROR, kind::null, 0);
      default: return c == '-' || is_digit(c) ? number() : fail(simdjson::TAPE_ERROR);
    }
  }

  bool string() {
    std::size_t const start = next_[-1] + std::size_t{1};
    std::size_t stop = *next_;
    while (text_[--stop] != '"') {  // only blanks can be there
    }
    if (stop < start) return fail(simdjson::UNCLOSED_STRING);
    if (escape_ < stop) {
      room_.escaped.push_back(here());
      look_for_escape(stop);
    }
    auto const size = stop - start;
    put(kind::string, std::min<std::uint64_t>(size, document::most_size), start);
    if (size >= document::most_size) *word_++ = size;
    return true;
  }

  void look_for_escape(std::size_t from) noexcept {
    auto const* const found = std::memchr(text_ + from, '\\', size_ - from);
    escape_ = found ? static_cast<std::size_t>(static_cast<char const*>(found) - text_) : size_;
  }

  bool word(std::string_view which, simdjson::error_code failure, kind k, std::uint64_t place) {
    std::string_view const token(text_ + next_[-1], *next_ - next_[-1]);
    if (!token.starts_with(which) || !ends(token.data() + which.size())) return fail(failure);
    return put(k, 0, place), true;
  }

  static bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }
  [[nodiscard]] bool ends(char const* at) const noexcept {
    return at == text_ + *next_ || *at == ' ' || *at == '\n' || *at == '\r' || *at == '\t';
  }
  [[nodiscard]] char const* behind_digits(char const* at) const noexcept {
    char const* const stop = text_ + *next_;
    while (at != stop && is_digit(*at)) ++at;
    return at;
  }

  bool number() {
    char const* const start = text_ + next_[-1];
    char const* const stop = text_ + *next_;
    char const* const digits = *start == '-' ? start + 1 : start;
    char const* at = behind_digits(digits);
    if (at == digits || (at - digits > 1 && *digits == '0')) return fail(simdjson::NUMBER_ERROR);
    if (ends(at)) return integer(digits, at, digits != start);
    if (*at == '.') {
      char const* const fraction = at + 1;
      at = behind_digits(fraction);
      if (at == fraction) return fail(simdjson::NUMBER_ERROR);
    }
    if (at != stop && (*at == 'e' || *at == 'E')) {
      char const* exponent = at + 1;
      if (exponent != stop && (*exponent == '+' || *exponent == '-')) ++exponent;
      at = behind_digits(exponent);
      if (at == exponent) return fail(simdjson::NUMBER_ERROR);
    }
    return ends(at) ? real({start, at}) : fail(simdjson::NUMBER_ERROR);
  }

  bool integer(char const* digits, char const* end, bool negative) {
    std::uint64_t n = 0;
    if (std::from_chars(digits, end, n).ec != std::errc()) return fail(simdjson::NUMBER_ERROR);
    constexpr auto half = std::uint64_t{1} << 63;
    if (negative && n > half) return fail(simdjson::NUMBER_ERROR);
    bool const beyond = !negative && n >= half;
    return put_number(beyond ? kind::unsigned_integer : kind::integer, negative ? 0 - n : n), true;
  }

  bool real(std::string_view token) {
    double d = std::numeric_limits<double>::infinity();
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    if (std::from_chars(token.data(), token.data() + token.size(), d).ec != std::errc())
      d = std::numeric_limits<double>::infinity();
#endif
    if (!std::isfinite(d)) {
      if (auto const code = rare_real(token, d)) return fail(code);
    }
    return put_number(kind::real, d), true;
  }

  char const* text_;
  std::size_t size_;
  index_room& room_;
  std::uint32_t const* next_;
  std::uint32_t const* const end_;
  std::uint64_t* const first_;
  std::uint64_t* word_;
  std::size_t escape_ = 0;  // the next backslash
  std::size_t values_ = 0;
  simdjson::error_code failure_ = simdjson::SUCCESS;
};

}  // namespace comcp::json::detail
