// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What has been approved: a fingerprint for each server's tool, and the text of the lock file that holds them. What
// follows from a difference is guard.hpp's decision; files are lock_file.hpp's.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <comcp/pinning/fingerprint.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// How a definition stands to what was approved.
enum class pin_state {
  unknown,    ///< Nothing of this server and name was approved.
  unchanged,  ///< It is what was approved.
  changed,    ///< Something else was approved.
};

/// A definition against the pins.
struct pin_check {
  pin_check() = default;

  pin_state state = pin_state::unknown;
  std::string offered;   ///< The definition's fingerprint.
  std::string approved;  ///< The approved one; empty where unknown.
};

/// Approved tools. Regular; not synchronised.
class tool_pins {
 public:
  using by_tool = std::map<std::string, std::string, std::less<>>;

  tool_pins() = default;

  [[nodiscard]] pin_check check(std::string_view server, tool const& definition) const;
  void approve(std::string_view server, tool const& definition);
  /// Approves what was seen earlier. Errors: invalid_argument (no fingerprint).
  result<void> approve(std::string_view server, std::string_view tool_name, std::string_view fingerprint);
  /// Whether it was there.
  bool forget(std::string_view server, std::string_view tool_name);
  /// Every tool of a server; whether there was one.
  bool forget(std::string_view server);

  /// Tools, of all servers.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return servers_.empty(); }
  /// From servers to tools to fingerprints, in the order of the names' bytes.
  [[nodiscard]] std::map<std::string, by_tool, std::less<>> const& servers() const noexcept { return servers_; }

  /// The lock file: JSON with a line for each tool, sorted, so that it is kept well in a version control system.
  /// Throws comcp::exception (invalid_argument) for a name that is no UTF-8.
  [[nodiscard]] std::string to_text() const;
  /// Reads a lock file. `file` is for error texts, which name it, line, column and key. Errors: invalid_json,
  /// wrong_shape (also a version that this comcp does not know, or a key that comes twice), limit_exceeded.
  static result<tool_pins> parse(std::string_view text, std::string_view file = "lock file");

  friend bool operator==(tool_pins const&, tool_pins const&) = default;

 private:
  std::map<std::string, by_tool, std::less<>> servers_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/pinning/impl/pins.ipp>
#endif
