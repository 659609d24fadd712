// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <comcp/sansio/sse_parser.hpp>

namespace comcp::sansio {
namespace detail {

inline constexpr std::size_t sse_idle_bytes = 4096;  // what a long line may leave allocated

}  // namespace detail

COMCP_DECL std::optional<sse_event> sse_parser::next() {
  while (!failed_) {
    auto const piece = lines_.next();
    if (!piece) break;
    if (auto event = take(piece->text, piece->whole)) return event;
  }
  return {};
}

COMCP_DECL std::optional<sse_event> sse_parser::take(std::string_view piece, bool whole) {
  if (line_ == line::fresh && piece.starts_with(':')) line_ = line::comment;
  if (line_ != line::comment) {
    used_ += piece.size();
    failed_ = used_ > max_event_;
    if (failed_) return {};
    if (!whole) return hold(piece), std::nullopt;
    if (line_ == line::fresh) {
      if (piece.empty()) return dispatch();
      field(piece);
    } else {
      hold(piece);
      if (line_ == line::held) field(held_);
      held_.clear();
      if (held_.capacity() > detail::sse_idle_bytes) held_ = std::string();
    }
  }
  if (whole) line_ = line::fresh;
  return {};
}

// Once it is clear that a line is data, the rest of it goes where it belongs at once.
COMCP_DECL void sse_parser::hold(std::string_view piece) {
  if (line_ == line::data) {
    data_.append(piece);
    return;
  }
  line_ = line::held;
  held_.append(piece);
  if (held_.size() > 5 && held_.starts_with("data:")) {
    field(held_);
    held_.clear();
    line_ = line::data;
  }
}

COMCP_DECL void sse_parser::field(std::string_view text) {
  auto const colon = text.find(':');
  auto const name = text.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    add_data(value);
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) new_id_.emplace(value);
  } else if (name == "retry") {
    set_retry(value);
  }
}

COMCP_DECL void sse_parser::add_data(std::string_view value) {
  if (has_data_) {
    data_ += '\n';
  } else {
    data_.reserve(value.size() + padded_text::spare);
  }
  has_data_ = true;
  data_.append(value);
}

COMCP_DECL void sse_parser::set_retry(std::string_view value) noexcept {
  if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos) return;
  std::int64_t milliseconds = 0;
  for (char const digit : value) {
    milliseconds = std::min<std::int64_t>(milliseconds * 10 + (digit - '0'), longest_retry.count());
  }
  retry_ = std::chrono::milliseconds(milliseconds);
}

COMCP_DECL std::optional<sse_event> sse_parser::dispatch() {
  used_ = 0;
  if (new_id_) last_id_ = *std::exchange(new_id_, std::nullopt);
  auto type = std::exchange(type_, {});
  if (!std::exchange(has_data_, false)) return {};
  (void)pad(data_);
  return sse_event(std::move(type), std::exchange(data_, {}));
}

COMCP_DECL void sse_parser::restart() noexcept {
  lines_ = sse_lines();
  used_ = 0;
  line_ = line::fresh;
  has_data_ = failed_ = false;
  held_ = std::string();
  type_ = std::string();
  data_ = std::string();
  new_id_.reset();
}

COMCP_DECL error sse_parser::failure() const {
  return {errc::limit_exceeded, "an event is longer than max_event (" + std::to_string(max_event_) + " bytes)"};
}

}  // namespace comcp::sansio
