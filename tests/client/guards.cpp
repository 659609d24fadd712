// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/guards.hpp>

#include "client/hooked.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

TEST_CASE("rate_limit: so many progress notifications of each call a second, and log messages", "[client]") {
  hooked t;
  std::vector<fake_request> open;
  t.server.on("tools/call", [&open](fake_request r) { open.push_back(r); });
  auto const client = t.with({rate_limit(3)});
  std::vector<double> heard;
  auto const listen = [&heard](progress_notification const& p) { heard.push_back(p.progress); };
  auto const first = t.start(client.call_tool("a", json::fragment(), call_options().on_progress(listen)));
  int others = 0;
  auto const count = [&others](progress_notification const&) { ++others; };
  auto const second = t.start(client.call_tool("b", json::fragment(), call_options().on_progress(count)));
  for (int i = 1; i <= 10; ++i) open.at(0).progress(i);
  open.at(1).progress(1);
  t.settle();
  CHECK(heard == std::vector<double>{1, 2, 3});
  CHECK(others == 1);
  t.advance(400ms);  // 1.2 of them
  for (int i = 11; i <= 13; ++i) open.at(0).progress(i);
  t.settle();
  CHECK(heard == std::vector<double>{1, 2, 3, 11});
  for (int i = 0; i < 5; ++i) t.server.notify("notifications/message", args("level", "info", "data", i));
  for (int i = 0; i < 5; ++i) t.server.notify("com.example/other");
  t.settle();
  CHECK(t.handler->told.size() == 3 + 5);
  CHECK(client.statistics().dropped == 7 + 2 + 2);
  open.at(0).reply(args("content", json::array()));
  open.at(1).reply(args("content", json::array()));
  t.settle();
  CHECK((first->ok() && second->ok()));
  CHECK_THROWS_AS(rate_limit(0), comcp::exception);
}

TEST_CASE("rate_limit: a server that floods with tokens nobody gave starves nobody, nor does another connection", "[client]") {
  hooked t;
  std::vector<fake_request> open;
  t.server.on("tools/call", [&open](fake_request r) { open.push_back(r); });
  auto const limit = rate_limit(2);
  auto const client = t.with({limit});
  fake_server other(t.io.get_executor());
  other.legacy().on("tools/call", [&open](fake_request r) { open.push_back(r); });
  auto o = t.options();
  o.intercept(limit);
  auto const second = t.connect(other.transport(), std::move(o)).value();
  int heard = 0, also = 0;
  auto const listen = [&heard](progress_notification const&) { ++heard; };
  auto const listen_too = [&also](progress_notification const&) { ++also; };
  auto const call = t.start(client.call_tool("a", {}, call_options().on_progress(listen)));
  auto const same = t.start(second.call_tool("a", {}, call_options().on_progress(listen_too)));
  REQUIRE(open.size() == 2);
  CHECK(open[0].meta("progressToken") == open[1].meta("progressToken"));
  for (int i = 0; i < 70'000; ++i) t.server.notify("notifications/progress", args("progressToken", i + 5'000'000, "progress", 1)), i % 1000 == 999 ? t.settle() : void();
  for (int i = 0; i < 4; ++i) open[0].progress(i + 1);
  for (int i = 0; i < 4; ++i) open[1].progress(i + 1);
  t.server.notify("notifications/progress", json::raw("{}"));
  t.server.notify("notifications/message", args("level", "info", "data", 1));
  t.settle();
  CHECK(heard == 2);
  CHECK(also == 2);
  CHECK(t.handler->told == strings{"notifications/message"});
}

TEST_CASE("approve: samplings and elicitations wait for a yes", "[client]") {
  hooked t;
  bool says = false;
  strings asked;
  auto const client = t.with({approve([&](incoming_request const& r) {
    asked.push_back(r.method + " of " + r.about.server_name());
    return verdict(says);
  })});
  auto const refused = t.sample(5);
  CHECK(t.code(refused) == -1);
  CHECK(refused["error"]["message"].as<std::string>() == "User rejected sampling request");
  CHECK(t.elicit()["result"] == json::parse(R"({"action":"decline"})").value());
  CHECK(t.ask("roots/list")["result"]["roots"].size() == 0);
  CHECK(t.handler->sampled + t.handler->asked == 0);
  says = true;
  CHECK(t.sample(5)["result"]["model"].as<std::string>() == "m");
  CHECK(t.elicit()["result"]["action"].as<std::string>() == "accept");
  CHECK(asked.size() == 4);
  CHECK(asked.front() == "sampling/createMessage of fake-server");
}

TEST_CASE("approve: the modern era's rounds go the same way", "[client]") {
  hooked t;
  t.server.modern();
  t.server.on("tools/call", [](fake_request r) {
    if (auto const given = r.params().find("inputResponses")) return r.reply(args("content", json::array(), "structuredContent", *given));
    r.reply(json::raw(
        R"({"resultType":"input_required","requestState":"s","inputRequests":{"who":{"method":"elicitation/create","params":)"
        R"({"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{}}}}}})"));
  });
  bool origin = false;
  auto const client = t.with({require_origin(), approve([&origin](incoming_request const& r) {
                                origin = r.about.belongs_to_call();
                                return verdict(false);
                              })});
  auto const r = t.finish(client.call_tool("t")).value();
  CHECK(r.structured_content["who"]["action"].as<std::string>() == "decline");
  CHECK(origin);
  CHECK(t.handler->asked == 0);
}

TEST_CASE("limit_sampling: a budget of tokens and rounds, which failures do not spend", "[client]") {
  hooked t;
  auto const budget = limit_sampling(sampling_budget().tokens(100).rounds(3));
  {
    auto const client = t.with({budget});
    CHECK(t.sample(60)["result"]["model"].as<std::string>() == "m");
    CHECK(t.code(t.sample(41)) == -1);   // too much is refused, and spends nothing
    CHECK(t.code(t.sample(13)) == -5);   // the handler's own error
    CHECK(t.code(t.sample(0)) == -32602);
    CHECK(t.code(t.sample(-7)) == -32602);
    CHECK(t.sample(20)["result"]["model"].as<std::string>() == "m");
  }
  // Another connection has what is left: one round, 20 tokens.
  auto const client = t.with({budget});
  CHECK(t.code(t.sample(21)) == -1);
  CHECK(t.sample(1)["result"]["model"].as<std::string>() == "m");
  CHECK(t.code(t.sample(1)) == -1);
  CHECK(t.handler->sampled == 4);
}

TEST_CASE("limit_sampling: what the server withdraws is spent", "[client]") {
  hooked t;
  auto const client = t.with({limit_sampling(sampling_budget().rounds(2)), before([](incoming_request& r) {
                                return r.params["maxTokens"].as<int>() == 7 ? hang() : pass();
                              })});
  for (int i = 0; i < 2; ++i) {
    auto const id = t.server.request("sampling/createMessage", args("maxTokens", 7, "messages", json::array()));
    t.settle();
    t.server.notify("notifications/cancelled", args("requestId", id));
    t.settle();
  }
  CHECK(t.code(t.sample(5)) == -1);
}

TEST_CASE("require_origin: what belongs to no call of ours gets -32602", "[client]") {
  hooked t;
  std::optional<fake_request> open;
  t.server.on("tools/call", [&open](fake_request r) { open = r; });
  auto const client = t.with({require_origin()});
  CHECK(t.code(t.sample(5)) == -32602);
  CHECK(t.code(t.elicit()) == -32602);
  CHECK(t.code(t.ask("roots/list")) == -32602);
  CHECK(t.code(t.ask("vendor/thing")) == -32601);
  CHECK(t.handler->sampled + t.handler->asked == 0);
  auto const call = t.start(client.call_tool("t"));
  CHECK(t.sample(5)["result"]["model"].as<std::string>() == "m");
  open->reply(args("content", json::array()));
  t.settle();
  CHECK(call->ok());
  CHECK(t.code(t.sample(5)) == -32602);
}

TEST_CASE("require_origin: a ping of ours is no call that anything belongs to", "[client]") {
  hooked t;
  t.server.silent("ping");
  auto o = t.options();
  o.ping_interval(1s).ping_timeout(1h).intercept(require_origin());
  auto const client = t.connect(t.server.transport(), std::move(o), any_handler(t.handler)).value();
  t.advance(2s);  // the handshake's traffic was there
  t.advance(2s);
  CHECK(t.server.count("ping") == 1);
  CHECK(t.code(t.ask("roots/list")) == -32602);
}
