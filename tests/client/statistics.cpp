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
  CHECK(after.reconnects == 0);
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

namespace {

// Refuses what it is told to.
struct refusing {
  refusing(comcp::test::scripted_transport t, std::shared_ptr<bool> r) : inner(std::move(t)), refuse(std::move(r)) {}
  comcp::test::scripted_transport inner;
  std::shared_ptr<bool> refuse;
  asio::awaitable<result<void>> open(inbox& in) { return inner.open(in); }
  result<void> send(outgoing message) {
    if (*refuse) return error(errc::queue_full);
    return inner.send(std::move(message));
  }
  bool abandon(request_id id) noexcept { return inner.abandon(id); }
  asio::awaitable<void> close() { return inner.close(); }
  [[nodiscard]] transport_info info() const { return inner.info(); }
};

void check_balance(comcp::statistics const& s) {
  CHECK(s.tracked == s.pending + s.completed + s.failed + s.timed_out + s.cancelled);
}

}  // namespace

TEST_CASE("statistics: every tracked request is pending or has one end, at every moment", "[client]") {
  conversation c;
  auto s = GENERATE(false, true) ? modern_script() : legacy_script();
  s.ignore("notifications/cancelled");
  auto const refuse = std::make_shared<bool>(false);
  auto client = c.connect(refusing(s.transport(), refuse));
  REQUIRE(client);
  check_balance(client->statistics());
  s.expect("tools/call").reply(tool_text).expect("tools/call").expect("tools/call");
  CHECK(c.finish(client->call_tool("ok")));
  check_balance(client->statistics());
  *refuse = true;
  auto const before = client->statistics();
  CHECK(c.finish(client->call_tool("refused")).error() == errc::queue_full);
  CHECK(client->statistics().failed == before.failed + 1);
  check_balance(client->statistics());
  *refuse = false;
  auto const late = c.start(client->call_tool("late", args(), call_options().timeout(1s)));
  auto const open = c.start(client->call_tool("open"));
  check_balance(client->statistics());
  CHECK(client->statistics().pending == 2);
  c.advance(1s);
  CHECK(late->error() == errc::timeout);
  check_balance(client->statistics());
  CHECK(c.finish(client->close()));
  CHECK(open->done());
  check_balance(client->statistics());
  CHECK(client->statistics().pending == 0);
}

TEST_CASE("statistics: bad messages are counted and skipped up to a threshold", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client = c.connect(s.transport(), c.options().limits(connection_limits().bad_lines(3)));
  auto const closed = c.start(end_of(*client));
  s.raw("npm warn something").raw("[INFO] started").raw("\x1B[2Jhello " + std::string(300, 'x'));
  c.settle();
  CHECK(client->statistics().bad_messages == 3);
  REQUIRE(c.faults.size() == 3);
  CHECK(c.faults[0].message() == "not JSON: npm warn something");
  CHECK(c.faults[1].message() == "not JSON: [INFO] started");
  CHECK_THAT(std::string(c.faults[2].message()), match::contains("not JSON: <U+001B>[2Jhello xxx") && match::ends_with("x..."));
  CHECK(c.faults[2].message().size() < 200);
  CHECK(client->status() == connection_status::ready);
  CHECK_FALSE(closed->done());
  s.raw("one more");
  c.settle();
  REQUIRE(closed->ok());
  CHECK((*closed)->why == errc::protocol_violation);
  CHECK_THAT(std::string((*closed)->why.message()), match::contains("bad_lines"));
  CHECK_THAT(std::string((*closed)->why.message()), match::contains("npm warn something"));
}

TEST_CASE("statistics: a stray line for each call is forgotten at the next good message", "[client]") {
  conversation c;
  auto s = legacy_script();
  for (int i = 0; i != 150; ++i) s.expect("tools/call").raw("calling a tool").reply(tool_text);
  for (int i = 0; i != 150; ++i) s.raw("tick").notify("notifications/message", R"({"level":"info","data":1})");
  for (int i = 0; i != 150; ++i) s.raw("tock").request(std::to_string(i + 1), "ping").expect("result");
  auto client = c.connect(s.transport(), c.options());
  for (int i = 0; i != 150; ++i) CHECK(c.finish(client->call_tool("x")));
  c.settle();
  CHECK(client->status() == connection_status::ready);
  CHECK(client->statistics().bad_messages == 450);
  CHECK(s.verdict() == all_well);
}
