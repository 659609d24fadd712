// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies servers as they are written, variables and all, into comcp's own file.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <system_error>

#include <comcp/private_file.hpp>
#include <comcp/replace_file.hpp>
#include <comcp/system.hpp>

#include "config_approval.hpp"
#include "config_commands.hpp"
#include "exit_codes.hpp"
#include "text.hpp"

namespace cli {
namespace {

using comcp::config_input;
using comcp::configured_server;
using comcp::json::value;

// The inputs that the server asks for, by their ids.
std::vector<std::string> inputs_of(configured_server const& s) {
  std::vector<std::string> ids;
  auto const text = s.raw.dump();
  constexpr std::string_view mark = "${input:";
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    auto const start = at + mark.size();
    ids.push_back(text.substr(start, text.find_first_of("}\"", start) - start));
  }
  return ids;
}

/// comcp's own file while servers are added to it.
class own_config {
 public:
  explicit own_config(std::string path) : path_(std::move(path)) {
    std::error_code failed;
    if (!std::filesystem::exists(comcp::detail::path_from_text(path_), failed)) return;
    before_ = read_file(path_);
    if (!before_.raw.is_object())
      throw usage_error("comcp's own file cannot be read, so nothing was changed: " +
                        one_line(before_.problems.front().to_string()));
    section_ = before_.raw.contains("servers") && !before_.raw.contains("mcpServers") ? "servers" : "mcpServers";
    for (auto const m : before_.raw.view().find(section_).value_or(comcp::json::view()).members())
      servers_.emplace_back(std::string(m.key), m.value.share());
    for (auto const i : before_.raw.view().find("inputs").value_or(comcp::json::view()).elements())
      inputs_.push_back(i.share());
  }

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// What was done, as a word; why it was not, behind it.
  std::pair<std::string, std::string> add(configured_server const& s, std::vector<config_input> const& known,
                                          bool force) {
    auto const old = std::find_if(servers_.begin(), servers_.end(), [&s](auto const& e) { return e.first == s.name; });
    if (old != servers_.end() && old->second == s.raw) return {"unchanged", ""};
    bool const mine = std::find(added_.begin(), added_.end(), s.name) != added_.end();
    if (mine) return {"left out", "another file has a server of this name, which comes first"};
    if (old == servers_.end() && before_.find(s.name))
      return {"left out", "the own file has one of this name elsewhere"};
    if (old != servers_.end() && !force) return {"left out", "there is another one of this name; --force replaces it"};
    if (auto const id = add_inputs(s, known); !id.empty())
      return {"left out", "its input '" + id + "' is another one in the own file"};
    added_.push_back(s.name);
    if (old != servers_.end()) return old->second = s.raw, std::pair<std::string, std::string>("replaced", "");
    servers_.emplace_back(s.name, s.raw);
    return {"imported", ""};
  }
  /// The server that had this name before; null: none.
  [[nodiscard]] configured_server const* before(std::string const& name) const noexcept { return before_.find(name); }
  [[nodiscard]] bool changed() const noexcept { return !added_.empty(); }
  [[nodiscard]] std::string text() const {
    comcp::json::object servers, all;
    comcp::json::array inputs;
    for (auto const& [name, entry] : servers_) servers.set(name, entry);
    for (auto const& i : inputs_) inputs.add(i);
    for (auto const m : before_.raw.view().members()) {
      if (m.key != section_ && m.key != "inputs") all.set(m.key, m.value.share());
    }
    if (!inputs_.empty()) all.set("inputs", inputs);
    all.set(section_, servers);
    auto const whole = comcp::json::parse(all.text()).value();
    return pretty(whole.view()) + "\n";
  }

 private:
  // The id of one that is defined otherwise already; empty when all are there.
  std::string add_inputs(configured_server const& s, std::vector<config_input> const& known) {
    std::vector<value> more;
    for (auto const& id : inputs_of(s)) {
      auto const asked = std::find_if(known.begin(), known.end(), [&id](auto const& i) { return i.id == id; });
      if (asked == known.end()) continue;
      auto const same_id = [&id](value const& v) {
        auto const other = v.view().find("id");
        return other && other->get_string() == id;
      };
      auto const old = std::find_if(inputs_.begin(), inputs_.end(), same_id);
      if (old != inputs_.end() && !(*old == asked->raw)) return id;
      if (old == inputs_.end() && std::none_of(more.begin(), more.end(), same_id)) more.push_back(asked->raw);
    }
    inputs_.insert(inputs_.end(), more.begin(), more.end());
    return {};
  }

  std::string path_;
  comcp::config_file before_;
  std::string section_ = "mcpServers";
  std::vector<std::pair<std::string, value>> servers_;
  std::vector<value> inputs_;
  std::vector<std::string> added_;
};

// What is read: a file that is named, else the user's files. A project's files, which somebody else may have written, are
// read by their names alone; never the file that is written.
struct sources {
  std::vector<found_file> used, left_alone;
};

sources sources_of(options const& o, std::string const& own) {
  sources out;
  for (auto& f : find_files(o.config.source)) {
    std::error_code failed;
    bool const same = std::filesystem::equivalent(comcp::detail::path_from_text(f.file.path),
                                                   comcp::detail::path_from_text(own), failed) && !failed;
    bool const of_project = f.where && f.where->scope == comcp::config_scope::project && !is_users_own(f.file.path);
    bool const of_comcp = o.config.source.empty() && f.where && f.where->program == comcp::config_program::own;
    if (!same && !(of_comcp && !of_project)) (of_project ? out.left_alone : out.used).push_back(std::move(f));
  }
  return out;
}

/// One server, and what became of it.
struct addition {
  found_file const* from;
  configured_server const* server;
  std::string done, why;

  [[nodiscard]] bool is_change() const noexcept { return done == "imported" || done == "replaced"; }
};

std::vector<addition> add_all(own_config& own, std::vector<found_file> const& files, bool force) {
  std::vector<addition> all;
  for (auto const& f : files) {
    for (auto const& s : f.file.servers) {
      auto [done, why] = own.add(s, f.file.inputs, force);
      all.push_back({&f, &s, std::move(done), std::move(why)});
    }
  }
  return all;
}

std::string told(own_config const& own, std::vector<addition> const& all) {
  std::ostringstream out;
  for (auto const& a : all) {
    out << a.done << ": " << one_line(a.server->name) << " of " << title_of(*a.from);
    out << (a.why.empty() ? "" : ": ") << one_line(a.why) << '\n';
    if (a.is_change()) out << described(*a.server);
    if (auto const* const old = own.before(a.server->name); old && a.is_change())
      out << "  in place of:\n" << described(*old);
  }
  return out.str();
}

void print(own_config const& own, sources const& from, std::vector<addition> const& all) {
  for (auto const& f : from.left_alone)
    std::cerr << "left alone: " << title_of(f) << ": name the file to import it\n";
  for (auto const& f : from.used) {
    for (auto const& p : f.file.problems) std::cerr << "left out: " << one_line(p.to_string()) << '\n';
  }
  std::cout << told(own, all) << std::flush;
}

comcp::json::object report(own_config const& own, sources const& from, std::vector<addition> const& all, bool written) {
  comcp::json::array told, alone;
  for (auto const& a : all)
    told.add(json_of(*a.server).set("file", a.server->file).set("done", a.done).set("why", a.why));
  for (auto const& f : from.left_alone) alone.add(f.file.path);
  return comcp::json::object().set("file", own.path()).set("written", written).set("servers", told).set("leftAlone", alone);
}

// With --json, stdout has not shown it.
bool may_write(options const& o, own_config const& own, std::vector<addition> const& all) {
  if (o.config.yes) return true;
  auto const what = o.json ? told(own, all) : std::string();
  auto const answer = ask_yes(what + "Write this to " + one_line(own.path()) + "? [y/N] ");
  if (!answer)
    throw usage_error("nothing was written: nobody sits at a terminal to be asked. If it is as you want it (--dry-run "
                      "shows it), add --yes");
  return *answer;
}

}  // namespace

int import_config(options const& o) {
  own_config own(own_file());
  auto const from = sources_of(o, own.path());
  auto const all = add_all(own, from.used, o.config.force);
  bool complete = std::all_of(all.begin(), all.end(), [](addition const& a) { return a.why.empty(); });
  for (auto const& f : from.used) complete = complete && f.file.problems.empty();
  if (!o.json) print(own, from, all);
  bool const wanted = own.changed() && !o.config.dry_run;
  bool const write = wanted && may_write(o, own, all);
  if (write) write_private_file(own.path(), own.text());
  if (o.json) {
    std::cout << json_text(report(own, from, all, write).text()) << '\n';
  } else {
    char const* const dry = own.changed() && o.config.dry_run ? "would be written: " : "not changed: ";
    std::cout << (write ? "written: " : dry) << one_line(own.path()) << '\n';
  }
  return complete && write == wanted ? exit_ok : exit_usage;
}

void write_private_file(std::string const& path, std::string_view text) {
  auto const target = comcp::detail::link_target(comcp::detail::path_from_text(path));
  auto done = comcp::detail::make_private_folders(target.parent_path());
  if (done) done = comcp::detail::replace_file(target, text, 0600);
  if (!done) throw usage_error("cannot write '" + path + "': " + done.error().code().message());
}

}  // namespace cli
