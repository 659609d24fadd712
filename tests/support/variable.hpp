// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An environment variable of this process for the time of a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace comcp_test {

class variable {
 public:
  explicit variable(char const* name) : name_(name) {
    if (char const* const now = std::getenv(name)) before_ = now;
    ::unsetenv(name);
  }
  variable(char const* name, std::string const& value) : variable(name) { set(value); }
  variable(variable const&) = delete;
  variable& operator=(variable const&) = delete;
  ~variable() {
    if (before_) ::setenv(name_, before_->c_str(), 1);
    else ::unsetenv(name_);
  }
  void set(std::string const& value) const { ::setenv(name_, value.c_str(), 1); }

 private:
  char const* name_;
  std::optional<std::string> before_;
};

}  // namespace comcp_test
