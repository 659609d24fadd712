// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The end of a pool at any moment: after each single step of what its members and calls do.
#include <comcp/pool/pool.hpp>

#include <memory>
#include <optional>

#include "pool/crew.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

// Runs at most so many handlers.
bool run_steps(asio::io_context& io, int steps) {
  io.restart();
  for (int i = 0; i != steps; ++i) {
    if (io.poll_one() == 0) return false;
  }
  return true;
}

struct everything {
  explicit everything(crew& c, pool const& p) {
    calls.push_back(c.launch(p.call_tool("who")));
    calls.push_back(c.launch(p.call_tool("hang")));
    checkout = c.launch(p.checkout());
    warm = c.launch(p.warm_up());
    added = c.launch(p.add(c.config(c.hire())));
    removed = c.launch(p.remove("2"));
  }
  void check_ended() const {
    for (auto const& call : calls) CHECK(call->times == 1);
    CHECK(checkout->times == 1);
    CHECK(warm->times == 1);
    CHECK(added->times == 1);
    CHECK(removed->times == 1);
  }
  std::vector<outcome_of<call_tool_result>> calls;
  outcome_of<lease> checkout;
  outcome_of<void> warm, removed;
  outcome_of<std::string> added;
};

}  // namespace

TEST_CASE("pool: destroyed after any step, every operation ends once", "[pool]") {
  bool more = true;
  int steps = 0;
  for (; more && steps != 3000; ++steps) {
    crew c;
    auto p = std::make_unique<pool>(c.io.get_executor(), c.configs(2), c.pooled());
    everything const all(c, *p);
    more = run_steps(c.io, steps);
    p.reset();
    c.settle();
    c.advance(20s);
    INFO("after " << steps << " steps");
    all.check_ended();
  }
  CHECK_FALSE(more);
  CHECK(steps > 50);
}

TEST_CASE("pool: closed after any step, every operation ends once and nothing is left", "[pool]") {
  bool more = true;
  int steps = 0;
  for (; more && steps != 3000; ++steps) {
    crew c;
    pool const p(c.io.get_executor(), c.configs(2), c.pooled());
    everything const all(c, p);
    more = run_steps(c.io, steps);
    auto const closed = c.launch(p.close());
    c.settle();
    c.advance(20s);
    INFO("after " << steps << " steps");
    CHECK(closed->ok());
    all.check_ended();
    CHECK_FALSE(c.clock->next_deadline().has_value());
  }
  CHECK_FALSE(more);
}

TEST_CASE("pool: the context destroyed after any step, nothing is used after its end", "[pool]") {
  bool more = true;
  int steps = 0;
  for (; more && steps != 3000; ++steps) {
    auto c = std::make_unique<crew>();
    std::optional<pool> p(std::in_place, c->io.get_executor(), c->configs(2), c->pooled());
    everything const all(*c, *p);
    more = run_steps(c->io, steps);
    p.reset();
    all.checkout->value.reset();  // a lease does not outlive the context
    c.reset();
    for (auto const& call : all.calls) CHECK(call->times <= 1);
  }
  CHECK_FALSE(more);
}

TEST_CASE("pool: a member dies after any step of a call, and the call ends once", "[pool]") {
  bool more = true;
  int steps = 0;
  for (; more && steps != 3000; ++steps) {
    crew c;
    auto const p = c.make(2);
    auto const a = c.launch(p.call_tool("who")), b = c.launch(p.call_tool("who"));
    more = run_steps(c.io, steps);
    c.servers[0].drop();
    c.settle();
    c.advance(100ms);
    INFO("after " << steps << " steps: " << c.states(p));
    CHECK(a->times == 1);
    CHECK(b->times == 1);
    CHECK(c.states(p) == "1:ready 2:ready");
    CHECK(load_of(p) == "00");
    CHECK(c.who(p).size() == 1);
  }
  CHECK_FALSE(more);
}
