// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/bad_answers.hpp"
#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::bad_answers;
using comcp_test::fake_answer;
using comcp_test::oauth_talk;

namespace {

constexpr char const* endpoints[] = {
    "GET https://as.example/.well-known/oauth-authorization-server",
    "POST https://as.example/register",
    "POST https://as.example/token",
};

}  // namespace

TEST_CASE("oauth: every bad answer of every endpoint is one error in bounded time", "[auth]") {
  for (auto const* const where : endpoints) {
    for (auto const& what : bad_answers) {
      INFO(where << ": " << what.name);
      oauth_talk t;
      t.world->spoiled[where] = what.make();
      comcp::oauth auth(t.options());
      auto const asking = t.start(auth);
      t.settle();
      for (int i = 0; i < 10 && !asking->over; ++i) {
        t.clock->advance(31s);
        t.settle();
      }
      REQUIRE(asking->over);
      CHECK(asking->status != 200);
      CHECK(asking->failure.to_string().size() < 4000);
      CHECK(t.world->access.empty());

      // Nothing is left behind: the next attempt succeeds.
      t.world->spoiled.clear();
      CHECK(t.ask(auth) == 200);
    }
  }
}

TEST_CASE("oauth: bad resource metadata at one place leads to the next, and says so when nothing is left", "[auth]") {
  for (auto const& what : bad_answers) {
    INFO(what.name);
    oauth_talk t;
    t.world->spoiled["GET https://mcp.example/.well-known/oauth-protected-resource/mcp"] = what.make();
    auto options = t.options();
    options.legacy_fallback(false);
    comcp::oauth auth(options);
    auto const asking = t.start(auth);
    t.settle();
    for (int i = 0; i < 10 && !asking->over; ++i) {
      t.clock->advance(31s);
      t.settle();
    }
    REQUIRE(asking->over);
    CHECK(asking->status != 200);
    CHECK_THAT(asking->failure.to_string(), match::contains("https://mcp.example/.well-known/oauth-protected-resource/mcp"));
  }
}

TEST_CASE("oauth: a user who never comes back is waited for no longer than user_timeout", "[auth]") {
  oauth_talk t;
  auto options = t.without_user();
  auto never_back = [](comcp::http_url) -> asio::awaitable<std::string> {
    asio::steady_timer forever(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
    co_await forever.async_wait(asio::use_awaitable);
    co_return std::string();
  };
  options.user(comcp::browser_callback(oauth_talk::redirect_uri, never_back)).user_timeout(2min);
  comcp::oauth auth(options);
  auto const asking = t.start(auth);
  t.settle();
  t.clock->advance(119s);
  t.settle();
  CHECK_FALSE(asking->over);
  t.clock->advance(2s);
  t.settle();
  REQUIRE(asking->over);
  CHECK(asking->failure == comcp::errc::timeout);
}

TEST_CASE("oauth: a store that never answers, or fails, ends the request that needs it", "[auth]") {
  struct bad_store {
    bool silent = false;
    asio::awaitable<void> wait() {
      if (!silent) co_return;
      asio::steady_timer forever(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
      co_await forever.async_wait(asio::use_awaitable);
    }
    asio::awaitable<comcp::result<std::optional<comcp::secret>>> load(std::string) {
      co_await wait();
      co_return comcp::error(comcp::errc::wrong_shape, "the file is no JSON");
    }
    asio::awaitable<comcp::result<void>> save(std::string, comcp::secret) { co_return comcp::result<void>(); }
    asio::awaitable<comcp::result<void>> remove(std::string) { co_return comcp::result<void>(); }
    asio::awaitable<comcp::result<std::shared_ptr<void>>> lock(std::string, std::chrono::milliseconds) {
      co_return std::shared_ptr<void>();
    }
  };
  oauth_talk t;
  bad_store store;
  store.silent = GENERATE(false, true);
  auto options = t.options();
  options.store(store);
  comcp::oauth auth(options);
  auto const asking = t.start(auth);
  t.settle();
  t.clock->advance(31s);
  t.settle();
  REQUIRE(asking->over);
  CHECK(asking->failure == (store.silent ? comcp::errc::timeout : comcp::errc::wrong_shape));
  CHECK(t.world->seen.empty());
}

TEST_CASE("oauth: a lock that another process keeps costs a refresh, not the token", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  auto const held = t.get(t.store.lock(std::string("tokens  ") + oauth_talk::server, 1s)).value();
  REQUIRE(held);
  t.later(3590s);
  auto const first = t.start(auth);
  t.settle();
  CHECK_FALSE(first->over);
  t.clock->advance(151s);
  t.settle();
  REQUIRE(first->over);
  CHECK(first->status == 200);
  t.later(20s);
  auto const second = t.start(auth);
  t.settle();
  t.clock->advance(151s);
  t.settle();
  REQUIRE(second->over);
  CHECK(second->failure == comcp::errc::timeout);
  CHECK(t.world->requests("POST https://as.example/token") == 1);
}

TEST_CASE("oauth: stored tokens that are damaged are told, and a login replaces them", "[auth]") {
  oauth_talk t;
  auto const name = std::string("tokens  ") + oauth_talk::server;
  for (auto const* const text : {"", "{", "[]", "{}", R"({"access_token":1,"server":"https://mcp.example/mcp"})"}) {
    INFO(text);
    REQUIRE(t.get(t.store.save(name, comcp::secret(text))).value());
    comcp::oauth auth(t.options());
    CHECK(t.ask(auth) != 200);
    CHECK(t.last == comcp::errc::wrong_shape);
    REQUIRE(t.get(auth.login(oauth_talk::server)));
    CHECK(t.ask(auth) == 200);
  }
}

TEST_CASE("oauth: what a server repeats of secrets is in no error", "[auth]") {
  oauth_talk t;
  // The destructor of the talk looks for secrets in every text.
  t.world->before = [w = t.world.get()](std::string what) -> asio::awaitable<void> {
    if (!what.ends_with("/token")) co_return;
    std::string all;
    for (auto const& hidden : w->secrets) all += hidden + " ";
    w->spoiled[what] = fake_answer(400, comcp::args("error", "invalid_request", "error_description", "you sent " + all).text());
  };
  comcp::oauth auth(t.options());
  CHECK(t.ask(auth) != 200);
  CHECK_THAT(t.last.to_string(), match::contains("invalid_request"));
  CHECK_THAT(t.last.to_string(), match::contains("***"));
}

TEST_CASE("oauth: a program may end in the middle of a login", "[auth]") {
  for (int steps = 0; steps < 60; ++steps) {
    oauth_talk t;
    t.world->before = [](std::string) -> asio::awaitable<void> {
      asio::steady_timer soon(co_await asio::this_coro::executor, 0s);
      co_await soon.async_wait(asio::use_awaitable);
    };
    comcp::oauth auth(t.options());
    auto const one = t.start(auth), two = t.start(auth);
    for (int i = 0; i < steps; ++i) t.io.run_one_for(1s);
    if (steps == 59) CHECK(one->over);
  }
}
