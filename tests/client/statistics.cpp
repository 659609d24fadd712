// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/statistics.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

TEST_CASE("statistics: requests, their ends, messages and bytes are counted", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.ignore("notifications/cancelled");
  auto client = c.connect(s.transport());
  auto const before = client->statistics();
  s.expect("tools/call").reply(tool_text).expect("tools/call").fail(-1, "no").expect("tools/call").expect("tools/call");
  CHECK(c.finish(client->call_tool("ok")));
  CHECK_FALSE(c.finish(client->call_tool("fails")));
  auto const timed = c.start(client->call_tool("late", args(), call_options().timeout(5s)));
  c.advance(2s);
  auto const cancelled = c.start(client->call_tool("cancelled"));
  auto const during = client->statistics();
  CHECK(during.pending == 2);
  CHECK(during.oldest_pending == 2s);
  cancelled->cancel();
  c.advance(3s);
  auto const after = client->statistics();
  CHECK(timed->done());
  CHECK(after.pending == 0);
  CHECK(after.oldest_pending == 0s);
  CHECK(after.tracked - before.tracked == 4);
  CHECK(after.completed - before.completed == 1);
  CHECK(after.failed - before.failed == 1);
  CHECK(after.timed_out == 1);
  CHECK(after.cancelled == 1);
  CHECK(after.messages_in - before.messages_in == 2);
  CHECK(after.messages_out - before.messages_out == 6);  // four calls, two cancelled notifications
  CHECK(after.bytes_out > before.bytes_out);
  CHECK(after.bytes_in - before.bytes_in > tool_text.size());
  CHECK(after.restarts == 0);
}

TEST_CASE("statistics: pending counts calls only", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client = c.connect(s.transport(), c.options().ping_interval(60s));
  c.advance(10s);
  CHECK(client->statistics().pending == 0);
  CHECK(client->statistics().oldest_pending == 0s);
}

TEST_CASE("statistics: notifications, requests of the server and drops", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client = c.connect(s.transport());
  s.notify("notifications/message", R"({"level":"info","data":1})").notify("vendor/n").request("1", "vendor/r").expect("error");
  s.raw("}{").raw(R"({"jsonrpc":"2.0","id":999,"result":{}})");
  c.settle();
  auto const now = client->statistics();
  CHECK(now.notifications == 2);
  CHECK(now.requests == 1);
  CHECK(now.bad_messages == 1);
  CHECK(now.unknown + now.late == 1);
  CHECK(s.verdict() == all_well);
}
