// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The heart of a client, without templates: one transport, one handler, the pending calls, the handshake.
// Everything in it runs on its home executor, one handler at a time. Users meet it through comcp::client.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/calls.hpp>
#include <comcp/client/dispatcher.hpp>
#include <comcp/client/exchange.hpp>
#include <comcp/client/handler.hpp>
#include <comcp/client/inbound.hpp>
#include <comcp/client/options.hpp>
#include <comcp/client/pipeline.hpp>
#include <comcp/client/server_facts.hpp>
#include <comcp/client/subscriptions.hpp>
#include <comcp/client/tenant.hpp>
#include <comcp/protocol/input_required.hpp>
#include <comcp/protocol/tools.hpp>
#include <comcp/jsonrpc/decode.hpp>
#include <comcp/sansio/handshake.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/wire/http_headers.hpp>
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

  // Calls: from any executor; they resume there.
  asio::awaitable<json::value> call(detail::prepared_call c);
  /// One round trip without interceptors, rounds or repetition; on home only.
  asio::awaitable<detail::reply> round_trip(detail::prepared_call const& c);
  /// What round_trip() does before it waits. When it fails nothing was sent; else calls().wait(e) must follow at once.
  result<void> start(detail::prepared_call const& c, detail::pending_entry& e);
  /// True where call() would do no more than round_trip(): a fast path for typed operations.
  [[nodiscard]] bool is_plain(asio::any_io_executor const& here, std::string_view method) const noexcept;
  /// What call() does with the outcome of a first round_trip().
  asio::awaitable<json::value> settle(detail::prepared_call c, detail::reply first);
  void notify(std::string_view method, std::string_view params, wire::request_meta const& meta = {});
  asio::awaitable<json::value> resume_rounds(detail::prepared_call c, json::value required, json::fragment responses);

  // The connection.
  asio::awaitable<void> close();
  void abandon() noexcept;  ///< The owning client went away.
  /// Ends the connection and begins anew, as after a crash with this reason, once `wait` is over; an attempt that waits
  /// already is made now. What forbids it, if anything does. On home.
  error begin_anew(error why, std::chrono::nanoseconds wait);
  /// The same at once, and waits until it is ready again. Throws what the attempt failed with. On home.
  asio::awaitable<void> reconnect(error why);
  /// Called on home whenever an attempt to restore the connection begins.
  void on_attempt(std::function<void()> f) { on_attempt_ = std::move(f); }
  asio::awaitable<error> closed();
  /// Waits, as long as the call may, until it is known again what the server can do. On home.
  asio::awaitable<error> settled(detail::prepared_call const& c);
  /// Once it has ended: why.
  [[nodiscard]] std::optional<error> const& end_reason() const noexcept { return end_reason_; }
  void set_log_level(log_level level) noexcept { level_ = level; }
  [[nodiscard]] std::optional<comcp::log_level> const& level() const noexcept { return level_; }
  /// Waits; false when the client closed meanwhile. On home only.
  asio::awaitable<bool> sleep(std::chrono::nanoseconds d);
  /// Sends a raw answer. Used by the dispatcher.
  void send_text(std::string text);
  asio::awaitable<void> run_on_home(asio::awaitable<void> work);

  [[nodiscard]] detail::calls& calls() noexcept { return calls_; }
  [[nodiscard]] detail::pipeline& pipeline() noexcept { return pipeline_; }
  [[nodiscard]] detail::exchange& exchange() noexcept { return exchange_; }
  [[nodiscard]] detail::exchange const& exchange() const noexcept { return exchange_; }
  [[nodiscard]] detail::dispatcher& dispatcher() noexcept { return dispatcher_; }
  [[nodiscard]] detail::connect_settings const& settings() const noexcept { return settings_; }
  [[nodiscard]] std::unique_ptr<wire::codec> modern_codec(protocol_version v) const;
  /// What is wrong with a call, before it is sent.
  [[nodiscard]] error check(detail::prepared_call const& c) const;
  [[nodiscard]] error check_subscribe(call_options const& options) const;
  result<void> transmit(detail::pending_entry& e) { return transmit(e, *facts_.codec); }
  /// From the inbound side: an answer that is a result.
  void answered(detail::pending_entry const& e, json::value const& result);
  void trace(direction d, std::string_view message);
  void break_off(error reason);
  [[nodiscard]] bool refuses_requests() const;
  [[nodiscard]] bool is_closing() const noexcept { return closing_; }
  [[nodiscard]] bool is_restarting() const noexcept { return restarting_; }
  /// Whether the era comes from a saved verdict that nothing has shown to hold.
  [[nodiscard]] bool doubts_era() const noexcept { return prior_unconfirmed_; }
  /// Where it is in doubt the server is asked, once for all calls; they wait with settled().
  void check_era();
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }
  [[nodiscard]] connection_status status() const noexcept { return status_; }
  [[nodiscard]] bool is_modern() const noexcept { return facts_.is_modern(); }
  [[nodiscard]] detail::server_facts& facts() noexcept { return facts_; }
  [[nodiscard]] detail::server_facts const& facts() const noexcept { return facts_; }
  [[nodiscard]] client_capabilities const& own_capabilities() const noexcept { return own_capabilities_; }
  [[nodiscard]] era_verdict verdict() const;
  [[nodiscard]] comcp::transport_info transport_info() const;
  [[nodiscard]] comcp::statistics statistics() const;
  [[nodiscard]] any_handler const& handler() const noexcept { return handler_; }
  [[nodiscard]] connection_limits const& limits() const noexcept { return settings_.limits; }
  [[nodiscard]] detail::subscription_hub& subscriptions() noexcept { return subscriptions_; }
  void spawn(asio::awaitable<void> work);  ///< On home, detached.
  void add_status_listener(std::function<void(connection_status)> f) { status_listeners_.push_back(std::move(f)); }

  [[nodiscard]] bool has_cache() const noexcept { return static_cast<bool>(settings_.steps[detail::connect_settings::caching]); }

  // HTTP.
  [[nodiscard]] bool is_http() const noexcept { return is_http_; }
  /// Takes out the tools whose definition cannot be mirrored into headers, and learns how the others are. On home.
  void adopt_tools(list_tools_result& page);
  [[nodiscard]] std::optional<saved_session> session() const;

  // inbox
  COMCP_DECL void delivered(padded_text text, request_id stream) override;
  COMCP_DECL void stream_ended(request_id id, error why) override;
  [[nodiscard]] COMCP_DECL bool awaits(request_id id) const override;
  COMCP_DECL void session_lost(request_id id, error why) override;
  COMCP_DECL void authorizing(bool begins) override;
  void deaf(error why) override { subscriptions_.deaf(std::move(why)); }
  [[nodiscard]] bool listens() const override { return subscriptions_.is_awaited(); }
  COMCP_DECL void closed(error reason) override;
  COMCP_DECL void fault(error what) override;

 private:
  struct negotiation;

  // core_connect.ipp
  asio::awaitable<void> open_and_negotiate();
  asio::awaitable<result<void>> negotiate();
  void take_step(std::shared_ptr<negotiation> const& n, sansio::handshake_step const& step);
  void send_probe(std::shared_ptr<negotiation> const& n, protocol_version v);
  void send_initialize(std::shared_ptr<negotiation> const& n, protocol_version v);
  void settle_handshake(negotiation& n, error why);
  void commit(negotiation& n);
  asio::awaitable<void> reopen(std::shared_ptr<negotiation> n);
  asio::awaitable<result<void>> open_transport();
  request_id enlist_part(detail::pending_entry& e, std::chrono::nanoseconds timeout);
  asio::awaitable<void> after_handshake();
  asio::awaitable<void> keep_alive();
  asio::awaitable<void> restart(std::chrono::nanoseconds first_wait);
  asio::awaitable<bool> close_transport();
  [[nodiscard]] std::optional<std::chrono::nanoseconds> next_restart(error const& why);
  bool begin_restart(error const& why);
  void lost(error why);
  void give_way(error const& why, std::chrono::nanoseconds wait);
  void begin_attempt();
  [[nodiscard]] std::chrono::nanoseconds bounded(std::chrono::nanoseconds d) const;
  void set_status(connection_status s);
  void finish(error reason);
  void abrupt() noexcept;
  void drop_transport() noexcept;
  [[nodiscard]] std::shared_ptr<void> itself() noexcept override { return weak_from_this().lock(); }
  COMCP_DECL void context_gone() noexcept override;  // home() is empty from then on
  void declare_capabilities();
  asio::awaitable<void> close_on_home(error reason);
  [[nodiscard]] implementation own_info() const;

  // core.ipp
  void send_message(outgoing message);
  result<void> begin(detail::prepared_call const& c, detail::pending_entry& e);
  result<void> transmit(detail::pending_entry& e, wire::codec const& codec);
  /// Calls that begin wait until it is known what the server is.
  [[nodiscard]] bool unsettled() const noexcept { return restarting_ || !facts_.codec; }
  void cancel_inbound();
  COMCP_DECL void given_up(request_id id, detail::pending_entry const& e, std::string_view why) override;
  [[nodiscard]] detail::calls::spared spared() const;
  void fail_all(error const& reason);
  asio::awaitable<json::value> call_on_home(detail::prepared_call c);

  // core_http.ipp
  void renew();
  void begin_renegotiation(std::optional<era_verdict> known);
  asio::awaitable<void> renegotiate(std::optional<era_verdict> known);
  void restored();
  void renegotiation_failed(error const& why);
  [[nodiscard]] bool adopt_resumed(negotiation& n);
  void recall_era();
  void remember_era();
  void forget_era();

  any_transport transport_;
  std::function<void()> const cut_;  // ends what would outlive us, from any thread
  any_handler handler_;
  detail::connect_settings settings_;
  detail::calls calls_;
  std::vector<request_id> deferred_;   // calls that wait for a connection to be sent
  std::vector<request_id> unsettled_;  // what waits for one otherwise
  detail::server_facts facts_;
  detail::pipeline pipeline_;
  detail::exchange exchange_;
  detail::inbound inbound_;
  detail::dispatcher dispatcher_;
  detail::subscription_hub subscriptions_;

  client_capabilities own_capabilities_;
  std::string own_capabilities_text_;
  std::optional<log_level> level_;

  connection_status status_ = connection_status::disconnected;
  std::vector<std::function<void(connection_status)>> status_listeners_;
  std::optional<error> end_reason_;
  std::weak_ptr<negotiation> negotiation_;  // while a handshake is under way
  comcp::transport_info last_info_;
  std::uint64_t messages_at_last_ping_ = 0;
  unsigned restarts_in_a_row_ = 0;
  std::function<void()> on_attempt_;
  std::chrono::steady_clock::time_point attempt_until_ = std::chrono::steady_clock::time_point::max();
  std::chrono::steady_clock::time_point authorizing_since_;
  unsigned authorizing_ = 0;                  // exchanges that wait for credentials
  request_id restart_pause_ = 0;              // the wait before the next attempt
  std::vector<request_id> restart_waits_;     // for what comes out of it
  bool restart_now_ = false;                  // without that wait
  unsigned renewals_in_a_row_ = 0;
  bool is_http_ = false;
  bool resumed_ = false;      // this connection goes on with a saved session
  bool renewal_due_ = false;  // the session is lost, and the last try to renew it failed
  bool transport_open_ = false;
  bool prior_unconfirmed_ = false;  // the era was taken from a prior verdict, and nothing has shown yet that it holds
  bool closing_ = false;
  bool restarting_ = false;
  error* restoring_ = nullptr;  // while a restart restores the connection: where it learns that this was lost again
  bool keeping_alive_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/core.ipp>
#include <comcp/client/impl/core_close.ipp>
#include <comcp/client/impl/core_connect.ipp>
#include <comcp/client/impl/core_http.ipp>
#include <comcp/client/impl/dispatcher.ipp>
#include <comcp/client/impl/exchange.ipp>
#include <comcp/client/impl/inbound.ipp>
#include <comcp/client/impl/input_rounds.ipp>
#include <comcp/client/impl/interception.ipp>
#include <comcp/client/impl/subscribers.ipp>
#include <comcp/client/impl/subscriptions.ipp>
#endif
