// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How often, and how long, the user and the servers are bothered.
#include <asio/cancellation_signal.hpp>

#include "support/fake_http.hpp"
#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::fake_answer;
using comcp_test::oauth_talk;

namespace {

constexpr auto token_endpoint = "POST https://as.example/token";
constexpr auto server_metadata = "GET https://as.example/.well-known/oauth-authorization-server";

void forget_tokens(oauth_talk& t) {
  t.world->drop_access_tokens();
  t.world->drop_refresh_tokens();
}

// A browser that comes back when the bell rings.
comcp::oauth_options slow_user(oauth_talk& t, std::shared_ptr<comcp_test::bell> bell) {
  auto options = t.without_user();
  auto visit = [w = t.world, bell](comcp::http_url url) -> asio::awaitable<std::string> {
    ++w->visits;
    co_await bell->wait();
    --w->visits;
    co_return w->consent(url);
  };
  options.user(comcp::browser_callback(oauth_talk::redirect_uri, std::move(visit)));
  return options;
}

asio::awaitable<void> ignore_answer(comcp::oauth auth) {
  auto const server = comcp::http_url::parse(oauth_talk::server).value();
  comcp::auth_request const about(server, server, "POST", 0);
  comcp::http_response_head refused;
  refused.status = 401;
  (void)co_await auth.challenged(about, comcp::http_headers(), refused);
}

}  // namespace

TEST_CASE("oauth: a server that takes each new token once opens no browser without end", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  for (int i = 0; i < 60; ++i) {
    (void)t.ask(auth);
    forget_tokens(t);
  }
  CHECK(t.world->visits == 20);
  CHECK(t.last == comcp::errc::unauthorized);
  CHECK_THAT(t.last.to_string(), match::contains("login()"));

  // An hour later it may have been mended.
  t.clock->advance(61min);
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == 21);
}

TEST_CASE("oauth: what fails before the user is asked costs no attempt", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  t.world->spoiled[server_metadata].failure = comcp::error(comcp::errc::connect_failed, "no route");
  for (int i = 0; i < 5; ++i) CHECK(t.ask(auth) != 200);
  t.world->spoiled.clear();
  CHECK(t.ask(auth) == 200);
}

TEST_CASE("oauth: without a user agent each request says that a user is wanted", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.without_user());
  for (int i = 0; i < 5; ++i) {
    CHECK(t.ask(auth) == 401);
    CHECK(t.last == comcp::errc::login_required);
  }
}

TEST_CASE("oauth: a machine whose secret is wrong asks a few times only", "[auth]") {
  oauth_talk t;
  auto options = t.without_user();
  options.client(comcp::oauth_client("machine").client_secret(comcp::secret("wrong-secret"))).client_credentials();
  comcp::oauth auth(options);
  t.world->spoiled[token_endpoint] = fake_answer(401, R"({"error":"invalid_client"})");
  for (int i = 0; i < 6; ++i) CHECK(t.ask(auth) != 200);
  CHECK(t.world->requests(token_endpoint) == 3);
  t.clock->advance(61min);
  t.world->spoiled.clear();
  CHECK(t.ask(auth) == 200);
}

TEST_CASE("oauth: a machine's tokens may be of a short life all day", "[auth]") {
  oauth_talk t;
  auto options = t.without_user();
  options.client(comcp::oauth_client("machine").client_secret(comcp::secret("machines-secret"))).client_credentials();
  comcp::oauth auth(options);
  for (int i = 0; i < 50; ++i) {
    CHECK(t.ask(auth) == 200);
    t.world->drop_access_tokens();
  }
}

TEST_CASE("oauth: a login ends when nobody waits for it any more, and not before", "[auth]") {
  oauth_talk t;
  auto const bell = std::make_shared<comcp_test::bell>(t.io.get_executor());
  comcp::oauth auth(slow_user(t, bell));
  auto const one = std::make_shared<asio::cancellation_signal>(), two = std::make_shared<asio::cancellation_signal>();
  comcp::detail::spawn(t.io.get_executor(), ignore_answer(auth), one->slot(), one);
  comcp::detail::spawn(t.io.get_executor(), ignore_answer(auth), two->slot(), two);
  t.settle();
  REQUIRE(t.world->visits == 1);
  one->emit(asio::cancellation_type::terminal);
  t.settle();

  SECTION("somebody still waits") {
    bell->ring();
    t.settle();
    CHECK(t.world->access.size() == 1);
  }
  SECTION("nobody does") {
    two->emit(asio::cancellation_type::terminal);
    t.io.restart();
    t.io.run_for(10s);
    CHECK(t.io.stopped());  // there is nothing left to do
    CHECK(t.world->access.empty());
    auto const next = t.start(auth);
    t.settle();
    bell->ring();
    t.settle();
    CHECK(next->status == 200);
  }
  SECTION("who comes at once gets a login") {
    two->emit(asio::cancellation_type::terminal);
    auto const next = t.start(auth);
    t.settle();
    bell->ring();
    t.settle();
    CHECK(next->status == 200);
  }
}

TEST_CASE("oauth: no browser is opened when all have gone before", "[auth]") {
  oauth_talk t;
  auto const bell = std::make_shared<comcp_test::bell>(t.io.get_executor());
  t.world->before = [bell](std::string what) -> asio::awaitable<void> {
    if (what == server_metadata) co_await bell->wait();
  };
  comcp::oauth auth(t.options());
  auto const signal = std::make_shared<asio::cancellation_signal>();
  comcp::detail::spawn(t.io.get_executor(), ignore_answer(auth), signal->slot(), signal);
  t.settle();
  signal->emit(asio::cancellation_type::terminal);
  t.settle();
  bell->ring();
  t.settle();
  CHECK(t.world->visits == 0);
  t.world->before = nullptr;
  CHECK(t.ask(auth) == 200);
}

TEST_CASE("oauth: tokens of a short life are not renewed with every request", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  auto const ask_ten_times = [&] {
    for (int i = 0; i < 10; ++i) CHECK(t.ask(auth) == 200);
  };
  SECTION("a quarter of it before its end") {
    t.world->expires_in = 20;
    ask_ten_times();
    t.later(14s);
    ask_ten_times();
    comcp::oauth next(t.without_user());  // knows it from the store
    CHECK(t.ask(next) == 200);
    CHECK(t.world->requests(token_endpoint) == 1);
    t.later(1s);
    ask_ten_times();
    CHECK(t.world->requests(token_endpoint) == 2);
  }
  SECTION("one that expires as it is granted is used, and renewed once a second at most") {
    t.world->expires_in = 0;
    ask_ten_times();
    CHECK(t.world->requests(token_endpoint) == 1);
    for (int i = 2; i < 5; ++i) {
      t.later(1s);
      ask_ten_times();
      CHECK(t.world->requests(token_endpoint) == i);
    }
    CHECK(t.world->visits == 1);
  }
}

TEST_CASE("oauth: stored tokens that do not say when they were granted are used and renewed", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  auto const name = std::string("tokens  ") + oauth_talk::server;
  auto text = t.get(t.store.load(name)).value().value()->reveal();
  auto const at = text.find(",\"granted_at\":");
  REQUIRE(at != text.npos);
  text.erase(at, text.find_first_of(",}", at + 1) - at);
  REQUIRE(t.get(t.store.save(name, comcp::secret(text))).value());
  t.later(3539s);
  comcp::oauth next(t.without_user());
  CHECK(t.ask(next) == 200);
  CHECK(t.world->requests(token_endpoint) == 1);
  t.later(1s);
  CHECK(t.ask(next) == 200);
  CHECK(t.world->requests(token_endpoint) == 2);
}

TEST_CASE("oauth: scopes that several miss at once are asked for together", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  auto const server = comcp::http_url::parse(oauth_talk::server).value();
  auto const misses = [&](std::string scope) -> asio::awaitable<comcp::result<comcp::auth_verdict>> {
    comcp::auth_request const about(server, server, "POST", 0);
    auto const sent = co_await auth.headers(about);
    comcp::http_response_head refused;
    refused.status = 403;
    (void)refused.headers.add("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"" + scope + "\"");
    auto verdict = co_await auth.challenged(about, *sent, refused);
    co_return verdict;
  };
  auto const bell = std::make_shared<comcp_test::bell>(t.io.get_executor());
  t.world->before = [bell](std::string what) -> asio::awaitable<void> {
    if (what == token_endpoint) co_await bell->wait();
  };
  for (auto const* const scope : {"a", "b", "c"}) (void)t.outcome(misses(scope));
  bell->ring();
  t.settle();
  REQUIRE(t.world->asked_scopes.size() == 2);
  CHECK(t.world->asked_scopes[1] == "read a");
  (void)t.outcome(misses("b"));
  REQUIRE(t.world->asked_scopes.size() == 3);
  CHECK(t.world->asked_scopes[2] == "read a b c");
}

TEST_CASE("oauth: no wait overflows", "[auth]") {
  oauth_talk t;
  t.world->expires_in = 3600;
  auto options = t.options();
  options.timeout(std::chrono::milliseconds::max()).user_timeout(std::chrono::milliseconds::max());
  options.refresh_ahead(std::chrono::seconds::max());
  comcp::oauth auth(options);
  CHECK(t.ask(auth) == 200);
  CHECK(t.ask(auth) == 200);
}
