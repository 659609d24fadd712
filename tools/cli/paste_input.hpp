// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Stdin, whatever it is, read without waiting in the way of others.
#pragma once

#include <memory>
#include <string>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

namespace cli {

/// While it lives, what is typed at the terminal of stdin is neither shown nor cut at the length of a terminal's line.
class quiet_terminal {
 public:
  quiet_terminal();
  ~quiet_terminal();
  quiet_terminal(quiet_terminal const&) = delete;
  quiet_terminal& operator=(quiet_terminal const&) = delete;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

class paste_input {
 public:
  static std::unique_ptr<paste_input> open(asio::any_io_executor const& on);
  virtual ~paste_input() = default;
  /// Whoever waits is told that it took too long: comcp::exception, errc::timeout.
  virtual void give_up() = 0;
  /// Appends a piece. False at the end. The text outlives it.
  virtual asio::awaitable<bool> read_more(std::string& text) = 0;
};

}  // namespace cli
