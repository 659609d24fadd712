// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client for programs without coroutines and without an io_context: every function waits for its answer.
#pragma once

#include <concepts>
#include <memory>
#include <string_view>
#include <utility>

#include <comcp/client/background.hpp>
#include <comcp/client/connect.hpp>

namespace comcp {

/// Owns a client, its io_context and one thread that runs it, so that pings, the server's own requests and callbacks go
/// on between calls; handlers and callbacks run on that thread. Move-only. Destroying it, which is not for that thread,
/// is abrupt, as with comcp::client, but waits for a handler or callback that runs just then; close() is graceful.
///
/// Its functions wait, throw comcp::exception, and may be called from any thread, several at once. A wait ends with the
/// call's timeouts, or by call_options().stop(). What a callback let out is thrown by the next of them, before it does
/// anything. Called on the client's own thread, by a handler or a callback, they would wait for themselves: that is
/// errc::invalid_argument.
class blocking_client {
 public:
  /// Connects. Errors as with connect().
  template <class Transport, handler Handler = no_handler>
    requires(!std::same_as<Transport, blocking_client> && transport<Transport>)
  explicit blocking_client(Transport transport, Handler handler = Handler(),
                           connect_options options = connect_options())
      : all_(std::make_unique<all>()) {
    auto const connecting = [&] { return connect(std::move(transport), std::move(handler), std::move(options)); };
    all_->of = all_->context.wait(connecting);
  }
  template <transport Transport>
  blocking_client(Transport transport, connect_options options)
      : blocking_client(std::move(transport), no_handler(), std::move(options)) {}

  /// Any operation: `f` is called with the client, on its thread, and gives the awaitable to wait for.
  template <class F>
  auto wait(F f) const {
    if (!all_) throw exception(detail::not_connected());
    return all_->context.wait([&] { return f(std::as_const(all_->of)); });
  }

  COMCP_LAZY [[nodiscard]] call_tool_result call_tool(std::string_view name,
                                                      json::fragment arguments = json::fragment(),
                                                      call_options options = call_options()) const;
  template <json::readable Out, json::writable In>
  [[nodiscard]] Out call_tool(std::string_view name, In const& in, call_options options = call_options()) const {
    return wait([&](client const& c) { return c.call_tool<Out>(name, in, std::move(options)); });
  }
  COMCP_LAZY [[nodiscard]] listing<tool> list_tools(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] listing<resource> list_resources(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] listing<resource_template> list_resource_templates(
      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] listing<prompt> list_prompts(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] read_resource_result read_resource(std::string_view uri,
                                                              call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] get_prompt_result get_prompt(std::string_view name,
                                                        json::fragment arguments = json::fragment(),
                                                        call_options options = call_options()) const;
  COMCP_LAZY void subscribe(std::string_view uri, updated_callback f, call_options options = call_options()) const;
  COMCP_LAZY void close() const;

 private:
  struct all {
    client of;
    detail::background context;  // goes first
    ~all() {
      context.end([this] { of = client(); });
    }
  };

  std::unique_ptr<all> all_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/blocking_client.ipp>
#endif
