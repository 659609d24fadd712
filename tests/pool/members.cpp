// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Members that come and go: start, warm-up, add, remove, identities, close.
#include <comcp/pool/pool.hpp>

#include "pool/crew.hpp"
#include "support/severable.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;

TEST_CASE("members: they start with the pool, and calls made before wait for them", "[pool]") {
  crew c;
  pool const p(c.io.get_executor(), c.configs(2), c.pooled());
  CHECK(p.stats().total == 2);
  CHECK(p.stats().ready == 0);
  auto const early = c.start(p.call_tool("who"));
  CHECK(early->ok());
  CHECK(p.stats().ready == 2);
}

TEST_CASE("members: lazy ones start at the first use", "[pool]") {
  crew c;
  auto all = c.configs(2);
  for (auto& config : all) config.lazy();
  auto const p = c.make(all, c.pooled());
  CHECK(c.states(p) == "1:stopped 2:stopped");
  CHECK(c.servers[0].connections() == 0);
  CHECK(c.who(p) == "0");
  CHECK(c.states(p) == "1:ready 2:ready");
}

TEST_CASE("members: warm_up starts all in parallel and completes when each is ready", "[pool]") {
  crew c;
  auto all = c.configs(3);
  for (auto& config : all) config.lazy();
  std::vector<fake_request> handshakes;
  c.servers[1].on("server/discover", [&](fake_request r) { handshakes.push_back(r); });
  auto const p = c.make(all, c.pooled());
  auto const warm = c.start(p.warm_up());
  CHECK_FALSE(warm->done());
  CHECK(c.states(p) == "1:ready 2:starting 3:ready");
  REQUIRE(handshakes.size() == 1);
  handshakes[0].reply(json::raw(discover_text()));
  c.settle();
  CHECK(warm->ok());
  CHECK(p.stats().ready == 3);
  CHECK(c.finish(p.warm_up()));
  CHECK(c.servers[0].connections() == 1);
}

TEST_CASE("members: warm_up with a broken one goes well if another is ready, and fails if none is", "[pool]") {
  crew c;
  auto all = c.configs(1);
  all.insert(all.begin(), c.broken_config());
  auto const p = c.make(all, c.pooled());
  CHECK(c.finish(p.warm_up()));
  CHECK(c.states(p) == "1:backing off 2:ready");
  CHECK(p.connections()[0].reason == errc::connect_failed);
  CHECK(c.turns(p, 2) == "00");

  auto const hopeless = c.make({c.broken_config(), c.broken_config()}, c.pooled());
  auto const failed = c.finish(hopeless.warm_up());
  CHECK(failed.error() == errc::no_connections);
  CHECK(c.finish(c.make({}, c.pooled()).warm_up()).error() == errc::no_connections);
}

TEST_CASE("members: one that failed for good is tried again by warm_up", "[pool]") {
  crew c;
  bool works = false;
  auto const number = c.hire();
  auto make = [&] { return works ? any_transport(c.servers[number].transport()) : any_transport(broken()); };
  auto config = server_config::from(make)
                    .options(c.options())
                    .reconnect(reconnect_policy().attempts(1).delay(100ms, 100ms).jitter(0));
  auto const p = c.make({config}, c.pooled());
  c.advance(100ms);
  CHECK(c.states(p) == "1:failed");
  works = true;
  c.advance(10s);
  CHECK(c.states(p) == "1:failed");
  CHECK(c.finish(p.warm_up()));
  CHECK(c.states(p) == "1:ready");
  CHECK(c.who(p) == "0");
}

TEST_CASE("members: a log level outlives a member's failure for good", "[pool]") {
  crew c;
  bool works = true;
  auto const number = c.hire();
  c.servers[number].legacy();
  auto make = [&] { return works ? any_transport(c.servers[number].transport()) : any_transport(broken()); };
  c.servers[number].on("initialize", [&](fake_request r) {
    if (works) r.reply(json::raw(initialize_text("2025-11-25")));
    else c.servers[number].drop();
  });
  auto const p = c.make({server_config::from(make)
                             .options(c.options())
                             .reconnect(reconnect_policy().attempts(1).delay(100ms, 100ms).jitter(0))},
                        c.pooled());
  REQUIRE(c.finish(p.set_log_level(log_level::warning)));
  works = false;
  c.servers[number].drop();
  c.settle();
  c.advance(100ms);
  REQUIRE(c.states(p) == "1:failed");
  works = true;
  REQUIRE(c.finish(p.warm_up()));
  CHECK(c.servers[number].count("logging/setLevel") == 2);
}

TEST_CASE("members: warm_up ends though some member is always at an attempt that follows", "[pool]") {
  crew c;
  std::vector<server_config> hopeless;
  for (int i = 0; i != 2; ++i) {
    auto& server = c.servers[c.hire()];
    server.legacy().silent("initialize");
    // The second one's attempts begin before the first one's are over, and the other way round.
    hopeless.push_back(c.config(static_cast<std::size_t>(i)).start_timeout(i == 0 ? 2s : 3s));
  }
  auto const p = c.make(hopeless, c.pooled());
  auto const warm = c.start(p.warm_up());
  c.advance(2s);
  CHECK_FALSE(warm->done());
  c.advance(100ms);  // the first one begins again
  CHECK(c.states(p) == "1:starting 2:starting");
  c.advance(900ms);
  REQUIRE(warm->times == 1);
  CHECK(warm->error() == errc::no_connections);
}

TEST_CASE("members: that are never connected again: one that is lost is removed", "[pool]") {
  crew c;
  auto all = c.configs(2);
  for (auto& config : all) config.reconnect(reconnect_policy::never());
  auto const p = c.make(all, c.pooled());
  c.servers[0].drop();
  c.settle();
  CHECK(c.states(p) == "2:ready");
  CHECK(c.turns(p, 2) == "11");
  c.servers[1].drop();
  c.settle();
  CHECK(p.connections().empty());
  CHECK(c.finish(p.list_tools()).error() == errc::no_connections);
}

TEST_CASE("members: add gives the name of one that is ready", "[pool]") {
  crew c;
  auto const p = c.make(1);
  auto const name = c.finish(p.add(c.config(c.hire())));
  REQUIRE(name);
  CHECK(*name == "2");
  CHECK(c.turns(p, 4) == "0101");
}

TEST_CASE("members: add that fails leaves nothing behind, and names are never used again", "[pool]") {
  crew c;
  auto const p = c.make(1);
  CHECK(c.finish(p.add(c.broken_config())).error() == errc::connect_failed);
  CHECK(c.states(p) == "1:ready");
  c.advance(10s);
  CHECK(c.states(p) == "1:ready");
  CHECK(c.finish(p.add(c.config(c.hire()))).value() == "3");
}

TEST_CASE("members: add in the background or lazily does not wait", "[pool]") {
  crew c;
  auto const p = c.make({}, c.pooled());
  auto broken = c.broken_config();
  CHECK(c.finish(p.add(broken.background())).value() == "1");
  CHECK(c.states(p) == "1:backing off");
  auto lazy = c.config(c.hire());
  CHECK(c.finish(p.add(lazy.lazy())).value() == "2");
  CHECK(c.states(p) == "1:backing off 2:stopped");
  CHECK(c.who(p) == "0");
}

TEST_CASE("members: add can be cancelled, and ends when its member is removed meanwhile", "[pool]") {
  crew c;
  auto const p = c.make(1);
  auto const slow = c.hire();
  c.servers[slow].silent("server/discover").silent("initialize");
  auto const cancelled = c.start(p.add(c.config(slow)));
  CHECK(c.states(p) == "1:ready 2:starting");
  cancelled->cancel();
  c.settle();
  CHECK(cancelled->error() == errc::cancelled);
  CHECK(c.states(p) == "1:ready");

  auto const removed = c.start(p.add(c.config(slow)));
  CHECK_FALSE(removed->done());
  CHECK(c.finish(p.remove("3")));
  CHECK(removed->done());
  CHECK_FALSE(removed->ok());
  CHECK(c.states(p) == "1:ready");
}

TEST_CASE("members: remove closes the connection and ends its calls; the others go on", "[pool]") {
  crew c;
  auto const p = c.make(2);
  auto const a = c.hang(p), b = c.hang(p);
  CHECK(c.finish(p.remove("1")));
  CHECK(a->done());
  CHECK_FALSE(a->ok());
  CHECK_FALSE(b->done());
  CHECK(c.states(p) == "2:ready");
  CHECK(c.turns(p, 2) == "11");
  c.let_go(1);
  CHECK(b->ok());
  CHECK(c.finish(p.remove("1")).error() == errc::unknown_server);
  CHECK(c.finish(p.remove("")).error() == errc::unknown_server);
  c.advance(10s);
  CHECK(c.servers[0].connections() == 1);
}

TEST_CASE("members: removing the only one ends calls that wait for it", "[pool]") {
  crew c;
  auto const p = c.make({c.broken_config()}, c.pooled());
  auto const waiting = c.start(p.list_tools());
  CHECK_FALSE(waiting->done());
  CHECK(c.finish(p.remove("1")));
  CHECK(waiting->error() == errc::no_connections);
}

TEST_CASE("members: one that was never ready is removed at once while it is tried again", "[pool]") {
  crew c;
  auto const slow = c.hire();
  c.servers[slow].silent("server/discover").silent("initialize");
  bool refuses = true;
  auto make = [&] { return refuses ? any_transport(broken()) : any_transport(c.servers[slow].transport()); };
  auto const p = c.make({server_config::from(make).options(c.options()).reconnect(crew::patient())}, c.pooled());
  CHECK(c.states(p) == "1:backing off");
  refuses = false;
  c.advance(100ms);
  CHECK(c.states(p) == "1:starting");
  CHECK(c.servers[slow].connections() == 1);
  CHECK(c.finish(p.remove("1")));
  CHECK_FALSE(c.clock->next_deadline().has_value());
}

TEST_CASE("members: add and remove while calls run lose no call", "[pool]") {
  crew c;
  auto const p = c.make(2);
  std::vector<outcome_of<call_tool_result>> calls;
  for (int round = 0; round != 5; ++round) {
    for (int i = 0; i != 10; ++i) calls.push_back(c.hang(p));
    auto const name = c.finish(p.add(c.config(c.hire())));
    REQUIRE(name);
    for (int i = 0; i != 10; ++i) calls.push_back(c.hang(p));
    CHECK(c.finish(p.remove(p.connections().front().name)));
  }
  for (std::size_t n = 0; n != c.servers.size(); ++n) c.let_go(n);
  int answered = 0;
  for (auto const& call : calls) {
    CHECK(call->times == 1);
    answered += call->ok();
  }
  CHECK(answered > 0);
  CHECK(answered < 100);
  CHECK(p.stats().total == 2);
  CHECK(load_of(p) == "00");
}

TEST_CASE("members: another identity is refused when it is added", "[pool]") {
  crew c;
  auto const first = c.hire(), same = c.hire(), other = c.hire();
  auto const p = c.make({c.config(first, "alice"), c.config(same, "alice")}, c.pooled());
  CHECK(p.stats().ready == 2);
  auto const refused = c.finish(p.add(c.config(other, "bob")));
  CHECK(refused.error() == errc::invalid_argument);
  CHECK(c.states(p) == "1:ready 2:ready");
  CHECK(c.finish(p.add(c.config(other))).error() == errc::invalid_argument);
  CHECK(c.servers[other].count("tools/call") == 0);
}

TEST_CASE("members: another identity at the beginning fails, and takes no call", "[pool]") {
  crew c;
  auto const first = c.hire(), other = c.hire();
  auto const p = c.make({c.config(first, "alice"), c.config(other, "bob")}, c.pooled());
  CHECK(c.states(p) == "1:ready 2:failed");
  CHECK(p.connections()[1].reason == errc::invalid_argument);
  CHECK(p.stats().ready == 1);
  CHECK(c.turns(p, 3) == "000");
  CHECK(c.finish(p.warm_up()));
  c.advance(10s);
  CHECK(c.states(p) == "1:ready 2:failed");
  CHECK(c.servers[other].connections() == 1);
  CHECK(c.finish(p.remove("2")));
}

TEST_CASE("members: an empty pool takes the next identity", "[pool]") {
  crew c;
  auto const first = c.hire(), other = c.hire();
  auto const p = c.make({c.config(first, "alice")}, c.pooled());
  CHECK(c.finish(p.remove("1")));
  CHECK(c.finish(p.add(c.config(other, "bob"))));
  CHECK(c.who(p) == "1");
}

TEST_CASE("members: a log level is set on all, and on those that come later", "[pool]") {
  crew c;
  for (int i = 0; i != 2; ++i) c.servers[c.hire()].legacy();
  auto const p = c.make({c.config(0), c.config(1)}, c.pooled());
  CHECK(c.finish(p.set_log_level(log_level::warning)));
  CHECK(c.servers[0].count("logging/setLevel") == 1);
  CHECK(c.servers[1].count("logging/setLevel") == 1);
  auto const third = c.hire();
  c.servers[third].legacy();
  CHECK(c.finish(p.add(c.config(third))));
  c.settle();
  CHECK(c.servers[third].last("logging/setLevel")["level"].as<std::string>() == "warning");
  c.servers[0].drop();
  c.settle();
  c.advance(100ms);
  CHECK(c.servers[0].count("logging/setLevel") == 2);  // restored with the connection
  c.servers[1].on("logging/setLevel", [](fake_request r) { r.fail(-32000, "no"); });
  CHECK_FALSE(c.finish(p.set_log_level(log_level::error)));
  CHECK(c.servers[0].last("logging/setLevel")["level"].as<std::string>() == "error");
}

TEST_CASE("members: close ends all members and calls, and what comes after", "[pool]") {
  crew c;
  auto const p = c.make(3);
  auto const call = c.hang(p);
  auto const early = c.finish(p.checkout());
  CHECK(c.finish(p.close()));
  CHECK(call->done());
  CHECK_FALSE(call->ok());
  CHECK(p.connections().empty());
  CHECK(p.stats().total == 0);
  CHECK(c.finish(p.close()));
  CHECK(c.finish(p.list_tools()).error() == errc::closed);
  CHECK(c.finish(p.checkout()).error() == errc::closed);
  CHECK(c.finish(p.warm_up()).error() == errc::closed);
  CHECK(c.finish(p.add(c.config(0))).error() == errc::closed);
  CHECK(c.finish(p.remove("1")).error() == errc::unknown_server);
  CHECK(c.finish((*early)->list_tools()).error() == errc::closed);
  CHECK_FALSE(c.clock->next_deadline().has_value());
}

TEST_CASE("members: close ends what waits", "[pool]") {
  crew c;
  auto const slow = c.hire(), slower = c.hire();
  for (auto const which : {slow, slower}) c.servers[which].silent("server/discover").silent("initialize");
  auto const p = c.make({c.config(slow)}, c.pooled());
  auto const call = c.start(p.list_tools());
  auto const warm = c.start(p.warm_up());
  auto const add = c.start(p.add(c.config(slower)));
  CHECK_FALSE(call->done());
  CHECK_FALSE(warm->done());
  auto const closed = c.start(p.close());
  c.advance(10s);
  CHECK(closed->ok());
  CHECK(call->error() == errc::closed);
  CHECK(warm->error() == errc::closed);
  CHECK(add->done());
  CHECK_FALSE(add->ok());
}

TEST_CASE("members: a cancelled close goes on", "[pool]") {
  crew c;
  auto const p = c.make(2);
  auto const close = c.start(p.close());
  close->cancel();
  c.settle();
  CHECK(close->done());
  c.advance(10s);
  CHECK(p.connections().empty());
  CHECK(c.finish(p.close()));
}

TEST_CASE("members: what their pool ends itself when it goes away is no loss", "[pool]") {
  crew c;
  auto const number = c.hire();
  auto make = [s = c.servers[number]] { return any_transport(severable(s)); };
  std::optional<pool> p(
      c.make({server_config::from(std::move(make)).options(c.options()).reconnect(crew::patient())}, c.pooled()));
  auto const call = c.hang(*p);
  c.statuses.clear();
  c.io.restart();  // home is there, and elsewhere
  p.reset();
  c.settle();
  CHECK(call->error() == errc::closed);
  CHECK(c.statuses == std::vector<std::string>{"disconnected"});
  c.advance(1h);
  CHECK(c.servers[number].connections() == 1);
}
