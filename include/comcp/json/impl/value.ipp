// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// value and view on simdjson's DOM. The other users of simdjson are its neighbours in json/impl.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include <comcp/json/impl/document.ipp>
#include <comcp/json/impl/simdjson.hpp>
#include <comcp/json/value.hpp>
#include <comcp/json/writer.hpp>

namespace comcp::json {

namespace detail {

using dom_element = simdjson::dom::element;
using dom_array = simdjson::dom::array;
using dom_object = simdjson::dom::object;
static_assert(sizeof(dom_element) == sizeof(node) && std::is_trivially_copyable_v<dom_element>);
static_assert(sizeof(dom_array::iterator) == sizeof(node) && std::is_trivially_copyable_v<dom_array::iterator>);
static_assert(sizeof(dom_object::iterator) == sizeof(node) && std::is_trivially_copyable_v<dom_object::iterator>);

inline dom_element element_of(node const& n) noexcept { return std::bit_cast<dom_element>(n); }

// One parser a thread; one that a huge text has grown is let go again.
COMCP_DECL simdjson::dom::parser& thread_parser() {
  thread_local simdjson::dom::parser parser;
  return parser;
}
inline constexpr std::size_t kept_parser_capacity = std::size_t{4} << 20;

COMCP_DECL error parse_error(simdjson::error_code code, parse_options const& options) {
  switch (code) {
    case simdjson::DEPTH_ERROR:
      return {errc::limit_exceeded, "JSON nested deeper than max_depth (" + std::to_string(options.max_depth()) + ")"};
    case simdjson::CAPACITY: return {errc::limit_exceeded, "JSON text too large to parse"};
    case simdjson::MEMALLOC: return errc::out_of_memory;
    default: return {errc::invalid_json, parse_failure(code)};
  }
}

COMCP_DECL std::size_t count_nodes(dom_element e, std::size_t stop_at) noexcept {
  std::size_t n = 1;
  if (e.is_array()) {
    for (auto child : dom_array(e.get_array().value_unsafe())) {
      n += count_nodes(child, stop_at - n);
      if (n > stop_at) break;
    }
  } else if (e.is_object()) {
    for (auto field : dom_object(e.get_object().value_unsafe())) {
      n += count_nodes(field.value, stop_at - n);
      if (n > stop_at) break;
    }
  }
  return n;
}

inline constexpr std::string_view bom = "\xEF\xBB\xBF";

COMCP_DECL std::string_view without_bom(std::string_view text) noexcept {
  return text.starts_with(bom) ? text.substr(3) : text;
}

// `copy` lets simdjson put the text into a padded buffer of its own, which the parser keeps.
COMCP_DECL result<value> parse_text(std::string_view text, bool copy, parse_options const& options) {
  if (text.size() > options.max_bytes())
    return error(errc::limit_exceeded, "JSON text larger than max_bytes (" + std::to_string(options.max_bytes()) + ")");
  text = without_bom(text);
  if (text.empty()) return parse_error(simdjson::EMPTY, options);
  if (text.starts_with(bom)) return parse_error(simdjson::TAPE_ERROR, options);  // simdjson 4 would skip it
  auto& parser = thread_parser();
  // simdjson refuses at its bound, not above it.
  auto const depth = std::min(options.max_depth(), std::size_t{1} << 24) + 1;
  if (parser.max_depth() != depth) {
    if (parser.allocate(parser.capacity(), depth)) return error(errc::out_of_memory);
  }
  auto* const fresh = new_document();
  document_share owner(fresh);
  simdjson::dom::element root;
  auto const code = parser.parse_into_document(fresh->dom, text.data(), text.size(), copy).get(root);
  if (parser.capacity() > kept_parser_capacity) parser = simdjson::dom::parser();
  if (code) return parse_error(code, options);
  // A value takes at least one byte of text, so only longer texts can have too many.
  if (text.size() > options.max_nodes() && count_nodes(root, options.max_nodes()) > options.max_nodes())
    return error(errc::limit_exceeded, "more JSON values than max_nodes (" + std::to_string(options.max_nodes()) + ")");
  return document::root_value(std::move(owner));
}

}  // namespace detail

COMCP_DECL result<value> parse(padded_text text, parse_options const& options) {
  return detail::parse_text(text.view(), false, options);
}

COMCP_DECL result<value> parse(std::string_view text, parse_options const& options) {
  return detail::parse_text(text, true, options);
}

COMCP_DECL json::kind view::kind() const noexcept {
  if (!owner_) return json::kind::null;
  switch (detail::element_of(node_).type()) {
    case simdjson::dom::element_type::ARRAY: return json::kind::array;
    case simdjson::dom::element_type::OBJECT: return json::kind::object;
    case simdjson::dom::element_type::INT64: return json::kind::integer;
    case simdjson::dom::element_type::UINT64: return json::kind::unsigned_integer;
    case simdjson::dom::element_type::DOUBLE: return json::kind::real;
    case simdjson::dom::element_type::STRING: return json::kind::string;
    case simdjson::dom::element_type::BOOL: return json::kind::boolean;
    default: return json::kind::null;
  }
}

COMCP_DECL std::optional<bool> view::get_bool() const noexcept {
  if (kind() != json::kind::boolean) return {};
  return detail::element_of(node_).get_bool().value_unsafe();
}

COMCP_DECL std::optional<std::int64_t> view::get_int64() const noexcept {
  auto const k = kind();
  if (k == json::kind::integer) return detail::element_of(node_).get_int64().value_unsafe();
  if (k != json::kind::real) return {};
  double const d = detail::element_of(node_).get_double().value_unsafe();
  if (!(d >= -0x1p63 && d < 0x1p63) || d != std::trunc(d)) return {};
  return static_cast<std::int64_t>(d);
}

COMCP_DECL std::optional<std::uint64_t> view::get_uint64() const noexcept {
  if (kind() == json::kind::unsigned_integer) return detail::element_of(node_).get_uint64().value_unsafe();
  if (auto const i = get_int64()) return *i >= 0 ? std::optional(static_cast<std::uint64_t>(*i)) : std::nullopt;
  if (kind() != json::kind::real) return {};
  double const d = detail::element_of(node_).get_double().value_unsafe();
  if (!(d >= 0 && d < 0x1p64) || d != std::trunc(d)) return {};
  return static_cast<std::uint64_t>(d);
}

COMCP_DECL std::optional<double> view::get_double() const noexcept {
  if (!is_number()) return {};
  return detail::element_of(node_).get_double().value_unsafe();
}

COMCP_DECL std::optional<std::string_view> view::get_string() const noexcept {
  std::string_view s;
  if (!owner_ || detail::element_of(node_).get_string().get(s)) return {};
  return s;
}

COMCP_DECL std::size_t view::size() const noexcept {
  std::size_t n = 0;
  if (is_array()) {
    n = detail::element_of(node_).get_array().value_unsafe().size();
  } else if (is_object()) {
    n = detail::element_of(node_).get_object().value_unsafe().size();
  }
  if (n < 0xFFFFFF) return n;
  n = 0;  // simdjson's count saturates there
  for ([[maybe_unused]] auto e : elements()) ++n;
  for ([[maybe_unused]] auto m : members()) ++n;
  return n;
}

COMCP_DECL std::optional<view> view::find(std::string_view key) const noexcept {
  simdjson::dom::object object;
  simdjson::dom::element found;
  if (!owner_ || detail::element_of(node_).get_object().get(object) || object.at_key(key).get(found)) return {};
  return view(owner_, std::bit_cast<detail::node>(found));
}

COMCP_DECL std::optional<view> view::at(std::size_t index) const noexcept {
  if (!is_array()) return {};
  simdjson::dom::element found;
  if (detail::element_of(node_).get_array().value_unsafe().at(index).get(found)) return {};
  return view(owner_, std::bit_cast<detail::node>(found));
}

COMCP_DECL value view::share() const {
  if (!owner_) return {};
  return {detail::document_share(detail::document_share::one_more(owner_)), node_};
}

COMCP_DECL view::element_range view::elements() const noexcept {
  element_range range;
  simdjson::dom::array array;
  if (!owner_ || detail::element_of(node_).get_array().get(array)) return range;
  range.first.owner_ = range.last.owner_ = owner_;
  range.first.node_ = std::bit_cast<detail::node>(array.begin());
  range.last.node_ = std::bit_cast<detail::node>(array.end());
  return range;
}

COMCP_DECL view::member_range view::members() const noexcept {
  member_range range;
  simdjson::dom::object object;
  if (!owner_ || detail::element_of(node_).get_object().get(object)) return range;
  range.first.owner_ = range.last.owner_ = owner_;
  range.first.node_ = std::bit_cast<detail::node>(object.begin());
  range.last.node_ = std::bit_cast<detail::node>(object.end());
  return range;
}

COMCP_DECL view view::element_iterator::operator*() const noexcept {
  return {owner_, std::bit_cast<detail::node>(*std::bit_cast<detail::dom_array::iterator>(node_))};
}

COMCP_DECL view::element_iterator& view::element_iterator::operator++() noexcept {
  auto it = std::bit_cast<detail::dom_array::iterator>(node_);
  node_ = std::bit_cast<detail::node>(++it);
  return *this;
}

COMCP_DECL member view::member_iterator::operator*() const noexcept {
  auto const it = std::bit_cast<detail::dom_object::iterator>(node_);
  return {it.key(), view(owner_, std::bit_cast<detail::node>(it.value()))};
}

COMCP_DECL view::member_iterator& view::member_iterator::operator++() noexcept {
  auto it = std::bit_cast<detail::dom_object::iterator>(node_);
  node_ = std::bit_cast<detail::node>(++it);
  return *this;
}

namespace detail {

COMCP_DECL bool same_number(view a, view b) noexcept {
  if (a.kind() == b.kind()) {
    if (a.kind() == kind::integer) return a.get_int64() == b.get_int64();
    if (a.kind() == kind::unsigned_integer) return a.get_uint64() == b.get_uint64();
    return a.get_double() == b.get_double();
  }
  if (auto const x = a.get_int64()) return b.get_int64() == x;
  if (auto const x = a.get_uint64()) return b.get_uint64() == x;
  return false;
}

COMCP_DECL bool same_keys_in_order(view a, view b) noexcept {
  auto const x = a.members();
  auto const y = b.members();
  auto j = y.begin();
  for (auto i = x.begin(); i != x.end() && j != y.end(); ++i, ++j) {
    if ((*i).key != (*j).key) return false;
  }
  return true;
}

// Sorted by key when the orders differ, so that large objects cost no square; duplicates keep their order.
COMCP_DECL std::vector<member> members_by_key(view object) {
  std::vector<member> list;
  list.reserve(object.size());
  for (auto const m : object.members()) list.push_back(m);
  // Keys lie in memory in the order of the text. (Not stable_sort: clang warns of what libstdc++ 12 does there.)
  std::sort(list.begin(), list.end(), [](member const& x, member const& y) {
    auto const order = x.key <=> y.key;
    return order != 0 ? order < 0 : std::less<>()(x.key.data(), y.key.data());
  });
  return list;
}

COMCP_DECL bool same_object(view a, view b) {
  if (a.size() != b.size()) return false;
  if (same_keys_in_order(a, b)) {
    auto j = b.members().begin();
    for (auto const m : a.members()) {
      if (!(m.value == (*j).value)) return false;
      ++j;
    }
    return true;
  }
  auto const same = [](member const& x, member const& y) { return x.key == y.key && x.value == y.value; };
  auto const x = members_by_key(a);
  auto const y = members_by_key(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
}

COMCP_DECL bool same_array(view a, view b) {
  auto x = a.elements();
  auto y = b.elements();
  auto i = x.begin();
  auto j = y.begin();
  for (; i != x.end() && j != y.end(); ++i, ++j) {
    if (!(*i == *j)) return false;
  }
  return i == x.end() && j == y.end();
}

}  // namespace detail

COMCP_DECL bool view::same(view a, view b) {
  if (a.is_number() && b.is_number()) return detail::same_number(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case json::kind::boolean: return a.get_bool() == b.get_bool();
    case json::kind::string: return a.get_string() == b.get_string();
    case json::kind::array: return detail::same_array(a, b);
    case json::kind::object: return detail::same_object(a, b);
    default: return true;
  }
}

COMCP_DECL std::string view::dump() const {
  writer w;
  w.value(*this);
  return std::move(w).text();
}

COMCP_DECL json::view value::view() const& noexcept { return {owner_.get(), node_}; }

COMCP_DECL std::size_t value::memory() const noexcept {
  // simdjson has a word of tape and room for 5/3 of a byte of strings for each byte of text.
  return owner_ ? sizeof(document) + text_size() * 29 / 3 : 0;
}

COMCP_DECL std::size_t value::text_size() const noexcept { return owner_ ? owner_.get()->dom.capacity() : 0; }

COMCP_DECL value value::compact() const {
  if (!owner_) return {};
  auto text = dump();
  constexpr auto any = std::numeric_limits<std::size_t>::max();
  return parse(pad(text), parse_options().max_bytes(any).max_nodes(any).max_depth(any)).value();
}

COMCP_DECL json::view::element_range value::elements() const& noexcept { return view().elements(); }
COMCP_DECL json::view::member_range value::members() const& noexcept { return view().members(); }
COMCP_DECL json::view::element_iterator value::begin() const& noexcept { return view().elements().begin(); }
COMCP_DECL json::view::element_iterator value::end() const& noexcept { return view().elements().end(); }

}  // namespace comcp::json

#include <comcp/json/impl/access.ipp>
