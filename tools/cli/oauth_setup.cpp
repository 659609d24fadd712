// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "oauth_setup.hpp"

#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS

#include <chrono>
#include <cstdlib>

#include <comcp/auth/file_token_store.hpp>

#include "exit_codes.hpp"
#include "http_server.hpp"
#include "text.hpp"

namespace cli {

namespace {

comcp::any_token_store make_store(login_choice const& login) {
  auto file = login.store;
  auto const* const named = std::getenv("COMCP_TOKEN_STORE");
  if (file.empty() && named) file = named;
  if (!file.empty()) return comcp::file_token_store(file);
  auto const usual = comcp::file_token_store::usual_path();
  if (!usual) throw usage_error("no place for logins: " + std::string(usual.error().message()) + "; give --token-store");
  return comcp::file_token_store(*usual);
}

comcp::oauth_client make_client(login_choice const& login) {
  comcp::oauth_client client(login.client_id);
  client.client_secret(login.client_secret);
  if (login.key) client.key(*login.key);
  if (login.issuer) client.issuer(*login.issuer);
  return client;
}

}  // namespace

comcp::oauth_options make_oauth_options(options const& o) {
  auto const& login = o.server.login;
  auto const& http = o.server.http;
  if (auto const url = comcp::http_url::parse(http.url); !http.url.empty() && !url) {
    throw usage_error("--url: " + std::string(url.error().message()));
  }
  comcp::oauth_options out;
  out.store(make_store(login)).client_name("comcp").dpop(login.dpop);
  if (!login.client_id.empty()) out.client(make_client(login));
  if (!login.client_metadata_url.empty()) out.client_metadata_url(login.client_metadata_url);
  if (login.scope) out.scope(*login.scope);
  if (login.issuer) out.issuer(*login.issuer);
  if (login.client_credentials) out.client_credentials();
  if (o.timeout) out.timeout(std::chrono::ceil<std::chrono::milliseconds>(*o.timeout));
  if (o.max_time) out.user_timeout(std::chrono::ceil<std::chrono::milliseconds>(*o.max_time));
  out.proxy(proxies_of(http)).tls(comcp::tls_options().ca_file(http.ca_file));
  return out;
}

asio::awaitable<std::optional<comcp::oauth>> usable_login(options const& o, std::shared_ptr<surroundings> around) {
  std::optional<comcp::oauth> login;
  try {
    login.emplace(make_oauth_options(o));
  } catch (usage_error const&) {
    if (o.server.login.client_credentials) throw;
    co_return std::nullopt;  // no home: nothing is stored
  }
  if (o.server.login.client_credentials) co_return login;
  auto asking = comcp::as_result(login->status(o.server.http.url));
  auto const status = co_await std::move(asking);
  if (!status) around->err.line("comcp: stored logins are not used: " + one_line(status.error().to_string()));
  bool const known = status && *status;
  if (!known) login.reset();
  co_return login;
}

}  // namespace cli

#endif
