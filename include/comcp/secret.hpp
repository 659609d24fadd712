// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A text that must not be shown: tokens, passwords, credentials.
#pragma once

#include <ostream>
#include <string>
#include <utility>

namespace comcp {

/// Prints as ***. Regular; reveal() is the one way to the text.
class secret {
 public:
  secret() = default;
  explicit secret(std::string text) noexcept : text_(std::move(text)) {}

  [[nodiscard]] std::string const& reveal() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

  friend bool operator==(secret const&, secret const&) = default;
  friend std::ostream& operator<<(std::ostream& out, secret const&) { return out << "***"; }

 private:
  std::string text_;
};

}  // namespace comcp
