// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Rounds of the modern era: a result may ask for input first, and the retry carries the answers.
// Spec: 2026-07-28 basic/patterns/mrtr.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include <comcp/protocol/codec.hpp>

namespace comcp {

/// One question of a round: sampling/createMessage, roots/list or elicitation/create, and its parameters.
struct input_request {
  input_request() = default;
  input_request(std::string its_method, json::value its_params)
      : method(std::move(its_method)), params(std::move(its_params)) {}

  std::string method;
  json::value params;  ///< Null where absent.
  json::value raw;
};
constexpr auto describe(std::type_identity<input_request>) {
  using t = input_request;
  return json::fields(json::field("method", &t::method), json::defaulted("params", &t::params), json::rest(&t::raw));
}

/// Questions and answers of a round under the server's keys; an answer is the result object of its method.
using input_requests = std::map<std::string, input_request>;
using input_responses = std::map<std::string, json::value>;

struct input_required_result {
  static constexpr std::string_view kind = "input_required";
  input_required_result() = default;

  std::optional<comcp::input_requests> input_requests;
  std::optional<std::string> request_state;  ///< Opaque; goes back byte for byte.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<input_required_result>) {
  using t = input_required_result;
  return json::fields(json::tag("resultType", t::kind), json::field("inputRequests", &t::input_requests),
                      json::field("requestState", &t::request_state), detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp
