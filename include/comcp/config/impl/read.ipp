// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <set>

#include <comcp/config/read.hpp>
#include <comcp/json/build.hpp>
#include <comcp/json/text_map.hpp>

namespace comcp {
namespace detail {

// "a.b"; keys that are no plain words are quoted: a["b c"].
inline std::string config_key(std::string_view base, std::string_view key) {
  bool const plain = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '@' || c == '/' || c == '$';
  });
  std::string out(base);
  if (!plain) return out.append("[").append(json::to_text(key)).append("]");
  if (!out.empty()) out += '.';
  return out.append(key);
}

inline std::string config_key(std::string_view base, std::size_t index) {
  return std::string(base) + "[" + std::to_string(index) + "]";
}

/// Reads one text.
class config_reader {
 public:
  config_reader(std::string_view text, config_options const& options)
      : options_(options), text_(without_comments(text)), map_(text_) {
    out_.path = options.file();
  }

  config_file run() {
    if (auto const& broken = map_.broken()) return fail_whole(errc::invalid_json, broken->offset, broken->what);
    auto parsed = json::parse(text_, json::parse_options().max_bytes(options_.max_bytes()));
    if (!parsed) {
      auto const at = map_.unreadable();
      auto const& e = parsed.error();
      return fail_whole(static_cast<errc>(e.code().value()), at ? at->offset : 0,
                        at ? at->what : std::string(e.message()));
    }
    out_.raw = std::move(*parsed);
    located const root{out_.raw.view(), 0};
    if (!root.value.is_object()) return fail_whole(errc::wrong_shape, map_.nodes()[0].value, "not a JSON object");
    if (!options_.project().empty()) project(root);
    sections(root, "");
    if (auto const settings = find_member(map_, root, "mcp"); settings && settings->value.is_object())
      sections(*settings, "mcp");
    return std::move(out_);
  }

 private:
  void problem(located at, std::string key, std::string text, errc code = errc::wrong_shape) {
    if (out_.problems.size() > options_.max_problems()) return;
    if (out_.problems.size() == options_.max_problems()) {
      key.clear();
      text = "more problems than are told";
      code = errc::limit_exceeded;
    }
    auto const place = map_.place(map_.nodes()[at.node].value);
    out_.problems.push_back({out_.path, place.line, place.column, std::move(key), code, std::move(text)});
  }
  config_file fail_whole(errc code, std::size_t offset, std::string text) {
    auto const place = map_.place(offset);
    out_.problems.push_back({out_.path, place.line, place.column, "", code, std::move(text)});
    return std::move(out_);
  }

  void project(located root) {
    auto const all = find_member(map_, root, "projects");
    auto const mine = all ? find_member(map_, *all, options_.project()) : std::nullopt;
    if (!mine || !mine->value.is_object()) return;
    sections(*mine, config_key("projects", options_.project()));
    hidden_.swap(names_);
  }
  void sections(located object, std::string const& base) {
    each_member(map_, object, [&](std::string_view key, located m) {
      if (key == "mcpServers" || key == "servers") servers(m, config_key(base, key));
      if (key == "inputs") inputs(m, config_key(base, key));
    });
  }
  void servers(located section, std::string const& base) {
    if (!section.value.is_object()) return problem(section, base, "not an object of servers");
    each_member(map_, section, [&](std::string_view name, located entry) { server(name, entry, base); });
  }
  void server(std::string_view name, located entry, std::string const& base) {
    auto const path = config_key(base, name);
    if (name.empty()) return problem(entry, path, "a server without a name", errc::invalid_argument);
    if (hidden_.contains(std::string(name))) return;
    if (!names_.insert(std::string(name)).second)
      return problem(entry, path, "there is a server of this name already", errc::invalid_argument);
    if (out_.servers.size() >= options_.max_servers()) {
      if (!std::exchange(full_, true))
        problem(entry, path, "more servers than max_servers (" + std::to_string(options_.max_servers()) + ")",
                errc::limit_exceeded);
      return;
    }
    if (!entry.value.is_object()) return problem(entry, path, "not an object");
    auto const before = out_.problems.size();
    configured_server s;
    s.name = name;
    s.file = out_.path;
    s.path = path;
    s.raw = entry.value.share();
    members(s, entry);
    if (out_.problems.size() == before) decide_kind(s, entry);
    if (out_.problems.size() == before) out_.servers.push_back(std::move(s));
  }

  void members(configured_server& s, located entry) {
    keep_place(s, entry, "");
    std::set<std::string_view> seen;
    each_member(map_, entry, [&](std::string_view key, located m) {
      auto const name = std::string(key);
      if (!member(s, name, m)) return;
      if (!seen.insert(key).second) problem(m, config_key(s.path, key), "is there twice", errc::invalid_argument);
    });
  }
  // Whether the key is one that has a meaning.
  bool member(configured_server& s, std::string const& key, located m) {
    for (auto const& [known, target] :
         {std::pair{"command", &s.command}, {"cwd", &s.cwd}, {"envFile", &s.env_file}, {"url", &s.url}}) {
      if (key == known) return text(s, m, key, *target), true;
    }
    if (key == "args") return list(s, m), true;
    if (key == "env") return pairs(s, m, key, true, s.env), true;
    if (key == "headers") return pairs(s, m, key, false, s.headers), true;
    if (key == "timeout") return timeout(s, m), true;
    if (key != "disabled" && key != "enabled") return key == "type";
    auto const yes = m.value.get_bool();
    if (!yes) problem(m, config_key(s.path, key), "neither true nor false");
    if (yes == (key == "disabled")) s.disabled = true;
    return true;
  }
  void keep_place(configured_server& s, located m, std::string key) {
    auto const place = map_.place(map_.nodes()[m.node].value);
    s.places.push_back({std::move(key), place.line, place.column});
  }
  void text(configured_server& s, located m, std::string const& key, std::string& target) {
    auto const value = m.value.get_string();
    auto const path = config_key(s.path, key);
    if (!value) return problem(m, path, "not a string");
    if (value->empty() && key != "cwd") return problem(m, path, "empty", errc::invalid_argument);
    target = *value;
    keep_place(s, m, key);
  }
  void list(configured_server& s, located m) {
    auto const path = config_key(s.path, "args");
    if (!m.value.is_array()) return problem(m, path, "not an array of strings");
    each_element(map_, m, [&](std::size_t index, located element) {
      auto const value = element.value.get_string();
      if (!value) return problem(element, config_key(path, index), "not a string");
      s.args.emplace_back(*value);
      keep_place(s, element, config_key("args", index));
    });
  }
  void pairs(configured_server& s, located m, std::string const& key, bool lenient,
             std::vector<std::pair<std::string, std::string>>& target) {
    auto const path = config_key(s.path, key);
    if (!m.value.is_object()) return problem(m, path, "not an object of strings");
    std::set<std::string_view> seen;
    each_member(map_, m, [&](std::string_view name, located one) {
      if (!seen.insert(name).second)
        return problem(one, config_key(path, name), "is there twice", errc::invalid_argument);
      if (lenient && one.value.is_null()) return;
      bool const number = lenient && one.value.is_number();
      auto const value = one.value.get_string();
      if (!value && !number) return problem(one, config_key(path, name), "not a string");
      target.emplace_back(name, number ? one.value.dump() : std::string(*value));
      keep_place(s, one, config_key(key, name));
    });
  }
  void timeout(configured_server& s, located m) {
    constexpr std::int64_t day = 86'400'000;
    auto const value = m.value.get_int64();
    if (!value || *value <= 0 || *value > day)
      return problem(m, config_key(s.path, "timeout"), "not a number of milliseconds from 1 to a day");
    s.timeout = std::chrono::milliseconds(*value);
  }

  void decide_kind(configured_server& s, located entry) {
    bool const command = !s.command.empty(), url = !s.url.empty();
    if (command && url)
      return problem(entry, s.path, "has both command and url: one of them says how to reach it",
                     errc::invalid_argument);
    auto const type = find_member(map_, entry, "type");
    if (type && !type->value.is_string()) return problem(*type, config_key(s.path, "type"), "not a string");
    auto const said = type ? *type->value.get_string() : std::string_view(url ? "http" : "stdio");
    if (said == "stdio") {
      s.kind = configured_kind::stdio;
    } else if (said == "http" || said == "streamable-http" || said == "streamableHttp") {
      s.kind = configured_kind::http;
    } else if (said == "sse") {
      s.kind = configured_kind::sse;
    } else {
      return problem(*type, config_key(s.path, "type"), "not one of stdio, http, streamable-http, sse");
    }
    if (!type && !command && !url) return problem(entry, s.path, "has neither command nor url");
    if (s.kind == configured_kind::stdio && !command) return problem(entry, s.path, "has no command");
    if (s.kind != configured_kind::stdio && !url) return problem(entry, s.path, "has no url");
  }

  void inputs(located section, std::string const& base) {
    if (!section.value.is_array()) return problem(section, base, "not an array of inputs");
    each_element(map_, section, [&](std::size_t index, located one) { input(one, config_key(base, index)); });
  }
  void input(located one, std::string const& path) {
    config_input in;
    auto const text = [&](char const* key) {
      auto const found = find_member(map_, one, key);
      if (found && !found->value.is_string()) problem(*found, config_key(path, key), "not a string");
      return std::string(found ? found->value.get_string().value_or("") : "");
    };
    if (!one.value.is_object()) return problem(one, path, "not an object");
    in.id = text("id");
    if (in.id.empty()) return problem(one, path, "an input without an id");
    auto const same = [&in](config_input const& other) { return other.id == in.id; };
    if (std::any_of(out_.inputs.begin(), out_.inputs.end(), same))
      return problem(one, path, "there is an input of this id already", errc::invalid_argument);
    in.type = text("type");
    in.description = text("description");
    if (find_member(map_, one, "default")) in.default_value = text("default");
    in.password = one.value.find("password").value_or(json::view()).get_bool().value_or(false);
    // An option is a string, or an object with a label and a value.
    for (auto const o : one.value.find("options").value_or(json::view()).elements()) {
      auto const value = o.is_object() ? o.find("value") : std::optional(o);
      if (value && value->is_string()) in.options.emplace_back(*value->get_string());
    }
    in.raw = one.value.share();
    out_.inputs.push_back(std::move(in));
  }

  config_options const& options_;
  std::string text_;
  text_map map_;
  config_file out_;
  std::set<std::string> names_;   // of the section that is read now, and of its siblings
  std::set<std::string> hidden_;  // those of the project, which win
  bool full_ = false;
};

}  // namespace detail

COMCP_DECL config_file read_config(std::string_view text, config_options const& options) {
  constexpr std::size_t most = 0xFFFFFFFE;
  if (text.size() > std::min(options.max_bytes(), most)) {
    config_file out;
    out.path = options.file();
    out.problems.push_back({out.path, 1, 1, "", errc::limit_exceeded,
                            "larger than max_bytes (" + std::to_string(options.max_bytes()) + ")"});
    return out;
  }
  return detail::config_reader(text, options).run();
}

}  // namespace comcp
