// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/json/text_map.hpp>

#include "support/catch.hpp"

using comcp::detail::text_map;
using comcp::detail::text_place;
using comcp::detail::without_comments;

TEST_CASE("text_map: comments and trailing commas become blanks of the same length", "[json]") {
  CHECK(without_comments("[1, // one\n 2]") == "[1,       \n 2]");
  CHECK(without_comments("[1, /* a\n b */ 2]") == "[1,     \n      2]");
  CHECK(without_comments("[1, 2, ]") == "[1, 2  ]");
  CHECK(without_comments("{\"a\": 1, // x\n}") == "{\"a\": 1      \n}");
  CHECK(without_comments("[[1,],]") == "[[1 ] ]");
  CHECK(without_comments("[\"a\",/**/]") == "[\"a\"     ]");
}

TEST_CASE("text_map: strings keep what looks like a comment or a comma", "[json]") {
  for (std::string const text : {R"(["http://x", "/* */", ",]", "\"//", "\\"])", R"({"a//": ",}"})", "[]", "", "\"//"})
    CHECK(without_comments(text) == text);
}

TEST_CASE("text_map: what is no trailing comma stays", "[json]") {
  for (std::string const text : {"[,]", "{,}", "[1,,]", "{\"a\":,}", "1 / 2", "[1] /* open", "[1] /"})
    CHECK(without_comments(text) == text);
}

TEST_CASE("text_map: keys and values have offsets, lines and columns", "[json]") {
  std::string const text = "{\n  \"a\": [1, {}],\r\n  \"b\" : \"x\"\n}";
  text_map const map(text);
  REQUIRE_FALSE(map.broken());
  REQUIRE(map.nodes().size() == 5);
  CHECK(map.place(map.nodes()[0].value) == text_place{1, 1});
  CHECK(map.place(map.nodes()[1].key) == text_place{2, 3});
  CHECK(map.place(map.nodes()[1].value) == text_place{2, 8});
  CHECK(map.nodes()[1].next == 4);
  CHECK(map.place(map.nodes()[3].value) == text_place{2, 12});
  CHECK(map.place(map.nodes()[4].key) == text_place{3, 3});
  CHECK(map.place(map.nodes()[4].value) == text_place{3, 9});
  CHECK(map.place(text.size()) == text_place{4, 2});
}

TEST_CASE("text_map: it agrees with the parser about what is JSON", "[json]") {
  for (std::string const text : {"0",       "-0",     "1.5e+3", "01",   "1.",      ".5",          "-",
                                 "+1",      "1e",     "true",   "tru",  "nul",     "\"\\u12aF\"", "\"\\u12g4\"",
                                 "\"\\x\"", "\"\t\"", "[1 2]",  "[1,2", "{\"a\"}", "{\"a\":}",    "{\"a\":1,}",
                                 "{1:2}",   "[]]",    "",       " ",    "{} {}",   "NaN",         "'a'"}) {
    CAPTURE(text);
    CHECK(text_map(text).broken().has_value() == !comcp::json::parse(text).has_value());
  }
}
