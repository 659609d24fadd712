// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Cuts an event stream into lines that end with CR, LF or both, without copying. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace comcp::sansio {

class sse_lines {
 public:
  /// A line, or a part of it where its end has not come, or came apart from it.
  struct piece {
    std::string_view text;
    bool whole = false;  ///< It ends here.
  };

  /// Precondition: next() gave nothing since the last feed(). The bytes are looked at until it does so again.
  void feed(std::string_view bytes) noexcept {
    input_ = bytes;
    at_ = 0;
    cr_ = lf_ = unknown;
  }
  [[nodiscard]] std::optional<piece> next() noexcept {
    if (mark_ != byte_order_mark.size()) {
      if (auto const lost = skip_mark(); !lost.empty()) return piece{lost, false};
    }
    if (at_ < input_.size() && std::exchange(after_cr_, false) && input_[at_] == '\n') ++at_;
    if (at_ >= input_.size()) return {};
    if (cr_ == unknown || cr_ < at_) cr_ = input_.find('\r', at_);
    if (lf_ == unknown || lf_ < at_) lf_ = input_.find('\n', at_);
    auto const end = std::min({cr_, lf_, input_.size()});
    bool const whole = end != input_.size();
    piece const out{input_.substr(at_, end - at_), whole};
    at_ = end + (whole ? 1 : 0);
    after_cr_ = whole && end == cr_;
    return out;
  }

 private:
  static constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  static constexpr std::size_t unknown = std::string_view::npos - 1;

  // The start of what turned out to be no mark.
  std::string_view skip_mark() noexcept {
    for (; mark_ != byte_order_mark.size() && at_ != input_.size(); ++mark_, ++at_) {
      if (input_[at_] != byte_order_mark[mark_])
        return byte_order_mark.substr(0, std::exchange(mark_, byte_order_mark.size()));
    }
    return {};
  }

  std::string_view input_;
  std::size_t at_ = 0;     // start of what is unread
  std::size_t cr_ = 0;     // the first CR at or after at_, where that is known
  std::size_t lf_ = 0;     // the first LF likewise
  std::size_t mark_ = 0;   // bytes of the byte order mark seen
  bool after_cr_ = false;  // an LF now belongs to the CR before it
};

}  // namespace comcp::sansio
