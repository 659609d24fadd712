// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user agent starts must be a visit: a redirect URI, and where the browser came back to.
// EXPECT: comcp: this type is no user agent: it needs start(known)
#include <comcp/auth/user_agent.hpp>

struct almost_visit {
  std::string redirect_uri() const;
#if defined(COMCP_CONTROL)
  asio::awaitable<comcp::result<comcp::secret>> visit(comcp::http_url url);
#endif
};

struct almost {
  asio::awaitable<comcp::result<almost_visit>> start(std::vector<std::string> known);
};

comcp::any_user_agent erase(almost a) { return a; }
