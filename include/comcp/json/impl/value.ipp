// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Parsing, and value and view on the index that it makes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <vector>

#include <comcp/json/impl/document.ipp>
#include <comcp/json/impl/indexing.ipp>
#include <comcp/json/value.hpp>
#include <comcp/json/writer.hpp>

namespace comcp::json {

namespace detail {

COMCP_DECL error parse_error(simdjson::error_code code, parse_options const& options) {
  switch (code) {
    case simdjson::DEPTH_ERROR:
      return {errc::limit_exceeded, "JSON nested deeper than max_depth (" + std::to_string(options.max_depth()) + ")"};
    case simdjson::CAPACITY: return {errc::limit_exceeded, "JSON text too large to parse"};
    case simdjson::MEMALLOC: return errc::out_of_memory;
    default: return {errc::invalid_json, parse_failure(code)};
  }
}

inline constexpr std::string_view bom = "\xEF\xBB\xBF";

COMCP_DECL std::string_view without_bom(std::string_view text) noexcept {
  return text.starts_with(bom) ? text.substr(3) : text;
}

// A buffer of its own where there is none that is large enough.
COMCP_DECL void make_room(text_buffer& buffer, std::size_t size) {
  if (buffer.capacity() >= size) return;
  comcp::detail::give_back(std::move(buffer));
  buffer = comcp::detail::buffer_for(size < 4096 ? std::bit_ceil(std::max<std::size_t>(size, 512)) : size);
}

// Where one fails the text is as it was: it may be another's still. So the long ones, which leave it alone, come first.
COMCP_DECL bool unescape_strings(document& d, index_room const& room) {
  for (auto const at : room.escaped) {
    if (!d.is_long(at) && !d.can_unescape(at)) return false;
  }
  for (bool const is_long : {true, false}) {
    for (auto const at : room.escaped) {
      if (d.is_long(at) == is_long && !d.unescape_at(at)) return false;
    }
  }
  return true;
}

COMCP_DECL error make_index(document& d, parse_options const& options) {
  auto& room = index_room::mine();
  if (auto const code = room.find_structure(d.text, d.text_size)) return parse_error(code, options);
  make_room(d.index, (room.count() + 1) * sizeof(std::uint64_t));
  indexer made({d.text, d.text_size}, room, d.words());
  if (auto const code = made.run(options.max_depth())) return parse_error(code, options);
  if (made.values() > options.max_nodes())
    return {errc::limit_exceeded, "more JSON values than max_nodes (" + std::to_string(options.max_nodes()) + ")"};
  if (!room.escaped.empty() && !unescape_strings(d, room)) return parse_error(simdjson::STRING_ERROR, options);
  return {};
}

COMCP_DECL result<value> parse_text(std::string_view text, text_buffer* from, parse_options const& options) try {
  if (text.size() > options.max_bytes())
    return error(errc::limit_exceeded, "JSON text larger than max_bytes (" + std::to_string(options.max_bytes()) + ")");
  text = without_bom(text);
  if (text.empty()) return parse_error(simdjson::EMPTY, options);
  if (text.starts_with(bom)) return parse_error(simdjson::TAPE_ERROR, options);
  if (text.size() > 0xFFFFFFFF) return parse_error(simdjson::CAPACITY, options);
  auto* const d = new_document();
  document_share owner(d);
  bool const keeps = from && text.size() >= from->capacity() / 2;
  if (!keeps) {
    make_room(d->memory, text.size() + padded_text::spare);
    std::memcpy(d->memory.data(), text.data(), text.size());
  }
  d->text = keeps ? text.data() : d->memory.data();
  d->text_size = text.size();
  auto why = make_index(*d, options);
  index_room::mine().shrink();
  if (why) return why;
  if (keeps) d->memory = std::move(*from);
  return document::root_value(std::move(owner));
} catch (std::bad_alloc const&) {
  return error(errc::out_of_memory);
}

}  // namespace detail

COMCP_DECL result<value> parse(padded_text text, parse_options const& options) {
  return detail::parse_text(text.view(), text.from(), options);
}

COMCP_DECL result<value> parse(std::string_view text, parse_options const& options) {
  return detail::parse_text(text, nullptr, options);
}

COMCP_DECL json::kind view::kind() const noexcept { return owner_ ? owner_->kind_at(at_) : json::kind::null; }

COMCP_DECL std::optional<bool> view::get_bool() const noexcept {
  if (kind() != json::kind::boolean) return {};
  return owner_->place_at(at_) != 0;
}

COMCP_DECL std::optional<std::int64_t> view::get_int64() const noexcept {
  auto const k = kind();
  if (k == json::kind::integer) return owner_->number_at<std::int64_t>(at_);
  if (k != json::kind::real) return {};
  auto const d = owner_->number_at<double>(at_);
  if (!(d >= -0x1p63 && d < 0x1p63) || d != std::trunc(d)) return {};
  return static_cast<std::int64_t>(d);
}

COMCP_DECL std::optional<std::uint64_t> view::get_uint64() const noexcept {
  if (kind() == json::kind::unsigned_integer) return owner_->number_at<std::uint64_t>(at_);
  if (auto const i = get_int64()) return *i >= 0 ? std::optional(static_cast<std::uint64_t>(*i)) : std::nullopt;
  if (kind() != json::kind::real) return {};
  auto const d = owner_->number_at<double>(at_);
  if (!(d >= 0 && d < 0x1p64) || d != std::trunc(d)) return {};
  return static_cast<std::uint64_t>(d);
}

COMCP_DECL std::optional<double> view::get_double() const noexcept {
  switch (kind()) {
    case json::kind::integer: return static_cast<double>(owner_->number_at<std::int64_t>(at_));
    case json::kind::unsigned_integer: return static_cast<double>(owner_->number_at<std::uint64_t>(at_));
    case json::kind::real: return owner_->number_at<double>(at_);
    default: return {};
  }
}

COMCP_DECL std::optional<std::string_view> view::get_string() const noexcept {
  if (kind() != json::kind::string) return {};
  return owner_->string_at(at_);
}

COMCP_DECL bool detail::copy_string(view from, std::string& to) {
  if (!from.is_string()) return false;
  return from.owner_->copy_string_at(from.at_, to), true;
}

COMCP_DECL std::size_t view::size() const noexcept {
  if (!is_array() && !is_object()) return 0;
  auto n = owner_->size_at(at_);
  if (n < document::most_size) return n;
  n = 0;  // the count saturates there
  for ([[maybe_unused]] auto e : elements()) ++n;
  for ([[maybe_unused]] auto m : members()) ++n;
  return n;
}

COMCP_DECL std::optional<view> view::find(std::string_view key) const noexcept {
  for (auto const m : members()) {
    if (m.key == key) return m.value;
  }
  return {};
}

COMCP_DECL std::optional<view> view::at(std::size_t index) const noexcept {
  for (auto const e : elements()) {
    if (index-- == 0) return e;
  }
  return {};
}

COMCP_DECL value view::share() const {
  if (!owner_) return {};
  return {detail::document_share(detail::document_share::one_more(owner_)), at_};
}

COMCP_DECL view::element_range view::elements() const noexcept {
  element_range range;
  if (kind() != json::kind::array) return range;
  range.first.owner_ = range.last.owner_ = owner_;
  range.first.at_ = at_ + 1;
  range.last.at_ = owner_->place_at(at_);
  return range;
}

COMCP_DECL view::member_range view::members() const noexcept {
  member_range range;
  if (kind() != json::kind::object) return range;
  range.first.owner_ = range.last.owner_ = owner_;
  range.first.at_ = at_ + 1;
  range.last.at_ = owner_->place_at(at_);
  return range;
}

COMCP_DECL view view::element_iterator::operator*() const noexcept { return {owner_, at_}; }

COMCP_DECL view::element_iterator& view::element_iterator::operator++() noexcept {
  at_ = owner_->after(at_);
  return *this;
}

COMCP_DECL member view::member_iterator::operator*() const noexcept {
  return {owner_->string_at(at_), view(owner_, owner_->after(at_))};
}

COMCP_DECL view::member_iterator& view::member_iterator::operator++() noexcept {
  at_ = owner_->after(owner_->after(at_));
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

COMCP_DECL json::view detail::shared_view::view() const& noexcept { return {owner_.get(), at_}; }

COMCP_DECL std::size_t detail::shared_view::memory() const noexcept { return owner_ ? owner_.get()->bytes() : 0; }

COMCP_DECL std::size_t detail::shared_view::text_size() const noexcept { return owner_ ? owner_.get()->text_size : 0; }

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
