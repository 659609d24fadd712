// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Field lists: how a struct says what its members are called in JSON. See json/describe.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <comcp/json/value.hpp>
#include <comcp/json/writer.hpp>

namespace comcp::json {

/// Collects the first failure of a decoding, with its place.
class read_error {
 public:
  read_error() = default;
  /// Places are told relative to `base`: finding them then costs no more than walking it.
  explicit read_error(view base) noexcept : base_(base) {}
  /// Always false, so that `return e.expected(v, "string");` reads well.
  bool expected(view at, std::string_view what);
  bool missing(view object, std::string_view key);
  bool repeated(view object, std::string_view key);
  [[nodiscard]] error to_error() const { return {errc::wrong_shape, text_}; }
  [[nodiscard]] std::string const& text() const noexcept { return text_; }

 private:
  [[nodiscard]] std::string place(view at) const;

  std::optional<view> base_;
  std::string text_;
};

/// Whether no object in `v` has a key twice (of which readers of JSON take the first, the last or none). False after
/// e.repeated(). Takes n log n for n members.
bool unique_keys(view v, read_error& e);

/// How a T is read and written. Specialise it for types that a field list cannot describe:
///   static bool read(view from, T& to, read_error& e);   // false after e.expected(...) or e.missing(...)
///   static void write(writer& w, T const& value);
template <class T>
struct codec;

/// One member: its key and how absence is met. Made by field(), always() and defaulted().
template <class Struct, class Member>
struct field_of {
  std::string_view key;
  Member Struct::*member;
  bool required;
  bool skip_default;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// A member that must be there, unless it is std::optional (then absent and null are both nullopt; an
/// std::optional<json::value> keeps null). Of several members with one key the first counts, as in view::find.
template <class S, class M>
constexpr field_of<S, M> field(std::string_view key, M S::*member) {
  return {key, member, !is_optional<M>, is_optional<M>};
}
/// A member that may be absent when reading (it keeps its default) and is always written.
template <class S, class M>
constexpr field_of<S, M> always(std::string_view key, M S::*member) {
  return {key, member, false, false};
}
/// A member that may be absent when reading and is written only when it differs from a fresh one (containers: unless
/// both are empty), or when it came with the object that rest() keeps.
template <class S, class M>
constexpr field_of<S, M> defaulted(std::string_view key, M S::*member) {
  return {key, member, false, true};
}
/// The member that keeps the whole object as it came; what no other field names is written again from it.
template <class S>
struct raw_field {
  json::value S::*member;
};
template <class S>
constexpr raw_field<S> rest(json::value S::*member) {
  return {member};
}
/// A constant member, such as "type": "text": checked when reading, written first.
struct tag_field {
  std::string_view key, text;
};
constexpr tag_field tag(std::string_view key, std::string_view text) { return {key, text}; }

/// A field of another sort: any literal type with a key and its own way to read, and to write key and value.
template <class F, class S>
concept own_field = requires(F const& f, view v, S& out, S const& from, read_error& e, writer& w) {
  { f.key } -> std::convertible_to<std::string_view>;
  { f.required } -> std::convertible_to<bool>;
  { f.read(v, out, e) } -> std::same_as<bool>;
  f.write(w, from);
};

namespace detail {
template <std::size_t I, class F>
struct field_slot {
  F field;
};
// As std::tuple, at a fraction of its compile time.
template <class Indices, class... F>
struct field_slots;
template <std::size_t... I, class... F>
struct field_slots<std::index_sequence<I...>, F...> : field_slot<I, F>... {};
}  // namespace detail

/// The field list of a struct, for its describe().
template <class... F>
struct field_list : detail::field_slots<std::index_sequence_for<F...>, F...> {};
template <class... F>
constexpr field_list<F...> fields(F... f) {
  return {{{f}...}};
}

template <class T>
concept described = requires { describe(std::type_identity<T>{}); };
template <class T>
concept readable = requires(view v, T& t, read_error& e) {
  { codec<T>::read(v, t, e) } -> std::same_as<bool>;
};
template <class T>
concept writable = requires(writer& w, T const& t) { codec<T>::write(w, t); };

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/json/impl/fields.ipp>
#endif
