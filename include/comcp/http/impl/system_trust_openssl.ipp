// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/http/system_trust.hpp>
#include <comcp/version.hpp>

#if !defined(_WIN32) && !defined(__APPLE__)

namespace comcp::http_detail {

COMCP_DECL std::error_code trust_system(asio::ssl::context& context) {
  std::error_code ec;
  context.set_default_verify_paths(ec);
  return ec;
}

}  // namespace comcp::http_detail

#endif
