// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// MCP over HTTP as a transport, over any engine and with any authenticator. Internal: users have streamable_http and
// http.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <asio/awaitable.hpp>

#include <comcp/transport/http_session.hpp>

namespace comcp::detail {

class http_endpoint {
 public:
  static constexpr bool is_http = true;

  http_endpoint(std::string_view url, any_engine e, any_authenticator a, http_options options);
  http_endpoint(http_endpoint&&) noexcept = default;
  http_endpoint& operator=(http_endpoint&& other) noexcept;
  ~http_endpoint() { abort(); }

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> open(inbox& in);
  COMCP_LAZY result<void> send(outgoing message);
  bool abandon(request_id id) noexcept { return session_ && session_->abandon(id); }
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close();
  [[nodiscard]] transport_info info() const;
  [[nodiscard]] std::optional<saved_session> resumed() const { return options_.resumed(); }

 private:
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> start(inbox& in);
  void abort() noexcept;

  result<http_url> url_;
  http_options options_;
  any_engine engine_;
  any_authenticator auth_;
  std::shared_ptr<http_session> session_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/http_endpoint.ipp>
#endif
