// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <asio/cancellation_signal.hpp>

#include "support/fake_http.hpp"
#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::oauth_talk;

namespace {

constexpr auto token_endpoint = "POST https://as.example/token";

// Holds what asks for tokens until it is let go.
std::shared_ptr<comcp_test::bell> hold_tokens(oauth_talk& t) {
  auto const bell = std::make_shared<comcp_test::bell>(t.io.get_executor());
  t.world->before = [bell](std::string what) -> asio::awaitable<void> {
    if (what == token_endpoint) co_await bell->wait();
  };
  return bell;
}

}  // namespace

TEST_CASE("oauth: ten requests that meet a token near its end refresh it once", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.later(3545s);
  auto const bell = hold_tokens(t);
  std::vector<std::shared_ptr<oauth_talk::answer>> all;
  for (int i = 0; i < 10; ++i) all.push_back(t.start(auth));
  t.settle();
  CHECK(t.world->requests(token_endpoint) == 1);
  bell->ring();
  t.settle();
  for (auto const& one : all) {
    CHECK(one->over);
    CHECK(one->status == 200);
  }
  CHECK(t.world->requests(token_endpoint) == 2);
  CHECK(t.world->visits == 1);
  CHECK(t.world->access.size() == 2);
}

TEST_CASE("oauth: ten requests that are refused refresh once, and late refusals go on with the new token", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.world->drop_access_tokens();
  auto const bell = hold_tokens(t);
  std::vector<std::shared_ptr<oauth_talk::answer>> all;
  for (int i = 0; i < 10; ++i) all.push_back(t.start(auth));
  t.settle();
  bell->ring();
  t.settle();
  for (auto const& one : all) CHECK(one->status == 200);
  CHECK(t.world->requests(token_endpoint) == 2);

  // A 401 for a token that was replaced meanwhile.
  auto const server = comcp::http_url::parse(oauth_talk::server).value();
  comcp::auth_request const about(server, server, "POST", 0);
  comcp::http_headers old;
  REQUIRE(old.add("Authorization", "Bearer one-that-is-gone"));
  comcp::http_response_head refused;
  refused.status = 401;
  CHECK(t.get(auth.challenged(about, old, refused)).value().value() == comcp::auth_verdict::try_again);
  CHECK(t.world->requests(token_endpoint) == 2);
}

TEST_CASE("oauth: cancelling one who waits for a refresh does not end it for the others", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.later(3590s);
  auto const bell = hold_tokens(t);
  auto const server = comcp::http_url::parse(oauth_talk::server).value();
  auto const signal = std::make_shared<asio::cancellation_signal>();
  auto wait = [&]() -> asio::awaitable<void> {
    comcp::auth_request const about(server, server, "POST", 0);
    (void)co_await auth.headers(about);
  };
  comcp::detail::spawn(t.io.get_executor(), wait(), signal->slot(), signal);
  auto const other = t.start(auth);
  t.settle();
  signal->emit(asio::cancellation_type::terminal);
  t.settle();
  CHECK_FALSE(other->over);
  bell->ring();
  t.settle();
  CHECK(other->status == 200);
  CHECK(t.world->requests(token_endpoint) == 2);
}

TEST_CASE("oauth: a token that rotates is stored before it is used, one that stays is kept", "[auth]") {
  oauth_talk t;
  t.world->rotate = GENERATE(true, false);
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  for (int i = 0; i < 3; ++i) {
    t.later(3600s);
    CHECK(t.ask(auth) == 200);
    comcp::oauth next(t.without_user());
    CHECK(t.ask(next) == 200);
  }
  CHECK(t.world->requests(token_endpoint) == 4);
  CHECK(t.world->visits == 1);
}

TEST_CASE("oauth: what another process refreshed is taken, and nothing is asked", "[auth]") {
  oauth_talk t;
  comcp::oauth here(t.options());
  REQUIRE(t.ask(here) == 200);
  comcp::oauth there(t.without_user());
  REQUIRE(t.ask(there) == 200);
  t.later(3590s);
  CHECK(t.ask(there) == 200);
  CHECK(t.world->requests(token_endpoint) == 2);
  CHECK(t.ask(here) == 200);
  CHECK(t.world->requests(token_endpoint) == 2);

  SECTION("also after a 401") {
    t.world->drop_access_tokens();
    CHECK(t.ask(there) == 200);
    CHECK(t.ask(here) == 200);
    CHECK(t.world->requests(token_endpoint) == 3);
  }
  SECTION("a logout there is one here") {
    REQUIRE(t.get(there.logout(oauth_talk::server)));
    t.later(3590s);
    comcp::oauth silent(t.without_user());
    CHECK(t.ask(here) == 200);  // by a new login
    CHECK(t.world->visits == 2);
  }
}

TEST_CASE("oauth: both processes refresh at once, and lose nothing", "[auth]") {
  oauth_talk t;
  comcp::oauth here(t.options());
  REQUIRE(t.ask(here) == 200);
  comcp::oauth there(t.without_user());
  REQUIRE(t.ask(there) == 200);
  t.later(3590s);
  auto const bell = hold_tokens(t);
  auto const a = t.start(here), b = t.start(there);
  t.settle();
  CHECK(t.world->requests(token_endpoint) == 1);
  bell->ring();
  t.settle();
  t.clock->advance(1s);
  t.settle();
  REQUIRE(a->over);
  REQUIRE(b->over);
  CHECK(a->status == 200);
  CHECK(b->status == 200);
  CHECK(t.world->requests(token_endpoint) == 2);
}

TEST_CASE("oauth: invalid_grant deletes the tokens, and only those that were refused", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  auto const name = std::string("tokens  ") + oauth_talk::server;

  SECTION("the user logs in again") {
    t.world->drop_refresh_tokens();
    t.world->drop_access_tokens();
    t.later(3600s);
    CHECK(t.ask(auth) == 200);
    CHECK(t.world->visits == 2);
  }
  SECTION("without a user nothing is left") {
    comcp::oauth silent(t.without_user());
    t.world->drop_refresh_tokens();
    t.later(3600s);
    t.world->drop_access_tokens();
    CHECK(t.ask(silent) == 401);
    CHECK_FALSE(t.get(t.store.load(name)).value().value().has_value());
  }
  SECTION("not what somebody else stored meanwhile") {
    auto const bell = hold_tokens(t);
    t.world->refresh_error = "invalid_grant";
    t.later(3600s);
    t.world->drop_access_tokens();
    comcp::oauth silent(t.without_user());
    auto const waiting = t.start(silent);
    t.settle();
    auto text = t.get(t.store.load(name)).value().value()->reveal();
    for (auto const* const part : {"access-", "refresh-"}) text.insert(text.find(part), "newer-");
    REQUIRE(t.get(t.store.save(name, comcp::secret(text))).value());
    bell->ring();
    t.settle();
    CHECK(t.get(t.store.load(name)).value().value()->reveal() == text);
  }
}

TEST_CASE("oauth: a token endpoint that is ill for a while costs no tokens", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  auto const bad = GENERATE(0, 1, 2, 3);
  INFO("answer " << bad);
  auto& spoilt = t.world->spoiled[token_endpoint];
  if (bad == 0) spoilt = comcp_test::fake_answer(503, "<html>busy</html>", "text/html");
  if (bad == 1) spoilt.failure = comcp::error(comcp::errc::connect_failed, "no route");
  if (bad == 2) spoilt = comcp_test::fake_answer(400, R"({"error":"temporarily_unavailable"})");
  if (bad == 3) spoilt = comcp_test::fake_answer(200, "{}");

  t.later(3590s);
  CHECK(t.ask(auth) == 200);  // good for ten seconds more
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests(token_endpoint) == 2);
  t.later(20s);
  CHECK(t.ask(auth) != 200);
  CHECK(t.last);
  CHECK(t.world->visits == 1);
  t.world->spoiled.clear();
  t.later(20s);
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == 1);
}

TEST_CASE("oauth: a refresh that is refused for another reason leads to the user, and deletes nothing before", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.world->refresh_error = "unauthorized_client";
  t.later(3600s);
  t.world->drop_access_tokens();
  comcp::oauth silent(t.without_user());
  CHECK(t.ask(silent) == 401);
  CHECK(t.last == comcp::errc::login_required);
  CHECK(t.get(silent.status(oauth_talk::server)).value().has_value());
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == 2);
}

TEST_CASE("oauth: a refreshed token that met another error is refreshed again when it ends", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.later(3600s);
  constexpr auto endpoint = "POST https://mcp.example/mcp";
  t.world->spoiled[endpoint] = comcp_test::fake_answer(404);
  CHECK(t.ask(auth) == 404);
  t.world->spoiled.clear();
  t.world->drop_access_tokens();
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests(token_endpoint) == 3);
  CHECK(t.world->visits == 1);
}

TEST_CASE("oauth: a registration that the server forgot is made anew", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.world->refresh_error = "invalid_client";
  t.world->refresh_status = 401;
  t.later(3600s);
  t.world->drop_access_tokens();
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests("POST https://as.example/register") == 2);
  CHECK(t.world->visits == 2);
}

TEST_CASE("oauth: tokens from elsewhere are used, and renewed by discovery", "[auth]") {
  oauth_talk t;
  t.world->challenge_scope = "";
  {
    // Somewhere else: the fake knows them.
    comcp::oauth other(t.options());
    REQUIRE(t.ask(other) == 200);
  }
  comcp::token_set given(comcp::secret(t.world->access.begin()->first), comcp::secret(t.world->refresh.begin()->first));
  auto options = t.without_user();
  options.store(comcp::memory_token_store()).tokens(given).client(comcp::oauth_client("client-1"));
  comcp::oauth auth(options);
  CHECK(t.ask(auth) == 200);
  CHECK(t.ask(auth, "https://mcp2.example/mcp") == 401);
  t.world->drop_access_tokens();
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->requests(token_endpoint) == 2);
}
