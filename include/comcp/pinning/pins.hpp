// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What has been approved: a fingerprint for each server's tools, prompts and instructions, and the text of the lock file
// that holds them. What follows from a difference is guard.hpp's decision; files are lock_file.hpp's.
#pragma once

#include <array>
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
  unknown,    ///< Nothing of this kind was ever seen of this server.
  unchanged,  ///< It is what was approved.
  changed,    ///< Something else was approved.
  added,      ///< Nothing of this name was approved, and the server is known: it did not have it, or nobody wanted it.
};

/// What is pinned of a server. Its instructions are one text without a name; a server without has an empty one.
enum class pin_kind { tool, prompt, instructions };

/// A definition against the pins.
struct pin_check {
  pin_check() = default;

  pin_state state = pin_state::unknown;
  std::string offered;   ///< The definition's fingerprint.
  std::string approved;  ///< The approved one; empty where there is none.
};

/// Approved tools, prompts and instructions. Regular; not synchronised.
class tool_pins {
 public:
  using by_tool = std::map<std::string, std::string, std::less<>>;
  using by_server = std::map<std::string, by_tool, std::less<>>;

  tool_pins() = default;

  [[nodiscard]] pin_check check(std::string_view server, tool const& definition) const;
  [[nodiscard]] pin_check check(std::string_view server, prompt const& definition) const;
  /// Of what has this fingerprint.
  [[nodiscard]] pin_check check(pin_kind kind, std::string_view server, std::string_view name,
                                std::string fingerprint) const;
  void approve(std::string_view server, tool const& definition);
  void approve(std::string_view server, prompt const& definition);
  /// Approves what was seen earlier. Errors: invalid_argument (no fingerprint).
  result<void> approve(std::string_view server, std::string_view name, std::string_view fingerprint,
                       pin_kind kind = pin_kind::tool);
  /// From now on the server is known, though nothing of it may be approved: what it comes with is added. Says whether that
  /// is new.
  bool know(std::string_view server, pin_kind kind);
  /// Whether it was there. A server of which nothing is left is unknown again.
  bool forget(std::string_view server, std::string_view name, pin_kind kind = pin_kind::tool);
  /// Everything of a server; whether there was something.
  bool forget(std::string_view server);

  /// Fingerprints of all kinds and servers.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept;
  /// From servers to names to fingerprints, in the order of the names' bytes. The name of instructions is empty.
  [[nodiscard]] by_server const& servers(pin_kind kind = pin_kind::tool) const noexcept {
    return kinds_[static_cast<std::size_t>(kind)];
  }

  /// The lock file: JSON with a line for each pin, sorted, so that it is kept well in a version control system. Version 1
  /// where nothing but tools is pinned, which an older comcp reads too, else 2. Throws comcp::exception
  /// (invalid_argument) for a name that is no UTF-8.
  [[nodiscard]] std::string to_text() const;
  /// Reads a lock file. `file` is for error texts, which name it, line, column and key. Errors: invalid_json,
  /// wrong_shape (also a version that this comcp does not know, or a key that comes twice), limit_exceeded.
  static result<tool_pins> parse(std::string_view text, std::string_view file = "lock file");

  friend bool operator==(tool_pins const&, tool_pins const&) = default;

 private:
  [[nodiscard]] by_server& all(pin_kind kind) noexcept { return kinds_[static_cast<std::size_t>(kind)]; }

  std::array<by_server, 3> kinds_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/pinning/impl/pins.ipp>
#endif
