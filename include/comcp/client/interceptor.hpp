// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Interceptors: see each outgoing call before it is sent and each result before its caller, and may change,
// answer, deny or record them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <asio/awaitable.hpp>

#include <comcp/client/call_options.hpp>
#include <comcp/json/build.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// A call on its way out. `params` may be replaced; `name` is the tool, prompt or resource that they name. Of `options` what
/// counts from then on is its `_meta`, headers (HTTP), timeout, hard timeout (which can only become shorter), progress
/// callback and the like; its stop token and reason stay the caller's.
struct outgoing_call {
  outgoing_call() {}
  std::string method;
  std::string name;
  json::fragment params;
  call_options options;
};

/// Both hooks are optional and run on the client's executor; they may take their time (human approval), within
/// the call's hard timeout: at its end, at a stop, a cancellation and close() their coroutines are cancelled, nobody
/// waits for them any longer, and nothing is sent any more.
///
/// They see what a user starts: every call, each page of a list, resources/subscribe and resources/unsubscribe (so
/// named in both eras) and subscriptions/listen, which they may deny and record, but not answer or change. They do not
/// see what the client does by itself (handshake, keep-alive, the modern era's shared listen stream, what a restart
/// restores), the further rounds of one call, and notifications.
struct interceptor {
  interceptor() {}
  /// Before sending. A value answers the call in the server's place; throwing comcp::exception (errc::denied, or
  /// any other) ends it with that error; nothing lets it go on.
  std::function<asio::awaitable<std::optional<json::value>>(outgoing_call&)> before;
  /// After the result came, also an error: may replace it. Runs in reverse order for each interceptor whose turn had
  /// come, also where it or a later one denied the call.
  std::function<asio::awaitable<void>(outgoing_call const&, result<json::value>&)> after;
};

}  // namespace comcp
