// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "paste.hpp"

#include <algorithm>
#include <memory>
#include <system_error>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include "exit_codes.hpp"
#include "paste_input.hpp"

namespace cli {
namespace {

constexpr std::size_t longest = 64 * 1024;
// Ctrl-D is a character of a terminal that is not asked for lines.
constexpr auto* line_ends = "\r\n\x04";

}  // namespace

asio::awaitable<comcp::secret> read_secret_line(console& err, std::string question, std::chrono::milliseconds most) {
  quiet_terminal const quiet;  // before anybody types
  err.line(question);
  auto const executor = co_await asio::this_coro::executor;
  std::shared_ptr<paste_input> const in = paste_input::open(executor);
  asio::steady_timer alarm(executor, most);
  alarm.async_wait([weak = std::weak_ptr(in)](std::error_code failed) {
    auto const reader = weak.lock();
    if (reader && !failed) reader->give_up();
  });
  std::string text;
  bool more = true;
  while (more && text.find_first_of(line_ends) == std::string::npos) {
    if (text.size() > longest) throw usage_error("what was pasted has no end");
    more = co_await in->read_more(text);
  }
  text.resize(std::min(text.find_first_of(line_ends), text.size()));
  auto const first = text.find_first_not_of(" \t");
  if (first == std::string::npos) throw usage_error("nothing was pasted");
  co_return comcp::secret(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

}  // namespace cli
