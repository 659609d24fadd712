// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// URI templates (RFC 6570, all four levels): what resource templates are made of. Parsing finds every fault of
// the template; expanding finds values that do not fit it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// A parsed template. Immutable after parsing; safe to use from any thread.
class uri_template {
 public:
  /// Errors: invalid_argument, with the offset of the fault. Literal characters that no URI may hold (a space,
  /// say) are percent-encoded rather than refused.
  static result<uri_template> parse(std::string_view text);

  /// The names of the variables, each once, in the order of their first use.
  [[nodiscard]] std::vector<std::string> const& variables() const noexcept { return variables_; }
  [[nodiscard]] std::string const& text() const noexcept { return text_; }

  /// The URI for these variables: an object whose members are strings, numbers, booleans, arrays or objects of
  /// such. Absent and null members are undefined and leave no trace. Members that the template does not name are
  /// ignored. Errors: invalid_argument (not an object, nested too deep, a prefix of a list or object).
  [[nodiscard]] result<std::string> expand(json::view variables) const;
  [[nodiscard]] result<std::string> expand(json::value const& variables) const { return expand(variables.view()); }
  /// expand(args("id", 7)), or any described struct. An absent fragment has no variables.
  [[nodiscard]] result<std::string> expand(json::fragment const& variables) const;

 private:
  struct variable {
    std::string name;
    std::size_t prefix = 0;  // characters to keep; 0 is all
    bool explode = false;
  };
  struct part {  // literal text where `variables` is empty
    std::string literal;
    char op = 0;
    std::vector<variable> variables;
  };
  struct operators;

  result<void> parse_expression(std::string_view text, std::size_t offset);
  static result<void> expand_part(part const& p, json::view variables, std::string& out);

  std::string text_;
  std::vector<part> parts_;
  std::vector<std::string> variables_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/uri_template.ipp>
#endif
