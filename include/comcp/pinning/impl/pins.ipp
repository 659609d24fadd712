// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include <comcp/json/build.hpp>
#include <comcp/pinning/pins.hpp>

namespace comcp {
namespace detail {

inline constexpr std::int64_t lock_file_version = 1;

// Reads "tools" of a lock file; stops at the first thing that is wrong.
class lock_reader {
 public:
  explicit lock_reader(std::string_view file) : file_(file) {}

  result<tool_pins> read(json::view root) {
    if (!root.is_object()) return wrong(root, "an object is expected");
    auto const version = root.find("version");
    if (!version) return wrong(root, "\"version\" is missing");
    if (version->get_int64() != lock_file_version)
      return wrong(*version, "version " + std::to_string(lock_file_version) + " is expected, this is " + version->dump());
    for (auto const [key, value] : root.members()) {
      if (key != "version" && key != "tools") return wrong(value, "unknown key");
    }
    auto const tools = root.find("tools");
    if (!tools || root.size() != 2) return wrong(root, "one \"tools\" and one \"version\" are expected");
    if (!tools->is_object()) return wrong(*tools, "an object from servers to their tools is expected");
    for (auto const [server, its] : tools->members()) {
      if (auto ok = read_server(server, its); !ok) return ok.error();
    }
    return std::move(pins_);
  }

 private:
  result<void> read_server(std::string_view server, json::view tools) {
    if (pins_.servers().contains(server)) return wrong(tools, "this server comes twice");
    if (!tools.is_object()) return wrong(tools, "an object from tools to fingerprints is expected");
    for (auto const [name, value] : tools.members()) {
      auto const text = value.get_string();
      if (!text || !pins_.approve(server, name, *text))
        return wrong(value, "\"sha256:\" and 64 lower-case hexadecimal digits are expected");
    }
    auto const read = pins_.servers().find(server);
    if (read != pins_.servers().end() && read->second.size() != tools.size()) return wrong(tools, "a tool comes twice");
    return {};
  }

  [[nodiscard]] error wrong(json::view where, std::string const& what) const {
    auto const path = where.path();
    return error(errc::wrong_shape, file_ + ": " + (path.empty() ? std::string() : path + ": ") + what);
  }

  std::string file_;
  tool_pins pins_;
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
  if (!root) return root.error().with_message(std::string(file) + ": " + std::string(root.error().message()));
  return detail::lock_reader(file).read(*root);
}

}  // namespace comcp
