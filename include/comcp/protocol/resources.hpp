// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Resources, their templates and their contents. Spec: server/resources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/json/build.hpp>
#include <comcp/protocol/content.hpp>
#include <comcp/protocol/input_required.hpp>
#include <comcp/protocol/pagination.hpp>

namespace comcp {

struct resource {
  resource() = default;
  resource(std::string address, std::string its_name) : uri(std::move(address)), name(std::move(its_name)) {}

  std::string uri;
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<std::int64_t> size;  ///< Bytes, before any encoding.
  std::optional<comcp::annotations> annotations;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resource>) {
  using t = resource;
  return json::fields(json::field("uri", &t::uri), json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), json::field("mimeType", &t::mime_type),
                      json::field("size", &t::size), json::field("annotations", &t::annotations),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Many resources under one pattern (RFC 6570).
struct resource_template {
  resource_template() = default;
  resource_template(std::string pattern, std::string its_name)
      : uri_template(std::move(pattern)), name(std::move(its_name)) {}

  std::string uri_template;
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<comcp::annotations> annotations;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;

  /// The uri for these variables, an object: args("topic", "birds"). Errors: invalid_argument.
  [[nodiscard]] result<std::string> expand(json::fragment const& variables) const;
};
constexpr auto describe(std::type_identity<resource_template>) {
  using t = resource_template;
  return json::fields(json::field("uriTemplate", &t::uri_template), json::field("name", &t::name),
                      json::field("title", &t::title), json::field("description", &t::description),
                      json::field("mimeType", &t::mime_type), json::field("annotations", &t::annotations),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_resources_result {
  list_resources_result() = default;

  std::vector<resource> resources;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_resources_result>) {
  using t = list_resources_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("resources", &t::resources),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_resource_templates_result {
  list_resource_templates_result() = default;

  std::vector<resource_template> resource_templates;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_resource_templates_result>) {
  using t = list_resource_templates_result;
  return json::fields(json::field("resultType", &t::result_type),
                      detail::definitions("resourceTemplates", &t::resource_templates),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct read_resource_params {
  read_resource_params() = default;
  explicit read_resource_params(std::string address) : uri(std::move(address)) {}

  std::string uri;
  std::optional<comcp::input_responses> input_responses;
  std::optional<std::string> request_state;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<read_resource_params>) {
  using t = read_resource_params;
  return json::fields(json::field("uri", &t::uri), json::field("inputResponses", &t::input_responses),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct read_resource_result {
  read_resource_result() = default;
  read_resource_result(std::vector<resource_contents> all) : contents(std::move(all)) {}

  std::vector<resource_contents> contents;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  /// The texts among the contents, a newline between them.
  [[nodiscard]] std::string text() const&;
  [[nodiscard]] std::string text() &&;
};
constexpr auto describe(std::type_identity<read_resource_result>) {
  using t = read_resource_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("contents", &t::contents),
                      json::field("ttlMs", &t::ttl_ms), json::field("cacheScope", &t::cache_scope),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The parameters of resources/subscribe and resources/unsubscribe (legacy).
struct subscribe_params {
  subscribe_params() = default;
  explicit subscribe_params(std::string address) : uri(std::move(address)) {}

  std::string uri;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<subscribe_params>) {
  using t = subscribe_params;
  return json::fields(json::field("uri", &t::uri), detail::meta_of(&t::meta), json::rest(&t::raw));
}
using unsubscribe_params = subscribe_params;

/// notifications/resources/updated. The uri may be that of a part of what was subscribed to.
struct resource_updated {
  resource_updated() = default;
  explicit resource_updated(std::string address) : uri(std::move(address)) {}

  std::string uri;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resource_updated>) {
  using t = resource_updated;
  return json::fields(json::field("uri", &t::uri), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/resources.ipp>
#endif
