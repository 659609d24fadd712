// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Prompts: templates of messages that users choose. Spec: server/prompts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/protocol/content.hpp>
#include <comcp/protocol/input_required.hpp>
#include <comcp/protocol/pagination.hpp>

namespace comcp {

struct prompt_argument {
  prompt_argument() = default;

  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  bool required = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt_argument>) {
  using t = prompt_argument;
  return json::fields(json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), json::defaulted("required", &t::required),
                      json::rest(&t::raw));
}

struct prompt {
  prompt() = default;

  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<prompt_argument> arguments;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt>) {
  using t = prompt;
  return json::fields(json::field("name", &t::name), json::field("title", &t::title),
                      json::field("description", &t::description), json::defaulted("arguments", &t::arguments),
                      json::defaulted("icons", &t::icons), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct list_prompts_result {
  list_prompts_result() = default;

  std::vector<prompt> prompts;
  std::vector<comcp::set_aside> set_aside;  ///< Definitions that could not be read.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_prompts_result>) {
  using t = list_prompts_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("prompts", &t::prompts),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The arguments of a prompt: strings by name.
using prompt_arguments = std::map<std::string, std::string>;

struct get_prompt_params {
  get_prompt_params() = default;
  explicit get_prompt_params(std::string prompt_name, prompt_arguments args = {})
      : name(std::move(prompt_name)), arguments(std::move(args)) {}

  std::string name;
  prompt_arguments arguments;
  std::optional<comcp::input_responses> input_responses;
  std::optional<std::string> request_state;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<get_prompt_params>) {
  using t = get_prompt_params;
  return json::fields(json::field("name", &t::name), json::defaulted("arguments", &t::arguments),
                      json::field("inputResponses", &t::input_responses),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct prompt_message {
  prompt_message() = default;
  prompt_message(comcp::role who, content_block piece) : role(who), content(std::move(piece)) {}

  comcp::role role = comcp::role::user;
  content_block content;
  json::value raw;
};
constexpr auto describe(std::type_identity<prompt_message>) {
  using t = prompt_message;
  return json::fields(json::field("role", &t::role), json::field("content", &t::content), json::rest(&t::raw));
}

struct get_prompt_result {
  get_prompt_result() = default;

  std::optional<std::string> description;
  std::vector<prompt_message> messages;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<get_prompt_result>) {
  using t = get_prompt_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("description", &t::description),
                      json::field("messages", &t::messages), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp
