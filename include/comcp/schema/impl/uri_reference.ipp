// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Resolving URI references (RFC 3986, section 5.2) as far as schema identifiers need it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/version.hpp>

namespace comcp::schema_detail {

struct uri_parts {
  std::optional<std::string_view> scheme, authority, query, fragment;
  std::string_view path;
};

COMCP_DECL uri_parts split_uri(std::string_view s) {
  uri_parts u;
  if (auto const hash = s.find('#'); hash != s.npos) {
    u.fragment = s.substr(hash + 1);
    s = s.substr(0, hash);
  }
  if (auto const mark = s.find('?'); mark != s.npos) {
    u.query = s.substr(mark + 1);
    s = s.substr(0, mark);
  }
  if (auto const colon = s.find(':'); colon != s.npos && colon > 0 && s.find('/') > colon) {
    u.scheme = s.substr(0, colon);
    s.remove_prefix(colon + 1);
  }
  if (s.starts_with("//")) {
    auto const end = std::min(s.find('/', 2), s.size());
    u.authority = s.substr(2, end - 2);
    s.remove_prefix(end);
  }
  u.path = s;
  return u;
}

COMCP_DECL std::string remove_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path.size() > 3 ? path.substr(3) : "/";
      auto const slash = out.rfind('/');
      out.erase(slash == out.npos ? 0 : slash);
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      auto const end = std::min(path.find('/', 1), path.size());
      out += path.substr(0, end);
      path.remove_prefix(end);
    }
  }
  return out;
}

/// The absolute form of `reference` with its fragment; an empty fragment is left out.
COMCP_DECL std::string resolve_uri(std::string_view base_text, std::string_view reference) {
  auto const base = split_uri(base_text);
  auto target = split_uri(reference);
  std::string path;
  if (target.scheme || target.authority) {
    path = target.scheme && !target.authority && !target.path.starts_with('/') ? std::string(target.path)
                                                                               : remove_dots(target.path);
  } else if (target.path.empty()) {
    path = base.path;
    if (!target.query) target.query = base.query;
  } else if (target.path.starts_with('/')) {
    path = remove_dots(target.path);
  } else {
    auto const slash = base.path.rfind('/');
    std::string merged(slash == base.path.npos ? "" : base.path.substr(0, slash + 1));
    if (base.authority && base.path.empty()) merged = "/";
    path = remove_dots(merged + std::string(target.path));
  }
  if (!target.authority && !target.scheme) target.authority = base.authority;
  if (!target.scheme) target.scheme = base.scheme;
  std::string out;
  if (target.scheme) out.append(*target.scheme) += ':';
  if (target.authority) out.append("//").append(*target.authority);
  out += path;
  if (target.query) out.append("?").append(*target.query);
  if (target.fragment && !target.fragment->empty()) out.append("#").append(*target.fragment);
  return out;
}

COMCP_DECL std::string percent_decoded(std::string_view s) {
  auto const digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '%' && i + 2 < s.size() && digit(s[i + 1]) >= 0 && digit(s[i + 2]) >= 0) {
      out += static_cast<char>(digit(s[i + 1]) * 16 + digit(s[i + 2]));
      i += 2;
    } else {
      out += s[i];
    }
  }
  return out;
}

}  // namespace comcp::schema_detail
