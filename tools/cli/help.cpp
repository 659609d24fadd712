// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "suggest.hpp"
#include "text.hpp"

namespace cli {
namespace {

using CLI::AppFormatMode;
using strings = std::vector<std::string>;

bool is_in(CLI::App const* app, std::initializer_list<std::string_view> names) {
  for (; app; app = app->get_parent()) {
    if (std::find(names.begin(), names.end(), app->get_name()) != names.end()) return true;
  }
  return false;
}

// Of the options that every command has, those that most need.
bool is_common(CLI::App const* app, CLI::Option const& option) {
  constexpr std::array<std::string_view, 11> common{"--json",   "--timeout", "--verbose", "--watch",      "--count", "--env",
                                                    "--config", "--server",  "--url",     "--bearer-env", "--header"};
  using namespace option_group;
  auto const group = option.get_group();
  if (group == login) return is_in(app, {"login", "logout", "whoami", "doctor"});
  bool const shared = group == output || group == option_group::server || group == http || group == option_group::config;
  return !shared || std::find(common.begin(), common.end(), option.get_name()) != common.end();
}

// Help that fits 100 columns, and a usage line that shows where the server's command line goes.
class formatter : public CLI::Formatter {
 public:
  formatter() { column_width(name_width); }

  std::string make_usage(CLI::App const* app, std::string name) const override {
    auto text = CLI::Formatter::make_usage(app, std::move(name));
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    if (is_in(app, {"config"})) return text + "\n";
    auto const others = text + " --url URL\n" + text + " --config FILE --server NAME\n";
    if (is_in(app, {"login", "logout", "whoami", "doctor"})) return others;
    return text + " -- SERVER [ARGUMENT...]\n" + others;
  }
  std::string make_help(CLI::App const* app, std::string name, AppFormatMode mode) const override {
    auto out = make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) + options(app, mode);
    return out + make_subcommands(app, AppFormatMode::Normal) + "\n" + make_footer(app);
  }
  std::string make_option_desc(CLI::Option const* option) const override {
    return folded(CLI::Formatter::make_option_desc(option));
  }

 private:
  std::string options(CLI::App const* app, AppFormatMode mode) const {
    std::string out;
    for (auto const& group : app->get_groups()) {
      auto const shown = app->get_options([&](CLI::Option const* o) {
        return o->get_group() == group && o->nonpositional() && (mode == AppFormatMode::All || is_common(app, *o));
      });
      if (!group.empty() && !shown.empty()) out += make_group(group, false, shown);
    }
    if (mode == AppFormatMode::All || is_in(app, {"config"})) return out;
    return out + "\nMore: --help-all shows every option (time, protocol, server, certificates, proxies, logins).\n";
  }

  static constexpr std::size_t name_width = 32;

  static std::string folded(std::string const& text) {
    std::string out;
    for (auto const& line : wrap(text, 100 - name_width)) out.append(out.empty() ? "" : "\n").append(line);
    return out;
  }
};

strings option_names(CLI::App const* app) {
  strings names;
  for (; app; app = app->get_parent()) {
    for (auto const* const o : app->get_options()) names.push_back(o->get_name());
  }
  return names;
}

strings command_names(CLI::App const& app) {
  strings names;
  for (auto const* const sub : app.get_subcommands([](CLI::App const*) { return true; })) names.push_back(sub->get_name());
  return names;
}

std::string full_name(CLI::App const* app) {
  auto const name = app->get_name();
  return app->get_parent() ? full_name(app->get_parent()) + " " + name : name;
}

}  // namespace

std::shared_ptr<CLI::Formatter> help_format() { return std::make_shared<formatter>(); }

std::string with_dashes(std::string const& command, strings const& words, std::size_t server) {
  auto line = command;
  for (std::size_t i = 0; i < words.size(); ++i) line.append(i == server ? " -- " : " ").append(one_line(words[i]));
  return line;
}

std::string explained(CLI::App const& app, CLI::ParseError const& e, bool server_given) {
  auto const* at = &app;  // the command that was understood
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  auto const see = " (see " + full_name(at) + " --help)";
  auto const left = app.remaining(true);
  if (left.empty()) {
    bool const no_command = at->get_require_subcommand_min() > 0;
    return (no_command ? "a command is missing: " + CLI::detail::join(command_names(*at), ", ") : e.what()) + see;
  }
  auto const first = left.front().substr(0, left.front().find('='));
  if (first.starts_with('-')) {
    auto const hint = did_you_mean(first, option_names(at));
    return "there is no option '" + one_line(first) + "'" + hint + see;
  }
  if (at->get_require_subcommand_min() > 0)
    return "there is no command '" + one_line(first) + "'" + did_you_mean(first, command_names(*at)) + see;
  if (server_given || is_in(at, {"config", "login", "logout", "whoami", "doctor"}))
    return "'" + one_line(first) + "' is one word too many" + see;
  return "'" + one_line(first) + "' is not expected here; a server's command line stands behind --, as in: " +
         with_dashes(full_name(at), left, 0);
}

}  // namespace cli
