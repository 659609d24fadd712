// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "config_commands.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <comcp/config/load.hpp>
#include <comcp/system.hpp>
#include <comcp/transport/http_options.hpp>

#include "exit_codes.hpp"
#include "platform.hpp"
#include "text.hpp"

namespace cli {
namespace {

using comcp::config_problem;
using comcp::configured_server;
using problems = std::vector<config_problem>;
using pairs = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> keys_of(pairs const& all) {
  std::vector<std::string> names;
  for (auto const& [name, value] : all) names.push_back(name);
  return names;
}

std::string scope_name(comcp::config_location const& where) {
  return where.scope == comcp::config_scope::project ? "project" : "user";
}

comcp::json::object start_of_json(found_file const& f) {
  comcp::json::object out;
  out.set("file", f.file.path);
  if (f.where) out.set("program", std::string(to_string(f.where->program))).set("scope", scope_name(*f.where));
  return out;
}

comcp::json::array problems_json(problems const& all) {
  comcp::json::array out;
  for (auto const& p : all)
    out.add(comcp::json::object()
                .set("file", p.file)
                .set("line", p.line)
                .set("column", p.column)
                .set("key", p.key)
                .set("message", p.text));
  return out;
}

void print_names(char const* title, std::vector<std::string> const& names) {
  char const* before = title;
  for (auto const& name : names) {
    std::cout << before << one_line(name);
    before = ", ";
  }
}

void print_servers(found_file const& f) {
  std::size_t width = 0;
  for (auto const& s : f.file.servers) width = std::max(width, columns(one_line(s.name)));
  for (auto const& s : f.file.servers) {
    std::cout << "  " << padded(one_line(s.name), width) << "  " << padded(to_string(s.kind), 5) << "  "
              << one_line(shown_endpoint(s));
    print_names("  env: ", keys_of(s.env));
    print_names("  headers: ", keys_of(s.headers));
    print_names("  reads: ", comcp::variables_read(s));
    std::cout << (s.disabled ? "  (disabled)\n" : "\n");
  }
  if (f.file.servers.empty() && f.file.problems.empty()) std::cout << "  no servers\n";
  for (auto const& p : f.file.problems) std::cout << "  wrong: " << one_line(p.to_string()) << '\n';
}

void say_where_files_would_be() {
  std::cerr << "comcp: no configuration file was found. The usual places:\n";
  auto const v = comcp::process_variables();
  for (auto const& where : comcp::config_locations(v.environment(), v.workspace_folder()))
    std::cerr << "  " << one_line(where.path) << " (" << to_string(where.program) << ")\n";
}

int list(options const& o, std::vector<found_file> const& files) {
  if (o.json) {
    comcp::json::array all;
    for (auto const& f : files) {
      comcp::json::array servers;
      for (auto const& s : f.file.servers) servers.add(json_of(s));
      all.add(start_of_json(f).set("servers", servers).set("problems", problems_json(f.file.problems)));
    }
    std::cout << json_text(all.text()) << '\n';
    return exit_ok;
  }
  if (files.empty()) say_where_files_would_be();
  for (auto const& f : files) {
    std::cout << bold(title_of(f), 1) << '\n';
    print_servers(f);
  }
  return exit_ok;
}

// Stands for what somebody will answer.
comcp::result<comcp::secret> some_answer(comcp::config_input const& asked) {
  auto const first = asked.options.empty() ? std::string("answer") : asked.options.front();
  return comcp::secret(asked.default_value.value_or(first));
}

std::string process_path() {
  auto const found = comcp::process_variables().environment()("PATH").value_or("");
  return found.empty() ? usual_path : found;
}

// As a start would look for it; empty where it would find it.
std::string what_is_wrong_with_command(configured_server const& s) {
  auto const own = std::find_if(s.env.rbegin(), s.env.rend(), [](auto const& v) { return v.first == "PATH"; });
  if (finds_command(s.command, s.cwd, own != s.env.rend() ? own->second : process_path())) return {};
  bool const is_path = s.command.find('/') != std::string::npos;
  return (is_path ? "no program: " : "is not in PATH: ") + shown_endpoint(s);
}

void check_program(configured_server const& s, problems& all) {
  std::error_code failed;
  auto const complain = [&](char const* key, std::string text) {
    auto const named = [key](comcp::config_place const& p) { return p.key == key; };
    auto at = std::find_if(s.places.begin(), s.places.end(), named);
    if (at == s.places.end()) at = s.places.begin();
    all.push_back({s.file, at->line, at->column, s.path + "." + key, comcp::errc::not_found, std::move(text)});
  };
  if (!s.cwd.empty() && !std::filesystem::is_directory(comcp::detail::path_from_text(s.cwd), failed))
    return complain("cwd", "there is no such directory");
  if (auto wrong = what_is_wrong_with_command(s); !wrong.empty()) complain("command", std::move(wrong));
}

problems check_server(configured_server const& s, comcp::config_file const& file) {
  auto e = comcp::expand_server(s, file.inputs, comcp::process_variables().inputs(some_answer));
  if (e.ok() && s.kind == comcp::configured_kind::stdio) check_program(e.server, e.problems);
  for (auto const& [name, value] : e.server.headers) {
    comcp::http_options http;
    http.header(name, value);
    if (e.ok() && http.unusable()) {
      auto const& at = s.places.front();
      e.problems.push_back({s.file, at.line, at.column, s.path + ".headers", comcp::errc::invalid_argument,
                            std::string(http.unusable().message())});
    }
  }
  return std::move(e.problems);
}

int check(options const& o, std::vector<found_file> const& files) {
  comcp::json::array json;
  bool good = true;
  for (auto const& f : files) {
    auto all = f.file.problems;
    for (auto const& s : f.file.servers) {
      auto const more = check_server(s, f.file);
      all.insert(all.end(), more.begin(), more.end());
    }
    good = good && all.empty();
    json.add(start_of_json(f).set("servers", f.file.servers.size()).set("problems", problems_json(all)));
    if (o.json) continue;
    for (auto const& p : all) std::cerr << one_line(p.to_string()) << '\n';
    std::cout << title_of(f) << ": " << f.file.servers.size() << " servers, " << all.size() << " problems\n";
  }
  if (o.json) std::cout << json_text(json.text()) << '\n';
  if (files.empty() && !o.json) say_where_files_would_be();
  return good ? exit_ok : exit_usage;
}

}  // namespace

std::string title_of(found_file const& f) {
  auto const path = one_line(f.file.path);
  return f.where ? path + " (" + to_string(f.where->program) + ", " + scope_name(*f.where) + ")" : path;
}

comcp::json::object json_of(configured_server const& s) {
  comcp::json::object out;
  out.set("name", s.name).set("kind", std::string(to_string(s.kind))).set("endpoint", shown_endpoint(s));
  out.set("env", keys_of(s.env)).set("headers", keys_of(s.headers)).set("reads", comcp::variables_read(s));
  return out.set("disabled", s.disabled);
}

int run_config(options const& o) {
  if (o.config.action == config_action::import) return import_config(o);
  auto const files = find_files(o.config.source);
  return o.config.action == config_action::list ? list(o, files) : check(o, files);
}

}  // namespace cli
