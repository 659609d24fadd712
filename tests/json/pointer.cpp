// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <comcp/json/value.hpp>

#include "support/catch.hpp"

namespace {

namespace json = comcp::json;
using comcp::errc;

// The example of RFC 6901, section 5.
constexpr char const* rfc_document = R"({
  "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
})";

void walk(json::view at, std::vector<json::view>& all) {
  all.push_back(at);
  for (auto const e : at.elements()) walk(e, all);
  for (auto const m : at.members()) walk(m.value, all);
}

}  // namespace

TEST_CASE("json pointer: the examples of RFC 6901", "[json]") {
  auto const doc = json::parse(rfc_document).value();
  std::vector<std::pair<std::string, std::string>> const expected = {{"/foo", R"(["bar","baz"])"},
                                                                     {"/foo/0", R"("bar")"},
                                                                     {"/", "0"},
                                                                     {"/a~1b", "1"},
                                                                     {"/c%d", "2"},
                                                                     {"/e^f", "3"},
                                                                     {"/g|h", "4"},
                                                                     {"/i\\j", "5"},
                                                                     {"/k\"l", "6"},
                                                                     {"/ ", "7"},
                                                                     {"/m~0n", "8"}};
  for (auto const& [pointer, text] : expected) {
    INFO(pointer);
    auto const found = doc.pointer(pointer);
    REQUIRE(found);
    CHECK(found->dump() == text);
  }
  CHECK(doc.pointer("").value() == doc);
}

TEST_CASE("json pointer: what is no pointer is an invalid argument", "[json]") {
  auto const doc = json::parse(rfc_document).value();
  for (char const* const bad : {"foo", "0", " /foo", "/~", "/~2", "/foo~", "/m~n", "/foo/~x", "#/foo"}) {
    INFO(bad);
    auto const found = doc.pointer(bad);
    REQUIRE_FALSE(found);
    CHECK(found.error() == errc::invalid_argument);
  }
}

TEST_CASE("json pointer: what is not there is not found, with the pointer in the text", "[json]") {
  auto const doc = json::parse(R"({"foo":["bar","baz"],"x":1,"o":{"0":"zero"}})").value();
  for (char const* const absent : {"/bar", "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/-1", "/foo/1e0",
                                   "/foo/99999999999999999999999", "/foo/", "/x/0", "/x/", "/foo/0/a", "//", "/Foo"}) {
    INFO(absent);
    auto const found = doc.pointer(absent);
    REQUIRE_FALSE(found);
    CHECK(found.error() == errc::not_found);
    CHECK_THAT(std::string(found.error().message()), match::contains(absent));
  }
  CHECK(doc.pointer("/o/0").value().dump() == R"("zero")");
}

TEST_CASE("json pointer: tilde and slash are decoded once, in the right order", "[json]") {
  auto const doc = json::parse(R"({"~1":1,"/":2,"~":3,"~0":4,"a":{"":{"":5}}})").value();
  CHECK(doc.pointer("/~01").value().as_int64() == 1);
  CHECK(doc.pointer("/~1").value().as_int64() == 2);
  CHECK(doc.pointer("/~0").value().as_int64() == 3);
  CHECK(doc.pointer("/~00").value().as_int64() == 4);
  CHECK(doc.pointer("/a//").value().as_int64() == 5);
}

TEST_CASE("json pointer: path() is the pointer of every part", "[json]") {
  auto const doc = json::parse(R"({"a":[1,[2,{"b/c":{"~":[]}}]],"":{"x":"y"},"\u00e9":null})").value();
  std::vector<json::view> all;
  walk(doc.view(), all);
  REQUIRE(all.size() == 11);
  for (auto const part : all) {
    auto const path = part.path();
    INFO(path);
    auto const again = doc.view().pointer(path);
    REQUIRE(again);
    CHECK(again->path() == path);
    CHECK(*again == part);
  }
  CHECK(doc.view().path().empty());
  auto const deepest = doc.pointer("/a/1/1/b~1c/~0").value();
  CHECK(deepest.view().path() == "/a/1/1/b~1c/~0");
  CHECK(json::view().path().empty());
}

TEST_CASE("json pointer: relative to a part, and on null", "[json]") {
  auto const doc = json::parse(R"({"a":{"b":[10,20]}})").value();
  auto const part = doc["a"];
  CHECK(part.pointer("/b/1").value().as_int64() == 20);
  CHECK(json::value().pointer("").value().is_null());
  CHECK(json::value().pointer("/a").error() == errc::not_found);
}
