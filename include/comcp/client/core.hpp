// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The heart of a client, without templates, put together of its parts: calls (what waits), pipeline and exchange (the way
// of a call), outbound and inbound (what is sent, who gets what came), connection and recovery (its life). Everything in it
// runs on its home executor, one handler at a time. Users meet it through comcp::client.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/client/calls.hpp>
#include <comcp/client/connection.hpp>
#include <comcp/client/core_link.hpp>
#include <comcp/client/dispatcher.hpp>
#include <comcp/client/exchange.hpp>
#include <comcp/client/handler.hpp>
#include <comcp/client/inbound.hpp>
#include <comcp/client/introduction.hpp>
#include <comcp/client/negotiation.hpp>
#include <comcp/client/options.hpp>
#include <comcp/client/outbound.hpp>
#include <comcp/client/pipeline.hpp>
#include <comcp/client/recovery.hpp>
#include <comcp/client/server_facts.hpp>
#include <comcp/client/server_snapshot.hpp>
#include <comcp/client/subscriptions.hpp>
#include <comcp/client/tenant.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/wire/legacy.hpp>
#include <comcp/wire/modern.hpp>

namespace comcp {

namespace detail {

/// What its context and its calls ask of a core: that it is virtual is said here alone, so that the core itself is
/// compiled where a client connects.
template <class Core>
class core_hooks : protected tenant, protected calls::owner {
 protected:
  using tenant::tenant;

 private:
  [[nodiscard]] Core& core() noexcept { return static_cast<Core&>(*this); }
  [[nodiscard]] std::shared_ptr<void> itself() noexcept override { return core().weak_from_this().lock(); }
  void given_up(request_id id, pending_entry const& e, std::string_view why) override {
    core().outbound.cancel(id, e, why);
  }
  void context_gone() noexcept override { core().lose_context(); }  // home() is empty from then on
};

}  // namespace detail

class client_core final : private detail::core_hooks<client_core>, public std::enable_shared_from_this<client_core> {
 public:
  COMCP_LAZY client_core(any_transport transport, any_handler handler, connect_options options,
                         asio::any_io_executor home);
  client_core(client_core const&) = delete;
  client_core& operator=(client_core const&) = delete;

  /// Opens and negotiates on the caller's executor (or the one in the options). Throws; nothing is left behind then.
  COMCP_LAZY static asio::awaitable<std::shared_ptr<client_core>> connect(any_transport transport, any_handler handler,
                                                                          connect_options options);
  COMCP_LAZY asio::awaitable<void> close();
  COMCP_LAZY void abandon() noexcept;  ///< The owning client went away.
  /// What comcp::client holds.
  [[nodiscard]] std::shared_ptr<detail::client_link> facade() { return {shared_from_this(), &link_}; }

  // From here on home only.
  COMCP_LAZY void spawn(asio::awaitable<void> work);  ///< Detached.
  /// Waits; what ended it where that is not its time: the client's end, or a cancellation.
  COMCP_LAZY asio::awaitable<error> sleep(std::chrono::nanoseconds d, std::stop_token stop = {});
  COMCP_LAZY void fault(error what);
  /// What is known of the server has changed.
  COMCP_LAZY void publish();
  COMCP_LAZY void trace(direction d, std::string_view message);

  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }
  [[nodiscard]] std::optional<error> const& end_reason() const noexcept { return connection.end_reason(); }
  [[nodiscard]] bool is_closing() const noexcept { return connection.life().is_closing(); }
  [[nodiscard]] bool is_modern() const noexcept { return facts.is_modern(); }
  [[nodiscard]] bool is_http() const noexcept { return connection.channel().is_http(); }
  COMCP_LAZY [[nodiscard]] era_verdict verdict() const;

  any_handler const handler;
  detail::connect_settings settings;
  detail::calls calls;
  detail::server_facts facts;
  detail::introduction introduction;
  detail::connection connection;
  detail::recovery recovery;
  detail::exchange exchange;
  detail::pipeline pipeline;
  detail::outbound outbound;
  detail::inbound inbound;
  detail::dispatcher dispatcher;
  detail::subscriptions subscriptions;
  detail::published_server server;

 private:
  COMCP_LAZY [[nodiscard]] std::optional<saved_session> session() const;
  COMCP_LAZY static void let_go(client_core* last) noexcept;
  COMCP_LAZY void lose_context() noexcept;
  friend detail::core_hooks<client_core>;

  detail::core_link<client_core> link_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/capacity_line.ipp>
#include <comcp/client/impl/connection.ipp>
#include <comcp/client/impl/core.ipp>
#include <comcp/client/impl/core_link.ipp>
#include <comcp/client/impl/dispatcher.ipp>
#include <comcp/client/impl/exchange.ipp>
#include <comcp/client/impl/inbound.ipp>
#include <comcp/client/impl/input_rounds.ipp>
#include <comcp/client/impl/interception.ipp>
#include <comcp/client/impl/listen_streams.ipp>
#include <comcp/client/impl/negotiation.ipp>
#include <comcp/client/impl/outbound.ipp>
#include <comcp/client/impl/recovery.ipp>
#include <comcp/client/impl/restarts.ipp>
#include <comcp/client/impl/shared_stream.ipp>
#include <comcp/client/impl/subscribers.ipp>
#include <comcp/client/impl/subscription_hub.ipp>
#include <comcp/client/impl/subscriptions.ipp>
#endif
