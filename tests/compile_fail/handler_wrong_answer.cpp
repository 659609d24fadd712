// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A member that answers with another type than its request has would fail when it is asked.
// EXPECT: comcp: this handler's elicit() returns no elicit_result
#include <comcp/client/handler.hpp>

struct answers {
#if defined(COMCP_CONTROL)
  asio::awaitable<comcp::result<comcp::elicit_result>> elicit(comcp::elicit_params, comcp::context&);
#else
  asio::awaitable<std::string> elicit(comcp::elicit_params, comcp::context&);
#endif
};

comcp::any_handler erase(answers h) { return comcp::any_handler(std::move(h)); }
