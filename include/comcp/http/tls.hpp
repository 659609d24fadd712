// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whom a TLS connection trusts and who it says it is. Options only, for the Asio engines; no TLS library is needed
// here.
#pragma once

#include <string>
#include <utility>

namespace comcp {

enum class tls_version { v1_2, v1_3 };

/// The default verifies the server's certificate chain against the system's authorities (with OpenSSL also what
/// SSL_CERT_FILE and SSL_CERT_DIR name), and its host name or IP address by the certificate's alternative names, with
/// TLS 1.2 or newer. Files are PEM, not encrypted, and read at the first connection.
class tls_options {
 public:
  tls_options() {}

  /// The authorities to trust, in place of the system's. A file and a text add up.
  tls_options& ca_file(std::string path) { return ca_file_ = std::move(path), *this; }
  tls_options& ca_pem(std::string text) { return ca_pem_ = std::move(text), *this; }

  /// Who this client is, for servers that ask: its certificate with those between it and its authority, and its key.
  tls_options& client_certificate(std::string certificate_file, std::string key_file) {
    certificate_file_ = std::move(certificate_file);
    key_file_ = std::move(key_file);
    return *this;
  }

  tls_options& minimum_version(tls_version version) { return minimum_version_ = version, *this; }

  /// The name that is sent to the server (SNI) and must be in its certificate, in place of the URL's host.
  tls_options& server_name(std::string name) { return server_name_ = std::move(name), *this; }

  /// DANGEROUS: takes any certificate of anybody. Whoever is on the way to the server can then read and change all of
  /// it, tokens included. For tests against a throwaway server only; trust its own certificate with ca_file() instead.
  tls_options& insecure_skip_verification(bool skip = true) { return skip_verification_ = skip, *this; }

  [[nodiscard]] std::string const& ca_file() const noexcept { return ca_file_; }
  [[nodiscard]] std::string const& ca_pem() const noexcept { return ca_pem_; }
  [[nodiscard]] std::string const& certificate_file() const noexcept { return certificate_file_; }
  [[nodiscard]] std::string const& key_file() const noexcept { return key_file_; }
  [[nodiscard]] tls_version minimum_version() const noexcept { return minimum_version_; }
  [[nodiscard]] std::string const& server_name() const noexcept { return server_name_; }
  [[nodiscard]] bool skips_verification() const noexcept { return skip_verification_; }

 private:
  std::string ca_file_, ca_pem_, certificate_file_, key_file_, server_name_;
  tls_version minimum_version_ = tls_version::v1_2;
  bool skip_verification_ = false;
};

}  // namespace comcp
