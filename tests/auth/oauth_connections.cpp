// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Over what oauth's own requests go where no sender is given.
#include <comcp/auth/oauth.hpp>

#include "support/engine_calls.hpp"
#include "support/http_peer.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

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

TEST_CASE("oauth: its own requests go through the proxy of proxy()", "[auth]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(404, "")));
  auto const proxies = proxy_options().all(proxy_route(http_url::parse(peer.url()).value()));
  try_login(io, oauth_options().proxy(proxies), "http://mcp.example/mcp");
  REQUIRE_FALSE(peer.requests().empty());
  CHECK(peer.requests().front().target == "http://mcp.example/mcp");
}
