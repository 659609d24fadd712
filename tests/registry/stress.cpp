// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything at once, in an order that a seeded generator chooses: each operation ends once, and nothing is left.
#include <algorithm>
#include <deque>
#include <functional>
#include <random>

#include "registry/house.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

struct riot : house {
  struct begun {
    std::string what;
    std::function<int()> times;
    std::function<void()> cancel;
  };

  std::minstd_rand engine;
  std::deque<toolbox> servers;
  std::deque<bool> broken;
  std::vector<begun> all;
  int statuses = 0;
  std::optional<registry> r;

  explicit riot(unsigned seed) : engine(seed) {
    for (std::size_t i = 0; i != 6; ++i) {
      broken.push_back(false);
      servers.push_back(server({"echo", "t" + std::to_string(i)}));
      servers.back().breaks_while(&broken.back());
    }
    auto options = comcp::registry_options().time(clock).fail_fast(seed % 5 == 0);
    options.on_status([this](server_status const&) {
      if (++statuses % 50 == 0 && r) begin("restart", r->reconnect(name()));  // from within
    });
    r.emplace(make(options));
  }

  std::size_t any(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine); }
  std::string name() { return "s" + std::to_string(any(servers.size())); }

  template <class T>
  void begin(std::string what, asio::awaitable<T> operation) {
    auto const o = std::make_shared<outcome<T>>();
    auto const started = std::make_shared<bool>(false);  // Asio never begins what is cancelled before
    auto cancel = [o, started] {
      if (*started && !o->done()) o->cancel();
    };
    all.push_back({std::move(what), [o] { return o->times; }, std::move(cancel)});
    auto work = note(started, keep(o, std::move(operation)));
    asio::co_spawn(io, std::move(work), asio::bind_cancellation_slot(o->signal.slot(), asio::detached));
  }
  static asio::awaitable<void> note(std::shared_ptr<bool> started, asio::awaitable<void> work) {
    *started = true;
    co_await std::move(work);
  }

  void cancel_one() {
    if (all.empty()) return;
    all[all.size() - 1 - any(std::min<std::size_t>(all.size(), 8))].cancel();
  }

  server_config configured(std::size_t i) {
    auto c = config(servers[i]).start_timeout(std::chrono::seconds(1 + any(20)));
    if (i % 2 == 0) c.options(connect_options().time(clock).legacy());
    reconnect_policy const policies[] = {reconnect_policy::never(),
                                         reconnect_policy().attempts(2).delay(100ms, 1s).jitter(0),
                                         reconnect_policy::forever().delay(50ms, 2s).jitter(0.5)};
    c.reconnect(reconnect_policy(policies[any(3)]).circuit_breaker(2).proven_after(1s));
    return c.start(static_cast<start_mode>(any(3)));
  }

  void step() {
    auto const i = any(servers.size());
    auto const n = "s" + std::to_string(i);
    switch (any(16)) {
      case 0: case 1: return begin("add", r->add(n, configured(i)));
      case 2: return begin("remove", r->remove(n));
      case 3: return begin("restart", r->reconnect(n));
      case 4: case 5: {
        call_options hasty;
        hasty.timeout(std::chrono::milliseconds(any(3000)));
        return begin("call", r->call(n + "/echo", args(), hasty));
      }
      case 6: return begin("call", r->call("t" + std::to_string(i)));
      case 7: return begin("read", r->read(n, "u:1"));
      case 8: return begin("refresh", any(2) ? r->refresh(n) : r->refresh());
      case 9: return begin("subscribe", any(2) ? r->subscribe(n, "u:1") : r->unsubscribe(n, "u:1"));
      case 10: return begin("settled", r->settled(std::chrono::milliseconds(any(2000))));
      case 11: return servers[i].drop();
      case 12: broken[i] = !broken[i]; return;
      case 13: return servers[i].tell();
      case 14: return cancel_one();
      default: clock->advance(std::chrono::milliseconds(any(1500))); return;
    }
  }

  void consistent() const {
    auto const known = r->servers();
    for (auto const& t : r->tools()) REQUIRE(std::find(known.begin(), known.end(), t.server_name) != known.end());
    for (auto const& n : known) REQUIRE(r->status(n)->history.size() <= 32);
  }
};

}  // namespace

TEST_CASE("registry: whatever happens in whatever order, every operation ends once and nothing is left", "[registry]") {
  for (unsigned seed = 1; seed != 11; ++seed) {
    CAPTURE(seed);
    riot h(seed);
    for (int i = 0; i != 400; ++i) {
      h.step();
      for (auto n = h.any(40); n != 0; --n) {
        h.io.restart();
        h.io.poll_one();
      }
      h.consistent();
    }
    bool const gracefully = seed % 2 == 0;
    if (gracefully) {
      h.begin("close", h.r->close());
      h.begin("close", h.r->close());
    } else {
      h.r.reset();
    }
    h.settle();
    for (int i = 0; i != 4; ++i) h.advance(20s);
    for (std::size_t i = 0; i != h.all.size(); ++i) {
      CAPTURE(i, h.all[i].what);
      REQUIRE(h.all[i].times() == 1);
    }
    CHECK(h.all.size() > 200);
    if (gracefully) CHECK(h.r->servers().empty());
    CHECK_FALSE(h.clock->next_deadline());
  }
}
