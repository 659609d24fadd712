// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of tools that model providers accept. A name is a function of server and tool alone, so it never changes
// because another server or tool comes or goes. Who owns a name is looked up in tool_names.
#pragma once

#include <cstddef>
#include <compare>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/result.hpp>

namespace comcp::providers {

/// The longest name that all providers take.
inline constexpr std::size_t longest_name = 64;

/// Whether all providers take the name: 1 to 64 of A-Z a-z 0-9 _ -, with a letter or underscore first (Gemini's rule).
bool is_safe_name(std::string_view name) noexcept;

/// The name under which a model is told of a server's tool; it is safe. "github" and "create_issue" become
/// "github__create_issue"; an empty server leaves the tool's name alone. Where that would not be safe or not unique (a
/// server with "__" in its name or "_" at its end, "__" in a tool's name without a server, a name that looks hashed),
/// the name is what is left of it, "--" and 80 bits of SHA-256 in Base32: "files__read_a_file--mzxw6ytboi4tqmrt".
/// Two tools get one name only if these 80 bits agree: finding a tool that takes another one's name takes about 2^80
/// tries. Names are the same in every version of comcp, so that stored conversations stay valid.
std::string provider_name(std::string_view server, std::string_view tool);

/// A tool as its server knows it.
struct tool_origin {
  tool_origin() = default;
  tool_origin(std::string server_name, std::string tool_name)
      : server(std::move(server_name)), tool(std::move(tool_name)) {}

  std::string server;
  std::string tool;

  friend auto operator<=>(tool_origin const&, tool_origin const&) = default;
};

/// From the name that a model used back to server and tool. Regular; not synchronised.
class tool_names {
 public:
  tool_names() = default;

  /// Makes a tool known; again does nothing. Should two ever have one name, the lesser pair of server and tool keeps
  /// it, whatever the order. The name, valid as long as the tool is known.
  std::string const& add(std::string_view server, std::string_view tool);
  /// Forgets every tool of a server.
  void remove(std::string_view server);

  /// Who owns the name. Errors: unknown_tool, with the name.
  [[nodiscard]] result<tool_origin> origin(std::string_view name) const;

  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] bool empty() const noexcept { return names_.empty(); }

 private:
  std::map<std::string, tool_origin, std::less<>> names_;
};

}  // namespace comcp::providers

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/providers/impl/names.ipp>
#endif
