// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of logins.
#include <algorithm>
#include <cctype>

#include "command_line.hpp"
#include "exit_codes.hpp"
#include "help.hpp"
#include "option_values.hpp"

namespace cli {
namespace {

bool is_authorization(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name == "authorization";
}

bool describes_client(login_choice const& login) {
  return login.client_credentials || login.dpop || login.key || login.scope || login.issuer ||
         !login.client_secret.empty() || !(login.client_id + login.client_metadata_url).empty();
}

}  // namespace

bool has_own_credentials(http_target const& http) {
  auto const& all = http.headers;
  return !http.bearer.empty() ||
         std::any_of(all.begin(), all.end(), [](auto const& header) { return is_authorization(header.first); });
}

void add_login_options(CLI::App& app, login_choice& login) {
  auto* const store = take(app, "--token-store", [&login](auto const& t) { login.store = t; },
                           "Where logins are kept (default: COMCP_TOKEN_STORE, else $XDG_DATA_HOME/comcp/tokens.json); "
                           "comcp login writes it, every command reads it and puts there what renews a login, and "
                           "which authorization server the client of --client-id belongs to", "FILE");
  auto* const id = take(app, "--client-id", [&login](auto const& t) { login.client_id = t; },
                        "How the authorization server knows this client, where an operator registered it; without it, "
                        "comcp registers itself where it may", "ID");
  auto* const secret = take(
      app, "--client-secret-env", [&login](auto const& t) { login.client_secret = client_secret_from_environment(t); },
      "The client's secret, where it has one, is in this variable", "VARIABLE");
  auto* const key = take(app, "--key", [&login](auto const& t) { login.key = key_from_file(t); },
                         "The client's private key (PEM or JWK) in place of a secret", "FILE");
  auto* const document = take(app, "--client-metadata-url", [&login](auto const& t) { login.client_metadata_url = t; },
                              "A document that you publish about this client (https), as its id", "URL");
  auto* const scope = take(app, "--scope", [&login](auto const& t) { login.scope = t; },
                           "Ask for these permissions, in place of what the server says", "'SCOPE...'");
  auto* const issuer = take(app, "--issuer", [&login](auto const& t) { login.issuer = t; },
                            "Log in at this authorization server and no other. Name it where --client-id has a secret or "
                          "key; otherwise the first one that a server names is kept as that of the client, and any other "
                          "refused", "URL");
  auto* const machine = app.add_flag("--client-credentials", login.client_credentials,
                                     "Log in as a machine, by --client-id and its secret or key: no user, no browser");
  auto* const dpop = app.add_flag("--dpop", login.dpop, "Bind tokens to a key of this client, where the server can");
  for (auto* const option : {store, id, secret, key, document, scope, issuer, machine, dpop})
    option->group(option_group::login);
}

void add_login_commands(CLI::App& app, options& o) {
  auto* const login = add_command(app, o, command::login, "login",
      "Log in to a server over HTTP, in the browser; later commands use that login and renew it",
      "  comcp --url https://example.com/mcp login\n"
      "  comcp --url https://example.com/mcp login --paste\n"
      "  comcp --url https://example.com/mcp login --client-id abc --callback-port 8123\n"
      "  comcp --url https://example.com/mcp login --client-credentials --client-id bot --client-secret-env BOT_SECRET");
  auto& choice = o.server.login;
  login->add_flag("--no-browser", choice.no_browser, "Only print the address to open, on this machine");
  login->add_flag("--paste", choice.paste,
                  "Print the address to open on any machine; then read from stdin the address at which the browser ends "
                  "up (it is a secret until the login is done)");
  login->add_option("--callback-port", choice.callback_port,
                    "The port of this machine to which the browser returns (default: any), where a registration wants "
                    "a certain one")
      ->check(CLI::Range(1, 65535))->type_name("PORT");
  add_command(app, o, command::logout, "logout", "Revoke the tokens of a login, and delete them here",
              "  comcp --url https://example.com/mcp logout");
  add_command(app, o, command::whoami, "whoami", "Show what is stored of a login, without its secrets",
              "  comcp --url https://example.com/mcp whoami\n  comcp --url https://example.com/mcp whoami --json\n\n"
              "Exit status 6 where nobody is logged in.");
  add_command(app, o, command::doctor, "doctor",
              "Explain step by step how a login to a server would go, and what is wrong",
              "  comcp --url https://example.com/mcp doctor\n"
              "  comcp --url https://example.com/mcp doctor --client-id abc --json\n\n"
              "It looks only: nothing is registered, no token is asked for; that of a login is shown to its server. Exit\n"
              "status 0 where nothing stands in the way of a login, or none is needed.");
}

void check_login(options const& o) {
  auto const& login = o.server.login;
  auto const& http = o.server.http;
  if (http.url.empty()) {
    if (is_about_login(o.what)) throw usage_error("logins are for servers over HTTP: give --url");
    if (describes_client(login)) throw usage_error("options about logins need --url");
    return;
  }
  if (is_about_login(o.what) && has_own_credentials(http))
    throw usage_error("this command is about a login of comcp: leave --bearer and Authorization headers out");
  if (!http.bearer.empty() && describes_client(login))
    throw usage_error("either --bearer or the options of a login, not both");
  bool const proves_itself = !login.client_secret.empty() || login.key;
  if (proves_itself && login.client_id.empty()) throw usage_error("--client-secret-env and --key need --client-id");
  if (!login.client_secret.empty() && login.key) throw usage_error("either --client-secret-env or --key, not both");
  if (login.client_credentials && !proves_itself)
    throw usage_error("--client-credentials needs --client-id and --client-secret-env or --key");
  if (login.client_credentials && (login.paste || login.no_browser || login.callback_port != 0))
    throw usage_error("--client-credentials has no use for a browser");
}

}  // namespace cli
