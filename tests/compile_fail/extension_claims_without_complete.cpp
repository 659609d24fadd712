// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who claims a type of result has to complete it: nobody else can.
// EXPECT: comcp: an extension that claims result types completes them
#include <comcp/client/extension.hpp>

struct jobs {
  static constexpr std::string_view identifier = "com.example/jobs";
  bool claims(std::string_view method, std::string_view result_type) const { return method == "tools/call" && result_type == "job"; }
#if defined(COMCP_CONTROL)
  asio::awaitable<comcp::json::value> complete(comcp::unfinished_call& c);
#else
  asio::awaitable<comcp::json::value> completes(comcp::unfinished_call& c);
#endif
};

comcp::connect_options with_jobs() { return comcp::connect_options().extension(jobs()); }
