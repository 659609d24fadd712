// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client does not outlive its io_context, which is run()'s own here.
// EXPECT: comcp: the io_context of run() is gone when it returns
#include <comcp/client.hpp>
#include <comcp/run.hpp>

asio::awaitable<comcp::client> connected();
asio::awaitable<int> used();

#if defined(COMCP_CONTROL)
int const outcome = comcp::run(used());
#else
auto const client = comcp::run(connected());
#endif
