// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/operation.hpp>

namespace comcp::detail {

COMCP_DECL prepared_call tool_call(std::string_view name, json::fragment arguments, call_options options) {
  bool const object = arguments.empty() || arguments.text().front() == '{';
  // The arguments stand first, so that their own text can become the parameters'.
  std::string params = std::move(arguments).text();
  params.reserve(params.size() + name.size() + 32);
  if (params.empty()) {
    params += '{';
  } else {
    params.insert(0, std::string_view(R"({"arguments":)")) += ',';
  }
  params += std::string_view(R"("name":)");
  json::detail::append_string(params, name);
  params += '}';
  prepared_call c("tools/call", std::move(params), std::move(options));
  if (!object) c.unusable = error(errc::invalid_argument, "the arguments of a tool are an object");
  return c;
}

COMCP_DECL bool start_call(client_core& core, prepared_call const& c, pending_entry& e, reply& outcome) {
  auto const started = core.start(c, e);
  if (!started) outcome = started.error();
  return started.has_value();
}

COMCP_DECL asio::awaitable<json::value> general_call(client_core& core, prepared_call& c) {
  return core.call(std::move(c));
}

COMCP_DECL asio::awaitable<json::value> settling(client_core& core, prepared_call& c, reply& first) {
  return core.settle(std::move(c), std::move(first));
}

}  // namespace comcp::detail
