// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Local subscribers of one resource: what each of them gets, and does not take from the others.
#include <comcp/client/connect.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

// A server that acknowledges and updates when it is told to.
struct slow_server {
  slow_server(asio::any_io_executor ex, bool is_modern) : server(std::move(ex)), modern(is_modern) {
    modern ? server.modern() : server.legacy();
    server.on(modern ? "subscriptions/listen" : "resources/subscribe", [this](fake_request r) { asked.push_back(r); });
  }
  [[nodiscard]] std::string meta() const {
    return R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" + asked.back().id().dump() + "}";
  }
  void acknowledge() {
    if (!modern) return asked.back().reply(args());
    server.notify("notifications/subscriptions/acknowledged",
                  json::raw(R"({"notifications":{"resourceSubscriptions":["x://a"]},)" + meta() + "}"));
  }
  void update() {
    server.notify("notifications/resources/updated",
                  json::raw(modern ? R"({"uri":"x://a",)" + meta() + "}" : std::string(R"({"uri":"x://a"})")));
  }
  fake_server server;
  bool modern;
  std::vector<fake_request> asked;
};

}  // namespace

TEST_CASE("subscribers: one that is cancelled takes nothing from another that waits with it", "[client]") {
  conversation c;
  slow_server s(c.io.get_executor(), GENERATE(false, true));
  auto client = c.connect(s.server.transport());
  int first = 0, second = 0;
  updated_callback one = [&](resource_updated const&) { ++first; };
  updated_callback two = [&](resource_updated const&) { ++second; };
  auto const a = c.start(client->subscribe("x://a", one));
  auto const b = c.start(client->subscribe("x://a", two));
  a->cancel();
  c.settle();
  CHECK(a->error() == errc::cancelled);
  s.acknowledge();
  c.settle();
  CHECK(b->ok());
  s.update();
  c.settle();
  CHECK(first == 0);
  CHECK(second == 1);
}

TEST_CASE("subscribers: without the capability, and after the end, they fail at once with the reason", "[client]") {
  bool const modern = GENERATE(false, true);
  conversation c;
  fake_server server(c.io.get_executor());
  modern ? server.modern() : server.legacy();
  server.capabilities(R"({"tools":{},"resources":{}})");
  auto client = c.connect(server.transport());
  auto const refused = c.finish(client->subscribe("x://a"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == errc::capability_missing);
  CHECK(server.count(modern ? "subscriptions/listen" : "resources/subscribe") == 0);
  server.drop();
  c.settle();
  for (auto const& late : {c.finish(client->subscribe("x://a")), c.finish(client->unsubscribe("x://a"))}) {
    REQUIRE_FALSE(late);
    CHECK(late.error() == errc::transport_failed);
  }
}

TEST_CASE("subscribers: a listener of a watched list that throws is called again", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().answer("tools/list", json::raw(R"({"tools":[]})"));
  auto client = c.connect(server.transport());
  int calls = 0;
  std::function<void(result<listing<tool>>)> listener = [&](result<listing<tool>> const&) {
    ++calls;
    throw std::runtime_error("no");
  };
  auto const watch = client->watch_tools(listener);
  for (int i = 1; i <= 2; ++i) {
    server.notify("notifications/tools/list_changed");
    c.settle();
    c.advance(300ms);
    CHECK(calls == i);
    CHECK(c.faults.size() == static_cast<std::size_t>(i));
  }
}

TEST_CASE("subscribers: those of one uri who come together ask the server once", "[client]") {
  conversation c;
  slow_server s(c.io.get_executor(), GENERATE(false, true));
  auto client = c.connect(s.server.transport());
  auto const a = c.start(client->subscribe("x://a"));
  auto const b = c.start(client->subscribe("x://a"));
  CHECK(s.asked.size() == 1);
  s.acknowledge();
  c.settle();
  CHECK(a->ok());
  CHECK(b->ok());
  CHECK(s.asked.size() == 1);
}

TEST_CASE("subscribers: when the one who asks is refused, the next one asks", "[client]") {
  conversation c;
  slow_server s(c.io.get_executor(), false);
  auto client = c.connect(s.server.transport());
  auto const a = c.start(client->subscribe("x://a"));
  auto const b = c.start(client->subscribe("x://a"));
  s.asked[0].fail(-32602, "no");
  c.settle();
  CHECK(a->error().peer());
  REQUIRE(s.asked.size() == 2);
  s.acknowledge();
  c.settle();
  CHECK(b->ok());
}

TEST_CASE("subscribers: the options of a call bound its waiting, in both eras", "[client]") {
  conversation c;
  slow_server s(c.io.get_executor(), GENERATE(false, true));
  auto client = c.connect(s.server.transport());
  std::stop_source stop;
  auto const first = c.start(client->subscribe("x://a", {}, call_options().timeout(60s)));
  auto const hasty = c.start(client->subscribe("x://a", {}, call_options().timeout(2s)));
  auto const bounded = c.start(client->subscribe("x://a", {}, call_options().hard_timeout(3s)));
  auto const stopped = c.start(client->subscribe("x://a", {}, call_options().stop(stop.get_token())));
  c.advance(2s);
  CHECK(hasty->error() == errc::timeout);
  CHECK_FALSE(bounded->done());
  c.advance(1s);
  CHECK(bounded->error() == errc::timeout);
  CHECK_FALSE(stopped->done());
  stop.request_stop();
  c.settle();
  CHECK(stopped->error() == errc::cancelled);
  CHECK(c.finish(client->subscribe("x://a", {}, call_options().stop(stop.get_token()))).error() == errc::cancelled);
  c.advance(40s);  // past the default timeout
  CHECK_FALSE(first->done());
  s.acknowledge();
  c.settle();
  CHECK(first->ok());
}

TEST_CASE("subscribers: listen() takes the options of a call", "[client]") {
  conversation c;
  slow_server s(c.io.get_executor(), true);
  auto client = c.connect(s.server.transport());
  std::stop_source stop;
  subscription_filter filter;
  filter.resource_subscriptions.push_back("x://a");
  auto const hasty = c.start(client->listen(filter, call_options().timeout(2s)));
  auto const stopped = c.start(client->listen(filter, call_options().stop(stop.get_token())));
  auto const marked = c.start(client->listen(filter, call_options().timeout(60s).meta("example.com/k", 7)));
  CHECK(s.server.last("subscriptions/listen")["_meta"]["example.com/k"].as_int64() == 7);
  CHECK_FALSE(s.server.last("subscriptions/listen")["_meta"].contains("progressToken"));
  stop.request_stop();
  c.advance(2s);
  CHECK(hasty->error() == errc::timeout);
  CHECK(stopped->error() == errc::cancelled);
  CHECK(s.server.count("notifications/cancelled") == 2);
  c.advance(40s);
  s.acknowledge();
  c.settle();
  REQUIRE(marked->ok());
  CHECK((*marked)->acknowledged().has_resource("x://a"));
}

TEST_CASE("subscribers: a subscription without a stream says so", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  auto client = c.connect(server.modern().transport());
  subscription none;
  CHECK(c.finish(none.next()).error() == errc::closed);
  CHECK_THROWS_AS(none.acknowledged(), comcp::exception);
  CHECK(none.closed());
  subscription_filter tools;
  tools.tools_list_changed = true;
  auto stream = c.finish(client->listen(tools)).value();
  stream.close();
  CHECK(c.finish(stream.next()).error() == errc::closed);
  CHECK_THROWS_AS(stream.dropped(), comcp::exception);
}

TEST_CASE("subscribers: a client that is destroyed while its stream is about to be opened ends that", "[client]") {
  conversation c;
  slow_server s(c.io.get_executor(), true);
  std::optional<client> mine(std::move(*c.connect(s.server.transport())));
  std::optional<error> why;
  auto const subscribe = [&](asio::awaitable<void> op) -> asio::awaitable<void> {
    auto const done = co_await as_result(std::move(op));
    why = done ? error() : done.error();
  };
  asio::post(c.io, [&] {
    asio::co_spawn(c.io, subscribe(mine->subscribe("x://a")), asio::detached);
    mine.reset();
  });
  c.settle();
  REQUIRE(why);
  CHECK(*why == errc::closed);
  CHECK(s.asked.empty());
}

TEST_CASE("subscribers: what timed out leaves the wire, and nobody waits behind it", "[client]") {
  conversation c;
  slow_server s(c.io.get_executor(), true);
  auto client = c.connect(s.server.transport());
  auto const hasty = c.start(client->subscribe("x://hangs", {}, call_options().timeout(2s)));
  auto const next = c.start(client->subscribe("x://a", {}, call_options().timeout(10s)));
  REQUIRE(s.asked.size() == 1);
  c.advance(2s);
  CHECK(hasty->error() == errc::timeout);
  CHECK(s.server.count("notifications/cancelled") == 1);
  REQUIRE(s.asked.size() == 2);
  CHECK(s.asked[1].params()["notifications"].dump() == R"({"resourceSubscriptions":["x://a"]})");
  s.acknowledge();
  c.settle();
  CHECK(next->ok());
  auto const last = c.start(client->subscribe("x://a"));
  CHECK(last->ok());
  c.advance(1h);
  CHECK(s.asked.size() == 2);
}

TEST_CASE("subscribers: a stream that ends before its acknowledgment is said to", "[client]") {
  conversation c;
  slow_server s(c.io.get_executor(), true);
  auto client = c.connect(s.server.transport());
  auto const subscribed = c.start(client->subscribe("x://a"));
  s.asked.back().reply(args("resultType", "complete"));
  c.settle();
  CHECK(subscribed->error() == errc::protocol_violation);
  CHECK_THAT(std::string(subscribed->error().message()), match::contains("acknowledged"));
  subscription_filter tools;
  tools.tools_list_changed = true;
  auto const listening = c.start(client->listen(tools));
  s.asked.back().reply(args("resultType", "complete"));
  c.settle();
  CHECK(listening->error() == errc::protocol_violation);
}

TEST_CASE("subscribers: kinds that are not acknowledged are told to who waits for them, once", "[client]") {
  struct notes {
    void on(prompts_list_changed) {}
  };
  conversation c;
  fake_server server(c.io.get_executor());
  std::vector<fake_request> asked;
  server.modern().on("subscriptions/listen", [&asked](fake_request r) { asked.push_back(r); });
  auto client = c.connect(server.transport(), c.options(), notes());
  auto const acknowledge = [&](std::string const& filter) {
    auto const meta = R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" + asked.back().id().dump() + "}";
    server.notify("notifications/subscriptions/acknowledged", json::raw(R"({"notifications":)" + filter + "," + meta + "}"));
    c.settle();
  };
  c.settle();
  REQUIRE(asked.size() == 1);
  acknowledge("{}");
  REQUIRE(c.faults.size() == 1);
  CHECK(c.faults[0] == errc::capability_missing);
  CHECK_THAT(std::string(c.faults[0].message()), match::contains("prompts"));

  std::vector<error> told, late;
  auto const watch = client->watch_tools([&](result<listing<tool>> r) { told.push_back(r ? error() : r.error()); });
  c.settle();
  REQUIRE(asked.size() == 2);
  acknowledge("{}");
  REQUIRE(told.size() == 1);
  CHECK(told[0] == errc::capability_missing);
  CHECK(c.faults.size() == 2);
  auto const another = client->watch_tools([&](result<listing<tool>> r) { late.push_back(r ? error() : r.error()); });
  c.settle();
  CHECK(late.size() == 1);  // there is no new stream for it
  CHECK(asked.size() == 2);
  auto const subscribed = c.start(client->subscribe("x://a"));
  acknowledge(R"({"toolsListChanged":true,"resourceSubscriptions":["x://a"]})");
  CHECK(subscribed->ok());
  CHECK(c.faults.size() == 2);
  auto const second = c.start(client->subscribe("x://b"));
  acknowledge(R"({"toolsListChanged":true,"resourceSubscriptions":["x://b"]})");
  CHECK(second->ok());
  REQUIRE(c.faults.size() == 3);  // whose updates of x://a have ended by that
  CHECK_THAT(std::string(c.faults[2].message()), match::contains("x://a"));
}

TEST_CASE("subscribers: what a modern server did not acknowledge is unknown of the legacy one that follows it", "[client]") {
  conversation c;
  slow_server s(c.io.get_executor(), true);
  auto client = c.connect(s.server.transport());
  std::vector<error> first, second;
  auto const watch = client->watch_tools([&](result<listing<tool>> const& r) { first.push_back(r ? error() : r.error()); });
  c.settle();
  s.acknowledge();  // of other things
  c.settle();
  REQUIRE(first.size() == 1);
  CHECK(first[0] == errc::capability_missing);
  s.server.legacy();
  REQUIRE(c.start(client->reconnect())->ok());
  REQUIRE(client->era() == era::legacy);
  auto const another = client->watch_tools([&](result<listing<tool>> const& r) { second.push_back(r ? error() : r.error()); });
  c.settle();
  CHECK(second.empty());
}
