// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Listeners that turn to the registry while they are told, and losses between a server's start and the end of its add.
#include "registry/house.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;

namespace {

// The operation begins within the listener.
template <class T>
void begin(house& h, asio::awaitable<T> operation) {
  auto const ignore = [](asio::awaitable<T> op) -> asio::awaitable<void> { (void)co_await as_result(std::move(op)); };
  asio::co_spawn(h.io, ignore(std::move(operation)), asio::detached);
}

char const* const half_broken = R"({"resources":[{"name":"no uri"},{"uri":"u:1","name":"fine"}]})";

}  // namespace

TEST_CASE("registry: a listener that removes a server on its fault leaves nothing of it in the catalog", "[registry]") {
  house h;
  auto s = h.server({"a"});
  s.answer("resources/list", json::raw(half_broken));
  std::optional<registry> r;
  r.emplace(h.make(h.registry_options().on_fault([&](catalog_fault const& f) { begin(h, r->remove(f.server_name)); })));
  auto const added = h.finish(r->add("x", h.config(s)));
  CHECK(added.error() == errc::closed);
  CHECK(r->servers().empty());
  CHECK(r->tools().empty());
  CHECK(r->resources().empty());
  CHECK(r->faults().empty());
  CHECK_FALSE(h.clock->next_deadline());
}

TEST_CASE("registry: destroyed within a listener of each kind, everything ends", "[registry]") {
  for (int const which : {0, 1, 2}) {
    CAPTURE(which);
    house h;
    auto s = h.server({"a"});
    s.answer("resources/list", json::raw(half_broken));
    std::optional<registry> r;
    auto const end = [&](int of) {
      if (of == which) r.reset();
    };
    r.emplace(h.make(registry_options()
                         .time(h.clock)
                         .on_change([&](catalog_change const&) { end(0); })
                         .on_fault([&](catalog_fault const&) { end(1); })
                         .on_status([&](server_status const&) { end(2); })));
    auto const added = h.finish(r->add("x", h.config(s)));
    CHECK(added.error() == errc::closed);
    CHECK_FALSE(r);
    h.advance(1min);
    CHECK_FALSE(h.clock->next_deadline());
  }
}

TEST_CASE("registry: a name is free within the listener that hears of its server's end", "[registry]") {
  house h;
  auto const s = h.server({"a"});
  auto const next = h.server({"b"});
  bool again = false;
  std::optional<registry> r;
  r.emplace(h.make(h.registry_options().on_change([&](catalog_change const& c) {
    if (!c.removed.empty() && !std::exchange(again, true)) begin(h, r->add("x", h.config(next)));
  })));
  REQUIRE(h.finish(r->add("x", h.config(s))));
  REQUIRE(h.finish(r->remove("x")));
  CHECK(names(r->tools()) == strings{"x/b"});
  CHECK(h.finish(r->call("x/b")));
  REQUIRE(h.finish(r->close()));
  CHECK(r->tools().empty());
}

TEST_CASE("registry: crash eviction: who restarts a server as it hears of its failure keeps it", "[registry]") {
  house h;
  auto const s = h.server({"a"});
  std::optional<registry> r;
  r.emplace(h.make(h.registry_options().on_status([&](server_status const& now) {
    if (now.state == server_state::failed) begin(h, r->reconnect(now.name));
  })));
  REQUIRE(h.finish(r->add("x", h.config(s).reconnect(reconnect_policy::never()))));
  s.drop();
  h.settle();
  CHECK(state_of(*r, "x") == server_state::ready);
  CHECK(names(r->tools()) == strings{"x/a"});
}

TEST_CASE("registry: a server that is lost before its add ends, and does not come back, was not added", "[registry]") {
  bool const gives_up = GENERATE(true, false);
  house h;
  auto s = h.server({"a"});
  bool broken = false;
  s.breaks_while(&broken);
  s.on("tools/list", [&](fake_request const&) {
    broken = true;
    s.drop();
  });
  auto r = h.make();
  auto const policy = gives_up ? reconnect_policy().attempts(1).jitter(0) : reconnect_policy::forever();
  auto const added = h.start(r.add("x", h.config(s).reconnect(policy).start_timeout(20s)));
  CHECK_FALSE(added->done());
  h.advance(500ms);
  CHECK(added->done() == gives_up);
  for (int i = 0; i != 40; ++i) h.advance(500ms);
  REQUIRE(added->times == 1);
  CHECK(added->error());
  CHECK(r.servers().empty());
  CHECK_FALSE(h.clock->next_deadline());
}
