// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The exchange of an Asio engine that is usual: a short request on a connection that rested, up to the head of its
// response, by one handler in place of coroutines. What is unusual is left to exchange(). Internal.
#pragma once

#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/http/asio_exchange.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::http_detail {

/// Sends a lost request on a new connection.
template <class Connector>
asio::awaitable<void> send_again(std::shared_ptr<asio_engine_core<Connector>> core, http_request request,
                                 lost_request lost, std::shared_ptr<response_sink> to) {
  result<any_response> got = error(errc::cancelled);
  std::optional<lost_request> before(std::move(lost));
  auto again = exchange<any_response>(std::move(core), std::move(request), nullptr, std::move(before));
  try {
    got = co_await std::move(again);
  } catch (...) {
    got = comcp::detail::current_error();
  }
  to->came(std::move(got));
}

/// The handler of the read that is pending.
template <class Connector>
class quick_exchange {
 public:
  using core = asio_engine_core<Connector>;
  using stream = typename Connector::stream;
  using cancellation_slot_type = asio::cancellation_slot;

  /// False where no connection is ready, or something is wrong or unusual: then nothing has happened. The sink keeps
  /// the request until it is told.
  static bool start(std::shared_ptr<core> const& with, http_request const& request, common_headers const& common,
                    asio::cancellation_slot slot, std::shared_ptr<response_sink> to) {
    if (!has_short_body(request) || !check_request(request)) return false;
    auto const lines = common ? with->common.of(common) : result<std::string_view>();
    if (!lines) return false;
    auto taken = with->connections->take(request.url, false);
    if (!taken || !taken->get()) return false;
    auto const times = with->times_of(request.timeouts);
    auto const c = taken->get();
    request_text text;
    text.head = head_for(request, *lines, c->stream());
    text.head += request.body;
    c->begin(std::move(text), request.method, with->options.limits(), times);
    read(quick_exchange(with, std::move(*taken), request, times.total_at, slot, std::move(to)));
    return true;
  }

  quick_exchange(quick_exchange&&) noexcept = default;
  quick_exchange& operator=(quick_exchange&&) = delete;
  // Where the io_context is destroyed, nothing may reach for the connection through the slot.
  ~quick_exchange() {
    if (to_) slot_.clear();
  }

  void operator()(std::error_code ec, std::size_t n) {
    slot_.clear();
    auto& c = *lease_.get();
    if (!to_->is_waiting()) c.fail(error(errc::cancelled));
    c.received(ec, n);
    auto const told = c.advance();
    if (told == response_parser::progress::more) return read(std::move(*this));
    if (told == response_parser::progress::failed) return failed();
    c.pause();
    c.head().address = c.stream().server_address();
    auto const to = std::move(to_);
    to->came(any_response(std::in_place_type<asio_response<stream>>, std::move(c.head()), std::move(lease_)));
  }

  [[nodiscard]] asio::cancellation_slot get_cancellation_slot() const noexcept { return slot_; }

 private:
  quick_exchange(std::shared_ptr<core> with, asio_lease<stream> lease, http_request const& request,
                 time_source::time_point total_at, asio::cancellation_slot slot, std::shared_ptr<response_sink> to)
      : core_(std::move(with)),
        lease_(std::move(lease)),
        request_(&request),
        total_at_(total_at),
        slot_(slot),
        to_(std::move(to)) {}

  static void read(quick_exchange next) {
    auto& c = *next.lease_.get();
    auto const room = c.room();
    c.stream().async_read_some(room, std::move(next));
  }

  void failed() {
    auto const c = lease_.get();
    lease_.reset();
    auto const to = std::move(to_);
    if (!may_go_again(*request_, *c)) return to->came(c->failure());
    lost_request lost;
    lost.total_at = total_at_;
    if (!c->nothing_sent()) lost.sent = c->failure();
    lost.text = c->take_text();
    http_request request(request_->url, request_->method);
    request.timeouts = request_->timeouts;
    auto again = send_again(std::move(core_), std::move(request), std::move(lost), to);
    comcp::detail::spawn(c->stream().get_executor(), std::move(again), slot_, to);
  }

  std::shared_ptr<core> core_;
  asio_lease<stream> lease_;
  http_request const* request_;
  time_source::time_point total_at_;
  asio::cancellation_slot slot_;
  std::shared_ptr<response_sink> to_;
};

}  // namespace comcp::http_detail
