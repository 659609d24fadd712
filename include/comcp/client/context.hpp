// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a handler learns about the request or notification that it handles.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <comcp/json/build.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/result.hpp>
#include <comcp/trace/propagation.hpp>

namespace comcp {

class client;
class context;
namespace detail {
class client_link;
class dispatcher;
class input_rounds;
std::shared_ptr<client_link> link_of(context const& ctx) noexcept;
context with_flag(context const& ctx, std::shared_ptr<bool> cancelled);
class validation_plan;
result<json::fragment> complete_elicitation(context const& ctx, json::view request, json::fragment const& answered);
}  // namespace detail

/// Given to handler members that take it as their last parameter. Copyable; use it on the client's executor.
class context {
 public:
  context();
  ~context();
  context(context const&);
  context& operator=(context const&);

  /// The server that asks, as it names itself; empty before it did.
  [[nodiscard]] std::string server_name() const;
  /// The method that is handled, such as "elicitation/create".
  [[nodiscard]] std::string const& method() const noexcept { return method_; }
  /// Whether the server withdrew its request, or the call that it belongs to ended. An awaiting handler is also
  /// cancelled through its coroutine.
  [[nodiscard]] bool cancelled() const noexcept { return cancelled_ && *cancelled_; }
  /// Whether the server asks while it works on a call of ours, as the specification wants it (SEP-2260). Over streamable
  /// HTTP the stream tells. Elsewhere that is not told, and true where any call is being waited for.
  [[nodiscard]] bool belongs_to_call() const noexcept { return belongs_; }
  /// The server's position in a trace, from its request's `_meta`, well formed; empty where it sent none.
  [[nodiscard]] trace_context trace() const;
  /// Tells the server how far the answer is; nothing happens where it did not ask for that.
  void progress(double progress, std::optional<double> total = {}, std::string message = {}) const;
  /// The client that this came to; empty (every operation fails with errc::closed) once it is gone.
  [[nodiscard]] comcp::client client() const;

 private:
  friend class detail::dispatcher;
  friend class detail::input_rounds;
  friend std::shared_ptr<detail::client_link> detail::link_of(context const& ctx) noexcept;
  friend context detail::with_flag(context const& ctx, std::shared_ptr<bool> cancelled);
  friend result<json::fragment> detail::complete_elicitation(context const&, json::view, json::fragment const&);
  void fault(error const& what) const;
  std::weak_ptr<detail::client_link> core_;
  std::string method_;
  std::string progress_token_;  // raw JSON; empty where none came
  std::shared_ptr<bool> cancelled_;
  bool belongs_ = true;
  json::value meta_;
  std::shared_ptr<detail::validation_plan const> validation_;  // null: the default
};

}  // namespace comcp
