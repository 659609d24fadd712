// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where authorization's default sender connects to, by the resolved addresses. What URLs may say is endpoint_policy's.
#include <comcp/auth/oauth_http.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/test/manual_clock.hpp>

#include "support/engine_calls.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

/// Names and what they mean; a name without an address is never answered, an unknown one fails.
struct names {
  names() = default;
  std::map<std::string, std::vector<std::string>> known;
  std::vector<std::string> asked;

  net::lookup_function lookup() {
    return [this](asio::any_io_executor, std::string host, std::uint16_t port, net::lookup_done done) {
      asked.push_back(host);
      auto const found = known.find(host);
      if (found == known.end()) return done(asio::error::host_not_found, {});
      net::endpoints out;
      for (auto const& each : found->second) out.emplace_back(asio::ip::make_address(each), port);
      if (!out.empty()) done({}, out);
    };
  }
  [[nodiscard]] auto times(std::string const& host) const { return std::count(asked.begin(), asked.end(), host); }
};

struct bench {
  asio::io_context io;
  http_peer peer{io, always(http_answer(200, "document"))};
  names dns;

  [[nodiscard]] std::string at(std::string const& host, std::string const& scheme = "http") const {
    return scheme + "://" + host + ":" + std::to_string(peer.port()) + "/";
  }
  oauth_sender sender(std::string const& server, endpoint_policy policy = {}, asio_engine_options engine = {},
                      proxy_options proxies = proxy_options::none()) {
    return detail::default_oauth_sender(policy, 1000, http_url::parse(server).value(), std::move(engine),
                                        std::move(proxies), tls_options(), dns.lookup());
  }
  result<oauth_response> get(oauth_sender const& send, std::string const& url) {
    std::optional<result<oauth_response>> out;
    auto body = [&]() -> asio::awaitable<void> {
      auto pending = send(request_to(url, "GET"));
      auto got = co_await std::move(pending);
      out.emplace(std::move(got));
    };
    run(io, body());
    return std::move(*out);
  }
};

}  // namespace

TEST_CASE("default_oauth_sender: a public server does not lead to this machine or its network", "[auth]") {
  bench b;
  b.dns.known = {{"mcp.example", {"93.184.215.14"}}, {"as.example", {"127.0.0.1"}}, {"lan.example", {"10.0.0.1"}}};
  auto const send = b.sender("https://mcp.example/mcp");
  for (auto const& url : {b.at("as.example"), b.at("lan.example"), b.at("127.0.0.1"), b.at("[::1]"),
                          b.at("[::ffff:127.0.0.1]"), b.at("169.254.169.254"), b.at("as.example", "https")}) {
    CAPTURE(url);
    auto const got = b.get(send, url);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::denied);
  }
  CHECK(b.peer.connections() == 0);
  CHECK(b.dns.times("mcp.example") == 1);
}

TEST_CASE("default_oauth_sender: a server of this machine may lead to it", "[auth]") {
  bench b;
  b.dns.known = {{"dev.example", {"127.0.0.1"}}, {"as.example", {"127.0.0.1"}}};
  for (auto const& server : {"https://dev.example/", "http://127.0.0.1:1/mcp"}) {
    auto const send = b.sender(server);
    auto const got = b.get(send, b.at("as.example"));
    REQUIRE(got);
    CHECK(got->status == 200);
    CHECK(got->body == "document");
  }
  CHECK(b.dns.times("127.0.0.1") == 0);
}

TEST_CASE("default_oauth_sender: of a server's addresses the public one counts", "[auth]") {
  bench b;
  b.dns.known = {{"mcp.example", {"127.0.0.1", "93.184.215.14"}}, {"as.example", {"127.0.0.1"}}};
  CHECK(b.get(b.sender("https://mcp.example/"), b.at("as.example")).error() == errc::denied);
  CHECK(b.get(b.sender("https://mcp.example/", endpoint_policy().allow_private()), b.at("as.example")));
}

TEST_CASE("default_oauth_sender: the address that the server answered from counts, not what a later lookup says", "[auth]") {
  bench b;
  b.dns.known = {{"mcp.example", {"127.0.0.1"}}, {"as.example", {"127.0.0.1"}}};
  auto const server = http_url::parse(b.at("mcp.example")).value();
  auto const addresses = std::make_shared<detail::oauth_addresses>(endpoint_policy(), server);
  auto const send = detail::default_oauth_sender(endpoint_policy(), 1000, server, asio_engine_options(), proxy_options::none(),
                                                 tls_options(), b.dns.lookup(), addresses);
  SECTION("one far away") {
    addresses->answered_from("93.184.215.14");
    CHECK(b.get(send, b.at("as.example")).error() == errc::denied);
    CHECK(b.dns.times("mcp.example") == 0);
    addresses->answered_from("127.0.0.1");  // the farthest of them
    CHECK(b.get(send, b.at("as.example")).error() == errc::denied);
  }
  SECTION("one on this machine") {
    addresses->answered_from("127.0.0.1");
    CHECK(b.get(send, b.at("as.example")));
    CHECK(b.dns.times("mcp.example") == 0);
  }
  SECTION("not known") {
    addresses->answered_from("");
    CHECK(b.get(send, b.at("as.example")));
    CHECK(b.dns.times("mcp.example") == 1);
  }
  SECTION("of its own request") {
    CHECK(addresses->reach == address_reach::public_network);
    REQUIRE(b.get(send, b.at("mcp.example")));
    CHECK(addresses->connected);
    CHECK(addresses->reach == address_reach::loopback);
  }
}

TEST_CASE("default_oauth_sender: a server in a private network leads there, and not to this machine", "[auth]") {
  bench b;
  b.dns.known = {{"mcp.example", {"10.1.2.3"}}, {"as.example", {"127.0.0.1"}}};
  CHECK(b.get(b.sender("https://mcp.example/"), b.at("as.example")).error() == errc::denied);
}

TEST_CASE("default_oauth_sender: a server that is not found counts as public, until it is", "[auth]") {
  bench b;
  b.dns.known = {{"as.example", {"127.0.0.1"}}};
  auto const send = b.sender("https://dev.example/");
  CHECK(b.get(send, b.at("as.example")).error() == errc::denied);
  b.dns.known["dev.example"] = {"127.0.0.1"};
  CHECK(b.get(send, b.at("as.example")));
  CHECK(b.get(send, b.at("as.example")));
  CHECK(b.dns.times("dev.example") == 2);
}

TEST_CASE("default_oauth_sender: a lookup that never ends is bounded, and can be cancelled", "[auth]") {
  bench b;
  b.dns.known = {{"mcp.example", {}}, {"as.example", {"127.0.0.1"}}};
  auto const clock = std::make_shared<test::manual_clock>();
  auto const send = b.sender("https://mcp.example/", {}, asio_engine_options().time(clock));
  std::optional<result<oauth_response>> out;
  asio::cancellation_signal cancel;
  auto done = [&](std::exception_ptr e, result<oauth_response> got) {
    CHECK_FALSE(e);
    out.emplace(std::move(got));
  };
  asio::co_spawn(b.io, send(request_to(b.at("as.example"), "GET")), asio::bind_cancellation_slot(cancel.slot(), done));
  b.io.poll();
  REQUIRE_FALSE(out);
  REQUIRE(b.dns.times("mcp.example") == 1);
  bool const cancelled = GENERATE(false, true);
  if (cancelled) {
    cancel.emit(asio::cancellation_type::terminal);
  } else {
    clock->advance(10s);
  }
  auto const limit = std::chrono::steady_clock::now() + 20s;
  while (!out && std::chrono::steady_clock::now() < limit) b.io.run_one_until(limit);
  REQUIRE(out);
  CHECK(out->error() == (cancelled ? errc::cancelled : errc::denied));
  CHECK(b.peer.connections() == 0);
}

TEST_CASE("default_oauth_sender: behind a proxy nothing is looked up", "[auth]") {
  bench b;
  auto const proxies = proxy_options().all(proxy_route(http_url::parse(b.peer.url()).value()));
  auto const got = b.get(b.sender("https://mcp.example/", {}, {}, proxies), "http://as.example/");
  REQUIRE(got);
  CHECK(got->body == "document");
  CHECK(b.dns.asked.empty());
}

TEST_CASE("default_oauth_sender: a redirect is an answer, a body is bounded", "[auth]") {
  bench b;
  http_peer other(b.io, [](peer_connection& c) -> asio::awaitable<void> {
    for (;;) {
      auto const request = co_await c.read_request();
      if (!request) co_return;
      auto answer = http_answer(302, "", "Location: /else\r\n");
      if (request->target == "/large") answer = http_answer(200, std::string(1001, 'x'));
      co_await c.write(std::move(answer));
    }
  });
  auto const send = b.sender("http://127.0.0.1/");
  auto const redirect = b.get(send, other.url("/"));
  REQUIRE(redirect);
  CHECK(redirect->status == 302);
  CHECK(b.get(send, other.url("/large")).error() == errc::limit_exceeded);
  CHECK(other.requests().size() == 2);
}
