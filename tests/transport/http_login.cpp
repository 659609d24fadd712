// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// While an authenticator is busy with a challenge, deadlines stand still: a user who logs in takes longer than a server.
#include <comcp/auth/bearer.hpp>

#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

// Somebody logs in: a token comes when the bell rings, after the first was refused.
struct login {
  explicit login(http_talk& t) : done(std::make_shared<bell>(t.io.get_executor())) {}

  [[nodiscard]] bearer auth() const {
    auto const ready = done;
    return bearer([ready](token_need need) -> asio::awaitable<secret> {
      if (need == token_need::first) co_return secret("old");
      co_await ready->wait();
      co_return secret("new");
    });
  }
  std::shared_ptr<bell> done;
};

client connected_by(http_talk& t, login const& user) {
  auto const opening = t.start(conversation::connected(t.transport(user.auth()), no_handler(), t.options().legacy()));
  t.answer_initialize("s");
  t.take("initialized")->status(202);
  t.answer_get(false);
  return t.done(opening);
}

}  // namespace

TEST_CASE("login: connecting waits for a user longer than for a server", "[transport]") {
  http_talk t;
  login const user(t);
  bool const bounded = GENERATE(false, true);
  auto o = t.options().legacy();
  if (bounded) o.connect_timeout(20s);
  auto const opening = t.start(conversation::connected(t.transport(user.auth()), no_handler(), o));
  t.take("\"initialize\"")->status(401);
  t.settle();
  t.advance(5min);
  CHECK_FALSE(opening->done());
  user.done->ring();
  auto const again = t.take("\"initialize\"");
  CHECK(again->header("Authorization") == "Bearer new");
  t.advance(10s);
  again->result(initialize_text("2025-11-25"));
  t.take("initialized")->status(202);
  t.take()->status(405);
  (void)t.done(opening);
}

TEST_CASE("login: after it the clocks go on from where they stood", "[transport]") {
  http_talk t;
  login const user(t);
  auto const opening = t.start(conversation::connected(t.transport(user.auth()), no_handler(), t.options().legacy()));
  t.advance(20s);
  t.take("\"initialize\"")->status(401);
  t.settle();
  t.advance(2min);
  user.done->ring();
  t.take("\"initialize\"");
  t.advance(11s);
  CHECK(opening->error() == errc::timeout);
}

TEST_CASE("login: it does not keep a connection waiting for ever", "[transport]") {
  http_talk t;
  login const user(t);
  auto const opening = t.start(conversation::connected(t.transport(user.auth()), no_handler(), t.options().legacy()));
  t.take("\"initialize\"")->status(401);
  t.settle();
  t.advance(11min);
  CHECK(opening->error() == errc::timeout);
}

TEST_CASE("login: a call waits for it, up to its hard bound", "[transport]") {
  http_talk t;
  login const user(t);
  auto c = connected_by(t, user);
  auto const call = t.start(c.call_tool("x"));
  auto const other = t.start(c.call_tool("y", args(), call_options().hard_timeout(1min)));
  t.take("tools/call")->status(401);
  t.take("tools/call");
  t.settle();
  t.advance(2min);
  CHECK_FALSE(call->done());
  CHECK(other->error() == errc::timeout);
  t.take("notifications/cancelled")->status(202);

  SECTION("until the token is there") {
    user.done->ring();
    auto const again = t.take("tools/call");
    CHECK(again->header("Authorization") == "Bearer new");
    again->result(tool_text);
    t.settle();
    CHECK(call->ok());
  }
  SECTION("until the client is closed, which is bounded") {
    auto const closing = t.start(c.close());
    t.settle();
    t.advance(10s);
    CHECK(closing->done());
    CHECK(call->error() == errc::closed);
  }
}

TEST_CASE("login: what is still under way at the end of a session asks nobody to log in", "[transport]") {
  http_talk t;
  login const user(t);
  auto c = connected_by(t, user);
  auto const telling = t.start(c.notify("notifications/x"));
  auto const told = t.take("notifications/x");
  auto const closing = t.start(c.close());
  told->status(401);
  auto const end = t.take();
  CHECK(end->request.method == "DELETE");
  end->status(200);
  t.settle();
  CHECK(closing->ok());
}

TEST_CASE("login: the end of a session asks nobody to log in", "[transport]") {
  http_talk t;
  login const user(t);
  auto c = connected_by(t, user);
  auto const closing = t.start(c.close());
  auto const end = t.take();
  CHECK(end->request.method == "DELETE");
  end->status(401);
  t.settle();
  CHECK(closing->ok());
}
