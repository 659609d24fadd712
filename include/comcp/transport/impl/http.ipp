// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// For compiled mode alone: what nearly all users of HTTP have in common, compiled once.
#pragma once

#include <comcp/transport/http.hpp>

#if defined(COMCP_SEPARATE_COMPILATION)
namespace comcp::detail {

template class http_exchanges<default_http_engine, no_auth>;
template class http_exchanges<default_http_engine, bearer>;

}  // namespace comcp::detail
#endif
