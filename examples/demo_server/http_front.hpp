// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The demo server over HTTP, on cpp-httplib: Streamable HTTP in both eras at /mcp, HTTP+SSE at /sse. On the loopback
// interface only. Event streams cannot be resumed here.
#pragma once

#include <string>

#include "options.hpp"

namespace demo {

struct http_options {
  int port = 0;         ///< 0: any that is free.
  std::string token;    ///< What requests must bear; empty: nothing.
  std::string tls_certificate, tls_key, tls_client_ca;  ///< Files; without a certificate it is http, not https.
};

/// Prints its URL on stdout and serves until the process ends. Gives an exit status where it cannot.
int serve_http(options const& o, http_options const& http);

}  // namespace demo
