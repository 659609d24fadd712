// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What may happen at any moment of a request that callers share, and of the list that validation waits for.
#include "support/cached.hpp"
#include "support/validated.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

constexpr int first_moment = 2;  // both callers have begun: Asio never starts what is cancelled before
constexpr int last_moment = 24;

/// Starts an operation and runs nothing yet.
template <class T>
outcome_of<T> begin(conversation& in, asio::awaitable<T> operation) {
  auto const o = std::make_shared<outcome<T>>();
  auto keep = [](outcome_of<T> to, asio::awaitable<T> op) -> asio::awaitable<void> {
    auto r = co_await as_result(std::move(op));
    to->value.emplace(std::move(r));
    ++to->times;
  };
  asio::co_spawn(in.io, keep(o, std::move(operation)), asio::bind_cancellation_slot(o->signal.slot(), asio::detached));
  return o;
}
void run_until(conversation& in, int moment) {
  in.io.restart();
  for (int i = 0; i != moment; ++i) in.io.poll_one();
}

interceptor watching() {
  interceptor i;
  i.after = [](outgoing_call const&, result<json::value>&) -> asio::awaitable<void> { co_return; };
  return i;
}

}  // namespace

TEST_CASE("flights: a caller that goes at any moment takes no other's answer away", "[client]") {
  int const when = GENERATE(range(first_moment, last_moment));
  bool const intercepted = GENERATE(false, true);
  bool const both = GENERATE(false, true);
  cached t;
  auto options = t.options().cache(cache_options());
  if (intercepted) options.intercept(watching());
  auto const c = t.connect(t.server.transport(), options).value();
  auto const a = begin(t, c.list_tools()), b = begin(t, c.list_tools());
  run_until(t, when);
  a->cancel();
  if (both) b->cancel();
  t.settle();
  for (auto const& each : {a, b}) {
    CHECK(each->times == 1);
    CHECK((each->ok() || each->error() == errc::cancelled));
  }
  if (!both) CHECK(b->ok());
  CHECK(c.statistics().pending == 0);
  CHECK(t.finish(c.list_tools()));
}

TEST_CASE("flights: close and destruction at any moment end every caller once", "[client]") {
  int const when = GENERATE(range(0, last_moment));
  bool const destroyed = GENERATE(false, true);
  cached t;
  std::optional<client> c = t.caching(cache_options().stale_on_error(1min));
  auto const a = begin(t, c->list_tools()), b = begin(t, c->list_tools());
  run_until(t, when);
  if (destroyed) c.reset();
  else CHECK(t.finish(c->close()));
  t.settle();
  for (auto const& each : {a, b}) {
    CHECK(each->times == 1);
    CHECK((each->ok() || each->error() == errc::closed));
  }
}

TEST_CASE("flights: a crash and restart at any moment end every caller once", "[client]") {
  int const when = GENERATE(range(0, last_moment));
  bool const by_hand = GENERATE(false, true);
  cached t;
  auto const c =
      t.connect(
           t.server.transport(),
           t.options().cache(cache_options()).reconnect(reconnect_policy().jitter(0).attempts(2).delay(100ms, 10s)))
          .value();
  auto const a = begin(t, c.list_tools()), b = begin(t, c.list_tools());
  run_until(t, when);
  if (by_hand)
    CHECK(t.start(c.reconnect())->ok());
  else t.server.drop();
  t.settle();
  t.advance(1s);
  CHECK(a->times == 1);
  CHECK(b->times == 1);
  if (by_hand) CHECK((a->ok() && b->ok()));  // what is sent to a server that is gone already fails at once
  CHECK(c.statistics().pending == 0);
}

TEST_CASE("flights: progress extends those who want that, whoever asked first", "[client]") {
  cached t;
  std::vector<comcp::test::fake_request> open;
  t.server.on("tools/list", [&open](comcp::test::fake_request r) { open.push_back(std::move(r)); });
  auto const c = t.caching();
  auto const usual = t.start(c.list_tools());
  auto const willing = t.start(c.list_tools(call_options().timeout(10s)));
  REQUIRE(open.size() == 1);
  t.advance(9s);
  open[0].progress(1);
  t.settle();
  t.advance(2s);
  CHECK_FALSE(willing->done());
  open[0].reply(t.page("tools/list", "tools", R"("ttlMs":0)"));
  t.settle();
  CHECK(willing->ok());
  CHECK(usual->ok());
}

TEST_CASE("validation: whatever happens at any moment of the list, every call ends once", "[client]") {
  int const when = GENERATE(range(first_moment, last_moment));
  int const what = GENERATE(range(0, 5));
  validated v(era::legacy);
  auto const options = v.c.options()
                           .validate(validation_options())
                           .reconnect(reconnect_policy().jitter(0).attempts(2).delay(100ms, 10s));
  v.client = v.c.connect(v.server.transport(), options).value();
  auto const good = args("a", 1, "b", 2);
  auto const one = begin(v.c, v.client.call_tool("sum", good)), two = begin(v.c, v.client.call_tool("sum", good));
  run_until(v.c, when);
  switch (what) {
    case 0: one->cancel(); break;
    case 1: v.server.drop(); break;
    case 2: v.c.start(v.client.close()); break;
    case 3: v.client = comcp::client(); break;
    case 4: v.c.start(v.client.reconnect()); break;
  }
  v.c.settle();
  v.c.advance(1s);
  CHECK(one->times == 1);
  CHECK(two->times == 1);
  CHECK(v.calls() <= 2);  // never repeated
  if (what == 0) CHECK(two->ok());
  if (what == 2 || what == 3) return;
  CHECK(v.client.statistics().pending == 0);
  CHECK_FALSE(v.call("sum", good));
}
