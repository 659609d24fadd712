// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's login at oidc-provider, in a browser without a screen: discovery, registration, consent, step-up.
#include <comcp/auth/file_token_store.hpp>
#include <comcp/auth/loopback_redirect.hpp>

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

}  // namespace

TEST_CASE("oidc-provider: the first call finds the issuer, registers, logs in and is answered", "[interop]") {
  COMCP_NEEDS_PEERS();
  for (bool const legacy : {false, true}) {
    with_oidc({}, {}, [legacy](server issuer, server mcp) -> asio::awaitable<void> {
      headless const browser;
      oauth auth(for_user(browser));
      connect_options options;
      if (legacy) options.legacy();
      auto client = co_await comcp::connect(comcp::http(mcp.url("/mcp"), auth), options);
      auto const tools = co_await client.list_tools();
      CHECK(tools.find("add") != nullptr);
      auto const sum = co_await client.call_tool("add", args("a", 2, "b", 3));
      CHECK(sum.text() == "5");
      co_await client.close();
      CHECK(browser.visits() == 1);
      CHECK(issuer.times_printed("registered native") == 1);
      auto const status = co_await auth.status(mcp.url("/mcp"));
      REQUIRE(status);
      CHECK(status->issuer == issuer.url(""));
      CHECK(status->resource == mcp.url("/mcp"));
      CHECK(status->registered_by == "dynamic");
      CHECK(status->has_refresh_token);
      CHECK_FALSE(status->dpop);
      CHECK(status->expires_at.has_value());
      CHECK(mcp.times_printed("POST /mcp 401") == 1);
    });
  }
}

TEST_CASE("oidc-provider: what one client logged in for, the next one uses, and one on the same store", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    temporary_directory const dir;
    headless const browser;
    oauth_options options = for_user(browser);
    options.store(comcp::file_token_store(dir.path() / "tokens.json"));
    oauth first(options);
    auto const token = co_await use_protected(mcp, first);
    auto const shared = co_await use_protected(mcp, first);
    CHECK(shared == token);
    oauth second(options);
    auto const stored = co_await use_protected(mcp, second);
    CHECK(stored == token);
    CHECK(browser.visits() == 1);
    CHECK(issuer.times_printed("POST /token") == 1);
  });
}

TEST_CASE("oidc-provider: an issuer with a path publishes by OpenID only", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({"path"}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth auth(for_user(browser));
    co_await use_protected(mcp, auth);
    CHECK(browser.visits() == 1);
    CHECK(issuer.printed("GET /.well-known/oauth-authorization-server/as"));
    CHECK(issuer.printed("GET /as/.well-known/openid-configuration"));
    CHECK_FALSE(issuer.printed("GET /.well-known/openid-configuration\n"));  // of another issuer
  });
}

TEST_CASE("oidc-provider: the loopback redirect, pre-registered without a port and registered with one", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({"opaque"}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    auto const executor = co_await asio::this_coro::executor;
    words pages;
    auto const open = [&](comcp::http_url const& url) {
      auto const shown = [&](std::exception_ptr failed, std::string text) {
        CHECK_FALSE(failed);
        pages.push_back(std::move(text));
      };
      asio::co_spawn(executor, browse(url), shown);
      return comcp::result<void>();
    };
    comcp::loopback_redirect browser;
    browser.open_with(open).show_with({});
    oauth_options options;
    options.user(browser);
    auto known = options;
    known.client(oauth_client("ann:app")).store(comcp::memory_token_store());  // copies of options share theirs
    co_await use_protected(mcp, oauth(known));
    CHECK_FALSE(issuer.printed("POST /reg"));
    oauth auth(options);
    co_await use_protected(mcp, auth);
    co_await get(issuer.url("/control/forget"));
    co_await use_protected(mcp, auth);  // with the same client, at its redirect
    CHECK(issuer.times_printed("registered") == 1);
    auto const read = co_await eventually([&] { return pages.size() == 3; });
    CHECK(read);
  });
}

TEST_CASE("oidc-provider: a client id metadata document takes the place of a registration", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({"documents"}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth_options options = for_user(browser);
    options.client_metadata_url("https://client.example.com/comcp.json");
    oauth auth(options);
    co_await use_protected(mcp, auth);
    CHECK_FALSE(issuer.printed("POST /reg"));
    auto const status = co_await auth.status(mcp.url("/mcp"));
    REQUIRE(status);
    CHECK(status->registered_by == "metadata document");
    CHECK(status->client_id == "https://client.example.com/comcp.json");
  });
}

TEST_CASE("oidc-provider: two servers of one issuer get a token each, and many connections one login", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    auto guarded = script("protected_mcp.mjs", {});
    guarded.env("ISSUER", issuer.url(""));
    auto const other = co_await server_process::start(guarded);
    headless const browser;
    oauth auth(for_user(browser));
    std::vector<std::string> seen;
    for (bool const is_first : {true, false}) {
      auto const& at = is_first ? mcp : other;
      std::vector<asio::awaitable<std::string>> uses;
      for (int i = 0; i != 4; ++i) uses.push_back(use_protected(at, auth));
      auto const tokens = co_await comcp::all(std::move(uses));
      for (auto const& token : tokens) REQUIRE(token);
      seen.push_back(*tokens[0]);
    }
    CHECK(seen[0] != seen[1]);
    CHECK(browser.visits() == 2);
    CHECK_FALSE(mcp.printed("refused: invalid_token"));
    CHECK_FALSE(other.printed("refused: invalid_token"));
    auto const first = co_await auth.status(mcp.url("/mcp"));
    auto const second = co_await auth.status(other.url("/mcp"));
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->client_id == second->client_id);
    CHECK(issuer.times_printed("registered") == 1);
  });
}

TEST_CASE("oidc-provider: a pre-registered client with a secret", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth_client known("ann:web");
    known.client_secret(secret("s/+: %&=x")).issuer(issuer.url(""));
    oauth_options options = for_user(browser);
    options.client(known);
    oauth auth(options);
    co_await use_protected(mcp, auth);
    CHECK(browser.visits() == 1);
    CHECK_FALSE(issuer.printed("POST /reg"));
    auto const status = co_await auth.status(mcp.url("/mcp"));
    REQUIRE(status);
    CHECK(status->registered_by == "pre-registered");
  });
}

TEST_CASE("oidc-provider: who cannot register, and whom the user refuses, is told so", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({"closed"}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    headless const browser;
    auto const stranger = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(for_user(browser)))));
    REQUIRE_FALSE(stranger);
    CHECK(stranger.error() == errc::unauthorized);
    INFO(stranger.error().to_string());
    CHECK(stranger.error().to_string().find(issuer.url("")) != std::string::npos);
    CHECK(browser.visits() == 0);
  });
  with_oidc({"shy"}, {}, [](server, server mcp) -> asio::awaitable<void> {
    headless const browser;
    auto const refused = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(for_user(browser)))));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::unauthorized);
    INFO(refused.error().to_string());
    CHECK(refused.error().to_string().find("access_denied") != std::string::npos);
    CHECK(refused.error().to_string().find("ann said no") != std::string::npos);
    CHECK(browser.visits() == 1);
  });
}

TEST_CASE("oidc-provider: a tool that needs another scope sends the user there again, once, and keeps what was granted",
          "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth auth(for_user(browser));
    auto client = co_await comcp::connect(comcp::http(mcp.url("/mcp"), auth));
    auto const sum = co_await client.call_tool("add", args("a", 2, "b", 3));
    CHECK(sum.text() == "5");
    CHECK(browser.visits() == 1);
    auto const done = co_await client.call_tool("admin");
    CHECK(done.text() == "administered");
    CHECK(browser.visits() == 2);
    auto const again = co_await client.call_tool("admin");
    CHECK(again.text() == "administered");
    auto const echo = co_await client.call_tool("echo", args("text", "on"));  // wants mcp:tools
    CHECK(echo.text() == "on");
    CHECK(browser.visits() == 2);
    CHECK(issuer.times_printed("registered") == 1);
    CHECK(mcp.times_printed("POST /mcp 403") == 1);
    co_await client.close();
  });
}

TEST_CASE("oidc-provider: without step-up the refusal is the call's own", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth_options options = for_user(browser);
    options.step_up(false);
    auto client = co_await comcp::connect(comcp::http(mcp.url("/mcp"), oauth(options)));
    auto const refused = co_await as_result(client.call_tool("admin"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::unauthorized);
    auto const echo = co_await client.call_tool("echo", args("text", "on"));
    CHECK(echo.text() == "on");
    CHECK(browser.visits() == 1);
    co_await client.close();
  });
}

TEST_CASE("oidc-provider: a login that stops at its URL is finished by another", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {}, [](server issuer, server mcp) -> asio::awaitable<void> {
    temporary_directory const dir;
    oauth_options options;
    options.store(comcp::file_token_store(dir.path() / "tokens.json"));
    auto const alone = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(options))));
    CHECK(alone.error() == errc::login_required);
    oauth one(options);
    auto const started = co_await one.begin(mcp.url("/mcp"), callback);
    auto const kept = started.state.to_json();
    auto const redirect = co_await browse(started.url);
    auto const state = comcp::pending_authorization::from_json(kept);
    REQUIRE(state);
    oauth another(options);
    co_await another.finish(*state, secret(redirect));
    co_await use_protected(mcp, oauth(options));
    auto const replayed = co_await as_result(another.finish(*state, secret(redirect)));  // the code is used up
    CHECK(replayed.error() == errc::unauthorized);
    CHECK(issuer.printed("grant.error invalid_grant"));
  });
}

TEST_CASE("oidc-provider: without resource metadata the pinned issuer is the way, and there is no other", "[interop]") {
  COMCP_NEEDS_PEERS();
  with_oidc({}, {"no-metadata"}, [](server issuer, server mcp) -> asio::awaitable<void> {
    headless const browser;
    oauth_options options = for_user(browser);
    auto const lost = co_await as_result(comcp::connect(comcp::http(mcp.url("/mcp"), oauth(options))));
    CHECK(lost.error() == errc::unauthorized);
    auto const text = lost.error().to_string();
    for (std::string const path : {"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource",
                                   "/.well-known/oauth-authorization-server", "/register"}) {
      CHECK(text.find(mcp.url(path)) != std::string::npos);
    }
    CHECK(browser.visits() == 0);
    options.issuer(issuer.url(""));
    co_await use_protected(mcp, oauth(options));
    CHECK(browser.visits() == 1);
  });
}
