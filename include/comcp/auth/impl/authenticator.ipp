// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/auth/authenticator.hpp>

namespace comcp {

COMCP_LAZY_DECL asio::awaitable<result<http_headers>> no_auth::headers(auth_request const&) { co_return http_headers(); }

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> no_auth::challenged(auth_request const&, http_headers const&,
                                                                     http_response_head const&) {
  co_return auth_verdict::give_up;
}

}  // namespace comcp
