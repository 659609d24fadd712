// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "configured.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include <comcp/config/load.hpp>
#include <comcp/system.hpp>

#include "config_approval.hpp"
#include "exit_codes.hpp"
#include "text.hpp"

namespace cli {
namespace {

std::string current_directory() {
  std::error_code failed;
  auto const here = std::filesystem::current_path(failed);
  return failed ? std::string(".") : comcp::detail::text_of_path(here);
}

bool is_there(std::string const& path) {
  std::error_code failed;
  return std::filesystem::exists(comcp::detail::path_from_text(path), failed) && !failed;
}

[[noreturn]] void complain(std::string const& why, std::vector<comcp::config_problem> const& problems) {
  std::string text = why;
  for (auto const& p : problems) text.append("\n  ").append(one_line(p.to_string()));
  throw usage_error(text);
}

struct candidate {
  comcp::configured_server server;
  std::shared_ptr<comcp::config_file const> file;
};

struct candidates {
  std::vector<candidate> servers;
  std::vector<comcp::config_problem> problems;
};

// The first file that has a name counts.
candidates read_candidates(std::vector<std::string> const& files) {
  candidates all;
  for (auto const& path : files) {
    auto const file = std::make_shared<comcp::config_file const>(read_file(path));
    for (auto const& s : file->servers) {
      auto const same = [&s](candidate const& c) { return c.server.name == s.name; };
      if (std::none_of(all.servers.begin(), all.servers.end(), same)) all.servers.push_back({s, file});
    }
    all.problems.insert(all.problems.end(), file->problems.begin(), file->problems.end());
  }
  return all;
}

std::string names_of(candidates const& all) {
  std::string names;
  for (auto const& c : all.servers) names.append(names.empty() ? "" : ", ").append(one_line(c.server.name));
  return names.empty() ? std::string("none") : names;
}

bool is_enabled(candidate const& c) { return !c.server.disabled; }

candidate const& choose(candidates const& all, std::string const& name) {
  if (!name.empty()) {
    auto const named = [&name](candidate const& c) { return c.server.name == name; };
    auto const found = std::find_if(all.servers.begin(), all.servers.end(), named);
    if (found == all.servers.end())
      complain("--server: there is no server '" + one_line(name) + "' that can be used; there are: " + names_of(all),
               all.problems);
    return *found;
  }
  if (std::count_if(all.servers.begin(), all.servers.end(), is_enabled) > 1)
    throw usage_error("this command is for one server: name it with --server: " + names_of(all));
  return *std::find_if(all.servers.begin(), all.servers.end(), is_enabled);
}

class expander {
 public:
  explicit expander(bool yes) : yes_(yes) {
    variables_.inputs([this](comcp::config_input const& asked) {
      std::pair const key(file_, asked.id);
      auto const known = answers_.find(key);
      return known != answers_.end() ? known->second : answers_.emplace(key, ask_input(asked)).first->second;
    });
  }
  expander(expander const&) = delete;
  expander& operator=(expander const&) = delete;

  [[nodiscard]] comcp::expanded_server expand(candidate const& c) {
    file_ = c.server.file;
    auto const read = comcp::variables_read(c.server);
    if (!read.empty() && !is_users_own(c.file->path)) approve_reading(*c.file, yes_);
    return comcp::expand_server(c.server, c.file->inputs, comcp::config_variables(variables_).only(read));
  }

 private:
  bool yes_;
  comcp::config_variables variables_ = comcp::process_variables();
  std::string file_;  // of the server that is expanded now: another file's input of that id is another question
  std::map<std::pair<std::string, std::string>, comcp::result<comcp::secret>> answers_;
};

comcp::configured_server expanded(candidate const& c, bool yes) {
  auto e = expander(yes).expand(c);
  if (!e.ok()) complain("the server '" + one_line(c.server.name) + "' cannot be used:", e.problems);
  return std::move(e.server);
}

// Those that can be used; the others are missing, and why.
std::vector<comcp::configured_server> all_expanded(candidates const& all, config_choice& choice) {
  expander with(choice.yes);
  std::vector<comcp::configured_server> good;
  auto problems = all.problems;
  for (auto const& p : all.problems) choice.missing.push_back({"", p.to_error()});
  for (auto const& c : all.servers) {
    if (c.server.disabled) continue;
    auto e = with.expand(c);
    problems.insert(problems.end(), e.problems.begin(), e.problems.end());
    if (!e.ok()) choice.missing.push_back({c.server.name, e.problems.front().to_error()});
    if (e.ok()) good.push_back(std::move(e.server));
  }
  if (good.empty()) complain("--config: there is no server that can be used", problems);
  return good;
}

bool is_for_all(command what) {
  return what != command::complete && what != command::ping && what != command::listen;
}

}  // namespace

std::string own_file() {
  auto const variables = comcp::process_variables();
  auto path = comcp::own_config_path(variables.environment());
  if (!path) throw usage_error("no home directory: set HOME or XDG_CONFIG_HOME");
  return *path;
}

comcp::config_file read_file(std::string const& path) {
  // Claude Code keeps its whole state beside its servers.
  constexpr std::size_t most = std::size_t{64} << 20;
  return comcp::load_config(path, comcp::config_options().max_bytes(most).project(current_directory()));
}

std::vector<found_file> find_files(std::string const& source) {
  auto const program = comcp::config_program_from(source);
  if (!source.empty() && !program) {
    auto file = read_file(source);
    auto const& bad = file.problems;
    if (bad.size() == 1 && bad[0].line == 0) complain("no file and no program:", bad);
    return {{std::nullopt, std::move(file)}};
  }
  std::vector<found_file> found;
  for (auto const& where : comcp::config_locations(comcp::process_variables().environment(), current_directory())) {
    auto const same = [&where](found_file const& f) { return f.file.path == where.path; };
    bool const wanted = !program || where.program == *program;
    if (wanted && is_there(where.path) && std::none_of(found.begin(), found.end(), same))
      found.push_back({where, read_file(where.path)});
  }
  return found;
}

void fill(options& o, comcp::configured_server s) {
  auto& t = o.server;
  o.config.used = true;
  if (s.timeout && !o.timeout) o.timeout = *s.timeout;
  if (s.kind == comcp::configured_kind::stdio) {
    t.command = std::move(s.args);
    t.command.insert(t.command.begin(), std::move(s.command));
    t.environment.insert(t.environment.begin(), s.env.begin(), s.env.end());
    if (t.directory.empty()) t.directory = std::move(s.cwd);
    return;
  }
  t.http.url = std::move(s.url);
  t.http.headers.insert(t.http.headers.begin(), s.headers.begin(), s.headers.end());
  t.http.sse = t.http.sse || s.kind == comcp::configured_kind::sse;
}

void use_configured_server(options& o) {
  auto& choice = o.config;
  if (choice.files.empty() && choice.server.empty()) return;
  if (!o.server.command.empty() || !o.server.http.url.empty())
    throw usage_error("one of: --config or --server, --url, a command behind --");
  auto const files = choice.files.empty() ? std::vector{own_file()} : choice.files;
  auto const all = read_candidates(files);
  if (choice.server.empty() && std::none_of(all.servers.begin(), all.servers.end(), is_enabled))
    complain("--config: there is no server that can be used", all.problems);
  if (choice.server.empty() && is_for_all(o.what)) {
    o.servers = all_expanded(all, choice);
  } else {
    fill(o, expanded(choose(all, choice.server), choice.yes));
  }
}

}  // namespace cli
