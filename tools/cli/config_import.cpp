// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies servers as they are written, variables and all, into comcp's own file.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <unistd.h>

#include <comcp/json/build.hpp>

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
    if (!std::filesystem::exists(path_, failed)) return;
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

// Not comcp's own files, unless they are asked for; never the one that is written.
std::vector<found_file> sources(options const& o, std::string const& own) {
  auto all = find_files(o.config.source);
  std::erase_if(all, [&](found_file const& f) {
    std::error_code failed;
    bool const same = std::filesystem::equivalent(f.file.path, own, failed) && !failed;
    return same || (o.config.source.empty() && f.where && f.where->program == comcp::config_program::own);
  });
  return all;
}

}  // namespace

int import_config(options const& o) {
  own_config own(own_file());
  auto const files = sources(o, own.path());
  comcp::json::array told;
  bool complete = true;
  for (auto const& f : files) {
    for (auto const& p : f.file.problems) std::cerr << "left out: " << one_line(p.to_string()) << '\n';
    complete = complete && f.file.problems.empty();
    for (auto const& s : f.file.servers) {
      auto const [done, why] = own.add(s, f.file.inputs, o.config.force);
      complete = complete && why.empty();
      told.add(comcp::json::object().set("name", s.name).set("file", s.file).set("done", done).set("why", why));
      if (o.json) continue;
      std::cout << done << ": " << one_line(s.name) << " of " << title_of(f);
      std::cout << (why.empty() ? "" : ": ") << one_line(why) << '\n';
    }
  }
  bool const write = own.changed() && !o.config.dry_run;
  if (write) write_private_file(own.path(), own.text());
  if (o.json) {
    comcp::json::object all;
    std::cout << all.set("file", own.path()).set("written", write).set("servers", told).text() << '\n';
  } else {
    char const* const what = write ? "written: " : own.changed() ? "would be written: " : "not changed: ";
    std::cout << what << one_line(own.path()) << '\n';
  }
  return complete ? exit_ok : exit_usage;
}

void write_private_file(std::string const& path, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path target = path;
  if (fs::is_symlink(target, failed)) {
    target = fs::canonical(target, failed);
    if (failed) throw usage_error("cannot write '" + path + "': " + failed.message());
  }
  failed.clear();
  if (auto const folder = target.parent_path(); !folder.empty() && fs::create_directories(folder, failed))
    fs::permissions(folder, fs::perms::owner_all, failed);
  failed.clear();
  auto part = target.string() + ".XXXXXX";
  int const fd = ::mkstemp(part.data());  // mode 0600
  if (fd < 0) throw usage_error("cannot write '" + path + "': " + std::system_category().message(errno));
  bool good = true;
  while (good && !text.empty()) {
    auto const n = ::write(fd, text.data(), text.size());
    good = n > 0 || (n < 0 && errno == EINTR);
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  good = good && ::fsync(fd) == 0;
  good = ::close(fd) == 0 && good;
  if (good) fs::rename(part, target, failed);
  if (good && !failed) return;
  ::unlink(part.c_str());
  throw usage_error("cannot write '" + path + "'");
}

}  // namespace cli
