// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool over https: whom it trusts, who it says it is, and that --insecure is loud.
#if defined(COMCP_CLI) && defined(COMCP_DEMO_HTTP) && defined(COMCP_WITH_TLS)

#include "e2e/cli_http.hpp"
#include "support/certificates.hpp"

using namespace cli_http;
using match::contains;

namespace {

/// An authority, and a server and a client that it vouches for.
struct authority {
  comcp_test::certificate_files files;
  comcp_test::identity root = issue("root", "", true, nullptr);
  std::string ca = files.write("ca.pem", root.certificate_pem());
  comcp_test::identity server = issue("server", "DNS:localhost,IP:127.0.0.1", false, &root);
  std::string server_certificate = files.write("server.pem", server.certificate_pem());
  std::string server_key = files.write("server.key", server.key_pem());
  comcp_test::identity client = issue("client", "", false, &root);
  std::string client_certificate = files.write("client.pem", client.certificate_pem());
  std::string client_key = files.write("client.key", client.key_pem());

  [[nodiscard]] strings server_flags() const { return {"--tls-cert", server_certificate, "--tls-key", server_key}; }

 private:
  static comcp_test::identity issue(std::string name, std::string names, bool is_authority,
                                    comcp_test::identity const* by) {
    comcp_test::certificate_text text;
    text.name = std::move(name);
    text.alternatives = std::move(names);
    text.authority = is_authority;
    return comcp_test::issue(text, by);
  }
};

}  // namespace

TEST_CASE("cli: https trusts the authority of --ca-file, and nobody unknown", "[e2e]") {
  authority const a;
  demo const server(a.server_flags());
  REQUIRE(server.url.starts_with("https://"));
  auto const trusted = server.comcp({"call", "add", "a=2", "b=3", "--ca-file", a.ca});
  CHECK(trusted.out == "{\"sum\":5}\n");
  CHECK(trusted.err.empty());
  auto const unknown = server.comcp({"tools"});
  CHECK(unknown.status == 3);
  CHECK_THAT(unknown.err, contains("TLS failed"));
  auto const unchecked = server.comcp({"call", "add", "a=2", "b=3", "--insecure"});
  CHECK(unchecked.status == 0);
  CHECK_THAT(unchecked.err, contains("WARNING: --insecure"));
  CHECK(server.comcp({"tools", "--ca-file", "/no/such/file"}).status != 0);
}

TEST_CASE("cli: https shows the certificate of --client-cert", "[e2e]") {
  authority const a;
  auto flags = a.server_flags();
  flags.insert(flags.end(), {"--tls-client-ca", a.ca});
  demo const server(flags);
  strings const named{"--client-cert", a.client_certificate, "--client-key", a.client_key};
  strings line{"call", "add", "a=2", "b=3", "--ca-file", a.ca};
  CHECK(server.comcp(line).status == 3);
  line.insert(line.end(), named.begin(), named.end());
  auto const loose = server.comcp(line);
  CHECK(loose.status == 2);
  CHECK_THAT(loose.err, contains("--client-key: others can read or change"));
  std::filesystem::permissions(a.client_key, std::filesystem::perms(0600));
  CHECK(server.comcp(line).out == "{\"sum\":5}\n");
}

#endif
