// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a server may make a client do in input rounds: how often, how much at once, how fast.
#include <stdexcept>

#include <comcp/client/handlers.hpp>
#include <comcp/net/gate.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

std::string asks(int n) {
  std::string text = R"({"resultType":"input_required","inputRequests":{)";
  for (int i = 0; i != n; ++i) {
    text += (i ? ",\"q" : "\"q") + std::to_string(i);
    text += R"(":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}})";
  }
  return text + "}}";
}

constexpr auto state_alone = R"({"resultType":"input_required","requestState":"again"})";

struct waits {
  std::shared_ptr<comcp::detail::gate> opened;
  std::shared_ptr<int> begun = std::make_shared<int>(0);
  int fails = 0;  // which of them
  asio::awaitable<elicit_result> elicit(elicit_params) {
    bool const throws = ++*begun == fails;
    co_await opened->wait();
    if (throws) throw std::runtime_error("no");
    co_return elicit_result::accept(args());
  }
};

}  // namespace

TEST_CASE("rounds: state alone goes back after 50 ms, then 100, up to a second", "[client]") {
  conversation c;
  auto s = modern_script();
  for (int i = 0; i != 8; ++i) s.expect("tools/call").reply(state_alone);
  s.expect("tools/call").reply(tool_text);
  auto client = c.connect(s.transport(), c.options()).value();
  auto const before = s.sent().size();
  auto const call = c.start(client.call_tool("t"));
  std::size_t sent = 1;
  for (auto const pause : {50ms, 100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms, 1000ms}) {
    CHECK(s.sent().size() == before + sent);
    c.advance(pause - 1ms);
    CHECK(s.sent().size() == before + sent);
    c.advance(1ms);
    ++sent;
  }
  CHECK(call->ok());
}

TEST_CASE("rounds: the pauses of a call are within its timeout, and end with it", "[client]") {
  conversation c;
  auto s = modern_script();
  for (int i = 0; i != 3; ++i) s.expect("tools/call").reply(state_alone);
  auto client = c.connect(s.transport(), c.options()).value();
  auto const late = c.start(client.call_tool("t", args(), call_options().timeout(70ms)));
  c.advance(50ms);
  CHECK_FALSE(late->done());
  c.advance(20ms);
  CHECK(late->error() == errc::timeout);
  std::stop_source source;
  auto const stopped = c.start(client.call_tool("t", args(), call_options().stop(source.get_token())));
  source.request_stop();
  c.settle();
  CHECK(stopped->error() == errc::cancelled);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("rounds: 64 requests of one round are answered at once, the others wait for their turn", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").reply(asks(200)).expect("tools/call").reply(tool_text);
  waits handler{std::make_shared<comcp::detail::gate>(c.io.get_executor())};
  auto client = c.connect(s.transport(), c.options(), handler).value();
  auto const call = c.start(client.call_tool("t"));
  CHECK(*handler.begun == 64);
  handler.opened->open();
  c.settle();
  CHECK(*handler.begun == 200);
  CHECK(call->ok());
  CHECK(s.sent().back()["params"]["inputResponses"].size() == 200);
}

TEST_CASE("rounds: a round that is cancelled starts nothing more", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").reply(asks(100));
  waits handler{std::make_shared<comcp::detail::gate>(c.io.get_executor())};
  auto client = c.connect(s.transport(), c.options(), handler).value();
  auto const call = c.start(client.call_tool("t"));
  call->cancel();
  c.settle();
  CHECK(call->error() == errc::cancelled);
  handler.opened->open();
  c.settle();
  CHECK(*handler.begun == 64);
}

TEST_CASE("rounds: one that has ended starts nothing more, though its handlers answer first", "[client]") {
  auto const ends = GENERATE(errc::input_refused, errc::cancelled, errc::timeout);
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").reply(asks(100));
  waits handler{std::make_shared<comcp::detail::gate>(c.io.get_executor())};
  if (ends == errc::input_refused) handler.fails = 1;
  auto client = c.connect(s.transport(), c.options(), handler).value();
  std::stop_source stop;
  auto const call = c.start(client.call_tool("t", args(), call_options().stop(stop.get_token()).hard_timeout(1min)));
  if (ends == errc::cancelled) stop.request_stop();
  if (ends == errc::timeout) c.clock->advance(1min);
  handler.opened->open();  // all 64 go on right behind that
  c.settle();
  CHECK(call->error() == ends);
  CHECK(*handler.begun == 64);
}

TEST_CASE("rounds: one whose call ends as it begins starts nothing", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").reply(asks(3));
  waits handler{std::make_shared<comcp::detail::gate>(c.io.get_executor())};
  handler.opened->open();
  std::stop_source stop;
  auto const hears = [&](direction d, std::string_view text) {
    if (d == direction::received && text.find("inputRequests") != text.npos) stop.request_stop();
  };
  auto client = c.connect(s.transport(), c.options().trace(hears), handler).value();
  CHECK(c.finish(client.call_tool("t", args(), call_options().stop(stop.get_token()))).error() == errc::cancelled);
  CHECK(*handler.begun == 0);
}

TEST_CASE("rounds: one with more requests than the limit ends the call, and asks nobody", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").reply(asks(1001)).expect("tools/call").reply(asks(3));
  waits handler{std::make_shared<comcp::detail::gate>(c.io.get_executor())};
  auto client = c.connect(s.transport(), c.options(), handler).value();
  auto const e = c.finish(client.call_tool("t")).error();
  CHECK(e == errc::limit_exceeded);
  CHECK_THAT(e.to_string(), match::contains("input_requests"));
  CHECK(e.outcome() == call_outcome::known);
  CHECK(*handler.begun == 0);
}

TEST_CASE("rounds: what goes back of an accepted url has no content", "[client]") {
  struct talks {
    elicit_result elicit_url(elicit_params) { return elicit_result::accept(args("secret", 1)); }
  };
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").reply(R"({"resultType":"input_required","inputRequests":{"u":{"method":"elicitation/create",)"
                               R"("params":{"mode":"url","message":"m","url":"https://a/","elicitationId":"1"}}}})");
  s.expect("tools/call").reply(tool_text);
  auto client = c.connect(s.transport(), c.options(), talks()).value();
  CHECK(c.finish(client.call_tool("t")));
  CHECK(s.sent().back()["params"]["inputResponses"]["u"] == json::parse(R"({"action":"accept"})").value());
}
