// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks against servers of others: server-everything's research (2025-11-25), and one of the extension on the SDK 2.x.
#include "interop/http_peers.hpp"

#include <comcp/client/handlers.hpp>
#include <comcp/extensions/serve_tasks.hpp>
#include <comcp/extensions/tasks.hpp>

using namespace interop;

namespace {

/// Answers every form with its first choice, or a name.
struct form_filler {
  comcp::elicit_result elicit(comcp::elicit_params p) {
    ++*asked;
    auto const fields = p.requested_schema["properties"];
    if (fields.contains("interpretation")) return comcp::elicit_result::accept(args("interpretation", "technical"));
    return comcp::elicit_result::accept(args("name", "Ada"));
  }
  std::shared_ptr<int> asked = std::make_shared<int>(0);
};

comcp::connect_options with_tasks() { return comcp::connect_options().extension(comcp::tasks()); }

asio::awaitable<void> research_with(comcp::client const& client, int const& asked) {
  (void)co_await client.list_tools();
  std::vector<std::string> words;
  comcp::call_options o;
  o.on_progress([&words](comcp::progress_notification const& p) { words.push_back(p.message.value_or("")); });
  auto const r = co_await client.call_tool("simulate-research-query", args("topic", "tasks", "ambiguous", true), o);
  CHECK(r.text().find("Research Report: tasks (technical)") != std::string::npos);
  CHECK(asked == 1);
  REQUIRE(words.size() >= 2);
  CHECK(words[0] == "Gathering sources...");
  auto task = co_await client.extension<comcp::tasks>().start_tool("simulate-research-query", args("topic", "more"));
  auto const state = co_await task.status();
  CHECK(state.status == comcp::task_status::working);
  auto const all = co_await client.extension<comcp::tasks>().list_tasks();
  CHECK(all.size() == 2);
  co_await task.cancel();
  auto const over = co_await task.status();
  CHECK(over.status == comcp::task_status::cancelled);
}

asio::awaitable<void> use_extension(comcp::client const& client, int const& asked) {
  auto const plain = co_await client.call_tool("research", args("topic", "bees"));
  CHECK(plain.text() == "bees, by nobody");
  auto const named = co_await client.call_tool("research", args("topic", "bees", "ask", true));
  CHECK(named.text() == "bees, by Ada");
  CHECK(asked == 1);
  auto const failed = co_await as_result(client.call_tool("research", args("topic", "bees", "fails", true)));
  REQUIRE_FALSE(failed);
  REQUIRE(failed.error().peer());
  CHECK(failed.error().peer()->message == "the library burnt down");
  auto const extension = client.extension<comcp::tasks>();
  auto task = co_await extension.start_tool("research", args("topic", "ants"));
  task.detach();
  auto const again = extension.resume_task(task.to_json());
  auto const r = co_await again.result();
  CHECK(r.text() == "ants, by nobody");
  auto const unknown = co_await as_result(extension.resume_task(args("taskId", "none")).status());
  REQUIRE(unknown.error().peer());
  CHECK(unknown.error().peer()->code == -32602);
}

comcp::stdio tasks_server() { return node(std::string(COMCP_INTEROP_DIR) + "/tasks_server.mjs"); }

}  // namespace

// A model and a user whose answers the server comes back for.
struct asked_later : form_filler {
  comcp::create_message_result create_message(comcp::create_message_params) {
    comcp::create_message_result r;
    r.model = "a-model";
    r.content = {comcp::text_content("as a task")};
    return r;
  }
  comcp::elicit_result elicit(comcp::elicit_params) {
    return comcp::elicit_result::accept(args("name", "Ada", "favoriteColor", "Blue", "agreeToTerms", true));
  }
};

TEST_CASE("tasks: server-everything makes tasks of what it asks", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(everything(), comcp::serve_tasks(asked_later()));
    auto const sampled = co_await client.call_tool("trigger-sampling-request-async", args("prompt", "say it"));
    CHECK(sampled.text().find("[COMPLETED]") == 0);
    CHECK(sampled.text().find("as a task") != std::string::npos);
    auto const elicited = co_await client.call_tool("trigger-elicitation-request-async");
    INFO(elicited.raw.dump());
    CHECK(elicited.text().find("[COMPLETED]") == 0);
    CHECK(elicited.text().find("Ada") != std::string::npos);
    co_await client.close();
  });
}

TEST_CASE("tasks: server-everything's research, over stdio", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    form_filler h;
    auto client = co_await comcp::connect(everything(), h, with_tasks());
    co_await research_with(client, *h.asked);
    co_await client.close();
  });
}

TEST_CASE("tasks: server-everything's research, over http", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    form_filler h;
    auto const server = co_await server_process::start(everything_over("streamableHttp"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), h, with_tasks());
    co_await research_with(client, *h.asked);
    co_await client.close();
  });
}

TEST_CASE("tasks: the extension on the SDK 2.x, over stdio", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    form_filler h;
    auto client = co_await comcp::connect(tasks_server(), h, with_tasks());
    CHECK(client.era() == comcp::era::modern);
    co_await use_extension(client, *h.asked);
    co_await client.close();
  });
}

TEST_CASE("tasks: the extension on the SDK 2.x, over http, where Mcp-Name is the task's id", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    form_filler h;
    program p({COMCP_NODE, std::string(COMCP_INTEROP_DIR) + "/tasks_server.mjs"});
    auto const server = co_await server_process::start(p.env("PORT", "@PORT@"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), h, with_tasks());
    co_await use_extension(client, *h.asked);
    auto const odd = co_await client.call_tool("research", args("topic", "wasps", "odd", true, "ask", true));
    CHECK(odd.text() == "wasps, by Ada");
    auto const extension = client.extension<comcp::tasks>();
    auto task = co_await extension.start_tool("research", args("topic", "wasps", "odd", true));
    CHECK(task.id().starts_with("\xc3\xbc "));
    co_await task.cancel();
    // The server compares the header with what it says of each, and refuses what differs.
    auto const told = co_await eventually([&] { return server.printed("tasks/cancel named \xc3\xbc "); });
    CHECK(told);
    CHECK(server.printed("tasks/get named "));
    CHECK(server.printed("tasks/update named \xc3\xbc "));
    CHECK(server.times_printed("refused: ") == 0);
    co_await client.close();
  });
}

TEST_CASE("tasks: the extension on the SDK 2.x, over http, tells of a task where it is listened for", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    program p({COMCP_NODE, std::string(COMCP_INTEROP_DIR) + "/tasks_server.mjs"});
    auto const server = co_await server_process::start(p.env("PORT", "@PORT@"));
    auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), with_tasks());
    std::vector<std::string> words;
    comcp::call_options o;
    o.on_progress([&words](comcp::progress_notification const& n) { words.push_back(n.message.value_or("")); });
    auto const r = co_await client.call_tool("research", args("topic", "moths", "alone", true), o);  // asked once a minute
    CHECK(r.text() == "moths, by nobody");
    CHECK(words.size() >= 1);
    auto const listened = co_await eventually([&] { return server.printed("listen 1"); });
    CHECK(listened);
    CHECK(server.times_printed("tasks/get named ") == 0);
    co_await client.close();
  });
}
