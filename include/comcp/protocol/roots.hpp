// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The places that a client lets servers work in. Spec: client/roots.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/protocol/codec.hpp>

namespace comcp {

struct root {
  root() = default;
  explicit root(std::string address, std::optional<std::string> shown = {})
      : uri(std::move(address)), name(std::move(shown)) {}

  std::string uri;  ///< A file:// URI.
  std::optional<std::string> name;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<root>) {
  using t = root;
  return json::fields(json::field("uri", &t::uri), json::field("name", &t::name), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

/// Whether this is a file:// URI whose path is normal: a server that compares paths as text is led nowhere else by
/// "." or ".." (which may be percent-encoded). Errors: invalid_argument. Spec: client/roots, security considerations.
result<void> check_root(root const& r);

struct list_roots_result {
  list_roots_result() = default;
  list_roots_result(std::vector<root> all) : roots(std::move(all)) {}

  std::vector<root> roots;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_roots_result>) {
  using t = list_roots_result;
  return json::fields(json::field("roots", &t::roots), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/roots.ipp>
#endif
