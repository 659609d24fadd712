// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that wants its user to log in. comcp finds out where, opens the browser there and waits for it to come back;
// the tokens are kept in a file, so that the next run needs no browser.
//
//   login URL            opens the browser where it is needed
//   login URL --logout   revokes the tokens and forgets them
#include <exception>
#include <iostream>
#include <string>
#include <utility>

#include <comcp/auth/file_token_store.hpp>
#include <comcp/auth/loopback_redirect.hpp>
#include <comcp/auth/oauth.hpp>
#include <comcp/http.hpp>

comcp::oauth make_oauth() {
  auto const file = comcp::file_token_store::usual_path();  // ~/.local/share/comcp/tokens.json, for you alone to read
  if (!file) throw comcp::exception(file.error());

  comcp::oauth_options options;
  options.client_name("comcp's example");     // what the page of consent calls this program
  options.user(comcp::loopback_redirect());   // the browser comes back to a port of 127.0.0.1; also prints the URL
  options.store(comcp::file_token_store(*file));
  return comcp::oauth(std::move(options));
}

// Copies of an oauth share what they know: one is enough for any number of servers, and no token goes to another server
// than the one that it was issued for.
asio::awaitable<bool> visit(std::string url, comcp::oauth auth) {
  auto client = co_await comcp::connect(comcp::http(url, auth));  // logs in where it must
  auto const sum = co_await client.call_tool("add", comcp::args("a", 2, "b", 3));
  std::cout << "2 + 3 = " << sum.structured_content["sum"].as_int64() << '\n';
  co_await client.close();

  auto const status = co_await auth.status(url);
  if (!status) co_return false;
  std::cout << "logged in at " << status->issuer << " as " << status->client_id << " (" << status->registered_by << ")\n";
  co_return sum.structured_content["sum"].as_int64() == 5;
}

asio::awaitable<bool> leave(std::string url, comcp::oauth auth) {
  co_await auth.logout(url);
  auto const status = co_await auth.status(url);
  std::cout << "logged out\n";
  co_return !status;
}

int main(int argc, char* argv[]) try {
  bool const leaving = argc == 3 && std::string(argv[2]) == "--logout";
  if (argc != 2 && !leaving) {
    std::cerr << "usage: login URL [--logout]\n";
    return 2;
  }
  auto const auth = make_oauth();
  return comcp::run(leaving ? leave(argv[1], auth) : visit(argv[1], auth)) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';  // where discovery failed: every URL that was asked, and its answer
  return 1;
}
