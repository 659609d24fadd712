// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The codecs of the standard types and of described structs.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <comcp/json/field_table.hpp>

namespace comcp::json {

template <>
struct codec<bool> {
  static bool read(view v, bool& out, read_error& e) {
    auto const b = v.get_bool();
    if (!b) return e.expected(v, "boolean");
    return out = *b, true;
  }
  static void write(writer& w, bool b) { w.boolean(b); }
};

template <class T>
  requires(std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>)
struct codec<T> {
  static bool read(view v, T& out, read_error& e) {
    if constexpr (std::signed_integral<T>) {
      auto const i = v.get_int64();
      if (!i || *i < std::numeric_limits<T>::min() || *i > std::numeric_limits<T>::max())
        return e.expected(v, "an integer that fits");
      out = static_cast<T>(*i);
    } else {
      auto const u = v.get_uint64();
      if (!u || *u > std::numeric_limits<T>::max()) return e.expected(v, "a non-negative integer that fits");
      out = static_cast<T>(*u);
    }
    return true;
  }
  static void write(writer& w, T i) {
    if constexpr (std::signed_integral<T>) {
      w.integer(i);
    } else {
      w.unsigned_integer(i);
    }
  }
};

template <std::floating_point T>
struct codec<T> {
  static bool read(view v, T& out, read_error& e) {
    auto const d = v.get_double();
    if (!d) return e.expected(v, "number");
    return out = static_cast<T>(*d), true;
  }
  static void write(writer& w, T d) { w.real(static_cast<double>(d)); }
};

template <>
struct codec<std::string> {
  static bool read(view v, std::string& out, read_error& e) {
    return detail::copy_string(v, out) || e.expected(v, "string");
  }
  static void write(writer& w, std::string const& s) { w.string(s); }
};
template <>
struct codec<owned_text> {
  static void write(writer& w, owned_text const& s) { w.string(s); }
};

template <>
struct codec<std::string_view> {
  static void write(writer& w, std::string_view s) { w.string(s); }
};
template <>
struct codec<char const*> {
  static void write(writer& w, char const* s) { w.string(s); }
};
template <std::size_t N>
struct codec<char[N]> {
  static void write(writer& w, char const (&s)[N]) { w.string(s); }
};
template <>
struct codec<std::nullptr_t> {
  static void write(writer& w, std::nullptr_t) { w.null(); }
};

template <>
struct codec<value> {
  static bool read(view v, value& out, read_error&) { return out = v.share(), true; }
  static void write(writer& w, value const& v) { w.value(v); }
};
template <>
struct codec<view> {
  static void write(writer& w, view v) { w.value(v); }
};

template <class T>
struct codec<std::optional<T>> {
  static bool read(view v, std::optional<T>& out, read_error& e)
    requires readable<T>
  {
    if constexpr (!std::same_as<T, value>) {
      if (v.is_null()) return out.reset(), true;
    }
    return codec<T>::read(v, out.emplace(), e);
  }
  static void write(writer& w, std::optional<T> const& o)
    requires writable<T>
  {
    if (o) {
      codec<T>::write(w, *o);
    } else {
      w.null();
    }
  }
};

template <class T>
struct codec<std::vector<T>> {
  static bool read(view v, std::vector<T>& out, read_error& e)
    requires readable<T>
  {
    if (!v.is_array()) return e.expected(v, "array");
    out = std::vector<T>(v.size());  // much less code than growing
    auto next = out.begin();
    for (auto const element : v.elements()) {
      if (!codec<T>::read(element, *next++, e)) return false;
    }
    return true;
  }
  static void write(writer& w, std::vector<T> const& list)
    requires writable<T>
  {
    w.begin_array();
    for (auto const& element : list) codec<T>::write(w, element);
    w.end_array();
  }
};

template <>
struct codec<std::vector<bool>> {
  static bool read(view v, std::vector<bool>& out, read_error& e) {
    if (!v.is_array()) return e.expected(v, "array");
    out.clear();
    for (auto const element : v.elements()) {
      bool b = false;
      if (!codec<bool>::read(element, b, e)) return false;
      out.push_back(b);
    }
    return true;
  }
  static void write(writer& w, std::vector<bool> const& list) {
    w.begin_array();
    for (bool const b : list) w.boolean(b);
    w.end_array();
  }
};

namespace detail {
template <class Map>
struct map_codec {
  using T = typename Map::mapped_type;
  static bool read(view v, Map& out, read_error& e)
    requires readable<T>
  {
    if (!v.is_object()) return e.expected(v, "object");
    out.clear();
    for (auto const m : v.members()) {
      auto const [place, added] = out.try_emplace(std::string(m.key));
      if (added && !codec<T>::read(m.value, place->second, e)) return false;
    }
    return true;
  }
  static void write(writer& w, Map const& map)
    requires writable<T>
  {
    w.begin_object();
    for (auto const& [key, mapped] : map) {
      w.key(key);
      codec<T>::write(w, mapped);
    }
    w.end_object();
  }
};
}  // namespace detail

template <class T, class C>
struct codec<std::map<std::string, T, C>> : detail::map_codec<std::map<std::string, T, C>> {};
template <class T>
struct codec<std::unordered_map<std::string, T>> : detail::map_codec<std::unordered_map<std::string, T>> {};

template <described T>
struct codec<T> {
  static bool read(view v, T& out, read_error& e) {
    if constexpr (detail::has_raw(detail::fields_of<T>)) {
      return detail::read_fields(detail::read_list_of<T>, &detail::raw_to_read<T>, v, &out, e);
    } else {
      return detail::read_fields(detail::read_list_of<T>, nullptr, v, &out, e);
    }
  }
  static void write(writer& w, T const& from) {
    if constexpr (detail::has_raw(detail::fields_of<T>)) {
      detail::write_fields(detail::write_table<T>, &detail::raw_to_write<T>, w, &from);
    } else {
      detail::write_fields(detail::write_table<T>, nullptr, w, &from);
    }
  }
};

/// The keys that T's field list names, in its order.
template <described T>
constexpr auto keys() {
  return detail::keys_of(detail::fields_of<T>);
}

}  // namespace comcp::json
