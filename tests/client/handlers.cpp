// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Requests and notifications of the server, and what a handler type declares by existing.
#include <list>

#include <comcp/client/handlers.hpp>
#include <comcp/protocol/errors.hpp>

#include "support/play.hpp"

using namespace comcp;
using namespace comcp::test;

namespace {

template <class H>
std::string declared(H h) {
  client_capabilities c;
  any_handler(std::move(h)).declare(c);
  return json::to_text(c);
}

struct samples {
  create_message_result create_message(create_message_params p) {
    return create_message_result("model", text_content("heard " + std::to_string(p.messages.size())));
  }
};
struct asks_forms {
  elicit_result elicit(elicit_params) { return elicit_result::decline(); }
};
struct asks_urls {
  asio::awaitable<elicit_result> elicit_url(elicit_params, context&) { co_return elicit_result::accept(); }
};
struct narrows : samples {
  void capabilities(client_capabilities& c) {
    c.sampling->tools = true;
    c.experimental["vendor"] = json::parse("{}").value();
  }
};

asio::awaitable<void> settle(client& c) {
  // A round trip: what came before it has been handled by then.
  (void)co_await c.request("ping");
}

constexpr auto sampling_params =
    R"({"maxTokens":5,"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]})";

}  // namespace

TEST_CASE("handlers: capabilities follow from the members", "[client]") {
  CHECK(declared(no_handler()) == "{}");
  CHECK(declared(samples()) == R"({"sampling":{}})");
  CHECK(declared(asks_forms()) == R"({"elicitation":{"form":{}}})");
  CHECK(declared(asks_urls()) == R"({"elicitation":{"url":{}}})");
  CHECK(declared(root_list()) == R"({"roots":{"listChanged":true}})");
  CHECK(declared(narrows()) == R"({"sampling":{"tools":{}},"experimental":{"vendor":{}}})");
  CHECK(declared(handlers(samples(), asks_forms(), asks_urls())) ==
        R"({"sampling":{},"elicitation":{"form":{},"url":{}}})");
}

TEST_CASE("handlers: a capability that no member answers for is refused at connect", "[client]") {
  struct promises {
    void capabilities(client_capabilities& c) { c.sampling.emplace(); }
  };
  script s;
  auto const body = [](client&) -> asio::awaitable<void> { co_return; };
  try {
    play(s, promises(), connect_options(), body);
    FAIL("connected");
  } catch (exception const& e) {
    CHECK(e.error() == errc::invalid_argument);
  }
}

TEST_CASE("handlers: requests of the server are answered, whatever the member returns", "[client]") {
  auto s = legacy_script();
  s.expect("ping").as("q").request("1", "sampling/createMessage", sampling_params).expect("result");
  s.request("\"a\"", "elicitation/create", R"({"mode":"url","message":"m","url":"https://x/","elicitationId":"e"})").expect("result");
  s.request("2", "roots/list").expect("result");
  s.reply_to("q", "{}");
  auto const body = [](client& c) -> asio::awaitable<void> { co_await settle(c); };
  play(s, handlers(samples(), asks_urls(), root_list({root("file:///r", "r")})), connect_options(), body);
  auto const& sent = s.sent();
  CHECK(sent.at(4)["id"].as_int64() == 1);
  CHECK(sent.at(4)["result"]["content"]["text"].as<std::string>() == "heard 1");
  CHECK(sent.at(5)["id"].as<std::string>() == "a");
  CHECK(sent.at(5)["result"] == json::parse(R"({"action":"accept"})").value());
  CHECK(sent.at(6)["result"]["roots"][0]["uri"].as<std::string>() == "file:///r");
}

TEST_CASE("handlers: ping is answered by itself, before the handshake ends too", "[client]") {
  script s;
  s.expect("initialize").as("init").request("77", "ping").expect("result").reply_to("init", initialize_reply());
  s.expect("notifications/initialized");
  auto const body = [](client&) -> asio::awaitable<void> { co_return; };
  play(s, no_handler(), connect_options().legacy(), body);
  CHECK(s.sent().at(1) == json::parse(R"({"jsonrpc":"2.0","id":77,"result":{}})").value());
}

TEST_CASE("handlers: what nobody answers gets -32601, what cannot be read -32602", "[client]") {
  auto s = legacy_script();
  s.expect("ping").as("q").request("1", "vendor/thing").expect("error");
  s.request("2", "roots/list").expect("error");
  s.request("3", "sampling/createMessage", R"({"messages":7})").expect("error");
  s.request("4", "elicitation/create", R"({"mode":"url","message":"m","url":"https://x/","elicitationId":"e"})").expect("error");
  s.request("5", "elicitation/create", R"({"message":"a form without a schema"})").expect("error");
  s.reply_to("q", "{}");
  auto const body = [](client& c) -> asio::awaitable<void> { co_await settle(c); };
  play(s, handlers(samples(), asks_forms()), connect_options(), body);
  std::vector<std::int64_t> codes;
  for (std::size_t i = 4; i < 9; ++i) codes.push_back(s.sent().at(i)["error"]["code"].as_int64());
  CHECK(codes == std::vector<std::int64_t>{-32601, -32601, -32602, -32602, -32602});
}

TEST_CASE("handlers: tools in sampling need their sub-capability, and paired results", "[client]") {
  constexpr auto with_tools =
      R"({"maxTokens":5,"messages":[],"tools":[{"name":"t","inputSchema":{"type":"object"}}]})";
  constexpr auto unpaired =
      R"({"maxTokens":5,"messages":[{"role":"user","content":[{"type":"tool_result","toolUseId":"x","content":[]}]}]})";
  auto s = legacy_script();
  s.expect("ping").as("q").request("1", "sampling/createMessage", with_tools).expect("error");
  s.reply_to("q", "{}");
  auto const body = [](client& c) -> asio::awaitable<void> { co_await settle(c); };
  play(s, samples(), connect_options(), body);
  CHECK(s.sent().at(4)["error"]["code"].as_int64() == -32602);

  auto t = legacy_script();
  t.expect("ping").as("q").request("1", "sampling/createMessage", with_tools).expect("result");
  t.request("2", "sampling/createMessage", unpaired).expect("error");
  t.reply_to("q", "{}");
  play(t, narrows(), connect_options(), body);
  CHECK(t.sent().at(5)["error"]["code"].as_int64() == -32602);
}

TEST_CASE("handlers: errors go out as they are, exceptions as -32603 without their text", "[client]") {
  struct throws {
    json::fragment on_request(std::string method, json::value) {
      if (method == "vendor/refuse") throw exception(error::from_peer({-1, "no", R"({"why":"rude"})"}));
      if (method == "vendor/crash") throw std::runtime_error("password=hunter2");
      return args("echo", method);
    }
  };
  std::string fault;
  auto s = legacy_script();
  s.expect("ping").as("q").request("1", "vendor/refuse").expect("error").request("2", "vendor/crash").expect("error");
  s.request("3", "vendor/fine").expect("result").reply_to("q", "{}");
  auto const body = [](client& c) -> asio::awaitable<void> { co_await settle(c); };
  connect_options options;
  observer watch;
  watch.on_fault = [&](error const& e) { fault = e.to_string(); };
  options.observe(watch);
  play(s, throws(), options, body);
  CHECK(s.sent().at(4)["error"] == json::parse(R"({"code":-1,"message":"no","data":{"why":"rude"}})").value());
  CHECK(s.sent().at(5)["error"] == json::parse(R"({"code":-32603,"message":"Internal error"})").value());
  CHECK(s.sent().at(6)["result"]["echo"].as<std::string>() == "vendor/fine");
  CHECK(fault.find("hunter2") != std::string::npos);  // the owner's own observer may know
}

TEST_CASE("handlers: a withdrawn request is cancelled and not answered", "[client]") {
  struct never {
    bool* cancelled;
    comcp::detail::waiter<bool>* place;
    asio::awaitable<std::vector<root>> list_roots(context& ctx) {
      auto const told = ctx;
      auto const home = co_await asio::this_coro::executor;
      auto const wake = [this, home] { std::exchange(*place, {}).complete(false, home); };
      auto woken = comcp::detail::suspend<bool>(*place, wake);
      co_await std::move(woken);
      *cancelled = told.cancelled();
      throw std::runtime_error("cancelled");
    }
  };
  bool cancelled = false;
  comcp::detail::waiter<bool> place;
  auto s = legacy_script();
  s.expect("ping").as("q").request("9", "roots/list").notify("notifications/cancelled", R"({"requestId":9})");
  s.request("10", "ping").expect("result").reply_to("q", "{}");
  auto const body = [](client& c) -> asio::awaitable<void> { co_await settle(c); };
  never handler;
  handler.cancelled = &cancelled;
  handler.place = &place;
  play(s, std::move(handler), connect_options(), body);
  CHECK(cancelled);
  CHECK(s.sent_names() == std::vector<std::string>{"server/discover", "initialize", "notifications/initialized",
                                                    "ping", "result"});
}

TEST_CASE("handlers: at their bound a request gets an error, and reading goes on", "[client]") {
  struct hangs {
    std::list<comcp::detail::waiter<bool>>* all;
    asio::awaitable<std::vector<root>> list_roots() {
      auto woken = comcp::detail::suspend<bool>(all->emplace_back(), [] {});
      co_await std::move(woken);
      co_return std::vector<root>();
    }
  };
  std::list<comcp::detail::waiter<bool>> all;
  auto s = legacy_script();
  s.expect("ping").as("q").request("1", "roots/list").request("2", "roots/list").request("3", "roots/list").expect("error");
  s.then([&] {
    auto waiting = std::exchange(all, {});
    for (auto& w : waiting) w.complete(true, {});
  });
  s.expect("result").expect("result").reply_to("q", "{}");
  auto const body = [](client& c) -> asio::awaitable<void> { co_await settle(c); };
  connection_limits limits;
  limits.handlers_in_flight(2);
  connect_options options;
  options.limits(limits);
  play(s, hangs{&all}, options, body);
  CHECK(s.sent().at(4)["id"].as_int64() == 3);
  CHECK(s.sent().at(4)["error"]["code"].as_int64() == -32603);
}

TEST_CASE("handlers: the modern era has no requests of the server", "[client]") {
  std::vector<std::string> faults;
  auto s = modern_script();
  s.expect("tools/call").request("1", "ping").raw(R"({"jsonrpc":"2.0","id":$id,"result":{"content":[]}})");
  auto const body = [](client& c) -> asio::awaitable<void> {
    (void)co_await c.call_tool("t");
    CHECK(c.statistics().dropped == 1);
  };
  connect_options options;
  observer watch;
  watch.on_fault = [&](error const& e) { faults.push_back(e.to_string()); };
  options.observe(watch);
  play(s, no_handler(), options, body);
  CHECK(s.sent().size() == 2);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].find("ping") != std::string::npos);
}

TEST_CASE("handlers: notifications come one at a time in arrival order, unknown ones to the catch-all", "[client]") {
  struct notes {
    std::vector<std::string>* log;
    bool busy = false;
    asio::awaitable<void> on(tools_list_changed) {
      CHECK_FALSE(std::exchange(busy, true));
      auto const ex = co_await asio::this_coro::executor;
      for (int i = 0; i < 3; ++i) co_await asio::post(ex, asio::use_awaitable);
      log->push_back("tools");
      busy = false;
    }
    void on(logging_message const& m) {
      CHECK_FALSE(busy);
      log->push_back(m.data.as<std::string>());
    }
    void on(any_notification const& n) {
      CHECK_FALSE(busy);
      log->push_back(n.method);
    }
  };
  std::vector<std::string> log;
  auto s = legacy_script();
  s.expect("ping").as("q").notify("notifications/tools/list_changed").notify("notifications/message", R"({"level":"info","data":"one"})");
  s.notify("vendor/new", R"({"x":1})").notify("notifications/tools/list_changed");
  s.notify("notifications/prompts/list_changed").reply_to("q", "{}");
  s.expect("ping").reply("{}").expect("ping").reply("{}").expect("ping").reply("{}").expect("ping").reply("{}");
  auto const body = [](client& c) -> asio::awaitable<void> {
    for (int i = 0; i < 5; ++i) co_await settle(c);
  };
  notes handler;
  handler.log = &log;
  play(s, std::move(handler), connect_options(), body);
  CHECK(log == std::vector<std::string>{"tools", "one", "vendor/new", "tools", "notifications/prompts/list_changed"});
}

TEST_CASE("handlers: the context names the server and sends progress back where it was asked for", "[client]") {
  struct reports {
    std::string* name;
    std::vector<root> list_roots(context& ctx) {
      *name = ctx.server_name();
      ctx.progress(1, 2, "half");
      return {};
    }
  };
  std::string name;
  auto s = legacy_script();
  s.expect("ping").as("q").request("1", "roots/list", R"({"_meta":{"progressToken":"tok"}})");
  s.expect("notifications/progress").expect("result").request("2", "roots/list").expect("result");
  s.reply_to("q", "{}");
  auto const body = [](client& c) -> asio::awaitable<void> { co_await settle(c); };
  play(s, reports{&name}, connect_options(), body);
  CHECK(name == "scripted");
  CHECK(s.sent().at(4)["params"] ==
        json::parse(R"({"progressToken":"tok","progress":1,"total":2,"message":"half"})").value());
}

TEST_CASE("handlers: roots are file uris", "[client]") {
  struct wrong {
    std::vector<root> list_roots() { return {root("https://x/", "x")}; }
  };
  auto s = legacy_script();
  s.expect("ping").as("q").request("1", "roots/list").expect("error").reply_to("q", "{}");
  auto const body = [](client& c) -> asio::awaitable<void> { co_await settle(c); };
  play(s, wrong(), connect_options(), body);
  CHECK(s.sent().at(4)["error"]["code"].as_int64() == -32603);
  root_list list;
  CHECK_THROWS_AS(list.add(root("http://x/", "x")), exception);
}

TEST_CASE("handlers: root_list tells the server of changes, in the legacy era", "[client]") {
  auto s = legacy_script();
  s.expect("notifications/roots/list_changed");
  root_list list;
  auto const body = [&](client& c) -> asio::awaitable<void> {
    list.add(root("file:///a", "a"));
    co_await list.notify(c);
  };
  play(s, list, connect_options(), body);
  auto m = modern_script();
  play(m, list, connect_options(), body);
  CHECK(m.sent().size() == 1);
}

TEST_CASE("handlers: -32042 asks each url, then fails with the list", "[client]") {
  struct asks {
    std::vector<std::string>* urls;
    elicit_result elicit_url(elicit_params p) {
      urls->push_back(p.url.value_or(""));
      return elicit_result::accept();
    }
  };
  std::vector<std::string> urls;
  auto s = legacy_script();
  s.expect("tools/call").fail(-32042, "log in first",
                              R"({"elicitations":[{"mode":"url","message":"m","url":"https://a/","elicitationId":"1"},)"
                              R"({"mode":"url","message":"m","url":"https://b/","elicitationId":"2"}]})");
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const e = co_await error_of(c.call_tool("t"));
    CHECK(e == errc::url_elicitation_required);
    auto const required = url_elicitation_required_of(e);
    REQUIRE(required);
    REQUIRE(required->elicitations.size() == 2);
    CHECK(required->elicitations[1].url == "https://b/");
  };
  play(s, asks{&urls}, connect_options(), body);
  CHECK(urls == std::vector<std::string>{"https://a/", "https://b/"});
}

TEST_CASE("handlers: what asks for the pages of -32042 ends with its call", "[client]") {
  struct never {
    comcp::detail::waiter<bool>* place;
    std::stop_source stop;
    asio::awaitable<elicit_result> elicit_url(elicit_params) {
      stop.request_stop();
      auto const home = co_await asio::this_coro::executor;
      auto const wake = [p = place, home] {
        if (*p) std::exchange(*p, {}).complete(false, home);
      };
      auto woken = comcp::detail::suspend<bool>(*place, wake);
      co_await std::move(woken);
      co_return elicit_result::cancel();
    }
  };
  std::stop_source stop;
  comcp::detail::waiter<bool> place;
  auto s = legacy_script();
  s.expect("tools/call").fail(-32042, "log in first",
                              R"({"elicitations":[{"mode":"url","message":"m","url":"https://a/","elicitationId":"1"}]})");
  auto const body = [&](client& c) -> asio::awaitable<void> {
    auto const e = co_await error_of(c.call_tool("t", json::fragment(), call_options().stop(stop.get_token())));
    CHECK(e == errc::cancelled);
  };
  play(s, never{&place, stop}, connect_options(), body);
}
