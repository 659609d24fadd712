// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations with Asio's completion tokens: callbacks, futures, awaitables of other executors, deferred; where and when
// the handler is called, what of it Asio's associations decide, and what each kind of cancellation does.
#include <comcp/client/connect.hpp>

#include <future>
#include <memory>
#include <thread>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/bind_executor.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>

#include <asio/version.hpp>
#if ASIO_VERSION >= 102300
#include <asio/deferred.hpp>
#else
#include <asio/experimental/deferred.hpp>
#endif

#include <comcp/net/asio_compat.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::script;

namespace {

#if ASIO_VERSION >= 102300
using asio::deferred;
#else
using asio::experimental::deferred;
#endif

// Counts what is in use.
template <class T>
struct counting {
  using value_type = T;
  explicit counting(int& n) noexcept : used(&n) {}
  template <class U>
  counting(counting<U> const& other) noexcept : used(other.used) {}
  T* allocate(std::size_t n) {
    ++*used;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) noexcept {
    --*used;
    std::allocator<T>().deallocate(p, n);
  }
  friend bool operator==(counting const&, counting const&) = default;
  int* used;
};

template <class Handler>
struct allocating {
  using allocator_type = counting<void>;
  [[nodiscard]] allocator_type get_allocator() const noexcept { return allocator_type(*used); }
  void operator()(error e, call_tool_result r) { handler(std::move(e), std::move(r)); }
  Handler handler;
  int* used;
};
template <class Handler>
allocating(Handler, int*) -> allocating<Handler>;

struct called {
  int times = 0;
  error why;
  std::string text;
  auto handler() {
    return [this](error e, call_tool_result r) {
      ++times;
      why = std::move(e);
      text = r.text();
    };
  }
};

script with_tool() {
  auto s = modern_script();
  s.expect("tools/call").reply(tool_text);
  return s;
}

}  // namespace

TEST_CASE("tokens: a callback is called once, with the value, and not inside the call that began it", "[client]") {
  conversation c;
  auto s = with_tool();
  auto client = c.connect(s.transport());
  called got;
  client->async_call_tool("x", args("a", 1), call_options(), got.handler());
  CHECK(got.times == 0);
  c.settle();
  CHECK(got.times == 1);
  CHECK(got.why == all_well);
  CHECK(got.text == "done");
  CHECK(s.verdict() == all_well);
}

TEST_CASE("tokens: what is wrong from the start is told later, too", "[client]") {
  conversation c;
  auto s = modern_script();
  auto client = c.connect(s.transport());
  called got;
  client->async_call_tool("x", json::raw("[1]"), call_options(), got.handler());
  CHECK(got.times == 0);
  c.settle();
  CHECK(got.times == 1);
  CHECK(got.why == errc::invalid_argument);

  comcp::client const none;
  CHECK(none.get_executor() == asio::any_io_executor());
  none.async_call_tool("x", {}, call_options(), asio::bind_executor(c.io, got.handler()));
  CHECK(got.times == 1);
  c.settle();
  CHECK(got.times == 2);
  CHECK(got.why == errc::closed);
}

TEST_CASE("tokens: use_future gives a value or throws, from another thread", "[client][threads]") {
  asio::io_context io;
  comcp::test::fake_server server(io.get_executor());
  server.answer("tools/call", json::raw(tool_text)).silent("prompts/get");
  auto opening = async_connect(io.get_executor(), server.transport(), connect_options(), asio::use_future);
  auto guard = asio::make_work_guard(io);
  std::thread running([&io] { io.run(); });
  {
    auto const client = opening.get();
    CHECK(client.async_call_tool("x", {}, call_options(), asio::use_future).get().text() == "done");
    auto none = client.async_get_prompt("x", {}, call_options().timeout(1ms), asio::use_future);
    try {
      (void)none.get();
      FAIL("no answer, and no exception");
    } catch (exception const& e) {
      CHECK(e.error() == errc::timeout);
    }
    CHECK(client.async_list_tools(call_options(), asio::use_future).wait_for(30s) == std::future_status::ready);
    client.async_close(asio::use_future).get();
    std::promise<error> reason;
    client.async_closed([&reason](error why) { reason.set_value(std::move(why)); });
    CHECK(reason.get_future().get() == errc::closed);
  }
  guard.reset();
  running.join();
}

TEST_CASE("tokens: a coroutine of another executor type can await operations", "[client]") {
  using executor = asio::io_context::executor_type;
  constexpr asio::use_awaitable_t<executor> token;
  conversation c;
  auto s = with_tool();
  s.expect("tools/call").fail(-32603, "no");
  auto client = c.connect(s.transport());
  bool done = false;
  auto const use = [&]() -> asio::awaitable<void, executor> {
    auto const r = co_await client->async_call_tool("x", {}, call_options(), token);
    CHECK(r.text() == "done");
    try {
      (void)co_await client->async_call_tool("x", {}, call_options(), token);
      FAIL("no exception");
    } catch (exception const& e) {
      CHECK(e.error().peer()->code == -32603);
    }
    auto const ended = co_await client->async_close(net::as_tuple(token));
    CHECK(std::get<0>(ended) == all_well);
    done = true;
  };
  asio::co_spawn(c.io.get_executor(), use(), asio::detached);
  c.settle();
  CHECK(done);
}

TEST_CASE("tokens: the handler's executor and allocator are used", "[client]") {
  conversation c;
  auto s = with_tool();
  auto client = c.connect(s.transport());
  asio::io_context other;
  called got;
  int used = 0;
  client->async_call_tool("x", {}, call_options(), asio::bind_executor(other, allocating{got.handler(), &used}));
  CHECK(used == 1);
  c.settle();
  CHECK(got.times == 0);
  other.run();  // which the outstanding operation has kept from ending
  CHECK(got.times == 1);
  CHECK(got.text == "done");
  CHECK(used == 0);
}

TEST_CASE("tokens: what leaves a handler leaves its executor's run", "[client]") {
  conversation c;
  auto s = with_tool();
  auto client = c.connect(s.transport());
  client->async_call_tool("x", {}, call_options(), [](error const&, call_tool_result const&) { throw 7; });
  CHECK_THROWS_AS(c.settle(), int);
  s.expect("ping").reply("{}");
  CHECK(client->status() == connection_status::ready);
}

TEST_CASE("tokens: an operation may be kept and begun later, or never", "[client]") {
  conversation c;
  auto s = with_tool();
  auto client = c.connect(s.transport());
  auto const count = s.sent().size();
  auto later = client->async_call_tool("x", {}, call_options(), deferred);
  {
    auto const never = client->async_call_tool("x", {}, call_options(), deferred);
  }
  c.settle();
  CHECK(s.sent().size() == count);
  called got;
  std::move(later)(got.handler());
  c.settle();
  CHECK(got.times == 1);
  CHECK(got.text == "done");
}

TEST_CASE("tokens: terminal and partial cancel what was sent, total does not", "[client]") {
  using type = asio::cancellation_type;
  auto const how = GENERATE(type::terminal, type::partial, type::total);
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").as("call");
  if (how != type::total) s.expect("notifications/cancelled");
  auto client = c.connect(s.transport());
  asio::cancellation_signal signal;
  called got;
  client->async_call_tool("x", {}, call_options(), asio::bind_cancellation_slot(signal.slot(), got.handler()));
  c.settle();
  signal.emit(how);
  CHECK(got.times == 0);
  c.settle();
  if (how == type::total) {
    CHECK(got.times == 0);
    s.reply_to("call", tool_text);
    c.settle();
    CHECK(got.text == "done");
  } else {
    CHECK(got.why == errc::cancelled);
  }
  CHECK(got.times == 1);
  signal.emit(type::terminal);  // there is nothing left
  c.settle();
  CHECK(got.times == 1);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("tokens: total cancels what was not sent yet", "[client]") {
  conversation c;
  auto s = modern_script();
  auto client = c.connect(s.transport());
  auto const count = s.sent().size();
  asio::cancellation_signal signal;
  called got;
  client->async_call_tool("x", {}, call_options(), asio::bind_cancellation_slot(signal.slot(), got.handler()));
  signal.emit(asio::cancellation_type::total);
  c.settle();
  CHECK(got.times == 1);
  CHECK(got.why == errc::cancelled);
  CHECK(s.sent().size() == count);
}

TEST_CASE("tokens: the same kinds for a coroutine that enabled them", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").as("call");
  auto client = c.connect(s.transport());
  asio::cancellation_signal signal;
  std::string text;
  auto const call = [&]() -> asio::awaitable<void> {
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
    auto const r = co_await client->call_tool("x");
    text = r.text();
  };
  asio::co_spawn(c.io, call(), asio::bind_cancellation_slot(signal.slot(), asio::detached));
  c.settle();
  signal.emit(asio::cancellation_type::total);
  c.settle();
  s.reply_to("call", tool_text);
  c.settle();
  CHECK(text == "done");
}

TEST_CASE("tokens: an operation that its io_context does not outlive is not told", "[client]") {
  auto token = std::make_shared<int>();
  {
    conversation c;
    auto s = modern_script();
    s.expect("tools/call");
    auto client = c.connect(s.transport());
    client->async_call_tool("x", {}, call_options(), [token](error const&, call_tool_result const&) { ++*token; });
    client->async_closed([token](error const&) { ++*token; });
    c.settle();
    CHECK(token.use_count() == 3);
  }
  CHECK(*token == 0);
  CHECK(token.use_count() == 1);
}

TEST_CASE("tokens: a destroyed client ends its operations", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call");
  std::optional client(*c.connect(s.transport()));
  called got;
  client->async_call_tool("x", {}, call_options(), got.handler());
  c.settle();
  client.reset();
  c.settle();
  CHECK(got.times == 1);
  CHECK(got.why == errc::closed);
}

TEST_CASE("tokens: a call that goes through an interceptor is cancelled by the same rules", "[client]") {
  using type = asio::cancellation_type;
  auto const how = GENERATE(type::terminal, type::total);
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").as("call");
  if (how != type::total) s.expect("notifications/cancelled");
  auto client = c.connect(s.transport(), c.options().intercept(interceptor()));
  asio::cancellation_signal signal;
  called got;
  client->async_call_tool("x", {}, call_options(), asio::bind_cancellation_slot(signal.slot(), got.handler()));
  c.settle();
  signal.emit(how);
  c.settle();
  if (how == type::total) s.reply_to("call", tool_text);
  c.settle();
  CHECK(got.times == 1);
  CHECK((got.why == errc::cancelled) == (how != type::total));
  CHECK(s.verdict() == all_well);
}

TEST_CASE("tokens: operations of several requests are cancelled whole, by total only where they have not begun",
          "[client]") {
  using type = asio::cancellation_type;
  conversation c;
  auto s = modern_script();
  s.expect("tools/list").reply(R"({"resultType":"complete","tools":[],"nextCursor":"2"})");
  s.expect("tools/list").as("second").expect("notifications/cancelled");
  auto client = c.connect(s.transport());
  auto const count = s.sent().size();
  asio::cancellation_signal signal;
  std::vector<error> ends;
  auto const keep = [&ends](error why, listing<tool> const&) { ends.push_back(std::move(why)); };
  client->async_list_tools(call_options(), asio::bind_cancellation_slot(signal.slot(), keep));
  signal.emit(type::total);
  c.settle();
  REQUIRE(ends.size() == 1);
  CHECK(ends[0] == errc::cancelled);
  CHECK(ends[0].outcome() == call_outcome::not_sent);
  CHECK(s.sent().size() == count);

  client->async_list_tools(call_options(), asio::bind_cancellation_slot(signal.slot(), keep));
  c.settle();
  signal.emit(type::total);
  c.settle();
  CHECK(ends.size() == 1);
  signal.emit(type::terminal);
  c.settle();
  REQUIRE(ends.size() == 2);
  CHECK(ends[1] == errc::cancelled);
  CHECK(s.verdict() == all_well);
}
