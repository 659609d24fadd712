// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a client holds, its connection, and what is known of that and of the server.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <comcp/client/link.hpp>
#include <comcp/client/watch_handle.hpp>

namespace comcp {
namespace detail {
struct client_access;
}  // namespace detail

/// The base of every client: owns the connection, and tells of it. What it tells may be asked on any thread. Of the
/// server it is what the newest handshake found.
class client_base {
 public:
  client_base() = default;
  explicit client_base(std::shared_ptr<detail::client_link> core, bool owner = true) noexcept
      : core_(std::move(core)), owner_(owner) {}
  client_base(client_base&& other) noexcept : core_(std::move(other.core_)), owner_(std::exchange(other.owner_, false)) {}
  client_base& operator=(client_base&& other) noexcept;
  ~client_base();

  [[nodiscard]] connection_status status() const noexcept;
  /// Calls it at each change, on the client's executor, until the handle is destroyed. What leaves it is dropped.
  [[nodiscard]] watch_handle on_status(std::function<void(connection_status)> listener) const;
  [[nodiscard]] implementation server_info() const;
  [[nodiscard]] server_capabilities capabilities() const;
  [[nodiscard]] std::string instructions() const;
  [[nodiscard]] comcp::protocol_version protocol_version() const;
  [[nodiscard]] comcp::era era() const { return protocol_version().era(); }
  /// What a later connection can be given as connect_options().prior().
  [[nodiscard]] era_verdict verdict() const;
  /// Legacy era over HTTP: the session, for http_options().resume() in this process or another. Nothing where the server
  /// gave none. Its id is a secret. Leave such a client by destroying it: close() ends the session.
  [[nodiscard]] std::optional<saved_session> session() const;
  [[nodiscard]] comcp::statistics statistics() const;
  using executor_type = asio::any_io_executor;
  /// The client's own; an empty one where there is no connection.
  [[nodiscard]] executor_type get_executor() const noexcept;

 protected:
  [[nodiscard]] std::shared_ptr<detail::client_link> const& core() const;  ///< Throws where there is none.

  std::shared_ptr<detail::client_link> core_;

 private:
  friend struct detail::client_access;
  bool owner_ = false;
};

namespace detail {
/// For what is built upon clients. Internal.
struct client_access {
  static std::shared_ptr<client_link> const& core(client_base const& c) noexcept { return c.core_; }
};
}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/client_base.ipp>
#endif
