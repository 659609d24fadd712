// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/options.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_server;
using strings = std::vector<std::string>;

namespace {
json::value meta_of(json::value const& params, std::string const& name) {
  return params["_meta"].find("io.modelcontextprotocol/" + name).value_or(json::value());
}
}  // namespace

TEST_CASE("options: client info goes with the handshake and with each modern request", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.answer("tools/call", json::raw(tool_text));
  implementation me("my-app", "3.2");
  me.title = "My App";
  me.website_url = "https://example.com";
  auto modern = c.connect(server.transport(), c.options().client_info(me));
  REQUIRE(c.finish(modern->call_tool("x")));
  auto const info = meta_of(server.last("tools/call"), "clientInfo");
  CHECK(info == json::parse(R"({"name":"my-app","version":"3.2","title":"My App","websiteUrl":"https://example.com"})").value());
  CHECK(c.finish(modern->close()));
  auto old = c.connect(server.transport(), c.options().client_info(me).legacy());
  CHECK(server.last("initialize")["clientInfo"] == info);
}

TEST_CASE("options: clientInfo can be switched off in the modern era", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.answer("tools/call", json::raw(tool_text));
  auto client = c.connect(server.transport(), c.options().anonymous());
  REQUIRE(c.finish(client->call_tool("x")));
  CHECK(meta_of(server.last("server/discover"), "clientInfo").is_null());
  CHECK(meta_of(server.last("tools/call"), "clientInfo").is_null());
  CHECK_FALSE(meta_of(server.last("tools/call"), "protocolVersion").is_null());
}

TEST_CASE("options: experimental and extensions entries are declared", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  auto client = c.connect(server.transport(), c.options().experimental("x", args("a", 1)).extension("example.com/e", json::fragment()));
  REQUIRE(client);
  auto const declared = meta_of(server.last("server/discover"), "clientCapabilities");
  CHECK(declared["experimental"]["x"]["a"].as_int64() == 1);
  CHECK(declared["extensions"]["example.com/e"].is_object());
}

TEST_CASE("options: a log level is set in the legacy era and asked for with each request in the modern one", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.answer("tools/call", json::raw(tool_text));
  SECTION("modern") {
    auto client = c.connect(server.transport(), c.options().log_level(log_level::warning));
    REQUIRE(c.finish(client->call_tool("x")));
    CHECK(meta_of(server.last("tools/call"), "logLevel").as<std::string>() == "warning");
    REQUIRE(c.finish(client->call_tool("x", args(), call_options().log_level(log_level::debug))));
    CHECK(meta_of(server.last("tools/call"), "logLevel").as<std::string>() == "debug");
    REQUIRE(c.finish(client->set_log_level(log_level::error)));
    REQUIRE(c.finish(client->call_tool("x")));
    CHECK(meta_of(server.last("tools/call"), "logLevel").as<std::string>() == "error");
    CHECK(server.count("logging/setLevel") == 0);
  }
  SECTION("modern, without one") {
    auto client = c.connect(server.transport());
    REQUIRE(c.finish(client->call_tool("x")));
    CHECK(meta_of(server.last("tools/call"), "logLevel").is_null());
  }
  SECTION("legacy") {
    server.legacy();
    auto client = c.connect(server.transport(), c.options().log_level(log_level::warning));
    REQUIRE(client);
    CHECK(server.last("logging/setLevel")["level"].as<std::string>() == "warning");
  }
  SECTION("legacy, where the server has no logging") {
    server.legacy().capabilities("{}");
    auto client = c.connect(server.transport(), c.options().log_level(log_level::warning));
    REQUIRE(client);
    CHECK(server.count("logging/setLevel") == 0);
  }
}

TEST_CASE("options: the tracer sees every message in both directions", "[client]") {
  conversation c;
  auto s = legacy_script();
  strings seen;
  tracer const record = [&](direction d, std::string_view text) {
    seen.push_back(std::string(d == direction::sent ? ">" : "<") + std::string(json::parse(text).value().contains("method") ? "m" : "r"));
  };
  auto client = c.connect(s.transport(), c.options().trace(record));
  REQUIRE(client);
  CHECK(seen == strings{">m", "<r", ">m", "<r", ">m"});
}

TEST_CASE("options: listeners hear each change of the status", "[client]") {
  conversation c;
  auto s = modern_script();
  auto client = c.connect(s.transport());
  std::vector<connection_status> heard;
  auto const hears = client->on_status([&](connection_status st) { heard.push_back(st); });
  auto const throws = client->on_status([](connection_status) { throw std::runtime_error("mine"); });
  CHECK(c.finish(client->close()));
  CHECK(heard == std::vector<connection_status>{connection_status::closing, connection_status::disconnected});
  CHECK(c.faults.size() == 2);
}

TEST_CASE("options: as many calls wait as limits().pending_calls() allows", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  std::vector<comcp::test::fake_request> held;
  server.on("tools/call", [&](comcp::test::fake_request r) { held.push_back(r); });
  auto client = c.connect(server.transport(), c.options().limits(connection_limits().pending_calls(8)));
  REQUIRE(client);
  std::vector<outcome_of<call_tool_result>> calls;
  for (int i = 0; i != 9; ++i) calls.push_back(c.start(client->call_tool("x")));
  CHECK(held.size() == 8);
  CHECK(calls[8]->error() == errc::queue_full);
  held[0].reply(json::raw(tool_text));
  c.settle();
  CHECK(calls[0]->ok());
  CHECK_FALSE(c.start(client->call_tool("x"))->done());
}

TEST_CASE("options: an instruction of the server is kept", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.instructions("be kind");
  if (GENERATE(true, false)) server.legacy();
  auto client = c.connect(server.transport());
  REQUIRE(client);
  CHECK(client->instructions() == "be kind");
}

TEST_CASE("client: what is wrong from the start reaches whoever awaits, through as_result too", "[client]") {
  asio::io_context io(1);
  std::vector<error> seen;
  auto const body = [&]() -> asio::awaitable<void> {
    client const none;
    auto const note = [&seen](auto const& outcome) {
      REQUIRE_FALSE(outcome.has_value());
      seen.push_back(outcome.error());
    };
    auto tools = none.list_tools();
    note(co_await as_result(std::move(tools)));
    auto call = none.call_tool("x");
    note(co_await as_result(std::move(call)));
    auto closing = none.close();
    note(co_await as_result(std::move(closing)));
    auto subscribing = none.subscribe("x://y");
    note(co_await as_result(std::move(subscribing)));
    auto asking = none.request("vendor/x", json::fragment::of(7));
    note(co_await as_result(std::move(asking)));
  };
  std::exception_ptr failure;
  asio::co_spawn(io, body(), [&](std::exception_ptr e) { failure = e; });
  io.run();
  if (failure) std::rethrow_exception(failure);
  REQUIRE(seen.size() == 5);
  for (std::size_t i = 0; i < 4; ++i) CHECK(seen[i] == errc::closed);
  CHECK(seen[4] == errc::invalid_argument);
}

TEST_CASE("options: what the client waits for itself has no part in limits().pending_calls()", "[client]") {
  auto const bound = GENERATE(std::size_t{0}, std::size_t{1});
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().silent("tools/call");
  auto client = c.connect(server.transport(), c.options().limits(connection_limits().pending_calls(bound)).ping_interval(60s));
  REQUIRE(client);
  auto const held = c.start(client->call_tool("x", args(), call_options().timeout(1h)));
  CHECK(held->done() == (bound == 0));
  CHECK(c.finish(client->call_tool("x")).error() == errc::queue_full);
  for (int i = 0; i != 6; ++i) c.advance(60s);
  CHECK(server.count("ping") >= 2);
  CHECK(c.finish(client->close()));
  CHECK(held->done());
}

TEST_CASE("options: a tracer that throws ends nothing", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.answer("tools/call", json::raw(tool_text));
  auto client = c.connect(server.transport(), c.options().trace([](direction, std::string_view) { throw std::runtime_error("mine"); }));
  REQUIRE(client);
  CHECK(c.finish(client->call_tool("x")));
  CHECK_FALSE(c.faults.empty());
}

TEST_CASE("options: of two meta entries with one key the last is sent", "[client]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.answer("tools/call", json::raw(tool_text));
  auto client = c.connect(server.transport());
  auto const twice = call_options().meta("example.com/k", 1).meta("example.com/other", 0).meta("example.com/k", 2);
  CHECK(twice.meta().size() == 2);
  REQUIRE(c.finish(client->call_tool("x", args(), twice)));
  CHECK(server.last("tools/call")["_meta"]["example.com/k"].as_int64() == 2);
}
