// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/transport/http.hpp>

namespace comcp::detail {

COMCP_DECL std::shared_ptr<default_http_engine> make_http_engine(asio_engine_options options, proxy_options proxies,
                                                                 [[maybe_unused]] tls_options const& tls) {
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
  tls_connector from(tls, std::move(proxies));
#else
  plain_connector from(std::move(proxies));
#endif
  return std::make_shared<default_http_engine>(std::move(options), std::move(from));
}

#if defined(COMCP_SEPARATE_COMPILATION)
template std::shared_ptr<http_session> make_http_session(http_url, http_options, asio::any_io_executor, inbox&,
                                                         std::shared_ptr<default_http_engine>, std::shared_ptr<no_auth>);
template std::shared_ptr<http_session> make_http_session(http_url, http_options, asio::any_io_executor, inbox&,
                                                         std::shared_ptr<default_http_engine>, std::shared_ptr<bearer>);
#endif

}  // namespace comcp::detail
