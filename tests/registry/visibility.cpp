// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tools that are not for models: in the catalog, and in no provider's list.
#include <comcp/providers/anthropic.hpp>

#include "registry/house.hpp"

using namespace comcp;
using namespace comcp_test;

TEST_CASE("registry: a tool that models may not see is in the catalog alone", "[registry]") {
  house h;
  auto r = h.make();
  auto server = h.server({});
  server.answer("tools/list", json::raw(R"({"tools":[{"name":"refresh","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["app"]}}},)"
                                        R"({"name":"show","inputSchema":{"type":"object"}}]})"));
  auto const added = h.start(r.add("s", h.config(server)));
  REQUIRE(added->ok());
  auto const catalog = r.tools();
  REQUIRE(catalog.size() == 2);
  CHECK(catalog[0].name == "s/refresh");
  std::vector<providers::offered_tool> offered;
  for (auto const& e : catalog) offered.emplace_back(e.server_name, e.definition);
  auto const told = json::parse(providers::anthropic::write_tools(offered).text()).value();
  REQUIRE(told.size() == 1);
  CHECK(told[0]["name"].as<std::string>() == "s__show");
  auto const called = h.start(r.call("s/refresh"));  // the host itself may
  CHECK(called->ok());
}
