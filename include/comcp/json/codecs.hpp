// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The codecs of the standard types and of described structs.
#pragma once

#include <array>

#include <comcp/json/describe.hpp>

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
    auto const s = v.get_string();
    if (!s) return e.expected(v, "string");
    return out.assign(*s), true;
  }
  static void write(writer& w, std::string const& s) { w.string(s); }
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
    out.clear();
    out.reserve(v.size());
    for (auto const element : v.elements()) {
      if (!codec<T>::read(element, out.emplace_back(), e)) return false;
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

namespace detail {

template <class S, class M>
bool read_member(field_of<S, M> const& f, std::string_view key, view v, S& out, read_error& e, bool& ok) {
  if (key != f.key) return false;
  if constexpr (!is_optional<M> && !std::same_as<M, value>) {
    if (!f.required && v.is_null()) return true;
  }
  ok = codec<M>::read(v, out.*f.member, e);
  return true;
}
template <class S>
bool read_member(tag_field const& f, std::string_view key, view v, S&, read_error& e, bool& ok) {
  if (key != f.key) return false;
  ok = v.get_string() == f.text || e.expected(v, "\"" + std::string(f.text) + "\"");
  return true;
}
template <class S>
bool read_member(raw_field<S> const&, std::string_view, view, S&, read_error&, bool&) {
  return false;
}

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

template <class S, own_field<S> F>
bool read_member(F const& f, std::string_view key, view v, S& out, read_error& e, bool& ok) {
  if (key != f.key) return false;
  ok = f.read(v, out, e);
  return true;
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
    if (!member.is_null()) return false;
    return !raw.find(f.key);
  } else {
    if constexpr (requires { member.empty(); } && !std::same_as<M, std::string>) {
      if (!member.empty() || !(fresh<T>().*f.member).empty()) return false;
    } else if constexpr (std::equality_comparable<M>) {
      if (!(member == fresh<T>().*f.member)) return false;
    } else {
      return false;
    }
    auto const came = raw.find(f.key);
    return !came || came->is_null();
  }
}

constexpr bool is_plain(std::string_view key) {
  for (char const c : key) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') return false;
  }
  return true;
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
template <class T>
void write_member(writer&, T const&, raw_field<T> const&, view) {}
template <class T, own_field<T> F>
void write_member(writer& w, T const& from, F const& f, view) {
  f.write(w, from);
}

template <class T, class F>
view raw_of(T const& from, view other, F const& f) {
  if constexpr (std::same_as<F, raw_field<T>>) return from.*f.member;
  return other;
}

template <class T, class Fields>
void write_rest(writer& w, value const& raw, Fields const& list) {
  for (auto const m : raw.members()) {
    bool const known = std::apply([&](auto const&... f) { return ((key_of(f) == m.key) || ...); }, list);
    if (!known) w.key(m.key).value(m.value);
  }
}

}  // namespace detail

template <described T>
struct codec<T> {
  static constexpr auto list = describe(std::type_identity<T>{});
  static constexpr std::size_t count = std::tuple_size_v<decltype(list)>;
  static_assert(count <= 64, "comcp: a described struct has at most 64 fields");
  static_assert(std::apply([](auto const&... f) { return (detail::is_plain(detail::key_of(f)) && ...); }, list),
                "comcp: the key of a described field must need no escaping");

  static bool read(view v, T& out, read_error& e) {
    if (!v.is_object()) return e.expected(v, "object");
    std::uint64_t seen = 0;
    for (auto const m : v.members()) {
      if (!read_one(m, out, e, seen, std::make_index_sequence<count>())) return false;
    }
    return check(v, out, e, seen, std::make_index_sequence<count>());
  }

  static void write(writer& w, T const& from) {
    view raw;
    std::apply([&](auto const&... f) { ((raw = detail::raw_of(from, raw, f)), ...); }, list);
    w.begin_object();
    std::apply([&](auto const&... f) { (detail::write_member(w, from, f, raw), ...); }, list);
    std::apply([&](auto const&... f) { (write_raw(w, from, f), ...); }, list);
    w.end_object();
  }

 private:
  template <std::size_t... I>
  static bool read_one(member const& m, T& out, read_error& e, std::uint64_t& seen, std::index_sequence<I...>) {
    bool ok = true;
    (void)((seen >> I & 1 ? detail::key_of(std::get<I>(list)) == m.key
                          : detail::read_member(std::get<I>(list), m.key, m.value, out, e, ok) &&
                                (seen |= std::uint64_t{1} << I)) ||
           ...);
    return ok;
  }

  template <std::size_t... I>
  static bool check(view v, T& out, read_error& e, std::uint64_t seen, std::index_sequence<I...>) {
    (keep_raw(v, out, std::get<I>(list)), ...);
    return ((!detail::is_required(std::get<I>(list)) || (seen >> I & 1) ||
             e.missing(v, detail::key_of(std::get<I>(list)))) &&
            ...);
  }

  template <class F>
  static void keep_raw(view v, T& out, F const& f) {
    if constexpr (std::same_as<F, raw_field<T>>) out.*f.member = v.share();
  }
  template <class F>
  static void write_raw(writer& w, T const& from, F const& f) {
    if constexpr (std::same_as<F, raw_field<T>>) detail::write_rest<T>(w, from.*f.member, list);
  }
};

/// The keys that T's field list names, in its order.
template <described T>
constexpr auto keys() {
  return std::apply(
      [](auto const&... f) { return std::array<std::string_view, sizeof...(f)>{detail::key_of(f)...}; },
      describe(std::type_identity<T>{}));
}

}  // namespace comcp::json
