// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the head of one HTTP/1.1 request, and refuses what no line can carry or what belongs to the framing.
#pragma once

#include <memory>
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

/// Fields that many requests have in common: the request's own go behind them.
using common_headers = std::shared_ptr<http_headers const>;

namespace http_detail {
bool have_name_in_common(http_headers const& a, http_headers const& b) noexcept;
/// The common ones first, but those that have the same name as one of `own`.
void put_below(http_headers const& common, http_headers& own);

/// The lines of such fields, written once for as long as they are the same.
class common_lines {
 public:
  /// errc::invalid_argument as check_request() gives it.
  result<std::string_view> of(common_headers const& headers);

 private:
  common_headers of_;
  std::string lines_;
};
}  // namespace http_detail

/// errc::invalid_argument for a method that is no token, control characters in a value, and the fields that
/// write_request_head() writes (Host, Content-Length, Transfer-Encoding, Connection); it quotes no value.
result<void> check_request(http_request const& request);

/// The head with its blank line: request line, Host, common_lines (each begins with CR LF), the request's own fields, Content-Length where there is a body or
/// the method usually has one (POST, PUT, PATCH). Precondition: check_request() found nothing.
std::string write_request_head(http_request const& request, proxy_form const& proxy = proxy_form(),
                               std::string_view common_lines = {});

/// Whether a request with this method may be sent twice (RFC 9110, section 9.2.2).
bool is_idempotent(std::string_view method) noexcept;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/request_writer.ipp>
#endif
