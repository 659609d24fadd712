// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A question at the terminal before there is anything else to do: it blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cli {

/// The terminal of stdin under its own name. What is typed is not shown while `hidden`; a signal that comes meanwhile
/// waits until that is undone, then does what it does.
class prompt_terminal {
 public:
  prompt_terminal();
  ~prompt_terminal();
  prompt_terminal(prompt_terminal const&) = delete;
  prompt_terminal& operator=(prompt_terminal const&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return in_ >= 0; }
  void print(std::string_view text) const;
  /// A line without its end; nothing at the end of input.
  [[nodiscard]] std::optional<std::string> ask(std::string_view question, bool hidden) const;

 private:
  std::intptr_t in_ = -1, out_ = -1;  // of the system; the same one where it can be
};

}  // namespace cli
