// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whom the strategies choose, without a pool around them.
#include <comcp/pool/strategy.hpp>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace comcp;
using candidates = std::vector<pool_candidate>;

namespace {

candidates idle(std::vector<std::size_t> const& ids) {
  candidates all;
  for (auto const id : ids) all.push_back({id, 0});
  return all;
}

template <class Strategy>
std::string picks(Strategy& s, candidates const& ready, int times) {
  std::string all;
  for (int i = 0; i != times; ++i) all += std::to_string(ready[s.pick(ready)].id);
  return all;
}

struct always_first {
  int pick(std::span<pool_candidate const>) { return 0; }
};
struct by_name_only {
  std::string pick(std::span<pool_candidate const>);
};
struct move_only {
  std::unique_ptr<int> state;
  std::size_t pick(std::span<pool_candidate const>);
};

static_assert(pool_strategy<round_robin> && pool_strategy<comcp::random<>> && pool_strategy<least_busy>);
static_assert(pool_strategy<comcp::random<std::mt19937_64>>);
static_assert(pool_strategy<always_first>);
static_assert(!pool_strategy<by_name_only> && !pool_strategy<move_only> && !pool_strategy<int>);

}  // namespace

TEST_CASE("strategy: round_robin takes one after the other", "[pool]") {
  round_robin s;
  CHECK(picks(s, idle({1, 2, 3}), 7) == "1231231");
  round_robin one;
  CHECK(picks(one, idle({4}), 3) == "444");
}

TEST_CASE("strategy: round_robin goes on with the next member when some come and go", "[pool]") {
  round_robin s;
  CHECK(picks(s, idle({1, 2, 3}), 2) == "12");
  CHECK(picks(s, idle({1, 3}), 1) == "3");     // the second went away: nobody is skipped
  CHECK(picks(s, idle({1, 2, 3}), 1) == "1");  // and came back
  CHECK(picks(s, idle({2, 3, 4}), 4) == "2342");
  CHECK(picks(s, idle({1}), 2) == "11");
}

TEST_CASE("strategy: random repeats its choices with an equal engine, and takes all about equally", "[pool]") {
  auto const ready = idle({0, 1, 2, 3});
  comcp::random a(std::minstd_rand(7)), b(std::minstd_rand(7));
  CHECK(picks(a, ready, 50) == picks(b, ready, 50));
  std::map<char, int> count;
  for (auto const c : picks(a, ready, 4000)) ++count[c];
  REQUIRE(count.size() == 4);
  for (auto const& [id, n] : count) {
    CHECK(n > 850);
    CHECK(n < 1150);
  }
  comcp::random unseeded;
  CHECK(unseeded.pick(ready) < 4);
  CHECK(unseeded.pick(idle({9})) == 0);
}

TEST_CASE("strategy: least_busy takes the one with the fewest in flight, and equals in turn", "[pool]") {
  least_busy s;
  CHECK(picks(s, {{1, 3}, {2, 1}, {3, 2}}, 2) == "22");
  CHECK(picks(s, {{1, 0}, {2, 1}, {3, 0}}, 4) == "3131");
  least_busy fresh;
  CHECK(picks(fresh, idle({1, 2, 3}), 4) == "1231");
}

TEST_CASE("strategy: least_busy spreads calls that stay in flight", "[pool]") {
  least_busy s;
  auto ready = idle({1, 2, 3});
  std::string order;
  for (int i = 0; i != 9; ++i) {
    auto& chosen = ready[s.pick(ready)];
    ++chosen.in_flight;
    order += std::to_string(chosen.id);
  }
  CHECK(order == "123123123");
  ready[1].in_flight = 0;
  CHECK(picks(s, ready, 2) == "22");
}
