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
#include <comcp/client/handler_parts.hpp>
#include <comcp/protocol/input_required.hpp>

namespace comcp {
class client_core;

namespace detail {

class input_rounds {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit input_rounds(client_core& core) noexcept : core_(core) {}

  // As for rounds_link.
  COMCP_LAZY asio::awaitable<result<std::string>> answer(input_required_result required, std::stop_token stop,
                                                         time_point hard);
  COMCP_LAZY asio::awaitable<error> show_pages(prepared_call const& c, error refusal, time_point hard);
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);

 private:
  struct round;
  struct open_pages;
  COMCP_LAZY asio::awaitable<void> answer_one(std::shared_ptr<round> r, std::string key, input_request asked);
  COMCP_LAZY void start_answers(std::shared_ptr<round> const& r);

  client_core& core_;
  std::vector<open_pages*> open_;  // calls that wait for theirs
};

/// Them behind their link: that it is virtual is said here alone.
template <class Rounds>
class input_rounds_link final : public rounds_link {
 public:
  explicit input_rounds_link(client_core& core) noexcept : rounds_(core) {}

  asio::awaitable<result<std::string>> answer(input_required_result required, std::stop_token stop,
                                              time_point hard) override {
    return rounds_.answer(std::move(required), std::move(stop), hard);
  }
  asio::awaitable<error> show_pages(prepared_call const& c, error refusal, time_point hard) override {
    return rounds_.show_pages(c, std::move(refusal), hard);
  }
  bool notified(std::string const& method, json::value const& params) override {
    return rounds_.notified(method, params);
  }

 private:
  Rounds rounds_;
};

}  // namespace detail
}  // namespace comcp
