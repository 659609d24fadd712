// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/transport/message_transport.hpp>

#include <deque>
#include <optional>
#include <stdexcept>

#include <asio/detached.hpp>
#include <asio/post.hpp>

#include <comcp/test/manual_clock.hpp>

#include "support/transport_box.hpp"

using comcp::errc;
using comcp::error;
using comcp::outgoing;
using comcp::result;
using comcp_test::run;
using comcp_test::transport_box;
using strings = std::vector<std::string>;

namespace {

// What a script does to a channel of messages, and what it saw.
struct wire {
  explicit wire(asio::io_context& io) : bell(io, asio::steady_timer::time_point::max()) {}

  void says(std::string text) { incoming.emplace_back(std::move(text)), bell.cancel(); }
  void fails(error why) { incoming.emplace_back(std::move(why)), bell.cancel(); }
  void resume_writes() { blocked = false, bell.cancel(); }
  asio::awaitable<void> rung() { (void)co_await bell.async_wait(comcp::net::tuple_awaitable); }

  asio::steady_timer bell;
  std::deque<result<std::string>> incoming;
  std::vector<strings> batches;
  std::optional<error> refuses_writes;
  bool blocked = false, throws = false, closed = false, shut = false, shuts = true;
};

struct channel {
  std::shared_ptr<wire> w;

  asio::awaitable<result<std::string>> read() {
    auto const mine = w;
    while (mine->incoming.empty() && !mine->closed) co_await mine->rung();
    if (mine->closed) co_return error(asio::error::make_error_code(asio::error::operation_aborted), "closed");
    auto next = std::move(mine->incoming.front());
    mine->incoming.pop_front();
    co_return next;
  }
  asio::awaitable<result<void>> write(std::span<std::string const> messages) {
    auto const mine = w;
    mine->batches.emplace_back(messages.begin(), messages.end());
    while (mine->blocked && !mine->closed) co_await mine->rung();
    if (mine->throws) throw std::runtime_error("no luck");
    if (mine->refuses_writes) co_return *mine->refuses_writes;
    co_return result<void>();
  }
  asio::awaitable<void> shut_down() {
    auto const mine = w;
    while (!mine->shuts && !mine->closed) co_await mine->rung();
    mine->shut = true;
  }
  void close() noexcept { w->closed = true, w->bell.cancel(); }
};

static_assert(comcp::message_stream<channel>);
static_assert(comcp::transport<comcp::message_transport<channel>>);

struct fixture {
  comcp::message_transport<channel> transport(comcp::stream_options options = comcp::stream_options()) {
    return comcp::message_transport<channel>(channel{w}, std::move(options));
  }

  asio::io_context io;
  std::shared_ptr<wire> w = std::make_shared<wire>(io);
  transport_box box{io.get_executor()};
};

}  // namespace

TEST_CASE("message_transport: messages go both ways, many sends of one turn in one batch", "[transport]") {
  fixture f;
  auto t = f.transport();
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(f.box)).value();
    for (auto const* text : {"one", "two", "three"}) CHECK(t.send(outgoing(text)));
    CHECK(f.w->batches.empty());  // never inside send()
    f.w->says("a");
    f.w->says("b\nwith a newline");
    co_await f.box.until_lines(2);
    co_await t.close();
  };
  run(f.io, body());
  CHECK(f.w->batches == std::vector<strings>{{"one", "two", "three"}});
  CHECK(f.box.lines == strings{"a", "b\nwith a newline"});
  CHECK(*f.box.reason == errc::closed);
  CHECK(f.w->shut);
  CHECK(f.w->closed);
  CHECK(t.info().messages_out == 3);
  CHECK(t.info().bytes_out == 11);
  CHECK(t.info().messages_in == 2);
  CHECK(t.info().bytes_in == 17);
  CHECK_FALSE(t.send(outgoing("late")));
}

TEST_CASE("message_transport: what is sent while one writes waits, within its bounds, and can be abandoned",
          "[transport]") {
  fixture f;
  f.w->blocked = true;
  auto t = f.transport(comcp::stream_options().queue(comcp::queue_limits().messages(2)));
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t.open(f.box)).value();
    CHECK(t.send(outgoing("1", 1)));
    while (f.w->batches.empty()) co_await asio::post(asio::use_awaitable);
    CHECK(t.send(outgoing("2", 2)));
    CHECK(t.send(outgoing("3", 3)));
    auto const more = t.send(outgoing("4", 4));
    CHECK(more.error() == errc::queue_full);
    CHECK_FALSE(t.abandon(1));  // it is being written
    CHECK(t.abandon(2));
    CHECK_FALSE(t.abandon(2));
    f.w->resume_writes();
    co_await t.close();
  };
  run(f.io, body());
  CHECK(f.w->batches == std::vector<strings>{{"1"}, {"3"}});
}

TEST_CASE("message_transport: how it ends", "[transport]") {
  fixture f;
  auto clock = std::make_shared<comcp::test::manual_clock>();
  auto t = f.transport(comcp::stream_options().max_line(5).time(clock).close_wait(std::chrono::seconds(1)));
  auto open = [&]() -> asio::awaitable<void> { (co_await t.open(f.box)).value(); };
  run(f.io, open());
  SECTION("the stream fails") {
    f.w->fails(error(std::make_error_code(std::errc::connection_reset), "reset"));
    run(f.io, f.box.until_closed());
    CHECK(*f.box.reason == errc::transport_failed);
  }
  SECTION("a message is too long") {
    f.w->says("123456");
    f.w->says("more");
    run(f.io, f.box.until_closed());
    CHECK(*f.box.reason == errc::limit_exceeded);
    CHECK(f.box.lines.empty());
  }
  SECTION("writing throws: what the peer sent still comes, for close_wait") {
    f.w->throws = true;
    CHECK(t.send(outgoing("x")));
    auto const until = [&]() -> asio::awaitable<void> {
      while (t.send(outgoing("y"))) co_await asio::post(asio::use_awaitable);
    };
    run(f.io, until());
    f.w->says("late");
    run(f.io, f.box.until_lines(1));
    CHECK_FALSE(f.box.reason);
    clock->advance(std::chrono::seconds(1));
    run(f.io, f.box.until_closed());
    CHECK(f.box.lines == strings{"late"});
    CHECK(f.box.reason->to_string().find("no luck") != std::string::npos);
  }
  SECTION("a peer that takes nothing: close() is bounded") {
    f.w->blocked = true;
    CHECK(t.send(outgoing("x")));
    auto closing = [&]() -> asio::awaitable<void> {
      asio::post(f.io, [&] { clock->advance(std::chrono::seconds(1)); });
      co_await t.close();
    };
    run(f.io, closing());
    CHECK(*f.box.reason == errc::closed);
  }
  SECTION("one that does not say goodbye: neither") {
    f.w->shuts = false;
    auto closing = [&]() -> asio::awaitable<void> {
      asio::post(
          f.io, [&] { asio::post(f.io, [&] { asio::post(f.io, [&] { clock->advance(std::chrono::seconds(1)); }); }); });
      co_await t.close();
    };
    run(f.io, closing());
    CHECK(*f.box.reason == errc::closed);
    CHECK_FALSE(f.box.reason->to_string().find("before everything") != std::string::npos);
  }
  SECTION("it is closed, or destroyed, from inside a delivery") {
    bool const destroyed = GENERATE(false, true);
    f.box.on_line = [&](std::string const&) {
      if (destroyed)
        t = comcp::message_transport<channel>(channel{std::make_shared<wire>(f.io)});
      else
        asio::co_spawn(f.io, t.close(), asio::detached);
    };
    f.w->says("now");
    f.w->says("never");
    run(f.io, f.box.until_lines(1));
    f.io.restart();
    f.io.run();
    CHECK(f.box.lines.size() <= 2);
    CHECK(f.box.reason.has_value() == !destroyed);
  }
  CHECK(f.w->closed);
  CHECK(f.box.after_closed == 0);
}

TEST_CASE("message_transport: the context may go away while all waits", "[transport]") {
  auto f = std::make_unique<fixture>();
  f->w->blocked = true;
  auto t = std::make_unique<comcp::message_transport<channel>>(f->transport());
  auto body = [&]() -> asio::awaitable<void> {
    (co_await t->open(f->box)).value();
    CHECK(t->send(outgoing("x")));
    while (f->w->batches.empty()) co_await asio::post(asio::use_awaitable);
  };
  run(f->io, body());
  std::weak_ptr<wire> const left = f->w;
  t.reset();
  f.reset();
  CHECK(left.expired());
}
