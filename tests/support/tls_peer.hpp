// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An http_peer's connection under TLS: the server's side of the handshake, and what it saw of the client.
#pragma once

#include <optional>
#include <string>

#include <asio/ssl/context.hpp>
#include <asio/ssl/stream.hpp>

#include "support/certificates.hpp"
#include "support/http_peer.hpp"

namespace comcp_test {

using tls_peer_stream = asio::ssl::stream<asio::ip::tcp::socket&>;
using tls_peer_connection = basic_peer_connection<tls_peer_stream>;

/// What a server learned in its last handshake.
struct tls_seen {
  bool done = false;
  std::string sni, version, alpn, client;  ///< `client` is the name in its certificate.
};

/// A server with that identity, for any number of connections.
class tls_server {
 public:
  using script = std::function<asio::awaitable<void>(tls_peer_connection&)>;

  explicit tls_server(identity const& who) : context_(asio::ssl::context::tls_server) {
    ::SSL_CTX_use_certificate(native(), who.certificate.get());
    ::SSL_CTX_use_PrivateKey(native(), who.key.get());
    ::SSL_CTX_set_alpn_select_cb(native(), &select_http11, nullptr);
  }

  /// Only clients whose certificate `authority` signed.
  void demand_client(identity const& authority) {
    context_.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    ::X509_STORE_add_cert(::SSL_CTX_get_cert_store(native()), authority.certificate.get());
  }
  [[nodiscard]] SSL_CTX* native() { return context_.native_handle(); }

  /// The script of an http_peer that does the handshake and then `after`.
  [[nodiscard]] peer_script serving(script after) {
    return [this, after = std::move(after)](peer_connection& c) { return serve(c, after); };
  }
  asio::awaitable<void> serve(peer_connection& c, script const& after) {
    tls_peer_stream stream(c.socket(), context_);
    auto [ec] = co_await stream.async_handshake(asio::ssl::stream_base::server, comcp::net::tuple_awaitable);
    if (ec) {
      c.close();
      co_return;
    }
    note(stream.native_handle());
    tls_peer_connection connection(stream, c.socket(), c.number(), c.record());
    co_await after(connection);
  }

  tls_seen seen;

 private:
  void note(SSL* ssl) {
    auto const text = [](char const* t) { return std::string(t ? t : ""); };
    unsigned char const* alpn = nullptr;
    unsigned size = 0;
    ::SSL_get0_alpn_selected(ssl, &alpn, &size);
    seen.done = true;
    seen.sni = text(::SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name));
    seen.version = text(::SSL_get_version(ssl));
    seen.alpn.assign(reinterpret_cast<char const*>(alpn), size);
    seen.client.clear();
    if (X509* const x = ::SSL_get1_peer_certificate(ssl)) {
      char name[256];
      ::X509_NAME_get_text_by_NID(::X509_get_subject_name(x), NID_commonName, name, sizeof name);
      seen.client = name;
      ::X509_free(x);
    }
  }

  static int select_http11(SSL*, unsigned char const** out, unsigned char* size, unsigned char const* in, unsigned in_size,
                           void*) {
    unsigned char* found = nullptr;
    static unsigned char const known[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    if (::SSL_select_next_proto(&found, size, known, sizeof known, in, in_size) != OPENSSL_NPN_NEGOTIATED)
      return SSL_TLSEXT_ERR_NOACK;
    *out = found;
    return SSL_TLSEXT_ERR_OK;
  }

  asio::ssl::context context_;
};

}  // namespace comcp_test
