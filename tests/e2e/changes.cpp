// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Subscriptions, listen streams and watched lists against the demo server in both eras.
#include "e2e/fixture.hpp"

using namespace e2e;

namespace {

asio::awaitable<void> touch(comcp::client const& client, std::string uri) {
  auto const touched = co_await client.call_tool("touch", args("uri", uri));
  CHECK_FALSE(touched.is_error);
}

}  // namespace

TEST_CASE("changes: subscribers of a resource share one subscription", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    int first = 0, second = 0, other = 0;
    co_await client.subscribe("demo://changes", [&first](comcp::resource_updated const&) { ++first; });
    auto const sent = client.statistics().messages_out;
    co_await client.subscribe("demo://changes", [&second](comcp::resource_updated const& u) {
      CHECK(u.uri == "demo://changes");
      ++second;
    });
    CHECK(client.statistics().messages_out == sent);
    co_await touch(client, "demo://changes");
    CHECK(first == 1);
    CHECK(second == 1);
    co_await client.subscribe("demo://notes/x", [&other](comcp::resource_updated const&) { ++other; });
    co_await touch(client, "demo://notes/x");
    co_await touch(client, "demo://changes");
    CHECK(first == 2);
    CHECK(other == 1);
    co_await client.unsubscribe("demo://changes");
    co_await touch(client, "demo://changes");
    co_await touch(client, "demo://notes/x");
    CHECK(first == 2);
    CHECK(other == 2);
    auto const twice = co_await as_result(client.unsubscribe("demo://changes"));
    CHECK(twice.error() == errc::not_found);
    auto const unknown = co_await as_result(client.subscribe("demo://nothing"));
    CHECK_FALSE(unknown);
    co_await touch(client, "demo://notes/x");
    CHECK(other == 3);
    co_await client.close();
  });
}

TEST_CASE("changes: many at once find their subscriptions", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag));
    int updates = 0;
    std::vector<asio::awaitable<void>> wanted;
    for (int i = 0; i != 20; ++i) {
      auto const count = [&updates](comcp::resource_updated const&) { ++updates; };
      wanted.push_back(client.subscribe("demo://notes/" + std::to_string(i), count));
    }
    auto const done = co_await comcp::all(std::move(wanted));
    for (auto const& r : done) CHECK(r);
    for (int i = 0; i != 20; ++i) co_await touch(client, "demo://notes/" + std::to_string(i));
    CHECK(updates == 20);
    co_await client.close();
  });
}

TEST_CASE("changes: no update is lost while the set of subscriptions changes", "[e2e]") {
  talk([&]() -> asio::awaitable<void> {
    auto const ex = co_await asio::this_coro::executor;
    auto client = co_await comcp::connect(demo("--modern-only"));
    int updates = 0;
    co_await client.subscribe("demo://changes", [&updates](comcp::resource_updated const&) { ++updates; });
    bool done = false;
    auto churn = [&]() -> asio::awaitable<void> {
      for (int i = 0; i != 30; ++i) {
        auto const uri = "demo://notes/" + std::to_string(i);
        co_await client.subscribe(uri);
        if (i % 3 == 0) co_await client.unsubscribe(uri);
      }
    };
    asio::co_spawn(ex, churn(), [&done](std::exception_ptr e) {
      CHECK_FALSE(e);
      done = true;
    });
    int touched = 0;
    while (!done) {
      co_await touch(client, "demo://changes");
      ++touched;
    }
    CHECK(updates >= touched);
    co_await client.close();
  });
}

TEST_CASE("changes: the handler and watchers hear of a changed list", "[e2e]") {
  auto const flag = GENERATE(as<std::string>(), "--modern-only", "--legacy-only");
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo(flag), handler());
    std::vector<std::size_t> sizes;
    auto watch = client.watch_tools([&sizes](comcp::result<comcp::listing<comcp::tool>> const& tools) {
      REQUIRE(tools);
      sizes.push_back(tools->size());
    });
    auto const ready = co_await eventually([n = 0]() mutable { return ++n == 10; });  // the listen stream opens
    CHECK(ready);
    for (auto const* const name : {"one", "two", "three"}) {
      auto const added = co_await client.call_tool("add_tool", args("name", name));
      CHECK_FALSE(added.is_error);
    }
    auto const told = co_await eventually(
        [&] { return client.handler().seen->tools_changed == 3 && !sizes.empty() && sizes.back() == 21; });
    CHECK(told);
    auto const lists = sizes.size();  // one, where the three changes come as fast as they usually do
    CHECK(lists <= 3);
    watch.stop();
    auto const more = co_await client.call_tool("add_tool", args("name", "four"));
    CHECK_FALSE(more.is_error);
    auto const four = co_await eventually([&] { return client.handler().seen->tools_changed == 4; });
    CHECK(four);
    auto const called = co_await client.call_tool("two");
    CHECK(called.text() == "I am two.");
    co_await client.close();
    CHECK(sizes.size() == lists);
  });
}

TEST_CASE("changes: listen gives a stream of its own", "[e2e]") {
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo("--modern-only"));
    comcp::subscription_filter filter;
    filter.tools_list_changed = true;
    filter.prompts_list_changed = true;  // which the demo server does not grant
    filter.resource_subscriptions = {"demo://changes", "demo://nothing"};
    auto stream = co_await client.listen(filter);
    CHECK(stream.acknowledged().tools_list_changed);
    CHECK_FALSE(stream.acknowledged().prompts_list_changed);
    CHECK(stream.acknowledged().resource_subscriptions == std::vector<std::string>{"demo://changes"});
    CHECK_FALSE(stream.closed());
    co_await touch(client, "demo://changes");
    co_await touch(client, "demo://greeting");  // is not listened to
    auto const added = co_await client.call_tool("add_tool", args("name", "x"));
    CHECK_FALSE(added.is_error);
    auto const first = co_await stream.next();
    REQUIRE(first);
    CHECK(first->method == "notifications/resources/updated");
    auto const second = co_await stream.next();
    REQUIRE(second);
    CHECK(second->method == "notifications/tools/list_changed");

    auto const ended = co_await client.call_tool("end_listens");
    CHECK_FALSE(ended.is_error);
    auto const none = co_await stream.next();
    CHECK_FALSE(none);
    REQUIRE(stream.closed());
    CHECK_FALSE(*stream.closed());  // gracefully

    auto abrupt = co_await client.listen(filter);
    auto const cut = co_await client.call_tool("end_listens", args("abruptly", true));
    CHECK_FALSE(cut.is_error);
    auto const gone = co_await abrupt.next();
    CHECK_FALSE(gone);
    REQUIRE(abrupt.closed());
    CHECK(*abrupt.closed() == errc::closed);

    auto third = co_await client.listen(filter);
    third.close();
    co_await touch(client, "demo://changes");
    auto const fourth = co_await client.listen(filter);  // ends with the client
    co_await client.close();
    REQUIRE(fourth.closed());
  });
}

TEST_CASE("changes: an unread stream keeps so much and counts the rest", "[e2e]") {
  talk([&]() -> asio::awaitable<void> {
    connect_options options;
    options.limits(comcp::connection_limits().subscription_queue(2));
    auto client = co_await comcp::connect(demo("--modern-only"), options);
    comcp::subscription_filter filter;
    filter.resource_subscriptions = {"demo://changes"};
    auto stream = co_await client.listen(filter);
    for (int i = 0; i != 5; ++i) co_await touch(client, "demo://changes");
    CHECK(stream.dropped() == 3);
    auto const first = co_await stream.next();
    auto const second = co_await stream.next();
    CHECK((first && second));
    co_await client.close();
  });
}

TEST_CASE("changes: a shared stream that the server ended is opened again", "[e2e][slow]") {
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(demo("--modern-only"));
    int updates = 0;
    co_await client.subscribe("demo://changes", [&updates](comcp::resource_updated const&) { ++updates; });
    auto const ended = co_await client.call_tool("end_listens");
    CHECK_FALSE(ended.is_error);
    for (int i = 0; i != 500 && updates == 0; ++i) {
      co_await touch(client, "demo://changes");
      auto const later = co_await eventually([n = 0]() mutable { return ++n == 3; });
      CHECK(later);
    }
    CHECK(updates == 1);
    co_await client.close();
  });
}
