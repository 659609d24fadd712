// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/providers/openai.hpp>
#include <comcp/providers/pieces.hpp>

namespace comcp::providers {
namespace detail {

inline constexpr std::string_view failed = "Error: ";

inline void write_function(json::writer& w, offered_tool const& one) {
  auto const& t = one.definition();
  w.key("name").string(one.name()).key("description").string(t.description.value_or("")).key("parameters");
  write_schema(w, t.input_schema, true);
}

inline bool has_type(json::view item, std::string_view wanted) noexcept {
  auto const type = item.find("type");
  return type && type->get_string() == wanted;
}

inline bool takes_nothing(std::string_view) noexcept { return false; }
inline bool takes_files(std::string_view mime_type) noexcept {
  return is_common_image(mime_type) || mime_type == "application/pdf";
}

COMCP_DECL void write_input(json::writer& w, piece const& p) {
  w.begin_object().key("type");
  if (p.is_text()) {
    w.string("input_text").key("text").string(p.text);
  } else if (is_common_image(p.mime_type)) {
    w.string("input_image").key("image_url").string(data_url(p));
  } else {
    auto const slash = p.name.rfind('/');
    auto const file = slash == std::string_view::npos ? p.name : p.name.substr(slash + 1);
    w.string("input_file").key("filename").string(file.empty() ? "file.pdf" : file);
    w.key("file_data").string(data_url(p));
  }
  w.end_object();
}

}  // namespace detail

namespace openai_chat {

COMCP_DECL json::fragment write_tools(std::span<offered_tool const> tools) {
  json::writer w;
  w.begin_array();
  for (auto const& one : tools) {
    if (!one.is_for_model()) continue;
    w.begin_object().key("type").string("function").key("function").begin_object();
    detail::write_function(w, one);
    w.end_object().end_object();
  }
  w.end_array();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_DECL result<model_call> read_call(json::view tool_call) {
  auto const function = tool_call.find("function");
  bool const other = tool_call.find("type") && !detail::has_type(tool_call, "function");
  if (other || !function || !function->is_object())
    return error(errc::wrong_shape, "a tool call of type \"function\" is expected");
  return detail::read_call(tool_call, "id", *function, "arguments", "tool call");
}

COMCP_DECL result<std::vector<model_call>> read_calls(json::view message) {
  auto const calls = detail::list_of(message, "tool_calls");
  if (!calls) return calls.error();
  std::vector<model_call> out;
  for (auto const one : calls->elements()) {
    if (one.find("type") && !detail::has_type(one, "function")) continue;
    auto call = read_call(one);
    if (!call) return call.error();
    out.push_back(*std::move(call));
  }
  return out;
}

COMCP_DECL json::fragment write_call(model_call const& call) {
  auto const function = json::args("name", call.name, "arguments", detail::arguments_of(call).text());
  return json::args("id", call.id, "type", "function", "function", function);
}

COMCP_DECL json::fragment write_result(model_call const& call, call_tool_result const& answer) {
  auto text = detail::joined_text(detail::all_pieces_of(answer, detail::takes_nothing));
  if (answer.is_error) text.insert(0, detail::failed);
  return json::args("role", "tool", "tool_call_id", call.id, "content", text);
}

}  // namespace openai_chat

namespace openai_responses {

COMCP_DECL json::fragment write_tools(std::span<offered_tool const> tools) {
  json::writer w;
  w.begin_array();
  for (auto const& one : tools) {
    if (!one.is_for_model()) continue;
    w.begin_object().key("type").string("function");
    detail::write_function(w, one);
    w.key("strict").boolean(false).end_object();
  }
  w.end_array();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_DECL result<model_call> read_call(json::view item) {
  if (!detail::has_type(item, "function_call"))
    return error(errc::wrong_shape, "an item of type \"function_call\" is expected");
  return detail::read_call(item, "call_id", item, "arguments", "function_call");
}

COMCP_DECL result<std::vector<model_call>> read_calls(json::view response) {
  auto const items = detail::list_of(response, "output");
  if (!items) return items.error();
  std::vector<model_call> out;
  for (auto const item : items->elements()) {
    if (!detail::has_type(item, "function_call")) continue;
    auto call = read_call(item);
    if (!call) return call.error();
    out.push_back(*std::move(call));
  }
  return out;
}

COMCP_DECL json::fragment write_call(model_call const& call) {
  return json::args("type", "function_call", "call_id", call.id, "name", call.name, "arguments",
                    detail::arguments_of(call).text());
}

COMCP_DECL json::fragment write_result(model_call const& call, call_tool_result const& answer) {
  auto pieces = detail::all_pieces_of(answer, detail::takes_files);
  bool const plain = std::all_of(pieces.begin(), pieces.end(), [](auto const& p) { return p.is_text(); });
  json::writer w;
  w.begin_object().key("type").string("function_call_output").key("call_id").string(call.id).key("output");
  if (plain) {
    auto text = detail::joined_text(pieces);
    w.string(answer.is_error ? std::string(detail::failed) + text : text);
  } else {
    if (answer.is_error) pieces.insert(pieces.begin(), detail::piece(std::string(detail::failed)));
    w.begin_array();
    for (auto const& p : pieces) detail::write_input(w, p);
    w.end_array();
  }
  w.end_object();
  return json::fragment::trusted(std::move(w).text());
}

}  // namespace openai_responses
}  // namespace comcp::providers
