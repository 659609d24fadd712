// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An environment variable of this process for the time of a test. Windows knows none that is set to nothing.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace comcp_test {

#if defined(_WIN32)
inline void set_variable(char const* name, char const* value) { ::_putenv_s(name, value); }
inline void unset_variable(char const* name) { ::_putenv_s(name, ""); }
#else
inline void set_variable(char const* name, char const* value) { ::setenv(name, value, 1); }
inline void unset_variable(char const* name) { ::unsetenv(name); }
#endif

class variable {
 public:
  explicit variable(char const* name) : name_(name) {
    if (char const* const now = std::getenv(name)) before_ = now;
    unset_variable(name);
  }
  variable(char const* name, std::string const& value) : variable(name) { set(value); }
  variable(variable const&) = delete;
  variable& operator=(variable const&) = delete;
  ~variable() {
    if (before_) set_variable(name_, before_->c_str());
    else unset_variable(name_);
  }
  void set(std::string const& value) const { set_variable(name_, value.c_str()); }

 private:
  char const* name_;
  std::optional<std::string> before_;
};

}  // namespace comcp_test
