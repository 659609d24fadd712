// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include <comcp/config/configured_server.hpp>
#include <comcp/json/build.hpp>
#include <comcp/trace/record.hpp>

namespace comcp {
namespace detail {

// Without the user of a URL, its query and its fragment.
inline std::string shown_url(std::string_view url) {
  std::string out(url.substr(0, url.find_first_of("?#")));
  if (out.size() < url.size()) out.append(1, url[out.size()]).append("***");
  auto const begin = out.find("://");
  if (begin == std::string::npos) return out;
  auto const end = std::min(out.find('/', begin + 3), out.size());
  auto const at = out.rfind('@', end);
  if (at != std::string::npos && at > begin) out.replace(begin + 3, at - begin - 3, "***");
  return out;
}

// Credentials, NAME=value and the like as in traces; "Name: value" of a header; the default of a secret variable.
inline std::string shown_argument(std::string_view argument) {
  if (auto const colon = argument.find(": ");
      colon != std::string_view::npos && is_secret_key(argument.substr(0, colon)))
    return std::string(argument.substr(0, colon)) + ": ***";
  std::string text(argument);
  for (auto at = text.find("${"); at != std::string::npos; at = text.find("${", at + 2)) {
    auto const end = text.find('}', at), middle = text.find(":-", at);
    if (end == std::string::npos || middle > end) continue;
    if (is_secret_key(std::string_view(text).substr(at + 2, middle - at - 2)))
      text.replace(middle + 2, end - middle - 2, "***");
  }
  if (text.find("://") != std::string::npos && text.find_first_of(" '\"") == std::string::npos) text = shown_url(text);
  auto const quoted = json::parse(json::to_text(text));
  if (!quoted) return "***";
  auto const redone = json::parse(redacted(quoted->view()));
  return redone ? std::string(redone->as_string()) : "***";
}

inline bool is_secret_option(std::string_view argument) {
  return argument.starts_with('-') && argument.find('=') == std::string_view::npos && is_secret_key(argument);
}

inline std::string shown_command_line(std::string_view command, std::vector<std::string> const& args) {
  std::string out = shown_argument(command);
  bool hide = false;
  for (auto const& a : args) {
    auto const text = hide ? std::string("***") : shown_argument(a);
    bool const plain = !text.empty() && text.find_first_of(" \t\n'\"\\") == std::string::npos;
    out.append(" ").append(plain ? text : json::to_text(text));
    hide = is_secret_option(a);
  }
  return out;
}

inline void append_names(std::string& out, char const* title,
                         std::vector<std::pair<std::string, std::string>> const& all) {
  char const* before = title;
  for (auto const& [name, value] : all) {
    out.append(before).append(name);
    before = ", ";
  }
}

}  // namespace detail

COMCP_DECL std::string config_problem::to_string() const {
  std::string out = file.empty() ? "configuration" : file;
  if (line != 0) out.append(":").append(std::to_string(line)).append(":").append(std::to_string(column));
  out.append(": ");
  if (!key.empty()) out.append(key).append(": ");
  return out.append(text);
}

COMCP_DECL char const* to_string(configured_kind kind) noexcept {
  switch (kind) {
    case configured_kind::stdio: return "stdio";
    case configured_kind::http: return "http";
    case configured_kind::sse: break;
  }
  return "sse";
}

COMCP_DECL std::string shown_endpoint(configured_server const& s) {
  // From the entry as written: in an expanded server every text may hold a secret.
  auto const written = [&s](char const* key, std::string const& otherwise) {
    auto const found = s.raw.view().find(key);
    return std::string(found ? found->get_string().value_or("") : otherwise);
  };
  if (s.kind != configured_kind::stdio) return detail::shown_argument(written("url", s.url));
  auto args = s.args;
  if (s.raw.is_object()) {
    args.clear();
    auto const list = s.raw.view().find("args").value_or(json::view());
    for (auto const a : list.elements()) args.emplace_back(a.get_string().value_or(""));
  }
  return detail::shown_command_line(written("command", s.command), args);
}

COMCP_DECL std::string to_string(configured_server const& s) {
  std::string out = s.name + " (" + to_string(s.kind) + (s.disabled ? ", disabled): " : "): ") + shown_endpoint(s);
  detail::append_names(out, "; env: ", s.env);
  detail::append_names(out, "; headers: ", s.headers);
  return out;
}

COMCP_DECL configured_server const* config_file::find(std::string_view name) const noexcept {
  auto const found = std::find_if(servers.begin(), servers.end(), [name](auto const& s) { return s.name == name; });
  return found == servers.end() ? nullptr : &*found;
}

}  // namespace comcp
