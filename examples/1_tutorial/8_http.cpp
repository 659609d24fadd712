// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server over HTTP: headers, a token, how often broken streams are opened again, and a session that is saved and
// continued later.
//
//   8_http URL TOKEN
//   for example: comcp_demo_server --http 8080 --token secret, then 8_http http://127.0.0.1:8080/mcp secret
#include <chrono>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include <comcp/http.hpp>

using namespace std::chrono_literals;

// For https nothing more is needed where comcp is built with TLS; server.tls() takes a certificate authority of your
// own and client certificates. The environment's proxies are used; server.proxy() says otherwise.
auto server_at(std::string const& url, comcp::bearer token) {
  comcp::reconnect_policy patient;
  patient.delay(500ms, 10s).attempts(10);
  comcp::http_options options;
  options.header("X-Request-Source", "comcp tutorial").reconnect(patient);
  comcp::http server(url, std::move(token));
  server.options(options);
  return server;
}

asio::awaitable<std::optional<comcp::saved_session>> first_visit(std::string url, comcp::bearer token) {
  auto client = co_await comcp::connect(server_at(url, token));
  auto const transport = co_await client.transport_info();
  std::cout << client.server_info().name << " at " << transport.target << " speaks "
            << client.protocol_version().text() << '\n';
  auto const sum = co_await client.call_tool("add", comcp::args("a", 2, "b", 3));
  std::cout << "2 + 3 = " << sum.structured_content["sum"].as_int64() << '\n';
  co_await client.close();

  // Servers of the legacy era keep a session. Here the client is left without close(), which would end it.
  comcp::connect_options legacy;
  legacy.legacy();
  auto leaving = co_await comcp::connect(server_at(url, token), legacy);
  co_return leaving.session();
}

// Goes on where the other client was, without a handshake; in another process, too. The session's id is a secret.
asio::awaitable<bool> second_visit(std::string url, comcp::bearer token, comcp::saved_session session) {
  auto client = co_await comcp::connect(server_at(url, token).resume(session));
  auto const echo = co_await client.call_tool("echo", comcp::args("text", "Here I am again"));
  std::cout << echo.text() << '\n';
  co_await client.close();
  co_return echo.text() == "Here I am again";
}

// A server that wants another token says 401: errc::unauthorized or an error of its own, with the status in detail().
asio::awaitable<bool> refused_visit(std::string url) {
  auto attempt = comcp::connect(server_at(url, comcp::bearer("a wrong token")));
  auto const nobody = co_await comcp::as_result(std::move(attempt));
  if (nobody) co_return false;
  std::cout << "With a wrong token: " << nobody.error().to_string() << '\n';
  auto const* const detail = nobody.error().detail();
  co_return detail && detail->http_status == 401;
}

asio::awaitable<bool> visit(std::string url, std::string token) {
  comcp::bearer const credentials(token);  // its copies share the token
  auto const session = co_await first_visit(url, credentials);
  bool good = true;
  if (session) good = co_await second_visit(url, credentials, *session);
  bool const refused = co_await refused_visit(url);
  co_return good && refused;
}

int main(int argc, char* argv[]) try {
  if (argc != 3) {
    std::cerr << "usage: 8_http URL TOKEN\n";
    return 2;
  }
  return comcp::run(visit(argv[1], argv[2])) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
