// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/test/fake_server.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using comcp::test::fake_request;
using comcp::test::fake_server;

TEST_CASE("fake_server: it speaks the versions that it is told to", "[test]") {
  conversation c;
  fake_server both(c.io.get_executor()), old(c.io.get_executor()), modern(c.io.get_executor());
  old.legacy(version::v2025_03_26);
  modern.modern();
  CHECK(c.connect(both.transport())->protocol_version() == version::v2026_07_28);
  CHECK(c.connect(old.transport())->protocol_version() == version::v2025_03_26);
  CHECK(c.connect(modern.transport())->protocol_version() == version::v2026_07_28);
  auto const refused = c.connect(modern.transport(), c.options().legacy());
  CHECK(refused.error() == errc::no_common_version);
}

TEST_CASE("fake_server: answers at once, later, never, and what nobody answers", "[test]") {
  conversation c;
  fake_server server(c.io.get_executor());
  std::vector<fake_request> held;
  server.answer("vendor/now", args("a", 1)).silent("vendor/never");
  server.on("vendor/later", [&](fake_request r) { held.push_back(r); });
  auto client = c.connect(server.transport());
  CHECK(c.finish(client->request("vendor/now"))->dump() == R"({"a":1})");
  auto const later = c.start(client->request("vendor/later", args("k", "v")));
  auto const never = c.start(client->request("vendor/never"));
  REQUIRE(held.size() == 1);
  CHECK(held[0].params()["k"].as<std::string>() == "v");
  held[0].reply(args("b", 2));
  held[0].fail(-1, "the second answer is dropped");
  c.settle();
  CHECK(later->ok());
  CHECK_FALSE(never->done());
  CHECK(c.finish(client->request("vendor/nobody")).error().peer()->code == -32601);
  CHECK(client->statistics().late == 0);
  CHECK(server.count("vendor/later") == 1);
}

TEST_CASE("fake_server: it asks, notifies, and goes away", "[test]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  auto client = c.connect(server.transport());
  json::value answer;
  server.request("ping", json::fragment(), [&](json::value a) { answer = a; });
  server.notify("notifications/x", args("k", 1));
  c.settle();
  CHECK(answer.contains("result"));
  CHECK(client->statistics().notifications == 1);
  server.drop();
  c.settle();
  CHECK(client->status() == connection_status::disconnected);
  server.notify("notifications/x");  // nobody is there
}

TEST_CASE("fake_server: listeners are acknowledged and notified", "[test]") {
  conversation c;
  fake_server server(c.io.get_executor());
  auto client = c.connect(server.transport());
  std::vector<std::string> updated;
  REQUIRE(c.finish(client->subscribe("file:///x", [&](resource_updated const& u) { updated.push_back(u.uri); })));
  server.notify_listeners("notifications/resources/updated", args("uri", "file:///x"));
  c.settle();
  CHECK(updated == std::vector<std::string>{"file:///x"});
}
