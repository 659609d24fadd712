// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// login, logout and whoami.
#include "oauth_setup.hpp"

#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS

#include <chrono>
#include <ctime>
#include <iostream>

#include <comcp/auth/loopback_redirect.hpp>
#include <comcp/auth/pkce.hpp>

#include "connect.hpp"
#include "exit_codes.hpp"
#include "form.hpp"
#include "login.hpp"
#include "paste.hpp"
#include "printers.hpp"
#include "text.hpp"

namespace cli {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

std::string iso_time(system_clock::time_point at) {
  auto const when = system_clock::to_time_t(at);
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  char text[32];
  auto const size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, size);
}

// "in 59 minutes", "2 hours ago".
std::string relative(system_clock::time_point at) {
  auto const left = std::chrono::round<seconds>(at - system_clock::now()).count();
  auto const size = left < 0 ? -left : left;
  auto const [count, unit] = size < 120         ? std::pair(size, "second")
                             : size < 7200      ? std::pair(size / 60, "minute")
                             : size < 48 * 3600 ? std::pair(size / 3600, "hour")
                                                : std::pair(size / 86'400, "day");
  auto const amount = std::to_string(count) + " " + unit + (count == 1 ? "" : "s");
  return left < 0 ? amount + " ago" : "in " + amount;
}

comcp::json::object status_json(comcp::login_status const& s) {
  comcp::json::object out;
  out.set("loggedIn", true).set("server", shown_url(s.server)).set("resource", s.resource).set("issuer", s.issuer);
  out.set("clientId", s.client_id).set("registeredBy", s.registered_by).set("scope", s.scope);
  if (s.expires_at) {
    out.set("expiresAt", iso_time(*s.expires_at));
    out.set("expiresIn", std::chrono::round<seconds>(*s.expires_at - system_clock::now()).count());
  }
  return out.set("hasRefreshToken", s.has_refresh_token).set("dpop", s.dpop);
}

void print_status(comcp::login_status const& s) {
  print_field("server", shown_url(s.server));
  if (s.resource != s.server) print_field("resource", one_line(s.resource));
  print_field("logged in at", s.issuer.empty() ? "(it does not name itself)" : one_line(s.issuer));
  print_field("client", one_line(s.client_id) + " (" + one_line(s.registered_by) + ")");
  print_field("scopes", s.scope.empty() ? "(the server's choice)" : one_line(s.scope));
  print_field("token expires", expiry(s));
  print_field("refresh token", s.has_refresh_token ? "yes" : "no: log in again when the token has expired");
  if (s.dpop) print_field("DPoP", "yes: the token is of no use without this client's key");
}

// To stderr: stdout is for what comes of it.
void show_address(console& err, comcp::http_url const& url, char const* what_to_do) {
  auto const address = url.text();
  err.line(std::string(what_to_do) + "\n\n  " + address + "\n");
  for (auto const& warning : url_warnings(address)) err.line("Warning: " + warning);
}

asio::awaitable<void> log_in_by_paste(comcp::oauth login, std::chrono::milliseconds patience,
                                      std::shared_ptr<surroundings> around) {
  auto const& o = around->opts;
  // Nobody has to listen there: the browser shows an error, and the address that is wanted.
  constexpr std::uint16_t usual_port = 33418;
  auto const port = o.server.login.callback_port != 0 ? o.server.login.callback_port : usual_port;
  auto redirect = "http://127.0.0.1:" + std::to_string(port) + "/callback";
  // Where comcp registers it, it is of this server alone, so that no answer meant for another one fits.
  bool const registers = o.server.login.client_id.empty() && o.server.login.client_metadata_url.empty();
  if (registers) redirect += "/" + comcp::pkce_challenge(comcp::secret(o.server.http.url)).substr(0, 22);
  auto started = co_await login.begin(o.server.http.url, redirect);
  show_address(around->err, started.url, "Open this address in a browser, on any machine, and log in:");
  auto question = "The browser then ends up at an address that starts with " + redirect +
                  "\n(it may say that there is no such page: that is fine). Paste that whole address here; it is not "
                  "shown:";
  auto pasted = co_await read_secret_line(around->err, std::move(question), patience);
  co_await login.finish(std::move(started.state), std::move(pasted));
}

asio::awaitable<void> log_in_by_browser(comcp::oauth_options options, std::shared_ptr<surroundings> around) {
  auto const& choice = around->opts.server.login;
  comcp::loopback_redirect browser;
  browser.port(choice.callback_port);
  if (choice.no_browser) browser.print_only();
  auto const* const what = choice.no_browser ? "Open this address in a browser on this machine, and log in:"
                                             : "Log in in your browser. If none has opened, open this address:";
  browser.show_with([around, what](comcp::http_url const& url) { show_address(around->err, url, what); });
  options.user(std::move(browser));
  comcp::oauth login(std::move(options));
  co_await login.login(around->opts.server.http.url);
}

asio::awaitable<int> log_in(std::shared_ptr<surroundings> around) {
  auto const& o = around->opts;
  auto options = make_oauth_options(o);
  warn_of_wider_tokens(options, around);
  comcp::oauth login(options);
  if (o.server.login.paste) {
    co_await log_in_by_paste(login, options.user_timeout(), around);
  } else if (o.server.login.client_credentials) {
    co_await login.login(o.server.http.url);
  } else {
    co_await log_in_by_browser(std::move(options), around);
  }
  auto const status = co_await login.status(o.server.http.url);
  if (!status) throw comcp::exception(comcp::error(comcp::errc::not_found, "the login was made, and is not stored"));
  around->err.line("comcp: logged in; trying it ...");
  auto client = co_await connect(around);
  if (o.json) {
    auto out = status_json(*status);
    std::cout << json_text(out.set("serverInfo", client.server_info()).text()) << '\n';
  } else {
    print_status(*status);
    auto const& server = client.server_info();
    print_field("says it is", one_line(server.name + (server.version.empty() ? "" : " " + server.version)));
  }
  co_await client.close();
  co_return exit_ok;
}

asio::awaitable<int> log_out(std::shared_ptr<surroundings> around) {
  auto const& o = around->opts;
  comcp::oauth login(make_oauth_options(o));
  auto const before = co_await login.status(o.server.http.url);
  if (before) co_await login.logout(o.server.http.url);
  if (o.json) {
    std::cout << comcp::json::object().set("loggedOut", before.has_value()).set("server", shown_url(o.server.http.url)).text() << '\n';
  } else {
    std::cout << (before ? "Logged out." : "Nobody was logged in.") << '\n';
  }
  co_return exit_ok;
}

asio::awaitable<int> who_am_i(std::shared_ptr<surroundings> around) {
  auto const& o = around->opts;
  comcp::oauth login(make_oauth_options(o));
  auto const status = co_await login.status(o.server.http.url);
  if (o.json) {
    auto const nobody = comcp::json::object().set("loggedIn", false).set("server", shown_url(o.server.http.url));
    std::cout << json_text((status ? status_json(*status) : nobody).text()) << '\n';
  } else if (status) {
    print_status(*status);
  } else {
    std::cout << "Nobody is logged in. Log in with: " << command_about(o, "login") << '\n';
  }
  co_return status ? exit_ok : exit_login;
}

}  // namespace

std::string expiry(comcp::login_status const& s) {
  if (!s.expires_at) return "the server did not say when";
  auto text = relative(*s.expires_at) + " (" + iso_time(*s.expires_at) + ")";
  if (s.has_refresh_token) text.append(", renewed by itself");
  return text;
}

asio::awaitable<int> run_login_command(std::shared_ptr<surroundings> around) {
  switch (around->opts.what) {
    case command::login: return log_in(around);
    case command::logout: return log_out(around);
    case command::whoami: return who_am_i(around);
    default: return run_doctor(around);
  }
}

}  // namespace cli

#endif
