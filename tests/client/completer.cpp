// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Completion while somebody types: what is sent, what is not, and how each question ends.
#include <comcp/client/completer.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;

namespace {

using suggestion = std::optional<complete_result>;

/// A server that completes when the test says so.
struct typing : conversation {
  typing() : server(io.get_executor()) {
    server.on("completion/complete", [this](fake_request r) {
      asked += r.params()["argument"]["value"].as<std::string>() + ' ';
      open.push_back(std::move(r));
    });
    peer.emplace(*connect(server.transport()));
  }
  completer make(completer_options o = completer_options()) { return completer(*peer, o.time(clock)); }
  outcome_of<suggestion> type(completer const& c, std::string const& text) {
    return start(c.complete(prompt_reference("p"), "arg", text));
  }
  void answer(std::string const& value, std::size_t i = 0) {
    open.at(i).reply(json::raw(R"({"completion":{"values":[")" + value + R"("]}})"));
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
    settle();
  }

  fake_server server;
  std::optional<client> peer;
  std::vector<fake_request> open;
  std::string asked;  // the values
};

std::string got(outcome_of<suggestion> const& o) {
  if (!o->done()) return "waits";
  if (!o->ok()) return o->error() == errc::closed ? "closed" : o->error() == errc::cancelled ? "cancelled" : "error";
  return **o ? (**o)->values().at(0) : "nothing";
}

}  // namespace

TEST_CASE("completer: of rapid questions only the newest is sent, after the delay", "[client]") {
  typing t;
  auto const c = t.make();
  auto const a = t.type(c, "a");
  t.advance(149ms);
  auto const ab = t.type(c, "ab");
  CHECK(got(a) == "nothing");
  t.advance(149ms);
  CHECK(t.asked.empty());
  auto const abc = t.type(c, "abc");
  t.advance(149ms);
  CHECK(t.asked.empty());
  t.advance(1ms);
  CHECK(t.asked == "abc ");
  t.answer("abcd");
  CHECK(got(ab) == "nothing");
  CHECK(got(abc) == "abcd");
}

TEST_CASE("completer: what was sent is cancelled when a newer question comes", "[client]") {
  typing t;
  auto const c = t.make();
  auto const a = t.type(c, "a");
  t.advance(150ms);
  auto const before = t.peer->statistics().cancelled;
  auto const b = t.type(c, "b");
  CHECK(got(a) == "nothing");
  CHECK(t.peer->statistics().cancelled == before + 1);
  CHECK(t.peer->statistics().pending == 0);
  t.advance(150ms);
  t.answer("late");
  t.answer("b!");
  CHECK(got(b) == "b!");
  CHECK(t.asked == "a b ");
  auto const again = t.type(c, "a");  // what came late was not kept
  CHECK(got(again) == "waits");
}

TEST_CASE("completer: the same question is asked once, while it waits and while it is under way", "[client]") {
  typing t;
  auto const c = t.make();
  auto const first = t.type(c, "a");
  t.advance(100ms);
  auto const second = t.type(c, "a");
  t.advance(50ms);
  auto const third = t.type(c, "a");
  CHECK(t.asked == "a ");
  t.answer("x");
  for (auto const& o : {first, second, third}) CHECK(got(o) == "x");
}

TEST_CASE("completer: an answer is used again at once, for its time", "[client]") {
  typing t;
  auto const c = t.make(completer_options().ttl(10s));
  auto const a = t.type(c, "a");
  t.advance(150ms);
  t.answer("x");
  CHECK(got(a) == "x");
  auto const other = t.type(c, "b");
  CHECK(got(t.type(c, "a")) == "x");
  CHECK(got(other) == "nothing");  // what is kept answers a newer question, too
  t.advance(9999ms);
  CHECK(got(t.type(c, "a")) == "x");
  t.advance(1ms);
  auto const late = t.type(c, "a");
  CHECK(got(late) == "waits");
  t.advance(150ms);
  CHECK(t.asked == "a a ");
  t.answer("y");
  c.clear();
  t.settle();
  CHECK(got(t.type(c, "a")) == "waits");
}

TEST_CASE("completer: an answer to what was asked before clear() is for who asked then, and is not kept", "[client]") {
  typing t;
  auto const c = t.make(completer_options().delay(0s));
  auto const before = t.type(c, "a");
  c.clear();
  t.settle();
  t.answer("old");
  CHECK(got(before) == "old");
  CHECK(got(t.type(c, "a")) == "waits");
}

TEST_CASE("completer: the question is all of it", "[client]") {
  typing t;
  auto const c = t.make(completer_options().delay(0s));
  auto const ask = [&](completion_reference ref, std::string argument, std::map<std::string, std::string> known) {
    auto const o = t.start(c.complete(std::move(ref), std::move(argument), "v", completion_context(std::move(known))));
    if (o->done()) return got(o);
    t.answer(std::to_string(std::count(t.asked.begin(), t.asked.end(), ' ')));
    return got(o);
  };
  CHECK(ask(prompt_reference("p"), "a", {}) == "1");
  CHECK(ask(prompt_reference("q"), "a", {}) == "2");
  CHECK(ask(resource_template_reference("p"), "a", {}) == "3");
  CHECK(ask(prompt_reference("p"), "b", {}) == "4");
  CHECK(ask(prompt_reference("p"), "a", {{"k", "1"}}) == "5");
  CHECK(ask(prompt_reference("p"), "a", {{"k", "2"}}) == "6");
  CHECK(ask(prompt_reference("p"), "a", {{"k", "1"}}) == "5");
  CHECK(ask(prompt_reference("p"), "a", {}) == "1");
}

TEST_CASE("completer: as many answers as are allowed are kept, the last used ones", "[client]") {
  typing t;
  auto const most = GENERATE(0U, 2U);
  auto const c = t.make(completer_options().delay(0s).entries(most));
  auto const ask = [&](std::string const& text, std::string const& value = "x") {
    auto const o = t.type(c, text);
    bool const kept = o->done();
    if (!kept) t.answer(value);
    CHECK(got(o) == value);
    return kept;
  };
  CHECK_FALSE(ask("a"));
  CHECK_FALSE(ask("b"));
  CHECK(ask("a") == (most == 2));
  CHECK_FALSE(ask("c"));
  CHECK(ask("a") == (most == 2));
  CHECK_FALSE(ask("b"));
  auto const large = std::string(70'000, 'y');
  CHECK_FALSE(ask("large", large));
  CHECK_FALSE(ask("large", large));
}

TEST_CASE("completer: an error is the question's, and is not kept", "[client]") {
  typing t;
  auto const c = t.make(completer_options().delay(0s));
  auto const a = t.type(c, "a");
  t.open.at(0).fail(-32602, "no such prompt");
  t.open.clear();
  t.settle();
  CHECK(got(a) == "error");
  auto const again = t.type(c, "a");
  t.answer("x");
  CHECK(got(again) == "x");
}

TEST_CASE("completer: who is cancelled waits no more, and the last one ends the request", "[client]") {
  typing t;
  auto const c = t.make();
  auto const sent = GENERATE(false, true);
  auto const one = t.type(c, "a"), two = t.type(c, "a");
  if (sent) t.advance(150ms);
  one->cancel();
  t.settle();
  CHECK(got(one) == "cancelled");
  CHECK(got(two) == "waits");
  two->cancel();
  t.settle();
  CHECK(got(two) == "cancelled");
  CHECK(t.peer->statistics().cancelled == (sent ? 1 : 0));
  t.advance(1s);
  CHECK(t.asked == (sent ? "a " : ""));
  auto const again = t.type(c, "a");
  t.advance(150ms);
  CHECK(got(again) == "waits");
  CHECK(t.asked == (sent ? "a a " : "a "));
}

TEST_CASE("completer: its end is the end of who waits", "[client]") {
  typing t;
  std::optional<completer> c(t.make());
  auto const sent = GENERATE(false, true);
  auto const a = t.type(*c, "a");
  if (sent) t.advance(150ms);
  c.reset();
  t.settle();
  CHECK(got(a) == "closed");
  CHECK(t.peer->statistics().pending == 0);
  t.advance(1s);
  CHECK(t.asked == (sent ? "a " : ""));
}

TEST_CASE("completer: an operation that begins after the end is closed", "[client]") {
  typing t;
  std::optional<completer> c(t.make());
  auto stored = c->complete(prompt_reference("p"), "arg", "later");
  c.reset();
  t.settle();
  CHECK(got(t.start(std::move(stored))) == "closed");
}

TEST_CASE("completer: it moves, and ends with its client", "[client]") {
  typing t;
  auto c = t.make();
  auto const a = t.type(c, "a");
  auto const moved = std::move(c);
  t.advance(150ms);
  CHECK(t.asked == "a ");
  t.peer.reset();
  t.settle();
  CHECK(got(a) == "closed");
  auto const b = t.type(moved, "b");
  t.advance(150ms);
  CHECK(got(b) == "closed");
  CHECK_THROWS_AS(completer(client()), exception);
}

TEST_CASE("completer: it may be awaited on another executor, and outlive its client's", "[client]") {
  std::optional<completer> c;
  {
    typing t;
    c.emplace(t.make());
    auto const a = t.type(*c, "a");  // under way when the context goes
    asio::io_context elsewhere;
    auto const o = std::make_shared<outcome<suggestion>>();
    auto keep = [](outcome_of<suggestion> to, asio::awaitable<suggestion> work) -> asio::awaitable<void> {
      auto r = co_await as_result(std::move(work));
      to->value.emplace(std::move(r));
      ++to->times;
    };
    asio::co_spawn(elsewhere, keep(o, c->complete(prompt_reference("p"), "arg", "b")), asio::detached);
    elsewhere.poll();
    t.settle();
    CHECK(got(a) == "nothing");
    t.advance(150ms);
    t.answer("x");
    CHECK_FALSE(o->done());
    elsewhere.restart();
    elsewhere.poll();
    CHECK(got(o) == "x");
    auto const last = t.type(*c, "c");
    t.advance(150ms);
    auto const waiting = t.type(*c, "d");
  }
  c->clear();
}
