// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Over TLS, which nginx terminates before server-everything, and through tinyproxy to it.
#include "interop/certificates.hpp"
#include "interop/everything_talk.hpp"
#include "interop/http_peers.hpp"

using namespace interop;

#define COMCP_NEEDS_TLS_PEERS()    \
  COMCP_NEEDS_PEERS();             \
  COMCP_NEEDS_PROGRAM("nginx");    \
  COMCP_NEEDS_PROGRAM("openssl")

namespace {

program terminator(authority const& from, std::string const& name, server_process const& to,
                   std::string const& more = "") {
  return nginx("ssl_certificate " + from.certificate(name) + "; ssl_certificate_key " + from.key(name) + "; " + more +
                   " location / { proxy_pass " + to.url("") + "; }",
               "ssl");
}

std::string https(std::string const& host, server_process const& at) {
  return "https://" + host + ":" + at.port() + "/mcp";
}

comcp::tls_options trusting(authority const& a) { return comcp::tls_options().ca_file(a.ca()); }

comcp::proxy_options through(server_process const& proxy, std::string const& credentials = "") {
  auto route = comcp::proxy_route::parse("http://" + credentials + "127.0.0.1:" + proxy.port());
  REQUIRE(route);
  return comcp::proxy_options().all(*route);
}

// The way over TLS, with all that the tests want to differ.
template <class Use>
void over_tls(std::string const& names, Use use) {
  authority const ca;
  ca.issue("server", names);
  talk([&]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const front = co_await server_process::start(terminator(ca, "server", server));
    co_await use(ca, front);
  });
}

}  // namespace

TEST_CASE("https: a server with a certificate of the given authority, by name and by address", "[interop]") {
  COMCP_NEEDS_TLS_PEERS();
  over_tls("DNS:localhost,IP:127.0.0.1", [](authority const& ca, server_process const& front) -> asio::awaitable<void> {
    auto client = co_await comcp::connect(comcp::http(https("localhost", front)).tls(trusting(ca)), handler());
    auto const transport = co_await client.transport_info();
    CHECK(transport.origin == "https://localhost:" + front.port());
    co_await use_everything(client);
    co_await be_asked(client);
    auto const steps = co_await watch_progress(client, 3);
    CHECK(steps == std::vector<double>{1, 2, 3});
    co_await hear_news(client);
    co_await client.close();
    auto by_address = co_await comcp::connect(comcp::http(https("127.0.0.1", front)).tls(trusting(ca)));
    auto const echo = co_await by_address.call_tool("echo", args("message", "x"));
    CHECK(echo.text() == "Echo: x");
    co_await by_address.close();
  });
}

TEST_CASE("https: another authority, another host and plain HTTP are refused before a request is sent", "[interop]") {
  COMCP_NEEDS_TLS_PEERS();
  over_tls("DNS:localhost", [](authority const& ca, server_process const& front) -> asio::awaitable<void> {
    auto const system = co_await as_result(comcp::connect(comcp::http(https("localhost", front))));
    CHECK(system.error() == errc::tls_failed);
    authority const another;
    auto const stranger =
        co_await as_result(comcp::connect(comcp::http(https("localhost", front)).tls(trusting(another))));
    CHECK(stranger.error() == errc::tls_failed);
    auto const other_host =
        co_await as_result(comcp::connect(comcp::http(https("127.0.0.1", front)).tls(trusting(ca))));
    CHECK(other_host.error() == errc::tls_failed);
    auto const no_file = co_await as_result(
        comcp::connect(comcp::http(https("localhost", front)).tls(comcp::tls_options().ca_file("/nowhere.pem"))));
    CHECK_FALSE(no_file);
    CHECK_FALSE(front.printed("POST"));
    auto const loud = comcp::tls_options().insecure_skip_verification();
    auto client = co_await comcp::connect(comcp::http(https("127.0.0.1", front)).tls(loud));
    co_await client.close();
    auto const heard = co_await eventually([&] { return front.printed("POST"); });
    CHECK(heard);
  });
}

TEST_CASE("https: an expired certificate is refused", "[interop]") {
  COMCP_NEEDS_TLS_PEERS();
  authority const ca;
  ca.issue("server", "DNS:localhost", -1);
  talk([&]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const front = co_await server_process::start(terminator(ca, "server", server));
    auto const expired = co_await as_result(comcp::connect(comcp::http(https("localhost", front)).tls(trusting(ca))));
    CHECK(expired.error() == errc::tls_failed);
    CHECK_THAT(std::string(expired.error().message()), match::contains("expired"));
  });
}

TEST_CASE("https: a server that asks who the client is", "[interop]") {
  COMCP_NEEDS_TLS_PEERS();
  authority const ca;
  ca.issue("server", "DNS:localhost");
  ca.issue("client", "DNS:client.example");
  talk([&]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const front = co_await server_process::start(
        terminator(ca, "server", server, "ssl_client_certificate " + ca.ca() + "; ssl_verify_client on;"));
    auto const nobody = co_await as_result(comcp::connect(comcp::http(https("localhost", front)).tls(trusting(ca))));
    CHECK_FALSE(nobody);  // nginx says so with HTTP status 400
    auto known = trusting(ca);
    known.client_certificate(ca.certificate("client"), ca.key("client"));
    auto client = co_await comcp::connect(comcp::http(https("localhost", front)).tls(known));
    auto const echo = co_await client.call_tool("echo", args("message", "x"));
    CHECK(echo.text() == "Echo: x");
    co_await client.close();
  });
}

TEST_CASE("tinyproxy: a tunnel to a server over TLS", "[interop]") {
  COMCP_NEEDS_TLS_PEERS();
  COMCP_NEEDS_PROGRAM("tinyproxy");
  over_tls("DNS:localhost", [](authority const& ca, server_process const& front) -> asio::awaitable<void> {
    auto const proxy = co_await server_process::start(tinyproxy());
    auto client = co_await comcp::connect(
        comcp::http(https("localhost", front)).tls(trusting(ca)).proxy(through(proxy)), handler());
    co_await use_everything(client);
    co_await be_asked(client);
    co_await client.close();
    CHECK(proxy.printed("CONNECT localhost:" + front.port()));
    CHECK_FALSE(proxy.printed("/mcp"));
  });
}

TEST_CASE("tinyproxy: with credentials, without them and with wrong ones", "[interop]") {
  COMCP_NEEDS_TLS_PEERS();
  COMCP_NEEDS_PROGRAM("tinyproxy");
  over_tls("DNS:localhost", [](authority const& ca, server_process const& front) -> asio::awaitable<void> {
    auto const proxy = co_await server_process::start(tinyproxy("BasicAuth ann secret\n"));
    for (std::string const credentials : {"", "ann:wrong@"}) {
      auto const refused = co_await as_result(comcp::connect(
          comcp::http(https("localhost", front)).tls(trusting(ca)).proxy(through(proxy, credentials))));
      CHECK(refused.error() == errc::proxy_failed);
      CHECK(std::string(refused.error().message()).find("wrong") == std::string::npos);
    }
    CHECK_FALSE(front.printed("POST"));
    auto client = co_await comcp::connect(
        comcp::http(https("localhost", front)).tls(trusting(ca)).proxy(through(proxy, "ann:secret@")));
    auto const echo = co_await client.call_tool("echo", args("message", "x"));
    CHECK(echo.text() == "Echo: x");
    co_await client.close();
  });
}

TEST_CASE("tinyproxy: plain HTTP goes through it request by request", "[interop]") {
  COMCP_NEEDS_PEERS();
  COMCP_NEEDS_PROGRAM("tinyproxy");
  talk([]() -> asio::awaitable<void> {
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto const proxy = co_await server_process::start(tinyproxy());
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")).proxy(through(proxy)), handler());
    co_await use_everything(client);
    co_await be_asked(client);
    co_await client.close();
    CHECK(proxy.printed("POST " + server.url("/mcp")));
  });
}

TEST_CASE("tinyproxy: a proxy that is not there, and a server behind it that is not there", "[interop]") {
  COMCP_NEEDS_PEERS();
  COMCP_NEEDS_PROGRAM("tinyproxy");
  talk([]() -> asio::awaitable<void> {
    reserved_port const nobody(co_await asio::this_coro::executor);
    auto proxy = co_await server_process::start(tinyproxy());
    auto const options = through(proxy);
    auto const url = "https://localhost:" + std::to_string(nobody.number()) + "/mcp";
    auto const no_server = co_await as_result(comcp::connect(comcp::http(url).proxy(options)));
    CHECK(no_server.error() == errc::proxy_failed);
    proxy.stop();
    auto const no_proxy = co_await as_result(comcp::connect(comcp::http(url).proxy(options)));
    CHECK_FALSE(no_proxy);
  });
}
