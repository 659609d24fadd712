// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of a core that only some handlers need, and that a program without those does not compile. Internal.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/link.hpp>
#include <comcp/protocol/input_required.hpp>

namespace comcp {
class client_core;

namespace detail {

/// Has a handler answer what a server asks back while it works on a call. On home only.
class rounds_link {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~rounds_link() = default;
  /// The responses, as the text of an object.
  virtual asio::awaitable<result<std::string>> answer(input_required_result required, std::stop_token stop,
                                                      time_point hard) = 0;
  /// What the call ends with; nothing where it is to be sent again.
  virtual asio::awaitable<error> show_pages(prepared_call const& c, error refusal, time_point hard) = 0;
  /// A page that was completed.
  virtual bool notified(std::string const& method, json::value const& params) = 0;
};

using rounds_maker = std::unique_ptr<rounds_link> (*)(client_core&);
COMCP_LAZY std::unique_ptr<rounds_link> make_rounds(client_core& core);

/// Has the first say in notifications: true where nobody else is to hear of one. It may change them.
class incoming_filter {
 public:
  virtual bool notified(std::string const& method, json::value& params) = 0;

 protected:
  ~incoming_filter() = default;
};

/// What makes them; null where a handler does without.
struct handler_parts {
  subscriptions_maker subscriptions = nullptr;  ///< It has a member for changes of a list.
  rounds_maker rounds = nullptr;                ///< It has one that answers, or declares what it likes.
  incoming_filter* filter = nullptr;            ///< Lives as long as the handler.
};

}  // namespace detail
}  // namespace comcp
