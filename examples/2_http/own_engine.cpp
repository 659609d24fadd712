// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An HTTP engine of your own. An engine carries one request and one response and knows nothing of MCP, so whatever
// has HTTP can be one: libcurl, your company's client, or this table in memory, which needs no server at all.
//
//   own_engine
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/comcp.hpp>
#include <comcp/transport/streamable_http.hpp>

/// Answers each MCP method from a table. What is not in it is 404.
class table_engine {
 public:
  using table = std::map<std::string, std::string, std::less<>>;  // method -> result

  // An engine says what its responses are: a head that is there at once, and a body that is asked for in pieces.
  class response {
   public:
    response(int status, std::string body) : body_(std::move(body)) {
      head_.status = status;
      head_.headers.add("Content-Type", "application/json").value();
    }

    comcp::http_response_head const& head() const noexcept { return head_; }

    // A piece is valid until the next call, and an empty one is the end. A real engine waits here for the network; it
    // gives errors as values (comcp::errc::transport_failed, idle_timeout, ...) and stops when it is cancelled.
    asio::awaitable<comcp::result<std::string_view>> next() {
      piece_ = std::exchange(body_, {});
      co_return std::string_view(piece_);
    }

   private:
    comcp::http_response_head head_;
    std::string body_, piece_;
  };

  explicit table_engine(table answers) : answers_(std::move(answers)) {}

  // The awaitable must not need the engine any more, so that the engine may go first: a plain function copies what the
  // coroutine needs.
  asio::awaitable<comcp::result<response>> open(comcp::http_request request) {
    return answer(answers_, std::move(request));
  }

 private:
  static asio::awaitable<comcp::result<response>> answer(table answers, comcp::http_request request) {
    std::cout << request.method << ' ' << request.url.path() << '\n';
    if (request.method != "POST") co_return response(405, "");
    auto message = comcp::json::parse(request.body);
    if (!message) co_return comcp::error(comcp::errc::invalid_argument, "the body is no JSON");
    auto const id = message->find("id");
    if (!id) co_return response(202, "");  // a notification
    auto const found = answers.find((*message)["method"].as<std::string>());
    if (found == answers.end()) co_return response(404, "");
    co_return response(200, R"({"jsonrpc":"2.0","id":)" + id->dump() + R"(,"result":)" + found->second + "}");
  }

  table answers_;
};

// Not needed, but it says at once what is missing.
static_assert(comcp::engine<table_engine>);

asio::awaitable<bool> talk() {
  table_engine::table answers;
  answers["server/discover"] =
      R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})";
  answers["tools/list"] = R"({"resultType":"complete","tools":[{"name":"greet","inputSchema":{"type":"object"}}]})";
  answers["tools/call"] = R"({"resultType":"complete","content":[{"type":"text","text":"Hello from a table"}]})";

  comcp::streamable_http<table_engine> transport("http://table.example/mcp", table_engine(std::move(answers)));
  auto client = co_await comcp::connect(std::move(transport));
  auto tools = co_await client.list_tools();
  for (auto const& tool : tools) std::cout << "  " << tool.name << '\n';
  auto result = co_await client.call_tool("greet");
  std::cout << result.text() << '\n';
  co_await client.close();
  co_return result.text() == "Hello from a table";
}

int main() try { return comcp::run(talk()) ? 0 : 1; } catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
