// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a consumer with TLS builds: the opt-in header and OpenSSL are there without another word in its CMake file.
#include <comcp/http/tls_connector.hpp>

#if !defined(COMCP_WITH_TLS)
#error "comcp was found with TLS, but does not say so"
#endif

static_assert(comcp::connector<comcp::tls_connector>);

int main() {
  comcp::http_detail::tls_context context{comcp::tls_options()};
  return context.prepare() ? 0 : 1;
}
