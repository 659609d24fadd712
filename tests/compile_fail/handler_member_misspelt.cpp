// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A member whose name is nearly one of a handler would never be called.
// EXPECT: comcp: a member of this handler has nearly a handler's name
#include <comcp/client/handler.hpp>

struct misspells {
  void on(comcp::tools_list_changed);
#if defined(COMCP_CONTROL)
  comcp::create_message_result create_message(comcp::create_message_params);
#else
  comcp::create_message_result createMessage(comcp::create_message_params);
#endif
};

comcp::any_handler erase(misspells h) { return comcp::any_handler(std::move(h)); }
