// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/pinning/fingerprint.hpp>

#include <set>
#include <string>
#include <string_view>

#include <comcp/hash/sha256.hpp>

#include "support/catch.hpp"

using comcp::fingerprint;

namespace {

comcp::tool tool(std::string_view text) { return comcp::json::parse(text).value().as<comcp::tool>(); }

constexpr std::string_view weather = R"({
    "name": "get_weather", "title": "Weather", "description": "Weather of a city",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "maxLength": 80}}},
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": true}, "execution": {"taskSupport": "optional"},
    "icons": [{"src": "https://example.org/a.png"}], "_meta": {"trace": 1}, "vendor": {"x": 1}})";

// `weather` with one part of its text replaced.
std::string changed(std::string_view what, std::string_view to) {
  std::string text(weather);
  auto const at = text.find(what);
  REQUIRE(at != std::string::npos);
  return fingerprint(tool(text.replace(at, what.size(), to)));
}

}  // namespace

TEST_CASE("fingerprint: SHA-256 of the canonical definition without _meta", "[pinning]") {
  CHECK(fingerprint(tool(R"({"name": "b", "inputSchema": {"type": "object", "a": 1.0}, "_meta": {"x": 1}})")) ==
        "sha256:" + comcp::to_hex(comcp::sha256(R"({"inputSchema":{"a":1,"type":"object"},"name":"b"})")));
}

TEST_CASE("fingerprint: every part that model or user may see is covered", "[pinning]") {
  std::set<std::string> seen = {fingerprint(tool(weather))};
  CHECK(seen.insert(changed("get_weather", "get_weathers")).second);
  CHECK(seen.insert(changed("\"Weather\"", "\"Wether\"")).second);
  CHECK(seen.insert(changed("Weather of a city", "Weather of a town")).second);
  CHECK(seen.insert(changed("\"city\"", "\"town\"")).second);
  CHECK(seen.insert(changed("\"maxLength\": 80", "\"maxLength\": 81")).second);
  CHECK(seen.insert(changed("\"outputSchema\": {\"type\": \"object\"},", "")).second);
  CHECK(seen.insert(changed("\"readOnlyHint\": true", "\"readOnlyHint\": false")).second);
  CHECK(seen.insert(changed("optional", "required")).second);
  CHECK(seen.insert(changed("a.png", "b.png")).second);
  CHECK(seen.insert(changed("\"x\": 1", "\"x\": 2")).second);
}

TEST_CASE("fingerprint: what means the same has the same one", "[pinning]") {
  auto const first = fingerprint(tool(weather));
  CHECK(changed("\"trace\": 1", "\"trace\": 2") == first);
  CHECK(changed("\"maxLength\": 80", "\"maxLength\": 8.0e1") == first);
  CHECK(changed("\"type\": \"string\", \"maxLength\": 80", "\"maxLength\":80,\"type\":\"string\"") == first);
  CHECK(changed("Weather of a city", "\\u0057eather of a city") == first);
}

TEST_CASE("fingerprint: null where a type allows none is as absent", "[pinning]") {
  auto const without = fingerprint(tool(R"({"name":"b","inputSchema":{"type":"object"}})"));
  CHECK(without == fingerprint(tool(R"({"name":"b","inputSchema":{"type":"object"},"title":null,"description":null,
                                        "outputSchema":null,"annotations":null,"execution":null,"_meta":null})")));
  CHECK(without != fingerprint(tool(R"({"name":"b","inputSchema":{"type":"object"},"vendor":null})")));
  CHECK(without != fingerprint(tool(R"({"name":"b","inputSchema":{"type":"object"},"description":""})")));
}

TEST_CASE("fingerprint: a definition that comcp built has that of the same one read", "[pinning]") {
  comcp::tool built;
  built.name = "b";
  built.description = "B";
  built.input_schema = comcp::json::parse(R"({"type":"object"})").value();
  CHECK(fingerprint(built) == fingerprint(tool(R"({"inputSchema":{"type":"object"},"description":"B","name":"b"})")));
}

TEST_CASE("fingerprint: a key that comes twice hides nothing", "[pinning]") {
  auto const one = fingerprint(tool(R"({"name":"b","inputSchema":{"type":"object","title":"good"}})"));
  CHECK(one != fingerprint(tool(R"({"name":"b","inputSchema":{"type":"object","title":"good","title":"evil"}})")));
}

TEST_CASE("fingerprint: a second member of a key that comcp reads once is covered, wherever it stands", "[pinning]") {
  auto const good = R"({"name":"b","description":"good","inputSchema":{"type":"object"},"annotations":{"title":"t"}EXTRA})";
  auto const with = [&](std::string_view extra) {
    std::string text = good;
    return fingerprint(tool(text.replace(text.find("EXTRA"), 5, extra)));
  };
  std::set<std::string> seen = {with("")};
  for (auto const* const extra :
       {R"(,"description":"evil")", R"(,"description":"worse")", R"(,"inputSchema":{"type":"object","x":1})", R"(,"name":"c")",
        R"(,"annotations":{"title":"u"})", R"(,"icons":[{"src":"a","src":"b"}])", R"(,"icons":[{"src":"a","src":"c"}])",
        R"(,"execution":{"taskSupport":"optional","taskSupport":"required"})"}) {
    CAPTURE(extra);
    CHECK(seen.insert(with(extra)).second);
  }
  CHECK(with(R"(,"_meta":{"a":1},"_meta":{"a":2})") == with(R"(,"_meta":{"a":3},"_meta":{})"));
}

TEST_CASE("fingerprint: prompts have one too", "[pinning]") {
  auto const read = [](std::string_view text) { return comcp::json::parse(text).value().as<comcp::prompt>(); };
  auto const one = fingerprint(read(R"({"name":"p","arguments":[{"name":"a"}],"_meta":{"x":1}})"));
  CHECK(one == "sha256:" + comcp::to_hex(comcp::sha256(R"({"arguments":[{"name":"a"}],"name":"p"})")));
  CHECK(one != fingerprint(read(R"({"name":"p","arguments":[{"name":"a","description":"!"}]})")));
}

TEST_CASE("fingerprint: its form is known", "[pinning]") {
  auto const one = fingerprint(tool(weather));
  CHECK(comcp::is_fingerprint(one));
  CHECK(one.size() == 71);
  CHECK(!comcp::is_fingerprint(""));
  CHECK(!comcp::is_fingerprint(one.substr(7)));
  CHECK(!comcp::is_fingerprint(one + "0"));
  CHECK(!comcp::is_fingerprint("sha256:" + std::string(64, 'G')));
  CHECK(!comcp::is_fingerprint("sha256:" + std::string(64, 'A')));
}
