// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Several handlers as one: chains, and a broadcast to listeners.
#include <comcp/client/handlers.hpp>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/detached.hpp>

#include "support/play.hpp"

using namespace comcp;
using namespace comcp::test;

namespace {

struct asks_forms {
  elicit_result elicit(elicit_params) { return elicit_result::decline(); }
};
struct asks_urls {
  asio::awaitable<elicit_result> elicit_url(elicit_params, context&) { co_return elicit_result::accept(); }
};

asio::awaitable<void> settle(client& c) {
  // A round trip: what came before it has been handled by then.
  (void)co_await c.request("ping");
}

}  // namespace

TEST_CASE("chains: a broadcast reaches every listener, and says what had no place", "[client]") {
  broadcast b;
  auto all = b.listen();
  auto two = b.listen(2);
  auto s = legacy_script();
  s.expect("ping").as("q").notify("a/1").notify("a/2").notify("a/3").reply_to("q", "{}");
  s.expect("ping").reply("{}");
  auto const body = [&](client& c) -> asio::awaitable<void> {
    co_await settle(c);
    co_await settle(c);
    for (int i = 1; i <= 3; ++i) {
      auto const n = co_await all.next();
      CHECK(n.method == "a/" + std::to_string(i));
    }
  };
  play(s, b, connect_options(), body);
  CHECK(all.dropped() == 0);
  CHECK(two.size() == 2);
  CHECK(two.dropped() == 1);
}

TEST_CASE("chains: in a chain each elicitation goes to whoever has a member for its mode", "[client]") {
  auto s = legacy_script();
  s.expect("ping").as("q");
  s.request("1", "elicitation/create", R"({"mode":"url","message":"m","url":"https://x/","elicitationId":"e"})").expect("result");
  s.request("2", "elicitation/create", R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})").expect("result");
  s.reply_to("q", "{}");
  auto const body = [](client& c) -> asio::awaitable<void> { co_await settle(c); };
  play(s, handlers(handlers(asks_forms()), asks_urls()), connect_options(), body);
  CHECK(s.sent().at(4)["result"]["action"].as<std::string>() == "accept");
  CHECK(s.sent().at(5)["result"]["action"].as<std::string>() == "decline");
}

TEST_CASE("chains: in a chain all hear of a notification, also when one of them throws", "[client]") {
  struct throws {
    void on(any_notification const&) { throw std::runtime_error("not interested"); }
  };
  struct counts {
    int* heard;
    void on(any_notification const&) { ++*heard; }
  };
  int heard = 0;
  std::vector<std::string> faults;
  auto s = legacy_script();
  s.expect("ping").as("q").notify("vendor/n").reply_to("q", "{}").expect("ping").reply("{}");
  auto const body = [](client& c) -> asio::awaitable<void> {
    co_await settle(c);
    co_await settle(c);
  };
  observer watch;
  watch.on_fault = [&](error const& e) { faults.push_back(e.to_string()); };
  play(s, handlers(throws(), counts{&heard}), connect_options().observe(watch), body);
  CHECK(heard == 1);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].find("not interested") != std::string::npos);
}

TEST_CASE("chains: who waits on a broadcast can be cancelled, and goes with the io_context", "[client]") {
  broadcast b;
  auto const alive = std::make_shared<int>();
  auto const wait = [](broadcast::listener l, std::shared_ptr<int>, std::string* end) -> asio::awaitable<void> {
    try {
      (void)co_await l.next();
    } catch (exception const& e) {
      *end = e.error().code().message();
    }
  };
  std::string end;
  {
    asio::io_context io;
    asio::cancellation_signal signal;
    auto one = wait(b.listen(), alive, &end);
    auto two = wait(b.listen(), alive, &end);
    asio::co_spawn(io, std::move(one), asio::bind_cancellation_slot(signal.slot(), asio::detached));
    asio::co_spawn(io, std::move(two), asio::detached);
    io.poll();
    signal.emit(asio::cancellation_type::terminal);
    io.poll();
    CHECK(end == "cancelled");
    CHECK(alive.use_count() == 2);
  }
  CHECK(alive.use_count() == 1);
}
