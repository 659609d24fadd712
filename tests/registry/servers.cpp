// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Servers are added, looked at, begun anew, removed, and closed together.
#include "registry/house.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::script;

TEST_CASE("registry: register a server, look at it, unregister it", "[registry]") {
  house h;
  auto const files = h.server({"write", "read"});
  auto r = h.make();
  REQUIRE(h.finish(r.add("files", h.config(files))));
  CHECK(r.servers() == strings{"files"});
  CHECK(state_of(r, "files") == server_state::ready);
  CHECK(r.status("files")->server_info.name == "fake-server");
  CHECK(r.config("files")->start() == start_mode::waits);
  CHECK(names(r.tools()) == strings{"files/read", "files/write"});
  auto const client = r.find("files");
  REQUIRE(client);
  CHECK(h.finish(client->call_tool("read")));
  REQUIRE(h.finish(r.remove("files")));
  CHECK(r.servers().empty());
  CHECK(r.tools().empty());
  CHECK(r.status("files").error() == errc::unknown_server);
  CHECK(r.config("files").error() == errc::unknown_server);
  CHECK(r.find("files").error() == errc::unknown_server);
  CHECK(h.finish(r.remove("files")).error() == errc::unknown_server);
  CHECK(h.finish(r.reconnect("files")).error() == errc::unknown_server);
  CHECK(h.finish(client->ping()).error() == errc::closed);
  CHECK(h.finish(r.add("files", h.config(files))));
}

TEST_CASE("registry: a name that cannot be is refused, and the separator is the registry's", "[registry]") {
  house h;
  auto const s = h.server();
  auto r = h.make(h.registry_options().separator("::"));
  CHECK(h.finish(r.add("", h.config(s))).error() == errc::invalid_argument);
  CHECK(h.finish(r.add("a::b", h.config(s))).error() == errc::invalid_argument);
  CHECK(h.finish(r.add("a/b", h.config(s))));
  CHECK(names(r.tools()) == strings{"a/b::echo"});
  CHECK(h.finish(r.call("a/b::echo")));
  CHECK_THROWS_AS(h.make(h.registry_options().separator("")), exception);
}

TEST_CASE("registry: of two concurrent registrations of one name the second fails at once, and lookup never breaks", "[registry]") {
  house h;
  auto const first = h.server({"one"});
  auto const second = h.server({"two"});
  std::vector<fake_request> held;
  auto slow = first;
  slow.on("server/discover", [&](fake_request r) { held.push_back(r); });
  auto r = h.make();
  auto const a = h.start(r.add("x", h.config(slow)));
  CHECK_FALSE(a->done());
  CHECK(r.servers() == strings{"x"});
  CHECK(state_of(r, "x") == server_state::starting);
  CHECK(r.find("x").error() == errc::not_ready);
  auto const b = h.start(r.add("x", h.config(second)));
  REQUIRE(b->times == 1);
  CHECK(b->error() == errc::already_registered);
  CHECK(second.connections() == 0);
  CHECK(state_of(r, "x") == server_state::starting);
  REQUIRE(held.size() == 1);
  held[0].reply(json::raw(discover_text()));
  h.settle();
  CHECK(a->ok());
  CHECK(names(r.tools()) == strings{"x/one"});
  CHECK(h.finish(r.add("x", h.config(second))).error() == errc::already_registered);
}

TEST_CASE("registry: adding a server that cannot be reached throws and leaves nothing behind", "[registry]") {
  house h;
  script s;
  s.refuse_open(error(errc::connect_failed, "no such command"));
  auto r = h.make();
  auto const added = h.finish(r.add("x", h.scripted(s)));
  CHECK(added.error() == errc::connect_failed);
  CHECK_THAT(std::string(added.error().message()), Catch::Contains("no such command"));
  CHECK(r.servers().empty());
  CHECK(*h.opens == 1);
  h.advance(1h);
  CHECK(*h.opens == 1);
  CHECK(h.finish(r.add("x", h.config(h.server()))));
}

TEST_CASE("registry: a start that takes too long ends with its own deadline, and holds up nobody", "[registry]") {
  house h;
  script never;
  never.never_opens();
  auto r = h.make();
  auto hopeless = h.scripted(never);
  hopeless.options(connect_options().time(h.clock).open_timeout(1h)).start_timeout(7s);
  auto const slow = h.start(r.add("slow", hopeless));
  CHECK(h.finish(r.add("quick", h.config(h.server()))));
  CHECK(names(r.tools()) == strings{"quick/echo"});
  h.advance(6s);
  CHECK_FALSE(slow->done());
  h.advance(1s);
  REQUIRE(slow->times == 1);
  CHECK(slow->error() == errc::timeout);
  CHECK(r.servers() == strings{"quick"});
}

TEST_CASE("registry: cancelling an add leaves nothing behind", "[registry]") {
  house h;
  auto s = h.server();
  s.silent("server/discover").silent("initialize");
  auto r = h.make();
  auto const adding = h.start(r.add("x", h.config(s)));
  adding->cancel();
  h.settle();
  REQUIRE(adding->times == 1);
  CHECK(adding->error() == errc::cancelled);
  CHECK(r.servers().empty());
  CHECK(h.finish(r.add("x", h.config(h.server()))));
}

TEST_CASE("registry: a server removed while it starts ends its add", "[registry]") {
  house h;
  auto s = h.server();
  s.silent("server/discover").silent("initialize");
  auto r = h.make();
  auto const adding = h.start(r.add("x", h.config(s)));
  CHECK(h.finish(r.remove("x")));
  REQUIRE(adding->times == 1);
  CHECK(adding->error() == errc::closed);
  CHECK(r.servers().empty());
}

TEST_CASE("registry: in the background a failed start is retried", "[registry]") {
  house h;
  auto s = h.server();
  bool broken = true;
  s.breaks_while(&broken);
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s).background())));
  CHECK(r.servers() == strings{"x"});
  h.settle();
  CHECK(state_of(r, "x") == server_state::backing_off);
  CHECK(r.tools().empty());
  CHECK_FALSE(h.finish(r.settled(1s)).value());
  broken = false;
  h.advance(500ms);
  CHECK(state_of(r, "x") == server_state::ready);
  CHECK(names(r.tools()) == strings{"x/echo"});
  CHECK(h.finish(r.settled(1s)).value());
}

TEST_CASE("registry: settled waits for first starts and their lists, up to its limit", "[registry]") {
  house h;
  auto s = h.server();
  std::vector<fake_request> lists;
  s.on("tools/list", [&](fake_request q) { lists.push_back(q); });
  auto r = h.make();
  CHECK(h.finish(r.settled(1s)).value());
  REQUIRE(h.finish(r.add("x", h.config(s).background())));
  auto const impatient = h.start(r.settled(1s));
  auto const patient = h.start(r.settled(1h));
  h.advance(1s);
  REQUIRE(impatient->ok());
  CHECK_FALSE(**impatient);
  CHECK_FALSE(patient->done());
  REQUIRE(lists.size() == 1);
  lists[0].reply(json::raw(toolbox::list_text({"a"})));
  h.settle();
  REQUIRE(patient->ok());
  CHECK(**patient);
  CHECK(names(r.tools()) == strings{"x/a"});
}

TEST_CASE("registry: a lazy server starts at its first use", "[registry]") {
  house h;
  auto const s = h.server();
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s).lazy())));
  h.advance(1h);
  CHECK(s.connections() == 0);
  CHECK(state_of(r, "x") == server_state::stopped);
  CHECK(h.finish(r.settled(1s)).value());
  auto const called = h.finish(r.call("x/echo"));
  REQUIRE(called);
  CHECK(called->text() == "done");
  CHECK(s.connections() == 1);
  CHECK(names(r.tools()) == strings{"x/echo"});
}

TEST_CASE("registry: restart begins a new connection and lists anew", "[registry]") {
  house h;
  auto const s = h.server({"old"});
  auto r = h.make();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  s.tools() = {"new"};
  REQUIRE(h.finish(r.reconnect("x")));
  CHECK(s.connections() == 2);
  CHECK(names(r.tools()) == strings{"x/new"});
}

TEST_CASE("registry: close ends all servers, twice is fine, and nothing can be added then", "[registry]") {
  house h;
  auto r = h.make();
  auto stuck = h.server();
  stuck.silent("tools/call");
  for (auto const* name : {"a", "b", "c"}) REQUIRE(h.finish(r.add(name, h.config(h.server()))));
  REQUIRE(h.finish(r.add("stuck", h.config(stuck))));
  auto const call = h.start(r.call("stuck/echo"));
  CHECK_FALSE(call->done());
  REQUIRE(h.finish(r.close()));
  REQUIRE(call->times == 1);
  CHECK(call->error() == errc::closed);
  CHECK(r.servers().empty());
  CHECK(r.tools().empty());
  CHECK(h.finish(r.close()));
  CHECK(h.finish(r.add("x", h.config(h.server()))).error() == errc::closed);
}

TEST_CASE("registry: close ends within its bound, with servers that never close", "[registry]") {
  house h;
  auto r = h.make(h.registry_options().close_timeout(3s));
  auto s = modern_script("{}");
  s.never_closes();
  auto endless = h.scripted(s);
  endless.options(connect_options().time(h.clock).close_timeout(1h));
  REQUIRE(h.finish(r.add("stuck", endless)));
  REQUIRE(h.finish(r.add("good", h.config(h.server()))));
  auto const removing = h.start(r.remove("stuck"));
  auto const closing = h.start(r.close());
  auto const again = h.start(r.close());
  CHECK_FALSE(removing->done());
  CHECK_FALSE(closing->done());
  h.advance(2999ms);
  CHECK_FALSE(closing->done());
  h.advance(1ms);
  CHECK(closing->ok());
  CHECK(again->ok());
  CHECK(removing->done());
}

TEST_CASE("registry: cancelling a remove or a close stops only the waiting", "[registry]") {
  house h;
  auto r = h.make();
  auto s = modern_script("{}");
  s.never_closes();
  REQUIRE(h.finish(r.add("stuck", h.scripted(s))));
  auto const removing = h.start(r.remove("stuck"));
  removing->cancel();
  h.settle();
  REQUIRE(removing->times == 1);
  CHECK(removing->error() == errc::cancelled);
  CHECK(r.servers().empty());
  auto const closing = h.start(r.close());
  closing->cancel();
  h.settle();
  CHECK(closing->error() == errc::cancelled);
  auto const other = h.start(r.close());
  CHECK_FALSE(other->done());
  h.advance(5s);
  CHECK(other->ok());
}
