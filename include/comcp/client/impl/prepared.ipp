// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <comcp/client/prepared.hpp>
#include <comcp/protocol/meta.hpp>
#include <comcp/wire/method.hpp>

namespace comcp::detail {

COMCP_DECL prepared_call tool_call(std::string_view name, json::fragment arguments, call_options options) {
  bool const object = arguments.empty() || arguments.text().front() == '{';
  // The arguments stand first, so that their own text can become the parameters'.
  std::string params = std::move(arguments).text();
  params.reserve(params.size() + name.size() + 32);
  if (params.empty()) {
    params = R"({"name":)";
  } else {
    params.insert(0, R"({"arguments":)").append(R"(,"name":)");
  }
  json::detail::append_string(params, name);
  params += '}';
  prepared_call c(wire::methods::call_tool, std::move(params), std::move(options));
  if (!object) c.unusable = error(errc::invalid_argument, "the arguments of a tool are an object");
  return c;
}

COMCP_DECL prepared_call resource_call(std::string_view uri, call_options options) {
  prepared_call c(wire::methods::read_resource, args("uri", uri).text(), std::move(options));
  c.repeatable = true;
  return c;
}

COMCP_DECL prepared_call resource_call(resource_template const& t, json::fragment const& variables,
                                       call_options options) {
  auto const uri = t.expand(variables);
  auto c = resource_call(uri ? *uri : std::string(), std::move(options));
  if (!uri) c.unusable = uri.error();
  return c;
}

COMCP_DECL prepared_call prompt_call(std::string_view name, json::fragment arguments, call_options options) {
  json::object params;
  params.set("name", name);
  if (!arguments.empty()) params.set("arguments", arguments);
  prepared_call c(wire::methods::get_prompt, params.text(), std::move(options));
  c.repeatable = true;
  return c;
}

COMCP_DECL prepared_call complete_call(complete_params const& what, call_options options) {
  prepared_call c(wire::methods::complete, json::to_text(what), std::move(options));
  c.repeatable = true;
  return c;
}

COMCP_DECL prepared_call discover_call(call_options options) {
  prepared_call c(wire::methods::discover, {}, std::move(options));
  c.repeatable = true;
  return c;
}

// An object, whose `_meta` joins that of the options.
COMCP_DECL error check_params(json::fragment const& params) {
  if (params.empty()) return {};
  auto const parsed = json::parse(params.text());
  if (!parsed || !parsed->is_object()) return {errc::invalid_argument, "params are not an object"};
  auto const meta = parsed->view().find("_meta");
  auto const sound = meta ? check_user_meta(*meta) : result<void>();
  return sound ? error() : sound.error();
}

COMCP_DECL prepared_call any_call(std::string_view method, json::fragment params, call_options options) {
  auto bad = check_params(params);
  prepared_call c(method, std::move(params).text(), std::move(options));
  c.unusable = std::move(bad);
  return c;
}

}  // namespace comcp::detail
