// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Elicitation: a server asks the user, by a form or by sending them to a page. Spec: client/elicitation.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/protocol/elicitation_schema.hpp>
#include <comcp/protocol/tasks.hpp>

namespace comcp {

enum class elicit_mode { form, url };
constexpr auto texts(std::type_identity<elicit_mode>) { return std::array<std::string_view, 2>{"form", "url"}; }

/// One field of a form, in the order in which the server wrote it.
struct form_field {
  form_field() = default;

  std::string name;
  bool required = false;
  primitive_schema_definition schema;
};

/// The question: a form (message, requested_schema), or a page to visit (message, url and, in 2025-11-25, its id).
struct elicit_params {
  elicit_params() = default;

  elicit_mode mode = elicit_mode::form;
  std::string message;
  json::value requested_schema;  ///< Form: a JSON Schema of a flat object; null where absent.
  std::optional<std::string> elicitation_id;
  std::optional<std::string> url;  ///< Url mode. Never open it without the user's consent to the whole address.
  std::optional<task_metadata> task;
  json::value meta;
  json::value raw;

  /// The fields of the form. Errors: wrong_shape, with the place.
  [[nodiscard]] result<std::vector<form_field>> fields() const;
};
constexpr auto describe(std::type_identity<elicit_params>) {
  using t = elicit_params;
  return json::fields(json::defaulted("mode", &t::mode), json::field("message", &t::message),
                      detail::optional_object("requestedSchema", &t::requested_schema),
                      json::field("elicitationId", &t::elicitation_id), json::field("url", &t::url),
                      json::field("task", &t::task), detail::meta_of(&t::meta), json::rest(&t::raw));
}

enum class elicit_action { accept, decline, cancel };
constexpr auto texts(std::type_identity<elicit_action>) {
  return std::array<std::string_view, 3>{"accept", "decline", "cancel"};
}

/// The user's answer. Make one with accept(), decline() or cancel().
struct elicit_result {
  elicit_result() = default;  ///< Cancelled.

  /// Url mode: the user went to the page.
  static elicit_result accept() { return elicit_result(elicit_action::accept, {}); }
  /// Form mode: the content, an object of strings, numbers, booleans and lists of strings; anything that writes as
  /// one: args("name", value, ...), a described type, a json::value.
  template <json::writable Content>
  static elicit_result accept(Content const& content) {
    return elicit_result(elicit_action::accept, json::to_value(content));
  }
  static elicit_result decline() { return elicit_result(elicit_action::decline, {}); }
  static elicit_result cancel() { return elicit_result(elicit_action::cancel, {}); }

  elicit_action action = elicit_action::cancel;
  json::value content;  ///< Null where absent.
  json::value meta;
  json::value raw;

 private:
  elicit_result(elicit_action what, json::value with) : action(what), content(std::move(with)) {}
};
constexpr auto describe(std::type_identity<elicit_result>) {
  using t = elicit_result;
  return json::fields(json::field("action", &t::action), detail::optional_object("content", &t::content),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// notifications/elicitation/complete (2025-11-25): the user finished on the page.
struct elicitation_complete {
  elicitation_complete() = default;
  explicit elicitation_complete(std::string id) : elicitation_id(std::move(id)) {}

  std::string elicitation_id;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<elicitation_complete>) {
  using t = elicitation_complete;
  return json::fields(json::field("elicitationId", &t::elicitation_id), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The data of error -32042 (2025-11-25): what the user must do before the request can succeed.
struct url_elicitation_required_data {
  url_elicitation_required_data() = default;

  std::vector<elicit_params> elicitations;
  json::value raw;
};
constexpr auto describe(std::type_identity<url_elicitation_required_data>) {
  using t = url_elicitation_required_data;
  return json::fields(json::field("elicitations", &t::elicitations), json::rest(&t::raw));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/elicitation.ipp>
#endif
