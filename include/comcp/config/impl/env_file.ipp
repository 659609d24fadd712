// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/config/expand.hpp>

namespace comcp {
namespace detail {

inline std::string_view trimmed_blanks(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r";
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Nothing where the quotation mark does not end, or is followed by something.
inline std::optional<std::string> env_file_value(std::string_view text) {
  char const quote = text.empty() ? '\0' : text.front();
  if (quote != '"' && quote != '\'') {
    auto const comment = std::min(text.find(" #"), text.find("\t#"));
    return std::string(trimmed_blanks(text.substr(0, comment)));
  }
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) {
      auto const rest = trimmed_blanks(text.substr(i + 1));
      return rest.empty() || rest.front() == '#' ? std::optional(out) : std::nullopt;
    }
    bool const escape = quote == '"' && text[i] == '\\' && i + 1 < text.size();
    if (escape && text[i + 1] == 'n') {
      out += '\n', ++i;
    } else if (escape && std::string_view("\"\\$").find(text[i + 1]) != std::string_view::npos) {
      out += text[++i];
    } else {
      out += text[i];
    }
  }
  return {};
}

}  // namespace detail

COMCP_DECL result<std::vector<std::pair<std::string, std::string>>> parse_env_file(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::size_t number = 1; !text.empty(); ++number) {
    auto const end = std::min(text.find('\n'), text.size());
    auto line = detail::trimmed_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("export ")) line = detail::trimmed_blanks(line.substr(7));
    auto const equals = line.find('=');
    auto const name = detail::trimmed_blanks(line.substr(0, equals));
    auto const where = "line " + std::to_string(number) + ": ";
    if (equals == std::string_view::npos || name.empty() || name.find_first_of(" \t") != std::string_view::npos)
      return error(errc::invalid_argument, where + "not NAME=value");
    auto value = detail::env_file_value(detail::trimmed_blanks(line.substr(equals + 1)));
    if (!value) return error(errc::invalid_argument, where + "a quotation mark that does not end the value");
    all.emplace_back(name, std::move(*value));
  }
  return all;
}

}  // namespace comcp
