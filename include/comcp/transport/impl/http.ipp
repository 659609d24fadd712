// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// For compiled mode alone: what all users of HTTP have in common, compiled once.
#pragma once

#include <comcp/transport/http.hpp>

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

template std::unique_ptr<http_endpoint> make_http_endpoint<default_http_engine>(std::string_view, asio_engine_options,
                                                                                proxy_options, tls_options const&,
                                                                                any_authenticator, http_options);

}  // namespace comcp::detail
#endif
