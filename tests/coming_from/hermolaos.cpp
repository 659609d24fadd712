// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host of Hermolaos (Elixir) has, as its port to comcp: docs/coming-from.md. Its pool is in hermolaos_pool.cpp.
#include <comcp/client/handlers.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::fake_request;
using comcp::test::fake_server;
using strings = std::vector<std::string>;

TEST_CASE("hermolaos: status goes from connecting through initializing to ready, and back", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  auto client = c.connect(server.transport());
  REQUIRE(client);
  CHECK(c.statuses == strings{"connecting", "initializing", "ready"});
  CHECK(client->status() == connection_status::ready);
  server.drop();
  c.settle();
  CHECK(client->status() == connection_status::disconnected);
  CHECK(c.finish(client->ping()).error() == errc::transport_failed);
}

TEST_CASE("hermolaos: server info, capabilities and instructions are those of the handshake", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().instructions("Use the search tool.").capabilities(R"({"tools":{"listChanged":true},"resources":{}})");
  auto client = c.connect(server.transport());
  CHECK_FALSE(client->server_info().name.empty());
  CHECK(client->instructions() == "Use the search tool.");
  auto const& can = client->capabilities();
  CHECK(can.supports("tools"));
  CHECK_FALSE(can.supports("prompts"));
  CHECK(can.supports_list_changed("tools"));
  CHECK_FALSE(can.supports_list_changed("resources"));
  CHECK_FALSE(can.supports_subscribe());
}

TEST_CASE("hermolaos: statistics tell tracked, completed, failed, timed out and cancelled", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  std::optional<fake_request> held;
  server.on("tools/call", [&](fake_request r) {
    auto const name = r.params()["name"].as<std::string>();
    if (name == "ok") return r.reply(json::raw(tool_text));
    if (name == "fails") return r.fail(-32601, "no such tool");
    if (name == "late") held = std::move(r);
  });
  auto client = c.connect(server.transport());
  auto const before = client->statistics();
  CHECK(c.finish(client->call_tool("ok")));
  auto const failed = c.finish(client->call_tool("fails"));
  CHECK(failed.error().peer()->code == -32601);
  auto const late = c.start(client->call_tool("late", args(), call_options().timeout(60s)));
  auto const cancelled = c.start(client->call_tool("cancelled"));
  CHECK(client->statistics().pending == 2);  // pending_count
  cancelled->cancel();
  c.advance(60s);
  CHECK(late->error() == errc::timeout);
  REQUIRE(held);
  held->reply(json::raw(tool_text));  // an answer to nobody
  c.settle();
  auto const s = client->statistics();
  CHECK(s.tracked - before.tracked == 4);
  CHECK(s.completed - before.completed == 1);
  CHECK(s.failed - before.failed == 1);
  CHECK(s.timed_out - before.timed_out == 1);
  CHECK(s.cancelled - before.cancelled == 1);
  CHECK(s.late == 1);
  CHECK(s.pending == 0);
}

TEST_CASE("hermolaos: at the end of a connection every pending request fails, and counts as failed", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy().silent("tools/call");
  auto client = c.connect(server.transport());
  auto const one = c.start(client->call_tool("a"));
  auto const two = c.start(client->call_tool("b"));
  server.drop();
  c.settle();
  CHECK(one->error() == errc::outcome_unknown);  // sent, so nobody knows: -32000 did not tell
  CHECK(two->error() == errc::outcome_unknown);
  CHECK(client->statistics().failed == 2);
}

TEST_CASE("hermolaos: an error is retriable only where the call did certainly not run", "[coming_from]") {
  CHECK(is_retriable(error(errc::connect_failed)));
  CHECK(is_retriable(error(errc::queue_full)));
  CHECK_FALSE(is_retriable(error(errc::timeout)));  // Hermolaos says yes, which may do a thing twice
  CHECK_FALSE(is_retriable(error(errc::outcome_unknown)));
  CHECK(leaves_outcome_open(error(errc::outcome_unknown)));
}

TEST_CASE("hermolaos: notification fan-out to any number of listeners (PubSubNotificationHandler)", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  broadcast topic;
  auto client = c.connect(server.transport(), c.options(), topic);
  auto one = topic.listen(), two = topic.listen(), full = topic.listen(1);
  server.notify("notifications/tools/list_changed");
  server.notify("notifications/message", args("level", "info", "data", "hello"));
  c.settle();
  for (auto* listener : {&one, &two}) {
    CHECK(c.finish(listener->next())->method == "notifications/tools/list_changed");
    auto const second = c.finish(listener->next());
    CHECK(second->method == "notifications/message");
    CHECK(second->params["data"].as<std::string>() == "hello");
  }
  CHECK(full.size() == 1);
  CHECK(full.dropped() == 1);
}

TEST_CASE("hermolaos: a handler that throws ends nothing", "[coming_from]") {
  struct rude {
    void on(any_notification const&) { throw std::runtime_error("rude"); }
  };
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  auto client = c.connect(server.transport(), c.options(), rude());
  server.notify("notifications/tools/list_changed");
  c.settle();
  CHECK(c.faults.size() == 1);
  CHECK(client->status() == connection_status::ready);
}

TEST_CASE("hermolaos: what the DefaultNotificationHandler logs, log_handler gives", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.legacy();
  strings lines;
  log_handler log([&](logging_message const& m) { lines.push_back(std::string(enum_text(m.level)) + " " + m.data.dump()); });
  auto client = c.connect(server.transport(), c.options(), log);
  server.notify("notifications/message", args("level", "warning", "data", "disk"));
  c.settle();
  CHECK(lines == strings{"warning \"disk\""});
}

TEST_CASE("hermolaos: get_text, get_images, get_audios, get_resource_links, get_structured_content", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.answer("tools/call", json::raw(R"({"content":[{"type":"text","text":"one"},{"type":"text","text":"two"},
      {"type":"image","data":"aGk=","mimeType":"image/png"},{"type":"audio","data":"bad base64!","mimeType":"audio/wav"},
      {"type":"resource_link","uri":"file:///a","name":"a"}],"structuredContent":{"n":7}})"));
  auto client = c.connect(server.transport());
  auto const r = c.finish(client->call_tool("t"));
  REQUIRE(r);
  CHECK(r->text() == "one\ntwo");
  REQUIRE(r->images().size() == 1);
  CHECK(r->images()[0].bytes()->size() == 2);
  REQUIRE(r->audio().size() == 1);
  CHECK(r->audio()[0].bytes().error() == errc::wrong_shape);  // Hermolaos raises from its Base64 decoder
  REQUIRE(r->links().size() == 1);
  CHECK(r->links()[0].uri == "file:///a");
  CHECK(r->structured_content["n"].as_int64() == 7);
}

TEST_CASE("hermolaos: a tool's isError is a value, the server's error is an error", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.on("tools/call", [](fake_request r) {
    if (r.params()["name"].as<std::string>() == "unknown") return r.fail(-32602, "Unknown tool");
    r.reply(json::raw(R"({"content":[{"type":"text","text":"no such file"}],"isError":true})"));
  });
  auto client = c.connect(server.transport());
  auto const failed = c.finish(client->call_tool("read_file"));
  REQUIRE(failed);
  CHECK(failed->is_error);
  CHECK(failed->text() == "no such file");
  CHECK_THROWS_AS(failed->or_throw(), comcp::exception);
  CHECK(c.finish(client->call_tool("unknown")).error().peer()->message == "Unknown tool");
}

TEST_CASE("hermolaos: one page with its cursor, and all pages", "[coming_from]") {
  conversation c;
  fake_server server(c.io.get_executor());
  server.on("resources/list", [](fake_request r) {
    bool const second = r.params().is_object() && r.params().contains("cursor");
    r.reply(json::raw(second ? R"({"resources":[{"uri":"file:///b","name":"b"}]})"
                             : R"({"resources":[{"uri":"file:///a","name":"a"}],"nextCursor":"2"})"));
  });
  auto client = c.connect(server.transport());
  auto const page = c.finish(client->list_resources_page());
  REQUIRE(page);
  CHECK(page->resources.size() == 1);
  CHECK(page->next_cursor == "2");
  auto const all = c.finish(client->list_resources());
  REQUIRE(all);
  CHECK(all->size() == 2);
}
