// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// HTTP/1.1 on one Asio executor: exchanges on connections that are kept between them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/http/any_engine.hpp>
#include <comcp/http/asio_engine_options.hpp>
#include <comcp/http/asio_exchange.hpp>
#include <comcp/http/asio_response.hpp>
#include <comcp/http/connector.hpp>
#include <comcp/http/engine.hpp>

namespace comcp {

/// The default engine. Moves, does not copy; destroying it ends its exchanges with errc::closed. Between exchanges it
/// keeps connections, and io_context::run() goes on until they have expired: close_idle() closes them at once.
template <class Connector>
class basic_asio_engine {
 public:
  using response = asio_response<typename Connector::stream>;

  explicit basic_asio_engine(asio_engine_options options = asio_engine_options(), Connector from = Connector())
      : core_(std::make_shared<core>(std::move(options), std::move(from))) {}
  basic_asio_engine(basic_asio_engine&&) noexcept = default;
  basic_asio_engine& operator=(basic_asio_engine&& other) noexcept {
    if (this != &other) {
      if (core_) core_->close();
      core_ = std::move(other.core_);
    }
    return *this;
  }
  ~basic_asio_engine() {
    if (core_) core_->close();
  }

  /// As the concept `engine` says. A request whose kept connection turns out dead before a byte of the answer goes out
  /// once more, on a new one, where nothing of it was sent, or where it may arrive twice: it says so (`repeatable`), or
  /// its method is idempotent. Precondition: this was not moved from.
  [[nodiscard]] asio::awaitable<result<response>> open(http_request request) {
    return open_as<response>(std::move(request), nullptr);
  }
  /// The same for any_engine.
  template <class Response>
  [[nodiscard]] asio::awaitable<result<Response>> open_as(http_request request, common_headers common) {
    return http_detail::exchange<Response>(core_, std::move(request), std::move(common));
  }
  bool start(asio::any_io_executor const& on, http_request const& request, common_headers const& common,
             asio::cancellation_slot slot, std::shared_ptr<http_detail::response_sink> to) {
    using started = http_detail::asio_exchange<Connector, http_detail::response_sink>;
    started::start(core_, on, request, common, slot, std::move(to));
    return true;
  }

  /// Closes the connections that no exchange is on.
  void close_idle() { core_->connections->close_idle(); }
  [[nodiscard]] std::size_t idle_connections() const noexcept { return core_->connections->idle_count(); }
  [[nodiscard]] std::size_t busy_connections() const noexcept { return core_->connections->busy_count(); }

 private:
  using core = http_detail::asio_engine_core<Connector>;
  std::shared_ptr<core> core_;
};

/// For http URLs; asio_tls_engine has https as well.
using asio_engine = basic_asio_engine<plain_connector>;

static_assert(engine<asio_engine>);

}  // namespace comcp
