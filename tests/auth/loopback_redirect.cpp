// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/loopback_redirect.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/conversation.hpp"
#include "support/loopback_browser.hpp"

using comcp::errc;
using comcp::http_url;
using comcp::loopback_redirect;
using comcp::secret;

namespace {

http_url url_of(std::string const& text) { return http_url::parse(text).value(); }

struct redirect_talk : comcp_test::loopback_browser {
  loopback_redirect agent() {
    return loopback_redirect()
        .open_with([this](http_url const& u) { return opened.push_back(u.text()), comcp::result<void>(); })
        .show_with([this](http_url const& u) { shown.push_back(u.text()); });
  }
  comcp::any_visit begin(comcp::any_user_agent const& agent, std::vector<std::string> known = {}, std::string issuer = {}) {
    auto started = finish(agent.start(std::move(known), std::move(issuer))).value();
    REQUIRE(started);
    port = port_of(started->redirect_uri());
    return *started;
  }
  comcp_test::outcome_of<comcp::result<secret>> go(comcp::any_visit& v, std::string const& url = "https://as.example/a?x=1&state=s%2Bt") {
    return start(v.visit(url_of(url)));
  }
  std::string get(std::string const& target) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n");
  }
  std::vector<std::string> opened, shown;
};

}  // namespace

TEST_CASE("loopback_redirect: the user is sent to the URL and comes back with its state", "[auth]") {
  redirect_talk talk;
  auto visit = talk.begin(talk.agent());
  CHECK(visit.redirect_uri() == "http://127.0.0.1:" + std::to_string(talk.port) + "/callback");
  auto const coming = talk.go(visit);
  CHECK(talk.opened == std::vector<std::string>{"https://as.example/a?x=1&state=s%2Bt"});
  CHECK(talk.shown == talk.opened);
  for (char const* const query : {"?code=c", "?code=c&state=", "?code=c&state=s%2Bu", "?code=c&state=s%2Btt", "?code=c&state=s+t",
                                  "?state=s%2Bt&state=s%2Bt&code=c", "?code=c&state=%", "?error=access_denied", ""}) {
    INFO(query);
    CHECK_THAT(talk.get(std::string("/callback") + query), match::starts_with("HTTP/1.1 400"));
    CHECK_FALSE(coming->done());
  }
  CHECK_THAT(talk.get("/callback?code=c&state=s%2Bt"), match::starts_with("HTTP/1.1 200"));
  talk.until([&] { return coming->done(); });
  CHECK((**coming).value().reveal() == visit.redirect_uri() + "?code=c&state=s%2Bt");
}

TEST_CASE("loopback_redirect: a URL without a state is not opened", "[auth]") {
  redirect_talk talk;
  auto visit = talk.begin(talk.agent());
  for (char const* const url : {"https://as.example/a", "https://as.example/a?state=", "https://as.example/a?state=1&state=2"}) {
    auto const coming = talk.go(visit, url);
    REQUIRE(coming->done());
    CHECK((**coming).error() == errc::invalid_argument);
  }
  CHECK(talk.opened.empty());
  CHECK(talk.shown.empty());
}

TEST_CASE("loopback_redirect: the port of a known redirect URI is taken where it is free", "[auth]") {
  redirect_talk talk;
  std::string known;
  {
    auto const first = talk.begin(talk.agent());
    known = first.redirect_uri();
    auto const second = talk.begin(talk.agent(), {known});
    CHECK(second.redirect_uri() != known);
  }
  auto const port = known.substr(17, known.rfind('/') - 17);
  for (std::string const& other : {"http://127.0.0.1:" + port + "/other", "http://localhost:" + port + "/callback",
                                   "https://127.0.0.1:" + port + "/callback", known + "?x", std::string("app:/callback")}) {
    INFO(other);
    CHECK(talk.begin(talk.agent(), {other}).redirect_uri() != known);
  }
  {
    auto const again = talk.begin(talk.agent(), {"app.example:/x", known});
    CHECK(again.redirect_uri() == known);
  }
  auto const pinned = static_cast<std::uint16_t>(std::stoi(port));
  auto const held = talk.begin(talk.agent().port(pinned), {"http://127.0.0.1:1/callback"});
  CHECK(held.redirect_uri() == known);
  CHECK(talk.finish(talk.agent().port(pinned).start({})).value().error() == errc::connect_failed);
}

TEST_CASE("loopback_redirect: path and host can be chosen, and are checked", "[auth]") {
  redirect_talk talk;
  auto const visit = talk.begin(talk.agent().path("/oauth/done").host("localhost"));
  CHECK(visit.redirect_uri() == "http://localhost:" + std::to_string(talk.port) + "/oauth/done");
  CHECK(talk.finish(talk.agent().path("no slash").start({})).value().error() == errc::invalid_argument);
  CHECK(talk.finish(talk.agent().host("evil.example").start({})).value().error() == errc::invalid_argument);
}

TEST_CASE("loopback_redirect: a browser that cannot be opened is not the end", "[auth]") {
  redirect_talk talk;
  auto const failing = [](http_url const&) { return comcp::result<void>(comcp::error(errc::not_found)); };
  auto const throwing = [](http_url const&) -> comcp::result<void> { throw std::runtime_error("no"); };
  for (auto const& agent : {talk.agent().open_with(failing), talk.agent().open_with(throwing), talk.agent().open_with({}),
                            talk.agent().show_with({}).print_only()}) {
    auto visit = talk.begin(agent);
    auto const coming = talk.go(visit);
    CHECK_THAT(talk.get("/callback?code=c&state=s%2Bt"), match::starts_with("HTTP/1.1 200"));
    talk.until([&] { return coming->done(); });
    CHECK((**coming).has_value());
  }
  CHECK(talk.shown.size() == 3);
  CHECK(talk.opened.empty());
}

TEST_CASE("loopback_redirect: a visit may be cancelled, and ends its listener", "[auth]") {
  redirect_talk talk;
  {
    auto visit = talk.begin(talk.agent());
    auto const coming = talk.go(visit);
    coming->cancel();
    talk.settle();
    CHECK(coming->error() == errc::cancelled);
  }
  CHECK_FALSE(talk.can_connect());
}

TEST_CASE("loopback_redirect: each issuer at which a registration is made has a path of its own", "[auth]") {
  redirect_talk talk;
  auto const path = [&](comcp::any_user_agent const& agent, std::vector<std::string> const& known, std::string const& issuer) {
    return url_of(talk.begin(agent, known, issuer).redirect_uri()).path();
  };
  auto const one = path(talk.agent(), {}, "https://as.example"), two = path(talk.agent(), {}, "https://as2.example");
  CHECK_THAT(one, match::starts_with("/callback/"));
  CHECK(one.size() == 32);
  CHECK(one != two);
  CHECK(path(talk.agent(), {}, "https://as.example") == one);
  CHECK(path(talk.agent(), {}, "") == "/callback");                        // it is known there already
  CHECK(path(talk.agent().path("/mine"), {}, "https://as.example") == "/mine");
  std::string known;
  {
    auto const first = talk.begin(talk.agent(), {}, "https://as.example");
    known = first.redirect_uri();
  }
  CHECK(talk.begin(talk.agent(), {known}, "https://as.example").redirect_uri() == known);
  CHECK(talk.begin(talk.agent(), {known}, "https://as2.example").redirect_uri() != known);

  // An answer of the other authorization server, which knows its own path alone, does not come to this login.
  auto visit = talk.begin(talk.agent(), {}, "https://as.example");
  auto const coming = talk.go(visit);
  CHECK_THAT(talk.get(two + "?code=c&state=s%2Bt"), match::starts_with("HTTP/1.1 404"));
  CHECK_THAT(talk.get(one + "?code=c&state=s%2Bt"), match::starts_with("HTTP/1.1 200"));
  talk.until([&] { return coming->done(); });
}
