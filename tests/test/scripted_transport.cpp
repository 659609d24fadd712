// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/test/scripted_transport.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using comcp::test::breakage;
using comcp::test::script;

TEST_CASE("scripted_transport: what was not expected is the verdict, and closes", "[test]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").reply(tool_text);
  auto client = c.connect(s.transport());
  REQUIRE(client);
  auto const r = c.finish(client->list_tools());
  CHECK(r.error() == errc::transport_failed);
  REQUIRE(s.verdict() == errc::protocol_violation);
  CHECK_THAT(std::string(s.verdict().message()), match::contains("expected tools/call"));
  CHECK_THAT(std::string(s.verdict().message()), match::contains("tools/list"));
}

TEST_CASE("scripted_transport: a matcher that is not satisfied, and more than the script has", "[test]") {
  conversation c;
  auto s = modern_script();
  bool const matches = GENERATE(false, true);
  s.expect("tools/call", [matches](json::value const&) { return matches; }).reply(tool_text);
  auto client = c.connect(s.transport());
  CHECK(c.finish(client->call_tool("x")).has_value() == matches);
  if (matches) CHECK_FALSE(c.finish(client->call_tool("x")));
  CHECK(s.verdict() == errc::protocol_violation);
}

TEST_CASE("scripted_transport: a script that was not played to its end says where it stands", "[test]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/list");
  auto client = c.connect(s.transport());
  REQUIRE(client);
  REQUIRE(s.verdict() == errc::not_found);
  CHECK_THAT(std::string(s.verdict().message()), match::contains("expecting tools/list"));
}

TEST_CASE("scripted_transport: labels, ids and actions", "[test]") {
  conversation c;
  auto s = modern_script();
  int acted = 0;
  s.expect("tools/call").as("one").expect("tools/call").as("two").then([&] { ++acted; });
  s.fail_to("two", -7, "second").raw(R"({"jsonrpc":"2.0","id":$id:one,"result":)" + tool_text + "}");
  auto client = c.connect(s.transport());
  auto const one = c.start(client->call_tool("1"));
  CHECK(acted == 0);
  auto const two = c.start(client->call_tool("2"));
  CHECK(acted == 1);
  CHECK(one->ok());
  CHECK(two->error().peer()->code == -7);
  CHECK(s.verdict() == all_well);
  CHECK(s.opened() == 1);
  CHECK(s.sent_names() == std::vector<std::string>{"server/discover", "tools/call", "tools/call"});
}

TEST_CASE("scripted_transport: a broken copy breaks at one delivery and leaves the original alone", "[test]") {
  auto s = modern_script();
  s.expect("tools/call").reply(tool_text);
  REQUIRE(s.deliveries() == 2);
  auto const how = GENERATE(breakage::connection_closes, breakage::error_answer, breakage::garbage_line);
  auto const broken = s.broken_at(1, how);
  {
    conversation c;
    auto client = c.connect(broken.transport());
    REQUIRE(client);
    auto const o = c.start(client->call_tool("x"));
    CHECK_FALSE(o->ok());
    CHECK(o->done() == (how != breakage::garbage_line));
  }
  CHECK(s.sent().empty());
  conversation c;
  auto client = c.connect(s.transport());
  CHECK(c.finish(client->call_tool("x")));
}
