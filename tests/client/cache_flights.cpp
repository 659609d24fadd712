// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Equal calls in flight are one request, for which every caller waits on its own.
#include "support/cached.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;

namespace {

/// A server that answers lists when the test says so.
struct held : cached {
  held() {
    for (auto const* const method : {"tools/list", "prompts/list", "resources/read"}) {
      server.on(method, [this](fake_request r) { open.push_back(std::move(r)); });
    }
  }
  void answer(std::size_t i = 0, std::string const& hints = R"("ttlMs":5000)") {
    open.at(i).reply(page("tools/list", "tools", hints));
    settle();
  }
  outcome_of<listing<tool>> ask(client const& c, call_options o = call_options()) {
    return start(c.list_tools(std::move(o)));
  }
  std::vector<fake_request> open;
};

std::string got(outcome_of<listing<tool>> const& o) {
  if (o->times != 1) return "ended " + std::to_string(o->times) + " times";
  return cached::names(*o->value);
}

}  // namespace

TEST_CASE("flights: equal calls are one request, and each gets its result", "[client]") {
  held t;
  auto const c = t.caching();
  auto const a = t.ask(c), b = t.ask(c);
  auto const other = t.start(c.list_prompts());
  auto const elsewhere = t.start(c.list_tools_page("cursor"));
  CHECK(t.open.size() == 3);
  CHECK_FALSE(a->done());
  t.answer();
  CHECK(got(a) == "1");
  CHECK(got(b) == "1");
  CHECK_FALSE(other->done());
  CHECK_FALSE(elsewhere->done());
  auto const s = c.statistics();
  CHECK(s.coalesced == 1);
  CHECK(s.tracked == 3);
  CHECK(s.completed == 1);
  CHECK(s.cache_misses == 4);
}

TEST_CASE("flights: without a store too, and then nothing is used again", "[client]") {
  held t;
  auto const c = t.caching(cache_options().no_store());
  auto const a = t.ask(c), b = t.ask(c);
  CHECK(t.open.size() == 1);
  t.answer();
  CHECK(got(a) == "1");
  CHECK(got(b) == "1");
  auto const d = t.ask(c);
  CHECK(t.open.size() == 2);
  t.answer(1);
  CHECK(got(d) == "2");
  CHECK(c.statistics().cache_misses == 0);
}

TEST_CASE("flights: they can be had without, too", "[client]") {
  held t;
  auto const c = t.caching(cache_options().coalesce(false));
  auto const a = t.ask(c), b = t.ask(c);
  CHECK(t.open.size() == 2);
  t.answer(0);
  t.answer(1);
  CHECK(got(a) == "1");
  CHECK(got(b) == "2");
  CHECK(t.tools(c) == "2");
}

TEST_CASE("flights: when the first caller is cancelled the others get their answer", "[client]") {
  held t;
  auto const c = t.caching();
  auto const a = t.ask(c), b = t.ask(c);
  a->cancel();
  t.settle();
  CHECK(a->error() == errc::cancelled);
  CHECK(t.server.count("notifications/cancelled") == 0);
  t.answer();
  CHECK(got(b) == "1");
  CHECK(t.tools(c) == "1");
}

TEST_CASE("flights: when nobody waits any more the request is cancelled", "[client]") {
  held t;
  auto const c = t.caching();
  std::stop_source stop;
  auto const a = t.ask(c), b = t.ask(c, call_options().stop(stop.get_token()));
  stop.request_stop();
  t.settle();
  CHECK(b->error() == errc::cancelled);
  CHECK(t.server.count("notifications/cancelled") == 0);
  a->cancel();
  t.settle();
  CHECK(a->error() == errc::cancelled);
  CHECK(t.server.count("notifications/cancelled") == 1);
  auto const d = t.ask(c);
  REQUIRE(t.open.size() == 2);
  t.answer(0);
  CHECK_FALSE(d->done());
  t.answer(1);
  CHECK(got(d) == "2");
  CHECK(c.statistics().pending == 0);
  CHECK(c.statistics().cancelled == 1);
}

TEST_CASE("flights: every caller has its own timeout", "[client]") {
  held t;
  auto const c = t.caching();
  auto const brief = t.ask(c, call_options().timeout(1s));
  auto const usual = t.ask(c);
  auto const patient = t.ask(c, call_options().timeout(60s));
  auto const hard = t.ask(c, call_options().timeout(60s).hard_timeout(40s));
  t.advance(1s);
  CHECK(brief->error() == errc::timeout);
  CHECK(std::string(brief->error().message()) == "tools/list");
  t.advance(29s);
  CHECK(usual->error() == errc::timeout);
  t.advance(10s);
  CHECK(hard->error() == errc::timeout);
  t.advance(19s);
  CHECK_FALSE(patient->done());
  CHECK(t.server.count("notifications/cancelled") == 0);
  SECTION("the answer comes in time for the last") {
    t.answer();
    CHECK(got(patient) == "1");
  }
  SECTION("or not") {
    t.advance(1s);
    CHECK(patient->error() == errc::timeout);
    CHECK(t.server.count("notifications/cancelled") == 1);
  }
  CHECK(brief->times + usual->times + hard->times + patient->times == 4);
}

TEST_CASE("flights: progress extends those who want that", "[client]") {
  held t;
  auto const c = t.caching();
  auto const willing = t.ask(c, call_options().timeout(10s));
  auto const strict = t.ask(c, call_options().timeout(10s).extend_on_progress(false));
  t.advance(9s);
  t.open.at(0).progress(1);
  t.settle();
  t.advance(2s);
  CHECK(strict->error() == errc::timeout);
  CHECK_FALSE(willing->done());
  t.answer();
  CHECK(got(willing) == "1");
}

TEST_CASE("flights: a failure is everybody's, each once, and is not remembered", "[client]") {
  held t;
  auto const c = t.caching();
  auto const a = t.ask(c), b = t.ask(c);
  t.open.at(0).fail(-32603, "broken");
  t.settle();
  CHECK_THAT(got(a), match::contains("broken"));
  CHECK_THAT(got(b), match::contains("broken"));
  auto const d = t.ask(c);
  t.answer(1);
  CHECK(got(d) == "1");
}

TEST_CASE("flights: the end of the connection is everybody's end", "[client]") {
  held t;
  SECTION("close()") {
    auto const c = t.caching();
    auto const a = t.ask(c), b = t.ask(c);
    CHECK(t.finish(c.close()));
    CHECK(a->error() == errc::closed);
    CHECK(b->error() == errc::closed);
    CHECK(a->times + b->times == 2);
  }
  SECTION("the server goes away") {
    auto const c = t.caching();
    auto const a = t.ask(c), b = t.ask(c);
    t.server.drop();
    t.settle();
    CHECK(a->error() == errc::transport_failed);
    CHECK(b->error() == errc::transport_failed);
    CHECK(a->times + b->times == 2);
  }
  SECTION("the client is destroyed") {
    std::optional<client> c = t.caching();
    auto const a = t.ask(*c), b = t.ask(*c);
    c.reset();
    t.settle();
    CHECK(a->error() == errc::closed);
    CHECK(b->error() == errc::closed);
  }
  SECTION("the first whose answer comes destroys the client") {
    std::optional<client> c = t.caching();
    auto const first = [&]() -> asio::awaitable<void> {
      (void)co_await c->list_tools();
      c.reset();
    };
    asio::co_spawn(t.io, first(), asio::detached);
    auto const b = t.ask(*c);
    t.answer();
    CHECK_FALSE(c);
    CHECK(got(b) == "1");
  }
}

TEST_CASE("flights: what waits in them goes with its context", "[client]") {
  auto const count = std::make_shared<int>(0);
  {
    held t;
    auto c = t.caching();
    auto const wait = [](client& on, std::shared_ptr<int> kept) -> asio::awaitable<void> {
      (void)co_await on.list_tools();
      ++*kept;
    };
    asio::co_spawn(t.io, wait(c, count), asio::detached);
    asio::co_spawn(t.io, wait(c, count), asio::detached);
    t.settle();
    CHECK(t.open.size() == 1);
    CHECK(count.use_count() == 3);
  }
  CHECK(count.use_count() == 1);
  CHECK(*count == 0);
}

TEST_CASE("flights: a server that is restarted answers those who waited", "[client]") {
  held t;
  auto const c =
      t.connect(
           t.server.transport(),
           t.options().cache(cache_options()).reconnect(reconnect_policy().jitter(0).attempts(2).delay(100ms, 10s)))
          .value();
  auto const a = t.ask(c), b = t.ask(c);
  t.server.drop();
  t.settle();
  t.advance(100ms);
  REQUIRE(t.open.size() == 2);
  CHECK_FALSE(a->done());
  t.answer(1);
  CHECK(got(a) == "1");
  CHECK(got(b) == "1");
}

TEST_CASE("flights: refresh joins none, bypass joins none and is joined by none", "[client]") {
  held t;
  auto const c = t.caching();
  auto const a = t.ask(c), fresh = t.ask(c, call_options().cache(cache_use::refresh));
  CHECK(t.open.size() == 2);
  auto const b = t.ask(c);  // with the later one
  auto const alone = t.ask(c, call_options().cache(cache_use::bypass));
  CHECK(t.open.size() == 3);
  t.answer(1);
  CHECK(got(fresh) == "1");
  CHECK(got(b) == "1");
  t.answer(0);
  CHECK(got(a) == "2");
  t.answer(2);
  CHECK(got(alone) == "3");
}

TEST_CASE("flights: callers with something of their own to send or hear stay alone", "[client]") {
  held t;
  auto const c = t.caching();
  auto const a = t.ask(c);
  int heard = 0;
  auto const b = t.ask(c, call_options().on_progress([&heard](progress_notification const&) { ++heard; }));
  auto const d = t.ask(c, call_options().meta("example.com/trace", "x"));
  auto const e = t.ask(c, call_options().log_level(log_level::debug));
  REQUIRE(t.open.size() == 4);
  t.open[1].progress(1);
  t.settle();
  CHECK(heard == 1);
  CHECK(t.open[2].meta("example.com/trace").as<std::string>() == "x");
  for (std::size_t i = 0; i < 4; ++i) t.answer(i);
  CHECK(got(a) + got(b) + got(d) + got(e) == "1234");
  CHECK(t.tools(c) == "4");
}

TEST_CASE("flights: those who wait count towards the limit of calls, the request does not", "[client]") {
  held t;
  auto const c = t.connect(t.server.transport(),
                           t.options().cache(cache_options()).limits(connection_limits().pending_calls(2))).value();
  auto const a = t.ask(c), b = t.ask(c), over = t.ask(c);
  CHECK(over->error() == errc::queue_full);
  t.answer();
  CHECK(got(a) == "1");
  CHECK(got(b) == "1");
}

TEST_CASE("flights: behind interceptors, too", "[client]") {
  held t;
  interceptor i;
  int after = 0;
  i.after = [&after](outgoing_call const&, result<json::value>&) -> asio::awaitable<void> {
    ++after;
    co_return;
  };
  auto const c = t.connect(t.server.transport(), t.options().cache(cache_options()).intercept(i)).value();
  auto const a = t.ask(c), b = t.ask(c), d = t.ask(c);
  CHECK(t.open.size() == 1);
  a->cancel();
  t.settle();
  CHECK(a->error() == errc::cancelled);
  t.answer();
  CHECK(got(b) == "1");
  CHECK(got(d) == "1");
  CHECK(after == 3);
}
