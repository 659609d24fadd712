// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Subscriptions in both eras, listen streams and watches.
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/client/cache.hpp>
#include <comcp/client/handlers.hpp>
#include <comcp/test/manual_clock.hpp>

#include "support/play.hpp"

using namespace comcp;
using namespace comcp::test;

namespace {

// What a listen request of this label acknowledges, as the server says it.
std::string acknowledges(std::string const& label, std::string const& filter) {
  return R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":)" + filter +
         R"(,"_meta":{"io.modelcontextprotocol/subscriptionId":$id:)" + label + "}}}";
}
std::string updated(std::string const& label, std::string const& uri) {
  return R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":")" + uri +
         R"(","_meta":{"io.modelcontextprotocol/subscriptionId":$id:)" + label + "}}}";
}
std::string changed(std::string const& label, std::string const& kind) {
  return R"({"jsonrpc":"2.0","method":"notifications/)" + kind +
         R"(/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$id:)" + label + "}}}";
}
std::string ends(std::string const& label) {
  return R"({"jsonrpc":"2.0","id":$id:)" + label + R"(,"result":{"resultType":"complete"}})";
}

asio::awaitable<void> settle(client& c) { (void)co_await c.call_tool("sync"); }
constexpr auto tool_done = R"({"content":[]})";

subscription_filter tools_filter() {
  subscription_filter f;
  f.tools_list_changed = true;
  return f;
}

}  // namespace

TEST_CASE("subscriptions: legacy, several local subscribers share one on the wire", "[client]") {
  auto s = legacy_script();
  s.expect("resources/subscribe").reply("{}").expect("tools/call").as("q");
  s.notify("notifications/resources/updated", R"({"uri":"x://a"})").notify("notifications/resources/updated", R"({"uri":"x://b"})");
  s.reply_to("q", tool_done).expect("resources/unsubscribe").reply("{}");
  int first = 0, second = 0;
  auto const body = [&](client& c) -> asio::awaitable<void> {
    updated_callback one = [&](resource_updated const& u) { first += u.uri == "x://a"; };
    updated_callback two = [&](resource_updated const&) { ++second; };
    co_await c.subscribe("x://a", one);
    co_await c.subscribe("x://a", two);
    co_await settle(c);
    co_await c.unsubscribe("x://a");
  };
  play(s, no_handler(), connect_options(), body);
  CHECK(first == 1);
  CHECK(second == 1);
}

TEST_CASE("subscriptions: legacy, a refused one leaves nothing behind", "[client]") {
  auto s = legacy_script();
  s.expect("resources/subscribe").fail(-32602, "no such resource").expect("resources/subscribe").reply("{}");
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const e = co_await error_of(c.subscribe("x://a"));
    CHECK(e.peer());
    co_await c.subscribe("x://a");
    auto const none = co_await error_of(c.unsubscribe("x://other"));
    CHECK(none == errc::not_found);
  };
  play(s, no_handler(), connect_options(), body);
}

TEST_CASE("subscriptions: modern, the new stream is acknowledged before the old one is cancelled", "[client]") {
  auto s = modern_script();
  s.expect("subscriptions/listen").as("one").raw(acknowledges("one", R"({"resourceSubscriptions":["x://a"]})"));
  s.expect("subscriptions/listen").as("two").raw(updated("one", "x://a"));
  s.raw(acknowledges("two", R"({"resourceSubscriptions":["x://a","x://b"]})"));
  s.expect("notifications/cancelled").expect("tools/call").as("q").raw(updated("two", "x://b")).reply_to("q", tool_done);
  std::vector<std::string> log;
  auto const body = [&](client& c) -> asio::awaitable<void> {
    updated_callback note = [&](resource_updated const& u) { log.push_back(u.uri); };
    co_await c.subscribe("x://a", note);
    co_await c.subscribe("x://b", note);
    co_await settle(c);
  };
  play(s, no_handler(), connect_options(), body);
  CHECK(log == std::vector<std::string>{"x://a", "x://b"});
  auto const filter = s.sent().at(2)["params"]["notifications"];
  CHECK(filter == json::parse(R"({"resourceSubscriptions":["x://a","x://b"]})").value());
}

TEST_CASE("subscriptions: modern, several local subscribers share one on the wire", "[client]") {
  auto s = modern_script();
  s.expect("subscriptions/listen").as("l").raw(acknowledges("l", R"({"resourceSubscriptions":["x://a"]})"));
  s.expect("tools/call").as("q").raw(updated("l", "x://a")).reply_to("q", tool_done);
  int first = 0, second = 0;
  auto const body = [&](client& c) -> asio::awaitable<void> {
    updated_callback one = [&](resource_updated const&) { ++first; };
    updated_callback two = [&](resource_updated const&) { ++second; };
    co_await c.subscribe("x://a", one);
    co_await c.subscribe("x://a", two);
    co_await settle(c);
  };
  play(s, no_handler(), connect_options(), body);
  CHECK(first == 1);
  CHECK(second == 1);
}

TEST_CASE("subscriptions: modern, fails when the uri is missing from the acknowledgment", "[client]") {
  auto s = modern_script();
  s.expect("subscriptions/listen").as("one").raw(acknowledges("one", "{}")).ignore("notifications/cancelled");
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const e = co_await error_of(c.subscribe("x://a"));
    CHECK(e == errc::not_found);
  };
  play(s, no_handler(), connect_options(), body);
}

TEST_CASE("subscriptions: modern, the handler's members make the first filter", "[client]") {
  struct notes {
    int* tools;
    void on(tools_list_changed) { ++*tools; }
    void on(resource_updated const&) {}
  };
  auto const check = [](auto const& with_handler) {
    int tools = 0;
    auto s = modern_script();
    s.expect("subscriptions/listen").as("l").raw(acknowledges("l", R"({"toolsListChanged":true})"));
    s.expect("tools/call").as("q").raw(changed("l", "tools")).reply_to("q", tool_done);
    s.expect("tools/call").reply(tool_done);
    auto const body = [](client& c) -> asio::awaitable<void> {
      co_await settle(c);
      co_await settle(c);
    };
    play(s, with_handler(notes{&tools}), connect_options(), body);
    CHECK(tools == 1);
    CHECK(s.sent().at(1)["params"]["notifications"] == json::parse(R"({"toolsListChanged":true})").value());
  };
  check([](notes n) { return n; });
  check([](notes n) { return handlers(no_handler(), std::move(n)); });
}

TEST_CASE("subscriptions: listen() gives its own notifications, and how it ended", "[client]") {
  auto s = modern_script();
  s.expect("subscriptions/listen").as("l").raw(acknowledges("l", R"({"toolsListChanged":true})"));
  s.raw(changed("l", "tools")).raw(ends("l"));
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto stream = co_await c.listen(tools_filter());
    CHECK(stream.acknowledged().tools_list_changed);
    auto const first = co_await stream.next();
    REQUIRE(first);
    CHECK(first->method == "notifications/tools/list_changed");
    auto const none = co_await stream.next();
    CHECK_FALSE(none);
    REQUIRE(stream.closed());
    CHECK_FALSE(*stream.closed());  // gracefully
  };
  play(s, no_handler(), connect_options(), body);
}

TEST_CASE("subscriptions: the server's cancelled for a listen id ends that subscription", "[client]") {
  auto s = modern_script();
  s.expect("subscriptions/listen").as("l").raw(acknowledges("l", "{}"));
  s.raw(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$id:l}})");
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto stream = co_await c.listen(tools_filter());
    auto const none = co_await stream.next();
    CHECK_FALSE(none);
    REQUIRE(stream.closed());
    CHECK(*stream.closed() == errc::closed);
  };
  play(s, no_handler(), connect_options(), body);
}

TEST_CASE("subscriptions: closing a stream tells the server, its queue is bounded", "[client]") {
  auto s = modern_script();
  s.expect("subscriptions/listen").as("l").raw(acknowledges("l", "{}"));
  for (int i = 0; i < 3; ++i) s.raw(changed("l", "tools"));
  s.expect("tools/call").reply(tool_done).expect("notifications/cancelled");
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto stream = co_await c.listen(tools_filter());
    co_await settle(c);
    CHECK(stream.dropped() == 1);
    CHECK(c.statistics().dropped == 1);
    stream.close();
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
  };
  connection_limits limits;
  limits.subscription_queue(2);
  connect_options options;
  options.limits(limits);
  play(s, no_handler(), options, body);
  CHECK(s.sent().at(3)["params"]["requestId"] == s.sent().at(1)["id"]);
}

TEST_CASE("subscriptions: one that is never acknowledged times out", "[client]") {
  auto const clock = std::make_shared<manual_clock>();
  auto s = modern_script();
  s.expect("subscriptions/listen").then([clock] { clock->advance(std::chrono::minutes(1)); });
  s.ignore("notifications/cancelled");
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const e = co_await error_of(c.listen(tools_filter()));
    CHECK(e == errc::timeout);
  };
  connect_options options;
  options.time(clock);
  play(s, no_handler(), options, body);
}

TEST_CASE("subscriptions: what belongs to no subscription of ours is dropped, with and without any", "[client]") {
  struct hears_all {
    int* told;
    void on(any_notification const&) { ++*told; }
  };
  for (auto const& options : {connect_options(), connect_options().cache(cache_options())}) {  // a cache brings them
    int told = 0;
    auto s = modern_script();
    s.expect("tools/call").as("q");
    s.raw(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":12345}}})");
    s.raw(R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{}}})");
    s.raw(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}})");
    s.raw(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})");
    s.raw(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
    s.reply_to("q", tool_done).expect("tools/call").reply(tool_done);
    auto const body = [](client& c) -> asio::awaitable<void> {
      co_await settle(c);
      co_await settle(c);
      CHECK(c.statistics().dropped == 1);
    };
    play(s, hears_all{&told}, options, body);
    CHECK(told == 1);
  }
}

TEST_CASE("subscriptions: a watch gives the list after each change, debounced, one trailing", "[client]") {
  auto const clock = std::make_shared<manual_clock>();
  auto const tick = [clock] { clock->advance(std::chrono::milliseconds(301)); };
  auto s = legacy_script();
  s.expect("tools/call").as("q").notify("notifications/tools/list_changed").notify("notifications/tools/list_changed");
  s.reply_to("q", tool_done).expect("ping").then(tick);
  s.expect("tools/list").as("list").notify("notifications/tools/list_changed");  // while it is refreshed
  s.reply_to("list", R"({"tools":[{"name":"one","inputSchema":{"type":"object"}}]})");
  s.expect("ping").then(tick).expect("tools/list").reply(R"({"tools":[]})");
  std::vector<std::size_t> sizes;
  auto const body = [&](client& c) -> asio::awaitable<void> {
    comcp::detail::waiter<bool> place;
    auto const home = co_await asio::this_coro::executor;
    std::function<void(result<listing<tool>>)> note = [&](result<listing<tool>> r) {
      REQUIRE(r);
      sizes.push_back(r->size());
      if (place) std::exchange(place, {}).complete(true, home);
    };
    auto watch = c.watch_tools(note);
    co_await settle(c);
    for (int i = 0; i < 2; ++i) {
      // The script answers no ping: it is there to say that the debounce has begun.
      co_await c.notify("ping");
      auto woken = comcp::detail::suspend<bool>(place, [] {});
      co_await std::move(woken);
    }
    watch.stop();
  };
  connect_options options;
  options.time(clock);
  play(s, no_handler(), options, body);
  CHECK(sizes == std::vector<std::size_t>{1, 0});
}

TEST_CASE("subscriptions: a watch refreshes after a time in which no stream could tell of changes", "[client]") {
  auto const clock = std::make_shared<manual_clock>();
  auto s = modern_script();
  s.expect("subscriptions/listen").as("one").raw(acknowledges("one", R"({"toolsListChanged":true})"));
  s.expect("tools/call").as("q").raw(ends("one")).reply_to("q", tool_done);
  s.expect("subscriptions/listen").as("two").raw(acknowledges("two", R"({"toolsListChanged":true})"));
  s.expect("tools/list").reply(R"({"tools":[{"name":"new","inputSchema":{"type":"object"}}]})");
  s.ignore("notifications/cancelled");
  std::size_t size = 0;
  auto const body = [&](client& c) -> asio::awaitable<void> {
    auto const home = co_await asio::this_coro::executor;
    std::function<void(result<listing<tool>>)> note = [&](result<listing<tool>> r) { size = r.value().size(); };
    auto watch = c.watch_tools(note);
    co_await settle(c);
    for (int i = 0; i < 1000 && size == 0; ++i) {
      clock->advance(std::chrono::milliseconds(50));
      co_await asio::post(c.get_executor(), asio::use_awaitable);
    }
    watch.stop();
  };
  connect_options options;
  options.time(clock);
  play(s, no_handler(), options, body);
  CHECK(size == 1);
}

TEST_CASE("subscriptions: several readers of one stream are served, each notification once", "[client]") {
  auto s = modern_script();
  s.expect("subscriptions/listen").as("l").raw(acknowledges("l", R"({"toolsListChanged":true})"));
  s.expect("tools/call").as("q").raw(changed("l", "tools")).raw(changed("l", "tools")).reply_to("q", tool_done);
  s.expect("tools/call").raw(ends("l")).reply(tool_done);
  auto const body = [&](client& c) -> asio::awaitable<void> {
    auto stream = co_await c.listen(tools_filter());
    int read = 0, over = 0;
    auto const home = co_await asio::this_coro::executor;
    for (int i = 0; i < 3; ++i) {
      asio::co_spawn(home, stream.next(), [&](std::exception_ptr const& e, std::optional<any_notification> const& n) {
        REQUIRE_FALSE(e);
        ++(n ? read : over);
      });
    }
    co_await settle(c);
    co_await asio::post(asio::use_awaitable);
    CHECK(read == 2);
    CHECK(over == 0);  // the third goes on waiting, until there is nothing more to come
    co_await settle(c);
    co_await asio::post(asio::use_awaitable);
    CHECK(over == 1);
  };
  play(s, no_handler(), connect_options(), body);
}
