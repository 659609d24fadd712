// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Building JSON to send: fragment (owned, valid text), args(...), the object and array builders, raw(text).
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <comcp/json/describe.hpp>

namespace comcp::json {
namespace detail {
template <class T>
concept nlohmann_like = requires { typename T::json_pointer; };
template <class T>
concept text_like = std::convertible_to<T const&, std::string_view> && !nlohmann_like<T>;
}  // namespace detail

/// Owned JSON text that is known to be valid and minified: what operations take as arguments. A default
/// constructed one is absent (empty). Made by args(), object, array, raw() or of().
class fragment {
 public:
  fragment() = default;
  /// Any described struct, map, json::value, ... that writes as JSON.
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, fragment> && std::is_class_v<T> && writable<T> &&
             !detail::text_like<T>)
  fragment(T const& value) : text_(to_text(value)) {}
  template <detail::text_like T>
  fragment(T const&) = delete;  // comcp: JSON in a text is json::raw(text), a JSON string json::fragment::of(text)
  template <detail::nlohmann_like T>
    requires(!writable<T>)
  fragment(T const&) = delete;  // comcp: for nlohmann::json, #include <comcp/json/nlohmann.hpp>

  template <writable T>
  static fragment of(T const& value) {
    return trusted(to_text(value));
  }
  /// Precondition: `text` is valid, minified JSON.
  static fragment trusted(std::string text) {
    fragment f;
    f.text_ = std::move(text);
    return f;
  }

  [[nodiscard]] std::string const& text() const& noexcept { return text_; }
  [[nodiscard]] std::string text() && noexcept { return std::move(text_); }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

 private:
  std::string text_;
};

template <>
struct codec<fragment> {
  static void write(writer& w, fragment const& f) {
    if (f.empty()) {
      w.null();
    } else {
      w.raw(f.text());
    }
  }
};

/// An object built member by member. Setting a key twice is the caller's mistake: both are written.
class object {
 public:
  object() { w_.begin_object(); }
  template <writable T>
  object& set(std::string_view key, T const& value) {
    w_.key(key);
    codec<T>::write(w_, value);
    return *this;
  }
  operator fragment() const { return fragment::trusted(w_.text() + "}"); }
  [[nodiscard]] std::string text() const { return w_.text() + "}"; }

 private:
  writer w_;
};

/// An array built element by element.
class array {
 public:
  array() { w_.begin_array(); }
  template <writable T>
  array& add(T const& value) {
    codec<T>::write(w_, value);
    return *this;
  }
  operator fragment() const { return fragment::trusted(w_.text() + "]"); }
  [[nodiscard]] std::string text() const { return w_.text() + "]"; }

 private:
  writer w_;
};

template <>
struct codec<object> {
  static void write(writer& w, object const& o) { w.raw(o.text()); }
};
template <>
struct codec<array> {
  static void write(writer& w, array const& a) { w.raw(a.text()); }
};

/// JSON text from elsewhere, such as the arguments that a language model wrote: validated and minified, so
/// that it can never break the framing. Throws comcp::exception (invalid_json, limit_exceeded).
fragment raw(std::string_view text, parse_options const& options = {});

namespace detail {
template <class T>
concept key = std::convertible_to<T const&, std::string_view>;

inline void write_pairs(writer&) {}
template <class K, class V, class... Rest>
void write_pairs(writer& w, K const& name, V const& value, Rest const&... more) {
  static_assert(key<K>, "comcp: args() takes a key, a value, a key, a value, ...: this key is no string");
  static_assert(writable<V>, "comcp: args(): this value cannot be written as JSON; describe its type");
  w.key(std::string_view(name));
  codec<V>::write(w, value);
  write_pairs(w, more...);
}
}  // namespace detail

/// An object from keys and values: args("a", 2, "b", "text").
template <class... A>
fragment args(A const&... keys_and_values) {
  static_assert(sizeof...(A) % 2 == 0, "comcp: args() takes a value for each key");
  std::string room;
  room.reserve(32 * sizeof...(A));
  writer w(std::move(room));
  w.begin_object();
  detail::write_pairs(w, keys_and_values...);
  w.end_object();
  return fragment::trusted(std::move(w).text());
}

}  // namespace comcp::json

namespace comcp {
using json::args;
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/json/impl/build.ipp>
#endif
