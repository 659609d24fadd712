// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the benchmarks of many servers share: tools of about 500 bytes, as text and typed.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <comcp/json/describe.hpp>
#include <comcp/protocol/tools.hpp>

namespace bench {

inline void require(bool ok, char const* what) {
  if (ok) return;
  std::cerr << what << '\n';
  std::exit(1);
}

/// A tools/list result with so many of them, and a `ttlMs` where that is to be used again.
inline std::string tools_text(std::size_t count, bool lasting = false) {
  std::string out = R"({"resultType":"complete","tools":[)";
  for (std::size_t i = 0; i < count; ++i) {
    auto const n = std::to_string(i);
    if (i > 0) out += ',';
    out += R"({"name":"tool_)" + n + R"(","title":"Tool number )" + n + R"(","description":"Searches the archive for )";
    out += R"(entries that match, and returns the best of them. It never changes anything.","inputSchema":{"type":)";
    out += R"("object","properties":{"query":{"type":"string","description":"What to look for, as plain text"},)";
    out += R"("limit":{"type":"integer","minimum":1,"maximum":100,"default":10}},"required":["query"]}})";
  }
  out += "]";
  if (lasting) out += R"(,"ttlMs":3600000,"cacheScope":"public")";
  return out + "}";
}

inline std::vector<comcp::tool> tools(std::size_t count) {
  auto const parsed = comcp::json::parse(tools_text(count));
  require(parsed.has_value(), "the tools are no JSON");
  auto page = comcp::json::read<comcp::list_tools_result>(parsed->view());
  require(page.has_value(), "the tools cannot be read");
  return std::move(page->tools);
}

/// server_00, server_01, ...: in order.
inline std::string server_name(std::size_t i) {
  auto const n = std::to_string(i);
  return "server_" + std::string(n.size() < 2 ? "0" : "") + n;
}

}  // namespace bench
