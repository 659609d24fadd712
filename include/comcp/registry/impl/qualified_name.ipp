// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/registry/qualified_name.hpp>

namespace comcp {

COMCP_DECL std::string qualified_name(std::string_view server, std::string_view tool, std::string_view separator) {
  std::string name;
  name.reserve(server.size() + separator.size() + tool.size());
  return name.append(server).append(separator).append(tool);
}

COMCP_DECL result<std::pair<std::string, std::string>> split_name(std::string_view name, std::string_view separator) {
  if (separator.empty()) return error(errc::invalid_argument, "a separator is never empty");
  auto const at = name.find(separator);
  if (at == name.npos)
    return error(errc::no_separator, std::string(name) + " has no \"" + std::string(separator) + "\" in it");
  auto const server = name.substr(0, at);
  auto const tool = name.substr(at + separator.size());
  if (server.empty() || tool.empty())
    return error(errc::invalid_argument, std::string(name) + " lacks the name of a server or of a tool");
  return std::pair<std::string, std::string>(server, tool);
}

COMCP_DECL result<void> check_server_name(std::string_view name, std::string_view separator) {
  auto const is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (name.empty()) return error(errc::invalid_argument, "a server's name is never empty");
  if (name.size() > longest_server_name) return error(errc::invalid_argument, "a server's name has at most 128 bytes");
  if (std::any_of(name.begin(), name.end(), is_control))
    return error(errc::invalid_argument, "a server's name has no control characters");
  // Nor may it begin one with the separator that follows it: "a:" with "::" would be taken apart as "a" and ":...".
  if (!separator.empty() && qualified_name(name, "", separator).find(separator) != name.size())
    return error(errc::invalid_argument, "a server's name has no \"" + std::string(separator) + "\" in it: " + std::string(name));
  return {};
}

}  // namespace comcp
