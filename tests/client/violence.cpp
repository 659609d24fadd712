// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A busy client, and at the n-th handler of its io_context something violent, for every n: each operation that began
// ends once, and nothing is left. The sanitizers see the rest.
#include <comcp/client/cache.hpp>
#include <comcp/client/connect.hpp>
#include <comcp/client/validation.hpp>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>

#include <comcp/net/gate.hpp>
#include <comcp/test/fake_server.hpp>
#include <comcp/test/manual_clock.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;
using comcp::test::manual_clock;

namespace {

using clock_ptr = std::shared_ptr<manual_clock>;

asio::awaitable<void> nap(clock_ptr clock, std::chrono::milliseconds d) {
  return detail::pause_until(clock, clock->now() + d);
}

std::string const text_result = R"({"content":[{"type":"text","text":"ok"}]})";
std::string const sampling = R"({"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":5})";

struct busy_handler {
  explicit busy_handler(clock_ptr c) : clock(std::move(c)) {}
  asio::awaitable<create_message_result> create_message(create_message_params) {
    co_await nap(clock, 2ms);
    co_return create_message_result("m", "text");
  }
  std::vector<root> list_roots() { return {root("file:///a")}; }
  asio::awaitable<elicit_result> elicit(elicit_params const&) {
    co_await nap(clock, 1ms);
    co_return elicit_result::decline();
  }
  asio::awaitable<void> on(any_notification) { co_await nap(clock, 1ms); }
  clock_ptr clock;
};

interceptor slow_interceptor(clock_ptr clock) {
  interceptor i;
  i.before = [clock](outgoing_call&) -> asio::awaitable<std::optional<json::value>> {
    co_await nap(clock, 1ms);
    co_return std::nullopt;
  };
  i.after = [clock](outgoing_call const&, result<json::value>&) -> asio::awaitable<void> { co_await nap(clock, 1ms); };
  return i;
}

class world {
 public:
  using client_box = std::shared_ptr<std::optional<client>>;

  world(bool modern, bool fancy) : fancy_(fancy) {
    server.emplace(io->get_executor());
    if (modern) server->modern();
    else server->legacy();
    serve(modern);
    auto over = [this](std::exception_ptr) { main_over = true; };
    asio::co_spawn(*io, work(), asio::bind_cancellation_slot(stop.slot(), over));
  }

  template <class T>
  void start(asio::awaitable<T> a) {
    ++begun;
    auto over = [this](std::exception_ptr, auto const&...) { ++ended; };
    asio::co_spawn(*io, as_result(std::move(a)), over);
  }
  void forget_client() {
    watches.clear();
    box->reset();
  }
  [[nodiscard]] bool all_ended() const noexcept { return main_over && ended == begun; }

  clock_ptr clock = std::make_shared<manual_clock>();
  std::unique_ptr<asio::io_context> io = std::make_unique<asio::io_context>(1);
  std::optional<fake_server> server;
  client_box box = std::make_shared<std::optional<client>>();
  std::vector<watch_handle> watches;
  asio::cancellation_signal stop;
  int begun = 0, ended = 0;
  bool main_over = false;

 private:
  static asio::awaitable<void> listen(client_box c) {
    subscription_filter f;
    f.tools_list_changed = true;
    f.resource_subscriptions = {"a://b"};
    auto s = co_await (*c)->listen(f, call_options().timeout(100ms));
    while (co_await s.next()) continue;
  }
  static asio::awaitable<void> walk(client_box c) {
    auto pages = (*c)->pages<tool>(call_options().timeout(100ms));
    while (co_await pages.next()) continue;
  }

  [[nodiscard]] connect_options options() const {
    connect_options o;
    o.time(clock).timeout(150ms).hard_timeout(300ms).close_timeout(100ms).probe_timeout(50ms).handshake_timeout(200ms);
    o.open_timeout(100ms).ping_interval(10ms).ping_timeout(20ms).reconnect(
        reconnect_policy().jitter(0).attempts(2).delay(1ms, 2ms));
    if (fancy_) o.intercept(slow_interceptor(clock)).cache(cache_options()).validate(validation_options());
    return o;
  }

  void begin_everything(client& c) {
    for (auto const* const name : {"echo", "slow", "never", "ask"}) start(c.call_tool(name));
    start(c.list_tools());
    start(c.list_tools());
    start(c.list_resources());
    start(walk(box));
    start(c.read_resource("a://b"));
    start(c.subscribe("a://b", [](resource_updated const&) {}));
    start(c.subscribe("a://b"));
    start(listen(box));
    watches.push_back(c.watch_tools([](result<listing<tool>> const&) {}));
    call_options progress;
    progress.timeout(100ms).on_progress([](progress_notification const&) {});
    start(c.call_tool("progress", json::fragment(), progress));
    start(c.closed());
  }

  asio::awaitable<void> work() {
    auto connected = co_await connect(server->transport(), busy_handler(clock), options());
    box->emplace(std::move(connected));
    begin_everything(**box);
    std::vector<asio::awaitable<call_tool_result>> some;
    for (auto const* const name : {"echo", "echo", "never"}) some.push_back((*box)->call_tool(name));
    (void)co_await all(std::move(some));
    if (server) {
      server->notify("notifications/tools/list_changed");
      server->notify_listeners("notifications/tools/list_changed");
    }
    if (*box) start((*box)->unsubscribe("a://b"));
    co_await nap(clock, 5ms);
    if (server) server->drop();
    co_await nap(clock, 5ms);
    if (*box) {
      start((*box)->reconnect());
      start((*box)->call_tool("echo"));
    }
    co_await nap(clock, 20ms);
    if (*box) co_await (*box)->close();
  }

  void serve(bool modern) {
    server->on("tools/call", [this, modern](fake_request const& r) { call(r, modern); });
    server->answer("tools/list", json::raw(R"({"tools":[{"name":"echo","inputSchema":{"type":"object"}}]})"));
    server->answer("resources/list", json::raw(R"({"resources":[]})"));
    server->answer("resources/read", json::raw(R"({"contents":[{"uri":"a://b","text":"t"}]})"));
    server->answer("resources/subscribe", json::raw("{}")).answer("resources/unsubscribe", json::raw("{}"));
  }

  static asio::awaitable<void> answer_late(clock_ptr clock, fake_request r) {
    co_await nap(std::move(clock), 5ms);
    r.reply(json::raw(text_result));
  }

  void call(fake_request const& r, bool modern) {
    auto const name = r.params()["name"].as<std::string>();
    if (name == "never") return;
    if (name == "slow") return asio::co_spawn(*io, answer_late(clock, r), asio::detached);
    if (name == "progress") {
      for (int i = 0; i < 5; ++i) r.progress(i, 5);
    } else if (name == "ask" && !modern) {
      server->request("sampling/createMessage", json::raw(sampling),
                      [r](json::value const&) { r.reply(json::raw(text_result)); });
      server->request("roots/list");
      server->request("elicitation/create",
                      json::raw(R"({"message":"m","requestedSchema":{"type":"object","properties":{}}})"));
      return;
    } else if (name == "ask" && !r.params().view().find("inputResponses")) {
      return r.reply(json::raw(R"({"resultType":"input_required","requestState":"s","inputRequests":)"
                               R"({"a":{"method":"roots/list"},"b":{"method":"sampling/createMessage","params":)" +
                               sampling + "}}}"));
    }
    r.reply(json::raw(text_result));
  }

  bool fancy_;
};

// Runs up to `most` handlers; time moves when nothing else does. False when nothing is left to happen.
bool run(world& w, int most) {
  for (int i = 0; i < most; ++i) {
    w.io->restart();
    while (w.io->poll_one() == 0) {
      if (!w.clock->advance_to_next()) return false;
      w.io->restart();
    }
  }
  return true;
}

using act = void (*)(world&);

void destroy_client(world& w) { w.forget_client(); }
void cancel_main(world& w) { w.stop.emit(asio::cancellation_type::terminal); }
void drop_server(world& w) { w.server->drop(); }
void kill_server(world& w) { w.server.reset(); }
void close_client(world& w) {
  if (*w.box) w.start((*w.box)->close());
}
void restart_client(world& w) {
  if (*w.box) w.start((*w.box)->reconnect());
}
void close_twice(world& w) {
  close_client(w);
  close_client(w);
  restart_client(w);
  w.forget_client();
}

// The whole world at once: what is suspended goes with its io_context, and the client or the server after it.
void destroy_context(world& w, bool client_first) {
  if (client_first) w.forget_client();
  auto held = w.box;
  w.io.reset();
  w.watches.clear();
  held->reset();
}

bool ends_well(world& w) {
  for (int rounds = 0; rounds < 200; ++rounds) {
    bool const more = run(w, 100);
    if (w.all_ended()) return true;
    if (w.main_over && *w.box) w.forget_client();
    else if (!more) return false;
  }
  return false;
}

// At every handler, until the work is done before it.
void at_each(act violent, bool modern, bool fancy) {
  for (int n = 1; n < 1000; ++n) {
    world w(modern, fancy);
    bool const more = run(w, n);
    if (!more || w.main_over) {
      REQUIRE(n > 50);  // it was a busy one
      return;
    }
    violent(w);
    INFO("at handler " << n << ", era " << (modern ? "modern" : "legacy") << (fancy ? ", fancy" : ""));
    REQUIRE(ends_well(w));
  }
  FAIL("the work never ends");
}

void everywhere(act violent) {
  for (bool const modern : {false, true})
    for (bool const fancy : {false, true}) at_each(violent, modern, fancy);
}

}  // namespace

TEST_CASE("violence: the client is destroyed at any moment", "[client]") { everywhere(&destroy_client); }
TEST_CASE("violence: the main coroutine is cancelled at any moment", "[client]") { everywhere(&cancel_main); }
TEST_CASE("violence: the connection is lost at any moment", "[client]") { everywhere(&drop_server); }
TEST_CASE("violence: the server is gone for good from any moment on", "[client]") { everywhere(&kill_server); }
TEST_CASE("violence: the client is closed at any moment", "[client]") { everywhere(&close_client); }
TEST_CASE("violence: the client is restarted at any moment", "[client]") { everywhere(&restart_client); }
TEST_CASE("violence: two closes, a restart and the end of the client at any moment", "[client]") { everywhere(&close_twice); }

TEST_CASE("violence: the io_context is destroyed at any moment, and the client before or after it", "[client]") {
  for (int n = 1; n < 1000; ++n) {
    bool busy = false;
    for (bool const modern : {false, true})
      for (bool const fancy : {false, true}) {
        world w(modern, fancy);
        busy = (run(w, n) && !w.main_over) || busy;
        std::weak_ptr<std::optional<client>> const frames = w.box;
        destroy_context(w, n % 2 == 0);
        w.box.reset();
        REQUIRE(frames.expired());  // the coroutines that held it are gone
      }
    if (!busy) return;
  }
  FAIL("the work never ends");
}
