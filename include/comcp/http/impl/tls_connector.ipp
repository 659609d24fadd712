// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/ip/address.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <comcp/http/system_trust.hpp>
#include <comcp/http/tls_connector.hpp>
#include <comcp/version.hpp>

namespace comcp::http_detail {

COMCP_DECL error tls_setup_failed(std::string what, std::error_code why) {
  return {errc::tls_failed, std::move(what) + ": " + why.message()};
}

COMCP_DECL std::error_code last_ssl_error() {
  return {static_cast<int>(::ERR_get_error()), asio::error::get_ssl_category()};
}

COMCP_DECL result<void> tls_context::prepare() {
  std::call_once(once_, [this] { problem_ = make(); });
  if (problem_) return problem_;
  return {};
}

COMCP_DECL error tls_context::make() {
  ::ERR_clear_error();
  SSL_CTX* const raw = ::SSL_CTX_new(::TLS_client_method());
  if (raw == nullptr) return tls_setup_failed("no TLS context", last_ssl_error());
  native_.emplace(raw);
  // Without it OpenSSL asks the terminal for the password of an encrypted key, and waits.
  ::SSL_CTX_set_default_passwd_cb(raw, [](char*, int, int, void*) { return -1; });
  std::error_code ec;
  auto const oldest = options_.minimum_version() == tls_version::v1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
  if (::SSL_CTX_set_min_proto_version(raw, oldest) != 1)
    return tls_setup_failed("the minimum TLS version is not supported", last_ssl_error());
  constexpr unsigned char http11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  ::SSL_CTX_set_alpn_protos(raw, http11, sizeof http11);
  if (!options_.ca_file().empty()) native_->load_verify_file(options_.ca_file(), ec);
  if (ec) return tls_setup_failed("cannot load the authorities of " + options_.ca_file(), ec);
  if (!options_.ca_pem().empty()) native_->add_certificate_authority(asio::buffer(options_.ca_pem()), ec);
  if (ec) return tls_setup_failed("cannot read the given authorities", ec);
  if (options_.ca_file().empty() && options_.ca_pem().empty()) ec = trust_system(*native_);
  if (ec) return tls_setup_failed("cannot load the system's authorities", ec);
  if (!options_.certificate_file().empty()) {
    native_->use_certificate_chain_file(options_.certificate_file(), ec);
    if (ec) return tls_setup_failed("cannot load the client certificate " + options_.certificate_file(), ec);
    native_->use_private_key_file(options_.key_file(), asio::ssl::context::pem, ec);
    if (ec) return tls_setup_failed("cannot load the client key " + options_.key_file(), ec);
  }
  return {};
}

COMCP_DECL result<void> expect_server(SSL* connection, std::string const& name, bool verify) {
  // A root's final dot is in neither names on the wire nor certificates.
  std::string const host = name.ends_with('.') ? name.substr(0, name.size() - 1) : name;
  std::error_code no_address;
  asio::ip::make_address(host, no_address);
  bool ok = true;
  if (no_address) ok = SSL_set_tlsext_host_name(connection, host.c_str()) == 1;
  if (verify) {
    ::SSL_set_verify(connection, SSL_VERIFY_PEER, nullptr);
    auto* const wanted = ::SSL_get0_param(connection);
    ::X509_VERIFY_PARAM_set_hostflags(wanted,
                                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    ok = ok && (no_address ? ::X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size())
                           : ::X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str())) == 1;
  } else {
    ::SSL_set_verify(connection, SSL_VERIFY_NONE, nullptr);
  }
  if (!ok) return tls_setup_failed(host + " cannot be the name of a TLS server", last_ssl_error());
  return {};
}

COMCP_DECL error handshake_failure(SSL* connection, std::error_code why, bool late, std::string const& host) {
  if (late) return {errc::connect_timeout, host + " did not finish the TLS handshake in time"};
  if (why == asio::error::operation_aborted) return {errc::cancelled};
  auto const verdict = ::SSL_get_verify_result(connection);
  if (verdict != X509_V_OK && ::SSL_get_verify_mode(connection) != SSL_VERIFY_NONE)
    return {errc::tls_failed, host + " is not trusted: " + ::X509_verify_cert_error_string(verdict)};
  if (why == asio::error::eof || why == asio::ssl::error::stream_truncated)
    return {errc::tls_failed, host + " closed the connection in the TLS handshake"};
  if (why.category() == asio::error::get_system_category())
    return {errc::connect_failed, "the connection to " + host + " broke in the TLS handshake: " + why.message()};
  return {errc::tls_failed, "no TLS connection to " + host + ": " + why.message()};
}

}  // namespace comcp::http_detail
