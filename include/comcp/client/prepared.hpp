// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The calls behind a client's operations, prepared: their methods and parameters. Internal.
#pragma once

#include <string_view>

#include <comcp/client/call.hpp>
#include <comcp/json/build.hpp>
#include <comcp/protocol/completion.hpp>
#include <comcp/protocol/resources.hpp>

namespace comcp::detail {

// What is wrong with one from the start is its `unusable`.
prepared_call tool_call(std::string_view name, json::fragment arguments, call_options options);
prepared_call resource_call(std::string_view uri, call_options options);
prepared_call resource_call(resource_template const& t, json::fragment const& variables, call_options options);
prepared_call prompt_call(std::string_view name, json::fragment arguments, call_options options);
prepared_call complete_call(complete_params const& what, call_options options);
prepared_call discover_call(call_options options);
prepared_call any_call(std::string_view method, json::fragment params, call_options options);

/// What is wrong with the parameters of an untyped operation: they are an object, or absent.
error check_params(json::fragment const& params);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/prepared.ipp>
#endif
