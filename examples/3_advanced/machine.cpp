// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A program without a user, which an authorization server knows: it proves itself with a secret or a private key, and
// gets its tokens while it connects (grant client_credentials).
//
//   machine URL   with COMCP_CLIENT_ID, and COMCP_CLIENT_SECRET or COMCP_CLIENT_KEY (a file: PEM, ES256 or RS256), and
//                 COMCP_ISSUER, the authorization server that they are for
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include <comcp/auth/oauth.hpp>
#include <comcp/http.hpp>

std::string environment(char const* name) {
  auto const* const text = std::getenv(name);
  return text ? text : "";
}

comcp::secret contents(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file);
  return comcp::secret(std::string(std::istreambuf_iterator<char>(in), {}));
}

// Which of the ways to send a secret is used (client_secret_basic, client_secret_post) is decided by what the server
// supports; a key signs a JWT (private_key_jwt).
comcp::oauth make_oauth() {
  comcp::oauth_client self(environment("COMCP_CLIENT_ID"));
  auto const secret = environment("COMCP_CLIENT_SECRET");
  auto const key = environment("COMCP_CLIENT_KEY");
  if (self.id().empty() || secret.empty() == key.empty()) {
    throw std::runtime_error("set COMCP_CLIENT_ID, and one of COMCP_CLIENT_SECRET and COMCP_CLIENT_KEY");
  }
  if (!secret.empty()) self.client_secret(comcp::secret(secret));
  if (!key.empty()) self.key(comcp::private_key::pem(contents(key)));
  // Which authorization server may see the secret. Without it the first one that the MCP server names is taken, and, where
  // a token_store keeps that, any other refused.
  if (auto const issuer = environment("COMCP_ISSUER"); !issuer.empty()) self.issuer(issuer);

  comcp::oauth_options options;
  options.client(self).client_credentials();
  return comcp::oauth(std::move(options));
}

asio::awaitable<bool> visit(std::string url, comcp::oauth auth) {
  auto client = co_await comcp::connect(comcp::http(url, auth));
  auto const sum = co_await client.call_tool("add", comcp::args("a", 2, "b", 3));
  std::cout << "2 + 3 = " << sum.structured_content["sum"].as_int64() << '\n';
  co_await client.close();
  co_return sum.structured_content["sum"].as_int64() == 5;
}

int main(int argc, char* argv[]) try {
  if (argc != 2) {
    std::cerr << "usage: machine URL\n";
    return 2;
  }
  return comcp::run(visit(argv[1], make_oauth())) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
