// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that tells changes unasked: whoever subscribes to a resource hears of two updates and of a changed list
// of tools. With "modern" it speaks 2026-07-28 only, else 2025-11-25 only. With "quiet" it stays silent, with
// "changeless" it declares no changes, with "leaves" it ends when somebody waits for them, with "endless" its list of
// tools has no last page. The first that it is asked for wants a page to be seen (-32042), the second time it succeeds.
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>

namespace {

using namespace comcp;

bool modern = false, quiet = false, changeless = false, leaves = false, endless = false, visited = false;

void send(json::object message) { std::cout << message.text() << std::endl; }

void answer(json::view id, json::object const& result) {
  send(json::object().set("jsonrpc", "2.0").set("id", id.share()).set("result", result));
}

void refuse(json::view id) {
  auto const e = json::object().set("code", -32601).set("message", "Method not found");
  send(json::object().set("jsonrpc", "2.0").set("id", id.share()).set("error", e));
}

void tell(std::string_view method, json::object params, json::view listen) {
  if (modern)
    params.set("_meta", json::object().set("io.modelcontextprotocol/subscriptionId", listen.share()));
  send(json::object().set("jsonrpc", "2.0").set("method", method).set("params", params));
}

void tell_changes(std::string_view uri, json::view listen) {
  if (quiet) return;
  tell("notifications/resources/updated", json::object().set("uri", uri), listen);
  tell("notifications/tools/list_changed", json::object(), listen);
  tell("notifications/resources/updated", json::object().set("uri", uri), listen);
}

json::object identity() {
  auto const changes = json::raw(R"({"listChanged":true})");
  auto const capabilities =
      json::object().set("tools", changes).set("prompts", json::object()).set("resources", json::raw(R"({"subscribe":true,"listChanged":true})"));
  json::object result;
  if (changeless) {
    result.set("capabilities", json::raw(R"({"tools":{}})"));
  } else {
    result.set("capabilities", capabilities);
  }
  if (modern) {
    auto const versions = json::array().add("2026-07-28");
    return result.set("resultType", "complete").set("supportedVersions", versions);
  }
  auto const info = json::raw(R"({"name":"announcer","version":"1"})");
  return result.set("protocolVersion", "2025-11-25").set("serverInfo", info);
}

// The first call wants a page to be seen; "visit_told" calls that done at once.
void answer_when_visited(json::view id, json::object result, std::string_view tool = {}) {
  if (std::exchange(visited, true)) return answer(id, std::move(result));
  auto const data = json::raw(R"({"elicitations":[{"mode":"url","elicitationId":"v1","message":"Look",)"
                              R"("url":"https://visit.example/"}]})");
  auto const e = json::object().set("code", -32042).set("message", "Visit first").set("data", data);
  send(json::object().set("jsonrpc", "2.0").set("id", id.share()).set("error", e));
  if (tool != "visit_told") return;
  auto const done = json::object().set("elicitationId", "v1");
  send(json::object().set("jsonrpc", "2.0").set("method", "notifications/elicitation/complete").set("params", done));
}

json::object tools() {
  static int page = 0;
  if (endless) return json::object().set("tools", json::array()).set("nextCursor", std::to_string(++page));
  return json::object().set("tools", json::raw(R"([{"name":"slow","inputSchema":{"type":"object"},)"
                                               R"("execution":{"taskSupport":"required"}}])"));
}

void handle(json::value const& message) {
  auto const v = message.view();
  auto const id = v.find("id");
  if (!id) return;
  auto const method = v.find("method")->get_string().value_or("");
  if (method == (modern ? "server/discover" : "initialize")) return answer(*id, identity());
  if (!modern && method == "resources/subscribe") {
    answer(*id, json::object());
    if (leaves) std::exit(0);
    return tell_changes(*v.pointer("/params/uri")->get_string(), *id);
  }
  if (method == "tools/list") return answer(*id, tools());
  if (method == "tools/call")
    return answer_when_visited(*id, json::object().set("content", json::raw(R"([{"type":"text","text":"visited"}])")),
                               *v.pointer("/params/name")->get_string());
  if (method == "resources/read")
    return answer_when_visited(*id, json::object().set("contents", json::raw(R"([{"uri":"a://b","text":"visited"}])")));
  if (method == "prompts/get")
    return answer_when_visited(*id, json::object().set("messages", json::raw(
        R"([{"role":"user","content":{"type":"text","text":"visited"}}])")));
  if (modern && method == "subscriptions/listen") {
    auto const asked = *v.pointer("/params/notifications");
    tell("notifications/subscriptions/acknowledged", json::object().set("notifications", asked.share()), *id);
    if (leaves) std::exit(0);
    auto const uris = asked.find("resourceSubscriptions");
    return tell_changes(uris ? *uris->at(0)->get_string() : "test://none", *id);
  }
  refuse(*id);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    modern = modern || argv[i] == std::string_view("modern");
    quiet = quiet || argv[i] == std::string_view("quiet");
    changeless = changeless || argv[i] == std::string_view("changeless");
    endless = endless || argv[i] == std::string_view("endless");
    leaves = leaves || argv[i] == std::string_view("leaves");
  }
  for (std::string line; std::getline(std::cin, line);) {
    if (auto const message = json::parse(line)) handle(*message);
  }
}
