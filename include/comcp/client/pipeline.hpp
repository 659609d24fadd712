// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The way of a call out and of its answer back: steps that a program asked for, in a fixed order, and the exchange with
// the server at its end. A step that is not used is not there. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/protocol/subscriptions.hpp>

namespace comcp::detail {

class exchange;
class pipeline;

/// How a call is carried out from here on: the steps that follow, and what stands at the end of them.
class performer {
 public:
  using function = std::function<asio::awaitable<reply>(prepared_call&)>;

  performer(pipeline const& way, std::size_t next, std::shared_ptr<function const> end) noexcept
      : way_(way), next_(next), end_(std::move(end)) {}
  COMCP_LAZY asio::awaitable<reply> operator()(prepared_call& c) const;
  /// The same without a coroutine where only the exchange is left: `plain` then, and what is awaited is its one round trip,
  /// which waits in `e`; exchange::needs_settling() says whether that is the end of it.
  COMCP_LAZY asio::awaitable<reply> begin(prepared_call& c, pending_entry& e, bool& plain) const;

 private:
  pipeline const& way_;
  std::size_t next_;
  std::shared_ptr<function const> end_;
};

/// What has a say in calls, as step_of makes it of a type. On home only.
class call_step {
 public:
  virtual ~call_step() = default;
  [[nodiscard]] virtual bool concerns(std::string_view method) const noexcept = 0;
  /// The call's outcome, wherever it comes from.
  virtual asio::awaitable<reply> perform(prepared_call& c, performer next) = 0;

  // A type need not have these.

  /// Before anybody else hears of it.
  virtual void notified(std::string_view method, json::value const& params) = 0;
  /// There is a new connection, or a new session; after a restart another process is the server.
  virtual void connected(bool restarted) = 0;
  /// An attempt to connect anew has failed.
  virtual void lost(error const& why) = 0;
  /// Whether it has to hear of changes of this list.
  [[nodiscard]] virtual bool wants(std::string_view list) const = 0;
  /// Adds what it has to hear of on a listen stream.
  virtual void listens(subscription_filter& wanted) const = 0;
  /// Taken before a tools/list is sent, for learn().
  [[nodiscard]] virtual std::uint64_t moment() const noexcept = 0;
  /// One page of its result. What changed since counts for nothing.
  virtual void learn(json::view page, std::uint64_t asked) = 0;
};

/// A step of a type that need not be derived: what of it is virtual is said here, so that it is compiled by who uses
/// it.
template <class Step>
class step_of final : public call_step {
 public:
  template <class... A>
  explicit step_of(A&&... a) : step_(std::forward<A>(a)...) {}

  [[nodiscard]] bool concerns(std::string_view method) const noexcept override { return step_.concerns(method); }
  asio::awaitable<reply> perform(prepared_call& c, performer next) override {
    return step_.perform(c, std::move(next));
  }
  void notified(std::string_view method, json::value const& params) override {
    if constexpr (requires { step_.notified(method, params); }) step_.notified(method, params);
  }
  void connected(bool restarted) override {
    if constexpr (requires { step_.connected(restarted); }) step_.connected(restarted);
  }
  void lost(error const& why) override {
    if constexpr (requires { step_.lost(why); }) step_.lost(why);
  }
  [[nodiscard]] bool wants(std::string_view list) const override {
    if constexpr (requires { step_.wants(list); }) return step_.wants(list);
    return false;
  }
  void listens(subscription_filter& wanted) const override {
    if constexpr (requires { step_.listens(wanted); }) step_.listens(wanted);
  }
  [[nodiscard]] std::uint64_t moment() const noexcept override {
    if constexpr (requires { step_.moment(); }) return step_.moment();
    return 0;
  }
  void learn(json::view page, std::uint64_t asked) override {
    if constexpr (requires { step_.learn(page, asked); }) step_.learn(page, asked);
  }

 private:
  Step step_;
};

/// The way of a call that ends before it.
COMCP_LAZY asio::awaitable<reply> ended(error why);

class pipeline {
 public:
  explicit pipeline(exchange& end) noexcept : end_(end) {}

  /// In the order in which calls go through them; those that are null are left out.
  COMCP_LAZY void add(std::unique_ptr<call_step> step);
  /// True where only the exchange is left of it.
  COMCP_LAZY [[nodiscard]] bool is_plain(std::string_view method, std::size_t from = 0) const noexcept;
  /// Steps, and then the exchange with the server or what stands for it.
  COMCP_LAZY asio::awaitable<reply> run(prepared_call& c, performer::function instead = {}) const;
  COMCP_LAZY bool notified(std::string const& method, json::value const& params);
  [[nodiscard]] std::vector<std::unique_ptr<call_step>> const& steps() const noexcept { return steps_; }

 private:
  friend class performer;

  exchange& end_;
  std::vector<std::unique_ptr<call_step>> steps_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/pipeline.ipp>
#endif
