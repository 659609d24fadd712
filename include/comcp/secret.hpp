// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A text that must not be shown: tokens, passwords, credentials.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
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

namespace detail {
/// Takes as long wherever they differ.
inline bool same_secret(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  unsigned char volatile different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different = static_cast<unsigned char>(different | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  return different == 0;
}
}  // namespace detail

}  // namespace comcp
