// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams that end too soon, and a server that is not heard any more: how often it is asked, and who is told.
#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

struct tools_listener {
  void on(tools_list_changed) {}
};

using watched = std::vector<result<listing<tool>>>;

std::function<void(result<listing<tool>>)> into(watched& all) {
  return [&all](result<listing<tool>> r) { all.push_back(std::move(r)); };
}

// Waits without chance in them.
struct steady_talk : http_talk {
  steady_talk() { transport_options.reconnect(reconnect_policy().delay(1s, 30s).jitter(0)); }
};

// Refuses every stream that is opened within this time; how many there were.
template <class Answer>
int streams_within(http_talk& t, std::chrono::seconds time, Answer const& answer) {
  int count = 0;
  for (auto left = time; left > 0s; left -= 1s) {
    t.advance(1s);
    while (auto const x = t.http.take()) {
      CHECK(x->request.method == "GET");
      answer(*x);
      t.settle();
      ++count;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("http_silence: a stream that ends at once is opened less and less often", "[transport]") {
  std::string const first = GENERATE("", "retry: 0\n\n", "id: 1\ndata:\n\n");
  steady_talk t;
  auto c = t.legacy();
  auto const end = [&first](fake_exchange& x) { x.stream().piece(first).end(); };
  end(*t.stream);
  t.settle();
  CHECK(streams_within(t, 30s, end) <= 9);
  CHECK(streams_within(t, 600s, end) <= 21);
  CHECK(streams_within(t, 600s, end) >= 19);  // and never given up
}

TEST_CASE("http_silence: a stream that a server ends after each message is opened less often too", "[transport]") {
  steady_talk t;
  auto c = t.legacy();
  auto const speak = [](fake_exchange& x) {
    x.stream().piece("retry: 0\n\n").event(R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})").end();
  };
  speak(*t.stream);
  t.settle();
  (void)streams_within(t, 60s, speak);
  CHECK(streams_within(t, 600s, speak) <= 21);
  CHECK(t.faults.empty());
}

TEST_CASE("http_silence: a stream that lived for some seconds was no failure", "[transport]") {
  steady_talk t;
  auto c = t.legacy();
  auto stream = t.stream;
  for (int i = 0; i < 20; ++i) {
    t.advance(5s);
    stream->end();
    t.settle();
    t.advance(1s);
    stream = t.take();
    stream->stream();
    t.settle();
  }
  CHECK(t.faults.empty());
}

TEST_CASE("http_silence: a resumed answer that ends at once is asked for less and less often, and not for ever", "[transport]") {
  bool const brings = GENERATE(false, true);
  steady_talk t;
  t.transport_options.get_stream(false);
  auto const opening = t.begin(t.options().legacy());
  t.answer_initialize("s");
  t.take("initialized")->status(202);
  auto c = t.done(opening);
  auto const call = t.start(c.call_tool("x", args(), call_options().timeout(5min)));
  t.take("tools/call")->stream().piece("id: 0\nretry: 0\ndata:\n\n").end();
  t.settle();
  int id = 0;
  auto const count = streams_within(t, 299s, [&](fake_exchange& x) {
    if (brings) {
      x.stream().piece("id: " + std::to_string(++id) + "\ndata:\n\n").end();
    } else {
      x.stream().end();
    }
  });
  // 100 ms, 200 ms, 400 ms ... 30 s
  CHECK(count == (brings ? 17 : 5));
  t.advance(1s);
  CHECK(call->error() == (brings ? errc::timeout : errc::outcome_unknown));
}

TEST_CASE("http_silence: a call's own deadline ends its silence, the idle time that of a stream without one", "[transport]") {
  constexpr std::chrono::nanoseconds idle = 5min, never = http_timeouts::never;
  steady_talk t;
  auto c = t.legacy();
  CHECK(t.stream->request.timeouts.idle() == idle);
  auto const call = t.start(c.call_tool("slow", args(), call_options().timeout(30min).hard_timeout(1h)));
  auto const post = t.take("tools/call");
  CHECK(post->request.timeouts.idle() == never);
  CHECK(post->request.timeouts.total() == never);
  post->stream().piece("id: 1\nretry: 100\ndata:\n\n").end();
  t.settle();
  t.advance(1s);
  auto const again = t.take();
  CHECK(again->request.timeouts.idle() == never);
  again->stream();
  t.advance(29min);
  CHECK_FALSE(call->done());
  again->event(R"({"jsonrpc":"2.0","id":)" + post->id() + R"(,"result":)" + tool_text + "}");
  t.settle();
  CHECK(call->ok());
}

TEST_CASE("http_silence: a server without a stream is told to who waits for changes, and asked again now and then", "[transport]") {
  watched seen;
  steady_talk t;
  auto c = t.legacy(t.options(), "s", false);
  CHECK(t.faults.empty());
  t.advance(5min);
  t.quiet();  // nobody waits
  auto const watch = c.watch_tools(into(seen));
  t.settle();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].error() == errc::capability_missing);
  CHECK(seen[0].error().detail()->http_status == 405);
  auto const subscribed = t.start(c.subscribe("file:///a"));
  t.take("resources/subscribe")->result("{}");
  t.settle();
  CHECK(subscribed->ok());
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0] == errc::capability_missing);

  CHECK(streams_within(t, 300s, [](fake_exchange& x) { x.status(405); }) == 10);
  CHECK(seen.size() == 1);
  t.advance(30s);
  t.take()->stream();
  t.settle();
  t.advance(1s);
  t.take("tools/list")->result(R"({"tools":[]})");  // what nobody told of meanwhile
  t.settle();
  REQUIRE(seen.size() == 2);
  CHECK(seen[1].has_value());
}

TEST_CASE("http_silence: a handler that waits for changes is told by the observer", "[transport]") {
  steady_talk t;
  auto c = t.legacy(t.options(), "s", false, tools_listener());
  t.settle();
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0] == errc::capability_missing);
  CHECK(streams_within(t, 90s, [](fake_exchange& x) { x.status(405); }) == 3);
  CHECK(t.faults.size() == 1);
}

TEST_CASE("http_silence: a server that was away is heard again, at the latest when a call succeeds", "[transport]") {
  watched seen;
  steady_talk t;
  auto c = t.legacy();
  auto const watch = c.watch_tools(into(seen));
  t.advance(10s);
  t.stream->fail(error(errc::transport_failed, "reset"));
  t.settle();
  auto const refuse = [](fake_exchange& x) { x.fail(error(errc::connect_failed, "refused")); };
  CHECK(streams_within(t, 120s, refuse) > 5);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].error() == errc::connect_failed);
  CHECK(t.faults.size() == 1);
  CHECK(streams_within(t, 300s, refuse) == 10);  // at the longest wait, for ever
  CHECK(seen.size() == 1);
  SECTION("by itself") { t.advance(30s); }
  SECTION("with the next call") {
    t.quiet();
    auto const call = t.start(c.call_tool("x"));
    t.take("tools/call")->result(tool_text);
    t.settle();
    CHECK(call->ok());
  }
  t.answer_get(true);
  t.advance(1s);
  t.take("tools/list")->result(R"({"tools":[]})");
  t.settle();
  REQUIRE(seen.size() == 2);
  CHECK(seen[1].has_value());
}

TEST_CASE("http_silence: calls that succeed do not make a stream that fails busy", "[transport]") {
  steady_talk t;
  auto c = t.legacy();
  t.advance(10s);
  t.stream->end();
  t.settle();
  int streams = 0;
  for (int i = 0; i < 600; ++i) {
    t.advance(100ms);
    auto const call = t.start(c.call_tool("x"));
    while (auto const x = t.http.take()) {
      if (x->request.method == "GET") {
        ++streams;
        x->stream().end();
      } else {
        x->result(tool_text);
      }
      t.settle();
    }
    CHECK(call->ok());
  }
  CHECK(streams <= 7);
}
