// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include <comcp/providers/call.hpp>

namespace comcp::providers {
namespace detail {

// Errors may quote what is no UTF-8, such as a file's name; JSON cannot.
COMCP_DECL std::string as_utf8(std::string text) {
  try {
    (void)json::to_text(text);
  } catch (exception const&) {
    for (char& c : text) c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  }
  return text;
}

}  // namespace detail

COMCP_DECL call_tool_result failure(error const& e) {
  std::string text = e.code().message();
  if (auto const more = e.message(); !more.empty()) text.append(": ").append(more);
  if (auto const* const peer = e.peer(); peer && !peer->message.empty()) text.append(": ").append(peer->message);
  call_tool_result out{text_content(detail::as_utf8(std::move(text)))};
  out.is_error = true;
  return out;
}

namespace detail {

inline error bad_arguments(errc code, std::string_view tool_name, std::string_view why) {
  constexpr std::size_t most = 2 * longest_name;
  return error(code, "the arguments for \"" + std::string(tool_name.substr(0, most)) + "\" are no JSON object: " +
                         std::string(why));
}

// Whether some object in it has a key twice: what one reader sees of it, another does not.
COMCP_DECL bool has_key_twice(json::view v) {
  std::set<std::string_view> keys;
  for (auto const [key, inner] : v.members()) {
    if (!keys.insert(key).second || has_key_twice(inner)) return true;
  }
  for (auto const inner : v.elements()) {
    if (has_key_twice(inner)) return true;
  }
  return false;
}

COMCP_DECL result<json::fragment> checked_arguments(json::view object, std::string_view tool_name) {
  if (has_key_twice(object)) return bad_arguments(errc::wrong_shape, tool_name, "a key comes twice in one object");
  return json::fragment::trusted(object.dump());
}

COMCP_DECL result<json::fragment> read_arguments(std::optional<json::view> given, std::string_view tool_name) {
  auto const none = json::fragment::trusted("{}");
  if (!given || given->is_null()) return none;
  if (given->is_object()) return checked_arguments(*given, tool_name);
  auto const text = given->get_string();
  if (!text) return bad_arguments(errc::wrong_shape, tool_name, "they are neither an object nor text");
  if (text->find_first_not_of(" \t\r\n") == std::string_view::npos) return none;
  auto const parsed = json::parse(*text);
  if (!parsed) return bad_arguments(static_cast<errc>(parsed.error().code().value()), tool_name, parsed.error().message());
  if (parsed->is_null()) return none;
  if (!parsed->is_object()) return bad_arguments(errc::wrong_shape, tool_name, "the text holds something else");
  return checked_arguments(*parsed, tool_name);
}

COMCP_DECL result<std::string> string_of(json::view from, std::string_view key, std::string_view what) {
  auto const member = from.find(key);
  auto const text = member ? member->get_string() : std::nullopt;
  if (text) return std::string(*text);
  return error(errc::wrong_shape, std::string(what) + ": \"" + std::string(key) + "\" is " +
                                      (member ? "no string" : "missing"));
}

COMCP_DECL result<model_call> read_call(json::view outer, std::string_view id_key, json::view inner,
                                        std::string_view arguments_key, std::string_view what) {
  model_call call;
  if (!id_key.empty()) {
    auto id = string_of(outer, id_key, what);
    if (!id) return id.error();
    call.id = *std::move(id);
  }
  auto name = string_of(inner, "name", what);
  if (!name) return name.error();
  call.name = *std::move(name);
  call.arguments = read_arguments(inner.find(arguments_key), call.name);
  return call;
}

COMCP_DECL json::fragment arguments_of(model_call const& call) {
  auto const& given = call.arguments.value();
  return given.empty() ? json::fragment::trusted("{}") : given;
}

COMCP_DECL result<json::view> list_of(json::view from, std::string_view key) {
  if (from.is_array()) return from;
  if (!from.is_object()) return error(errc::wrong_shape, "an object with \"" + std::string(key) + "\" is expected");
  auto const list = from.find(key);
  if (!list || list->is_null()) return json::view();
  // Anthropic and OpenAI abbreviate a message of text alone.
  if (!list->is_array() && !list->is_string())
    return error(errc::wrong_shape, '"' + std::string(key) + "\" is no array");
  return *list;
}

COMCP_DECL void write_schema(json::writer& w, json::value const& schema, bool with_properties) {
  w.begin_object();
  if (!schema.is_object() || !schema.contains("type")) w.key("type").string("object");
  if (schema.is_object()) {
    for (auto const [key, value] : schema.members()) w.key(key).value(value);
  }
  if (with_properties && !(schema.is_object() && schema.contains("properties")))
    w.key("properties").begin_object().end_object();
  w.end_object();
}

}  // namespace detail
}  // namespace comcp::providers
