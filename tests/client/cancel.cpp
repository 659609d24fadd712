// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Cancelling a call: by its slot, by a stop token; what the server is told; what happens to the reply.
#include <comcp/client/connect.hpp>

#include <comcp/transport/memory.hpp>

#include "support/conversation.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::script;

namespace {
asio::awaitable<void> opened(memory_transport& end, transport_box& box) {
  auto const done = co_await end.open(box);
  done.value();
}
}  // namespace

TEST_CASE("cancel: the slot cancels, the server is told which request, in both eras", "[client]") {
  bool const modern = GENERATE(false, true);
  conversation c;
  auto s = modern ? modern_script() : legacy_script();
  s.expect("tools/call").as("call").expect("notifications/cancelled");
  auto client = c.connect(s.transport());
  auto const o = c.start(client->call_tool("x"));
  CHECK_FALSE(o->done());
  o->cancel();
  c.settle();
  REQUIRE(o->times == 1);
  CHECK(o->error() == errc::cancelled);
  auto const& sent = s.sent();
  CHECK(sent.back()["params"]["requestId"] == sent[sent.size() - 2]["id"]);
  CHECK_FALSE(sent.back().contains("id"));
  CHECK(client->statistics().cancelled == 1);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("cancel: a late reply of a cancelled call is counted and dropped", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").as("call").expect("notifications/cancelled").reply_to("call", tool_text);
  auto client = c.connect(s.transport());
  auto const o = c.start(client->call_tool("x"));
  o->cancel();
  c.settle();
  CHECK(o->times == 1);
  CHECK(o->error() == errc::cancelled);
  CHECK(client->statistics().late == 1);
  s.expect("ping").reply("{}");
  CHECK(c.finish(client->ping()));
}

TEST_CASE("cancel: what is over, or was never sent, is not cancelled on the wire", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").reply(tool_text);
  auto client = c.connect(s.transport());
  auto const over = c.start(client->call_tool("x"));
  REQUIRE(over->ok());
  over->cancel();
  std::stop_source stopped;
  stopped.request_stop();
  auto const never = c.finish(client->call_tool("x", args(), call_options().stop(stopped.get_token())));
  CHECK(never.error() == errc::cancelled);
  CHECK(s.sent_names().back() == "tools/call");
  CHECK(s.verdict() == all_well);
}

TEST_CASE("cancel: one stop token ends every call that was given it, and no other", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").as("a").expect("tools/call").as("b").expect("tools/call").as("c");
  s.expect("notifications/cancelled").expect("notifications/cancelled").reply_to("c", tool_text);
  auto client = c.connect(s.transport());
  std::stop_source source;
  auto const stoppable = call_options().stop(source.get_token());
  auto const a = c.start(client->call_tool("a", args(), stoppable));
  auto const b = c.start(client->call_tool("b", args(), stoppable));
  auto const other = c.start(client->call_tool("c"));
  source.request_stop();
  CHECK_FALSE(a->done());  // never from inside request_stop
  c.settle();
  CHECK(a->error() == errc::cancelled);
  CHECK(b->error() == errc::cancelled);
  CHECK(other->ok());
  CHECK(s.verdict() == all_well);
}

TEST_CASE("cancel: a stop after the end of the call, or of the client, does nothing", "[client]") {
  std::stop_source source;
  {
    conversation c;
    auto s = legacy_script();
    s.expect("tools/call").reply(tool_text).expect("tools/call");
    auto client = c.connect(s.transport());
    CHECK(c.finish(client->call_tool("x", args(), call_options().stop(source.get_token()))));
    (void)c.start(client->call_tool("x", args(), call_options().stop(source.get_token())));
  }
  CHECK(source.request_stop());
}

TEST_CASE("cancel: where closing a stream tells the server, no notification is sent", "[client]") {
  conversation c;
  auto s = modern_script();
  s.abandon_tells().expect("tools/call");
  auto client = c.connect(s.transport());
  auto const o = c.start(client->call_tool("x"));
  o->cancel();
  c.settle();
  CHECK(o->error() == errc::cancelled);
  REQUIRE(s.abandoned().size() == 1);
  CHECK(static_cast<std::int64_t>(s.abandoned()[0]) == s.sent().back()["id"].as_int64());
  CHECK(s.verdict() == all_well);
}

TEST_CASE("cancel: reply and cancel at once end the call once", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.ignore("notifications/cancelled").expect("tools/call").reply(tool_text);
  auto client = c.connect(s.transport());
  auto o = std::make_shared<outcome<call_tool_result>>();
  std::stop_source source;
  s.then([] {});
  auto call = c.start(client->call_tool("x", args(), call_options().stop(source.get_token())));
  source.request_stop();
  call->cancel();
  c.settle();
  CHECK(call->times == 1);
}

TEST_CASE("cancel: a call that was cancelled while the server's list goes on does not send the next page", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/list").reply(R"({"tools":[],"nextCursor":"2"})").expect("tools/list").expect("notifications/cancelled");
  auto client = c.connect(s.transport());
  auto const o = c.start(client->list_tools());
  o->cancel();
  c.settle();
  CHECK(o->error() == errc::cancelled);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("cancel: a request that is still queued is removed silently", "[client]") {
  conversation c;
  auto pair = memory_pair();
  era_verdict prior;
  prior.era = era::modern;
  prior.versions = {version::v2026_07_28};
  auto client = c.connect(std::move(pair.first), c.options().prior(prior));
  REQUIRE(client);
  auto const gone = c.start(client->call_tool("gone"));
  auto const kept = c.start(client->call_tool("kept"));
  gone->cancel();
  c.settle();
  CHECK(gone->error() == errc::cancelled);
  transport_box server(c.io.get_executor());
  REQUIRE(c.finish(opened(pair.second, server)));
  REQUIRE(server.lines.size() == 1);
  CHECK_THAT(server.lines[0], match::contains("kept"));
}

TEST_CASE("cancel: the server is told the caller's reason", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/call").expect("notifications/cancelled").expect("tools/call").expect("notifications/cancelled");
  auto client = c.connect(s.transport());
  for (std::string const reason : {"", "the user pressed \"Stop\""}) {
    auto const o = c.start(client->call_tool("x", args(), reason.empty() ? call_options() : call_options().cancel_reason(reason)));
    o->cancel();
    c.settle();
    CHECK(s.sent().back()["params"]["reason"] == json::to_value(reason.empty() ? "cancelled by the caller" : reason));
  }
}
