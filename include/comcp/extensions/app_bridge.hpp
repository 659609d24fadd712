// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Between an app and its server: JSON-RPC text comes from the app's frame and goes back to it, by whatever way the host
// has. Only what is on the list of the specification passes, to the one server that the app came from; what the host has to
// decide it is asked. No browser is in here. Spec: the extension io.modelcontextprotocol/ui, version 2026-01-26.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

#include <comcp/extensions/app_host.hpp>
#include <comcp/extensions/apps.hpp>
#include <comcp/json/build.hpp>
#include <comcp/protocol/tools.hpp>
#include <comcp/timespan.hpp>

namespace comcp {

/// One view of one app, from when its page is loaded until it is taken away; a page that is loaded again is a new one, with
/// a bridge of its own. Move-only: destroying it ends what is under way, and nothing is sent to the app any more. It does
/// not keep the connection open.
///
/// The app may: ping; call the server's tools whose visibility names apps, and list them; read the server's resources; and
/// ask what app_host decides. Calls go the client's usual way, interceptors included. Anything else is answered with an
/// error: -32700 (no JSON), -32600 (no request; too long or too deep; an id that is in use; before ui/initialize), -32601
/// (not on the list), -32602 (wrong parameters; a tool that the app may not call), -32603 (a callback threw), -32000
/// (refused, too many requests, or the call failed on this side); the server's own errors pass as they are.
///
/// Its functions may be called on any thread. What the specification has wait until the app is initialized waits here;
/// what comes out of order (a result before the input, a second input) is not sent, and told to the client's observer.
class app_bridge {
 public:
  /// `to_app` is given each message for the app, one at a time, on the client's executor. It may destroy the bridge.
  app_bridge(app_operations const& of, app_host host, std::function<void(std::string)> to_app);
  app_bridge(app_bridge&&) noexcept = default;
  app_bridge& operator=(app_bridge&& other) noexcept;
  ~app_bridge();

  /// A message of the app's, copied. It has to come from its very frame: the host checks that.
  COMCP_LAZY void receive(std::string_view text);

  /// The arguments of the tool's call, an object, as far as they are known; then as they are. Throws invalid_argument.
  void tool_input_partial(json::fragment const& arguments);
  void tool_input(json::fragment const& arguments);
  /// How that call ended.
  void tool_result(call_tool_result const& r);
  void tool_cancelled(std::string_view reason = {});
  /// Members of the context that have changed. Throws invalid_argument.
  void context_changed(json::fragment const& changes);
  /// The server's tools are others: for a handler's on(tools_list_changed) or watch_tools().
  void tools_changed();

  /// Has the app say goodbye (ui/resource-teardown), and waits for its answer; at once where it is not initialized. Errors:
  /// timeout, closed, the app's own. The frame may go in any case.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> teardown(std::string_view reason = {},
                                                          timespan limit = std::chrono::seconds(5)) const;

 private:
  void let_go() noexcept;

  std::shared_ptr<detail::app_session> session_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/extensions/impl/app_requests.ipp>
#include <comcp/extensions/impl/app_bridge.ipp>
#endif
