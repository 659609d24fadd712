// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Identifiers that the other side chooses: request ids and progress tokens, which may be strings or integers.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include <comcp/json/describe.hpp>

namespace comcp {

/// A JSON-RPC id or progress token as it travels: a string or an integer, never converted.
class peer_id {
 public:
  peer_id() = default;
  peer_id(std::integral auto number) : value_(static_cast<std::int64_t>(number)) {}
  peer_id(std::string text) : value_(std::move(text)) {}
  peer_id(char const* text) : value_(std::string(text)) {}

  /// Null where it is the other kind.
  [[nodiscard]] std::int64_t const* integer() const noexcept { return std::get_if<std::int64_t>(&value_); }
  [[nodiscard]] std::string const* string() const noexcept { return std::get_if<std::string>(&value_); }
  /// For logs: the digits or the text.
  [[nodiscard]] std::string to_string() const { return integer() ? std::to_string(*integer()) : *string(); }

  friend bool operator==(peer_id const&, peer_id const&) = default;
  friend auto operator<=>(peer_id const&, peer_id const&) = default;

 private:
  std::variant<std::int64_t, std::string> value_;
};

using progress_token = peer_id;

template <>
struct json::codec<peer_id> {
  static bool read(view v, peer_id& out, read_error& e) {
    if (auto const i = v.get_int64()) return out = peer_id(*i), true;
    if (auto const s = v.get_string()) return out = peer_id(std::string(*s)), true;
    return e.expected(v, "a string or an integer");
  }
  static void write(writer& w, peer_id const& id) {
    if (auto const* const i = id.integer()) {
      w.integer(*i);
    } else {
      w.string(*id.string());
    }
  }
};

}  // namespace comcp
