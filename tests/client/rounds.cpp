// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Input rounds (2026-07-28, basic/patterns/mrtr), as conversations.
#include <comcp/client/handlers.hpp>

#include "support/play.hpp"

using namespace comcp;
using namespace comcp::test;

namespace {

constexpr auto asks_name =
    R"({"resultType":"input_required","requestState":"s\"\\\u00e9tat 1","inputRequests":{"who":{"method":"elicitation/create",)"
    R"("params":{"mode":"form","message":"Name?","requestedSchema":{"type":"object","required":["name"],)"
    R"("properties":{"name":{"type":"string"},"polite":{"type":"boolean","default":true}}}}}}})";
constexpr auto done = R"({"resultType":"complete","content":[{"type":"text","text":"done"}]})";

struct answers_form {
  int asked = 0;
  elicit_result elicit(elicit_params p) {
    ++asked;
    CHECK(p.message == "Name?");
    return elicit_result::accept(args("name", "Ada"));
  }
};

json::value const& params_of(script const& s, std::size_t i) {
  static thread_local json::value params;
  params = s.sent().at(i)["params"];
  return params;
}

}  // namespace

TEST_CASE("rounds: a form is answered with its defaults, the state goes back byte for byte", "[client]") {
  auto s = modern_script();
  s.expect("tools/call").reply(asks_name).expect("tools/call").reply(done);
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const r = co_await c.call_tool("greet", args("loud", true));
    CHECK(r.text() == "done");
  };
  play(s, answers_form(), connect_options(), body);
  auto const first = s.sent().at(1);
  auto const second = s.sent().at(2);
  CHECK_FALSE(first["id"] == second["id"]);
  CHECK(second["params"]["requestState"].as<std::string>() == "s\"\\\u00e9tat 1");
  CHECK(second["params"]["arguments"] == first["params"]["arguments"]);
  CHECK(second["params"]["inputResponses"]["who"] ==
        json::parse(R"({"action":"accept","content":{"name":"Ada","polite":true}})").value());
}

TEST_CASE("rounds: no state came, none is sent", "[client]") {
  auto s = modern_script();
  s.expect("tools/call")
      .reply(R"({"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}})")
      .expect("tools/call")
      .reply(done);
  auto const body = [](client& c) -> asio::awaitable<void> { (void)co_await c.call_tool("t"); };
  play(s, root_list({root("file:///x", "x")}), connect_options(), body);
  CHECK_FALSE(params_of(s, 2).contains("requestState"));
  CHECK(params_of(s, 2)["inputResponses"]["r"]["roots"][0]["uri"].as<std::string>() == "file:///x");
}

TEST_CASE("rounds: state alone is retried without asking", "[client]") {
  auto s = modern_script();
  s.expect("tools/call").reply(R"({"resultType":"input_required","requestState":"only"})").expect("tools/call").reply(done);
  auto const body = [](client& c) -> asio::awaitable<void> { (void)co_await c.call_tool("t"); };
  play(s, no_handler(), connect_options(), body);
  CHECK(params_of(s, 2)["requestState"].as<std::string>() == "only");
  CHECK_FALSE(params_of(s, 2).contains("inputResponses"));
}

TEST_CASE("rounds: neither requests nor state, and what was not declared, are violations", "[client]") {
  for (std::string const reply :
       {R"({"resultType":"input_required"})",
        R"({"resultType":"input_required","inputRequests":{"s":{"method":"sampling/createMessage","params":{}}}})",
        R"({"resultType":"input_required","inputRequests":{"u":{"method":"elicitation/create","params":{"mode":"url"}}}})",
        R"({"resultType":"input_required","inputRequests":{"x":{"method":"ping"}}})"}) {
    auto s = modern_script();
    s.expect("tools/call").reply(reply);
    auto const handler = std::make_shared<answers_form>();
    auto const body = [](client& c) -> asio::awaitable<void> {
      auto const e = co_await error_of(c.call_tool("t"));
      CHECK(e == errc::protocol_violation);
    };
    struct forwards {
      std::shared_ptr<answers_form> to;
      elicit_result elicit(elicit_params p) { return to->elicit(std::move(p)); }
    };
    play(s, forwards{handler}, connect_options(), body);
    CHECK(handler->asked == 0);
    auto unheard = modern_script();
    unheard.expect("tools/call").reply(reply);
    play(unheard, no_handler(), connect_options(), body);
  }
}

TEST_CASE("rounds: legal on tools/call, prompts/get and resources/read alone", "[client]") {
  auto s = modern_script();
  s.expect("prompts/get").reply(R"({"resultType":"input_required","requestState":"p"})");
  s.expect("prompts/get").reply(R"({"resultType":"complete","messages":[]})");
  s.expect("resources/read").reply(R"({"resultType":"input_required","requestState":"r"})");
  s.expect("resources/read").reply(R"({"resultType":"complete","contents":[]})");
  s.expect("tools/list").reply(R"({"resultType":"input_required","requestState":"l"})");
  auto const body = [](client& c) -> asio::awaitable<void> {
    (void)co_await c.get_prompt("p");
    (void)co_await c.read_resource("x://y");
    auto const e = co_await error_of(c.list_tools());
    CHECK(e == errc::protocol_violation);
  };
  play(s, no_handler(), connect_options(), body);
}

TEST_CASE("rounds: an unknown resultType is an error, an absent one means complete", "[client]") {
  auto s = modern_script();
  s.expect("tools/call").reply(R"({"resultType":"later","content":[]})");
  s.expect("tools/call").reply(R"({"content":[{"type":"text","text":"old"}]})");
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const e = co_await error_of(c.call_tool("t"));
    CHECK(e == errc::protocol_violation);
    auto const r = co_await c.call_tool("t");
    CHECK(r.text() == "old");
  };
  play(s, no_handler(), connect_options(), body);
}

TEST_CASE("rounds: their number is capped", "[client]") {
  auto s = modern_script();
  for (int i = 0; i < 4; ++i)
    s.expect("tools/call").reply(R"({"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}})");
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const e = co_await error_of(c.call_tool("t"));
    CHECK(e == errc::limit_exceeded);
    CHECK(std::string(e.message()).find("input_rounds") != std::string::npos);
  };
  connection_limits limits;
  limits.input_rounds(3);
  connect_options options;
  options.limits(limits);
  play(s, root_list(), options, body);
}

TEST_CASE("rounds: a failing handler ends the call with its error", "[client]") {
  struct fails {
    result<elicit_result> elicit(elicit_params) { return error::from_peer({-1, "the user went away", {}}); }
  };
  auto s = modern_script();
  s.expect("tools/call").reply(asks_name);
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const e = co_await error_of(c.call_tool("t"));
    CHECK(e == errc::input_refused);
    REQUIRE(e.peer());
    CHECK(e.peer()->message == "the user went away");
  };
  play(s, fails(), connect_options(), body);
}

TEST_CASE("rounds: an answer that does not match the schema is refused here", "[client]") {
  struct answers_badly {
    elicit_result elicit(elicit_params) { return elicit_result::accept(args("name", 7)); }
  };
  auto s = modern_script();
  s.expect("tools/call").reply(asks_name);
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const e = co_await error_of(c.call_tool("t"));
    CHECK(e == errc::validation_failed);
    CHECK_THAT(std::string(e.message()), match::contains("the call was sent"));
  };
  play(s, answers_badly(), connect_options(), body);
}

TEST_CASE("rounds: content goes out only on accept", "[client]") {
  struct declines {
    elicit_result elicit(elicit_params) {
      auto r = elicit_result::decline();
      r.content = json::parse(R"({"name":"secret"})").value();
      return r;
    }
  };
  auto s = modern_script();
  s.expect("tools/call").reply(asks_name).expect("tools/call").reply(done);
  auto const body = [](client& c) -> asio::awaitable<void> { (void)co_await c.call_tool("t"); };
  play(s, declines(), connect_options(), body);
  CHECK(params_of(s, 2)["inputResponses"]["who"] == json::parse(R"({"action":"decline"})").value());
}

TEST_CASE("rounds: the requests of one round run concurrently", "[client]") {
  // Each answer waits for the other one to have begun: run one after the other, they would never end.
  struct meets {
    std::shared_ptr<int> begun = std::make_shared<int>(0);
    comcp::detail::waiter<bool>* first = nullptr;
    asio::awaitable<elicit_result> elicit(elicit_params) {
      if (++*begun == 1) {
        auto woken = comcp::detail::suspend<bool>(*first, [] {});
        co_await std::move(woken);
      } else {
        std::exchange(*first, {}).complete(true, {});
      }
      co_return elicit_result::accept(args("name", "x"));
    }
  };
  auto s = modern_script();
  s.expect("tools/call")
      .reply(R"({"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m",)"
             R"("requestedSchema":{"type":"object","properties":{}}}},"b":{"method":"elicitation/create","params":{"message":"m",)"
             R"("requestedSchema":{"type":"object","properties":{}}}}}})")
      .expect("tools/call")
      .reply(done);
  comcp::detail::waiter<bool> place;
  meets handler;
  handler.first = &place;
  auto const body = [](client& c) -> asio::awaitable<void> { (void)co_await c.call_tool("t"); };
  play(s, handler, connect_options(), body);
  CHECK(params_of(s, 2)["inputResponses"].size() == 2);
}

TEST_CASE("rounds: manual_input hands the round over, resume goes on with it", "[client]") {
  auto s = modern_script();
  s.expect("tools/call").reply(asks_name).expect("tools/call").reply(done);
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const stopped = co_await c.call_tool("greet", args("loud", true), call_options().manual_input());
    CHECK(stopped.result_type == "input_required");
    CHECK(stopped.raw["inputRequests"].contains("who"));
    // Saved as text, as another process would.
    auto const saved = json::parse(stopped.raw.dump()).value();
    auto const answer = json::parse(R"({"action":"accept","content":{"name":"Bob"}})").value();
    auto const r = co_await c.resume<call_tool_result>(saved, args("who", answer));
    CHECK(r.text() == "done");
  };
  play(s, answers_form(), connect_options(), body);
  CHECK(params_of(s, 2)["name"].as<std::string>() == "greet");
  CHECK(params_of(s, 2)["arguments"]["loud"].as_bool());
  CHECK(params_of(s, 2)["inputResponses"]["who"]["content"]["name"].as<std::string>() == "Bob");
  CHECK(params_of(s, 2)["requestState"].as<std::string>() == "s\"\\\u00e9tat 1");
}

TEST_CASE("rounds: a stop token ends the call while a handler answers", "[client]") {
  struct never {
    comcp::detail::waiter<bool>* place;
    std::stop_source stop;
    asio::awaitable<elicit_result> elicit(elicit_params) {
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
  auto s = modern_script();
  s.expect("tools/call").reply(asks_name);
  auto const body = [&](client& c) -> asio::awaitable<void> {
    auto const e = co_await error_of(c.call_tool("t", json::fragment(), call_options().stop(stop.get_token())));
    CHECK(e == errc::cancelled);
  };
  play(s, never{&place, stop}, connect_options(), body);
}

TEST_CASE("rounds: a hard timeout of any size is no overflow", "[client]") {
  auto s = modern_script();
  s.expect("tools/call").reply(R"({"resultType":"input_required","requestState":"x"})").expect("tools/call").reply(done);
  s.expect("tools/list").reply(R"({"tools":[]})");
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const r = co_await c.call_tool("t");
    CHECK(r.text() == "done");
    auto const all = co_await c.list_tools();
    CHECK(all.empty());
  };
  play(s, no_handler(), connect_options().hard_timeout(std::chrono::nanoseconds::max()), body);
}

TEST_CASE("rounds: resume sends the caller's own call, whatever the server's result holds", "[client]") {
  auto s = modern_script();
  s.expect("tools/call").reply(R"({"resultType":"input_required","requestState":"x","comcp/call":{"method":"tools/call",)"
                               R"("name":"other","params":{"name":"other"}}})");
  s.expect("tools/call").reply(done);
  auto const body = [](client& c) -> asio::awaitable<void> {
    auto const stopped = co_await c.call_tool("mine", json::fragment(), call_options().manual_input());
    (void)co_await c.resume<call_tool_result>(stopped.raw, args());
  };
  play(s, no_handler(), connect_options(), body);
  CHECK(params_of(s, 2)["name"].as<std::string>() == "mine");
}

TEST_CASE("rounds: a question whose schema is wrong ends the call as refused, not as one that was never sent", "[client]") {
  for (std::string const schema :
       {R"({"type":"nothing"})", R"({"$ref":"#/$defs/none"})", R"({"$schema":"https://example.org/mine"})"}) {
    auto s = modern_script();
    s.expect("tools/call")
        .reply(R"({"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{)"
               R"("message":"Name?","requestedSchema":)" + schema + "}}}}");
    auto const body = [](client& c) -> asio::awaitable<void> {
      auto const e = co_await error_of(c.call_tool("t"));
      CHECK(e == errc::input_refused);
      REQUIRE(e.peer());
      CHECK(e.peer()->code == -32602);
      CHECK_THAT(e.peer()->message, match::contains("requestedSchema"));
    };
    play(s, answers_form(), connect_options(), body);
  }
}

TEST_CASE("rounds: no code that says that nothing was sent ends a call that was", "[client]") {
  struct gives_up {
    errc code = errc::invalid_argument;
    elicit_result elicit(elicit_params) { throw exception(error(code, "why")); }
  };
  for (auto const code : {errc::invalid_argument, errc::denied, errc::capability_missing, errc::queue_full}) {
    auto s = modern_script();
    s.expect("tools/call").reply(asks_name);
    auto const body = [](client& c) -> asio::awaitable<void> {
      auto const e = co_await error_of(c.call_tool("t"));
      CHECK(e == errc::input_refused);
      CHECK(e.message() == "why");
    };
    gives_up handler;
    handler.code = code;
    play(s, handler, connect_options(), body);
  }
}
