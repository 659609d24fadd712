// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where things are in a JSON text that a person wrote: comments and trailing commas blanked out, the first syntax error
// found, and the offset of every key and value. What the values mean is json/value's and its reader's job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/json/value.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

/// The text as strict JSON of the same length: comments (// and /* */) and commas before a closing bracket are blanks,
/// line breaks stay. Strings are left alone. What is no comment and no JSON stays as it is.
std::string without_comments(std::string_view text);

/// From 1; columns count bytes.
struct text_place {
  std::size_t line = 1, column = 1;
  friend bool operator==(text_place const&, text_place const&) = default;
};

/// The values of a JSON text in the order of the text, each followed by those inside it.
class text_map {
 public:
  struct node {
    std::uint32_t key;  // where the key begins; the value, where there is none
    std::uint32_t value;
    std::uint32_t next;  // index of the first node that is not inside
  };
  struct failure {
    std::size_t offset = 0;
    std::string what;  // never quotes the text
  };

  /// `text` must live as long as this, and have less than 4 GiB.
  explicit text_map(std::string_view text);

  /// The first syntax error; the nodes before it are right.
  [[nodiscard]] std::optional<failure> const& broken() const noexcept { return broken_; }
  /// The first key, string or number that json::parse() refuses although its syntax is right (no UTF-8, half of a
  /// surrogate pair, a number that fits nothing).
  [[nodiscard]] std::optional<failure> unreadable() const;
  [[nodiscard]] std::vector<node> const& nodes() const noexcept { return nodes_; }
  [[nodiscard]] text_place place(std::size_t offset) const noexcept;

 private:
  class scanner;

  std::string_view text_;
  std::vector<node> nodes_;
  std::vector<std::uint32_t> lines_;  // where each begins
  std::optional<failure> broken_;
};

/// A parsed value and where it is. Both belong to the same text.
struct located {
  json::view value;
  std::size_t node = 0;
};

/// Calls f(key, located) for each member of an object.
template <class F>
void each_member(text_map const& map, located of, F f) {
  auto child = of.node + 1;
  for (auto const m : of.value.members()) {
    if (child >= map.nodes().size()) return;
    f(m.key, located{m.value, child});
    child = map.nodes()[child].next;
  }
}

/// Calls f(index, located) for each element of an array.
template <class F>
void each_element(text_map const& map, located of, F f) {
  auto child = of.node + 1;
  std::size_t index = 0;
  for (auto const v : of.value.elements()) {
    if (child >= map.nodes().size()) return;
    f(index++, located{v, child});
    child = map.nodes()[child].next;
  }
}

/// The first member of that key.
std::optional<located> find_member(text_map const& map, located of, std::string_view key);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/json/impl/text_map.ipp>
#endif
