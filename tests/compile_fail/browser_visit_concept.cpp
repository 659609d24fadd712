// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A visit that gives its redirect as plain text is refused in words that name the seam.
// EXPECT: comcp: this type is no visit of a browser: it needs redirect_uri() and visit(url)
#include <comcp/auth/user_agent.hpp>

struct almost {
  std::string redirect_uri() const;
#if defined(COMCP_CONTROL)
  asio::awaitable<comcp::result<comcp::secret>> visit(comcp::http_url url);
#else
  asio::awaitable<comcp::result<std::string>> visit(comcp::http_url url);
#endif
};

comcp::any_visit erase(almost v) { return comcp::any_visit(v); }
