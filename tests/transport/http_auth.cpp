// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/bearer.hpp>

#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

// A server of the legacy era, to which every kind of request goes.
client connect_legacy(http_talk& t, bearer b) {
  auto const opening = t.start(conversation::connected(t.transport(std::move(b)), no_handler(), t.options().legacy()));
  t.answer_initialize("s");
  t.take("initialized")->status(202);
  t.answer_get(true);
  return t.done(opening);
}

token_source counting(int& asked) {
  return [&asked](token_need) -> asio::awaitable<secret> { co_return secret("t" + std::to_string(++asked)); };
}

}  // namespace

TEST_CASE("bearer: the token goes along with POST, GET and DELETE", "[transport]") {
  http_talk t;
  auto c = connect_legacy(t, bearer("abc"));
  CHECK(t.stream->header("Authorization") == "Bearer abc");
  auto const call = t.start(c.call_tool("x"));
  auto const post = t.take("tools/call");
  CHECK(post->header("Authorization") == "Bearer abc");
  post->result(tool_text);
  t.settle();
  auto const closing = t.start(c.close());
  CHECK(t.take()->header("Authorization") == "Bearer abc");
}

TEST_CASE("bearer: a token that is refused is an error that does not show it", "[transport]") {
  http_talk t;
  auto c = connect_legacy(t, bearer("very-secret"));
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->status(401, {{"WWW-Authenticate", "Bearer"}}, "who is Bearer very-secret?");
  t.settle();
  CHECK(call->error() == errc::unauthorized);
  CHECK(call->error().detail()->http_status == 401);
  CHECK(call->error().to_string().find("very-secret") == std::string::npos);
  CHECK(call->error().detail()->snippet == "who is Bearer ***?");
  CHECK(t.finish(c.transport_info())->identity.find("very-secret") == std::string::npos);
  t.quiet();
}

TEST_CASE("bearer: a 401 asks the source once, for all that wait", "[transport]") {
  http_talk t;
  int asked = 0;
  auto c = connect_legacy(t, bearer(counting(asked)));
  CHECK(asked == 1);
  auto const a = t.start(c.call_tool("a"));
  auto const b = t.start(c.call_tool("b"));
  auto const first = t.take("tools/call");
  auto const second = t.take("tools/call");
  CHECK(first->header("Authorization") == "Bearer t1");
  first->status(401);
  second->status(401);
  t.settle();
  CHECK(asked == 2);
  for (int i = 0; i < 2; ++i) {
    auto const again = t.take("tools/call");
    CHECK(again->header("Authorization") == "Bearer t2");
    again->result(tool_text);
  }
  t.settle();
  CHECK(a->ok());
  CHECK(b->ok());
}

TEST_CASE("bearer: a second 401 for one request surfaces", "[transport]") {
  http_talk t;
  int asked = 0;
  auto c = connect_legacy(t, bearer(counting(asked)));
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->status(401);
  t.take("tools/call")->status(401);
  t.settle();
  CHECK(call->error() == errc::unauthorized);
  CHECK(asked == 2);
  t.quiet();
}

TEST_CASE("bearer: 403 asks for no other token", "[transport]") {
  http_talk t;
  int asked = 0;
  auto c = connect_legacy(t, bearer(counting(asked)));
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->status(403);
  t.settle();
  CHECK(call->error() == errc::unauthorized);
  CHECK(asked == 1);
}

TEST_CASE("bearer: a source that fails ends what waits for it", "[transport]") {
  http_talk t;
  token_source source;
  SECTION("an exception") {
    source = [](token_need) -> asio::awaitable<secret> { throw std::runtime_error("no"); };
  }
  SECTION("an empty token") {
    source = [](token_need) -> asio::awaitable<secret> { co_return secret(); };
  }
  auto const opening = t.start(conversation::connected(t.transport(bearer(source)), no_handler(), t.options()));
  CHECK(opening->error() == errc::unauthorized);
  t.quiet();
}

TEST_CASE("bearer: the source's own error is what a refused request ends with", "[transport]") {
  http_talk t;
  int asked = 0;
  token_source const source = [&asked](token_need) -> asio::awaitable<secret> {
    if (++asked == 2) throw exception(error(errc::denied, "the user said no"));
    co_return secret("first-token");
  };
  auto c = connect_legacy(t, bearer(source));
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->error(401, -32001, "nobody");
  t.settle();
  CHECK(call->error() == errc::denied);
  CHECK(call->error().detail()->http_status == 401);
}

TEST_CASE("bearer: cancelling one caller leaves the source to the others", "[transport]") {
  http_talk t;
  int asked = 0;
  auto const ready = std::make_shared<bell>(t.io.get_executor());
  token_source const source = [&asked, ready](token_need) -> asio::awaitable<secret> {
    if (++asked == 2) co_await ready->wait();
    co_return secret("t" + std::to_string(asked));
  };
  auto c = connect_legacy(t, bearer(source));
  auto const a = t.start(c.call_tool("a"));
  auto const b = t.start(c.call_tool("b"));
  t.take("tools/call")->status(401);
  t.take("tools/call")->status(401);
  t.settle();
  a->cancel();
  t.settle();
  CHECK(a->error() == errc::cancelled);
  t.take("notifications/cancelled")->status(202);
  ready->ring();
  auto const again = t.take("\"b\"");
  CHECK(again->header("Authorization") == "Bearer t2");
  again->result(tool_text);
  t.settle();
  CHECK(b->ok());
}

TEST_CASE("bearer: copies are one identity, others are another", "[transport]") {
  bearer const a("x"), b("x");
  auto const copy = a;
  CHECK(a.identity() == copy.identity());
  CHECK(a.identity() != b.identity());
  CHECK(no_auth().identity().empty());
}
