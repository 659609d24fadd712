// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// MCP over HTTP with an engine and an authenticator of the user's choice. comcp::http has the bundled ones.
// Specification: 2026-07-28 basic/transports/streamable-http, 2025-11-25 basic/transports, 2024-11-05 basic/transports
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include <comcp/auth/authenticator.hpp>
#include <comcp/http/engine.hpp>
#include <comcp/transport/http_endpoint.hpp>
#include <comcp/transport/http_options.hpp>

namespace comcp {

/// A server's MCP endpoint. A url that is none, and options that cannot be, fail when connecting.
template <class Engine, class Auth = no_auth>
class streamable_http : public detail::http_endpoint {
  static_assert(engine<Engine>,
                "comcp: this type is no engine: it needs a nested type response and open(http_request) giving "
                "asio::awaitable<result<response>> as comcp/http/engine.hpp says");
  static_assert(authenticator<Auth>,
                "comcp: this type is no authenticator: it needs headers(), challenged() and identity() as "
                "comcp/auth/authenticator.hpp says");

 public:
  streamable_http(std::string_view url, Engine e, Auth a = Auth(), http_options options = http_options())
      : streamable_http(url, std::make_shared<Engine>(std::move(e)), std::move(a), std::move(options)) {}
  /// With an engine that others use too, on the same executor.
  streamable_http(std::string_view url, std::shared_ptr<Engine> e, Auth a = Auth(), http_options options = http_options())
      : http_endpoint(url, any_engine(std::move(e)), any_authenticator(std::move(a)), std::move(options)) {}
};

}  // namespace comcp
