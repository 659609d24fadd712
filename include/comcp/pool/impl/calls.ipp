// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The client's operations, each on the member that the strategy picks.
#pragma once

#include <utility>

#include <comcp/pool/pool.hpp>

namespace comcp {

COMCP_LAZY_DECL asio::awaitable<listing<tool>> pool::list_tools(call_options options) const {
  return on_one<listing<tool>>(std::move(options), [](client const& c, call_options o) { return c.list_tools(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<listing<resource>> pool::list_resources(call_options options) const {
  return on_one<listing<resource>>(std::move(options),
                                   [](client const& c, call_options o) { return c.list_resources(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<listing<resource_template>> pool::list_resource_templates(call_options options) const {
  return on_one<listing<resource_template>>(
      std::move(options), [](client const& c, call_options o) { return c.list_resource_templates(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<listing<prompt>> pool::list_prompts(call_options options) const {
  return on_one<listing<prompt>>(std::move(options),
                                 [](client const& c, call_options o) { return c.list_prompts(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<call_tool_result> pool::call_tool(std::string_view name, json::fragment arguments,
                                                                  call_options options) const {
  return on_one<call_tool_result>(std::move(options), [name = std::string(name), arguments = std::move(arguments)](
                                                          client const& c, call_options o) {
    return c.call_tool(name, arguments, std::move(o));
  });
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> pool::read_resource(std::string_view uri,
                                                                          call_options options) const {
  return on_one<read_resource_result>(std::move(options), [uri = std::string(uri)](client const& c, call_options o) {
    return c.read_resource(uri, std::move(o));
  });
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> pool::read_resource(resource_template const& t,
                                                                          json::fragment const& variables,
                                                                          call_options options) const {
  auto const uri = t.expand(variables);
  if (!uri) return detail::failed<read_resource_result>(uri.error());
  return read_resource(*uri, std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<get_prompt_result> pool::get_prompt(std::string_view name, json::fragment arguments,
                                                                    call_options options) const {
  return on_one<get_prompt_result>(std::move(options), [name = std::string(name), arguments = std::move(arguments)](
                                                           client const& c, call_options o) {
    return c.get_prompt(name, arguments, std::move(o));
  });
}

COMCP_LAZY_DECL asio::awaitable<complete_result> pool::complete(complete_params const& what,
                                                                call_options options) const {
  return on_one<complete_result>(std::move(options), [what](client const& c, call_options o) {
    return c.complete(what, std::move(o));
  });
}

COMCP_LAZY_DECL asio::awaitable<void> pool::ping(call_options options) const {
  return on_one<void>(std::move(options), [](client const& c, call_options o) { return c.ping(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<discover_result> pool::discover(call_options options) const {
  return on_one<discover_result>(std::move(options),
                                 [](client const& c, call_options o) { return c.discover(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<json::value> pool::request(std::string_view method, json::fragment params,
                                                           call_options options) const {
  return on_one<json::value>(std::move(options), [method = std::string(method), params = std::move(params)](
                                                     client const& c, call_options o) {
    return c.request(method, params, std::move(o));
  });
}

}  // namespace comcp
