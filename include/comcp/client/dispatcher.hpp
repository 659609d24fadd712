// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Brings what the server sends unasked to the handler: requests run concurrently up to a bound, notifications
// one at a time in the order of their arrival. The read loop never waits for either. Internal to the core.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/client/handler.hpp>
#include <comcp/jsonrpc/decode.hpp>

namespace comcp {
class client_core;

namespace detail {

/// Inside a catch block: what a handler or a hook threw, as the outcome of the request that it was given.
COMCP_LAZY error handler_failure(context const& ctx);

class dispatcher {
 public:
  explicit dispatcher(client_core& core) noexcept : core_(core) {}

  /// A request of the server, legacy era, and the call whose stream brought it.
  COMCP_LAZY void request(jsonrpc::envelope const& m, request_id stream);
  /// Runs the handler for one request of the server, whichever way it came; the error is what to answer.
  COMCP_LAZY asio::awaitable<result<json::fragment>> answer(std::string method, json::value params, context& ctx);
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);
  COMCP_LAZY [[nodiscard]] context make_context(std::string method, json::value const& params) const;
  [[nodiscard]] std::size_t open_requests() const noexcept { return running_.size(); }
  COMCP_LAZY void cancel_all();

 private:
  struct running {
    asio::cancellation_signal signal;
    std::shared_ptr<bool> cancelled = std::make_shared<bool>(false);
  };
  struct queued {
    std::string method;
    json::value params;
  };

  COMCP_LAZY asio::awaitable<void> serve(std::shared_ptr<client_core> hold, std::string raw_id, std::string method,
                                         json::value params, bool belongs, std::shared_ptr<running> state);
  COMCP_LAZY asio::awaitable<void> pump(std::shared_ptr<client_core> hold, std::shared_ptr<running> state);
  COMCP_LAZY [[nodiscard]] bool belongs_to_call(request_id stream) const;
  COMCP_LAZY [[nodiscard]] error check(std::string_view method, json::view request) const;
  /// The server withdrew a request: its handler is cancelled, nothing is answered.
  COMCP_LAZY void withdraw(std::string const& raw_id);

  client_core& core_;
  std::map<std::string, std::shared_ptr<running>> running_;  // by raw id
  std::set<std::shared_ptr<running>> leaving_;  // withdrawn, and not through yet
  std::deque<queued> notifications_;
  std::shared_ptr<running> pump_;  // while it hands notifications over
};

}  // namespace detail
}  // namespace comcp
