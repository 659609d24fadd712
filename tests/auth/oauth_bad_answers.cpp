// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Bad answers to what comes after a first login: refreshes, revocations, and the redirect of the user's browser. Those
// of a login's own endpoints: oauth_faults.cpp.
#include "support/bad_answers.hpp"
#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::bad_answers;
using comcp_test::oauth_talk;

namespace {

constexpr auto token_endpoint = "POST https://as.example/token";

/// Ends by itself while time goes on, but not at once: whoever waits has a bound.
void let_end(oauth_talk& t, oauth_talk::answer const& asking) {
  t.settle();
  for (int i = 0; i < 20 && !asking.over; ++i) {
    t.clock->advance(10s);
    t.settle();
  }
  REQUIRE(asking.over);
}

}  // namespace

TEST_CASE("oauth: every bad answer to a refresh is one error in bounded time, and costs no login", "[auth]") {
  for (auto const& what : bad_answers) {
    INFO(what.name);
    oauth_talk t;
    comcp::oauth auth(t.options());
    REQUIRE(t.ask(auth) == 200);
    t.later(3600s);
    t.world->spoiled[token_endpoint] = what.make();
    auto const asking = t.start(auth);
    let_end(t, *asking);
    CHECK(asking->status != 200);
    CHECK(asking->failure.to_string().size() < 4000);
    CHECK(t.world->visits == 1);
    t.world->spoiled.clear();
    t.later(20s);
    CHECK(t.ask(auth) == 200);
    CHECK(t.world->visits == 1);
  }
}

TEST_CASE("oauth: every bad answer to a refresh after a 401 leaves the tokens where they are", "[auth]") {
  for (auto const& what : bad_answers) {
    INFO(what.name);
    oauth_talk t;
    {
      comcp::oauth auth(t.options());
      REQUIRE(t.ask(auth) == 200);
    }
    comcp::oauth auth(t.without_user());
    t.world->drop_access_tokens();
    t.world->spoiled[token_endpoint] = what.make();
    auto const asking = t.start(auth);
    let_end(t, *asking);
    CHECK(asking->status != 200);
    t.world->spoiled.clear();
    CHECK(t.ask(auth) == 200);
    CHECK(t.world->visits == 1);
  }
}

TEST_CASE("oauth: whatever a revocation answers, a logout ends and forgets", "[auth]") {
  for (auto const& what : bad_answers) {
    INFO(what.name);
    oauth_talk t;
    comcp::oauth auth(t.options());
    REQUIRE(t.ask(auth) == 200);
    t.world->spoiled["POST https://as.example/revoke"] = what.make();
    bool over = false;
    auto leave = [&]() -> asio::awaitable<void> {
      co_await auth.logout(oauth_talk::server);
      over = true;
    };
    comcp::detail::spawn(t.io.get_executor(), leave());
    t.settle();
    for (int i = 0; i < 20 && !over; ++i) {
      t.clock->advance(10s);
      t.settle();
    }
    REQUIRE(over);
    CHECK_FALSE(t.get(auth.status(oauth_talk::server)).value().has_value());
    CHECK(t.world->requests("POST https://as.example/revoke") > 0);
  }
}

TEST_CASE("oauth: every bad redirect is one error, and the next login is not in its way", "[auth][slow]") {
  std::string const here = oauth_talk::redirect_uri;
  std::vector<std::string> const bad{
      "",                     // nothing
      "<html>Log in</html>",  // a page
      here,                   // no query
      here + "?",             //
      here + "?state=STATE",  // no code
      here + "?code=&state=STATE&iss=https%3A%2F%2Fas.example",
      here + "?code=a&state=STATE",  // no issuer
      here + "?code=a&code=b&state=STATE&iss=https%3A%2F%2Fas.example",
      here + "?code[]=a&state[]=STATE&iss=https%3A%2F%2Fas.example",
      here + "?code=%zz&state=STATE&iss=https%3A%2F%2Fas.example",
      here + "#code=a&state=STATE&iss=https%3A%2F%2Fas.example",
      here + "?error=&state=STATE&iss=https%3A%2F%2Fas.example",
      here + "?error=" + std::string(10'000'000, 'x') + "&state=STATE&iss=https%3A%2F%2Fas.example",
      here + "?" + std::string(10'000'000, '&') + "code=a&state=x",
      here + "?error=%1B%5B2J%0D%0Aerror&error_description=%00%FF&state=STATE&iss=https%3A%2F%2Fas.example",
  };
  for (auto const& text : bad) {
    INFO(text.substr(0, 100));
    oauth_talk t;
    bool spoil = true;
    auto visit = [&, w = t.world](comcp::http_url url) -> asio::awaitable<std::string> {
      auto const good = w->consent(url);
      if (!spoil) co_return good;
      auto out = text;
      auto const state = good.substr(good.find("state=") + 6, good.find("&iss") - good.find("state=") - 6);
      if (auto const at = out.find("STATE"); at != out.npos) out.replace(at, 5, state);
      co_return out;
    };
    auto options = t.without_user();
    options.user(comcp::browser_callback(here, std::move(visit)));
    comcp::oauth auth(options);
    CHECK(t.ask(auth) != 200);
    CHECK(t.last == comcp::errc::unauthorized);
    auto const said = t.last.to_string();
    CHECK(said.size() < 4000);
    CHECK(std::all_of(said.begin(), said.end(), [](char c) { return c >= ' ' && c <= '~'; }));
    CHECK(t.world->requests(token_endpoint) == 0);
    spoil = false;
    CHECK(t.ask(auth) == 200);
  }
}
