// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The handler seam: a handler declares by existing. What members a type has decides which capabilities the
// client declares and who answers which request.
#pragma once

#include <concepts>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/context.hpp>
#include <comcp/client/handler_traits.hpp>
#include <comcp/client/handler_calls.hpp>
#include <comcp/json/build.hpp>
#include <comcp/protocol/capabilities.hpp>
#include <comcp/protocol/elicitation.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/roots.hpp>
#include <comcp/protocol/sampling.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// What a handler may have, each member optional, each with an optional trailing `comcp::context&`, each
/// returning its value, a result<> of it, or an asio::awaitable of either:
///
///   create_message_result create_message(create_message_params);     declares sampling
///   std::vector<root>     list_roots();                               declares roots
///   elicit_result         elicit(elicit_params);                      declares elicitation, form mode
///   elicit_result         elicit_url(elicit_params);                  declares elicitation, url mode
///   json::fragment        on_request(std::string method, json::value params);   vendor requests
///   void                  on(tools_list_changed);  ... on(any_notification);    notifications
///   void                  capabilities(client_capabilities&);         narrows what is declared
///
/// To answer with an error, throw comcp::exception (or return a result) made by error::from_peer. Any other
/// exception becomes -32603 without its text, and a fault for the observer.
template <class H>
concept handler = std::move_constructible<H> && detail::check_handler<H>();

namespace detail {
/// A handler whose type is not known. What it is asked: see any_handler.
class raw_handler {
 public:
  virtual ~raw_handler() = default;
  virtual void declare(client_capabilities&) const = 0;
  virtual bool answers(std::string_view) const = 0;
  virtual bool elicits(elicit_mode) const = 0;
  virtual bool receives(std::string_view) const = 0;
  virtual handler_parts parts() const = 0;
  virtual asio::awaitable<result<json::fragment>> answer(std::string const&, json::value const&, context&) = 0;
  virtual asio::awaitable<void> notify(std::string const&, json::value const&, context&) = 0;
};
}  // namespace detail

/// Any handler, type-erased and shared.
class any_handler {
 public:
  any_handler() = default;
  explicit any_handler(std::shared_ptr<detail::raw_handler> h) noexcept : self_(std::move(h)) {}
  explicit any_handler(std::shared_ptr<any_handler> const& h) noexcept : self_(h->self_) {}  // itself, shared by connect()
  template <class H>
    requires(!std::same_as<H, any_handler>)
  explicit any_handler(H h) : any_handler(std::make_shared<H>(std::move(h))) {}
  template <class H>
  explicit any_handler(std::shared_ptr<H> h) : self_(std::make_shared<model<H>>(std::move(h))) {
    static_assert(handler<H>);
    static_assert(detail::check_members<H>());
  }

  void declare(client_capabilities& c) const {
    if (self_) self_->declare(c);
  }
  [[nodiscard]] bool answers(std::string_view method) const { return self_ && self_->answers(method); }
  /// Of elicitation/create: whether there is a member for this mode.
  [[nodiscard]] bool elicits(elicit_mode mode) const { return self_ && self_->elicits(mode); }
  /// Whether some on(...) member takes this notification itself (the catch-all does not count).
  [[nodiscard]] bool receives(std::string_view method) const { return self_ && self_->receives(method); }
  /// What the core needs for it. Internal.
  [[nodiscard]] detail::handler_parts parts() const { return self_ ? self_->parts() : detail::handler_parts(); }
  /// The result's JSON text, or the error to answer with.
  asio::awaitable<result<json::fragment>> answer(std::string const& method, json::value const& params,
                                                 context& ctx) const {
    return self_->answer(method, params, ctx);
  }
  asio::awaitable<void> notify(std::string const& method, json::value const& params, context& ctx) const {
    return self_->notify(method, params, ctx);
  }
  explicit operator bool() const noexcept { return static_cast<bool>(self_); }

 private:
  template <class H>
  struct model final : detail::raw_handler {
    explicit model(std::shared_ptr<H> h) : impl(std::move(h)) {}
    void declare(client_capabilities& c) const override { detail::declare(*impl, c); }
    bool answers(std::string_view m) const override { return detail::answers(*impl, m); }
    bool elicits(elicit_mode mode) const override { return detail::elicits(*impl, mode); }
    bool receives(std::string_view m) const override { return detail::receives(*impl, m); }
    detail::handler_parts parts() const override { return detail::parts_of(*impl); }
    asio::awaitable<result<json::fragment>> answer(std::string const& m, json::value const& p, context& c) override {
      return detail::answer(*impl, m, p, c);
    }
    asio::awaitable<void> notify(std::string const& m, json::value const& p, context& c) override {
      return detail::notify(*impl, m, p, c);
    }
    std::shared_ptr<H> impl;
  };

  std::shared_ptr<detail::raw_handler> self_;
};

/// Several handlers as one: a request goes to the first that has a member for it, a notification to all.
class handler_chain {
 public:
  explicit handler_chain(std::vector<any_handler> list) : list_(std::move(list)) {}
  [[nodiscard]] std::vector<any_handler> const& list() const noexcept { return list_; }

 private:
  std::vector<any_handler> list_;
};

template <class... H>
handler_chain handlers(H... h) {
  std::vector<any_handler> list;
  (list.push_back(any_handler(std::move(h))), ...);
  return handler_chain(std::move(list));
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/handler.ipp>
#endif
