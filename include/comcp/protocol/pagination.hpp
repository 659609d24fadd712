// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Pages of lists. A cursor is opaque; an empty one is a cursor too. Spec: server/utilities/pagination.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <comcp/protocol/codec.hpp>

namespace comcp {

/// Where a list continues, as the server said it.
using cursor = std::string;

/// The parameters of every */list request.
struct paginated_params {
  paginated_params() = default;
  explicit paginated_params(std::optional<comcp::cursor> from) : cursor(std::move(from)) {}

  std::optional<comcp::cursor> cursor;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<paginated_params>) {
  using t = paginated_params;
  return json::fields(json::field("cursor", &t::cursor), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Who may reuse a cached result. Anything but "public" counts as private. Spec: server/utilities/caching.
enum class cache_scope { private_, public_ };
constexpr auto texts(std::type_identity<cache_scope>) { return std::array<std::string_view, 2>{"private", "public"}; }

template <>
struct json::codec<cache_scope> {
  static bool read(view v, cache_scope& out, read_error&) {
    out = v.get_string() == "public" ? cache_scope::public_ : cache_scope::private_;
    return true;
  }
  static void write(writer& w, cache_scope scope) { w.string(enum_text(scope)); }
};

/// How long a result with this `ttl_ms` may be reused: not at all where it is absent or negative, a day at most.
constexpr std::chrono::milliseconds time_to_live(std::optional<std::int64_t> ttl_ms) noexcept {
  constexpr std::int64_t day = 24 * 60 * 60 * 1000;
  return std::chrono::milliseconds(std::clamp<std::int64_t>(ttl_ms.value_or(0), 0, day));
}

}  // namespace comcp
