// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/oauth.hpp>

#include <optional>
#include <string>

#include <asio/ip/tcp.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include <comcp/auth/loopback_redirect.hpp>

#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::oauth_talk;

TEST_CASE("oauth: a 401 leads through the whole flow to an answer", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == 1);
  CHECK(t.world->asked_scopes.front() == "read");
  CHECK(t.world->requests("POST https://as.example/register") == 1);
  CHECK(t.world->requests("POST https://mcp.example/mcp") == 2);

  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == 1);
  CHECK(t.world->requests("POST https://mcp.example/mcp") == 3);
}

TEST_CASE("oauth: login() asks before anything is sent, status() says what is stored, logout() revokes and forgets", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  CHECK_FALSE(t.get(auth.status(oauth_talk::server)).value().has_value());
  REQUIRE(t.get(auth.login(oauth_talk::server)));
  auto const status = t.get(auth.status(oauth_talk::server)).value();
  REQUIRE(status.has_value());
  CHECK(status->server == oauth_talk::server);
  CHECK(status->resource == "https://mcp.example/mcp");
  CHECK(status->issuer == "https://as.example");
  CHECK(status->registered_by == "dynamic");
  CHECK(status->client_id == "client-1");
  CHECK(status->scope == "read");
  CHECK(status->has_refresh_token);
  CHECK_FALSE(status->dpop);
  CHECK(t.ask(auth) == 200);

  REQUIRE(t.get(auth.logout(oauth_talk::server)));
  CHECK(t.world->access.empty());
  CHECK(t.world->refresh.empty());
  CHECK_FALSE(t.get(auth.status(oauth_talk::server)).value().has_value());
}

namespace {

// A browser without a window: asks the listener for the redirect, as a real one would.
asio::awaitable<void> follow(std::string redirect, std::uint16_t* port) {
  auto const url = comcp::http_url::parse(redirect).value();
  *port = url.port();
  asio::ip::tcp::socket socket(co_await asio::this_coro::executor);
  asio::ip::tcp::endpoint const at(asio::ip::address_v4::loopback(), url.port());
  co_await socket.async_connect(at, asio::use_awaitable);
  auto const text = "GET " + url.target() + " HTTP/1.1\r\nHost: " + url.authority() + "\r\n\r\n";
  co_await asio::async_write(socket, asio::buffer(text), asio::use_awaitable);
  std::string page(512, ' ');
  co_await socket.async_read_some(asio::buffer(page), asio::use_awaitable);
}

}  // namespace

TEST_CASE("oauth: logs in through a listener on loopback, which is gone afterwards", "[auth]") {
  oauth_talk t;
  std::uint16_t port = 0;
  auto open = [&](comcp::http_url const& url) {
    comcp::detail::spawn(t.io.get_executor(), follow(t.world->consent(url), &port));
    return comcp::result<void>();
  };
  auto options = t.without_user();
  options.user(comcp::loopback_redirect().show_with({}).open_with(open));
  comcp::oauth auth(options);
  bool done = false;
  auto log_in = [&]() -> asio::awaitable<void> {
    co_await auth.login(oauth_talk::server);
    done = true;
  };
  comcp::detail::spawn(t.io.get_executor(), log_in());
  for (int i = 0; i < 1000 && !done; ++i) t.io.run_one_for(20ms);
  REQUIRE(done);
  CHECK(t.ask(auth) == 200);
  asio::ip::tcp::socket late(t.io);
  std::error_code refused;
  late.connect({asio::ip::address_v4::loopback(), port}, refused);
  CHECK(refused);
}

TEST_CASE("oauth: without a user agent a login says that a user is wanted, and machines go on sending nothing", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.without_user());
  auto const refused = t.get(auth.login(oauth_talk::server));
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == comcp::errc::login_required);
  CHECK(t.ask(auth) == 401);
  CHECK(t.last == comcp::errc::login_required);
  CHECK(t.world->visits == 0);
}

TEST_CASE("oauth: a login may end in another process, from its saved state and the callback's query", "[auth]") {
  oauth_talk t;
  std::string kept;
  std::string redirect;
  bool const dpop = GENERATE(false, true);
  t.world->dpop = dpop;
  {
    comcp::oauth first(t.without_user());
    auto const begun = t.get(first.begin(oauth_talk::server, oauth_talk::redirect_uri)).value();
    CHECK(begun.url.origin() == "https://as.example");
    kept = begun.state.to_json().reveal();
    redirect = t.world->consent(begun.url);
  }
  comcp::oauth second(t.without_user());
  auto const state = comcp::pending_authorization::from_json(comcp::secret(kept)).value();
  auto const query = redirect.substr(redirect.find('?'));

  SECTION("it is finished, and a code is good for one time") {
    REQUIRE(t.get(second.finish(state, comcp::secret(query))));
    CHECK(t.ask(second) == 200);
    auto const status = t.get(second.status(oauth_talk::server)).value();
    REQUIRE(status.has_value());
    CHECK(status->dpop == dpop);
    auto const again = t.get(second.finish(state, comcp::secret(query)));
    REQUIRE_FALSE(again);
    CHECK(again.error() == comcp::errc::unauthorized);
    CHECK_THAT(again.error().to_string(), match::contains("invalid_grant"));
  }
  SECTION("not with another state, another issuer or another address") {
    auto const asked = t.world->requests("POST https://as.example/token");
    for (auto const& wrong : {std::string("?code=x&state=y"), query + "x", "http://127.0.0.1:1/callback" + query}) {
      auto const refused = t.get(second.finish(state, comcp::secret(wrong)));
      REQUIRE_FALSE(refused);
      CHECK(refused.error() == comcp::errc::unauthorized);
    }
    CHECK(t.world->requests("POST https://as.example/token") == asked);
    CHECK_FALSE(t.get(second.status(oauth_talk::server)).value().has_value());
  }
}

TEST_CASE("oauth: what is stored serves the next process", "[auth]") {
  oauth_talk t;
  t.world->dpop = GENERATE(false, true);
  {
    comcp::oauth first(t.options());
    REQUIRE(t.get(first.login(oauth_talk::server)));
  }
  comcp::oauth second(t.without_user());
  CHECK(t.ask(second) == 200);
  t.later(3590s);
  CHECK(t.ask(second) == 200);
  CHECK(t.world->requests("POST https://as.example/token") == 2);

  auto options = t.without_user();
  options.account("somebody else");
  comcp::oauth other(options);
  CHECK(t.ask(other) == 401);
}

TEST_CASE("oauth: tokens go to the server alone that they were issued for", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  auto const other = "https://mcp2.example/mcp";
  CHECK(t.ask(auth) == 200);
  CHECK(t.ask(auth, other) == 200);
  CHECK(t.world->visits == 2);
  for (auto const& r : t.world->seen) {
    auto const* const sent = r.headers.find("Authorization");
    if (!sent) continue;
    REQUIRE(t.world->access.contains(sent->substr(7)));
    CHECK(t.world->access[sent->substr(7)].resource == r.url.origin() + "/mcp");
  }

  // Not even where somebody asks for it.
  auto const server = comcp::http_url::parse(oauth_talk::server).value();
  auto const elsewhere = comcp::http_url::parse("https://evil.example/mcp").value();
  comcp::auth_request const about(server, elsewhere, "POST", 0);
  CHECK(t.get(auth.headers(about)).value().value().empty());

  // A store that was tampered with.
  auto const mine = t.get(t.store.load(std::string("tokens  ") + oauth_talk::server)).value().value();
  REQUIRE(mine.has_value());
  auto const third = std::string("https://mcp3.example/mcp");
  REQUIRE(t.get(t.store.save("tokens  " + third, *mine)).value());
  auto const before = t.world->seen.size();
  comcp::oauth fresh(t.without_user());
  CHECK(t.ask(fresh, third) == 401);
  for (auto i = before; i < t.world->seen.size(); ++i) CHECK_FALSE(t.world->seen[i].headers.contains("Authorization"));
}

TEST_CASE("oauth: copies are one identity, others are not", "[auth]") {
  comcp::oauth const a;
  auto const b = a;
  CHECK(a.identity() == b.identity());
  CHECK(a.identity() != comcp::oauth().identity());
}
