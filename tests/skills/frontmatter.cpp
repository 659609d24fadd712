// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/skills/frontmatter.hpp>

#include <string>

#include <comcp/json/describe.hpp>

#include "support/catch.hpp"

using namespace comcp;

namespace {

// Whether it is equal to the JSON text, or how it differs. A sequence is read as a value.
std::string read_as(std::string yaml, std::string json) {
  if (yaml.starts_with('-')) {
    yaml.insert(0, "s:\n");
    json = R"({"s":)" + json + "}";
  }
  auto const got = read_frontmatter(yaml);
  if (!got) return got.error().to_string();
  return *got == json::parse(json).value() ? "" : got->dump();
}

std::string refused(std::string_view yaml) {
  auto const got = read_frontmatter(yaml);
  return got ? "read as " + got->dump() : got.error().to_string();
}
bool refuses(std::string_view yaml, std::string_view why) { return refused(yaml).find(why) != std::string::npos; }

}  // namespace

TEST_CASE("frontmatter: SKILL.md is taken apart at its fences", "[skills]") {
  auto const parts = split_skill("---\nname: a\n---\n\nBody\n---\n").value();
  CHECK(parts.frontmatter == "name: a\n");
  CHECK(parts.body == "\nBody\n---\n");
  CHECK(split_skill("\xEF\xBB\xBF---  \r\nname: a\r\n--- \t\r\nB").value().body == "B");
  CHECK(split_skill("---\n---").value().frontmatter.empty());
  CHECK(split_skill("---\nname: a\n ---\nb: ---\n---").value().frontmatter == "name: a\n ---\nb: ---\n");
  for (auto const* const bad : {"", "name: a", "\n---\na: b\n---\n", "---\nname: a\n", "----\na: b\n---\n", "---\n\xFF\n---\n"})
    CHECK(split_skill(bad).error() == errc::wrong_shape);
}

TEST_CASE("frontmatter: mappings and sequences in blocks", "[skills]") {
  CHECK(read_as("name: a\ndescription: b\n", R"({"name":"a","description":"b"})") == "");
  CHECK(read_as("# head\n\nname:   a   # tail\n  # between\nb:\n", R"({"name":"a","b":null})") == "");
  CHECK(read_as("  a: 1\n  b: 2\n", R"({"a":1,"b":2})") == "");
  CHECK(read_as("a:\n  b:\n    c: d\n  e: f\ng: h", R"({"a":{"b":{"c":"d"},"e":"f"},"g":"h"})") == "");
  CHECK(read_as("a:\n- x\n-\n- z\nb: c", R"({"a":["x",null,"z"],"b":"c"})") == "");
  CHECK(read_as("a:\n  - b: 1\n    c: 2\n  - - x\n    - y\n  -\n    d: 3", R"({"a":[{"b":1,"c":2},["x","y"],{"d":3}]})") == "");
  CHECK(read_as("a:\n  b\nc:\n  \"d\"\n", R"({"a":"b","c":"d"})") == "");
  CHECK(read_as("a: b\r\nc: d\r\n", R"({"a":"b","c":"d"})") == "");
  CHECK(read_as("\"a b\" : 1\n'it''s': 2\n\"x\\\"\": 3", R"({"a b":1,"it's":2,"x\"":3})") == "");
  CHECK(read_as("allowed-tools: Bash(git:*) Read\nurl: https://a.b/c?d=e#f", R"({"allowed-tools":"Bash(git:*) Read","url":"https://a.b/c?d=e#f"})") == "");
}

TEST_CASE("frontmatter: plain scalars are of the core schema", "[skills]") {
  CHECK(read_as("- null\n- ~\n- Null\n- true\n- FALSE\n- yes\n- no", R"([null,null,null,true,false,"yes","no"])") == "");
  CHECK(read_as("- 1\n- -2\n- +3\n- 007\n- 0o17\n- 0xfF\n- 18446744073709551615", "[1,-2,3,7,15,255,18446744073709551615]") == "");
  CHECK(read_as("- 1.0\n- .5\n- 5.\n- -1.5e3\n- 1E-2\n- +0.25", "[1,0.5,5,-1500,0.01,0.25]") == "");
  CHECK(read_as("- 1.2.3\n- 1_000\n- 0o8\n- 0x\n-\n- 1e\n- .\n- 2024-01-01\n- 12:30\n- e5",
                R"(["1.2.3","1_000","0o8","0x",null,"1e",".","2024-01-01","12:30","e5"])") == "");
  CHECK(read_as("- -a\n- :b\n- ?c\n- a#b\n- a:b\n- 'null'\n- \"1\"\n- ...x", R"(["-a",":b","?c","a#b","a:b","null","1","...x"])") == "");
}

TEST_CASE("frontmatter: scalars of several lines are folded", "[skills]") {
  CHECK(read_as("a: one\n  two\n\n   three # end\nb: x", R"({"a":"one two\nthree","b":"x"})") == "");
  CHECK(read_as("a: b\n  - c\n# no part\nd: e", R"({"a":"b - c","d":"e"})") == "");
  CHECK(read_as("a: \"one  \n  two\\\n   three\\ \n\n\n  four\"", R"({"a":"one twothree \n\nfour"})") == "");
  CHECK(read_as("a: 'one\n\n  two '' '", R"({"a":"one\ntwo ' "})") == "");
  CHECK(read_as(R"(a: "\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P\x41\u00e9\U0001F600\ud83d\ude00")",
                R"({"a":"\u0000\u0007\b\t\n\u000b\f\r\u001b \"/\\\u0085\u00a0\u2028\u2029A\u00e9\ud83d\ude00\ud83d\ude00"})") == "");
}

TEST_CASE("frontmatter: blocks of text", "[skills]") {
  CHECK(read_as("a: |\n  one\n   two\n\n  three\n\nb: c", R"({"a":"one\n two\n\nthree\n","b":"c"})") == "");
  CHECK(read_as("a: |-\n  one\n\nb: |+\n  two\n\n", R"({"a":"one","b":"two\n\n"})") == "");
  CHECK(read_as("a: >\n  one\n  two\n\n  three\n    four\n  five\n", R"({"a":"one two\nthree\n  four\nfive\n"})") == "");
  CHECK(read_as("a: >-\n\n  one # no comment\n  two: x\n", R"({"a":"\none # no comment two: x"})") == "");
  CHECK(read_as("a: |2 # comment\n   x\n  y\n", R"({"a":" x\ny\n"})") == "");
  CHECK(read_as("a: |\nb: >+\n\nc: d", R"({"a":"","b":"\n","c":"d"})") == "");
  CHECK(read_as("- |\n one\n- >-\n two", R"(["one\n","two"])") == "");
  CHECK(read_as("a: |\n  x\n # end\nb: c", R"({"a":"x\n","b":"c"})") == "");
}

TEST_CASE("frontmatter: brackets", "[skills]") {
  CHECK(read_as("a: [x, \"y, z\", 'w', 1, [], {}]", R"({"a":["x","y, z","w",1,[],{}]})") == "");
  CHECK(read_as("a: { b: c, \"d\":1, e: , f: {g: http://h}}", R"({"a":{"b":"c","d":1,"e":null,"f":{"g":"http://h"}}})") == "");
  CHECK(read_as("a: [ # comment\n  x,\n\n  y, # more\n]\nb: c", R"({"a":["x","y"],"b":"c"})") == "");
  CHECK(read_as("{a: b}", R"({"a":"b"})") == "");
  CHECK(read_as("a: [x,\n# comment\n  -y]", R"({"a":["x","-y"]})") == "");
}

TEST_CASE("frontmatter: what is not read is refused, and says where", "[skills]") {
  CHECK(refuses("", "empty"));
  CHECK(refuses("# only\n", "empty"));
  for (auto const* const other : {"a", "\"a\"", "- a", "[a]", "| \n a", "~", "1"}) CHECK(refuses(other, "no mapping"));
  CHECK(refuses("\xEF\xBB\xBF" "a: b", "byte order mark"));
  CHECK(refuses("a: 1\nb: &x 2", "line 2 of the frontmatter: an anchor"));
  CHECK(refuses("a: *x", "an alias"));
  CHECK(refuses("*x : 1", "an alias"));
  CHECK(refuses("a: !!str 1", "a tag"));
  CHECK(refuses("%YAML 1.2", "a directive"));
  CHECK(refuses("a: 1\n...\nb: 2", "more than one document"));
  CHECK(refuses("a: 1\n--- \nb: 2", "more than one document"));
  CHECK(refuses("{a: \"1\n... 2\"}", "more than one document"));
  CHECK(refuses("{a: 1,\n--- b: 2}", "more than one document"));
  CHECK(refuses("a: 1\na: 2", "\"a\" comes twice"));
  CHECK(refuses("a: {b: 1, \"b\": 2}", "\"b\" comes twice"));
  CHECK(refuses("<<: 1", "merge key"));
  CHECK(refuses("a: {<<: 1}", "merge key"));
  CHECK(refuses("1: a", "no text"));
  CHECK(refuses("a: {null: 1}", "no text"));
  CHECK(refuses("? a\n: b", "several lines"));
  CHECK(refuses("a:\n\tb: 1", "tab"));
  CHECK(refuses("a: b\n\tc", "tab"));
  CHECK(refuses("-\ta: 1", "tab"));
  CHECK(refuses("a: b: c", "colon and a space"));
  CHECK(refuses("a: b\n c: d", "colon and a space"));
  CHECK(refuses("a: - b", "may not begin"));
  CHECK(refuses("a: @b", "may not begin"));
  CHECK(refuses("a: \"b", "does not end"));
  CHECK(refuses("a: \"b\nc\"", "not indented"));
  CHECK(refuses("a: \"b\" c", "text behind"));
  CHECK(refuses("a: [b\nc]", "not indented"));
  CHECK(refuses("a: [b", "does not close"));
  CHECK(refuses("a: [b c: d]", "expected a comma"));
  CHECK(refuses("a: {b}", "expected a colon"));
  CHECK(refuses("a: [b]: c", "text behind"));
  for (auto const* const bad : {"a: [,]", "a: [?b]", "a: [:b]", "a: {?b: c}"}) CHECK(refuses(bad, "may not begin"));
  CHECK(refuses("a:\n    b: 1\n  c: 2", "indentation"));
  CHECK(refuses("- a\nb: c", "does not belong"));
  CHECK(refuses("a: 1\n  b: 2", "colon and a space"));
  CHECK(refuses("a:\n  - b\n   - c: d", "colon and a space"));
  CHECK(refuses("a\nb: c", "colon"));
  CHECK(refuses("a: |x\n b", "begin a block"));
  CHECK(refuses("a: |\n    b\n  c", "indentation"));
  CHECK(refuses("a: |\n     \n  b", "empty lines"));
  for (auto const* const bad : {R"("\q")", R"("\x4")", R"("\ud800")", R"("\ud800\u0041")", R"("\U00110000")", ".inf", "-.INF", ".nan",
                                "0xfffffffffffffffff", "1e999", "\"\x01\"", "\xC3"}) {
    INFO(bad);
    CHECK(refuses("a: " + std::string(bad), "wrong shape"));
  }
}

TEST_CASE("frontmatter: size and depth are bounded", "[skills]") {
  CHECK(read_frontmatter("a: " + std::string(64 * 1024, 'x')).error() == errc::limit_exceeded);
  CHECK(read_frontmatter("a: " + std::string(64 * 1024 - 3, 'x')).has_value());
  std::string const open(31, '['), close(31, ']');
  CHECK(read_frontmatter("a: " + open + close).has_value());
  CHECK(read_frontmatter("a: [" + open + close + "]").error() == errc::limit_exceeded);
  CHECK(read_frontmatter("a: " + std::string(60'000, '[')).error() == errc::limit_exceeded);
  std::string dashes;
  for (int i = 0; i < 32; ++i) dashes += "- ";
  CHECK(read_frontmatter("a:\n" + dashes + "x").error() == errc::limit_exceeded);
  CHECK(read_frontmatter("a:\n" + dashes.substr(2) + "x").has_value());
}
