// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tools: what a server offers, how one is called, what it answers. Spec: server/tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <comcp/protocol/content.hpp>
#include <comcp/protocol/input_required.hpp>
#include <comcp/protocol/pagination.hpp>
#include <comcp/protocol/tasks.hpp>

namespace comcp {

/// The server's hints on a tool. Untrusted: never a reason to skip a confirmation.
struct tool_annotations {
  tool_annotations() = default;

  std::optional<std::string> title;
  std::optional<bool> read_only_hint;    ///< Absent: false.
  std::optional<bool> destructive_hint;  ///< Absent: true.
  std::optional<bool> idempotent_hint;   ///< Absent: false.
  std::optional<bool> open_world_hint;   ///< Absent: true.
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_annotations>) {
  using t = tool_annotations;
  return json::fields(json::field("title", &t::title), json::field("readOnlyHint", &t::read_only_hint),
                      json::field("destructiveHint", &t::destructive_hint),
                      json::field("idempotentHint", &t::idempotent_hint),
                      json::field("openWorldHint", &t::open_world_hint), json::rest(&t::raw));
}

/// How a tool runs (2025-11-25).
struct tool_execution {
  tool_execution() = default;

  std::optional<std::string> task_support;  ///< "forbidden" (the default), "optional" or "required".
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_execution>) {
  using t = tool_execution;
  return json::fields(json::field("taskSupport", &t::task_support), json::rest(&t::raw));
}

/// What tool_execution::task_support says, or that nothing is known of it.
enum class task_support : std::uint8_t { unknown, forbidden, optional, required };

struct tool {
  tool() = default;

  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  json::value input_schema;   ///< JSON Schema, an object.
  json::value output_schema;  ///< JSON Schema of structured_content; null where absent.
  std::optional<tool_annotations> annotations;
  std::optional<tool_execution> execution;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;

  /// What to show: title, else the annotations' title, else name.
  [[nodiscard]] std::string const& display_name() const noexcept;
  /// 2025-11-25: whether a call of it may, or has to, be a task.
  [[nodiscard]] comcp::task_support task_support() const noexcept;
};
constexpr auto describe(std::type_identity<tool>) {
  using t = tool;
  return json::fields(json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), detail::object("inputSchema", &t::input_schema),
                      detail::optional_object("outputSchema", &t::output_schema),
                      json::field("annotations", &t::annotations), json::field("execution", &t::execution),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_tools_result {
  list_tools_result() = default;

  std::vector<tool> tools;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_tools_result>) {
  using t = list_tools_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("tools", &t::tools),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct call_tool_params {
  call_tool_params() = default;
  explicit call_tool_params(std::string tool_name, json::value args = {})
      : name(std::move(tool_name)), arguments(std::move(args)) {}

  std::string name;
  json::value arguments;  ///< An object; null where absent.
  std::optional<task_metadata> task;
  std::optional<comcp::input_responses> input_responses;
  std::optional<std::string> request_state;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<call_tool_params>) {
  using t = call_tool_params;
  return json::fields(json::field("name", &t::name), detail::optional_object("arguments", &t::arguments),
                      json::field("task", &t::task), json::field("inputResponses", &t::input_responses),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// What a tool answered. `is_error` is the tool's own failure, for the model to see: a value, no exception.
struct call_tool_result {
  call_tool_result() = default;
  call_tool_result(std::vector<content_block> pieces) : content(std::move(pieces)) {}
  explicit call_tool_result(text_content text) { content.emplace_back(std::move(text)); }

  std::vector<content_block> content;
  json::value structured_content;  ///< Null where absent.
  bool is_error = false;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;

  /// The texts among the content, a newline between them.
  [[nodiscard]] std::string text() const& { return text_of(content); }
  [[nodiscard]] std::string text() && { return text_of(std::move(content)); }
  /// The pieces of one kind, copied, or moved out of a temporary; their bytes() decode.
  [[nodiscard]] std::vector<image_content> images() const& { return all<image_content>(content); }
  [[nodiscard]] std::vector<image_content> images() && { return all<image_content>(std::move(content)); }
  [[nodiscard]] std::vector<audio_content> audio() const& { return all<audio_content>(content); }
  [[nodiscard]] std::vector<audio_content> audio() && { return all<audio_content>(std::move(content)); }
  [[nodiscard]] std::vector<embedded_resource> resources() const& { return all<embedded_resource>(content); }
  [[nodiscard]] std::vector<embedded_resource> resources() && { return all<embedded_resource>(std::move(content)); }
  [[nodiscard]] std::vector<resource_link> links() const& { return all<resource_link>(content); }
  [[nodiscard]] std::vector<resource_link> links() && { return all<resource_link>(std::move(content)); }

  /// The structured content as a T; errc::wrong_shape where it is absent or of another shape.
  template <class T>
  [[nodiscard]] result<T> structured() const {
    if (structured_content.is_null()) return error(errc::wrong_shape, "the tool gave no structured content");
    return structured_content.get<T>();
  }

  /// The result itself; throws comcp::exception (errc::tool_failed, with the text) when is_error is set.
  call_tool_result const& or_throw() const&;
  call_tool_result or_throw() &&;

 private:
  template <class Kind, class Blocks>
  static std::vector<Kind> all(Blocks&& blocks) {
    std::vector<Kind> found;
    for (auto& block : blocks) {
      auto* const piece = std::get_if<Kind>(&block);
      if (!piece) continue;
      if constexpr (std::is_lvalue_reference_v<Blocks>) found.push_back(*piece);
      else found.push_back(std::move(*piece));
    }
    return found;
  }
};
constexpr auto describe(std::type_identity<call_tool_result>) {
  using t = call_tool_result;
  return json::fields(json::field("resultType", &t::result_type), json::always("content", &t::content),
                      json::defaulted("structuredContent", &t::structured_content),
                      json::defaulted("isError", &t::is_error), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/tools.ipp>
#endif
