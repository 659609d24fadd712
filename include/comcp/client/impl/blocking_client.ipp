// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/blocking_client.hpp>

namespace comcp {

COMCP_LAZY_DECL call_tool_result blocking_client::call_tool(std::string_view name, json::fragment arguments,
                                                            call_options options) const {
  return wait([&](client const& c) { return c.call_tool(name, std::move(arguments), std::move(options)); });
}

COMCP_LAZY_DECL listing<tool> blocking_client::list_tools(call_options options) const {
  return wait([&](client const& c) { return c.list_tools(std::move(options)); });
}

COMCP_LAZY_DECL listing<resource> blocking_client::list_resources(call_options options) const {
  return wait([&](client const& c) { return c.list_resources(std::move(options)); });
}

COMCP_LAZY_DECL listing<resource_template> blocking_client::list_resource_templates(call_options options) const {
  return wait([&](client const& c) { return c.list_resource_templates(std::move(options)); });
}

COMCP_LAZY_DECL listing<prompt> blocking_client::list_prompts(call_options options) const {
  return wait([&](client const& c) { return c.list_prompts(std::move(options)); });
}

COMCP_LAZY_DECL read_resource_result blocking_client::read_resource(std::string_view uri, call_options options) const {
  return wait([&](client const& c) { return c.read_resource(uri, std::move(options)); });
}

COMCP_LAZY_DECL get_prompt_result blocking_client::get_prompt(std::string_view name, json::fragment arguments,
                                                              call_options options) const {
  return wait([&](client const& c) { return c.get_prompt(name, std::move(arguments), std::move(options)); });
}

COMCP_LAZY_DECL void blocking_client::subscribe(std::string_view uri, updated_callback f, call_options options) const {
  wait([&](client const& c) { return c.subscribe(uri, std::move(f), std::move(options)); });
}

COMCP_LAZY_DECL void blocking_client::close() const {
  wait([](client const& c) { return c.close(); });
}

}  // namespace comcp
