// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/providers/gemini.hpp>
#include <comcp/providers/pieces.hpp>

namespace comcp::providers::gemini {
namespace detail {

using providers::detail::piece;

inline bool takes(std::string_view mime_type) noexcept {
  return (providers::detail::is_common_image(mime_type) && mime_type != "image/gif") || mime_type == "application/pdf";
}
inline bool takes_nothing(std::string_view) noexcept { return false; }

// The texts but one that merely says the structured content.
COMCP_DECL std::string texts_beside_structured(call_tool_result const& answer, providers::detail::media_filter takes) {
  if (answer.structured_content.is_null()) return providers::detail::joined_text(providers::detail::pieces_of(answer, takes));
  auto others = answer;
  std::erase_if(others.content, [&](content_block const& block) {
    call_tool_result one({block});
    one.structured_content = answer.structured_content;
    return providers::detail::says_structured(one);
  });
  return providers::detail::joined_text(providers::detail::pieces_of(others, takes));
}

COMCP_DECL void write_answer(json::writer& w, call_tool_result const& answer, providers::detail::media_filter takes) {
  auto text = texts_beside_structured(answer, takes);
  bool const structured = !answer.structured_content.is_null();
  if (answer.is_error && text.empty() && !structured) text = "the tool failed and said nothing";
  w.begin_object().key(answer.is_error ? "error" : "output");
  if (!structured) {
    w.string(text);
  } else if (text.empty()) {
    w.value(answer.structured_content);
  } else {
    w.begin_object().key("text").string(text).key("structured").value(answer.structured_content).end_object();
  }
  w.end_object();
}

COMCP_DECL void write_media(json::writer& w, std::vector<piece> const& pieces) {
  if (std::all_of(pieces.begin(), pieces.end(), [](piece const& p) { return p.is_text(); })) return;
  w.key("parts").begin_array();
  for (auto const& p : pieces) {
    if (p.is_text()) continue;
    w.begin_object().key("inlineData").begin_object();
    w.key("mimeType").string(p.mime_type).key("data").string(p.data).end_object().end_object();
  }
  w.end_array();
}

}  // namespace detail

COMCP_DECL json::fragment write_tools(std::span<offered_tool const> tools) {
  if (std::none_of(tools.begin(), tools.end(), [](auto const& one) { return one.is_for_model(); }))
    return json::fragment::trusted("[]");
  json::writer w;
  w.begin_array().begin_object().key("functionDeclarations").begin_array();
  for (auto const& one : tools) {
    if (!one.is_for_model()) continue;
    auto const& t = one.definition();
    w.begin_object().key("name").string(one.name()).key("description").string(t.description.value_or(""));
    w.key("parametersJsonSchema");
    providers::detail::write_schema(w, t.input_schema, false);
    w.end_object();
  }
  w.end_array().end_object().end_array();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_DECL result<model_call> read_call(json::view part) {
  auto const call = part.find("functionCall");
  if (!call || !call->is_object()) return error(errc::wrong_shape, "a part with a \"functionCall\" is expected");
  auto const id = call->find("id");
  bool const has_id = id && !id->is_null();
  return providers::detail::read_call(*call, has_id ? "id" : "", *call, "args", "functionCall");
}

COMCP_DECL result<std::vector<model_call>> read_calls(json::view content) {
  auto const parts = providers::detail::list_of(content, "parts");
  if (!parts) return parts.error();
  std::vector<model_call> out;
  for (auto const part : parts->elements()) {
    if (!part.find("functionCall")) continue;
    auto call = read_call(part);
    if (!call) return call.error();
    out.push_back(*std::move(call));
  }
  return out;
}

COMCP_DECL json::fragment write_call(model_call const& call) {
  json::writer w;
  w.begin_object().key("functionCall").begin_object();
  if (!call.id.empty()) w.key("id").string(call.id);
  w.key("name").string(call.name).key("args").raw(providers::detail::arguments_of(call).text()).end_object().end_object();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_DECL json::fragment write_result(model_call const& call, call_tool_result const& answer, media where) {
  auto const takes = where == media::nested ? detail::takes : detail::takes_nothing;
  json::writer w;
  w.begin_object().key("functionResponse").begin_object();
  if (!call.id.empty()) w.key("id").string(call.id);
  w.key("name").string(call.name).key("response");
  detail::write_answer(w, answer, takes);
  detail::write_media(w, providers::detail::pieces_of(answer, takes));
  w.end_object().end_object();
  return json::fragment::trusted(std::move(w).text());
}

}  // namespace comcp::providers::gemini
