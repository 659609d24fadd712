// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "prompts.hpp"

namespace demo {

namespace {

json::object message(std::string const& text) {
  return json::object().set("role", "user").set("content", json::object().set("type", "text").set("text", text));
}

std::string prompt_argument(call& c, std::string_view key, bool required) {
  auto const arguments = c.params().find("arguments");
  auto const found = arguments ? arguments->find(key) : std::nullopt;
  if (found && found->is_string()) return std::string(found->as_string());
  if (required) throw rpc_error{invalid_params, "the prompt needs the argument '" + std::string(key) + '\''};
  return {};
}

std::vector<std::string> frameworks_of(std::string_view language) {
  if (language == "python") return {"django", "fastapi", "flask"};
  if (language == "c++") return {"asio", "boost", "qt"};
  return {"asio", "boost", "django", "fastapi", "flask", "qt"};
}

std::vector<std::string> candidates(json::value const& params, std::string_view argument) {
  if (argument == "language") return {"c", "c++", "javascript", "python", "rust"};
  if (argument == "topic") return {"asio", "coroutines", "json", "sockets"};
  if (argument == "name") return {"Ada", "Alan", "Grace"};
  if (argument != "framework") return {};
  auto const chosen = params.pointer("/context/arguments/language");
  return frameworks_of(chosen && chosen->is_string() ? chosen->as_string() : std::string_view());
}

bool reference_exists(json::value const& params) {
  auto const kind = params.pointer("/ref/type");
  if (!kind || !kind->is_string()) return false;
  bool const prompt = kind->as_string() == "ref/prompt";
  auto const name = params.pointer(prompt ? "/ref/name" : "/ref/uri");
  if (!name || !name->is_string()) return false;
  auto const n = name->as_string();
  return prompt ? n == "greet" || n == "code_review" : n == "demo://notes/{topic}";
}

}  // namespace

std::vector<json::fragment> prompt_list() {
  auto const argument = [](char const* name, char const* description, bool required) {
    return json::object().set("name", name).set("description", description).set("required", required);
  };
  return {
      comcp::args("name", "greet", "title", "Greet somebody", "description", "Asks for a friendly greeting",
                  "arguments", json::array().add(argument("name", "Who is greeted", true))),
      comcp::args("name", "code_review", "title", "Review code", "description", "Asks for a review", "arguments",
                  json::array()
                      .add(argument("language", "The programming language", true))
                      .add(argument("framework", "The framework in use", false))),
  };
}

json::object get_prompt(call& c) {
  auto const name = c.text_param("name");
  if (name == "greet") {
    return json::object()
        .set("description", "A greeting")
        .set("messages", json::array().add(message("Please greet " + prompt_argument(c, "name", true) + '.')));
  }
  if (name == "code_review") {
    auto text = "Please review this " + prompt_argument(c, "language", true) + " code";
    if (auto const framework = prompt_argument(c, "framework", false); !framework.empty())
      text += ", which uses " + framework;
    return json::object().set("description", "A review").set("messages", json::array().add(message(text + '.')));
  }
  throw rpc_error{invalid_params, "there is no prompt '" + name + '\''};
}

json::object complete(call& c) {
  if (!reference_exists(c.params())) throw rpc_error{invalid_params, "params.ref names nothing that this server has"};
  auto const argument = c.params().pointer("/argument/name");
  auto const typed = c.params().pointer("/argument/value");
  if (!argument || !typed || !argument->is_string() || !typed->is_string())
    throw rpc_error{invalid_params, "params.argument needs a name and a value"};
  auto values = candidates(c.params(), argument->as_string());
  auto const prefix = typed->as_string();
  std::erase_if(values, [&](std::string const& v) { return !v.starts_with(prefix); });
  return json::object().set("completion",
                            json::object().set("values", values).set("total", values.size()).set("hasMore", false));
}

}  // namespace demo
