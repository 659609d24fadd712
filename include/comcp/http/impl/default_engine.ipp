// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// For compiled mode alone: the engine that nearly all users of HTTP have in common, compiled once.
#pragma once

#include <comcp/http/default_engine.hpp>

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

template std::shared_ptr<default_http_engine> make_http_engine(asio_engine_options, proxy_options, tls_options const&,
                                                               net::lookup_function);

}  // namespace comcp::detail
#endif
