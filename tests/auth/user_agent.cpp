// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/user_agent.hpp>

#include <stdexcept>
#include <string>

#include "support/conversation.hpp"

using comcp::errc;
using comcp::http_url;
using comcp::secret;

namespace {

comcp::result<secret> visit(comcp_test::conversation& talk, comcp::browser_callback::function f) {
  comcp::any_user_agent const agent(comcp::browser_callback("app.example:/back", std::move(f)));
  auto started = talk.finish(agent.start({"http://127.0.0.1:1/callback"})).value();
  REQUIRE(started);
  CHECK(started->redirect_uri() == "app.example:/back");
  return talk.finish(started->visit(http_url::parse("https://as.example/authorize?state=s").value())).value();
}

asio::awaitable<std::string> throwing(int which) {
  if (which == 0) throw comcp::exception(comcp::error(errc::denied, "the user closed the window"));
  if (which == 1) throw std::system_error(asio::error::operation_aborted);
  if (which == 2) throw std::runtime_error("code=secret");
  throw 42;
  co_return "";
}

}  // namespace

TEST_CASE("user_agent: a callback gets the URL and gives the redirect", "[auth]") {
  comcp_test::conversation talk;
  std::string seen;
  auto const came = visit(talk, [&](http_url url) -> asio::awaitable<std::string> {
    seen = url.text();
    co_return "app.example:/back?code=1&state=s";
  });
  CHECK(seen == "https://as.example/authorize?state=s");
  REQUIRE(came);
  CHECK(came->reveal() == "app.example:/back?code=1&state=s");
}

TEST_CASE("user_agent: what a callback throws ends the visit with an error", "[auth]") {
  comcp_test::conversation talk;
  auto const error_of = [&](int which) { return visit(talk, [which](http_url) { return throwing(which); }).error(); };
  CHECK(error_of(0) == errc::denied);
  CHECK(error_of(1) == errc::cancelled);
  CHECK(error_of(2) == errc::unauthorized);
  CHECK(error_of(2).to_string().find("secret") == std::string::npos);
  CHECK(error_of(3) == errc::unauthorized);
  CHECK(visit(talk, {}).error() == errc::unauthorized);
  auto const plain = [](http_url) -> asio::awaitable<std::string> { throw std::runtime_error("before it began"); };
  CHECK(visit(talk, plain).error() == errc::unauthorized);
}

TEST_CASE("user_agent: without one there is nothing to start", "[auth]") {
  CHECK_FALSE(comcp::any_user_agent());
  CHECK(comcp::any_user_agent(comcp::browser_callback("x:/", {})));
}
