// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "authorized.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/auth/oauth.hpp>
#include <comcp/transport/http.hpp>

namespace conformance {
namespace {

constexpr std::string_view enterprise = "auth/enterprise-managed-authorization";
constexpr std::string_view enterprise_in_0_1 = "auth/cross-app-access-complete-flow";

// The suite's authorization servers consent at once: where they lead is the redirect.
asio::awaitable<std::string> consent(comcp::http_url url) {
  auto const send = comcp::send_with(std::make_shared<comcp::asio_engine>());
  auto const answer = co_await send(comcp::http_request(std::move(url)));
  if (!answer) throw comcp::exception(answer.error());
  auto const* const where = answer->headers.find("Location");
  if (!where) throw std::runtime_error("no redirect, but " + std::to_string(answer->status));
  co_return *where;
}

asio::awaitable<comcp::secret> answer_with(comcp::secret text) { co_return text; }

comcp::grant_source always(std::string text) {
  return [text = comcp::secret(std::move(text))](comcp::grant_request const&) { return answer_with(text); };
}

// "" where the context has no such member.
std::string text_of(comcp::json::value const& context, std::string_view name) {
  auto const found = context.find(name);
  return found ? found->as<std::string>() : std::string();
}

comcp::oauth_client known_client(comcp::json::value const& context) {
  comcp::oauth_client client(text_of(context, "client_id"));
  auto const secret = text_of(context, "client_secret");
  if (!secret.empty()) client.client_secret(comcp::secret(secret));
  auto const key = text_of(context, "private_key_pem");
  if (!key.empty()) {
    client.key(comcp::private_key::pem(comcp::secret(key)).algorithm(text_of(context, "signing_algorithm")));
  }
  return client;
}

comcp::oauth_options options_for(std::string_view scenario, comcp::json::value const& context) {
  comcp::oauth_options options;
  options.client_name("comcp-conformance-client");
  options.client_metadata_url("https://conformance-test.local/client-metadata.json");
  options.user(comcp::browser_callback("http://localhost:3000/callback", consent));
  if (context.find("client_id")) options.client(known_client(context));
  if (scenario.starts_with("auth/client-credentials-")) options.client_credentials();
  if (scenario == "auth/wif-jwt-bearer") options.jwt_bearer(always(text_of(context, "valid_jwt")));
  if (scenario == enterprise || scenario == enterprise_in_0_1) {
    options.enterprise(comcp::identity_provider(text_of(context, "idp_token_endpoint"),
                                                comcp::oauth_client(text_of(context, "idp_client_id")),
                                                always(text_of(context, "idp_id_token"))));
  }
  return options;
}

}  // namespace

asio::awaitable<comcp::client> connect_authorized(std::string url, std::string scenario, comcp::json::value context,
                                                  comcp::connect_options options) {
  comcp::oauth auth(options_for(scenario, context));
  auto client = co_await comcp::connect(comcp::http(url, std::move(auth)), std::move(options));
  co_return comcp::client(std::move(client));
}

}  // namespace conformance
