// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// application/x-www-form-urlencoded, in which OAuth speaks: bodies, queries and redirects. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/http/message.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// Fields in the order in which they were added. Regular. Its values may be secrets: text() is for the wire alone.
class form_fields {
 public:
  form_fields() = default;

  /// What a body or a query (without its question mark) says. Malformed escapes and more than 256 fields are
  /// errc::invalid_argument; the error quotes nothing.
  static result<form_fields> parse(std::string_view text);

  form_fields& add(std::string_view name, std::string_view value);
  form_fields& set(std::string_view name, std::string_view value);

  /// The value of that name; null where there is none.
  [[nodiscard]] std::string const* find(std::string_view name) const noexcept;
  [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
  [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
  [[nodiscard]] auto end() const noexcept { return fields_.end(); }
  /// As it goes over the wire: "a=1&b=x+y".
  [[nodiscard]] std::string text() const;

  friend bool operator==(form_fields const&, form_fields const&) = default;

 private:
  std::vector<http_field> fields_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/form.ipp>
#endif
