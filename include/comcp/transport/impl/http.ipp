// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// For compiled mode alone: what nearly all users of HTTP have in common, compiled once.
#pragma once

#include <comcp/transport/http.hpp>

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

template std::shared_ptr<http_session> make_http_session(http_url, http_options, asio::any_io_executor, inbox&,
                                                         std::shared_ptr<default_http_engine>, std::shared_ptr<no_auth>);
template std::shared_ptr<http_session> make_http_session(http_url, http_options, asio::any_io_executor, inbox&,
                                                         std::shared_ptr<default_http_engine>, std::shared_ptr<bearer>);

}  // namespace comcp::detail
#endif
