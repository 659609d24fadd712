// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server over HTTP as the options describe it, whoever authenticates there.
#pragma once

#include <utility>

#include <comcp/transport/http.hpp>

#include "options.hpp"

namespace cli {

/// Throws usage_error for a proxy that is none.
comcp::proxy_options proxies_of(http_target const& t);
comcp::tls_options tls_of(http_target const& t);
comcp::asio_engine_options engine_of(options const& o);
comcp::http_options http_options_of(options const& o);

template <class Auth>
comcp::http<Auth> http_server(options const& o, Auth auth) {
  comcp::http<Auth> server(o.server.http.url, std::move(auth));
  server.options(http_options_of(o)).tls(tls_of(o.server.http)).engine(engine_of(o)).proxy(proxies_of(o.server.http));
  return server;
}

}  // namespace cli
