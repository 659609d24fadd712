// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A response whose pieces cannot fail is no response of an engine.
// EXPECT: comcp: this type is no engine
#include <comcp/transport/streamable_http.hpp>

struct fails_never {
  class response {
   public:
    comcp::http_response_head const& head() const;
#if defined(COMCP_CONTROL)
    asio::awaitable<comcp::result<std::string_view>> next();
#else
    asio::awaitable<std::string_view> next();
#endif
  };
  asio::awaitable<comcp::result<response>> open(comcp::http_request);
};

static_assert(sizeof(comcp::streamable_http<fails_never>) > 0);
