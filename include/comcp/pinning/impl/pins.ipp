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

inline constexpr std::int64_t lock_file_version = 1;

inline std::string lock_file_place(std::string_view file, text_map const& map, std::size_t offset) {
  auto const at = map.place(offset);
  return std::string(file) + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) + ": ";
}

// Reads "tools" of a lock file; stops at the first thing that is wrong.
class lock_reader {
 public:
  lock_reader(std::string_view file, text_map const& map) : file_(file), map_(map) {}

  result<tool_pins> read(json::view text) {
    located const root{text, 0};
    if (!text.is_object()) return wrong(root, "an object is expected");
    auto const version = find_member(map_, root, "version");
    if (!version) return wrong(root, "\"version\" is missing");
    auto const number = version->value.get_int64();
    if (number != lock_file_version) {
      auto const found = number ? ", this is " + std::to_string(*number) : std::string();
      return wrong(*version, "version " + std::to_string(lock_file_version) + " is expected" + found);
    }
    each_member(map_, root, [&](std::string_view key, located m) {
      if (key != "version" && key != "tools") fail(m, "unknown key");
    });
    if (failed_) return failed_;
    auto const tools = find_member(map_, root, "tools");
    if (!tools || text.size() != 2) return wrong(root, "one \"tools\" and one \"version\" are expected");
    if (!tools->value.is_object()) return wrong(*tools, "an object from servers to their tools is expected");
    each_member(map_, *tools, [&](std::string_view server, located its) { read_server(server, its); });
    if (failed_) return failed_;
    return std::move(pins_);
  }

 private:
  void read_server(std::string_view server, located tools) {
    if (pins_.servers().contains(server)) return fail(tools, "this server comes twice");
    if (!tools.value.is_object()) return fail(tools, "an object from tools to fingerprints is expected");
    each_member(map_, tools, [&](std::string_view name, located pin) {
      auto const its = pins_.servers().find(server);
      if (its != pins_.servers().end() && its->second.contains(name)) return fail(pin, "this tool comes twice");
      auto const text = pin.value.get_string();
      if (!text || !pins_.approve(server, name, *text))
        fail(pin, "\"sha256:\" and 64 lower-case hexadecimal digits are expected");
    });
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

}  // namespace detail

COMCP_DECL pin_check tool_pins::check(std::string_view server, tool const& definition) const {
  pin_check out;
  out.offered = fingerprint(definition);
  auto const its = servers_.find(server);
  if (its == servers_.end()) return out;
  auto const pin = its->second.find(definition.name);
  if (pin == its->second.end()) return out;
  out.approved = pin->second;
  out.state = out.approved == out.offered ? pin_state::unchanged : pin_state::changed;
  return out;
}

COMCP_DECL void tool_pins::approve(std::string_view server, tool const& definition) {
  servers_[std::string(server)][definition.name] = fingerprint(definition);
}

COMCP_DECL result<void> tool_pins::approve(std::string_view server, std::string_view tool_name,
                                           std::string_view fingerprint) {
  if (!is_fingerprint(fingerprint)) return error(errc::invalid_argument, "this is no fingerprint of a tool");
  servers_[std::string(server)][std::string(tool_name)] = fingerprint;
  return {};
}

COMCP_DECL bool tool_pins::forget(std::string_view server, std::string_view tool_name) {
  auto const its = servers_.find(server);
  if (its == servers_.end()) return false;
  auto const pin = its->second.find(tool_name);
  if (pin == its->second.end()) return false;
  its->second.erase(pin);
  if (its->second.empty()) servers_.erase(its);
  return true;
}

COMCP_DECL bool tool_pins::forget(std::string_view server) {
  auto const its = servers_.find(server);
  if (its == servers_.end()) return false;
  servers_.erase(its);
  return true;
}

COMCP_DECL std::size_t tool_pins::size() const noexcept {
  std::size_t n = 0;
  for (auto const& [server, tools] : servers_) n += tools.size();
  return n;
}

COMCP_DECL std::string tool_pins::to_text() const {
  std::string out = "{\n  \"version\": " + std::to_string(detail::lock_file_version) + ",\n  \"tools\": {";
  char const* before_server = "\n";
  for (auto const& [server, tools] : servers_) {
    out.append(before_server).append("    ").append(json::to_text(server)).append(": {");
    before_server = ",\n";
    char const* before_tool = "\n";
    for (auto const& [name, pin] : tools) {
      out.append(before_tool).append("      ").append(json::to_text(name)).append(": ").append(json::to_text(pin));
      before_tool = ",\n";
    }
    out += "\n    }";
  }
  return out.append(servers_.empty() ? "}\n}\n" : "\n  }\n}\n");
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
