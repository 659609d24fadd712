// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/tls_connector.hpp>

#include <cstdlib>
#include <optional>

#include <unistd.h>

#include "support/tls_peer.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using namespace comcp_test;
using opened = result<std::unique_ptr<tls_stream>>;

static_assert(connector<tls_connector>);

namespace {

http_url url(std::string const& text) { return http_url::parse(text).value(); }

std::string const here = "DNS:localhost,IP:127.0.0.1,IP:::1";

certificate_text text(std::string name, std::string alternatives, bool authority = false) {
  certificate_text out;
  out.name = std::move(name);
  out.alternatives = std::move(alternatives);
  out.authority = authority;
  return out;
}

identity const& authority() {
  static identity const made = issue(text("test authority", "", true));
  return made;
}
tls_options trusting() { return tls_options().ca_pem(authority().certificate_pem()); }
identity server_for(std::string const& alternatives) { return issue(text("a server", alternatives), &authority()); }

asio::awaitable<void> until_closed(tls_peer_connection& c) { co_await c.wait_for_close(); }

/// Waits for a byte, answers "hi" and does what `end` says.
tls_server::script greets(std::function<asio::awaitable<void>(tls_peer_connection&)> end) {
  return [end](tls_peer_connection& c) -> asio::awaitable<void> {
    char byte;
    co_await c.stream().async_read_some(asio::buffer(&byte, 1), net::tuple_awaitable);
    bool const sent = co_await c.write("hi");
    if (sent) co_await end(c);
  };
}

struct world {
  explicit world(identity const& who, tls_server::script after = until_closed)
      : server(who), peer(io, server.serving(std::move(after))) {}

  opened connect(tls_options options, std::string const& host = "localhost") {
    std::optional<opened> got;
    auto body = [&]() -> asio::awaitable<void> {
      tls_connector const with(options, proxy_options::none());
      auto const time = steady_time();
      got = co_await with.connect(at(host), time, time->now() + 20s);
    };
    run(io, body());
    return std::move(*got);
  }
  [[nodiscard]] http_url at(std::string const& host) const { return url("https://" + host + ":" + std::to_string(peer.port())); }

  asio::io_context io;
  tls_server server;
  http_peer peer;
};

/// Says one byte and reads until the end: what came, and how it ended.
std::pair<std::string, std::error_code> converse(world& w, tls_stream& s) {
  std::pair<std::string, std::error_code> out;
  auto body = [&]() -> asio::awaitable<void> {
    co_await s.async_write_some(asio::buffer("?", 1), net::tuple_awaitable);
    char piece[16];
    while (!out.second) {
      auto const [ec, n] = co_await s.async_read_some(asio::buffer(piece), net::tuple_awaitable);
      out.first.append(piece, n);
      out.second = ec;
    }
  };
  run(w.io, body());
  return out;
}

asio::awaitable<void> say_goodbye(tls_peer_connection& c) {
  co_await c.stream().async_shutdown(net::tuple_awaitable);
}

void check_untrusted(opened const& got, std::string const& reason) {
  REQUIRE_FALSE(got);
  CHECK(got.error() == errc::tls_failed);
  CHECK_THAT(got.error().to_string(), match::contains(reason));
}

}  // namespace

TEST_CASE("tls: a trusted server is found by name, with SNI, HTTP/1.1 and a modern version", "[http]") {
  world w(server_for(here), greets(say_goodbye));
  auto const got = w.connect(trusting());
  REQUIRE(got);
  CHECK((*got)->secure());
  CHECK((*got)->quiet() == (*got)->plain_stream::quiet());
  auto const [said, end] = converse(w, **got);
  CHECK(said == "hi");
  CHECK(end == asio::error::eof);
  CHECK(w.server.seen.sni == "localhost");
  CHECK(w.server.seen.alpn == "http/1.1");
  CHECK(w.server.seen.version == "TLSv1.3");
  CHECK(w.server.seen.client.empty());
}

TEST_CASE("tls: an address is verified as one, and sent as no name", "[http]") {
  world w(server_for("DNS:localhost,IP:127.0.0.1"), greets(say_goodbye));
  auto const got = w.connect(trusting(), "127.0.0.1");
  REQUIRE(got);
  CHECK(converse(w, **got).first == "hi");
  CHECK(w.server.seen.done);
  CHECK(w.server.seen.sni.empty());
  world other(server_for("DNS:127.0.0.1,IP:192.0.2.1"));
  check_untrusted(other.connect(trusting(), "127.0.0.1"), "IP address mismatch");
}

TEST_CASE("tls: a certificate for another host is refused", "[http]") {
  world w(server_for("DNS:example.com,DNS:localhost.example.com"), greets(say_goodbye));
  auto const got = w.connect(trusting());
  check_untrusted(got, "ostname mismatch");
  CHECK_THAT(got.error().to_string(), match::contains("localhost:" + std::to_string(w.peer.port())));
  check_untrusted(w.connect(trusting(), "127.0.0.1"), "IP address mismatch");
  auto const renamed = w.connect(trusting().server_name("example.com"), "127.0.0.1");
  REQUIRE(renamed);
  CHECK(converse(w, **renamed).first == "hi");
  CHECK(w.server.seen.sni == "example.com");
}

TEST_CASE("tls: a certificate's name that is no alternative name does not count", "[http]") {
  world w(issue(text("localhost", ""), &authority()));
  check_untrusted(w.connect(trusting()), "ostname mismatch");
}

TEST_CASE("tls: an encrypted key is refused, and nobody is asked for its password", "[http]") {
  certificate_files const files;
  auto const client = issue(text("the client", ""), &authority());
  auto const cert = files.write("cert.pem", client.certificate_pem());
  auto const key = files.write("key.pem", client.encrypted_key_pem("word"));
  world w(server_for(here));
  // Without a terminal OpenSSL would ask the standard input.
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(::write(ends[1], "word\n", 5) == 5);
  ::close(ends[1]);
  int const before = ::dup(0);
  ::dup2(ends[0], 0);
  auto const got = w.connect(trusting().client_certificate(cert, key));
  before >= 0 ? ::dup2(before, 0) : ::close(0);
  ::close(before);
  char left[8];
  CHECK(::read(ends[0], left, sizeof left) == 5);
  ::close(ends[0]);
  check_untrusted(got, key);
}

TEST_CASE("tls: certificates that are expired, not yet valid, self-signed or of strangers are refused", "[http]") {
  auto late = text("late", here);
  late.until = -60;
  world expired(issue(late, &authority()));
  check_untrusted(expired.connect(trusting()), "expired");
  auto early = text("early", here);
  early.from = 600;
  world soon(issue(early, &authority()));
  check_untrusted(soon.connect(trusting()), "not yet valid");
  world alone(issue(text("alone", here)));
  check_untrusted(alone.connect(trusting()), "self");
  auto const stranger = issue(text("stranger", "", true));
  world foreign(issue(text("foreign", here), &stranger));
  check_untrusted(foreign.connect(trusting()), "issuer certificate");
  auto const no_authority = server_for(here);
  world forged(issue(text("forged", here), &no_authority));
  check_untrusted(forged.connect(trusting()), "issuer certificate");
}

TEST_CASE("tls: skipping the verification takes anyone", "[http]") {
  world w(issue(text("alone", "DNS:elsewhere")));
  CHECK(w.connect(tls_options().insecure_skip_verification()));
  check_untrusted(w.connect(tls_options()), "self");
}

TEST_CASE("tls: authorities come from a file, or are the system's, which SSL_CERT_FILE names", "[http]") {
  certificate_files const files;
  auto const ca = files.write("ca.pem", authority().certificate_pem());
  world w(server_for(here));
  CHECK(w.connect(tls_options().ca_file(ca)));
  check_untrusted(w.connect(tls_options()), "issuer certificate");
  char const* const before = std::getenv("SSL_CERT_FILE");
  std::string const kept = before ? before : "";
  ::setenv("SSL_CERT_FILE", ca.c_str(), 1);
  CHECK(w.connect(tls_options()));
  before ? ::setenv("SSL_CERT_FILE", kept.c_str(), 1) : ::unsetenv("SSL_CERT_FILE");
}

TEST_CASE("tls: options that cannot be are tls_failed and name the file", "[http]") {
  certificate_files const files;
  auto const empty = files.write("empty.pem", "");
  auto const good = issue(text("client", ""), &authority());
  auto const cert = files.write("cert.pem", good.certificate_pem());
  auto const other_key = files.write("key.pem", authority().key_pem());
  world w(server_for(here));
  check_untrusted(w.connect(tls_options().ca_file("/nowhere/ca.pem")), "/nowhere/ca.pem");
  check_untrusted(w.connect(tls_options().ca_file(empty)), empty);
  check_untrusted(w.connect(tls_options().ca_pem("no PEM")), "authorities");
  check_untrusted(w.connect(trusting().client_certificate(empty, empty)), empty);
  check_untrusted(w.connect(trusting().client_certificate(cert, "/nowhere/key.pem")), "/nowhere/key.pem");
  check_untrusted(w.connect(trusting().client_certificate(cert, other_key)), other_key);
  check_untrusted(w.connect(trusting().server_name(std::string(300, 'x'))), "cannot be the name");
}

TEST_CASE("tls: a client certificate is shown to who demands it", "[http]") {
  certificate_files const files;
  auto const client = issue(text("the client", ""), &authority());
  auto const cert = files.write("cert.pem", client.certificate_pem());
  auto const key = files.write("key.pem", client.key_pem());
  world w(server_for(here), greets(say_goodbye));
  w.server.demand_client(authority());
  auto const got = w.connect(trusting().client_certificate(cert, key));
  REQUIRE(got);
  CHECK(converse(w, **got).first == "hi");
  CHECK(w.server.seen.client == "the client");
  w.server.seen = tls_seen();
  auto const nobody = w.connect(trusting());
  // With TLS 1.3 the refusal comes after the client's handshake.
  if (nobody) CHECK(converse(w, **nobody).second.category() == asio::error::get_ssl_category());
  CHECK_FALSE(w.server.seen.done);
}

TEST_CASE("tls: older versions than the minimum are refused", "[http]") {
  world w(server_for(here), greets(say_goodbye));
  ::SSL_CTX_set_security_level(w.server.native(), 0);
  ::SSL_CTX_set_max_proto_version(w.server.native(), TLS1_2_VERSION);
  auto const got = w.connect(trusting());
  REQUIRE(got);
  CHECK(converse(w, **got).first == "hi");
  CHECK(w.server.seen.version == "TLSv1.2");
  auto const too_old = w.connect(trusting().minimum_version(tls_version::v1_3));
  REQUIRE_FALSE(too_old);
  CHECK(too_old.error() == errc::tls_failed);
  ::SSL_CTX_set_max_proto_version(w.server.native(), TLS1_1_VERSION);
  auto const ancient = w.connect(trusting());
  REQUIRE_FALSE(ancient);
  CHECK(ancient.error() == errc::tls_failed);
}

TEST_CASE("tls: an end without close_notify is a truncation", "[http]") {
  world w(server_for(here), greets([](tls_peer_connection& c) -> asio::awaitable<void> {
            c.close();
            co_return;
          }));
  auto const got = w.connect(trusting());
  REQUIRE(got);
  auto const [said, end] = converse(w, **got);
  CHECK(said == "hi");
  CHECK(end == asio::ssl::error::stream_truncated);
  CHECK_FALSE((*got)->quiet());
}
