// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the head of one HTTP/1.1 request, and refuses what no line can carry or what belongs to the framing.
#pragma once

#include <string>
#include <string_view>

#include <comcp/http/message.hpp>
#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// How a request goes through an http proxy: it names the whole URL, and says who asks.
class proxy_form {
 public:
  proxy_form() {}
  bool absolute = false;
  std::string authorization;  ///< Value of Proxy-Authorization; empty for none.
};

/// errc::invalid_argument for a method that is no token, control characters in a value, and the fields that
/// write_request_head() writes (Host, Content-Length, Transfer-Encoding, Connection); it quotes no value.
result<void> check_request(http_request const& request);

/// The head with its blank line: request line, Host, the request's own fields, Content-Length where there is a body or
/// the method usually has one (POST, PUT, PATCH). Precondition: check_request() found nothing.
std::string write_request_head(http_request const& request, proxy_form const& proxy = proxy_form());

/// Whether a request with this method may be sent twice (RFC 9110, section 9.2.2).
bool is_idempotent(std::string_view method) noexcept;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/request_writer.ipp>
#endif
