// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How a client proves at a token endpoint who it is (RFC 6749, section 2.3; RFC 7523, section 2.2). Over OpenSSL.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

#include <comcp/auth/form.hpp>
#include <comcp/auth/registration.hpp>
#include <comcp/http/message.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// What a client assertion is for.
struct assertion_request {
  assertion_request() = default;
  std::string client_id;
  std::string audience;        ///< The issuer; the token endpoint where there is none.
  std::string token_endpoint;
};

/// Gives a signed JWT that was made elsewhere (a vault, a signing service); called on the client's executor.
using assertion_source = std::function<asio::awaitable<secret>(assertion_request)>;

/// Options of the assertions that comcp signs itself. Regular.
class assertion_options {
 public:
  assertion_options() {}
  /// One minute by default; an hour at most.
  assertion_options& lifetime(std::chrono::seconds s) { return lifetime_ = s, *this; }
  /// Members of a JSON object that are added to the claims; those that comcp sets itself win.
  assertion_options& extra_claims(json::value object) { return claims_ = std::move(object), *this; }
  /// In place of the issuer.
  assertion_options& audience(std::string a) { return audience_ = std::move(a), *this; }

  [[nodiscard]] std::chrono::seconds lifetime() const noexcept { return lifetime_; }
  [[nodiscard]] json::value const& extra_claims() const noexcept { return claims_; }
  [[nodiscard]] std::string const& audience() const noexcept { return audience_; }

 private:
  std::chrono::seconds lifetime_{60};
  json::value claims_;
  std::string audience_;
};

/// A client assertion signed with the client's own key. errc::invalid_argument for a key that cannot sign.
result<secret> sign_client_assertion(oauth_client const& client, assertion_request const& about,
                                     assertion_options const& options, std::chrono::system_clock::time_point now);

/// Adds the client's credentials to a token request, by `method` ("none", "client_secret_basic", "client_secret_post",
/// "private_key_jwt"). `assertion` is for private_key_jwt. errc::invalid_argument where a part is missing.
result<void> authenticate(form_fields& body, http_headers& headers, oauth_client const& client, std::string_view method,
                          secret const& assertion = {});

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/client_authentication.ipp>
#endif
