// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tools, calls and results as the Gemini API has them: functionDeclarations, functionCall and functionResponse parts.
#pragma once

#include <span>
#include <vector>

#include <comcp/providers/call.hpp>

namespace comcp::providers::gemini {

/// For the request's `tools`: an array of one {"functionDeclarations":[{name, description, parametersJsonSchema}]}, or
/// an empty one. parametersJsonSchema takes JSON Schema; `parameters`, its elder sister, a subset of OpenAPI's alone.
json::fragment write_tools(std::span<offered_tool const> tools);

/// One part with a functionCall. Errors: wrong_shape (none, or one without a name); what is wrong with `args` alone is
/// in the call, whose id is empty where the model gave none.
result<model_call> read_call(json::view part);

/// The calls among the parts of a content (an object with `parts`, or the array itself), in order; other parts are
/// passed over. Errors: as read_call(). Keep the content itself for the conversation: its parts hold thoughtSignature,
/// which the API wants back.
result<std::vector<model_call>> read_calls(json::view content);

/// The part with the functionCall. Throws what arguments.value() throws.
json::fragment write_call(model_call const& call);

/// Where media of a result go.
enum class media {
  nested,    ///< Into functionResponse.parts, which models take from Gemini 3 on: PNG, JPEG and WebP images, PDF.
  left_out,  ///< A text says so.
};

/// The part with the functionResponse: {"output": ...}, or {"error": ...} where the tool failed. What is there is the
/// structured content; the texts, where there is none; {"text", "structured"} where there are both and they differ.
json::fragment write_result(model_call const& call, call_tool_result const& answer, media where = media::nested);

}  // namespace comcp::providers::gemini

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/providers/impl/gemini.ipp>
#endif
