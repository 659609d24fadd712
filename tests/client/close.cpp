// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The end of a connection, by us, by the peer and by accident: each pending call ends exactly once.
#include <comcp/client/connect.hpp>

#include <asio/use_awaitable.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::script;
using strings = std::vector<std::string>;

TEST_CASE("close: closed() gives the reason to everyone who waits, and calls after it fail with it", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client = c.connect(s.transport());
  auto const first = c.start(end_of(*client));
  auto const second = c.start(end_of(*client));
  CHECK_FALSE(first->done());
  s.close(error(errc::transport_failed, "the server exited"));
  c.settle();
  for (auto const& o : {first, second}) {
    REQUIRE(o->ok());
    CHECK(o->times == 1);
    CHECK((*o)->why == errc::transport_failed);
  }
  CHECK(c.finish(end_of(*client))->why.message() == "the server exited");
  auto const late = c.finish(client->call_tool("x"));
  REQUIRE_FALSE(late);
  CHECK(late.error() == errc::transport_failed);
  CHECK(late.error().message() == "the server exited");
  CHECK(client->status() == connection_status::disconnected);
  CHECK(std::count(c.statuses.begin(), c.statuses.end(), "disconnected") == 1);
}

TEST_CASE("close: pending calls end with closed, later ones too, and close() may come twice", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.ignore("notifications/cancelled").expect("tools/call").expect("tools/list");
  auto client = c.connect(s.transport());
  auto const call = c.start(client->call_tool("x"));
  auto const list = c.start(client->list_tools());
  auto const one = c.start(client->close());
  auto const two = c.start(client->close());
  CHECK(one->ok());
  CHECK(two->ok());
  REQUIRE(call->times == 1);
  REQUIRE(list->times == 1);
  CHECK(call->error() == errc::closed);
  CHECK(list->error() == errc::closed);
  CHECK(c.finish(client->ping()).error() == errc::closed);
  CHECK(c.finish(client->close()));
  CHECK(c.finish(end_of(*client))->why == errc::closed);
  CHECK(c.statuses == strings{"connecting", "initializing", "ready", "closing", "disconnected"});
  CHECK(client->statistics().pending == 0);
}

TEST_CASE("close: on a lost connection a tool call's outcome is unknown, what may be repeated failed", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").expect("tools/call").expect("tools/list").expect("resources/read").expect("vendor/x");
  auto client = c.connect(s.transport());
  auto const tool = c.start(client->call_tool("x"));
  auto const marked = c.start(client->call_tool("x", args(), call_options().idempotent()));
  auto const list = c.start(client->list_tools());
  auto const read = c.start(client->read_resource("file:///x"));
  auto const vendor = c.start(client->request("vendor/x"));
  s.close(error(errc::transport_failed, "broken pipe"));
  c.settle();
  CHECK(tool->error() == errc::outcome_unknown);
  CHECK(tool->error().message() == "broken pipe");
  CHECK(vendor->error() == errc::outcome_unknown);
  CHECK(marked->error() == errc::transport_failed);
  CHECK(list->error() == errc::transport_failed);
  CHECK(read->error() == errc::transport_failed);
  CHECK(tool->times + marked->times + list->times + read->times + vendor->times == 5);
}

TEST_CASE("close: an orderly close is no fault for the observer", "[client]") {
  struct notes {
    void on(tools_list_changed) {}
  };
  conversation c;
  auto s = modern_script();
  s.expect("subscriptions/listen").ignore("notifications/cancelled");  // not acknowledged yet
  auto client = c.connect(s.transport(), c.options(), notes());
  REQUIRE(client);
  CHECK(c.start(client->close())->ok());
  for (auto const& f : c.faults) FAIL(f.to_string());
  CHECK(s.verdict() == all_well);
}

TEST_CASE("close: a transport that never closes is given up after close_timeout", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.never_closes();
  auto client = c.connect(s.transport(), c.options().close_timeout(4s));
  auto const o = c.start(client->close());
  c.advance(3999ms);
  CHECK_FALSE(o->done());
  CHECK(client->status() == connection_status::closing);
  c.advance(1ms);
  CHECK(o->ok());
  CHECK(client->status() == connection_status::disconnected);
}

TEST_CASE("close: cancelling close() stops only the waiting", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.never_closes();
  auto client = c.connect(s.transport(), c.options().close_timeout(4s));
  auto const o = c.start(client->close());
  o->cancel();
  c.settle();
  CHECK(o->times == 1);
  CHECK(o->error() == errc::cancelled);
  CHECK(client->status() == connection_status::closing);
  c.advance(4s);
  CHECK(client->status() == connection_status::disconnected);
}

TEST_CASE("close: cancelling closed() stops only the waiting", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client = c.connect(s.transport());
  auto const o = c.start(end_of(*client));
  o->cancel();
  c.settle();
  CHECK(o->times == 1);
  CHECK(o->error() == errc::cancelled);
  CHECK(client->status() == connection_status::ready);
}

TEST_CASE("close: the destructor is abrupt, and pending calls end with closed, never inside it", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").expect("tools/call");
  outcome_of<call_tool_result> a, b;
  outcome_of<ending> closed;
  {
    auto client = c.connect(s.transport());
    a = c.start(client->call_tool("x"));
    b = c.start(client->call_tool("y", args(), call_options().idempotent()));
    closed = c.start(end_of(*client));
    client = result<comcp::client>(comcp::client());
    CHECK_FALSE(a->done());
  }
  c.settle();
  REQUIRE(a->times == 1);
  REQUIRE(b->times == 1);
  CHECK(a->error() == errc::closed);
  CHECK(b->error() == errc::closed);
  REQUIRE(closed->ok());
  CHECK((*closed)->why == errc::closed);
  CHECK(s.sent_names().back() == "tools/call");
}

TEST_CASE("close: an operation that was made but not started outlives its client", "[client]") {
  conversation c;
  auto s = legacy_script();
  std::optional<asio::awaitable<call_tool_result>> later;
  {
    auto client = c.connect(s.transport());
    later.emplace(client->call_tool("x"));
  }
  c.settle();
  auto const r = c.finish(std::move(*later));
  CHECK(r.error() == errc::closed);
}

TEST_CASE("close: an io_context that dies first takes waiting calls with it", "[client]") {
  script s = legacy_script();
  s.expect("tools/call");
  outcome_of<call_tool_result> o;
  {
    conversation c;
    auto client = c.connect(s.transport());
    o = c.start(client->call_tool("x"));
  }
  CHECK(o->times == 0);  // destroyed, not resumed
}

TEST_CASE("close: the client may be destroyed by its own callback", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").notify("notifications/progress", R"({"progressToken":$id,"progress":1})").reply(tool_text);
  auto client = std::make_unique<comcp::client>(c.connect(s.transport()).value());
  auto const destroy = [&](progress_notification const&) { client.reset(); };
  auto const o = c.start(client->call_tool("x", args(), call_options().on_progress(destroy)));
  CHECK_FALSE(client);
  REQUIRE(o->times == 1);
  CHECK(o->error() == errc::closed);
}

TEST_CASE("close: a caller that resumes may close the client from there", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").reply(tool_text).raw("garbage").raw("garbage");
  auto client = c.connect(s.transport());
  auto const body = [](comcp::client& cl) -> asio::awaitable<void> {
    (void)co_await cl.call_tool("x");
    co_await cl.close();
  };
  auto const o = c.start(body(*client));
  CHECK(o->ok());
  CHECK(client->status() == connection_status::disconnected);
}

namespace {

// Hears of everything and comes to no end.
struct endless_listener {
  explicit endless_listener(asio::io_context& on) : io(&on) {}
  asio::awaitable<void> on(any_notification, context& ctx) {
    ++*begun;
    asio::steady_timer never(*io, asio::steady_timer::time_point::max());
    try {
      co_await never.async_wait(asio::use_awaitable);
    } catch (std::system_error const&) {
      *cancelled += ctx.cancelled();
      throw;
    }
  }
  asio::io_context* io;
  std::shared_ptr<int> begun = std::make_shared<int>(0), cancelled = std::make_shared<int>(0);
};

}  // namespace

TEST_CASE("close: a notification handler that hangs is cancelled by close() and by the destructor", "[client]") {
  bool const gracefully = GENERATE(true, false);
  conversation c;
  comcp::test::fake_server server(c.io.get_executor());
  server.legacy();
  endless_listener listener(c.io);
  auto client = c.connect(server.transport(), c.options(), listener);
  for (int i = 0; i < 3; ++i) server.notify("notifications/message", json::raw(R"({"level":"info","data":1})"));
  c.settle();
  CHECK(*listener.begun == 1);
  if (gracefully) CHECK(c.finish(client->close()));
  else *client = comcp::client();
  c.settle();
  CHECK(*listener.begun == 1);
  CHECK(*listener.cancelled == 1);
  CHECK(c.faults.empty());
  c.io.restart();
  CHECK(c.io.run() == 0);  // nothing keeps it alive
}

TEST_CASE("close: a tracer may destroy the client", "[client]") {
  auto const when = GENERATE(direction::sent, direction::received);
  conversation c;
  comcp::test::fake_server server(c.io.get_executor());
  server.legacy().silent("tools/call");
  std::optional<comcp::client> held;
  bool armed = false;
  auto const trace = [&](direction d, std::string_view) {
    if (std::exchange(armed, armed && d != when)) held.reset();
  };
  held.emplace(std::move(c.connect(server.transport(), c.options().trace(trace))).value());
  auto call = held->call_tool("slow");
  armed = true;
  auto const o = c.start(std::move(call));
  server.request("ping");  // what the client sends by itself
  c.settle();
  CHECK_FALSE(held.has_value());
  CHECK(o->times == 1);
  CHECK(o->error() == errc::closed);
}

// docs/from-boost.md
TEST_CASE("close: a coroutine that was cancelled closes in peace once it has heard of that", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").expect("notifications/cancelled");
  auto client = c.connect(s.transport());
  bool heard = false;
  auto const work = [&]() -> asio::awaitable<void> {
    auto call = as_result(client->call_tool("slow"));
    auto const answer = co_await std::move(call);
    heard = !answer && answer.error() == errc::cancelled;
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_await client->close();
  };
  auto const end = c.start(work());
  CHECK_FALSE(end->done());
  end->cancel();
  c.settle();
  CHECK(heard);
  CHECK(end->ok());
  CHECK(client->status() == connection_status::disconnected);
  CHECK(s.verdict() == all_well);
}
