// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host of mcp_client (Gleam) has, as its port to comcp: docs/coming-from.md.
#include "coming_from/servers.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::script;
using strings = std::vector<std::string>;

namespace {

/// mcp_client.new()
registry manager(conversation& c, registry_options o = registry_options()) {
  return registry(c.io.get_executor(), std::move(o.time(c.clock)));
}

server_state state_of(registry const& r, char const* name) {
  auto const s = r.status(name);
  REQUIRE(s);
  return s->state;
}

}  // namespace

TEST_CASE("mcp_client: register connects and discovers tools, resources and prompts", "[coming_from]") {
  conversation c;
  flaky_server fs(c, {"read_file", "list_directory"});
  auto client = manager(c);
  CHECK(client.servers().empty());
  REQUIRE(c.finish(client.add("filesystem", fs.config(c))));
  CHECK(client.servers() == strings{"filesystem"});
  CHECK(names_of(client.tools()) == strings{"filesystem/list_directory", "filesystem/read_file"});
  auto const tools = client.tools();
  CHECK(tools[1].server_name == "filesystem");
  CHECK(tools[1].original_name == "read_file");
  CHECK(tools[1].definition.description == "Does read_file");
  REQUIRE(client.resources().size() == 1);
  CHECK(client.resources()[0].original_name == "file:///hello.txt");
  REQUIRE(client.prompts().size() == 1);
  CHECK(client.prompts()[0].original_name == "greet");
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: register refuses a name that is taken, and leaves nothing of what failed", "[coming_from]") {
  conversation c;
  flaky_server one(c), other(c);
  auto client = manager(c);
  REQUIRE(c.finish(client.add("a", one.config(c))));
  CHECK(c.finish(client.add("a", other.config(c))).error() == errc::already_registered);
  CHECK(*other.attempts == 0);
  other.out(true);
  CHECK(c.finish(client.add("b", other.config(c))).error() == errc::connect_failed);
  CHECK(client.servers() == strings{"a"});
  other.out(false);
  CHECK(c.finish(client.add("b", other.config(c))));  // the name is free again
  CHECK(client.servers() == strings{"a", "b"});
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: register refuses a server of a version that it does not speak", "[coming_from]") {
  conversation c;
  script old;
  old.expect("server/discover").fail(-32601, "Method not found");
  old.expect("initialize").reply(initialize_text("1999-01-01"));
  auto config = server_config::from([old] { return any_transport(old.transport()); });
  config.options(c.options());
  auto client = manager(c);
  CHECK(c.finish(client.add("old", config)).error() == errc::no_common_version);
  CHECK(client.servers().empty());
}

TEST_CASE("mcp_client: unregister removes a server and all that it offered", "[coming_from]") {
  conversation c;
  flaky_server one(c), two(c);
  auto client = manager(c);
  REQUIRE(c.finish(client.add("one", one.config(c))));
  REQUIRE(c.finish(client.add("two", two.config(c))));
  REQUIRE(c.finish(client.remove("one")));
  CHECK(client.servers() == strings{"two"});
  CHECK(names_of(client.tools()) == strings{"two/echo"});
  CHECK(client.resources().size() == 1);
  CHECK(client.prompts().size() == 1);
  CHECK(c.finish(client.remove("one")).error() == errc::unknown_server);
  CHECK(c.finish(client.call("one/echo")).error() == errc::unknown_server);
  CHECK(c.finish(client.add("one", one.config(c))));
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: qualified names keep the tools of several servers apart, in order of name", "[coming_from]") {
  conversation c;
  flaky_server late(c, {"echo", "add"}), early(c, {"echo", "add"});
  auto client = manager(c);
  REQUIRE(c.finish(client.add("server-2", late.config(c))));
  REQUIRE(c.finish(client.add("server-1", early.config(c))));
  CHECK(client.servers() == strings{"server-1", "server-2"});
  CHECK(names_of(client.tools()) == strings{"server-1/add", "server-1/echo", "server-2/add", "server-2/echo"});
  auto const r = c.finish(client.call("server-2/echo", json::raw(R"({"message":"hi"})")));
  REQUIRE(r);
  CHECK(r->text() == R"(echo {"message":"hi"})");
  CHECK(late.server.count("tools/call") == 1);
  CHECK(early.server.count("tools/call") == 0);
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: bare names work where they are unique, and can be refused", "[coming_from]") {
  conversation c;
  flaky_server one(c, {"echo", "add"}), two(c, {"echo"});
  auto client = manager(c);
  REQUIRE(c.finish(client.add("one", one.config(c))));
  REQUIRE(c.finish(client.add("two", two.config(c))));
  CHECK(c.finish(client.call("add")));
  CHECK(c.finish(client.call("echo")).error() == errc::ambiguous_name);
  CHECK(c.finish(client.call("multiply")).error() == errc::unknown_tool);
  CHECK(c.finish(client.call("one/multiply")).error() == errc::unknown_tool);
  CHECK(c.finish(client.call("three/echo")).error() == errc::unknown_server);
  CHECK(c.finish(client.close()));
  auto strict = manager(c, std::move(registry_options().bare_names(false)));
  REQUIRE(c.finish(strict.add("one", one.config(c))));
  CHECK(c.finish(strict.call("add")).error() == errc::no_separator);
  CHECK(c.finish(strict.close()));
}

TEST_CASE("mcp_client: crash eviction, without retries a lost server is gone with all that it offered", "[coming_from]") {
  conversation c;
  flaky_server crashy(c), steady(c);
  auto client = manager(c);
  REQUIRE(c.finish(client.add("crashy", crashy.config(c).reconnect(reconnect_policy::never()))));
  REQUIRE(c.finish(client.add("steady", steady.config(c).reconnect(reconnect_policy::never()))));
  crashy.server.silent("tools/call");
  auto const lost = c.start(client.call("crashy/echo"));
  crashy.crash();
  c.settle();
  REQUIRE(lost->times == 1);
  CHECK(lost->error() == errc::outcome_unknown);
  CHECK(client.servers() == strings{"steady"});
  CHECK(names_of(client.tools()) == strings{"steady/echo"});
  CHECK(client.resources().size() == 1);
  CHECK(c.finish(client.call("crashy/echo")).error() == errc::unknown_server);
  CHECK(c.finish(client.call("steady/echo")));
  c.advance(10min);
  CHECK(*crashy.attempts == 1);
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: retry makes three attempts at 500, 1,000 and 2,000 ms", "[coming_from]") {
  conversation c;
  flaky_server s(c);
  auto client = manager(c);
  REQUIRE(
      c.finish(client.add("fs", s.config(c).reconnect(reconnect_policy().attempts(3).delay(500ms, 30s).jitter(0)))));
  REQUIRE(*s.attempts == 1);
  s.out(true);
  s.crash();
  c.settle();
  for (auto const wait : {500ms, 1000ms, 2000ms}) {
    INFO(wait.count());
    auto const before = *s.attempts;
    CHECK(state_of(client, "fs") == server_state::backing_off);
    c.advance(wait - 1ms);
    CHECK(*s.attempts == before);
    c.advance(1ms);
    CHECK(*s.attempts == before + 1);
  }
  CHECK(state_of(client, "fs") == server_state::failed);
  CHECK(client.tools().empty());
  c.advance(10min);
  CHECK(*s.attempts == 4);
  CHECK(client.status("fs")->reason == errc::connect_failed);
  s.out(false);
  CHECK(c.finish(client.reconnect("fs")));  // there mcp_client has forgotten the server
  CHECK(names_of(client.tools()) == strings{"fs/echo"});
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: retry waits are bounded by 30 s", "[coming_from]") {
  conversation c;
  flaky_server s(c);
  auto client = manager(c);
  REQUIRE(
      c.finish(client.add("fs", s.config(c).reconnect(reconnect_policy().attempts(4).delay(10'000ms, 30s).jitter(0)))));
  s.out(true);
  s.crash();
  c.settle();
  for (auto const wait : {10s, 20s, 30s, 30s}) {
    auto const before = *s.attempts;
    c.advance(wait - 1ms);
    CHECK(*s.attempts == before);
    c.advance(1ms);
    CHECK(*s.attempts == before + 1);
  }
  CHECK(state_of(client, "fs") == server_state::failed);
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: the call that met the crash fails, the next ones succeed once it is back", "[coming_from]") {
  conversation c;
  flaky_server s(c), other(c);
  auto client = manager(c);
  REQUIRE(
      c.finish(client.add("fs", s.config(c).reconnect(reconnect_policy().attempts(3).delay(500ms, 30s).jitter(0)))));
  REQUIRE(c.finish(client.add("other", other.config(c))));
  std::optional<fake_request> held;
  s.server.on("tools/call", [&](fake_request r) {
    if (!std::exchange(held, r)) return;
    r.reply(json::raw(tool_text));
  });
  auto const lost = c.start(client.call("fs/echo"));
  s.crash();
  c.settle();
  CHECK(lost->error() == errc::outcome_unknown);  // at once
  auto const next = c.start(client.call("fs/echo"));
  CHECK_FALSE(next->done());                      // it waits
  CHECK(c.finish(client.call("other/echo")));     // and nobody else does
  c.advance(500ms);
  REQUIRE(next->ok());
  CHECK((*next)->text() == "done");
  CHECK(client.servers() == strings{"fs", "other"});
  CHECK(client.resources().size() == 2);
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: catalog refresh on change, with the difference told", "[coming_from]") {
  conversation c;
  flaky_server s(c, {"echo", "old"});
  std::vector<catalog_change> changes;
  auto options = registry_options();
  options.on_change([&](catalog_change const& d) {
    if (d.kind == "tools") changes.push_back(d);
  });
  auto client = manager(c, options);
  REQUIRE(c.finish(client.add("fs", s.config(c))));
  changes.clear();
  *s.names = {"echo", "new"};
  s.server.notify("notifications/tools/list_changed");
  c.settle();
  c.advance(300ms);
  CHECK(names_of(client.tools()) == strings{"fs/echo", "fs/new"});
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].server_name == "fs");
  CHECK(changes[0].added == strings{"new"});
  CHECK(changes[0].removed == strings{"old"});
  *s.names = {"echo"};
  REQUIRE(c.finish(client.refresh("fs")));  // by hand
  CHECK(names_of(client.tools()) == strings{"fs/echo"});
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: one broken definition does not spoil the list", "[coming_from]") {
  conversation c;
  flaky_server s(c);
  s.server.answer("tools/list", json::raw(R"({"tools":[{"name":7},{"name":"echo","inputSchema":{"type":"object"}}]})"));
  s.server.on("resources/list", [](fake_request r) { r.fail(-32603, "broken"); });
  auto client = manager(c);
  REQUIRE(c.finish(client.add("fs", s.config(c))));
  CHECK(names_of(client.tools()) == strings{"fs/echo"});
  CHECK(client.resources().empty());
  CHECK(client.prompts().size() == 1);
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: read, prompt, subscribe and unsubscribe by server name", "[coming_from]") {
  conversation c;
  flaky_server s(c);
  s.server.answer("resources/read", json::raw(R"({"contents":[{"uri":"file:///hello.txt","text":"Hello"}]})"));
  s.server.on("prompts/get", [](fake_request r) {
    auto const text = "Hi " + r.params()["arguments"]["name"].as<std::string>();
    r.reply(args("messages", json::array().add(args("role", "user", "content", args("type", "text", "text", text)))));
  });
  auto client = manager(c);
  REQUIRE(
      c.finish(client.add("fs", s.config(c).reconnect(reconnect_policy().attempts(3).delay(500ms, 30s).jitter(0)))));
  auto const read = c.finish(client.read("fs", "file:///hello.txt"));
  REQUIRE(read);
  CHECK(read->contents.at(0).text == "Hello");
  auto const prompt = c.finish(client.prompt("fs", "greet", args("name", "Ann")));
  REQUIRE(prompt);
  CHECK(prompt->messages.size() == 1);
  CHECK(c.finish(client.read("nobody", "file:///hello.txt")).error() == errc::unknown_server);
  CHECK(c.finish(client.prompt("nobody", "greet")).error() == errc::unknown_server);

  int updates = 0;
  updated_callback count = [&](resource_updated const&) { ++updates; };
  REQUIRE(c.finish(client.subscribe("fs", "file:///hello.txt", count)));
  s.server.notify("notifications/resources/updated", args("uri", "file:///hello.txt"));
  c.settle();
  CHECK(updates == 1);
  s.crash();
  c.settle();
  c.advance(500ms);
  s.server.notify("notifications/resources/updated", args("uri", "file:///hello.txt"));
  c.settle();
  CHECK(updates == 2);  // the new connection knows of the subscription
  CHECK(c.finish(client.unsubscribe("fs", "file:///hello.txt")));
  CHECK(c.finish(client.subscribe("nobody", "file:///a", count)).error() == errc::unknown_server);
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: get_server gives the configuration back", "[coming_from]") {
  conversation c;
  flaky_server s(c);
  auto client = manager(c);
  REQUIRE(
      c.finish(client.add("fs", s.config(c).reconnect(reconnect_policy().attempts(3).delay(500ms, 30s).jitter(0)))));
  auto const config = client.config("fs");
  REQUIRE(config);
  CHECK(config->reconnect().attempts() == 3);
  CHECK(config->reconnect().first() == 500ms);
  CHECK(client.config("nobody").error() == errc::unknown_server);
  CHECK(c.finish(client.close()));
}

TEST_CASE("mcp_client: stop ends every server, and nothing works afterwards", "[coming_from]") {
  conversation c;
  flaky_server one(c), two(c);
  auto client = manager(c);
  REQUIRE(c.finish(client.add("one", one.config(c))));
  REQUIRE(c.finish(client.add("two", two.config(c))));
  two.server.silent("tools/call");
  auto const open = c.start(client.call("two/echo"));
  REQUIRE(c.finish(client.close()));
  CHECK(open->times == 1);
  CHECK_FALSE(c.finish(client.call("one/echo")));
  c.advance(10min);
  CHECK(*one.attempts == 1);
  CHECK(*two.attempts == 1);
}
