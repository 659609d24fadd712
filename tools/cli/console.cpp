// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "console.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <utility>

#include "platform.hpp"
#include "text.hpp"

namespace cli {
namespace {

std::string number_text(double n) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", n);
  return text;
}

std::string amount(comcp::progress_notification const& p) {
  auto out = number_text(p.progress);
  if (p.total) out.append("/").append(number_text(*p.total));
  return out;
}

std::string bar_of(double part) {
  constexpr int width = 24;
  auto const filled = static_cast<std::size_t>(std::clamp(part, 0.0, 1.0) * width);
  return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] ";
}

}  // namespace

console::console() : terminal_(obeys_escapes(standard_error)) {}

console::~console() {
  if (!unfinished_.empty()) line(one_line(unfinished_));
  clear();
}

void console::line(server_text text) {
  auto const again = bar_;
  clear();
  std::cerr << text << '\n';
  if (!again.empty()) std::cerr << (bar_ = again) << std::flush;
}

void console::progress(comcp::progress_notification const& p) {
  constexpr std::size_t most = 1000;  // of a message
  if (!shows_progress_) return;
  auto text = amount(p);
  if (p.message && !p.message->empty()) text.append("  ").append(one_line(shortened(*p.message, most)));
  if (!terminal_) {
    std::cerr << "progress: " << text << '\n';
    return;
  }
  clear();
  if (p.total && *p.total > 0) text.insert(0, bar_of(p.progress / *p.total));
  bar_ = first_line(text, terminal_width(standard_error) - 1);
  std::cerr << bar_ << std::flush;
}

void console::server_stderr(std::string_view piece) {
  for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
    line(one_line(std::exchange(unfinished_, std::string()).append(piece.substr(0, end))));
    piece.remove_prefix(end + 1);
  }
  unfinished_ += piece;
  if (unfinished_.size() > 64 * 1024) line(one_line(std::exchange(unfinished_, std::string())));
}

void console::clear() {
  if (!bar_.empty()) std::cerr << raw_text{"\r\x1b[K"} << std::flush;
  bar_.clear();
}

void console::no_more_progress() {
  clear();
  shows_progress_ = false;
}

}  // namespace cli
