// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/net/loopback_listener.hpp>

#include <optional>
#include <string>
#include <vector>

#include "support/conversation.hpp"
#include "support/loopback_browser.hpp"

using comcp::errc;
using comcp::net::loopback_listener;
using comcp::net::loopback_place;
using comcp::secret;
using comcp_test::loopback_browser;
using namespace std::chrono_literals;

namespace {

struct listener_talk : loopback_browser {
  explicit listener_talk(loopback_place place = loopback_place()) {
    auto opened = loopback_listener::open(io.get_executor(), place.time(clock));
    REQUIRE(opened);
    listener = *opened;
    uri = opened->uri();
    port = port_of(uri);
    std::function<bool(std::string_view)> accepts = [](std::string_view query) { return query.find("good") != query.npos; };
    waiting = start(opened->wait(std::move(accepts)));
  }
  [[nodiscard]] std::string get(std::string const& target, std::string const& more = {}) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" + more + "\r\n");
  }
  comcp::result<secret>& redirect() {
    until([&] { return waiting->done(); });
    return **waiting;
  }

  std::string uri;
  std::optional<loopback_listener> listener;
  comcp_test::outcome_of<comcp::result<secret>> waiting;
};

int status_of(std::string const& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

}  // namespace

TEST_CASE("loopback_listener: the redirect is given whole, and the browser gets a page that shows none of it", "[net]") {
  listener_talk talk;
  auto const answer = talk.get("/callback?code=good&x=%3Cscript%3E<script>&state=1", "Accept: */*\r\nhOST-x: 1\r\n");
  CHECK(status_of(answer) == 200);
  for (char const* const wanted : {"\r\nConnection: close\r\n", "\r\nContent-Security-Policy: default-src 'none'\r\n",
                                   "\r\nCache-Control: no-store\r\n", "\r\nReferrer-Policy: no-referrer\r\n", "Back to the program"}) {
    CHECK_THAT(answer, match::contains(wanted));
  }
  for (char const* const never : {"script", "good", "state"}) CHECK(answer.find(never) == std::string::npos);
  REQUIRE(talk.redirect());
  CHECK(talk.redirect()->reveal() == talk.uri + "?code=good&x=%3Cscript%3E<script>&state=1");
  CHECK(talk.uri == "http://127.0.0.1:" + std::to_string(talk.port) + "/callback");
}

TEST_CASE("loopback_listener: who was refused reads that in the browser", "[net]") {
  for (char const* const query : {"error=access_denied&state=good", "state=good&error=access_denied"}) {
    listener_talk talk;
    CHECK_THAT(talk.get(std::string("/callback?") + query), match::contains("Not logged in"));
    CHECK(talk.redirect());
  }
  listener_talk talk;
  CHECK_THAT(talk.get("/callback?myerror=1&state=good"), match::contains("Back to the program"));
}

TEST_CASE("loopback_listener: everything else is answered and waited past", "[net]") {
  listener_talk talk;
  auto const host = "Host: 127.0.0.1:" + std::to_string(talk.port) + "\r\n";
  CHECK(status_of(talk.get("/callback?code=bad")) == 400);
  CHECK(status_of(talk.get("/callback")) == 400);
  for (char const* const path : {"/", "/favicon.ico", "/callback/", "/callback2?good", "/Callback?good", "/x/../callback?good"}) {
    INFO(path);
    CHECK(status_of(talk.get(path)) == 404);
  }
  for (char const* const method : {"POST", "HEAD", "PUT", "get"}) {
    auto const answer = talk.ask(std::string(method) + " /callback?good HTTP/1.1\r\n" + host + "\r\n");
    CHECK(status_of(answer) == 405);
    CHECK_THAT(answer, match::contains("\r\nAllow: GET\r\n"));
  }
  for (std::string const other : {"evil.example", "localhost", "127.0.0.1", "127.0.0.1:1", "[::1]", ""}) {
    INFO(other);
    CHECK(status_of(talk.ask("GET /callback?good HTTP/1.1\r\nHost: " + other + "\r\n\r\n")) == 400);
  }
  std::string const line = "GET /callback?good HTTP/1.1\r\n";
  for (std::string const& bad :
       {line + "\r\n", line + host + host + "\r\n", line + host + " folded: x\r\n\r\n", line + host + "no colon\r\n\r\n",
        line + host + "X: a\x01z\r\n\r\n", "GET /callback?good\r\n" + host + "\r\n", "GET /callback?good HTTP/2\r\n" + host + "\r\n",
        "GET /callback?good more HTTP/1.1\r\n" + host + "\r\n", "GET callback?good HTTP/1.1\r\n" + host + "\r\n",
        "GET http://127.0.0.1/callback?good HTTP/1.1\r\n" + host + "\r\n", "GET /callback?good#x HTTP/1.1\r\n" + host + "\r\n",
        "GET /callback?good\xff HTTP/1.1\r\n" + host + "\r\n", std::string("\r\n\r\n"), std::string("\x16\x03\x01\r\n\r\n")}) {
    INFO(bad);
    CHECK(status_of(talk.ask(bad)) == 400);
  }
  CHECK_FALSE(talk.waiting->done());
  CHECK(status_of(talk.get("/callback?good")) == 200);
  CHECK(talk.redirect());
}

TEST_CASE("loopback_listener: a head may come byte by byte, and be 8 KiB long", "[net]") {
  listener_talk talk;
  CHECK(status_of(talk.get("/callback?good" + std::string(8500, 'x'))) == 400);
  CHECK(status_of(talk.get("/callback?" + std::string(7900, 'x'))) == 400);
  CHECK_FALSE(talk.waiting->done());
  auto const slow = talk.connect();
  for (char const c : "GET /callback?good HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(talk.port) + "\r\n\r\n") {
    talk.send(*slow, std::string(1, c));
    talk.settle();
  }
  CHECK(status_of(talk.read_all(*slow)) == 200);
  CHECK(talk.redirect());
}

TEST_CASE("loopback_listener: who says nothing is cut off after 10 s", "[net]") {
  listener_talk talk;
  auto const silent = talk.connect();
  talk.send(*silent, "GET /callback?good HT");
  talk.settle();
  talk.advance(9s);
  CHECK(silent->available() == 0);
  talk.advance(2s);
  CHECK(talk.read_all(*silent).empty());
  CHECK_FALSE(talk.waiting->done());
  CHECK(status_of(talk.get("/callback?good")) == 200);
  CHECK(talk.redirect());
}

TEST_CASE("loopback_listener: however many are idle, a new one is answered at once, and the oldest goes", "[net]") {
  listener_talk talk;
  std::vector<std::shared_ptr<asio::ip::tcp::socket>> silent;
  for (int i = 0; i != 65; ++i) {
    silent.push_back(talk.connect());
    talk.send(*silent.back(), "GET /callback?good HT");
    talk.settle();
  }
  CHECK(talk.read_all(*silent.front()).empty());
  CHECK(status_of(talk.get("/")) == 404);
  CHECK(talk.read_all(*silent[1]).empty());
  CHECK_FALSE(talk.waiting->done());
  auto const& last = silent.back();
  talk.send(*last, "TP/1.1\r\nHost: 127.0.0.1:" + std::to_string(talk.port) + "\r\n\r\n");
  CHECK(status_of(talk.read_all(*last)) == 200);
  CHECK(talk.redirect());
}

TEST_CASE("loopback_listener: no number of connections ends a wait", "[net]") {
  listener_talk talk;
  for (int i = 0; i != 600; ++i) REQUIRE(status_of(talk.get("/")) == 404);
  CHECK_FALSE(talk.waiting->done());
  CHECK(status_of(talk.get("/callback?good")) == 200);
  CHECK(talk.redirect());
}

TEST_CASE("loopback_listener: a page leads to the login once, and a second time ends it", "[net]") {
  listener_talk talk;
  auto const page = talk.listener->lead("/a-long-secret", "https://as.example/authorize?state=s");
  CHECK(page == "http://127.0.0.1:" + std::to_string(talk.port) + "/a-long-secret");
  for (char const* const path : {"/", "/a-long", "/a-long-secret2"}) CHECK(status_of(talk.get(path)) == 404);
  auto const host = "Host: 127.0.0.1:" + std::to_string(talk.port) + "\r\n\r\n";
  CHECK(status_of(talk.ask("HEAD /a-long-secret HTTP/1.1\r\n" + host)) == 405);
  CHECK(status_of(talk.ask("GET /a-long-secret HTTP/1.1\r\nHost: evil.example\r\n\r\n")) == 400);
  auto const first = talk.get("/a-long-secret");
  CHECK(status_of(first) == 302);
  CHECK_THAT(first, match::contains("\r\nLocation: https://as.example/authorize?state=s\r\n"));
  CHECK_THAT(first, match::contains("\r\nCache-Control: no-store\r\n"));
  CHECK_FALSE(talk.waiting->done());
  SECTION("the redirect comes") {
    CHECK(status_of(talk.get("/callback?good")) == 200);
    CHECK(talk.redirect());
  }
  SECTION("somebody was there before") {
    auto const second = talk.get("/a-long-secret");
    CHECK(status_of(second) == 410);
    CHECK(second.find("state") == std::string::npos);
    CHECK(talk.redirect().error() == errc::denied);
  }
}

TEST_CASE("loopback_listener: a wait that is cancelled or destroyed leaves nothing", "[net]") {
  {
    listener_talk talk;
    auto const peer = talk.connect();
    talk.send(*peer, "GET /call");
    talk.settle();
    talk.listener.reset();
    talk.waiting->cancel();
    talk.settle();
    CHECK(talk.waiting->error() == errc::cancelled);
    CHECK(talk.read_all(*peer).empty());
    CHECK_FALSE(talk.can_connect());  // nobody listens there any more
  }
  {
    listener_talk talk;
    auto const peer = talk.connect();
    talk.settle();
  }
  asio::io_context io;
  CHECK(loopback_listener::open(io.get_executor(), loopback_place()));
}

TEST_CASE("loopback_listener: a port, a path and a host of one's own", "[net]") {
  asio::io_context io;
  auto const open = [&](loopback_place const& place) { return loopback_listener::open(io.get_executor(), place); };
  std::uint16_t port = 0;
  {
    auto const first = open(loopback_place().path("/a-b/._~/c").host("localhost")).value();
    port = loopback_browser::port_of(first.uri());
    CHECK(first.uri() == "http://localhost:" + std::to_string(port) + "/a-b/._~/c");
    CHECK(open(loopback_place().port(port)).error() == errc::connect_failed);
  }
  CHECK(open(loopback_place().port(port)));
  for (char const* const path : {"", "callback", "/a?b", "/a#b", "/a b", "/a\r\nb", "/../a", "/a/..", "/./a", "/a/.", "/%41", "/\xc3\xa4"}) {
    INFO(path);
    CHECK(open(loopback_place().path(path)).error() == errc::invalid_argument);
  }
  for (char const* const host : {"", "0.0.0.0", "evil.example", "LOCALHOST", "::1"}) {
    CHECK(open(loopback_place().host(host)).error() == errc::invalid_argument);
  }

  listener_talk talk(loopback_place().host("localhost"));
  CHECK(status_of(talk.get("/callback?good")) == 400);  // of 127.0.0.1
  CHECK(status_of(talk.ask("GET /callback?good HTTP/1.1\r\nHost:  localhost:" + std::to_string(talk.port) + " \r\n\r\n")) == 200);
  CHECK(talk.redirect());
}
