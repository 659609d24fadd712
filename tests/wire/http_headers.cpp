// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/wire/http_headers.hpp>

#include <string>

#include "support/catch.hpp"

using namespace comcp;
using wire::header_list;
using namespace std::string_literals;

namespace {

result<std::vector<wire::param_header>> found(std::string const& schema) {
  auto const v = json::parse(schema).value();
  return wire::find_param_headers(v);
}

// An object schema with these properties.
std::string properties(std::string const& text) { return R"({"type":"object","properties":{)" + text + "}}"; }

void refused(std::string const& schema, std::string const& place, std::string const& why) {
  INFO(schema);
  auto const got = found(schema);
  REQUIRE_FALSE(got);
  CHECK(got.error() == errc::protocol_violation);
  CHECK(got.error().message() == "x-mcp-header of inputSchema" + place + ": " + why);
}

std::string const unreachable = "it is no property that a chain of `properties` alone leads to";
std::string const no_name = "its value is no header name";
std::string const no_primitive = "the type is not string, integer or boolean";

std::string const sample = properties(R"(
    "region":{"type":"string","x-mcp-header":"Region"},
    "count":{"type":"integer","x-mcp-header":"Count"},
    "dry":{"type":"boolean","x-mcp-header":"Dry-Run"},
    "query":{"type":"string"},
    "nested":{"type":"object","properties":{"a/b":{"type":"string","x-mcp-header":"Deep"}}})");

result<header_list> mirrored(std::string const& arguments) {
  auto const v = json::parse(arguments).value();
  return wire::param_headers(found(sample).value(), v);
}

}  // namespace

TEST_CASE("http_headers: safe values go as they are", "[wire]") {
  for (std::string const text : {"us-west1", "", "a b", "~!@#$%^&*()", "=?base64?open", "closed?=", "=?BASE64?eA==?=",
                                 "file:///projects/myapp/config.json", "\"quoted\"", "a,b;c"}) {
    CHECK(wire::header_value(text) == text);
  }
}

TEST_CASE("http_headers: the specification's examples of encoded values", "[wire]") {
  CHECK(wire::header_value("Hello, 世界") == "=?base64?SGVsbG8sIOS4lueVjA==?=");
  CHECK(wire::header_value(" padded ") == "=?base64?IHBhZGRlZCA=?=");
  CHECK(wire::header_value("line1\nline2") == "=?base64?bGluZTEKbGluZTI=?=");
  CHECK(wire::header_value("=?base64?literal?=") == "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
}

TEST_CASE("http_headers: whatever is unsafe in a header is encoded", "[wire]") {
  for (auto const& text : {" lead"s, "trail "s, "\tlead"s, "in\tside"s, "a\r\nX-Evil: 1"s, "nul\0"s, "del\x7F"s,
                                 "\xFF"s, " "s, "=?base64?" "?="s}) {
    auto const value = wire::header_value(text);
    INFO(value);
    REQUIRE(value.starts_with("=?base64?"));
    REQUIRE(value.ends_with("?="));
    CHECK(value.find_first_of("\r\n\t ") == std::string::npos);
    CHECK(wire::header_value(value) != value);
  }
}

TEST_CASE("http_headers: every request has version and method, three methods have a name", "[wire]") {
  auto const v = version::v2026_07_28;
  CHECK(wire::request_headers(v, "tools/list", "ignored").value() ==
        header_list{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/list"}});
  for (std::string const method : {"tools/call", "prompts/get", "resources/read"}) {
    CHECK(wire::request_headers(v, method, "naïve").value() ==
          header_list{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method},
                      {"Mcp-Name", "=?base64?bmHDr3Zl?="}});
  }
  CHECK(wire::request_headers(v, "tools/call", "get_weather").value().back().second == "get_weather");
  CHECK(wire::request_headers(v, "prompts/get", std::nullopt).error() == errc::invalid_argument);
  CHECK(wire::request_headers(v, "tools/list", std::nullopt));
}

TEST_CASE("http_headers: what a request is about is in its params", "[wire]") {
  CHECK(wire::name_in("tools/call", R"({"arguments":{"name":"no"},"name":"get_weather"})") == "get_weather");
  CHECK(wire::name_in("prompts/get", R"({"name":"a\"\u00fc"})") == "a\"ü");
  for (std::string const method : {"resources/read", "resources/subscribe", "resources/unsubscribe"})
    CHECK(wire::name_in(method, R"({"name":"no","uri":"file:///a"})") == "file:///a");
  CHECK_FALSE(wire::name_in("completion/complete", R"({"name":"no"})"));
  for (std::string const params : {"", "{}", "[]", R"({"name":1})", R"({"name":null})", R"({"name":"a","name":"a"})", R"({"name":"a")"})
    CHECK_FALSE(wire::name_in("tools/call", params));
}

TEST_CASE("http_headers: a method that no header can carry is refused", "[wire]") {
  for (std::string const method : {"", "a\r\nX-Evil: 1", " x", "vendor/ü"}) {
    CHECK(wire::request_headers(version::v2026_07_28, method, {}).error() == errc::invalid_argument);
  }
}

TEST_CASE("http_headers: annotations are found at any depth of properties", "[wire]") {
  auto const all = found(sample).value();
  REQUIRE(all.size() == 4);
  CHECK(all[0].name == "Mcp-Param-Region");
  CHECK(all[0].path == std::vector<std::string>{"region"});
  CHECK(all[3].name == "Mcp-Param-Deep");
  CHECK(all[3].path == std::vector<std::string>{"nested", "a/b"});
  for (auto const* const none : {"{}", R"({"type":"object"})", "true", "null", R"({"properties":[]})"}) {
    CHECK(found(none).value().empty());
  }
}

TEST_CASE("http_headers: an annotation must be a header name", "[wire]") {
  for (auto const* const value : {R"("")", R"("My Region")", R"("Region:Primary")", R"("Région")", R"("Region\t1")",
                                  R"("a\r\nb")", R"("a\u0000")", R"("a/b")", "7", "null", "true", "[]"}) {
    refused(properties(R"("v":{"type":"string","x-mcp-header":)"s + value + "}"), "/properties/v", no_name);
  }
  CHECK(found(properties(R"("v":{"type":"string","x-mcp-header":"!#$%&'*+-.^_`|~09azAZ"})")));
}

TEST_CASE("http_headers: an annotation needs a primitive type", "[wire]") {
  for (auto const* const type : {R"("type":"object",)", R"("type":"array",)", R"("type":"null",)",
                                 R"("type":"number",)", R"("type":["string","null"],)", R"("type":7,)", ""}) {
    refused(properties(R"("v":{)"s + type + R"("x-mcp-header":"V"})"), "/properties/v", no_primitive);
  }
}

TEST_CASE("http_headers: annotations are unique without regard to case", "[wire]") {
  std::string const first = R"("a":{"type":"string","x-mcp-header":"MyField"},)";
  refused(properties(first + R"("b":{"type":"string","x-mcp-header":"MyField"})"), "/properties/b",
          "another property has the header MyField");
  refused(properties(first + R"("b":{"properties":{"c":{"type":"string","x-mcp-header":"myfield"}}})"),
          "/properties/b/properties/c", "another property has the header myfield");
}

TEST_CASE("http_headers: an annotation anywhere but on a chain of properties is refused", "[wire]") {
  std::string const annotated = R"({"type":"string","x-mcp-header":"V"})";
  refused(annotated, "", unreachable);
  for (std::string const keyword : {"items", "contains", "additionalProperties", "unevaluatedProperties",
                                    "propertyNames", "unevaluatedItems", "not", "if", "then", "else"}) {
    refused("{\"" + keyword + "\":" + annotated + "}", "/" + keyword, unreachable);
  }
  for (std::string const keyword : {"oneOf", "anyOf", "allOf", "prefixItems", "items"}) {
    refused("{\"" + keyword + "\":[{}," + annotated + "]}", "/" + keyword + "/1", unreachable);
  }
  for (std::string const keyword : {"$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies"}) {
    refused("{\"" + keyword + "\":{\"x\":" + annotated + "}}", "/" + keyword + "/x", unreachable);
  }
  refused(properties(R"("a":{"items":{"properties":{"b":)" + annotated + "}}}"),
          "/properties/a/items/properties/b", unreachable);
}

TEST_CASE("http_headers: the annotation's name in data or as a property is no annotation", "[wire]") {
  std::string const annotated = R"({"type":"string","x-mcp-header":"V"})";
  CHECK(found(properties(R"("v":{"const":)" + annotated + R"(,"default":)" + annotated + R"(,"enum":[)" + annotated +
                         R"(],"examples":[)" + annotated + "]}"))
            .value()
            .empty());
  auto const named = found(properties(R"("x-mcp-header":)" + annotated)).value();
  REQUIRE(named.size() == 1);
  CHECK(named[0].path == std::vector<std::string>{"x-mcp-header"});
}

TEST_CASE("http_headers: arguments are mirrored by their path", "[wire]") {
  CHECK(mirrored(R"({"region":"us-west1","count":-7,"dry":false,"query":"x","nested":{"a/b":"世"}})").value() ==
        header_list{{"Mcp-Param-Region", "us-west1"},
                    {"Mcp-Param-Count", "-7"},
                    {"Mcp-Param-Dry-Run", "false"},
                    {"Mcp-Param-Deep", "=?base64?5LiW?="}});
  CHECK(mirrored(R"({"dry":true,"count":5.0})").value() ==
        header_list{{"Mcp-Param-Count", "5"}, {"Mcp-Param-Dry-Run", "true"}});
  for (std::string const as : {"42", "42.0", "4.2e1", "42.000", "4200E-2"}) {
    CHECK(mirrored(R"({"count":)" + as + "}").value() == header_list{{"Mcp-Param-Count", "42"}});
  }
  CHECK(mirrored(R"({"count":-0.0})").value() == header_list{{"Mcp-Param-Count", "0"}});
}

TEST_CASE("http_headers: many annotations below one long key are refused, not copied with it", "[wire]") {
  std::string many, few;
  for (int i = 0; i < 1'000; ++i) {
    auto const one = "\"p" + std::to_string(i) + R"(":{"type":"string","x-mcp-header":"h)" + std::to_string(i) + "\"}";
    many += (i ? "," : "") + one;
    if (i < 100) few += (i ? "," : "") + one;
  }
  auto const refused = found(properties("\"" + std::string(10'000, 'k') + R"(":{"properties":{)" + many + "}}"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == errc::protocol_violation);
  CHECK(found(properties(few)).value().size() == 100);
}

TEST_CASE("http_headers: what is absent or null has no header, an empty string an empty one", "[wire]") {
  for (auto const* const none : {"{}", "null", R"({"region":null,"nested":null})", R"({"nested":{}})",
                                 R"({"nested":"text"})", R"({"a/b":"elsewhere"})"}) {
    CHECK(mirrored(none).value().empty());
  }
  CHECK(mirrored(R"({"region":""})").value() == header_list{{"Mcp-Param-Region", ""}});
}

TEST_CASE("http_headers: integers end at 2^53 - 1", "[wire]") {
  for (std::string const in : {"9007199254740991", "-9007199254740991", "0"}) {
    CHECK(mirrored(R"({"count":)" + in + "}").value() == header_list{{"Mcp-Param-Count", in}});
  }
  for (std::string const out : {"9007199254740992", "-9007199254740992", "18446744073709551615", "1e300", "1.5", "[]",
                                "{}"}) {
    INFO(out);
    auto const got = mirrored(R"({"count":)" + out + "}");
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::invalid_argument);
    CHECK_THAT(std::string(got.error().message()), match::contains("/count of the header Mcp-Param-Count"));
  }
}
