// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How arguments are quoted: twice over, since programs read them one way and cmd.exe another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/net/utf16.hpp>
#include <comcp/net/windows_command.hpp>

namespace comcp::net::windows {
namespace detail {

/// Never the text of it, which may be a secret.
COMCP_DECL error refused(std::size_t position, std::string const& why) {
  std::string const which = position == 0 ? "the command" : "argument " + std::to_string(position);
  return {errc::invalid_argument, which + " " + why};
}

COMCP_DECL std::optional<error> unusable(std::size_t position, std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return refused(position, "has a NUL");
  if (!net::detail::to_utf16(text)) return refused(position, "is no UTF-8");
  return std::nullopt;
}

COMCP_DECL result<std::u16string> bounded(std::string const& line, std::size_t most) {
  auto out = net::detail::to_utf16(line).value_or(std::u16string());
  if (out.size() <= most) return out;
  return error(errc::invalid_argument, "the command and its arguments are longer than Windows takes: " +
                                           std::to_string(out.size()) + " units, " + std::to_string(most) + " at most");
}

/// `n` backslashes: before a quotation mark two stand for one.
COMCP_DECL void double_backslashes_at_end(std::string& text) {
  auto const last = text.find_last_not_of('\\');
  text.append(text.size() - (last == std::string::npos ? 0 : last + 1), '\\');
}

COMCP_DECL bool plain_for_cmd(char c) noexcept {
  bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view("#$*+-./:?@\\_").find(c) != std::string_view::npos;
}

/// For cmd.exe, and for the program that a batch file hands it on to; nothing where no quotation would keep it whole.
COMCP_DECL std::optional<std::string> quoted_for_cmd(std::string_view text) {
  bool const hopeless = std::any_of(text.begin(), text.end(), [](char c) {
    return c == '"' || c == '%' || c == '!' || (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
  });
  if (hopeless) return std::nullopt;
  std::string out(text);
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain_for_cmd)) return out;
  double_backslashes_at_end(out);
  return '"' + out + '"';
}

}  // namespace detail

COMCP_DECL std::string quoted_argument(std::string_view argument) {
  if (!argument.empty() && argument.find_first_of(" \t\n\v\"") == std::string_view::npos) return std::string(argument);
  std::string out(1, '"');
  for (char const c : argument) {
    if (c == '"') {  // backslashes count only before one
      detail::double_backslashes_at_end(out);
      out.push_back('\\');
    }
    out.push_back(c);
  }
  detail::double_backslashes_at_end(out);
  out.push_back('"');
  return out;
}

COMCP_DECL result<std::u16string> command_line(std::vector<std::string> const& argv) {
  std::string line;
  for (std::size_t i = 0; i != argv.size(); ++i) {
    if (auto why = detail::unusable(i, argv[i])) return *std::move(why);
    if (i != 0) {
      line.append(" ").append(quoted_argument(argv[i]));
    } else if (argv[i].find('"') != std::string::npos) {  // the first ends at the next one, whatever is before it
      return detail::refused(i, "has a quotation mark");
    } else {
      line.append("\"").append(argv[i]).append("\"");
    }
  }
  return detail::bounded(line, longest_command_line);
}

COMCP_DECL result<std::u16string> batch_line(std::string_view cmd, std::string_view script,
                                             std::vector<std::string> const& argv) {
  // /s: the outer two quotation marks are taken off and nothing else; no AutoRun, no delayed expansion.
  std::string line;
  line.append("\"").append(cmd).append("\" /d /e:on /v:off /s /c \"");
  for (std::size_t i = 0; i != std::max<std::size_t>(argv.size(), 1); ++i) {
    std::string_view const text = i == 0 ? script : std::string_view(argv[i]);
    if (auto why = detail::unusable(i, text)) return *std::move(why);
    auto const safe = detail::quoted_for_cmd(text);
    if (!safe) {
      return detail::refused(i, "has a character that cannot be given to a batch file safely (\", %, ! or a control)");
    }
    if (i != 0) line.push_back(' ');
    // A name alone may be one of cmd.exe's own commands; in quotation marks it never is.
    line.append(i == 0 && !safe->starts_with('"') ? '"' + *safe + '"' : *safe);
  }
  return detail::bounded(line.append("\""), longest_cmd_line);
}

}  // namespace comcp::net::windows
