// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "config_approval.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <vector>

#include <comcp/config/load.hpp>
#include <comcp/config/locations.hpp>
#include <comcp/hash/sha256.hpp>
#include <comcp/json/writer.hpp>
#include <comcp/replace_file.hpp>
#include <comcp/system.hpp>

#include "config_commands.hpp"
#include "exit_codes.hpp"
#include "text.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using comcp::detail::path_from_text;
using comcp::detail::text_of_path;
using strings = std::vector<std::string>;

std::string approvals_file() { return text_of_path(path_from_text(own_file()).parent_path() / "approved"); }

// Lines of a fingerprint and the file's name; the newest last.
strings read_approvals() try {
  constexpr std::size_t most = std::size_t{1} << 20;
  auto const from = comcp::detail::open_regular(path_from_text(approvals_file()));
  auto const text = from ? comcp::detail::read_rest(*from, most, {}) : comcp::result<std::string>("");
  return text ? wrap(*text, most) : strings();
} catch (usage_error const&) {
  return {};  // no home: nothing is kept
}

// The place belongs to it: a command such as ./server is another one elsewhere.
std::string fingerprint(comcp::config_file const& file) {
  std::error_code failed;
  auto const place = text_of_path(fs::weakly_canonical(path_from_text(file.path), failed));
  comcp::sha256_hasher hash;
  hash.update(failed ? file.path : place).update(std::string_view("\0", 1)).update(file.raw.dump());
  return comcp::to_hex(hash.digest());
}

void remember(strings lines, std::string const& fingerprint, std::string const& path) {
  constexpr std::size_t most = 1000;
  lines.push_back(fingerprint + "  " + one_line(path));
  std::string text;
  for (auto i = lines.size() > most ? lines.size() - most : 0; i < lines.size(); ++i) text.append(lines[i]).append("\n");
  try {
    write_private_file(approvals_file(), text);
  } catch (usage_error const& e) {
    std::cerr << "comcp: the answer cannot be kept: " << e.what() << '\n';
  }
}

std::string joined(char const* title, strings const& names) {
  if (names.empty()) return {};
  std::string out = title;
  for (auto const& name : names) out.append(&name == &names.front() ? "" : ", ").append(one_line(name));
  return out + "\n";
}

strings names_of(std::vector<std::pair<std::string, std::string>> const& pairs) {
  strings names;
  for (auto const& [name, value] : pairs) names.push_back(name);
  return names;
}

// Where a text ends and what it is can be told: whatever a shell would not show so is in quotes, as JSON has it.
std::string as_written(std::string const& text) {
  auto const plain = [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string quoted;
  comcp::json::detail::append_string(quoted, text);
  return one_line(json_text(quoted));
}

std::string endpoint_as_written(comcp::configured_server const& s) {
  if (s.kind != comcp::configured_kind::stdio) return as_written(s.url);
  auto out = as_written(s.command);
  for (auto const& argument : s.args) out.append(" ").append(as_written(argument));
  return out;
}

std::string all_as_written(comcp::configured_server const& s) {
  std::string out;
  for (auto const& [name, value] : s.env)
    out.append("    sets: ").append(as_written(name)).append("=").append(as_written(value)).append("\n");
  for (auto const& [name, value] : s.headers)
    out.append("    header: ").append(as_written(name)).append(": ").append(as_written(value)).append("\n");
  return out;
}

}  // namespace

bool is_users_own(std::string const& path) {
  auto const v = comcp::process_variables();
  auto const all = comcp::config_locations(v.environment(), v.workspace_folder());
  return std::any_of(all.begin(), all.end(), [&path](comcp::config_location const& l) {
    std::error_code failed;
    return l.scope == comcp::config_scope::user && fs::equivalent(path_from_text(l.path), path_from_text(path), failed) && !failed;
  });
}

std::string described(comcp::configured_server const& s) {
  bool const own = is_users_own(s.file);
  std::string const what = s.kind == comcp::configured_kind::stdio ? "    starts: " : "    talks to: ";
  std::string out = what + (own ? one_line(shown_endpoint(s)) : endpoint_as_written(s)) + "\n";
  if (!s.cwd.empty()) out.append("    in: ").append(as_written(s.cwd)).append("\n");
  if (!s.env_file.empty()) out.append("    variables from: ").append(as_written(s.env_file)).append("\n");
  if (own) out.append(joined("    sets: ", names_of(s.env))).append(joined("    headers: ", names_of(s.headers)));
  if (!own) out.append(all_as_written(s));
  return out.append(joined("    reads of your environment: ", comcp::variables_read(s)));
}

void approve_reading(comcp::config_file const& file, bool yes) {
  auto const key = fingerprint(file);
  auto known = read_approvals();
  if (std::any_of(known.begin(), known.end(), [&key](auto const& line) { return line.starts_with(key); })) return;
  auto text = one_line(file.path) + " reads variables of your environment, which its servers can send anywhere:\n";
  for (auto const& s : file.servers) {
    if (!comcp::variables_read(s).empty()) text.append("  ").append(one_line(s.name)).append("\n").append(described(s));
  }
  auto const answer = yes ? true : ask_yes(text + "Let them, and ask again only when the file changes? [y/N] ");
  if (!answer) throw usage_error(text + "nobody sits at a terminal to be asked: if that is as you want it, add --yes");
  if (!*answer) throw usage_error("nothing was started: " + one_line(file.path) + " may not read these variables");
  remember(std::move(known), key, file.path);
}

}  // namespace cli
