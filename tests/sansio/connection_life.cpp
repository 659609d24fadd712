// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/sansio/connection_life.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using comcp::sansio::connection_life;
using event = comcp::sansio::life_event;
using state = comcp::sansio::life_state;

namespace {

// What happens, told by what it means; every other pair changes nothing.
std::map<std::pair<event, state>, state> meant() {
  std::map<std::pair<event, state>, state> m;
  m[{event::open, state::idle}] = state::opening;
  m[{event::opened, state::opening}] = state::negotiating;
  m[{event::negotiated, state::negotiating}] = state::settling;
  m[{event::settled, state::settling}] = state::ready;

  for (auto const s : {state::ready, state::restarting, state::renewing, state::renegotiating, state::restoring})
    m[{event::lost, s}] = state::waiting;
  m[{event::due, state::waiting}] = state::restarting;
  m[{event::opened, state::restarting}] = state::renegotiating;
  m[{event::negotiated, state::renegotiating}] = state::restoring;
  m[{event::settled, state::restoring}] = state::ready;

  m[{event::renew, state::ready}] = state::renewing;
  m[{event::opened, state::renewing}] = state::renegotiating;
  m[{event::kept, state::renewing}] = state::ready;
  m[{event::kept, state::renegotiating}] = state::ready;

  for (std::size_t s = 0; s != connection_life::states; ++s) {
    if (static_cast<state>(s) < state::closing) m[{event::close, static_cast<state>(s)}] = state::closing;
    if (static_cast<state>(s) < state::closed) m[{event::end, static_cast<state>(s)}] = state::closed;
  }
  return m;
}

connection_life reached(std::vector<event> const& by) {
  connection_life life;
  for (auto const e : by) CHECK(life.on(e));
  return life;
}

}  // namespace

TEST_CASE("connection_life: each event in each state does what is meant, and nothing else", "[sansio]") {
  auto const expected = meant();
  for (std::size_t e = 0; e != connection_life::events; ++e) {
    for (std::size_t s = 0; s != connection_life::states; ++s) {
      auto const found = expected.find({static_cast<event>(e), static_cast<state>(s)});
      auto const wanted = found == expected.end() ? static_cast<state>(s) : found->second;
      INFO("event " << e << " in state " << s);
      CHECK(connection_life::after(static_cast<event>(e), static_cast<state>(s)) == wanted);
    }
  }
}

TEST_CASE("connection_life: every state is reached from the first, and leads to the end", "[sansio]") {
  std::set<state> seen{state::idle};
  for (bool grew = true; grew;) {
    grew = false;
    for (auto const s : std::set<state>(seen)) {
      for (std::size_t e = 0; e != connection_life::events; ++e)
        grew = seen.insert(connection_life::after(static_cast<event>(e), s)).second || grew;
    }
  }
  CHECK(seen.size() == connection_life::states);
  for (auto const s : seen) CHECK(connection_life::after(event::end, s) == state::closed);
}

TEST_CASE("connection_life: a restart, a renewal, and what calls may do meanwhile", "[sansio]") {
  auto life = reached({event::open, event::opened, event::negotiated, event::settled});
  CHECK(life.is(state::ready));
  CHECK_FALSE(life.is_restarting());
  for (auto const e : {event::lost, event::due, event::opened}) {
    CHECK(life.on(e));
    CHECK(life.is_restarting());
  }
  CHECK(life.on(event::negotiated));
  CHECK_FALSE(life.is_restarting());  // calls go out while the server is told the rest
  CHECK(life.on(event::settled));
  CHECK(life.on(event::renew));
  CHECK(life.is_restarting());
  CHECK(life.on(event::kept));
  CHECK(life.is(state::ready));
  CHECK(life.on(event::close));
  CHECK(life.is_closing());
  CHECK_FALSE(life.on(event::lost));
  CHECK(life.on(event::end));
  CHECK_FALSE(life.on(event::open));
}
