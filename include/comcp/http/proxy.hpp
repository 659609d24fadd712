// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which proxy a URL goes through: what the user said, else the environment's variables, else none. Decides only; the
// connector goes the way.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/http/url.hpp>
#include <comcp/result.hpp>
#include <comcp/secret.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// One proxy, and what it wants to see. The proxy is spoken to over http.
struct proxy_route {
  explicit proxy_route(http_url where, secret credentials = secret())
      : proxy(std::move(where)), authorization(std::move(credentials)) {}

  http_url proxy;
  secret authorization;  ///< The value of Proxy-Authorization ("Basic ..."); empty where there is none.
};

}  // namespace comcp
