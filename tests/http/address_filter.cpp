// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/asio_engine.hpp>

#include <string>
#include <vector>

#include "support/engine_calls.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

net::lookup_function knows(std::vector<std::string> addresses) {
  return [addresses](asio::any_io_executor, std::string, std::uint16_t port, net::lookup_done done) {
    net::endpoints out;
    for (auto const& each : addresses) out.emplace_back(asio::ip::make_address(each), port);
    done({}, out);
  };
}

asio_engine_options refusing(std::string address) {
  return asio_engine_options().address_filter(
      [address = std::move(address)](asio::ip::address const& a) { return a.to_string() != address; });
}

result<std::string> get(asio::io_context& io, asio_engine engine, std::string const& url) {
  result<std::string> out;
  auto body = [&]() -> asio::awaitable<void> { out = co_await fetch(engine, request_to(url, "GET")); };
  run(io, body());
  return out;
}

}  // namespace

TEST_CASE("address_filter: nothing is connected to a refused address, be it literal or a name's", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "ok")));
  for (auto const& url : {peer.url(), "http://name.example:" + std::to_string(peer.port())}) {
    plain_connector const with(proxy_options::none(), knows({"127.0.0.1"}));
    auto const got = get(io, asio_engine(refusing("127.0.0.1"), with), url);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::denied);
    CHECK_THAT(got.error().to_string(), match::contains(url.substr(7, url.find(':', 7) - 7)));
    CHECK_THAT(got.error().to_string(), match::contains("127.0.0.1"));
    CHECK_FALSE(leaves_outcome_open(got.error()));
  }
  CHECK(peer.connections() == 0);
}

TEST_CASE("address_filter: refused addresses of a name are passed over", "[http]") {
  asio::io_context io;
  http_peer peer(io, always(http_answer(200, "allowed")));
  http_peer refused(io, always(http_answer(200, "refused")), "127.0.0.2", peer.port());
  auto const with = plain_connector(proxy_options::none(), knows({"127.0.0.2", "127.0.0.1"}));
  auto const url = "http://name.example:" + std::to_string(peer.port());
  CHECK(get(io, asio_engine(refusing("127.0.0.2"), with), url).value() == "200 allowed");
  CHECK(refused.connections() == 0);
  CHECK(get(io, asio_engine(asio_engine_options(), with), url).value() == "200 refused");
}

TEST_CASE("address_filter: the proxy is not asked about", "[http]") {
  asio::io_context io;
  http_peer proxy(io, always(http_answer(200, "by proxy")));
  int asked = 0;
  auto const options = asio_engine_options().address_filter([&](asio::ip::address const&) {
    ++asked;
    return false;
  });
  plain_connector const with(proxy_options().http(proxy_route(http_url::parse(proxy.url()).value())));
  CHECK(get(io, asio_engine(options, with), "http://127.0.0.9/").value() == "200 by proxy");
  CHECK(asked == 0);
}
