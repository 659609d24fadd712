// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The user at the terminal: questions out, lines in, without blocking anything else. Opened anew by its name, so
// that the descriptor that is shared with the shell keeps its mode.
#pragma once

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include "text.hpp"

namespace cli {

class terminal {
 public:
  /// Empty when stdin is no terminal.
  static std::unique_ptr<terminal> open(asio::any_io_executor const& executor);
  ~terminal();

  /// Texts of any kind, as text.hpp prints them.
  template <class... Text>
  void print(Text const&... texts) {
    (void)(out_ << ... << texts);
    out_.flush();
  }
  /// A line without its newline; nothing at the end of input (Ctrl-D).
  asio::awaitable<std::optional<std::string>> ask(std::string question);
  /// Ends ask() with std::system_error.
  void stop_asking();

 private:
  struct input;  // of the system
  terminal(std::unique_ptr<input> in, std::string const& out);

  std::unique_ptr<input> in_;
  std::ofstream out_;
};

}  // namespace cli
