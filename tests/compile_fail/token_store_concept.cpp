// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A store of credentials that keeps plain text is refused in words that name the seam.
// EXPECT: comcp: this type is no token store: it needs load(), save(), remove() and lock()
#include <comcp/auth/token_store.hpp>

struct almost {
#if defined(COMCP_CONTROL)
  asio::awaitable<comcp::result<std::optional<comcp::secret>>> load(std::string name);
#else
  asio::awaitable<comcp::result<std::optional<std::string>>> load(std::string name);
#endif
  asio::awaitable<comcp::result<void>> save(std::string name, comcp::secret text);
  asio::awaitable<comcp::result<void>> remove(std::string name);
  asio::awaitable<comcp::result<std::shared_ptr<void>>> lock(std::string name, std::chrono::milliseconds most);
};

comcp::any_token_store erase(almost s) { return s; }
