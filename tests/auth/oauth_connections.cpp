// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Over what oauth's own requests go where no sender is given: whom they trust, who they say they are, which proxy.
#include <comcp/auth/oauth.hpp>

#include <comcp/client/operation.hpp>

#include "support/engine_calls.hpp"
#include "support/tls_peer.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

identity const& authority() {
  static identity const made = [] {
    certificate_text text;
    text.name = "the authority";
    text.authority = true;
    return issue(text);
  }();
  return made;
}
identity const& server_identity() {
  static identity const made = [] {
    certificate_text text;
    text.alternatives = "IP:127.0.0.1";
    return issue(text, &authority());
  }();
  return made;
}

asio::awaitable<void> know_nothing(tls_peer_connection& c) {
  for (;;) {
    auto const more = co_await c.read_request();
    if (!more) co_return;
    co_await c.write(http_answer(404, ""));
  }
}

/// A login that finds nothing; what matters is who was asked.
void try_login(asio::io_context& io, oauth_options options, std::string const& url) {
  if (!options.proxy()) options.proxy(proxy_options::none());
  oauth auth(std::move(options));
  auto body = [&]() -> asio::awaitable<void> {
    bool failed = false;
    try {
      co_await auth.login(url);
    } catch (exception const&) {
      failed = true;
    }
    CHECK(failed);
  };
  run(io, body());
}

}  // namespace

TEST_CASE("oauth: its own requests trust whom tls() says, and show a certificate only if that has one", "[auth]") {
  asio::io_context io;
  tls_server server(server_identity());
  http_peer peer(io, server.serving(know_nothing));
  auto const url = peer.url("/mcp", "https");
  auto const trusting = tls_options().ca_pem(authority().certificate_pem());

  try_login(io, oauth_options(), url);
  CHECK_FALSE(server.seen.done);
  try_login(io, oauth_options().tls(trusting), url);
  CHECK(server.seen.done);
  CHECK(server.seen.client.empty());
  CHECK(peer.requests().size() > 1);

  certificate_text text;
  text.name = "the client";
  auto const client = issue(text, &authority());
  certificate_files const files;
  auto shown = trusting;
  shown.client_certificate(files.write("cert.pem", client.certificate_pem()), files.write("key.pem", client.key_pem()));
  server.demand_client(authority());
  try_login(io, oauth_options().tls(shown), url);
  CHECK(server.seen.client == "the client");
}

TEST_CASE("oauth: it may outlive the io_context in which it worked", "[auth]") {
  oauth auth(oauth_options().proxy(proxy_options::none()));
  {
    asio::io_context io;
    http_peer peer(io, always(http_answer(404, "")));
    auto const url = peer.url("/mcp");
    auto body = [&]() -> asio::awaitable<void> {
      auto op = auth.login(url);
      auto const outcome = co_await as_result(std::move(op));
      CHECK(outcome.error() == errc::login_required);
    };
    run(io, body());
    CHECK(peer.requests().size() > 1);
  }
  CHECK_FALSE(auth.identity().empty());
}

TEST_CASE("oauth: its own requests go through the proxy of proxy()", "[auth]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(404, "")));
  auto const proxies = proxy_options().all(proxy_route(http_url::parse(peer.url()).value()));
  try_login(io, oauth_options().proxy(proxies), "http://mcp.example/mcp");
  REQUIRE_FALSE(peer.requests().empty());
  CHECK(peer.requests().front().target == "http://mcp.example/mcp");
}
