// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Completion of the arguments of prompts and resource templates. Spec: server/utilities/completion.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <comcp/protocol/codec.hpp>

namespace comcp {

struct prompt_reference {
  static constexpr std::string_view kind = "ref/prompt";
  prompt_reference() = default;
  explicit prompt_reference(std::string prompt_name) : name(std::move(prompt_name)) {}

  std::string name;
  std::optional<std::string> title;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt_reference>) {
  using t = prompt_reference;
  return json::fields(json::tag("type", t::kind), json::field("name", &t::name), json::field("title", &t::title),
                      json::rest(&t::raw));
}

struct resource_template_reference {
  static constexpr std::string_view kind = "ref/resource";
  resource_template_reference() = default;
  explicit resource_template_reference(std::string pattern) : uri(std::move(pattern)) {}

  std::string uri;  ///< A uri or a uri template.
  json::value raw;
};
constexpr auto describe(std::type_identity<resource_template_reference>) {
  using t = resource_template_reference;
  return json::fields(json::tag("type", t::kind), json::field("uri", &t::uri), json::rest(&t::raw));
}

using completion_reference = std::variant<prompt_reference, resource_template_reference>;

template <>
struct json::codec<completion_reference> {
  static bool read(view v, completion_reference& out, read_error& e) {
    auto const type = v.find("type");
    if (!v.is_object()) return e.expected(v, "object");
    if (!type) return e.missing(v, "type");
    if (type->get_string() == prompt_reference::kind)
      return codec<prompt_reference>::read(v, out.emplace<prompt_reference>(), e);
    return codec<resource_template_reference>::read(v, out.emplace<resource_template_reference>(), e);
  }
  static void write(writer& w, completion_reference const& ref) {
    std::visit([&](auto const& r) { json::write(w, r); }, ref);
  }
};

/// The argument that is being typed, and what is typed of it so far.
struct completion_argument {
  completion_argument() = default;
  completion_argument(std::string its_name, std::string so_far) : name(std::move(its_name)), value(std::move(so_far)) {}

  std::string name;
  std::string value;
  json::value raw;
};
constexpr auto describe(std::type_identity<completion_argument>) {
  using t = completion_argument;
  return json::fields(json::field("name", &t::name), json::field("value", &t::value), json::rest(&t::raw));
}

/// What is known already (from 2025-06-18 on).
struct completion_context {
  completion_context() = default;
  explicit completion_context(std::map<std::string, std::string> args) : arguments(std::move(args)) {}

  std::map<std::string, std::string> arguments;
  json::value raw;
};
constexpr auto describe(std::type_identity<completion_context>) {
  using t = completion_context;
  return json::fields(json::defaulted("arguments", &t::arguments), json::rest(&t::raw));
}

struct complete_params {
  complete_params() = default;
  complete_params(completion_reference what, completion_argument typed)
      : ref(std::move(what)), argument(std::move(typed)) {}

  completion_reference ref;
  completion_argument argument;
  std::optional<completion_context> context;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<complete_params>) {
  using t = complete_params;
  return json::fields(json::field("ref", &t::ref), json::field("argument", &t::argument),
                      json::field("context", &t::context), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Suggestions, best first; at most 100.
struct completion {
  completion() = default;
  explicit completion(std::vector<std::string> all) : values(std::move(all)) {}

  std::vector<std::string> values;
  std::optional<std::int64_t> total;
  std::optional<bool> has_more;
  json::value raw;
};
constexpr auto describe(std::type_identity<completion>) {
  using t = completion;
  return json::fields(json::field("values", &t::values), json::field("total", &t::total),
                      json::field("hasMore", &t::has_more), json::rest(&t::raw));
}

struct complete_result {
  complete_result() = default;
  explicit complete_result(comcp::completion found) : completion(std::move(found)) {}

  comcp::completion completion;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  [[nodiscard]] std::vector<std::string> const& values() const noexcept { return completion.values; }
};
constexpr auto describe(std::type_identity<complete_result>) {
  using t = complete_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("completion", &t::completion),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp
