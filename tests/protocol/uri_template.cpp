// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/protocol/resources.hpp>
#include <comcp/protocol/uri_template.hpp>

#include <filesystem>

#include "support/catch.hpp"
#include "support/corpus.hpp"

using comcp::args;
using comcp::errc;
using comcp::uri_template;

namespace {

std::string expand(std::string_view text, comcp::json::fragment const& variables) {
  return uri_template::parse(text).value().expand(variables).value();
}

// `expected` is a text, a list of acceptable texts, or false where expansion must fail.
bool is_expected(comcp::result<std::string> const& got, comcp::json::view expected) {
  if (expected.get_bool()) return !got;
  if (!got) return false;
  if (auto const one = expected.get_string()) return *got == *one;
  for (auto const e : expected.elements()) {
    if (e.get_string() == *got) return true;
  }
  return false;
}

std::size_t run(std::filesystem::path const& file) {
  std::size_t cases = 0;
  auto const root = comcp::json::parse(comcp_test::content_of(file)).value();
  for (auto const section : root.members()) {
    auto const variables = *section.value.find("variables");
    for (auto const test : section.value.find("testcases")->elements()) {
      std::string const text(*test.at(0)->get_string());
      comcp::result<std::string> got = errc::invalid_argument;
      if (auto const parsed = uri_template::parse(text)) {
        got = parsed->expand(variables);
      } else {
        got = parsed.error();
      }
      INFO(section.key << ": " << text << " gave " << (got ? *got : got.error().to_string()));
      CHECK(is_expected(got, *test.at(1)));
      ++cases;
    }
  }
  return cases;
}

}  // namespace

TEST_CASE("resource_template: expands its pattern", "[protocol]") {
  comcp::resource_template const notes("demo://notes/{topic}{?page}", "notes");
  CHECK(notes.expand(comcp::args("topic", "red birds", "page", 2)).value() == "demo://notes/red%20birds?page=2");
  CHECK(notes.expand(comcp::args("topic", "x")).value() == "demo://notes/x");
  CHECK(comcp::resource_template("x://{", "broken").expand(comcp::args()).error() == comcp::errc::invalid_argument);
}

TEST_CASE("uri_template: the official examples expand as their files say", "[protocol]") {
  for (auto const& folder : comcp_test::corpora("data/uritemplate-test")) {
    CHECK(run(folder / "spec-examples.json") > 50);
    CHECK(run(folder / "spec-examples-by-section.json") > 100);
    CHECK(run(folder / "extended-tests.json") > 50);
  }
}

TEST_CASE("uri_template: the official negative examples fail", "[protocol]") {
  for (auto const& folder : comcp_test::corpora("data/uritemplate-test")) CHECK(run(folder / "negative-tests.json") > 30);
}

TEST_CASE("uri_template: variables are listed once, in order", "[protocol]") {
  auto const t = uri_template::parse("db://{table}/{id:3}{?table,limit*}").value();
  CHECK(t.variables() == std::vector<std::string>{"table", "id", "limit"});
  CHECK(t.text() == "db://{table}/{id:3}{?table,limit*}");
  CHECK(uri_template::parse("").value().variables().empty());
}

TEST_CASE("uri_template: numbers, booleans and null as variables", "[protocol]") {
  CHECK(expand("x/{a}/{b}/{c}", args("a", 7, "b", true, "c", 1.5)) == "x/7/true/1.5");
  CHECK(expand("x{/a}{?b}", args("a", nullptr)) == "x");
  CHECK(expand("x{?list*}", args("list", std::vector<int>{1, 2})) == "x?list=1&list=2");
  CHECK(expand("x{?a}", {}) == "x");
}

TEST_CASE("uri_template: an empty value keeps its sign where the operator says so", "[protocol]") {
  CHECK(expand("{?m*}", args("m", args("k", ""))) == "?k=");
  CHECK(expand("{;m*}", args("m", args("k", ""))) == ";k");
  CHECK(expand("{m*}", args("m", args("k", ""))) == "k=");
}

TEST_CASE("uri_template: characters that no URI may hold are encoded in literals", "[protocol]") {
  CHECK(expand("file:///my docs/{n}", args("n", "a b")) == "file:///my%20docs/a%20b");
  CHECK(expand("100%/ok%20", {}) == "100%25/ok%20");
}

TEST_CASE("uri_template: values that do not fit are refused", "[protocol]") {
  auto const t = uri_template::parse("{a}").value();
  auto const list = comcp::json::parse("[1]").value();
  CHECK(t.expand(list).error() == errc::invalid_argument);
  CHECK(t.expand(comcp::json::raw(R"({"a":[[1]]})")).error() == errc::invalid_argument);
  auto const parsed = uri_template::parse("ab{c");
  REQUIRE(!parsed);
  CHECK_THAT(std::string(parsed.error().message()), match::contains("offset 2"));
}
