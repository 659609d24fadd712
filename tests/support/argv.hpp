// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How programs on Windows read their command line: by Microsoft's rules, written here a second time, and there by
// CommandLineToArgvW itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/net/utf16.hpp>

#if defined(_WIN32)
#include <comcp/net/pipe_end.hpp>  // Asio comes before windows.h

#include <windows.h>

#include <shellapi.h>
#endif

namespace comcp_test {

/// By the rules of CommandLineToArgvW: the first ends at its second quotation mark, or at a blank; in others 2n
/// backslashes before a quotation mark are n and it counts, 2n+1 are n and it is a character, and the second of two inside
/// quotation marks is a character that ends them.
inline std::vector<std::string> split_command_line(std::u16string_view line) {
  std::vector<std::string> out;
  auto const add = [&](std::u16string const& text) { out.push_back(comcp::net::detail::to_utf8(text).value()); };
  auto const blank = [](char16_t c) { return c == u' ' || c == u'\t'; };
  std::size_t at = 0;
  if (line.starts_with(u'"')) {
    auto const end = line.find(u'"', 1);
    add(std::u16string(line.substr(1, end - 1)));
    at = end + 1;
  } else {
    while (at != line.size() && line[at] > u' ') ++at;
    add(std::u16string(line.substr(0, at)));
  }
  for (;;) {
    while (at < line.size() && blank(line[at])) ++at;
    if (at >= line.size()) return out;
    std::u16string text;
    bool quoted = false;
    for (; at != line.size() && (quoted || !blank(line[at])); ++at) {
      std::size_t slashes = 0;
      while (at != line.size() && line[at] == u'\\') ++slashes, ++at;
      bool const mark = at != line.size() && line[at] == u'"';
      text.append(mark ? slashes / 2 : slashes, u'\\');
      if (mark && slashes % 2 != 0) {
        text.push_back(u'"');
      } else if (mark) {
        bool const two = quoted && at + 1 != line.size() && line[at + 1] == u'"';
        if (two) text.push_back(u'"'), ++at;
        quoted = !quoted;
      } else if (slashes != 0) {
        --at;  // what comes behind them is looked at anew
      } else {
        text.push_back(line[at]);
      }
    }
    add(text);
  }
}

#if defined(_WIN32)
inline std::vector<std::string> real_command_line_to_argv(std::u16string_view line) {
  int count = 0;
  wchar_t** const argv = ::CommandLineToArgvW(std::wstring(line.begin(), line.end()).c_str(), &count);
  std::vector<std::string> out;
  for (int i = 0; i != count; ++i) {
    std::wstring_view const text(argv[i]);
    out.push_back(comcp::net::detail::to_utf8(std::u16string(text.begin(), text.end())).value());
  }
  ::LocalFree(argv);
  return out;
}
#endif

}  // namespace comcp_test
