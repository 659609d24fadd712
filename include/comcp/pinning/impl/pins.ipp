// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include <comcp/json/build.hpp>
#include <comcp/json/text_map.hpp>
#include <comcp/pinning/pins.hpp>

namespace comcp {
namespace detail {

// Version 1 has tools only.
inline constexpr std::int64_t lock_file_version = 2;

inline std::string lock_file_place(std::string_view file, text_map const& map, std::size_t offset) {
  auto const at = map.place(offset);
  return std::string(file) + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) + ": ";
}

// Reads a lock file; stops at the first thing that is wrong.
class lock_reader {
 public:
  lock_reader(std::string_view file, text_map const& map) : file_(file), map_(map) {}

  result<tool_pins> read(json::view text) {
    located const root{text, 0};
    if (!text.is_object()) return wrong(root, "an object is expected");
    auto const version = find_member(map_, root, "version");
    if (!version) return wrong(root, "\"version\" is missing");
    auto const number = version->value.get_int64();
    if (number != 1 && number != lock_file_version) {
      auto const found = number ? ", this is " + std::to_string(*number) : std::string();
      return wrong(*version, "version 1 or " + std::to_string(lock_file_version) + " is expected" + found);
    }
    each_member(map_, root, [&](std::string_view key, located m) { read_section(key, m, *number); });
    json::read_error twice;
    bool const has_tools = find_member(map_, root, "tools").has_value();
    if (!failed_ && (!has_tools || !json::unique_keys(text, twice)))
      return wrong(root, "one \"tools\" and one \"version\" are expected");
    if (failed_) return failed_;
    return std::move(pins_);
  }

 private:
  void read_section(std::string_view key, located section, std::int64_t version) {
    if (key == "version") return;
    if (key == "tools") return read_servers(section, pin_kind::tool);
    if (version > 1 && key == "prompts") return read_servers(section, pin_kind::prompt);
    if (version < 2 || key != "instructions") return fail(section, "unknown key");
    if (!section.value.is_object()) return fail(section, "an object from servers to fingerprints is expected");
    each_member(map_, section,
                [&](std::string_view server, located pin) { approve(server, {}, pin, pin_kind::instructions); });
  }
  void read_servers(located section, pin_kind kind) {
    if (!section.value.is_object()) return fail(section, "an object from servers to what they have is expected");
    each_member(map_, section, [&](std::string_view server, located its) { read_server(server, its, kind); });
  }
  void read_server(std::string_view server, located its, pin_kind kind) {
    if (!pins_.know(server, kind)) return fail(its, "this server comes twice");
    if (!its.value.is_object()) return fail(its, "an object from names to fingerprints is expected");
    each_member(map_, its, [&](std::string_view name, located pin) { approve(server, name, pin, kind); });
  }
  void approve(std::string_view server, std::string_view name, located pin, pin_kind kind) {
    auto const its = pins_.servers(kind).find(server);
    if (its != pins_.servers(kind).end() && its->second.contains(name)) return fail(pin, "this comes twice");
    auto const text = pin.value.get_string();
    if (!text || !pins_.approve(server, name, *text, kind))
      fail(pin, "\"sha256:\" and 64 lower-case hexadecimal digits are expected");
  }

  void fail(located where, std::string const& what) {
    if (!failed_) failed_ = wrong(where, what);
  }
  [[nodiscard]] error wrong(located where, std::string const& what) const {
    auto const path = where.value.path();
    auto const place = lock_file_place(file_, map_, map_.nodes()[where.node].key);
    return error(errc::wrong_shape, place + (path.empty() ? std::string() : path + ": ") + what);
  }

  std::string file_;
  text_map const& map_;
  tool_pins pins_;
  error failed_;
};

// An object from names to fingerprints.
inline void append_members(std::string& out, tool_pins::by_tool const& pins, std::string const& indent) {
  out += '{';
  char const* before = "\n";
  for (auto const& [name, pin] : pins) {
    out.append(before).append(indent).append("  ").append(json::to_text(name)).append(": ").append(json::to_text(pin));
    before = ",\n";
  }
  out.append(pins.empty() ? "}" : "\n" + indent + "}");
}

inline void append_pins(std::string& out, char const* kind, tool_pins::by_server const& servers) {
  out.append(",\n  \"").append(kind).append("\": {");
  char const* before = "\n";
  for (auto const& [server, pins] : servers) {
    append_members(out.append(before).append("    ").append(json::to_text(server)).append(": "), pins, "    ");
    before = ",\n";
  }
  out.append(servers.empty() ? "}" : "\n  }");
}

}  // namespace detail

COMCP_DECL pin_check tool_pins::check(pin_kind kind, std::string_view server, std::string_view name,
                                      std::string fingerprint) const {
  pin_check out;
  out.offered = std::move(fingerprint);
  auto const its = servers(kind).find(server);
  if (its == servers(kind).end()) return out;
  auto const pin = its->second.find(name);
  if (pin == its->second.end()) return out.state = pin_state::added, out;
  out.approved = pin->second;
  out.state = out.approved == out.offered ? pin_state::unchanged : pin_state::changed;
  return out;
}

COMCP_DECL pin_check tool_pins::check(std::string_view server, tool const& definition) const {
  return check(pin_kind::tool, server, definition.name, fingerprint(definition));
}
COMCP_DECL pin_check tool_pins::check(std::string_view server, prompt const& definition) const {
  return check(pin_kind::prompt, server, definition.name, fingerprint(definition));
}

COMCP_DECL void tool_pins::approve(std::string_view server, tool const& definition) {
  (void)approve(server, definition.name, fingerprint(definition), pin_kind::tool);
}
COMCP_DECL void tool_pins::approve(std::string_view server, prompt const& definition) {
  (void)approve(server, definition.name, fingerprint(definition), pin_kind::prompt);
}

COMCP_DECL result<void> tool_pins::approve(std::string_view server, std::string_view name, std::string_view fingerprint,
                                           pin_kind kind) {
  if (!is_fingerprint(fingerprint)) return error(errc::invalid_argument, "this is no fingerprint");
  all(kind)[std::string(server)][std::string(name)] = fingerprint;
  return {};
}

COMCP_DECL bool tool_pins::know(std::string_view server, pin_kind kind) {
  return all(kind).try_emplace(std::string(server)).second;
}

COMCP_DECL bool tool_pins::forget(std::string_view server, std::string_view name, pin_kind kind) {
  auto const its = all(kind).find(server);
  if (its == all(kind).end()) return false;
  auto const pin = its->second.find(name);
  if (pin == its->second.end()) return false;
  its->second.erase(pin);
  if (its->second.empty()) all(kind).erase(its);
  return true;
}

COMCP_DECL bool tool_pins::forget(std::string_view server) {
  bool any = false;
  for (auto& known : kinds_) {
    auto const its = known.find(server);
    if (its == known.end()) continue;
    known.erase(its);
    any = true;
  }
  return any;
}

COMCP_DECL std::size_t tool_pins::size() const noexcept {
  std::size_t n = 0;
  for (auto const& known : kinds_) {
    for (auto const& [server, names] : known) n += names.size();
  }
  return n;
}

COMCP_DECL bool tool_pins::empty() const noexcept {
  return kinds_[0].empty() && kinds_[1].empty() && kinds_[2].empty();
}

COMCP_DECL std::string tool_pins::to_text() const {
  bool const tools_only = kinds_[1].empty() && kinds_[2].empty();
  auto out = "{\n  \"version\": " + std::to_string(tools_only ? 1 : detail::lock_file_version);
  detail::append_pins(out, "tools", kinds_[0]);
  if (!kinds_[1].empty()) detail::append_pins(out, "prompts", kinds_[1]);
  if (!kinds_[2].empty()) {
    by_tool by_name;  // each has one text
    for (auto const& [server, texts] : kinds_[2]) by_name.emplace(server, texts.begin()->second);
    detail::append_members(out.append(",\n  \"instructions\": "), by_name, "  ");
  }
  return out.append("\n}\n");
}

COMCP_DECL result<tool_pins> tool_pins::parse(std::string_view text, std::string_view file) {
  auto const root = json::parse(text);
  if (!root && root.error() == errc::limit_exceeded)
    return root.error().with_message(std::string(file) + ": " + std::string(root.error().message()));
  detail::text_map const map(text);
  auto const wrong = map.broken() || root ? map.broken() : map.unreadable();
  if (wrong) return error(errc::invalid_json, detail::lock_file_place(file, map, wrong->offset) + wrong->what);
  if (!root) return root.error().with_message(std::string(file) + ": " + std::string(root.error().message()));
  return detail::lock_reader(file, map).read(*root);
}

}  // namespace comcp
