// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The append-only JSON writer. It places commas and escapes strings; what to write is the caller's decision.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/version.hpp>

namespace comcp::json {

class view;

namespace detail {
/// Appends `s` with quotes, escaped.
void append_string(std::string& out, std::string_view s);

/// The first growth takes what most messages need, so that there is no second one.
inline void make_room(std::string& out, std::size_t n) {
  auto const needed = out.size() + n;
  if (needed > out.capacity()) out.reserve(std::max({needed, 2 * out.capacity(), std::size_t{240}}));
}
}  // namespace detail

/// Writes minified JSON, which never contains a raw newline. Strings must be UTF-8: anything else throws
/// comcp::exception (errc::invalid_argument). Doubles are the shortest text that reads back equal; one that is
/// not finite becomes null.
class writer {
 public:
  writer() = default;
  /// Appends to `start`, whose capacity is used.
  explicit writer(std::string start) noexcept : out_(std::move(start)) {}

  writer& begin_object() { return open('{'); }
  writer& end_object() { return close('}'); }
  writer& begin_array() { return open('['); }
  writer& end_array() { return close(']'); }
  writer& key(std::string_view name);
  /// A key that is known to need no escaping.
  writer& plain_key(std::string_view name) {
    detail::make_room(out_, name.size() + 4);
    separate();
    out_ += '"';
    out_ += name;
    out_ += "\":";
    comma_ = false;
    return *this;
  }

  writer& null() { return token("null"); }
  writer& boolean(bool b) { return token(b ? "true" : "false"); }
  writer& integer(std::int64_t i);
  writer& unsigned_integer(std::uint64_t u);
  writer& real(double d);
  writer& string(std::string_view s);
  writer& value(view v);
  /// JSON text that is known to be valid and minified.
  writer& raw(std::string_view json) { return token(json); }

  [[nodiscard]] std::string const& text() const& noexcept { return out_; }
  [[nodiscard]] std::string text() && noexcept { return std::move(out_); }

 private:
  void separate() {
    if (comma_) out_ += ',';
    comma_ = true;
  }
  writer& open(char c) {
    separate();
    out_ += c;
    comma_ = false;
    return *this;
  }
  writer& close(char c) {
    out_ += c;
    comma_ = true;
    return *this;
  }
  writer& token(std::string_view t) {
    separate();
    out_ += t;
    return *this;
  }

  std::string out_;
  bool comma_ = false;
};

}  // namespace comcp::json

#include <comcp/json/value.hpp>  // here, because its definitions need the writer

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/json/impl/writer.ipp>
#endif
