// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The heart of a client, without templates, put together of its parts: calls (what waits), pipeline and exchange (the way
// of a call), inbound (who gets what came), connection and recovery (its life). Everything in it runs on its home
// executor, one handler at a time. Users meet it through comcp::client.
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
#include <comcp/client/dispatcher.hpp>
#include <comcp/client/exchange.hpp>
#include <comcp/client/handler.hpp>
#include <comcp/client/inbound.hpp>
#include <comcp/client/introduction.hpp>
#include <comcp/client/negotiation.hpp>
#include <comcp/client/options.hpp>
#include <comcp/client/pipeline.hpp>
#include <comcp/client/recovery.hpp>
#include <comcp/client/server_facts.hpp>
#include <comcp/client/subscriptions.hpp>
#include <comcp/client/tenant.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/wire/legacy.hpp>
#include <comcp/wire/modern.hpp>

namespace comcp {

class client_core final : public inbox,
                          private detail::tenant,
                          private detail::calls::owner,
                          public std::enable_shared_from_this<client_core> {
 public:
  client_core(any_transport transport, any_handler handler, connect_options options, asio::any_io_executor home);
  ~client_core();
  client_core(client_core const&) = delete;
  client_core& operator=(client_core const&) = delete;

  /// Opens and negotiates on the caller's executor (or the one in the options). Throws; nothing is left behind then.
  static asio::awaitable<std::shared_ptr<client_core>> connect(any_transport transport, any_handler handler,
                                                               connect_options options);
  asio::awaitable<void> close();
  void abandon() noexcept;  ///< The owning client went away.
  /// The same, and gives the reference up at home: a timer of it may be running there.
  static void abandon(std::shared_ptr<client_core> core) noexcept;

  // Calls: from any executor; they resume there.
  asio::awaitable<json::value> call(detail::prepared_call c);
  asio::awaitable<json::value> resume_rounds(detail::prepared_call c, json::value required, json::fragment responses);
  /// What call() does with the outcome of a first round trip.
  asio::awaitable<json::value> settle(detail::prepared_call c, detail::reply first);
  /// True where call() would do no more than a round trip: a fast path for typed operations.
  [[nodiscard]] bool is_plain(asio::any_io_executor const& here, std::string_view method) const noexcept;

  // From here on home only.
  asio::awaitable<detail::reply> round_trip(detail::prepared_call const& c);
  /// What round_trip() does before it waits. When it fails nothing was sent; else calls().wait(e) must follow at once.
  result<void> start(detail::prepared_call const& c, detail::pending_entry& e);
  /// What is wrong with a call, before it is sent.
  [[nodiscard]] error check(detail::prepared_call const& c) const;
  [[nodiscard]] error check_subscribe(call_options const& options) const;
  /// What the server cannot do of it.
  [[nodiscard]] error refuses(detail::prepared_call const& c) const;
  result<void> transmit(detail::pending_entry& e) { return transmit(e, *facts_.codec); }
  result<void> transmit(detail::pending_entry& e, wire::codec const& codec);
  void notify(std::string_view method, std::string_view params, wire::request_meta const& meta = {});
  /// Sends a raw answer. Used by the dispatcher.
  void send_text(std::string text);
  void spawn(asio::awaitable<void> work);  ///< Detached.
  /// Waits; false when the client closed meanwhile.
  asio::awaitable<bool> sleep(std::chrono::nanoseconds d);
  /// An answer that is a result came.
  void answered(detail::pending_entry const& e, json::value const& result);
  /// Takes out the tools whose definition cannot be mirrored into headers, and learns how the others are.
  void adopt_tools(list_tools_result& page);
  void trace(direction d, std::string_view message);

  // The parts.
  [[nodiscard]] detail::calls& calls() noexcept { return calls_; }
  [[nodiscard]] detail::pipeline& pipeline() noexcept { return pipeline_; }
  [[nodiscard]] detail::exchange& exchange() noexcept { return exchange_; }
  [[nodiscard]] detail::inbound& inbound() noexcept { return inbound_; }
  [[nodiscard]] detail::dispatcher& dispatcher() noexcept { return dispatcher_; }
  [[nodiscard]] detail::subscription_hub& subscriptions() noexcept { return subscriptions_; }
  [[nodiscard]] detail::connection& connection() noexcept { return connection_; }
  [[nodiscard]] detail::recovery& recovery() noexcept { return recovery_; }
  [[nodiscard]] detail::server_facts& facts() noexcept { return facts_; }
  [[nodiscard]] detail::connect_settings const& settings() const noexcept { return settings_; }
  [[nodiscard]] connection_limits const& limits() const noexcept { return settings_.limits; }
  [[nodiscard]] any_handler const& handler() const noexcept { return handler_; }
  [[nodiscard]] detail::introduction const& introduction() const noexcept { return introduction_; }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }

  // What users and other parts ask often.
  [[nodiscard]] connection_status status() const noexcept { return connection_.status(); }
  [[nodiscard]] std::optional<error> const& end_reason() const noexcept { return connection_.end_reason(); }
  [[nodiscard]] bool is_closing() const noexcept { return connection_.life().is_closing(); }
  [[nodiscard]] bool is_modern() const noexcept { return facts_.is_modern(); }
  [[nodiscard]] bool is_http() const noexcept { return connection_.channel().is_http(); }
  [[nodiscard]] bool has_cache() const noexcept {
    return static_cast<bool>(settings_.steps[detail::connect_settings::caching]);
  }
  [[nodiscard]] std::optional<comcp::log_level> const& level() const noexcept { return level_; }
  void set_log_level(log_level level) noexcept { level_ = level; }
  [[nodiscard]] era_verdict verdict() const;
  [[nodiscard]] std::optional<saved_session> session() const;
  [[nodiscard]] comcp::transport_info transport_info() const { return connection_.channel().info(); }
  [[nodiscard]] comcp::statistics statistics() const;

  // inbox
  void delivered(padded_text text, request_id stream) override { inbound_.received(text, stream); }
  COMCP_DECL void stream_ended(request_id id, error why) override;
  [[nodiscard]] COMCP_DECL bool awaits(request_id id) const override;
  COMCP_DECL void session_lost(request_id id, error why) override;
  void authorizing(bool begins) override { connection_.clock().authorizing(begins); }
  void deaf(error why) override { subscriptions_.deaf(std::move(why)); }
  [[nodiscard]] bool listens() const override { return subscriptions_.is_awaited(); }
  void closed(error reason) override { connection_.closed(std::move(reason)); }
  COMCP_DECL void fault(error what) override;

 private:
  void send_message(outgoing message);
  asio::awaitable<json::value> call_on_home(detail::prepared_call c);
  COMCP_DECL void given_up(request_id id, detail::pending_entry const& e, std::string_view why) override;
  [[nodiscard]] std::shared_ptr<void> itself() noexcept override { return weak_from_this().lock(); }
  COMCP_DECL void context_gone() noexcept override;  // home() is empty from then on

  any_handler handler_;
  detail::connect_settings settings_;
  detail::calls calls_;
  detail::server_facts facts_;
  detail::introduction introduction_;
  detail::connection connection_;
  detail::recovery recovery_;
  detail::pipeline pipeline_;
  detail::exchange exchange_;
  detail::inbound inbound_;
  detail::dispatcher dispatcher_;
  detail::subscription_hub subscriptions_;
  std::optional<log_level> level_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/connection.ipp>
#include <comcp/client/impl/core.ipp>
#include <comcp/client/impl/dispatcher.ipp>
#include <comcp/client/impl/exchange.ipp>
#include <comcp/client/impl/inbound.ipp>
#include <comcp/client/impl/input_rounds.ipp>
#include <comcp/client/impl/interception.ipp>
#include <comcp/client/impl/listen_streams.ipp>
#include <comcp/client/impl/negotiation.ipp>
#include <comcp/client/impl/recovery.ipp>
#include <comcp/client/impl/subscribers.ipp>
#include <comcp/client/impl/subscriptions.ipp>
#endif
