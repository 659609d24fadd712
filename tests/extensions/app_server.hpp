// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server with an app and tools of each visibility, and the app's side of a bridge to it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <comcp/extensions/app_bridge.hpp>

#include "support/conversation.hpp"

namespace comcp_test {

using namespace comcp;
using comcp::test::fake_request;
using comcp::test::fake_server;

inline json::fragment content_of(std::string const& uri, std::string const& members) {
  return json::fragment::trusted(R"({"contents":[{"uri":")" + uri + R"(",)" + members + R"(}],"ttlMs":0,"cacheScope":"private","resultType":"complete"})");
}

struct app_server {
  explicit app_server(conversation& c) : server(c.io.get_executor()) {
    server.modern().capabilities(R"({"tools":{"listChanged":true},"resources":{}})");
    server.answer("tools/list", json::fragment::trusted(
        R"({"tools":[{"name":"both","inputSchema":{"type":"object"}},)"
        R"({"name":"app_only","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["app"]}}},)"
        R"({"name":"model_only","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["model"]}}},)"
        R"({"name":"broken","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":"app"}}}],)"
        R"("ttlMs":0,"cacheScope":"private","resultType":"complete"})"));
    server.answer("tools/call", json::raw(tool_text));
    server.answer("resources/read", content_of("ui://a/b", R"("mimeType":"text/html;profile=mcp-app","text":"<p>hello")"));
  }
  fake_server server;
};

/// A bridge, and what the app is told.
struct app_view {
  app_view(conversation& talk, comcp::client const& client, app_host host = app_host("host", "1"))
      : c(talk), got(std::make_shared<std::vector<json::value>>()),
        bridge(client.extension<apps>(), std::move(host), [g = got](std::string text) { g->push_back(json::parse(text).value()); }) {}

  /// Gives it to the bridge; what came of it is in `got`.
  void send(std::string const& text) {
    bridge.receive(text);
    c.settle();
  }
  void begin(std::string const& capabilities = "{}") {
    send(R"({"jsonrpc":"2.0","id":"i","method":"ui/initialize","params":{"appInfo":{"name":"a","version":"1"},"appCapabilities":)" +
         capabilities + R"(,"protocolVersion":"2026-01-26"}})");
    send(R"({"jsonrpc":"2.0","method":"ui/notifications/initialized"})");
  }
  /// The one answer that this request gets at once.
  json::value ask(std::string const& method, std::string const& params = "{}") {
    got->clear();
    send(R"({"jsonrpc":"2.0","id":7,"method":")" + method + R"(","params":)" + params + "}");
    REQUIRE(got->size() == 1);
    return got->back();
  }
  std::int64_t code(std::string const& method, std::string const& params = "{}") {
    auto const answer = ask(method, params);
    return answer.contains("error") ? answer["error"]["code"].as<std::int64_t>() : 0;
  }
  [[nodiscard]] std::string last() const { return got->empty() ? "" : got->back().dump(); }

  conversation& c;
  std::shared_ptr<std::vector<json::value>> got;
  app_bridge bridge;
};

/// A client of that server, and an app's view.
struct talk {
  explicit talk(app_host host = app_host("host", "1"))
      : s(c), client(c.connect(s.server.transport(), c.options().extension(apps())).value()), view(c, client, std::move(host)) {}
  conversation c;
  app_server s;
  comcp::client client;
  app_view view;
};

}  // namespace comcp_test
