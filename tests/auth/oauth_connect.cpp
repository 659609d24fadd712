// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client in the middle of a login.
#include <asio/cancellation_signal.hpp>

#include <comcp/client/connect.hpp>
#include <comcp/transport/streamable_http.hpp>

#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::fake_authorization;
using comcp_test::oauth_talk;

namespace {

using transport = comcp::streamable_http<fake_authorization, comcp::oauth>;

asio::awaitable<void> connect(oauth_talk& t, comcp::oauth auth, bool& failed) {
  transport to(oauth_talk::server, fake_authorization(t.world), std::move(auth));
  comcp::connect_options options;
  options.time(t.clock);
  try {
    auto client = co_await comcp::connect(std::move(to), comcp::no_handler(), std::move(options));
  } catch (comcp::exception const&) {
    failed = true;
  }
}

comcp::oauth_options absent_user(oauth_talk& t) {
  auto options = t.without_user();
  auto visit = [w = t.world](comcp::http_url) -> asio::awaitable<std::string> {
    ++w->visits;
    asio::steady_timer forever(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
    co_await forever.async_wait(asio::use_awaitable);
    co_return std::string();
  };
  options.user(comcp::browser_callback(oauth_talk::redirect_uri, std::move(visit)));
  return options;
}

}  // namespace

TEST_CASE("oauth: a connection waits for the user, and leaves nothing behind when it is given up", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(absent_user(t));
  bool failed = false;
  auto const signal = std::make_shared<asio::cancellation_signal>();
  comcp::detail::spawn(t.io.get_executor(), connect(t, auth, failed), signal->slot(), signal);
  t.settle();
  t.clock->advance(4min);  // longer than any part of connecting may take
  t.settle();
  CHECK_FALSE(failed);
  REQUIRE(t.world->visits == 1);
  signal->emit(asio::cancellation_type::terminal);
  t.settle();
  t.clock->advance(10s);
  t.io.restart();
  t.io.run_for(10s);
  CHECK(t.io.stopped());
}

TEST_CASE("oauth: a program may end while a client waits for a login", "[auth]") {
  for (int steps = 0; steps < 40; ++steps) {
    oauth_talk t;
    t.world->before = [](std::string) -> asio::awaitable<void> {
      asio::steady_timer soon(co_await asio::this_coro::executor, 0s);
      co_await soon.async_wait(asio::use_awaitable);
    };
    comcp::oauth auth(absent_user(t));
    bool failed = false;
    comcp::detail::spawn(t.io.get_executor(), connect(t, auth, failed));
    for (int i = 0; i < steps; ++i) t.io.run_one_for(10ms);
    CHECK_FALSE(failed);
  }
}

TEST_CASE("oauth: the grants that are extensions are declared as such", "[auth]") {
  oauth_talk t;
  comcp::oauth_client const robot = comcp::oauth_client("robot").client_secret(comcp::secret("robots-own-password"));
  comcp::grant_source const source = [](comcp::grant_request) -> asio::awaitable<comcp::secret> {
    co_return comcp::secret("a.b.c");
  };
  auto options = t.without_user();
  std::string declared;
  SECTION("client credentials") {
    options.client(robot).client_credentials();
    declared = R"("extensions":{"io.modelcontextprotocol/oauth-client-credentials":{}})";
  }
  SECTION("an enterprise's") {
    options.client(robot).enterprise(comcp::identity_provider("https://idp.example/token", robot, source));
    t.world->spoiled["POST https://idp.example/token"] = comcp_test::fake_answer(
        200, R"({"access_token":"the.id.jag","token_type":"N_A","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag"})");
    declared = R"("extensions":{"io.modelcontextprotocol/enterprise-managed-authorization":{}})";
  }
  SECTION("no other") { options = t.options(); }
  bool failed = false;
  comcp::detail::spawn(t.io.get_executor(), connect(t, comcp::oauth(options), failed));
  t.settle();
  int handshakes = 0;
  for (auto const& r : t.world->seen) {
    if (r.url.path() != "/mcp" || r.body.find("apabilities") == std::string::npos) continue;
    ++handshakes;
    CAPTURE(r.body);
    CHECK((r.body.find("\"extensions\"") != std::string::npos) == !declared.empty());
    CHECK(r.body.find(declared) != std::string::npos);
  }
  CHECK(handshakes > 0);
}
