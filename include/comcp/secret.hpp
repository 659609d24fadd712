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

namespace detail {
/// Overwrites all that the string holds, which no optimizer may leave out, and empties it.
inline void wipe(std::string& text) noexcept {
  text.resize(text.capacity());  // what a longer text left behind, too
  for (char volatile& c : text) c = '\0';
  text.clear();
}
}  // namespace detail

/// Prints as ***. Regular; reveal() is the one way to the text. Its memory is overwritten when it ends or is replaced; what
/// reveal() was copied to is the copier's, and so are the header and the form that carry it.
class secret {
 public:
  secret() = default;
  explicit secret(std::string text) noexcept : text_(std::move(text)) {}
  secret(secret const&) = default;
  secret(secret&& other) noexcept : text_(std::move(other.text_)) { detail::wipe(other.text_); }
  secret& operator=(secret const& other) { return *this = secret(other); }
  secret& operator=(secret&& other) noexcept {
    if (this == &other) return *this;
    detail::wipe(text_);
    text_ = std::move(other.text_);
    detail::wipe(other.text_);
    return *this;
  }
  ~secret() { detail::wipe(text_); }

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
