// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is the same for all model providers: a tool under its name for the model, and a model's call of one. The shapes
// are in anthropic.hpp, openai.hpp and gemini.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/json/build.hpp>
#include <comcp/protocol/tool_ui.hpp>
#include <comcp/protocol/tools.hpp>
#include <comcp/providers/names.hpp>

namespace comcp::providers {

/// A tool to offer to a model. Refers to the definition, which is to live as long. One whose `_meta.ui.visibility` leaves out
/// the model is never written, whether the host shows apps or not: who does not is no more allowed to tell models of it.
class offered_tool {
 public:
  /// Under provider_name(server, definition.name).
  offered_tool(std::string_view server, tool const& definition)
      : name_(provider_name(server, definition.name)), definition_(&definition) {}
  offered_tool(std::string_view server, tool&& definition) = delete;

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] tool const& definition() const noexcept { return *definition_; }
  /// Whether write_tools() writes it. A tool_names that shall not find it for a model's call is not told of it either.
  [[nodiscard]] bool is_for_model() const { return comcp::is_for_model(*definition_); }

 private:
  std::string name_;
  tool const* definition_;
};

/// A model's wish to call a tool. tool_names::origin(name) says which one.
struct model_call {
  model_call() = default;
  model_call(std::string call_id, std::string tool_name, result<json::fragment> args)
      : id(std::move(call_id)), name(std::move(tool_name)), arguments(std::move(args)) {}

  std::string id;    ///< What the result must carry; empty where the provider gave none (Gemini).
  std::string name;  ///< As the provider knows the tool.
  /// A JSON object in which no object has a key twice, or why what the model wrote is none (invalid_json, wrong_shape,
  /// limit_exceeded): models do, and are to be told, by write_result(call, failure(call.arguments.error())).
  result<json::fragment> arguments;
};

/// A failure as a tool's result with isError, for the model to see: comcp's text and the server's message, without what
/// the transport knows (HTTP bodies, stderr).
call_tool_result failure(error const& e);

namespace detail {

/// Arguments as models give them: an object, the text of one; absent, null and blank text are {}.
result<json::fragment> read_arguments(std::optional<json::view> given, std::string_view tool_name);

/// The member `key` of `from`, which is to be a string. `what` names `from` in the error.
result<std::string> string_of(json::view from, std::string_view key, std::string_view what);

/// A call whose id, name and arguments are members of objects. No id key: none is wanted.
result<model_call> read_call(json::view outer, std::string_view id_key, json::view inner, std::string_view arguments_key,
                             std::string_view what);

/// The arguments to write, {} where there are none. Throws what arguments.value() throws.
json::fragment arguments_of(model_call const& call);

/// The list that `from` is, or that its member `key` is; an absent or null one is empty.
result<json::view> list_of(json::view from, std::string_view key);

/// A schema that providers take: an object with "type"; "properties" too, where it is asked for.
void write_schema(json::writer& w, json::value const& schema, bool with_properties);

}  // namespace detail
}  // namespace comcp::providers

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/providers/impl/call.ipp>
#endif
