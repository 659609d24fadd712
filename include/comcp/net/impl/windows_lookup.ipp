// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables, and what is found through them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/net/utf16.hpp>
#include <comcp/net/windows_command.hpp>

namespace comcp::net::windows {
namespace detail {

template <class Char>
Char upper(Char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<Char>(c - 'a' + 'A') : c;
}

COMCP_DECL bool same_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return upper(x) == upper(y); });
}

/// Windows keeps the current folders of drives as variables such as =C:.
template <class Text>
Text name_of(Text entry) {
  auto const end = entry.find('=', 1);
  return end == Text::npos ? Text() : entry.substr(0, end);
}

COMCP_DECL bool ends_with_extension(std::string_view path, std::string_view extension) noexcept {
  return path.size() > extension.size() && same_name(path.substr(path.size() - extension.size()), extension);
}

/// The pieces between semicolons, without quotation marks and blanks around them; none is empty.
COMCP_DECL std::vector<std::string> pieces(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    auto const end = std::min(list.find(';'), list.size());
    std::string piece(list.substr(0, end));
    std::erase(piece, '"');
    auto const first = piece.find_first_not_of(' ');
    if (first != std::string::npos) out.push_back(piece.substr(first, piece.find_last_not_of(' ') + 1 - first));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

/// PATHEXT's, in its order, that need no other program but cmd.exe.
COMCP_DECL std::vector<std::string> runnable_extensions(std::string_view pathext) {
  auto all = pieces(pathext.empty() ? ".COM;.EXE;.BAT;.CMD" : pathext);
  std::erase_if(all, [](std::string const& e) {
    constexpr std::array<std::string_view, 4> known{".com", ".exe", ".bat", ".cmd"};
    return std::none_of(known.begin(), known.end(), [&](std::string_view k) { return same_name(e, k); });
  });
  return all;
}

COMCP_DECL bool is_absolute(std::string_view path) noexcept {
  return path.starts_with('\\') || path.starts_with('/') || (path.size() > 1 && path[1] == ':');
}

COMCP_DECL std::string joined(std::string_view folder, std::string_view file) {
  std::string out(folder);
  if (!out.empty() && out.back() != '\\' && out.back() != '/') out.push_back('\\');
  return out.append(file);
}

/// The file itself where it has an extension, else with one of these.
COMCP_DECL std::optional<std::string> with_extension(std::string const& path, std::vector<std::string> const& extensions,
                                                     file_test const& is_file) {
  auto const name = path.find_last_of("\\/") + 1;  // npos + 1 is 0
  if (path.find('.', name) != std::string::npos && is_file(path)) return path;
  for (auto const& e : extensions) {
    if (is_file(path + e)) return path + e;
  }
  return std::nullopt;
}

}  // namespace detail

COMCP_DECL bool is_batch_file(std::string_view path) {
  auto const last = path.find_last_not_of(". ");
  path = path.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return detail::ends_with_extension(path, ".bat") || detail::ends_with_extension(path, ".cmd");
}

COMCP_DECL std::string_view value_of(variables const& all, std::string_view name) {
  auto const found = std::find_if(all.begin(), all.end(), [&](std::string_view e) {
    return !e.empty() && detail::same_name(detail::name_of(e), name);
  });
  return found == all.end() ? std::string_view() : std::string_view(*found).substr(name.size() + 1);
}

COMCP_DECL void set_variable(variables& all, std::string_view name, std::string_view value) {
  std::erase_if(all, [&](std::string_view e) { return !e.empty() && detail::same_name(detail::name_of(e), name); });
  all.push_back(std::string(name).append("=").append(value));
}

COMCP_DECL result<void> check_variables(std::vector<std::pair<std::string, std::string>> const& users) {
  for (std::size_t i = 0; i != users.size(); ++i) {
    auto const& [name, value] = users[i];
    bool const named = !name.empty() && name.find('=') == std::string::npos;
    if (named && net::detail::to_utf16(name) && net::detail::to_utf16(value)) continue;
    return error(errc::invalid_argument, "variable " + std::to_string(i + 1) + " of the environment " +
                                             (named ? "is no UTF-8" : "has no name, or one with a '='"));
  }
  return {};
}

COMCP_DECL std::u16string environment_block(variables const& all) {
  std::vector<std::u16string> entries;
  for (auto const& e : all) {
    if (e.find('\0') != std::string::npos || e.empty() || detail::name_of(std::string_view(e)).empty()) continue;
    if (auto wide = net::detail::to_utf16(e)) entries.push_back(*std::move(wide));
  }
  // Each name is there once. (Not stable_sort: clang warns of what libstdc++ 12 does there.)
  std::sort(entries.begin(), entries.end(), [](std::u16string_view a, std::u16string_view b) {
    auto const x = detail::name_of(a), y = detail::name_of(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), [](char16_t c, char16_t d) {
      return detail::upper(c) < detail::upper(d);
    });
  });
  std::u16string out;
  for (auto const& e : entries) out.append(e).push_back(u'\0');
  return out.append(entries.empty() ? 2 : 1, u'\0');
}

COMCP_DECL std::optional<std::string> find_command(std::string_view command, variables const& all,
                                                   std::string_view directory, file_test const& is_file) {
  auto const extensions = detail::runnable_extensions(value_of(all, "PATHEXT"));
  auto const from_there = [&](std::string_view path) {
    return detail::is_absolute(path) ? std::string(path) : detail::joined(directory, path);
  };
  if (command.find_first_of("\\/:") != std::string_view::npos) {
    return detail::with_extension(from_there(command), extensions, is_file);
  }
  for (auto const& folder : detail::pieces(value_of(all, "PATH"))) {
    auto const path = detail::joined(from_there(folder), command);
    if (auto found = detail::with_extension(path, extensions, is_file)) return found;
  }
  return std::nullopt;
}

}  // namespace comcp::net::windows
