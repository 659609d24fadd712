// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <clocale>
#include <string_view>

#include <arguments.hpp>
#include <exit_codes.hpp>
#include <form.hpp>
#include <schema_text.hpp>
#include <text.hpp>

#include <support/catch.hpp>

namespace {

bool warns_of(std::string_view url, std::string_view what) {
  auto const all = cli::url_warnings(url);
  return std::any_of(all.begin(), all.end(), [what](auto const& w) { return w.find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("cli: an address is warned of for each thing that makes it look like another", "[cli]") {
  CHECK(warns_of("https://xn--pple-43d.com/login", "international"));
  CHECK(warns_of("https://www.XN--pple-43d.com/login", "international"));
  CHECK(warns_of("https://\xd0\xb0pple.com/", "international"));
  CHECK(warns_of("http://example.com/", "not encrypted"));
  CHECK(warns_of("https://bank.example@evil.example/", "before its host"));
  CHECK(warns_of("https://bank.example\\@evil.example/", "proper web address"));
}

TEST_CASE("cli: a plain address brings no warning", "[cli]") {
  CHECK(cli::url_warnings("https://example.com/xn--in-the-path?x=@").empty());
  CHECK(cli::url_warnings("http://localhost:8080/").empty());
  CHECK(cli::url_warnings("http://[::1]:8080/").empty());
}

TEST_CASE("cli: the parts of an address are what a browser takes them for", "[cli]") {
  auto const parts = cli::split_url("HTTPS://user:pw@example.com:443/a@b");
  CHECK(parts.host == "example.com");
  CHECK(parts.user == "user:pw");
  CHECK(cli::split_url("https://[::1]:1/").host == "[::1]");
}

TEST_CASE("cli: text is wrapped by columns", "[cli]") {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  CHECK(cli::columns("abc") == 3);
  CHECK(cli::columns("\xc3\xa9") == 1);
  CHECK(cli::columns("\xe6\x97\xa5\xe6\x9c\xac") == 4);  // two wide letters
  CHECK(cli::columns("e\xcc\x81") == 1);                 // a letter and a combining accent
  for (auto const& line : cli::wrap("\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac", 10))
    CHECK(cli::columns(line) <= 10);
}

namespace {

std::string arguments_of(std::string_view schema, std::vector<std::string> const& pairs) {
  auto const parsed = comcp::json::parse(schema).value();
  return std::string(cli::tool_arguments(cli::parse_pairs(pairs), "", parsed.view()).text());
}

std::string list_of_references(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += i ? R"(,{"$ref":"#/properties/x"})" : R"({"$ref":"#/properties/x"})";
  return "[" + out + "]";
}

}  // namespace

TEST_CASE("cli: KEY=VALUE ends for a schema that refers to itself", "[cli]") {
  auto const itself = R"({"properties":{"x":{"type":"array","items":{"$ref":"#/properties/x"}}}})";
  CHECK_THROWS_AS(arguments_of(itself, {"x=foo"}), cli::usage_error);
  CHECK_THROWS_AS(arguments_of(itself, {"x=foo", "x=bar"}), cli::usage_error);
  CHECK(arguments_of(itself, {"x=[[]]"}) == R"({"x":[[]]})");
  auto const wide = R"({"properties":{"x":{"anyOf":)" + list_of_references(60) + "}}}";
  CHECK(arguments_of(wide, {"x=foo"}) == R"({"x":"foo"})");
  auto const both = R"({"properties":{"x":{"type":"array","items":{"anyOf":)" + list_of_references(200) + "}}}}";
  try {
    arguments_of(both, {"x=foo"});
    FAIL("it fitted");
  } catch (cli::usage_error const& e) {
    CHECK_THAT(std::string(e.what()), match::contains("x:=JSON"));
  }
}

TEST_CASE("cli: KEY=VALUE is read by the schema", "[cli]") {
  auto const schema = R"({"additionalProperties":true,
    "properties":{"n":{"type":"integer"},"s":{"type":"string"},"l":{"type":"array","items":{"$ref":
    "#/$defs/n"}},"e":{"enum":["a",1,null,{"b":[1]}]},"u":{"anyOf":[{"type":"null"},{"type":"boolean"}]}},
    "$defs":{"n":{"type":"number"}}})";
  CHECK(arguments_of(schema, {"n=1", "s=2", "l=3", "u=true", "free=4"}) ==
        R"({"n":1,"s":"2","l":[3],"u":true,"free":"4"})");
  CHECK(arguments_of(schema, {"l=1", "l=2.5"}) == R"({"l":[1,2.5]})");
  CHECK(arguments_of(schema, {"e=a"}) == R"({"e":"a"})");
  CHECK(arguments_of(schema, {"e=1"}) == R"({"e":1})");
  CHECK(arguments_of(schema, {R"(e={"b": [1]})"}) == R"({"e":{"b":[1]}})");
  CHECK_THROWS_AS(arguments_of(schema, {"e=c"}), cli::usage_error);
  CHECK_THROWS_AS(arguments_of(schema, {"u=3"}), cli::usage_error);
}

TEST_CASE("cli: a type's text is cut, whatever the schema refers to", "[cli]") {
  auto const text_of = [](std::string const& schema, std::size_t parts) {
    auto const parsed = comcp::json::parse(schema).value();
    cli::schema_reader reader(parsed.view(), parts);
    auto const x = parsed["properties"]["x"];
    return reader.type_text(x.view());
  };
  auto const many = R"({"properties":{"x":{"anyOf":)" + list_of_references(60) + "}}}";
  auto const text = text_of(many, 10'000);  // it takes no more
  CHECK_THAT(text, match::contains("..."));
  CHECK(text.size() < 1'000);
  CHECK(text_of(many, 1) == "any");
  CHECK(text_of(R"({"properties":{"x":{"type":["array","null"],"items":{"enum":["a","b"]}}}})", 100) ==
        "(\"a\"|\"b\")[]|null");
  std::string choices;
  for (int i = 0; i < 100; ++i) choices += (i ? "," : "") + std::to_string(i);
  CHECK_THAT(text_of(R"({"properties":{"x":{"enum":[)" + choices + "]}}}", 1'000), match::contains("|11|..."));
}

TEST_CASE("cli: a default is cut, and paid by what is read of it", "[cli]") {
  auto const text = R"({"d":{"default":[")" + std::string(64'000, 'x') + R"("]},"s":{"default":1},"n":{}})";
  auto const parsed = comcp::json::parse(text).value();
  auto const large = parsed["d"], small = parsed["s"], none = parsed["n"];
  cli::schema_reader reader(parsed.view(), 1'500);
  CHECK(reader.default_text(none.view()).empty());
  CHECK(reader.default_text(small.view()) == "1");
  CHECK_THAT(reader.default_text(large.view()), match::contains(" bytes more: see --json)"));
  CHECK_FALSE(reader.is_exhausted());
  CHECK(reader.default_text(large.view()).size() < 300);
  CHECK(reader.is_exhausted());
  CHECK(reader.default_text(large.view()).empty());
}
