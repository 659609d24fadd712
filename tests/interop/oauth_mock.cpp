// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// oauth2-mock-server: OpenID discovery only, no registration, and as many of its faults as a client must see.
#include "interop/oauth_peers.hpp"

using namespace interop;
using comcp::oauth;
using comcp::oauth_client;
using comcp::oauth_options;
using comcp::secret;

namespace {

using server = server_process const&;

// The mock puts neither audience nor the scope of the authorization request into its tokens.
template <class Use>
void with_mock(program mock, Use use) {
  with_protected(std::move(mock), "localhost", "", {"any-scope", "no-audience"}, std::move(use));
}
program changed(words const& modes) { return script("mock_oauth.mjs", modes); }
program as_it_is() {
  auto const file = module_file("oauth2-mock-server/dist/oauth2-mock-server.mjs");
  return program({COMCP_NODE, file, "-a", "127.0.0.1", "-p", "@PORT@"});
}

oauth_options for_user(headless const& browser) {
  oauth_options options;
  options.user(browser.agent()).client(oauth_client("ann"));
  return options;
}
oauth_options for_machine() {
  oauth_client who("robot");
  who.client_secret(secret("s/+: %&=x"));
  oauth_options options;
  options.client(std::move(who)).client_credentials();
  return options;
}

// How a login ends that must fail before the browser opens.
comcp::error refusal(words const& modes) {
  comcp::error why;
  with_mock(changed(modes), [&](server mock, server mcp) -> asio::awaitable<void> {
    headless const browser;
    auto const refused = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(for_user(browser)))));
    REQUIRE_FALSE(refused);
    why = refused.error();
    CHECK(browser.visits() == 0);
    CHECK_FALSE(mock.printed("mock: authorization_code"));
  });
  return why;
}

}  // namespace

TEST_CASE("oauth2-mock-server: as it comes, one login for two connections", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_mock(as_it_is(), [](server, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth auth(for_user(browser));
    auto const token = co_await use_protected(mcp, auth);
    auto const same = co_await use_protected(mcp, auth);
    CHECK(same == token);
    CHECK(browser.visits() == 1);
  });
}

TEST_CASE("oauth2-mock-server: what is sent to its token endpoint", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_mock(changed({}), [](server mock, server mcp) -> asio::awaitable<void> {
    headless const browser;
    auto options = for_user(browser);
    moving_clock clock(options);
    oauth auth(options);
    co_await use_protected(mcp, auth);
    clock.an_hour_later();
    co_await use_protected(mcp, auth);
    CHECK(mock.times_printed("mock: authorization_code none resource=" + mcp.url("/mcp")) == 1);
    CHECK(mock.times_printed("mock: refresh_token none resource=" + mcp.url("/mcp")) == 1);
  });
}

TEST_CASE("oauth2-mock-server: without S256, or as another issuer, it ends before the browser opens", "[interop]") {
  COMCP_NEEDS_PEERS();
  auto const silent = refusal({"no-pkce"});
  CHECK(silent == errc::unauthorized);
  CHECK(silent.to_string().find("code_challenge_methods_supported") != std::string::npos);
  auto const plain = refusal({"plain"});
  CHECK(plain == errc::unauthorized);
  CHECK(plain.to_string().find("S256") != std::string::npos);
  auto const liar = refusal({"liar"});
  CHECK(liar == errc::unauthorized);
  CHECK(liar.to_string().find("honest.example.com") != std::string::npos);
}

TEST_CASE("oauth2-mock-server: a client that it does not know cannot register, and is told what to do", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_mock(as_it_is(), [](server, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth_options options;
    options.user(browser.agent());
    auto const stranger = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(options))));
    CHECK(stranger.error() == errc::unauthorized);
    CHECK(stranger.error().to_string().find("regist") != std::string::npos);
    CHECK(browser.visits() == 0);
  });
}

TEST_CASE("oauth2-mock-server: a user who says no", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_mock(changed({"denying"}), [](server mock, server mcp) -> asio::awaitable<void> {
    headless const browser;
    auto const refused = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(for_user(browser)))));
    CHECK(refused.error() == errc::unauthorized);
    CHECK(refused.error().to_string().find("access_denied") != std::string::npos);
    CHECK(browser.visits() == 1);
    CHECK_FALSE(mock.printed("mock: authorization_code"));
  });
}

TEST_CASE("oauth2-mock-server: a redirect of another issuer or state ends it before the code is sent", "[interop]") {
  COMCP_NEEDS_PEERS();
  for (std::string const attack : {"mixed-up", "forged"}) {
    CAPTURE(attack);
    with_mock(changed({attack}), [](server mock, server mcp) -> asio::awaitable<void> {
      headless const browser;
      auto const refused = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(for_user(browser)))));
      CHECK(refused.error() == errc::unauthorized);
      CHECK(refused.error().to_string().find("redirect") != std::string::npos);
      CHECK(browser.visits() == 1);
      CHECK_FALSE(mock.printed("mock: authorization_code"));
    });
  }
}

TEST_CASE("oauth2-mock-server: client credentials in the way that its metadata names", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_mock(changed({"secrets"}), [](server mock, server mcp) -> asio::awaitable<void> {
    co_await use_protected(mcp, oauth(for_machine()));
    CHECK(mock.times_printed("mock: client_credentials basic resource=" + mcp.url("/mcp")) == 1);
  });
  with_mock(changed({}), [](server mock, server mcp) -> asio::awaitable<void> {  // "none" is all that it names
    auto const refused = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(for_machine()))));
    CHECK(refused.error() == errc::unauthorized);
    CHECK_FALSE(mock.printed("mock: client_credentials"));
  });
}
