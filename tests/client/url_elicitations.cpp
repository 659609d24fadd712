// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// -32042 (2025-11-25): its pages are shown, and by choice their completion is waited for.
#include <comcp/client/connect.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

struct opens {
  std::shared_ptr<std::vector<std::string>> urls = std::make_shared<std::vector<std::string>>();
  bool accepts = true;
  elicit_result elicit_url(elicit_params p) {
    urls->push_back(p.url.value_or(""));
    return accepts ? elicit_result::accept() : elicit_result::decline();
  }
};

auto const two_pages = json::raw(R"({"elicitations":[{"mode":"url","message":"m","url":"https://a/","elicitationId":"1"},)"
                                 R"({"mode":"url","message":"m","url":"https://b/","elicitationId":"2"}]})");

// Refuses so many calls, and answers the next.
struct guarded : conversation {
  explicit guarded(int refusals) : server(io.get_executor()), left(refusals) {
    server.legacy().on("tools/call", [this](fake_request r) {
      if (left-- > 0) r.fail(-32042, "log in first", two_pages);
      else r.reply(json::raw(tool_text));
    });
  }
  comcp::client connected(opens handler) { return std::move(connect(server.transport(), options(), std::move(handler))).value(); }
  void complete(std::string const& id) {
    server.notify("notifications/elicitation/complete", args("elicitationId", id));
    settle();
  }
  fake_server server;
  int left;
};

auto const waiting = call_options().await_url_elicitations();

}  // namespace

TEST_CASE("url elicitations: once all pages are completed the call goes out again", "[client]") {
  guarded g(1);
  auto const client = g.connected(opens());
  auto const call = g.start(client.call_tool("t", args("a", 1), waiting));
  CHECK_FALSE(call->done());
  g.complete("2");
  g.complete("unknown");
  CHECK_FALSE(call->done());
  g.complete("1");
  CHECK(call->ok());
  CHECK(g.server.count("tools/call") == 2);
  CHECK(g.server.last("tools/call")["arguments"]["a"].as_int64() == 1);
}

TEST_CASE("url elicitations: without a handler the first refusal is the end", "[client]") {
  guarded g(1);
  auto const client = g.connect(g.server.transport(), g.options()).value();
  CHECK(g.start(client.call_tool("t", args(), waiting))->error() == errc::url_elicitation_required);
  CHECK(g.server.count("tools/call") == 1);
}

TEST_CASE("url elicitations: a second refusal is the end, and shows no page again", "[client]") {
  guarded g(2);
  opens handler;
  auto const client = g.connected(handler);
  auto const call = g.start(client.call_tool("t", args(), waiting));
  g.complete("1");
  g.complete("2");
  CHECK(call->error() == errc::url_elicitation_required);
  CHECK(handler.urls->size() == 2);
  CHECK(g.server.count("tools/call") == 2);
}

TEST_CASE("url elicitations: a page that was declined, or is never completed, ends the call with the list", "[client]") {
  guarded g(2);
  opens declines;
  declines.accepts = false;
  {
    auto const client = g.connected(declines);
    CHECK(g.finish(client.call_tool("t", args(), waiting)).error() == errc::url_elicitation_required);
  }
  auto const client = g.connected(opens());
  auto const call = g.start(client.call_tool("t", args(), call_options().await_url_elicitations().hard_timeout(1min)));
  g.advance(59s);
  CHECK_FALSE(call->done());
  g.advance(1s);
  CHECK(call->error() == errc::url_elicitation_required);
  CHECK(call->error().outcome() == call_outcome::known);
  g.complete("1");
  g.complete("2");
  CHECK(g.server.count("tools/call") == 2);
}

TEST_CASE("url elicitations: cancelling and closing end the wait", "[client]") {
  guarded g(2);
  auto const client = g.connected(opens());
  auto const cancelled = g.start(client.call_tool("t", args(), waiting));
  cancelled->cancel();
  g.settle();
  CHECK(cancelled->error() == errc::cancelled);
  auto const closed = g.start(client.call_tool("t", args(), waiting));
  CHECK(g.finish(client.close()));
  CHECK(closed->error() == errc::closed);
}

TEST_CASE("url elicitations: more pages than the limit are not shown", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().on("tools/call", [](fake_request r) { r.fail(-32042, "log in first", two_pages); });
  opens handler;
  auto const client =
      c.connect(server.transport(), c.options().limits(connection_limits().input_requests(1)), handler).value();
  CHECK(c.finish(client.call_tool("t")).error() == errc::limit_exceeded);
  CHECK(handler.urls->empty());
}
