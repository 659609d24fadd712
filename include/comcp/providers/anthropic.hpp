// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tools, calls and results as the Anthropic Messages API has them: `tools`, tool_use and tool_result blocks.
#pragma once

#include <span>
#include <vector>

#include <comcp/providers/call.hpp>

namespace comcp::providers::anthropic {

/// For the request's `tools`: an array of {name, description, input_schema}. A missing description is "", a missing
/// schema {"type":"object"}; others go as they are (the API refuses oneOf, allOf and anyOf at their top).
json::fragment write_tools(std::span<offered_tool const> tools);

/// One tool_use block. `input` may be an object or, as streaming leaves it, text. Errors: wrong_shape (no tool_use, or
/// one without id or name); what is wrong with the input alone is in the call.
result<model_call> read_call(json::view block);

/// The calls among the blocks of a response (an object with `content`, or the array itself), in order. Other blocks are
/// passed over. Errors: as read_call().
result<std::vector<model_call>> read_calls(json::view message);

/// The tool_use block of a call, for a conversation that is put together anew. Throws what arguments.value() throws.
json::fragment write_call(model_call const& call);

/// The tool_result block. Text, PNG, JPEG, GIF and WebP images and PDF documents have their place; of other media a text
/// says that they were left out, and of all media of a failure: the API refuses them there. All results of one turn
/// belong into one user message, before any text.
json::fragment write_result(model_call const& call, call_tool_result const& answer);

}  // namespace comcp::providers::anthropic

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/providers/impl/anthropic.ipp>
#endif
