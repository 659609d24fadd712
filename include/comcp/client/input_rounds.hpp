// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a server asks back while it works on a call: the requests of one round, answered by the handler at once
// (2026-07-28, basic/patterns/mrtr), and the pages that a -32042 names (2025-11-25, client/elicitation). Internal.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/protocol/input_required.hpp>

namespace comcp {
class client_core;

namespace detail {

class input_rounds {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit input_rounds(client_core& core) noexcept : core_(core) {}

  COMCP_LAZY [[nodiscard]] error check(input_required_result const& required) const;
  /// The responses, as the text of an object; empty where nothing is asked.
  COMCP_LAZY asio::awaitable<result<std::string>> answer(input_required_result required, std::stop_token stop,
                                                         time_point hard);
  /// What the call ends with; nothing where it is to be sent again.
  COMCP_LAZY asio::awaitable<error> show_pages(prepared_call const& c, error refusal, time_point hard);
  /// A page that was completed.
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);

 private:
  struct round;
  struct open_pages;
  COMCP_LAZY asio::awaitable<void> answer_one(std::shared_ptr<round> r, std::string key, input_request asked);
  COMCP_LAZY void start_answers(std::shared_ptr<round> const& r);

  client_core& core_;
  std::vector<open_pages*> open_;  // calls that wait for theirs
};

}  // namespace detail
}  // namespace comcp
