// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "oauth_setup.hpp"

#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS

#include <chrono>

#include <comcp/auth/file_token_store.hpp>
#include <comcp/auth/oauth_session.hpp>
#include <comcp/system.hpp>

#include "exit_codes.hpp"
#include "http_server.hpp"
#include "text.hpp"

namespace cli {

namespace {

comcp::any_token_store make_store(login_choice const& login) {
  auto file = login.store;
  if (file.empty()) file = comcp::detail::environment_variable("COMCP_TOKEN_STORE").value_or("");
  if (!file.empty()) return comcp::file_token_store(comcp::detail::path_from_text(file));
  auto const usual = comcp::file_token_store::usual_path();
  if (!usual) throw usage_error("no place for logins: " + std::string(usual.error().message()) + "; give --token-store");
  return comcp::file_token_store(*usual);
}

// The tokens that a machine gets for one command are not kept: to log in is for `login`, and another login may be there.
// One of a user, which can be renewed, is none of the machine's; and renewed here, it would be lost.
class tokens_for_now {
 public:
  explicit tokens_for_now(comcp::any_token_store kept) : kept_(std::move(kept)) {}
  asio::awaitable<comcp::result<std::optional<comcp::secret>>> load(std::string name) {
    return load_either(now_, kept_, std::move(name));
  }
  asio::awaitable<comcp::result<void>> save(std::string name, comcp::secret text) {
    bool const tokens = is_tokens(name);
    return tokens ? now_.save(std::move(name), std::move(text)) : kept_.save(std::move(name), std::move(text));
  }
  asio::awaitable<comcp::result<void>> remove(std::string name) {
    bool const tokens = is_tokens(name);
    return tokens ? now_.remove(std::move(name)) : kept_.remove(std::move(name));
  }
  asio::awaitable<comcp::result<std::shared_ptr<void>>> lock(std::string name, std::chrono::milliseconds most) {
    bool const tokens = is_tokens(name);
    return tokens ? now_.lock(std::move(name), most) : kept_.lock(std::move(name), most);
  }

 private:
  static bool is_tokens(std::string const& name) { return name.starts_with("tokens "); }
  static bool is_of_user(comcp::secret const& text) {
    auto const record = comcp::detail::oauth_record::from_json(text);
    return record && !record->grant.tokens.refresh_token.empty();
  }
  static asio::awaitable<comcp::result<std::optional<comcp::secret>>> load_either(comcp::memory_token_store now,
                                                                                 comcp::any_token_store kept,
                                                                                 std::string name) {
    auto got = co_await now.load(name);
    bool const none = got && !*got, tokens = is_tokens(name);
    if (none) got = co_await kept.load(std::move(name));
    if (none && tokens && got && *got && is_of_user(**got)) got = std::optional<comcp::secret>();
    co_return got;
  }

  comcp::memory_token_store now_;
  comcp::any_token_store kept_;
};

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

void warn_of_wider_tokens(comcp::oauth_options& options, std::shared_ptr<surroundings> const& around) {
  options.accept_wider([around](std::string const& resource) {
    around->err.line("comcp: WARNING: this login is good for all of " + one_line(resource) + ", and not for this server alone");
    return true;
  });
}

asio::awaitable<std::optional<comcp::oauth>> usable_login(options const& o, std::shared_ptr<surroundings> around) {
  std::optional<comcp::oauth> login;
  try {
    auto options = make_oauth_options(o);
    if (o.server.login.client_credentials) {
      options.store(tokens_for_now(options.store()));
      warn_of_wider_tokens(options, around);
    }
    login.emplace(std::move(options));
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
