// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host of barrel_mcp (Erlang) has across servers, as its port to comcp: the registry of clients and the
// aggregator. The rest is in barrel_mcp.cpp and barrel_mcp_tool_format.cpp.
#include <atomic>
#include <thread>

#include "coming_from/servers.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;
using strings = std::vector<std::string>;

namespace {

registry clients(conversation& c, registry_options o = registry_options()) {
  return registry(c.io.get_executor(), std::move(o.time(c.clock)));
}

}  // namespace

TEST_CASE("barrel_mcp: start_client, whereis_client, list_clients and stop_client register and unregister", "[coming_from]") {
  conversation c;
  flaky_server github(c), files(c);
  auto all = clients(c);
  REQUIRE(c.finish(all.add("github", github.config(c))));
  REQUIRE(c.finish(all.add("local-files", files.config(c))));
  CHECK(all.servers() == strings{"github", "local-files"});
  auto const found = all.find("github");
  REQUIRE(found);
  CHECK(found->status() == connection_status::ready);
  CHECK(c.finish(found->list_tools())->size() == 1);
  CHECK(all.find("nobody").error() == errc::unknown_server);
  REQUIRE(c.finish(all.remove("github")));
  CHECK(all.find("github").error() == errc::unknown_server);
  CHECK(c.finish(all.remove("github")).error() == errc::unknown_server);
  CHECK(c.finish(all.add("github", github.config(c))));  // and the name can be used again
  CHECK(all.find("github"));
  CHECK(c.finish(all.close()));
}

TEST_CASE("barrel_mcp: lookup that two concurrent registrations of one name cannot break", "[coming_from]") {
  conversation c;
  flaky_server first(c), second(c);
  std::optional<fake_request> held;
  first.server.on("initialize", [&](fake_request r) { held = std::move(r); });
  auto all = clients(c);
  auto const slow = c.start(all.add("x", first.config(c)));
  REQUIRE(held);
  auto const other = c.start(all.add("x", second.config(c)));
  REQUIRE(other->times == 1);
  CHECK(other->error() == errc::already_registered);  // though the first is not ready yet, and may fail
  CHECK(*second.attempts == 0);
  CHECK(all.servers() == strings{"x"});
  CHECK(all.find("x").error() == errc::not_ready);
  held->reply(json::raw(initialize_text("2025-11-25")));
  c.settle();
  REQUIRE(slow->ok());
  CHECK(all.servers() == strings{"x"});
  CHECK(all.find("x"));
  CHECK(c.finish(all.call("x/echo")));
  CHECK(first.server.count("tools/call") == 1);
  CHECK(c.finish(all.close()));
}

TEST_CASE("barrel_mcp: when the first of two registrations fails, the name is free for the next", "[coming_from]") {
  conversation c;
  flaky_server first(c), second(c);
  std::optional<fake_request> held;
  first.server.on("initialize", [&](fake_request r) { held = std::move(r); });
  auto all = clients(c);
  auto const slow = c.start(all.add("x", first.config(c)));
  REQUIRE(held);
  held->fail(-32603, "out of order");
  c.settle();
  REQUIRE(slow->done());
  CHECK_FALSE(slow->ok());
  CHECK(all.servers().empty());
  CHECK(c.finish(all.add("x", second.config(c))));
  CHECK(all.find("x"));
  CHECK(c.finish(all.close()));
}

TEST_CASE("barrel_mcp: whereis_client and list_clients are read from any thread while clients come and go",
          "[coming_from][threads]") {
  conversation c;
  flaky_server steady(c), passing(c);
  auto all = clients(c);
  REQUIRE(c.finish(all.add("steady", steady.config(c))));
  std::atomic<bool> stop = false;
  std::atomic<int> looked = 0, wrong = 0;
  std::thread reader([&] {
    while (!stop) {
      auto const names = all.servers();
      if (names != strings{"steady"} && names != strings{"passing", "steady"}) ++wrong;
      if (!all.find("steady")) ++wrong;
      auto const status = all.status("passing");
      if (!status && !(status.error() == errc::unknown_server)) ++wrong;
      for (auto const& tool : all.tools()) {
        if (tool.name != tool.server_name + "/" + tool.original_name) ++wrong;
      }
      ++looked;
    }
  });
  for (int i = 0; i < 50 || looked < 100; ++i) {
    auto const added = c.start(all.add("passing", passing.config(c)));
    auto const again = c.start(all.add("passing", passing.config(c)));
    if (!added->ok() || !(again->error() == errc::already_registered)) ++wrong;
    if (!c.start(all.remove("passing"))->ok()) ++wrong;
  }
  stop = true;
  reader.join();
  CHECK(wrong == 0);
  CHECK(c.finish(all.close()));
}

TEST_CASE("barrel_mcp: a client that crashed leaves the registry, or comes back under its name", "[coming_from]") {
  conversation c;
  flaky_server temporary(c), transient(c);
  auto all = clients(c);
  REQUIRE(c.finish(all.add("temporary", temporary.config(c).reconnect(reconnect_policy::never()))));
  REQUIRE(c.finish(all.add(
      "transient", transient.config(c).reconnect(reconnect_policy().attempts(10).delay(500ms, 30s).jitter(0)))));
  temporary.crash();
  transient.crash();
  c.settle();
  CHECK(all.servers() == strings{"transient"});
  CHECK(all.find("temporary").error() == errc::unknown_server);
  CHECK(all.find("transient").error() == errc::not_ready);
  c.advance(500ms);
  CHECK(all.find("transient"));  // there it runs under a pid that nobody knows
  CHECK(all.status("transient")->starts == 2);
  CHECK(c.finish(all.close()));
}

TEST_CASE("barrel_mcp: server status, from starting through ready to failed, with its reasons", "[coming_from]") {
  conversation c;
  flaky_server s(c);
  auto all = clients(c);
  std::optional<fake_request> held;
  s.server.on("initialize", [&](fake_request r) { held = std::move(r); });
  REQUIRE(c.finish(
      all.add("x", s.config(c).reconnect(reconnect_policy().attempts(1).delay(500ms, 30s).jitter(0)).background())));
  CHECK(all.status("x")->state == server_state::starting);
  REQUIRE(held);
  held->reply(json::raw(initialize_text("2025-11-25")));
  c.settle();
  CHECK(all.status("x")->state == server_state::ready);
  CHECK(all.status("x")->server_info.name == "scripted");
  CHECK(all.status("x")->version == version::v2025_11_25);
  s.out(true);
  s.crash();
  c.settle();
  CHECK(all.status("x")->state == server_state::backing_off);
  CHECK(all.status("x")->reason == errc::transport_failed);
  c.advance(500ms);
  CHECK(all.status("x")->state == server_state::failed);
  CHECK(all.status("x")->reason == errc::connect_failed);
  CHECK(all.status("x")->history.size() >= 4);
  CHECK(all.status("nobody").error() == errc::unknown_server);
  CHECK(c.finish(all.close()));
}

TEST_CASE("barrel_mcp: a slow server holds up nobody", "[coming_from]") {
  conversation c;
  flaky_server slow(c), quick(c);
  slow.server.silent("initialize");
  auto all = clients(c);
  auto const waiting = c.start(all.add("slow", slow.config(c).start_timeout(20s)));
  CHECK(c.finish(all.add("quick", quick.config(c))));
  CHECK(c.finish(all.call("quick/echo")));
  CHECK_FALSE(waiting->done());
  c.advance(20s);
  REQUIRE(waiting->times == 1);
  CHECK(waiting->error() == errc::timeout);
  CHECK(all.servers() == strings{"quick"});
  CHECK(c.finish(all.close()));
}

TEST_CASE("barrel_mcp: the aggregator's separator can be chosen, and splits at its first place", "[coming_from]") {
  conversation c;
  flaky_server s(c, {"echo", "a:b"});
  auto all = clients(c, std::move(registry_options().separator(":")));
  REQUIRE(c.finish(all.add("beta", s.config(c))));
  CHECK(names_of(all.tools()) == strings{"beta:a:b", "beta:echo"});
  auto const called = c.finish(all.call("beta:a:b", args("text", "hello")));
  REQUIRE(called);
  CHECK(called->text() == R"(a:b {"text":"hello"})");
  CHECK(c.finish(all.call("ghost:tool")).error() == errc::unknown_server);
  CHECK(c.finish(all.add("be:ta", s.config(c))).error() == errc::invalid_argument);  // could not be routed there
  CHECK(c.finish(all.close()));
}

TEST_CASE("barrel_mcp: no_separator and unknown_server", "[coming_from]") {
  conversation c;
  flaky_server s(c);
  auto all = clients(c, std::move(registry_options().separator("::").bare_names(false)));
  REQUIRE(c.finish(all.add("beta", s.config(c))));
  CHECK(c.finish(all.call("plain_name")).error() == errc::no_separator);
  CHECK(c.finish(all.call("ghost:tool")).error() == errc::no_separator);
  CHECK(c.finish(all.call("ghost::tool")).error() == errc::unknown_server);
  CHECK(c.finish(all.call("beta::echo")));
  CHECK(c.finish(all.close()));
}

TEST_CASE("barrel_mcp: the aggregated list skips a server whose list fails, and is empty without servers", "[coming_from]") {
  conversation c;
  flaky_server good(c), bad(c);
  bad.server.on("tools/list", [](fake_request r) { r.fail(-32603, "broken"); });
  auto all = clients(c);
  CHECK(all.tools().empty());
  REQUIRE(c.finish(all.add("bad", bad.config(c))));
  REQUIRE(c.finish(all.add("good", good.config(c))));
  CHECK(names_of(all.tools()) == strings{"good/echo"});
  CHECK(c.finish(all.close()));
}
