// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Nobody looks at what on() returns.
// EXPECT: comcp: this handler's on() returns neither void nor asio::awaitable<void>
#include <comcp/client/handler.hpp>

struct hears {
#if defined(COMCP_CONTROL)
  void on(comcp::tools_list_changed);
#else
  comcp::result<void> on(comcp::tools_list_changed);
#endif
};

comcp::any_handler erase(hears h) { return comcp::any_handler(std::move(h)); }
