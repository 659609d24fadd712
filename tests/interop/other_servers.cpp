// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Against three servers that people use: filesystem, memory and sequential-thinking, all of the legacy era.
#include "interop/peers.hpp"

using namespace interop;

TEST_CASE("filesystem: files are written, read, changed and found, and nothing outside", "[interop]") {
  COMCP_NEEDS_PEERS();
  temporary_directory dir;
  std::ofstream(dir.file("hello.txt")) << "Hello\nworld\n";
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(node(package("server-filesystem"), dir.path().string()));
    CHECK(client.server_info().name == "secure-filesystem-server");
    auto const tools = co_await client.list_tools();
    CHECK(tools.size() == 14);
    auto const listed = co_await client.call_tool("list_directory", args("path", dir.path().string()));
    CHECK_THAT(listed.text(), match::contains("[FILE] hello.txt"));
    auto const read = co_await client.call_tool("read_text_file", args("path", dir.file("hello.txt"), "head", 1));
    CHECK(read.text() == "Hello");
    CHECK(read.structured_content["content"].is_string());
    std::string const text = "gr\xc3\xbc\xc3\x9f\n\ttab \"quote\" \\ back \xf0\x9f\x98\x80";
    auto const wrote = co_await client.call_tool("write_file", args("path", dir.file("new.txt"), "content", text));
    CHECK_FALSE(wrote.is_error);
    auto const back = co_await client.call_tool("read_text_file", args("path", dir.file("new.txt")));
    CHECK(back.text() == text);
    comcp::json::object edit;
    edit.set("oldText", "tab").set("newText", "TAB");
    auto const edited = co_await client.call_tool(
        "edit_file", args("path", dir.file("new.txt"), "edits", comcp::json::array().add(edit)));
    CHECK_FALSE(edited.is_error);
    auto const found = co_await client.call_tool("search_files", args("path", dir.path().string(), "pattern", "*.txt"));
    CHECK_THAT(found.text(), match::contains("new.txt"));
    auto const outside = co_await client.call_tool("read_text_file", args("path", "/etc/hostname"));
    CHECK(outside.is_error);
    CHECK_THAT(outside.text(), match::contains("Access denied"));
    auto const resources = co_await as_result(client.list_resources());
    CHECK(resources.error() == errc::capability_missing);
    co_await client.close();
    auto const transport = co_await client.transport_info();
    CHECK(transport.exit_code == 0);
  });
  std::ifstream written(dir.file("new.txt"));
  std::string const content((std::istreambuf_iterator<char>(written)), {});
  CHECK_THAT(content, match::contains("TAB"));
}

TEST_CASE("filesystem: the client's roots replace its directories", "[interop]") {
  COMCP_NEEDS_PEERS();
  temporary_directory first, second;
  talk([&]() -> asio::awaitable<void> {
    comcp::root_list roots({comcp::root("file://" + first.path().string())});
    auto client = co_await comcp::connect(node(package("server-filesystem"), "/"), roots);
    auto allowed = [&](std::string const& dir) -> asio::awaitable<bool> {
      for (int i = 0; i != 200; ++i) {
        auto const r = co_await client.call_tool("list_allowed_directories");
        if (r.text() == "Allowed directories:\n" + dir) co_return true;
      }
      co_return false;
    };
    auto const one = co_await allowed(first.path().string());
    CHECK(one);
    roots.remove("file://" + first.path().string());
    roots.add(comcp::root("file://" + second.path().string()));
    co_await roots.notify(client);
    auto const two = co_await allowed(second.path().string());
    CHECK(two);
    co_await client.close();
  });
}

TEST_CASE("memory: a knowledge graph grows, and is there again", "[interop]") {
  COMCP_NEEDS_PEERS();
  temporary_directory dir;
  auto const server = [&] { return node(package("server-memory")).env("MEMORY_FILE_PATH", dir.file("graph.jsonl")); };
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(server());
    auto const made = co_await client.call_tool(
        "create_entities",
        comcp::json::raw(R"({"entities":[{"name":"Ada","entityType":"person","observations":["wrote a program"]},
                                         {"name":"engine","entityType":"machine","observations":[]}]})"));
    CHECK(made.structured_content["entities"].size() == 2);
    auto const related = co_await client.call_tool(
        "create_relations",
        comcp::json::raw(R"({"relations":[{"from":"Ada","to":"engine","relationType":"programs"}]})"));
    CHECK_FALSE(related.is_error);
    auto const missing = co_await client.call_tool(
        "add_observations", comcp::json::raw(R"({"observations":[{"entityName":"zz","contents":["x"]}]})"));
    CHECK(missing.is_error);
    auto const found = co_await client.call_tool("search_nodes", args("query", "Ada"));
    CHECK(found.structured_content["entities"].size() == 1);
    auto const resource = co_await client.read_resource("memory://knowledge-graph");
    CHECK_THAT(resource.text(), match::contains("wrote a program"));
    co_await client.close();
  });
  talk([&]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(server());
    auto const graph = co_await client.call_tool("read_graph");
    CHECK(graph.structured_content["entities"].size() == 2);
    CHECK(graph.structured_content["relations"][0]["from"].as<std::string>() == "Ada");
    co_await client.close();
  });
}

TEST_CASE("sequential-thinking: one thought after the other", "[interop]") {
  COMCP_NEEDS_PEERS();
  talk([]() -> asio::awaitable<void> {
    auto client = co_await comcp::connect(node(package("server-sequential-thinking")));
    auto const tools = co_await client.list_tools();
    REQUIRE(tools.size() == 1);
    for (int i = 1; i <= 3; ++i) {
      auto const thought = co_await client.call_tool(
          "sequentialthinking",
          args("thought", "step", "nextThoughtNeeded", i < 3, "thoughtNumber", i, "totalThoughts", 3));
      CHECK_FALSE(thought.is_error);
      CHECK(thought.structured_content["thoughtHistoryLength"].as_int64() == i);
    }
    auto const bad = co_await client.call_tool("sequentialthinking");
    CHECK(bad.is_error);
    auto const shown = co_await eventually([&]() -> asio::awaitable<bool> {
      auto const transport = co_await client.transport_info();
      co_return !transport.stderr_tail.empty();
    });
    CHECK(shown);  // each thought is drawn there
    co_await client.close();
  });
}
