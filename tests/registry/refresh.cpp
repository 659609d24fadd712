// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalog is kept current: when lists are read again, how often, and what is told of it.
#include "registry/house.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;

TEST_CASE("registry: two servers with one tool name stand side by side, in the order of names", "[registry]") {
  house h;
  auto r = h.make();
  REQUIRE(h.finish(r.add("zoo", h.config(h.server({"same", "b"})))));
  REQUIRE(h.finish(r.add("ant", h.config(h.server({"same", "c"})))));
  CHECK(names(r.tools()) == strings{"ant/c", "ant/same", "zoo/b", "zoo/same"});
}

TEST_CASE("registry: a burst of 200 list changes gives two refreshes at most", "[registry]") {
  house h;
  auto const s = h.server({"a"});
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  REQUIRE(s.count("tools/list") == 1);
  s.tools() = {"a", "b"};
  for (int i = 0; i != 200; ++i) s.tell();
  h.settle();
  CHECK(s.count("tools/list") == 1);
  h.advance(299ms);
  CHECK(s.count("tools/list") == 1);
  h.advance(1ms);
  CHECK(s.count("tools/list") == 2);
  h.advance(1h);
  CHECK(s.count("tools/list") == 2);
  CHECK(names(r.tools()) == strings{"x/a", "x/b"});
}

TEST_CASE("registry: list changes that come while a refresh is in flight give one trailing refresh", "[registry]") {
  house h;
  auto s = h.server({"a"});
  auto r = h.make(h.registry_options().debounce(50ms));
  REQUIRE(h.finish(r.add("x", h.config(s))));
  std::vector<fake_request> lists;
  s.on("tools/list", [&](fake_request q) { lists.push_back(q); });
  for (int i = 0; i != 100; ++i) s.tell();
  h.settle();
  h.advance(50ms);
  REQUIRE(lists.size() == 1);
  for (int i = 0; i != 100; ++i) s.tell();
  h.settle();
  h.advance(1s);
  REQUIRE(lists.size() == 1);
  lists[0].reply(json::raw(toolbox::list_text({"old"})));
  h.settle();
  CHECK(names(r.tools()) == strings{"x/old"});
  h.advance(50ms);
  REQUIRE(lists.size() == 2);
  lists[1].reply(json::raw(toolbox::list_text({"new"})));
  h.advance(1s);
  CHECK(names(r.tools()) == strings{"x/new"});
  CHECK(lists.size() == 2);
}

TEST_CASE("registry: only the list that changed is read, and templates with resources", "[registry]") {
  house h;
  auto const s = h.server();
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  s.tell("resources");
  h.settle();
  h.advance(300ms);
  CHECK(s.count("resources/list") == 2);
  CHECK(s.count("resources/templates/list") == 2);
  CHECK(s.count("tools/list") == 1);
  CHECK(s.count("prompts/list") == 1);
}

TEST_CASE("registry: legacy servers are heard too", "[registry]") {
  house h;
  auto s = h.server({"a"});
  s.legacy();
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  s.tools() = {"b"};
  s.notify("notifications/tools/list_changed");
  h.settle();
  h.advance(300ms);
  CHECK(names(r.tools()) == strings{"x/b"});
}

TEST_CASE("registry: what changed is told as a difference", "[registry]") {
  house h;
  auto const s = h.server({"gone", "kept", "other=1"});
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  REQUIRE(h.changes.size() == 1);
  CHECK(h.changes[0].added == strings{"gone", "kept", "other"});
  s.tools() = {"kept", "other=2", "fresh"};
  REQUIRE(h.finish(r.refresh("x")));
  REQUIRE(h.changes.size() == 2);
  CHECK(h.changes[1].server_name == "x");
  CHECK(h.changes[1].kind == "tools");
  CHECK(h.changes[1].added == strings{"fresh"});
  CHECK(h.changes[1].removed == strings{"gone"});
  CHECK(h.changes[1].changed == strings{"other"});
  REQUIRE(h.finish(r.refresh()));
  CHECK(h.changes.size() == 2);
  REQUIRE(h.finish(r.remove("x")));
  REQUIRE(h.changes.size() == 3);
  CHECK(h.changes[2].removed == strings{"fresh", "kept", "other"});
}

TEST_CASE("registry: a listener that throws ends nothing", "[registry]") {
  house h;
  auto const fail = [](auto const&) { throw std::runtime_error("no"); };
  auto r = h.make(h.registry_options().on_change(fail).on_status(fail).on_fault(fail));
  CHECK(h.finish(r.add("x", h.config(h.server({"a", "a"})))));
  CHECK(names(r.tools()) == strings{"x/a"});
}

TEST_CASE("registry: a broken definition, a name that comes twice and a list that fails spoil nothing else", "[registry]") {
  house h;
  auto s = h.server();
  s.answer("tools/list", json::raw(R"({"tools":[{"name":"good","inputSchema":{"type":"object"}},{"name":7},)"
                                   R"({"name":"good","inputSchema":{"type":"object"},"title":"again"}]})"));
  s.answer("resources/list", json::raw(R"({"resources":[{"uri":"x:1","name":"n"}]})"));
  s.on("prompts/list", [](fake_request q) { q.fail(-32603, "broken"); });
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  REQUIRE(h.finish(r.add("y", h.config(h.server()))));
  CHECK(names(r.tools()) == strings{"x/good", "y/echo"});
  CHECK(r.resources().size() == 1);
  auto const faults = r.faults();
  REQUIRE(faults.size() == 3);
  CHECK(h.faulty.size() == 3);
  CHECK(faults[0].reason == errc::wrong_shape);
  CHECK(faults[1].reason == errc::protocol_violation);
  CHECK(faults[2].kind == "prompts");
  CHECK(faults[2].reason.peer());
  CHECK(h.finish(r.refresh("x")).error() == errc::wrong_shape);
  s.tools() = {"fine"};
}

TEST_CASE("registry: a list that fails leaves the last one that was known", "[registry]") {
  house h;
  auto s = h.server({"a"});
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  s.on("tools/list", [](fake_request q) { q.fail(-32603, "broken"); });
  CHECK(h.finish(r.refresh("x")).error().peer());
  CHECK(names(r.tools()) == strings{"x/a"});
  CHECK(h.finish(r.call("x/a")));
  s.answer("tools/list", json::raw(toolbox::list_text({"b"})));
  CHECK(h.finish(r.refresh("x")));
  CHECK(names(r.tools()) == strings{"x/b"});
  CHECK(r.faults().empty());
}

TEST_CASE("registry: lists that a server does not declare are not asked for; templates may be missing", "[registry]") {
  house h;
  auto s = h.server();
  s.capabilities(R"({"resources":{}})");
  s.on("resources/templates/list", [](fake_request q) { q.fail(-32601, "Method not found"); });
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  CHECK(s.count("tools/list") == 0);
  CHECK(s.count("prompts/list") == 0);
  CHECK(s.count("resources/list") == 1);
  CHECK(s.count("subscriptions/listen") == 0);
  CHECK(r.faults().empty());
}

TEST_CASE("registry: all pages of a list are walked", "[registry]") {
  house h;
  auto s = h.server();
  s.on("tools/list", [](fake_request q) {
    auto const from = q.params().find("cursor");
    if (!from) q.reply(json::raw(R"({"tools":[{"name":"z","inputSchema":{"type":"object"}}],"nextCursor":""})"));
    else q.reply(json::raw(R"({"tools":[{"name":"a","inputSchema":{"type":"object"}}]})"));
  });
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  CHECK(names(r.tools()) == strings{"x/a", "x/z"});
}

TEST_CASE("registry: a tool that was just announced can be called before the refresh", "[registry]") {
  house h;
  auto const s = h.server({"a"});
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  s.tools() = {"a", "b"};
  s.tell();
  h.settle();
  auto const call = h.start(r.call("x/b"));
  auto const wrong = h.start(r.call("x/c"));
  CHECK_FALSE(call->done());
  h.advance(300ms);
  CHECK(call->ok());
  CHECK(wrong->error() == errc::unknown_tool);
}

TEST_CASE("registry: snapshots stay as they were", "[registry]") {
  house h;
  auto const s = h.server({"a"});
  std::optional<registry> r(h.make());
  REQUIRE(h.finish(r->add("x", h.config(s))));
  auto const before = r->tools();
  s.tools() = {"b"};
  REQUIRE(h.finish(r->refresh("x")));
  auto const after = r->tools();
  r.reset();
  h.settle();
  CHECK(names(before) == strings{"x/a"});
  CHECK(names(after) == strings{"x/b"});
}

TEST_CASE("registry: refresh by hand waits for a server that backs off", "[registry]") {
  house h;
  auto const s = h.server({"a"});
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  s.tools() = {"b"};
  s.drop();
  h.settle();
  auto const refreshed = h.start(r.refresh("x"));
  CHECK_FALSE(refreshed->done());
  h.advance(500ms);
  CHECK(refreshed->ok());
  CHECK(names(r.tools()) == strings{"x/b"});
}
