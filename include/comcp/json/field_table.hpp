// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Field lists as tables that plain functions walk. For each member of a struct only a function to read it and one to
// write it are generated: a protocol has hundreds of members, and compilers take their time over each. Internal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <comcp/json/fields.hpp>

namespace comcp::json::detail {

struct read_entry {
  std::string_view key;
  bool (*read)(view from, void* object, read_error& e) = nullptr;
};
/// `required` has a bit for each field.
struct read_list {
  std::span<read_entry const> fields;
  std::uint64_t required = 0;
};
/// Reads an object's members into the struct at `object`, and all of it into its raw member if it has one.
bool read_fields(read_list const& list, value& (*raw)(void* object), view from, void* object, read_error& e);

struct write_entry {
  std::string_view key;
  void (*write)(writer& w, void const* object, view raw) = nullptr;
};
/// Writes them, and what else `raw` keeps.
void write_fields(std::span<write_entry const> fields, value const& (*raw)(void const* object), writer& w,
                  void const* object);

bool read_tag(view from, std::string_view text, read_error& e);
/// Whether a member that equals its default was absent from the object that it came with.
bool was_absent(view raw, std::string_view key);

template <class F>
constexpr bool is_required(F const& f) {
  if constexpr (requires { f.required; }) return f.required;
  return std::same_as<F, tag_field>;
}
template <class F>
constexpr std::string_view key_of(F const& f) {
  if constexpr (requires { f.key; }) return f.key;
  return {};
}
constexpr bool is_plain(std::string_view key) {
  for (char const c : key) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') return false;
  }
  return true;
}

template <std::size_t I, class F>
constexpr F const& field_at(field_slot<I, F> const& slot) {
  return slot.field;
}
template <std::size_t I, class S>
constexpr auto raw_member(field_slot<I, raw_field<S>> const& slot) {
  return slot.field.member;
}
template <class F>
inline constexpr bool is_raw = false;
template <class S>
inline constexpr bool is_raw<raw_field<S>> = true;

template <std::size_t... I, class... F>
constexpr std::array<std::string_view, sizeof...(F)> keys_of(
    field_slots<std::index_sequence<I...>, F...> const& list) {
  return {key_of(field_at<I>(list))...};
}

template <class S, class M>
bool read_member(field_of<S, M> const& f, view v, S& out, read_error& e) {
  if constexpr (!is_optional<M> && !std::same_as<M, value>) {
    if (!f.required && v.is_null()) return true;
  }
  return codec<M>::read(v, out.*f.member, e);
}
template <class S>
bool read_member(tag_field const& f, view v, S&, read_error& e) {
  return read_tag(v, f.text, e);
}
template <class S, own_field<S> F>
bool read_member(F const& f, view v, S& out, read_error& e) {
  return f.read(v, out, e);
}

template <class T>
T const& fresh() {
  static T const value{};
  return value;
}

/// Whether a member that equals its default is left out: not when it came with the object.
template <class T, class M>
bool is_left_out(T const& from, field_of<T, M> const& f, view raw) {
  auto const& member = from.*f.member;
  if constexpr (is_optional<M>) {
    return !member;
  } else if constexpr (std::same_as<M, value>) {
    return member.is_null() && !raw.find(f.key);
  } else if constexpr (requires { member.empty(); } && !std::same_as<M, std::string>) {
    return member.empty() && (fresh<T>().*f.member).empty() && was_absent(raw, f.key);
  } else if constexpr (std::equality_comparable<M>) {
    return member == fresh<T>().*f.member && was_absent(raw, f.key);
  } else {
    return false;
  }
}

template <class T, class M>
void write_member(writer& w, T const& from, field_of<T, M> const& f, view raw) {
  if (f.skip_default && is_left_out(from, f, raw)) return;
  w.plain_key(f.key);
  codec<M>::write(w, from.*f.member);
}
template <class T>
void write_member(writer& w, T const&, tag_field const& f, view) {
  w.plain_key(f.key).string(f.text);
}
template <class T, own_field<T> F>
void write_member(writer& w, T const& from, F const& f, view) {
  f.write(w, from);
}

template <class T>
inline constexpr auto fields_of = describe(std::type_identity<T>{});

template <class T, std::size_t I>
bool read_nth(view v, void* object, read_error& e) {
  return read_member(field_at<I>(fields_of<T>), v, *static_cast<T*>(object), e);
}
template <class T, std::size_t I>
void write_nth(writer& w, void const* object, view raw) {
  write_member(w, *static_cast<T const*>(object), field_at<I>(fields_of<T>), raw);
}
template <class T>
value& raw_to_read(void* object) {
  return static_cast<T*>(object)->*raw_member(fields_of<T>);
}
template <class T>
value const& raw_to_write(void const* object) {
  return static_cast<T const*>(object)->*raw_member(fields_of<T>);
}

template <class T, std::size_t I, class F>
constexpr read_entry read_entry_of(field_slot<I, F> const& slot) {
  if constexpr (is_raw<F>) return {};
  else return {key_of(slot.field), &read_nth<T, I>};
}
template <class T, std::size_t I, class F>
constexpr write_entry write_entry_of(field_slot<I, F> const& slot) {
  if constexpr (is_raw<F>) return {};
  else return {key_of(slot.field), &write_nth<T, I>};
}

// Two tables, so that what is only written needs no way to be read.
template <class T, std::size_t... I, class... F>
constexpr std::array<read_entry, sizeof...(F)> read_entries(field_slots<std::index_sequence<I...>, F...> const& list) {
  static_assert(sizeof...(F) <= 64, "comcp: a described struct has at most 64 fields");
  return {read_entry_of<T, I, F>(list)...};
}
template <class T, std::size_t... I, class... F>
constexpr std::array<write_entry, sizeof...(F)> write_entries(
    field_slots<std::index_sequence<I...>, F...> const& list) {
  static_assert((is_plain(key_of(field_at<I>(fields_of<T>))) && ...),
                "comcp: the key of a described field must need no escaping");
  return {write_entry_of<T, I, F>(list)...};
}
template <std::size_t... I, class... F>
constexpr std::uint64_t required_fields(field_slots<std::index_sequence<I...>, F...> const& list) {
  return ((std::uint64_t{is_required(field_at<I>(list))} << I) | ... | 0);
}
template <class... F>
constexpr bool has_raw(field_list<F...> const&) {
  return (is_raw<F> || ...);
}

template <class T>
inline constexpr auto read_table = read_entries<T>(fields_of<T>);
template <class T>
inline constexpr read_list read_list_of{read_table<T>, required_fields(fields_of<T>)};
template <class T>
inline constexpr auto write_table = write_entries<T>(fields_of<T>);

}  // namespace comcp::json::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/json/impl/field_table.ipp>
#endif
