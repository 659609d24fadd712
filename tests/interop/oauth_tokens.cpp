// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The life of tokens of oidc-provider, which rotates refresh tokens and revokes everything when one comes twice:
// expiry, refresh, revocation, and two processes that share a store.
#include <cstdlib>
#include <iostream>

#include <comcp/auth/file_token_store.hpp>

#include "interop/oauth_peers.hpp"

using namespace interop;
using comcp::oauth;
using comcp::oauth_client;
using comcp::oauth_options;
using comcp::secret;

namespace {

using server = server_process const&;

oauth_options for_user(headless const& browser) {
  oauth_options options;
  options.user(browser.agent());
  return options;
}

asio::awaitable<bool> is_active(server issuer, std::string token) {
  comcp::http_request request(url_of(issuer.url("/token/introspection")), "POST");
  REQUIRE(request.headers.add("Authorization", "Basic cmVzb3VyY2U6aW5zcGVjdG9y"));  // resource:inspector
  REQUIRE(request.headers.add("Content-Type", "application/x-www-form-urlencoded"));
  comcp::form_fields fields;
  fields.add("token", token);
  request.body = fields.text();
  auto const answer = co_await fetch(std::move(request));
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  co_return answer.body.find("\"active\":true") != std::string::npos;
}

}  // namespace

TEST_CASE("oidc-provider: a token that expired is renewed once for all calls that wait", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({"opaque"}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth auth(for_user(browser));
    auto client = co_await comcp::connect(comcp::http(mcp.url("/mcp"), auth));
    auto const old = co_await client.call_tool("token");
    for (std::size_t round = 1; round != 3; ++round) {
      co_await get(issuer.url("/control/expire"));
      std::vector<asio::awaitable<comcp::call_tool_result>> calls;
      for (int i = 0; i != 20; ++i) calls.push_back(client.call_tool("token"));
      auto const all = co_await comcp::all(std::move(calls));
      for (auto const& one : all) {
        REQUIRE(one);
        CHECK(one->text() != old.text());
      }
      CHECK(issuer.times_printed("refresh_token consumed") == round);
    }
    CHECK(browser.visits() == 1);
    CHECK_FALSE(issuer.printed("grant revoked"));
    co_await client.close();
  });
}

TEST_CASE("oidc-provider: tokens are renewed before they expire, with each refresh token used once", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth_options options = for_user(browser);
    moving_clock clock(options);
    auto client = co_await comcp::connect(comcp::http(mcp.url("/mcp"), oauth(options)));
    for (std::size_t round = 1; round != 3; ++round) {
      clock.an_hour_later();
      auto const echo = co_await client.call_tool("echo", args("text", "on"));
      CHECK(echo.text() == "on");
      CHECK(issuer.times_printed("refresh_token consumed") == round);
    }
    co_await client.close();
    CHECK(browser.visits() == 1);
    CHECK(mcp.times_printed("POST /mcp 401") == 1);
    CHECK_FALSE(issuer.printed("grant revoked"));
  });
}

TEST_CASE("oidc-provider: when the refresh token is dead too, the user logs in again", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({"opaque"}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth auth(for_user(browser));
    auto client = co_await comcp::connect(comcp::http(mcp.url("/mcp"), auth));
    co_await get(issuer.url("/control/forget"));
    auto const echo = co_await client.call_tool("echo", args("text", "on"));
    CHECK(echo.text() == "on");
    CHECK(browser.visits() == 2);
    CHECK(issuer.printed("grant.error invalid_grant"));
    CHECK(issuer.times_printed("registered") == 1);
    co_await client.close();
  });
}

TEST_CASE("oidc-provider: offline_access brings a refresh token where the server insists on it", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({"opaque", "strict"}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth auth(for_user(browser));
    co_await use_protected(mcp, auth);
    auto const status = co_await auth.status(mcp.url("/mcp"));
    REQUIRE(status);
    CHECK(status->has_refresh_token);
    co_await get(issuer.url("/control/expire"));
    co_await use_protected(mcp, auth);
    CHECK(browser.visits() == 1);
    headless const without;
    oauth_options options = for_user(without);
    options.offline_access(false);
    oauth online(options);
    co_await use_protected(mcp, online);
    auto const bare = co_await online.status(mcp.url("/mcp"));
    REQUIRE(bare);
    CHECK_FALSE(bare->has_refresh_token);
    co_await get(issuer.url("/control/expire"));
    co_await use_protected(mcp, online);
    CHECK(without.visits() == 2);
  });
}

TEST_CASE("oidc-provider: logging out revokes the tokens and forgets them", "[interop]") {
  COMCP_NEEDS_PEERS();
  for (std::string const format : {"opaque", "jwt"}) {
    with_oidc({format}, {}, [&](server issuer, server mcp) -> asio::awaitable<void> {
      temporary_directory const dir;
      headless const browser;
      oauth_options options = for_user(browser);
      options.store(comcp::file_token_store(dir.path() / "tokens.json"));
      oauth auth(options);
      auto const token = co_await use_protected(mcp, auth);
      if (format == "opaque") {
        auto const active = co_await is_active(issuer, token);
        CHECK(active);
      }
      co_await auth.logout(mcp.url("/mcp"));
      CHECK(issuer.printed("refresh_token destroyed"));
      CHECK(issuer.printed("grant revoked"));
      if (format == "opaque") {  // it cannot take back a JWT
        auto const active = co_await is_active(issuer, token);
        CHECK_FALSE(active);
      }
      auto const status = co_await auth.status(mcp.url("/mcp"));
      CHECK_FALSE(status);
      co_await use_protected(mcp, oauth(options));
      CHECK(browser.visits() == 2);
    });
  }
}

TEST_CASE("oidc-provider: tokens bound to a key, with nonces of both servers, through a refresh and another process",
          "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({"opaque", "nonces"}, {"nonces"}, [](server issuer, server mcp) -> asio::awaitable<void> {
    temporary_directory const dir;
    headless const browser;
    oauth_options options = for_user(browser);
    options.dpop().store(comcp::file_token_store(dir.path() / "tokens.json"));
    oauth auth(options);
    auto const token = co_await use_protected(mcp, auth);
    auto const status = co_await auth.status(mcp.url("/mcp"));
    REQUIRE(status);
    CHECK(status->dpop);
    CHECK(mcp.printed("refused: use_dpop_nonce"));
    CHECK(issuer.printed("grant.error use_dpop_nonce"));
    co_await get(issuer.url("/control/expire"));
    auto const renewed = co_await use_protected(mcp, auth);
    CHECK(renewed != token);
    co_await get(issuer.url("/control/expire"));
    auto const elsewhere = co_await use_protected(mcp, oauth(options));  // with the stored key
    CHECK(elsewhere != renewed);
    CHECK(browser.visits() == 1);
    CHECK_FALSE(mcp.printed("invalid_dpop_proof"));
    // Whoever steals it has not the key.
    auto const stolen = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), comcp::bearer(elsewhere))));
    CHECK(stolen.error() == errc::unauthorized);
  });
}

namespace {

constexpr int rounds = 20;

// This executable again, running only the hidden test case below.
class companion {
 public:
  companion(asio::any_io_executor executor, std::string const& url, std::string const& store) {
    comcp::net::spawn_options options;
    options.command = {"/proc/self/exe", "oauth companion"};
    options.command[0] = std::filesystem::read_symlink("/proc/self/exe").string();
    options.environment = {{"COMCP_COMPANION_URL", url}, {"COMCP_COMPANION_STORE", store}};
    auto child = comcp::net::child_process::spawn(executor, options);
    REQUIRE(child);
    life_->child.emplace(std::move(*child));
    life_->child->on_exit([] {});
    read(life_, life_->child->output());
  }
  [[nodiscard]] std::string const& output() const { return life_->text; }
  [[nodiscard]] bool ended() const { return life_->child->status().has_value(); }
  [[nodiscard]] bool succeeded() const { return life_->child->status()->code == 0; }
  void go() { asio::write(life_->child->input(), asio::buffer("\n", 1)); }

 private:
  struct life {
    std::optional<comcp::net::child_process> child;
    std::string text;
    std::array<char, 4096> buffer;
  };
  static void read(std::shared_ptr<life> l, asio::posix::stream_descriptor& from) {
    from.async_read_some(asio::buffer(l->buffer), [l, &from](std::error_code const& failed, std::size_t n) {
      l->text.append(l->buffer.data(), n);
      if (!failed) read(l, from);
    });
  }
  std::shared_ptr<life> life_ = std::make_shared<life>();
};

}  // namespace

TEST_CASE("oauth companion", "[.]") {
  auto const* const url = std::getenv("COMCP_COMPANION_URL");
  auto const* const store = std::getenv("COMCP_COMPANION_STORE");
  REQUIRE(url != nullptr);
  REQUIRE(store != nullptr);
  talk([&]() -> asio::awaitable<void> {
    oauth_options options;  // nobody can log in here: what is lost stays lost
    options.store(comcp::file_token_store(store));
    moving_clock clock(options);
    auto client = co_await comcp::connect(comcp::http(url, oauth(options)));
    std::cout << "ready" << std::endl;
    std::cin.get();
    for (int i = 0; i != rounds; ++i) {
      clock.an_hour_later();
      auto const echo = co_await client.call_tool("echo", args("text", "on"));
      REQUIRE(echo.text() == "on");
    }
    co_await client.close();
  });
}

TEST_CASE("oidc-provider: two processes that refresh one stored token at once lose nothing", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    temporary_directory const dir;
    auto const store = dir.file("tokens.json");
    headless const browser;
    oauth_options options = for_user(browser);
    options.store(comcp::file_token_store(store));
    co_await use_protected(mcp, oauth(options));
    auto const executor = co_await asio::this_coro::executor;
    companion one(executor, mcp.url("/mcp"), store), two(executor, mcp.url("/mcp"), store);
    auto const ready = co_await eventually([&] {
      return one.output().find("ready") != std::string::npos && two.output().find("ready") != std::string::npos;
    });
    INFO(one.output() << two.output());
    REQUIRE(ready);
    auto const before = issuer.times_printed("refresh_token consumed");
    one.go();
    two.go();
    auto const over = co_await eventually([&] { return one.ended() && two.ended(); });
    REQUIRE(over);
    INFO(one.output() << two.output() << issuer.output());
    CHECK(one.succeeded());
    CHECK(two.succeeded());
    CHECK(issuer.times_printed("refresh_token consumed") >= before + rounds);
    CHECK_FALSE(issuer.printed("grant revoked"));  // as it is when a refresh token comes twice
    CHECK_FALSE(issuer.printed("grant.error"));
    co_await use_protected(mcp, oauth(options));
    CHECK(browser.visits() == 1);
  });
}
