// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole conversations over real sockets with a server whose connections break at every byte: no hang, each operation
// ends once and in time, nothing that may have been done is asked for twice. In steps; COMCP_EVERY_BYTE=1 takes all.
#include <cstdlib>
#include <functional>
#include <thread>

#include <comcp/http/asio_engine.hpp>
#include <comcp/transport/streamable_http.hpp>

#include "support/fail_at_each_step.hpp"
#include "support/faulty_server.hpp"
#include "support/transport_box.hpp"

using namespace comcp;
using namespace comcp_test;
using side = fault_plan::side;

namespace {

/// asio_engine, which the test can still look at when a transport owns it. A wrong one sends again what broke.
class shown_engine {
 public:
  using response = asio_engine::response;

  shown_engine(std::shared_ptr<asio_engine> e, bool wrong) : engine_(std::move(e)), wrong_(wrong) {}
  asio::awaitable<result<response>> open(http_request r) { return run(engine_, wrong_, std::move(r)); }
  bool start(asio::any_io_executor const& on, http_request const& r, common_headers const& common,
             asio::cancellation_slot slot, std::shared_ptr<http_detail::response_sink> to) {
    return !wrong_ && engine_->start(on, r, common, slot, std::move(to));
  }

 private:
  static asio::awaitable<result<response>> run(std::shared_ptr<asio_engine> e, bool wrong, http_request r) {
    auto again = r;
    auto first = co_await e->open(std::move(r));
    if (first || !wrong || first.error() != errc::transport_failed) co_return std::move(first);
    auto second = co_await e->open(std::move(again));
    co_return std::move(second);
  }

  std::shared_ptr<asio_engine> engine_;
  bool wrong_;
};

struct listener {
  void on(tools_list_changed const&) { ++*heard; }
  std::shared_ptr<int> heard = std::make_shared<int>(0);
};

struct step {
  std::string name;
  std::chrono::nanoseconds most{};
  bool repeatable = false;
  int ended = 0;
  std::optional<error> failure;
  std::chrono::nanoseconds took{};
};

class faulty_talk : public conversation {
 public:
  faulty_talk(bool modern, fault_plan plan, bool wrong_engine = false)
      : server(io, clock, modern, plan), wrong_(wrong_engine) {}

  faulty_server server;
  std::vector<std::string> violations;
  std::map<std::string, step> steps;
  int heard = 0;
  std::chrono::seconds timeout{30};

  /// Plays it to its end; `patient`: without time passing.
  void play(bool patient = false) {
    auto const direct = plain_connector(proxy_options::none());
    auto engine = std::make_shared<asio_engine>(asio_engine_options().time(clock), direct);
    auto const o = start(whole(engine));
    for (int waits = 0; !o->done() && waits < 2000; ++waits) {
      if (patient) {
        io.restart();
        if (io.run_one_for(std::chrono::seconds(5)) == 0) break;
      } else {
        calm();
        if (!o->done() && !clock->advance_to_next()) break;
        calm();
      }
    }
    expect(o->times == 1, "it hangs");
    calm();
    // A stream whose answer came has a second for its end, so that its connection can be kept.
    if (engine->busy_connections() != 0) clock->advance(std::chrono::seconds(1));
    calm();
    expect(engine->busy_connections() == 0, "a connection is still at work");
    server.stop();
    engine.reset();
    calm();
    expect(o->times <= 1, "it ended twice");
    judge();
  }

 private:
  // Loopback brings bytes at once, or when the system has had its turn.
  void calm() {
    for (int quiet = 0; quiet < 4; ++quiet) {
      io.restart();
      if (io.poll() != 0) quiet = -1;
      std::this_thread::yield();
    }
  }
  void expect(bool good, std::string what) {
    if (!good) violations.push_back(std::move(what));
  }

  asio::awaitable<void> timed(std::string name, std::chrono::nanoseconds most, bool repeatable,
                              asio::awaitable<void> work) {
    auto& s = steps[name];
    s.name = name;
    s.most = most;
    s.repeatable = repeatable;
    auto const begin = clock->now();
    try {
      co_await std::move(work);
    } catch (comcp::exception const& e) {
      s.failure = e.error();
      expect(is_typed(e.error()), name + ": an error of another kind: " + e.error().to_string());
    } catch (std::exception const& e) {
      expect(false, name + ": an exception of another kind: " + e.what());
    }
    ++s.ended;
    s.took = clock->now() - begin;
  }

  asio::awaitable<void> connect_to(std::shared_ptr<asio_engine> engine, std::optional<client>& out, listener l) {
    http_options options;
    options.time(clock);
    streamable_http<shown_engine> transport(server.url(), shown_engine(std::move(engine), wrong_), no_auth(), options);
    auto c = co_await connected(std::move(transport), std::move(l), this->options());
    out.emplace(std::move(c));
  }
  asio::awaitable<void> call(client const& c, std::string tool, std::string key, bool idempotent) {
    auto o = call_options().timeout(timeout).idempotent(idempotent);
    o.extend_on_progress(false);
    auto const r = co_await c.call_tool(tool, args("key", key), o);
    (void)r;
  }
  static asio::awaitable<void> list(client const& c) {
    auto const r = co_await c.list_tools();
    (void)r;
  }
  static asio::awaitable<void> end(client& c) { co_await c.close(); }

  asio::awaitable<void> whole(std::shared_ptr<asio_engine> engine) {
    using std::chrono::seconds;
    std::optional<client> c;
    listener l;
    // Opening, the probe and the handshake have a time each.
    co_await timed("connect", seconds(46), true, connect_to(std::move(engine), c, l));
    if (!c) co_return;
    co_await timed("json", seconds(30), false, call(*c, "json", "json", false));
    co_await timed("stream", seconds(30), false, call(*c, "stream", "stream", false));
    std::vector<asio::awaitable<void>> together;
    together.push_back(timed("list", seconds(30), true, list(*c)));
    together.push_back(timed("one", seconds(30), false, call(*c, "json", "one", false)));
    together.push_back(timed("two", seconds(30), false, call(*c, "stream", "two", false)));
    together.push_back(timed("again", seconds(30), true, call(*c, "stream", "again", true)));
    auto const all_of_them = co_await all(std::move(together));
    (void)all_of_them;
    co_await timed("close", seconds(5), false, end(*c));
    expect(c->statistics().pending == 0, "a call is still pending");
    heard = *l.heard;
  }

  void judge() {
    for (auto const& [name, s] : steps) {
      expect(s.ended == 1, name + " ended " + std::to_string(s.ended) + " times");
      auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(s.took).count();
      expect(s.took <= s.most, name + " took " + std::to_string(seconds) + " s");
      if (name == "connect" || name == "close" || name == "list") continue;
      expect(s.failure || server.executed[name] > 0, name + " succeeded without having been done");
      expect(s.repeatable || server.executed[name] <= 1, name + " was done twice");
      expect(s.repeatable || server.begun[name] <= 1, name + " was sent twice");
    }
  }

  bool wrong_;
};

std::string name_of(fault_plan const& p) {
  static char const* const names[] = {"close", "reset", "half-close", "stall", "late", "lose"};
  auto const where = std::string(p.where == side::writes ? " after writing " : " after reading ");
  return names[static_cast<int>(p.how)] + where + std::to_string(p.at) + (p.lasting ? ", for ever" : "");
}

struct baseline {
  std::size_t bytes = 0;
  std::set<std::size_t> starts;
};

baseline unbroken(bool modern, side where) {
  faulty_talk t(modern, fault_plan());
  t.play(true);
  CHECK(t.violations == std::vector<std::string>());
  for (auto const& [name, s] : t.steps) {
    INFO(name << ": " << (s.failure ? s.failure->to_string() : ""));
    CHECK_FALSE(s.failure);
  }
  CHECK(t.steps.size() == 8);
  for (auto const* key : {"json", "stream", "one", "two", "again"}) CHECK(t.server.executed[key] == 1);
  CHECK(t.server.sessions_ended == (modern ? 0 : 1));
  CHECK(t.heard == 1);
  if (where == side::reads) return {t.server.read(), t.server.read_starts};
  return {t.server.written(), t.server.write_starts};
}

// Some bytes, others in each turn: every `stride`th, and for every other write or read the byte where it begins, or
// one beside it.
std::vector<std::size_t> positions(baseline const& b, std::size_t stride, std::size_t turn) {
  std::set<std::size_t> out;
  for (auto at = turn * 17 % stride; at <= b.bytes; at += stride) out.insert(at);
  auto number = turn;
  for (auto const start : b.starts) {
    if (++number % 2 == 0) out.insert(start + 1 - std::min(start + 1, turn % 3));
  }
  return {out.begin(), out.end()};
}

// One orderly break or reset: what may go out again does, and a stream with event ids is resumed.
void check_recovery(faulty_talk const& t, fault_plan const& plan) {
  if (plan.lasting || (plan.how != fault::close && plan.how != fault::reset) || t.steps.count("close") == 0) return;
  for (auto const& [name, s] : t.steps) {
    INFO(name << ": " << (s.failure ? s.failure->to_string() : ""));
    if (name == "list" || name == "again" || t.server.resumed > 0) CHECK_FALSE(s.failure);
  }
}

struct tally {
  std::size_t plays = 0, failures = 0, resumed = 0;
};

void break_everywhere(bool modern, side where) {
  std::vector<fault> kinds{fault::close, fault::reset, fault::half_close, fault::stall, fault::late};
  if (where == side::writes) kinds.push_back(fault::lose);
  auto const before = open_descriptors();
  auto const whole = unbroken(modern, where);
  bool const every = std::getenv("COMCP_EVERY_BYTE") != nullptr;
  tally sum;
  std::size_t turn = 0;
  for (auto const how : kinds) {
    for (bool const lasting : {false, true}) {
      for (auto const at : positions(whole, every ? 1 : 151, ++turn)) {
        fault_plan plan{where, at, how, lasting};
        faulty_talk t(modern, plan);
        t.play();
        INFO(name_of(plan));
        CHECK(t.violations == std::vector<std::string>());
        check_recovery(t, plan);
        ++sum.plays;
        sum.resumed += t.server.resumed > 0;
        for (auto const& [name, s] : t.steps) sum.failures += s.failure.has_value();
      }
    }
  }
  CHECK(open_descriptors() == before);
  CHECK(sum.failures > 0);
  if (!modern && where == side::writes) CHECK(sum.resumed > 0);
  if (every) WARN(sum.plays << " plays, " << sum.failures << " failures, " << sum.resumed << " resumed");
}

}  // namespace

TEST_CASE("http_faults: a legacy server that breaks at any byte it writes", "[transport][slow]") {
  break_everywhere(false, side::writes);
}

TEST_CASE("http_faults: a modern server that breaks at any byte it writes", "[transport][slow]") {
  break_everywhere(true, side::writes);
}

TEST_CASE("http_faults: a legacy server that breaks at any byte it reads", "[transport][slow]") {
  break_everywhere(false, side::reads);
}

TEST_CASE("http_faults: a modern server that breaks at any byte it reads", "[transport][slow]") {
  break_everywhere(true, side::reads);
}

TEST_CASE("http_faults: these tests see what is sent twice, and what takes too long", "[transport]") {
  auto const whole = unbroken(false, side::writes);
  bool twice = false, long_wait = false;
  for (auto const at : whole.starts) {
    faulty_talk eager(false, {side::writes, at, fault::reset, false}, true);
    eager.play();
    for (auto const& v : eager.violations) twice = twice || v.find("was done twice") != v.npos;
    faulty_talk slow(false, {side::writes, at, fault::stall, false});
    slow.timeout = std::chrono::seconds(31);
    slow.play();
    for (auto const& v : slow.violations) long_wait = long_wait || v.find("took 31 s") != v.npos;
  }
  CHECK(twice);
  CHECK(long_wait);
}
