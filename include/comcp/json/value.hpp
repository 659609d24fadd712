// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON values: `value` owns a share of an immutable parsed document, `view` looks at a part of one. Both are
// read-only; writing JSON is json/writer.hpp's and json/build.hpp's job.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/json/padded_text.hpp>
#include <comcp/result.hpp>

namespace comcp::json {

class document;  // a text and an index of it; never moves
class value;
class view;
class read_error;

/// The kinds of JSON value. Numbers without fraction and exponent that fit are integers.
enum class kind : unsigned char { null, boolean, integer, unsigned_integer, real, string, array, object };

/// Bounds for parsing; exceeding one is errc::limit_exceeded, with the limit's name in the text.
class parse_options {
 public:
  parse_options() noexcept {}
  /// Largest text in bytes. Default 64 MiB.
  parse_options& max_bytes(std::size_t n) noexcept { return max_bytes_ = n, *this; }
  /// Deepest nesting of arrays and objects; an empty one inside the deepest is let pass. Default 256. Reading is
  /// recursive: stay below some thousands.
  parse_options& max_depth(std::size_t n) noexcept { return max_depth_ = n, *this; }
  /// Most values in one text, keys not counted. Default 8 Mi.
  parse_options& max_nodes(std::size_t n) noexcept { return max_nodes_ = n, *this; }
  [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
  [[nodiscard]] std::size_t max_depth() const noexcept { return max_depth_; }
  [[nodiscard]] std::size_t max_nodes() const noexcept { return max_nodes_; }

 private:
  std::size_t max_bytes_ = std::size_t{64} << 20;
  std::size_t max_depth_ = 256;
  std::size_t max_nodes_ = std::size_t{8} << 20;
};

/// Parses strict UTF-8 JSON text (RFC 8259; a leading byte order mark is tolerated) into an owned document.
/// Errors: invalid_json, limit_exceeded, out_of_memory. Safe from any thread.
result<value> parse(std::string_view text, parse_options const& options = {});
/// The same; takes the memory of a text over that it may keep, unless that is much larger or this fails.
result<value> parse(padded_text text, parse_options const& options = {});

namespace detail {
/// One share of a document. Documents count their shares themselves, so that small ones can be used again.
class document_share {
 public:
  document_share() noexcept = default;
  /// Takes over a share that is counted already.
  explicit document_share(document const* counted) noexcept : document_(counted) {}
  document_share(document_share const& other) noexcept : document_share(one_more(other.document_)) {}
  document_share(document_share&& other) noexcept : document_(std::exchange(other.document_, nullptr)) {}
  document_share& operator=(document_share other) noexcept { return std::swap(document_, other.document_), *this; }
  ~document_share() {
    if (document_) give_back(document_);
  }

  [[nodiscard]] document const* get() const noexcept { return document_; }
  explicit operator bool() const noexcept { return document_ != nullptr; }
  /// Counts one share more; null stays null.
  static document const* one_more(document const* d) noexcept;

 private:
  static void give_back(document const* d) noexcept;

  document const* document_ = nullptr;
};

class shared_view;
/// Writes a string to its final place, in one go; false where it is none.
bool copy_string(view from, std::string& to);
}  // namespace detail

/// Looks at one value inside a document that somebody else keeps alive. Cheap to copy; valid as long as some
/// `value` of the same document. Accessors named get_* return nothing when the kind does not fit.
class view {
 public:
  view() noexcept = default;  ///< null

  [[nodiscard]] json::kind kind() const noexcept;
  [[nodiscard]] bool is_null() const noexcept { return kind() == json::kind::null; }
  [[nodiscard]] bool is_object() const noexcept { return kind() == json::kind::object; }
  [[nodiscard]] bool is_array() const noexcept { return kind() == json::kind::array; }
  [[nodiscard]] bool is_string() const noexcept { return kind() == json::kind::string; }
  [[nodiscard]] bool is_number() const noexcept {
    auto const k = kind();
    return k == json::kind::integer || k == json::kind::unsigned_integer || k == json::kind::real;
  }

  [[nodiscard]] std::optional<bool> get_bool() const noexcept;
  /// Also a real without fraction, such as 5.0, when it fits exactly.
  [[nodiscard]] std::optional<std::int64_t> get_int64() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> get_uint64() const noexcept;
  /// Any number; integers beyond 2^53 are rounded.
  [[nodiscard]] std::optional<double> get_double() const noexcept;
  [[nodiscard]] std::optional<std::string_view> get_string() const noexcept;

  /// Elements of an array or members of an object; 0 for anything else.
  [[nodiscard]] std::size_t size() const noexcept;
  /// The first member with exactly this key.
  [[nodiscard]] std::optional<view> find(std::string_view key) const noexcept;
  [[nodiscard]] std::optional<view> at(std::size_t index) const noexcept;
  /// RFC 6901. Errors: invalid_argument (not a pointer), not_found.
  [[nodiscard]] result<view> pointer(std::string_view json_pointer) const;

  /// The place in the document as a JSON Pointer; "" is the root. Walks the document: for error texts.
  [[nodiscard]] std::string path() const;
  /// The same relative to `base`, which this is a part of; walks only `base`.
  [[nodiscard]] std::string path(view base) const;
  /// Minified text.
  [[nodiscard]] std::string dump() const;
  /// This part as a value of its own that shares the document.
  [[nodiscard]] value share() const;

  class element_iterator;
  class member_iterator;
  struct element_range;
  struct member_range;
  /// Elements of an array (none for anything else).
  [[nodiscard]] element_range elements() const noexcept;
  /// Members of an object in the order of the text (none for anything else).
  [[nodiscard]] member_range members() const noexcept;

  /// Equality of JSON values: objects unordered, numbers by exact value.
  friend bool operator==(view a, view b) { return same(a, b); }

 private:
  friend class detail::shared_view;
  friend class document;
  friend bool detail::copy_string(view from, std::string& to);
  friend bool unique_keys(view v, read_error& e);
  view(document const* owner, std::size_t at) noexcept : owner_(owner), at_(at) {}
  static bool same(view a, view b);  // may need memory: to sort members

  document const* owner_ = nullptr;
  std::size_t at_ = 0;  // in the document's index
};

/// A string of its own, as as_string() gives it of a value that is gone with the line: any std::string, but no view of
/// a temporary one.
class owned_text : public std::string {
 public:
  explicit owned_text(std::string_view text) : std::string(text) {}
  operator std::string_view() const& noexcept { return {data(), size()}; }
  operator std::string_view() const&& = delete;  // comcp: it would dangle: keep the text in a std::string or an auto

  template <std::same_as<std::string_view> V>
  friend bool operator==(owned_text const& a, V b) noexcept {
    return b == std::string_view(a.data(), a.size());
  }
};

namespace detail {
/// A view that keeps its document alive: what kind of value that is, how large, and its text.
class shared_view {
 public:
  [[nodiscard]] json::view view() const& noexcept;
  json::view view() const&& = delete;
  operator json::view() const& noexcept { return view(); }
  operator json::view() const&& = delete;

  [[nodiscard]] json::kind kind() const noexcept { return view().kind(); }
  [[nodiscard]] bool is_null() const noexcept { return !owner_ || view().is_null(); }
  [[nodiscard]] bool is_object() const noexcept { return view().is_object(); }
  [[nodiscard]] bool is_array() const noexcept { return view().is_array(); }
  [[nodiscard]] bool is_string() const noexcept { return view().is_string(); }
  [[nodiscard]] bool is_number() const noexcept { return view().is_number(); }
  [[nodiscard]] std::size_t size() const noexcept { return view().size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] bool contains(std::string_view key) const noexcept { return view().find(key).has_value(); }

  [[nodiscard]] std::string dump() const { return view().dump(); }
  /// About how many bytes the document takes that it shares, all of it; 0 for a default-constructed null.
  [[nodiscard]] std::size_t memory() const noexcept;
  /// About how many bytes of text that document was.
  [[nodiscard]] std::size_t text_size() const noexcept;

 protected:
  shared_view() noexcept = default;
  shared_view(document_share owner, std::size_t at) noexcept : owner_(std::move(owner)), at_(at) {}

  document_share owner_;
  std::size_t at_ = 0;
};
}  // namespace detail

/// One immutable JSON value that keeps its document alive. Copies are cheap and may be used from any thread.
class value : public detail::shared_view {
 public:
  value() noexcept = default;  ///< null

  /// The typed accessors throw comcp::exception (errc::wrong_shape) with the path when the kind does not fit. The string of
  /// a value that has a name is a view into its document, that of a temporary one (object["key"]) owns its text.
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] std::int64_t as_int64() const;
  [[nodiscard]] std::uint64_t as_uint64() const;
  [[nodiscard]] double as_double() const;
  [[nodiscard]] std::string_view as_string() const&;
  [[nodiscard]] owned_text as_string() const&& { return owned_text(static_cast<value const&>(*this).as_string()); }

  /// Member or element; throws errc::not_found with the path, or wrong_shape.
  [[nodiscard]] value operator[](std::string_view key) const;
  [[nodiscard]] value operator[](char const* key) const { return (*this)[std::string_view(key)]; }
  [[nodiscard]] value operator[](std::size_t index) const;
  [[nodiscard]] value operator[](int index) const { return (*this)[static_cast<std::size_t>(index)]; }
  [[nodiscard]] std::optional<value> find(std::string_view key) const;
  /// RFC 6901. Errors: invalid_argument, not_found.
  [[nodiscard]] result<value> pointer(std::string_view json_pointer) const;

  /// Any readable type (json/describe.hpp must be included). `get` returns errc::wrong_shape with the path.
  template <class T>
  [[nodiscard]] result<T> get() const;
  template <class T>
  [[nodiscard]] T as() const {
    return get<T>().value();
  }

  [[nodiscard]] json::view::element_range elements() const& noexcept;
  json::view::element_range elements() const&& = delete;
  [[nodiscard]] json::view::member_range members() const& noexcept;
  json::view::member_range members() const&& = delete;
  /// Iteration goes over the elements of an array.
  [[nodiscard]] json::view::element_iterator begin() const& noexcept;
  [[nodiscard]] json::view::element_iterator end() const& noexcept;

  /// A copy in a document of its own, so that a small part does not keep a large page alive.
  [[nodiscard]] value compact() const;

  friend bool operator==(value const& a, value const& b) { return a.view() == b.view(); }

 private:
  friend class json::view;
  friend class document;
  value(detail::document_share owner, std::size_t at) noexcept : shared_view(std::move(owner), at) {}
};

class view::element_iterator {
 public:
  using value_type = view;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;

  element_iterator() noexcept = default;
  view operator*() const noexcept;
  element_iterator& operator++() noexcept;
  element_iterator operator++(int) noexcept {
    auto old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(element_iterator const& a, element_iterator const& b) noexcept {
    return a.at_ == b.at_;
  }

 private:
  friend class view;
  document const* owner_ = nullptr;
  std::size_t at_ = 0;
};

/// One member of an object. The key is valid as long as the document.
struct member {
  std::string_view key;
  view value;
};

class view::member_iterator {
 public:
  using value_type = member;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::forward_iterator_tag;

  member_iterator() noexcept = default;
  member operator*() const noexcept;
  member_iterator& operator++() noexcept;
  member_iterator operator++(int) noexcept {
    auto old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(member_iterator const& a, member_iterator const& b) noexcept {
    return a.at_ == b.at_;
  }

 private:
  friend class view;
  document const* owner_ = nullptr;
  std::size_t at_ = 0;
};

struct view::element_range {
  element_iterator first, last;
  [[nodiscard]] element_iterator begin() const noexcept { return first; }
  [[nodiscard]] element_iterator end() const noexcept { return last; }
};

struct view::member_range {
  member_iterator first, last;
  [[nodiscard]] member_iterator begin() const noexcept { return first; }
  [[nodiscard]] member_iterator end() const noexcept { return last; }
};

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/json/impl/value.ipp>
#endif
