// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that tells changes unasked: whoever subscribes to a resource hears of two updates and of a changed list
// of tools. With "modern" it speaks 2026-07-28 only, else 2025-11-25 only. With "quiet" it stays silent.
#include <iostream>
#include <string>
#include <string_view>

#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>

namespace {

using namespace comcp;

bool modern = false, quiet = false;

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
      json::object().set("tools", changes).set("resources", json::raw(R"({"subscribe":true,"listChanged":true})"));
  json::object result;
  result.set("capabilities", capabilities);
  if (modern) {
    auto const versions = json::array().add("2026-07-28");
    return result.set("resultType", "complete").set("supportedVersions", versions);
  }
  auto const info = json::raw(R"({"name":"announcer","version":"1"})");
  return result.set("protocolVersion", "2025-11-25").set("serverInfo", info);
}

void handle(json::value const& message) {
  auto const v = message.view();
  auto const id = v.find("id");
  if (!id) return;
  auto const method = v.find("method")->get_string().value_or("");
  if (method == (modern ? "server/discover" : "initialize")) return answer(*id, identity());
  if (!modern && method == "resources/subscribe") {
    answer(*id, json::object());
    return tell_changes(*v.pointer("/params/uri")->get_string(), *id);
  }
  if (modern && method == "subscriptions/listen") {
    auto const asked = *v.pointer("/params/notifications");
    tell("notifications/subscriptions/acknowledged", json::object().set("notifications", asked.share()), *id);
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
  }
  for (std::string line; std::getline(std::cin, line);) {
    if (auto const message = json::parse(line)) handle(*message);
  }
}
