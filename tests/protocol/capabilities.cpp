// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/json/build.hpp>
#include <comcp/protocol/capabilities.hpp>
#include <comcp/protocol/lifecycle.hpp>

#include "support/catch.hpp"

using namespace comcp;

namespace {

template <class T>
T from(std::string_view text) {
  return json::parse(text).value().as<T>();
}

}  // namespace

TEST_CASE("capabilities: an empty elicitation object means form", "[protocol]") {
  auto const empty = from<client_capabilities>(R"({"elicitation":{}})");
  CHECK(empty.supports_elicitation_form());
  CHECK_FALSE(empty.supports_elicitation_url());
  CHECK(json::to_text(empty) == R"({"elicitation":{}})");
  auto const url = from<client_capabilities>(R"({"elicitation":{"url":{}}})");
  CHECK_FALSE(url.supports_elicitation_form());
  CHECK(url.supports_elicitation_url());
  CHECK_FALSE(client_capabilities().supports_elicitation_form());
}

TEST_CASE("capabilities: flags are written as objects and keep what came inside", "[protocol]") {
  client_capabilities ours;
  ours.roots.emplace(true);
  ours.sampling.emplace().tools = true;
  ours.elicitation.emplace().url = true;
  ours.extensions["com.example/x"] = json::to_value(json::args("a", 1));
  CHECK(json::to_text(ours) == R"({"roots":{"listChanged":true},"sampling":{"tools":{}},"elicitation":{"url":{}},)"
                               R"("extensions":{"com.example/x":{"a":1}}})");
  auto const came = R"({"sampling":{"context":{"max":3},"tools":{}},"experimental":{},"later":{"x":1}})";
  auto theirs = from<client_capabilities>(came);
  CHECK(json::to_value(theirs) == json::parse(came).value());
  theirs.sampling->tools = false;
  CHECK(json::to_text(theirs) == R"({"sampling":{"context":{"max":3}},"experimental":{},"later":{"x":1}})");
}

TEST_CASE("capabilities: what a server supports", "[protocol]") {
  auto const caps = from<server_capabilities>(R"({"tools":{"listChanged":true},"prompts":{},"logging":{},
    "resources":{"subscribe":true,"listChanged":false},"extensions":{"io.modelcontextprotocol/tasks":{}},
    "tasks":{"list":{},"requests":{"tools":{"call":{}}}},"experimental":{"vendor":{}},"brandNew":{},"gone":null})");
  for (auto const* name :
       {"tools", "prompts", "logging", "resources", "tasks", "io.modelcontextprotocol/tasks", "vendor", "brandNew"}) {
    INFO(name);
    CHECK(caps.supports(name));
  }
  for (auto const* name : {"completions", "sampling", "gone", "extensions", "experimental", ""}) {
    INFO(name);
    CHECK_FALSE(caps.supports(name));
  }
  CHECK(caps.supports_list_changed("tools"));
  CHECK_FALSE(caps.supports_list_changed("prompts"));
  CHECK_FALSE(caps.supports_list_changed("resources"));
  CHECK(caps.supports_subscribe());
  CHECK_FALSE(server_capabilities().supports_subscribe());
  CHECK(caps.tasks->supports("tools", "call"));
  CHECK_FALSE(caps.tasks->supports("sampling", "createMessage"));
  CHECK_FALSE(tasks_capability().supports("tools", "call"));
}

TEST_CASE("capabilities: a capability that is no object is refused with its place", "[protocol]") {
  auto const odd = json::parse(R"({"tools":[]})").value();
  CHECK_THAT(odd.get<server_capabilities>().error().to_string(), match::contains("/tools"));
  CHECK_FALSE(from<server_capabilities>(R"({"tools":null})").supports("tools"));
}

TEST_CASE("capabilities: versions are ordered, parsed and belong to an era", "[protocol]") {
  auto const all = supported_versions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(protocol_version::parse(all[i].text()) == all[i]);
    if (i > 0) CHECK(all[i] < all[i - 1]);
    CHECK((all[i].era() == era::modern) == (i == 0));
  }
  CHECK(version::v2025_06_18.text() == "2025-06-18");
  CHECK(protocol_version() == version::latest);
  CHECK(version::latest_legacy.era() == era::legacy);
  CHECK(version::latest_legacy == version::v2025_11_25);
  for (auto const* text : {"", "2025", "2026-07-29", "2025-11-25 ", "DRAFT-2026-v1"})
    CHECK_FALSE(protocol_version::parse(text));
}
