// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/providers/anthropic.hpp>
#include <comcp/providers/pieces.hpp>

namespace comcp::providers::anthropic {
namespace detail {

inline bool takes(std::string_view mime_type) noexcept {
  return providers::detail::is_common_image(mime_type) || mime_type == "application/pdf";
}

COMCP_DECL void write_piece(json::writer& w, providers::detail::piece const& p) {
  w.begin_object().key("type");
  if (p.is_text()) {
    w.string("text").key("text").string(p.text);
  } else {
    w.string(p.mime_type == "application/pdf" ? "document" : "image").key("source").begin_object();
    w.key("type").string("base64").key("media_type").string(p.mime_type).key("data").string(p.data).end_object();
  }
  w.end_object();
}

inline bool takes_nothing(std::string_view) noexcept { return false; }

inline bool is_type(json::view block, std::string_view wanted) noexcept {
  auto const type = block.find("type");
  return type && type->get_string() == wanted;
}

}  // namespace detail

COMCP_DECL json::fragment write_tools(std::span<offered_tool const> tools) {
  json::writer w;
  w.begin_array();
  for (auto const& one : tools) {
    if (!one.is_for_model()) continue;
    auto const& t = one.definition();
    w.begin_object().key("name").string(one.name()).key("description").string(t.description.value_or(""));
    w.key("input_schema");
    providers::detail::write_schema(w, t.input_schema, false);
    w.end_object();
  }
  w.end_array();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_DECL result<model_call> read_call(json::view block) {
  if (!detail::is_type(block, "tool_use")) return error(errc::wrong_shape, "a block of type \"tool_use\" is expected");
  return providers::detail::read_call(block, "id", block, "input", "tool_use");
}

COMCP_DECL result<std::vector<model_call>> read_calls(json::view message) {
  auto const blocks = providers::detail::list_of(message, "content");
  if (!blocks) return blocks.error();
  std::vector<model_call> out;
  for (auto const block : blocks->elements()) {
    if (!detail::is_type(block, "tool_use")) continue;
    auto call = read_call(block);
    if (!call) return call.error();
    out.push_back(*std::move(call));
  }
  return out;
}

COMCP_DECL json::fragment write_call(model_call const& call) {
  return json::args("type", "tool_use", "id", call.id, "name", call.name, "input", providers::detail::arguments_of(call));
}

COMCP_DECL json::fragment write_result(model_call const& call, call_tool_result const& answer) {
  auto const takes = answer.is_error ? detail::takes_nothing : detail::takes;
  json::writer w;
  w.begin_object().key("type").string("tool_result").key("tool_use_id").string(call.id).key("content").begin_array();
  for (auto const& p : providers::detail::all_pieces_of(answer, takes)) detail::write_piece(w, p);
  w.end_array();
  if (answer.is_error) w.key("is_error").boolean(true);
  w.end_object();
  return json::fragment::trusted(std::move(w).text());
}

}  // namespace comcp::providers::anthropic
