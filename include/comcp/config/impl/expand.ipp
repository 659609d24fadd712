// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>

#include <comcp/config/expand.hpp>
#include <comcp/config/impl/read.ipp>
#include <comcp/config/locations.hpp>
#include <comcp/http/message.hpp>
#include <comcp/http/url.hpp>

namespace comcp {
namespace detail {

inline bool is_variable_name(std::string_view name) noexcept {
  auto const letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// The variable of the environment that the inside of ${...} reads; empty: none.
inline std::string_view variable_of(std::string_view reference) noexcept {
  auto const name = reference.substr(0, reference.find(":-"));
  if (name.starts_with("env:")) return name.substr(4);
  for (std::string_view const known : {"workspaceFolder", "cwd", "workspaceFolderBasename", "userHome", "pathSeparator", "/"}) {
    if (name == known) return {};
  }
  return name.starts_with("input:") ? std::string_view() : name;
}

inline void add_variables(std::set<std::string>& names, std::string_view text) {
  for (auto at = text.find("${"); at != std::string_view::npos; at = text.find("${")) {
    text.remove_prefix(at + 2);
    auto const name = variable_of(text.substr(0, text.find('}')));
    if (is_variable_name(name)) names.emplace(name);
  }
}

/// Expands one server.
class server_expander {
 public:
  server_expander(configured_server const& s, std::vector<config_input> const& inputs, config_variables const& v)
      : inputs_(inputs), variables_(v) {
    out_.server = s;
  }

  expanded_server run() {
    auto& s = out_.server;
    expand(s.command, "command");
    for (std::size_t i = 0; i < s.args.size(); ++i) expand(s.args[i], config_key("args", i));
    for (auto& [name, value] : s.env) expand(value, config_key("env", name));
    expand(s.env_file, "envFile");
    expand(s.cwd, "cwd");
    expand(s.url, "url");
    for (auto& [name, value] : s.headers) expand(value, config_key("headers", name));
    if (out_.ok() && !s.env_file.empty()) read_env_file();
    if (out_.ok()) check();
    return std::move(out_);
  }

 private:
  void problem(std::string const& key, std::string text, errc code = errc::invalid_argument) {
    auto const& s = out_.server;
    config_place at;
    for (auto const& p : s.places) {
      if (p.key == key || (p.key.empty() && at.line == 0)) at = p;
    }
    auto path = key.empty() ? s.path : s.path + (key.front() == '[' ? "" : ".") + key;
    out_.problems.push_back({s.file, at.line, at.column, std::move(path), code, std::move(text)});
  }

  void expand(std::string& text, std::string const& key) {
    std::string out;
    std::string_view rest = text;
    for (auto at = rest.find("${"); at != std::string_view::npos; at = rest.find("${")) {
      out.append(rest.substr(0, at));
      rest.remove_prefix(at + 2);
      auto const end = rest.find('}');
      if (end == std::string_view::npos) return problem(key, "a variable that does not end: ${ without }");
      auto value = value_of(rest.substr(0, end), key);
      if (!value) return;
      out.append(*value);
      rest.remove_prefix(end + 1);
    }
    text = out.append(rest);
  }

  std::optional<std::string> value_of(std::string_view reference, std::string const& key) {
    if (reference.find("${") != std::string_view::npos)
      return problem(key, "a variable inside of a variable: defaults are plain text"), std::nullopt;
    auto const dash = reference.find(":-");
    auto const name = reference.substr(0, dash);
    std::optional<std::string> otherwise;
    if (dash != std::string_view::npos) otherwise = std::string(reference.substr(dash + 2));
    if (name.starts_with("input:")) return input(name.substr(6), key, otherwise);
    if (name.starts_with("env:")) return variable(name.substr(4), key, otherwise);
    if (auto const known = predefined(name)) {
      if (known->empty() && !otherwise) problem(key, "${" + std::string(name) + "} has no value here");
      return known->empty() ? otherwise : known;
    }
    return variable(name, key, otherwise);
  }
  std::optional<std::string> predefined(std::string_view name) const {
    auto const& folder = variables_.workspace_folder();
    if (name == "workspaceFolder" || name == "cwd") return folder;
    if (name == "workspaceFolderBasename") return folder.substr(folder.find_last_of("/\\") + 1);
    if (name == "userHome") return variables_.home();
    if (name == "pathSeparator" || name == "/") return this_platform() == config_platform::windows ? "\\" : "/";
    return {};
  }
  // A name is quoted only where it is one: anything else may be a part of a secret.
  static std::string what_is_wrong_with(std::string_view name) {
    auto const scope = name.substr(0, name.find(':'));
    if (scope.size() < name.size() && is_variable_name(scope))
      return "${" + std::string(scope) + ":...} is no variable that comcp knows";
    return "${...} with something that is no name of a variable";
  }
  std::optional<std::string> variable(std::string_view name, std::string const& key,
                                      std::optional<std::string> const& otherwise) {
    if (!is_variable_name(name)) return problem(key, what_is_wrong_with(name)), std::nullopt;
    auto const& only = variables_.only();
    if (only && std::find(only->begin(), only->end(), name) == only->end())
      return problem(key, "the environment variable " + std::string(name) + " is none that may be read", errc::denied),
             std::nullopt;
    auto const found = variables_.environment() ? variables_.environment()(name) : std::nullopt;
    if (!found && !otherwise)
      problem(key, "the environment variable " + std::string(name) + " is not set", errc::not_found);
    return found ? found : otherwise;
  }
  std::optional<std::string> input(std::string_view id, std::string const& key,
                                   std::optional<std::string> const& otherwise) {
    auto const asked = std::find_if(inputs_.begin(), inputs_.end(), [id](auto const& in) { return in.id == id; });
    auto const quoted = json::to_text(id);
    if (asked == inputs_.end()) {
      if (!otherwise) problem(key, "there is no input " + quoted + " among the file's inputs", errc::not_found);
      return otherwise;
    }
    if (variables_.inputs()) {
      auto answer = variables_.inputs()(*asked);
      if (answer) return answer->reveal();
      return problem(key, "no answer to the input " + quoted + ": " + std::string(answer.error().message())),
             std::nullopt;
    }
    auto const& value = otherwise ? otherwise : asked->default_value;
    if (!value) problem(key, "nobody is there to answer the input " + quoted, errc::not_found);
    return value;
  }

  void read_env_file() {
    auto& s = out_.server;
    if (!variables_.files()) return problem("envFile", "nobody is there to read it", errc::not_found);
    auto const text = variables_.files()(s.env_file);
    if (!text) return problem("envFile", std::string(text.error().message()), errc::not_found);
    auto lines = parse_env_file(*text);
    if (!lines) return problem("envFile", std::string(lines.error().message()));
    lines->insert(lines->end(), s.env.begin(), s.env.end());
    s.env = std::move(*lines);
  }

  void check() {
    auto const& s = out_.server;
    bool const started = s.kind == configured_kind::stdio;
    check_text(s.command, "command");
    check_text(s.cwd, "cwd");
    for (std::size_t i = 0; i < s.args.size(); ++i) check_text(s.args[i], config_key("args", i));
    for (auto const& [name, value] : s.env) {
      auto const key = config_key("env", name);
      if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos)
        problem(key, "a name that no environment variable can have");
      check_text(value, key);
    }
    if (started && s.command.empty()) problem("command", "empty");
    if (started) return;
    if (auto const url = http_url::parse(s.url); !url) problem("url", std::string(url.error().message()));
    http_headers headers;
    for (auto const& [name, value] : s.headers) {
      if (auto const added = headers.add(name, value); !added)
        problem(config_key("headers", name), std::string(added.error().message()));
    }
  }
  void check_text(std::string const& text, std::string const& key) {
    if (text.find('\0') != std::string::npos) problem(key, "holds a NUL character");
  }

  std::vector<config_input> const& inputs_;
  config_variables const& variables_;
  expanded_server out_;
};

}  // namespace detail

COMCP_DECL expanded_server expand_server(configured_server const& s, std::vector<config_input> const& inputs,
                                         config_variables const& variables) {
  return detail::server_expander(s, inputs, variables).run();
}

COMCP_DECL std::vector<std::string> variables_read(configured_server const& s) {
  std::set<std::string> names;
  for (auto const* const text : {&s.command, &s.env_file, &s.cwd, &s.url}) detail::add_variables(names, *text);
  for (auto const& text : s.args) detail::add_variables(names, text);
  for (auto const* const all : {&s.env, &s.headers}) {
    for (auto const& [name, value] : *all) detail::add_variables(names, value);
  }
  return {names.begin(), names.end()};
}

}  // namespace comcp
