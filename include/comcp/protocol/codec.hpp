// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How protocol types become JSON where json::field is not enough: members that must be objects, capability flags
// ("there or not"), enumerations by their texts, lists that outlive a broken definition; and equality by JSON.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <comcp/json/describe.hpp>

namespace comcp {

/// A definition of a list that could not be read: the rest of the list was delivered without it.
struct set_aside {
  set_aside() = default;

  std::size_t index = 0;  ///< Where it stood in its page.
  std::string reason;     ///< What is wrong with it, and where in it.
  json::value raw;        ///< The definition as it came.

  friend bool operator==(set_aside const&, set_aside const&) = default;
};

/// A described type that keeps what it was read from.
template <class T>
concept protocol_type = json::described<T> && requires(T& t) {
  { (t.raw) } -> std::same_as<json::value&>;
};

/// Protocol types are equal when they write equal JSON. For tests and rare decisions: it writes and parses both.
template <protocol_type T>
bool operator==(T const& a, T const& b) {
  return json::to_value(a) == json::to_value(b);
}

/// An enumeration whose enumerators 0, 1, 2, ... have texts: `constexpr auto texts(std::type_identity<E>)`.
template <class E>
concept text_enum = std::is_enum_v<E> && requires {
  texts(std::type_identity<E>{});
};

/// The protocol's text of an enumerator.
template <text_enum E>
constexpr std::string_view enum_text(E e) {
  constexpr auto all = texts(std::type_identity<E>{});
  auto const i = static_cast<std::size_t>(e);
  return i < all.size() ? all[i] : std::string_view();
}

/// The enumerator with this text.
template <text_enum E>
constexpr std::optional<E> enum_from_text(std::string_view text) {
  constexpr auto all = texts(std::type_identity<E>{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == text) return static_cast<E>(i);
  }
  return {};
}

namespace detail {

/// A json::value member that must hold an object when it is there; null means absent.
template <class S>
struct object_field {
  std::string_view key;
  json::value S::*member;
  bool required;

  bool read(json::view v, S& out, json::read_error& e) const {
    if (v.is_null() && !required) return true;
    if (!v.is_object()) return e.expected(v, "object");
    return out.*member = v.share(), true;
  }
  void write(json::writer& w, S const& from) const {
    auto const& v = from.*member;
    if (!v.is_null()) {
      w.plain_key(key).value(v);
    } else if (required) {
      w.plain_key(key).raw("{}");
    }
  }
};

/// A flag that is true when the key is there. What the peer put behind it is kept in the raw value.
template <class S>
struct presence_field {
  std::string_view key;
  bool S::*member;
  json::value S::*raw;
  static constexpr bool required = false;

  bool read(json::view v, S& out, json::read_error&) const { return out.*member = !v.is_null(), true; }
  void write(json::writer& w, S const& from) const {
    if (!(from.*member)) return;
    w.plain_key(key);
    json::view const whole = from.*raw;
    auto const came = whole.find(key);
    if (came && !came->is_null()) {
      w.value(*came);
    } else {
      w.raw("{}");
    }
  }
};

/// In the place of a definition that could not be parsed: an object with the reason, and its name where that is known.
inline constexpr std::string_view unreadable_key = "comcp/unreadable";

/// A list of definitions; a broken one goes into `aside`, and is written again where it stood. So does one in which an
/// object has a key twice: what was approved, shown or checked might not be what another reader of it sees.
template <class S, class T>
struct definitions_field {
  std::string_view key;
  std::vector<T> S::*items;
  std::vector<set_aside> S::*aside;
  static constexpr bool required = true;

  bool read(json::view v, S& out, json::read_error& e) const {
    if (!v.is_array()) return e.expected(v, "array");
    auto& list = out.*items;
    list.clear();
    list.reserve(v.size());
    std::size_t index = 0;
    for (auto const element : v.elements()) {
      json::read_error why(element);
      auto const unreadable = element.find(unreadable_key);
      bool const usable = !unreadable && json::unique_keys(element, why);
      if (!usable || !json::codec<T>::read(element, list.emplace_back(), why)) {
        if (usable) list.pop_back();
        auto& broken = (out.*aside).emplace_back();
        broken.index = index;
        broken.reason = unreadable ? std::string(unreadable->get_string().value_or("")) : why.text();
        broken.raw = element.share();
      }
      ++index;
    }
    return true;
  }

  void write(json::writer& w, S const& from) const {
    w.plain_key(key).begin_array();
    std::size_t index = 0;
    auto broken = (from.*aside).begin();
    auto const write_broken = [&] {
      for (; broken != (from.*aside).end() && broken->index <= index; ++broken, ++index) w.value(broken->raw);
    };
    for (auto const& item : from.*items) {
      write_broken();
      json::codec<T>::write(w, item);
      ++index;
    }
    for (; broken != (from.*aside).end(); ++broken) w.value(broken->raw);
    w.end_array();
  }
};

template <class S>
constexpr object_field<S> object(std::string_view key, json::value S::*member) {
  return {key, member, true};
}
template <class S>
constexpr object_field<S> optional_object(std::string_view key, json::value S::*member) {
  return {key, member, false};
}
template <class S>
constexpr object_field<S> meta_of(json::value S::*member) {
  return {"_meta", member, false};
}
template <class S>
constexpr presence_field<S> presence(std::string_view key, bool S::*member) {
  return {key, member, &S::raw};
}
template <class S, class T>
constexpr definitions_field<S, T> definitions(std::string_view key, std::vector<T> S::*items) {
  return {key, items, &S::set_aside};
}

}  // namespace detail

namespace json {

template <text_enum E>
struct codec<E> {
  static bool read(view v, E& out, read_error& e) {
    auto const text = v.get_string();
    auto const known = text ? enum_from_text<E>(*text) : std::nullopt;
    if (!known) return e.expected(v, expectation());
    return out = *known, true;
  }
  static void write(writer& w, E e) { w.string(enum_text(e)); }

 private:
  static std::string expectation() {
    std::string all = "one of";
    for (auto const text : texts(std::type_identity<E>{})) all.append(" \"").append(text).append("\"");
    return all;
  }
};

}  // namespace json
}  // namespace comcp
