// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which call a server's request belongs to, as streams tell it.
#include <comcp/client/guards.hpp>

#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

std::string const asks = R"({"jsonrpc":"2.0","id":7,"method":"roots/list"})";

struct roots_handler {
  std::vector<root> list_roots() { return {}; }
};

}  // namespace

TEST_CASE("http_origin: a call's own stream tells, also where it is resumed; the common stream is no call's", "[transport]") {
  http_talk t;
  auto o = t.options();
  o.intercept(require_origin());
  auto c = t.legacy(std::move(o), "s", true, roots_handler());
  auto const answers = [&t](char const* with) {
    auto const posted = t.take("\"id\":7");
    CHECK(posted->says(with));
    posted->status(202);
  };
  auto const call = t.start(c.call_tool("slow"));
  auto const post = t.take("tools/call");
  t.stream->event(asks);  // although a call is open
  answers("-32602");
  post->stream().event(asks, "e-1");
  answers("\"roots\"");
  post->piece("retry: 500\n\n").end();
  t.settle();
  t.advance(2s);
  auto const again = t.take();
  REQUIRE(again->request.method == "GET");
  again->stream().event(asks);
  answers("\"roots\"");
  again->event(R"({"jsonrpc":"2.0","id":)" + post->id() + R"(,"result":{"content":[]}})");
  t.settle();
  CHECK(call->ok());
}

TEST_CASE("http_origin: the stream of a ping of ours is no call's", "[transport]") {
  http_talk t;
  auto o = t.options();
  o.ping_interval(1s).ping_timeout(1h).intercept(require_origin());
  auto c = t.legacy(std::move(o), "s", false, roots_handler());
  t.advance(1s);
  t.advance(1s);
  auto const ping = t.take("\"ping\"");
  ping->stream().event(asks);
  auto const posted = t.take("\"id\":7");
  CHECK(posted->says("-32602"));
  posted->status(202);
}
