// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whom this system trusts to say who a TLS server is. One file for each kind of system. Internal, with TLS only.
#pragma once

#include <system_error>

#include <asio/ssl/context.hpp>

#include <comcp/version.hpp>

namespace comcp::http_detail {

/// Adds the system's authorities to the context: OpenSSL's default files and folders; on Windows the certificates of the
/// store "ROOT" that are good for servers and not in "Disallowed"; on macOS those that its keychains trust for everything,
/// or OpenSSL's where SSL_CERT_FILE or SSL_CERT_DIR is set. It may take milliseconds.
std::error_code trust_system(asio::ssl::context& context);

}  // namespace comcp::http_detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/system_trust_macos.ipp>
#include <comcp/http/impl/system_trust_openssl.ipp>
#include <comcp/http/impl/system_trust_windows.ipp>
#endif
