// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a program on Boost.Asio sees of comcp: nothing of either Asio.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

class tools {
 public:
  using answer = std::function<void(std::exception_ptr failure, std::string text)>;

  tools();
  ~tools();

  /// From any thread; `done` is called once, on comcp's thread.
  void call(std::string const& name, std::string const& text, answer done);

 private:
  struct comcp_side;
  std::unique_ptr<comcp_side> side_;
};
