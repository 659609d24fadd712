// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tools, calls and results as OpenAI has them, in its two shapes: openai_chat (chat completions, which many other
// providers and local servers imitate) and openai_responses. Neither has a mark for failures: such a result begins with
// "Error: ". Schemas get the "properties" that the API insists on, and are never called strict: MCP's need not be in
// the subset of JSON Schema that strict mode takes.
#pragma once

#include <span>
#include <vector>

#include <comcp/providers/call.hpp>

namespace comcp::providers::openai_chat {

/// For the request's `tools`: an array of {"type":"function","function":{name, description, parameters}}. Descriptions
/// go whole; some models and providers of this shape refuse those of more than 1024 characters.
json::fragment write_tools(std::span<offered_tool const> tools);

/// One element of `tool_calls`. The arguments may be text, as the API has it, or an object. Errors: wrong_shape (no call
/// of a function, or one without id or name); what is wrong with the arguments alone is in the call.
result<model_call> read_call(json::view tool_call);

/// The calls of a message (an object with `tool_calls`, or the array itself), in order; calls of other types than
/// "function" are passed over. Errors: as read_call().
result<std::vector<model_call>> read_calls(json::view message);

/// The element of `tool_calls`, for a conversation that is put together anew. Throws what arguments.value() throws.
json::fragment write_call(model_call const& call);

/// The message of role "tool". It takes text alone; of media a text says that they were left out.
json::fragment write_result(model_call const& call, call_tool_result const& answer);

}  // namespace comcp::providers::openai_chat

namespace comcp::providers::openai_responses {

/// For the request's `tools`: an array of {"type":"function", name, description, parameters, "strict":false}; without
/// the last the API would take the schema for a strict one.
json::fragment write_tools(std::span<offered_tool const> tools);

/// One item of type function_call. Its call_id is the call's id. Errors: as openai_chat::read_call().
result<model_call> read_call(json::view item);

/// The calls of a response (an object with `output`, or the array itself), in order; other items are passed over.
result<std::vector<model_call>> read_calls(json::view response);

/// The item of type function_call. Throws what arguments.value() throws.
json::fragment write_call(model_call const& call);

/// The item of type function_call_output: a text, or a list where there are PNG, JPEG, GIF or WebP images or PDF files.
/// Of other media a text says that they were left out.
json::fragment write_result(model_call const& call, call_tool_result const& answer);

}  // namespace comcp::providers::openai_responses

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/providers/impl/openai.ipp>
#endif
