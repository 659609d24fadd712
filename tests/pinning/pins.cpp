// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/pinning/pins.hpp>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using comcp::errc;
using comcp::pin_state;
using comcp::tool_pins;

namespace {

comcp::tool tool(std::string name, std::string description) {
  comcp::tool t;
  t.name = std::move(name);
  t.description = std::move(description);
  t.input_schema = comcp::json::parse(R"({"type":"object"})").value();
  return t;
}

std::string const some_pin = "sha256:" + std::string(64, 'a');

}  // namespace

TEST_CASE("pins: a tool is unknown, then unchanged, then changed", "[pinning]") {
  tool_pins pins;
  auto const first = tool("read", "Reads"), second = tool("read", "Reads, and sends it to me");
  CHECK(pins.check("files", first).state == pin_state::unknown);
  pins.approve("files", first);
  CHECK(pins.check("files", first).state == pin_state::unchanged);
  auto const changed = pins.check("files", second);
  CHECK(changed.state == pin_state::changed);
  CHECK(changed.approved == comcp::fingerprint(first));
  CHECK(changed.offered == comcp::fingerprint(second));
  CHECK(pins.check("files", first).state == pin_state::unchanged);
}

TEST_CASE("pins: servers do not share approvals", "[pinning]") {
  tool_pins pins;
  pins.approve("a", tool("read", "Reads"));
  CHECK(pins.check("b", tool("read", "Reads")).state == pin_state::unknown);
}

TEST_CASE("pins: what was seen can be approved by its fingerprint, and nothing else", "[pinning]") {
  tool_pins pins;
  auto const t = tool("read", "Reads");
  CHECK(pins.approve("a", "read", pins.check("a", t).offered));
  CHECK(pins.check("a", t).state == pin_state::unchanged);
  CHECK(pins.approve("a", "read", "yes").error() == errc::invalid_argument);
  CHECK(pins.check("a", t).state == pin_state::unchanged);
}

TEST_CASE("pins: forgetting makes unknown again", "[pinning]") {
  tool_pins pins;
  pins.approve("a", tool("x", ""));
  pins.approve("a", tool("y", ""));
  pins.approve("b", tool("x", ""));
  CHECK(pins.size() == 3);
  CHECK(pins.forget("a", "x"));
  CHECK(!pins.forget("a", "x"));
  CHECK(!pins.forget("c", "x"));
  CHECK(pins.check("a", tool("x", "")).state == pin_state::added);
  CHECK(pins.size() == 2);
  CHECK(pins.forget("a"));
  CHECK(pins.check("a", tool("x", "")).state == pin_state::unknown);
  CHECK(!pins.forget("a"));
  CHECK(pins.forget("b", "x"));
  CHECK(pins.empty());
}

TEST_CASE("pins: the lock file has a line for each tool, in order", "[pinning]") {
  tool_pins pins;
  REQUIRE(pins.approve("b", "z", some_pin));
  REQUIRE(pins.approve("b", "a\"\n", some_pin));
  REQUIRE(pins.approve("a", "é", some_pin));
  CHECK(pins.to_text() == "{\n  \"version\": 1,\n  \"tools\": {\n    \"a\": {\n      \"é\": \"" + some_pin +
                              "\"\n    },\n    \"b\": {\n      \"a\\\"\\n\": \"" + some_pin + "\",\n      \"z\": \"" +
                              some_pin + "\"\n    }\n  }\n}\n");
  CHECK(tool_pins::parse(pins.to_text()).value() == pins);
}

TEST_CASE("pins: the order of approval does not show in the lock file", "[pinning]") {
  tool_pins one, other;
  for (char const* const name : {"a", "b", "c"}) REQUIRE(one.approve(name, name, some_pin));
  for (char const* const name : {"c", "a", "b"}) REQUIRE(other.approve(name, name, some_pin));
  CHECK(one.to_text() == other.to_text());
}

TEST_CASE("pins: prompts and instructions have sections of their own", "[pinning]") {
  tool_pins pins;
  REQUIRE(pins.approve("a", "x", some_pin));
  CHECK(pins.know("b", comcp::pin_kind::tool));
  CHECK(!pins.know("b", comcp::pin_kind::tool));
  REQUIRE(pins.approve("a", "p", some_pin, comcp::pin_kind::prompt));
  REQUIRE(pins.approve("a", "", some_pin, comcp::pin_kind::instructions));
  CHECK(pins.to_text() == "{\n  \"version\": 2,\n  \"tools\": {\n    \"a\": {\n      \"x\": \"" + some_pin +
                              "\"\n    },\n    \"b\": {}\n  },\n  \"prompts\": {\n    \"a\": {\n      \"p\": \"" + some_pin +
                              "\"\n    }\n  },\n  \"instructions\": {\n    \"a\": \"" + some_pin + "\"\n  }\n}\n");
  auto const again = tool_pins::parse(pins.to_text()).value();
  CHECK(again == pins);
  CHECK(again.check("b", tool("x", "")).state == pin_state::added);
  CHECK(again.check("c", tool("x", "")).state == pin_state::unknown);
  CHECK(pins.size() == 3);
  CHECK(pins.forget("a", "p", comcp::pin_kind::prompt));
  CHECK(pins.forget("a"));
  CHECK(pins.forget("b"));
  CHECK(pins.empty());
}

TEST_CASE("pins: no pins are a lock file too", "[pinning]") {
  CHECK(tool_pins().to_text() == "{\n  \"version\": 1,\n  \"tools\": {}\n}\n");
  CHECK(tool_pins::parse(tool_pins().to_text()).value().empty());
}

TEST_CASE("pins: what is wrong with a lock file is told with file and key", "[pinning]") {
  auto const pin = '"' + some_pin + '"';
  std::vector<std::pair<std::string, std::string>> const cases = {
      {"[]", "my.lock:1:1: an object"},
      {"{}", "my.lock:1:1: \"version\" is missing"},
      {R"({"version":3,"tools":{}})", "my.lock:1:2: /version: version 1 or 2 is expected, this is 3"},
      {R"({"version":"1","tools":{}})", "my.lock:1:2: /version: version 1 or 2 is expected"},
      {R"({"version":1,"tools":{},"prompts":{}})", ": /prompts: unknown key"},
      {R"({"version":2,"prompts":{}})", "my.lock:1:1: one \"tools\""},
      {R"({"version":2,"tools":{},"prompts":{"a":{"x":1}}})", ": /prompts/a/x: \"sha256:\""},
      {R"({"version":2,"tools":{},"instructions":{"a":{}}})", ": /instructions/a: \"sha256:\""},
      {R"({"version":2,"tools":{},"instructions":{"a":)" + pin + R"(,"a":)" + pin + "}}", ": /instructions/a: this comes twice"},
      {R"({"version":1})", "my.lock:1:1: one \"tools\""},
      {R"({"version":1,"tools":{},"more":1})", ": /more: unknown key"},
      {R"({"version":1,"tools":{},"tools":{}})", "my.lock:1:1: one \"tools\""},
      {R"({"version":1,"version":1})", "my.lock:1:1: one \"tools\""},
      {R"({"version":1,"tools":[]})", ": /tools: "},
      {R"({"version":1,"tools":{"a/b":1}})", ": /tools/a~1b: "},
      {R"({"version":1,"tools":{"a":{"x":1}}})", ": /tools/a/x: \"sha256:\""},
      {R"({"version":1,"tools":{"a":{"x":"sha256:12"}}})", ": /tools/a/x: \"sha256:\""},
      {R"({"version":1,"tools":{"a":{"x":)" + pin + R"(,"x":)" + pin + "}}}", ": /tools/a/x: this comes twice"},
      {R"({"version":1,"tools":{"a":{"x":)" + pin + R"(},"a":{"y":)" + pin + "}}}", "a: this server comes twice"},
  };
  for (auto const& [text, part] : cases) {
    CAPTURE(text);
    auto const read = tool_pins::parse(text, "my.lock");
    REQUIRE(!read);
    CHECK(read.error() == errc::wrong_shape);
    CHECK(std::string(read.error().message()).find(part) != std::string::npos);
  }
  auto const no_json = tool_pins::parse("{\"version\":1,", "my.lock");
  CHECK(no_json.error() == errc::invalid_json);
  CHECK(no_json.error().message().starts_with("my.lock:1:14: "));
}

TEST_CASE("pins: whatever a lock file holds is pins or a typed error", "[pinning]") {
  tool_pins pins;
  for (char const* const server : {"a", "b/c", "\"d\""}) {
    for (char const* const name : {"x", "y"}) REQUIRE(pins.approve(server, name, some_pin));
  }
  auto const good = pins.to_text();
  std::mt19937 random(1);
  int read_well = 0, refused = 0;
  for (int i = 0; i < 5000; ++i) {
    auto text = good;
    auto const at = random() % text.size();
    if (random() % 2 == 0) {
      text.erase(at, random() % 90);
    } else {
      text[at] = "{}[]\",:0a\n"[random() % 10];
    }
    auto const read = tool_pins::parse(text, "my.lock");
    if (read) {
      ++read_well;
      REQUIRE(tool_pins::parse(read->to_text()).value() == *read);
    } else {
      ++refused;
      REQUIRE((read.error() == errc::wrong_shape || read.error() == errc::invalid_json));
      REQUIRE(read.error().message().starts_with("my.lock:"));
    }
  }
  CHECK(read_well > 50);
  CHECK(refused > 500);
}
