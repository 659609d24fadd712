// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How C++ types become JSON and back. One field list per struct serves both directions:
//
//   struct point { int x = 0; std::optional<int> y; };
//   constexpr auto describe(std::type_identity<point>) {
//     return comcp::json::fields(comcp::json::field("x", &point::x), comcp::json::field("y", &point::y));
//   }
//
// Types of other shapes specialise json::codec.
#pragma once

#include <limits>
#include <string>
#include <utility>

#include <comcp/json/codecs.hpp>
#include <comcp/json/value.hpp>
#include <comcp/json/writer.hpp>

namespace comcp::json {

/// Decodes a T out of a part of a document. Errors: wrong_shape, with the path.
template <readable T>
result<T> read(view from) {
  T out{};
  read_error e;
  if (!codec<T>::read(from, out, e)) return e.to_error();
  return out;
}

/// Encodes a value. Throws comcp::exception (invalid_argument) for strings that are not UTF-8.
template <writable T>
void write(writer& w, T const& value) {
  codec<T>::write(w, value);
}

template <writable T>
std::string to_text(T const& value) {
  writer w;
  codec<T>::write(w, value);
  return std::move(w).text();
}

/// Any writable as a json::value.
template <writable T>
value to_value(T const& from) {
  auto text = to_text(from);
  constexpr auto any = std::numeric_limits<std::size_t>::max();
  return parse(pad(text), parse_options().max_bytes(any).max_nodes(any).max_depth(any)).value();
}

template <class T>
result<T> value::get() const {
  static_assert(readable<T>, "comcp: describe this type for JSON, or specialise comcp::json::codec for it");
  return read<T>(view());
}

}  // namespace comcp::json
