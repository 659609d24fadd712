// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <comcp/json/reader.hpp>
#include <comcp/json/value.hpp>

#include "support/catch.hpp"

namespace {

namespace json = comcp::json;
using comcp::errc;
using pairs = std::vector<std::pair<std::string, std::string>>;

struct collector final : json::member_sink {
  pairs seen;
  std::size_t stop_after = 1000;
  bool on_member(std::string_view key, std::string_view raw) override {
    seen.emplace_back(key, raw);
    return seen.size() < stop_after;
  }
};

struct scanned {
  comcp::result<void> result;
  pairs seen;
};

scanned scan_object(std::string text) {
  collector sink;
  auto result = json::scan_object(comcp::pad(text), sink);
  return {std::move(result), std::move(sink.seen)};
}

scanned scan_array(std::string text) {
  collector sink;
  auto result = json::scan_array(comcp::pad(text), sink);
  return {std::move(result), std::move(sink.seen)};
}

}  // namespace

TEST_CASE("json reader: each member with its raw text, trimmed", "[json]") {
  auto const got = scan_object(
      "\n{ \"jsonrpc\" : \"2.0\" ,\"id\": 7 , \"a\":{ } , \"b\" : [ 1 , { \"x\" : \"}\" } ] \n,\"c\":{\"d\":[]}\t,"
      "\"t\":true , \"n\" : null , \"f\":-1.5e3 }\r\n ");
  REQUIRE(got.result);
  CHECK(got.seen == pairs{{"jsonrpc", "\"2.0\""},
                          {"id", "7"},
                          {"a", "{ }"},
                          {"b", "[ 1 , { \"x\" : \"}\" } ]"},
                          {"c", "{\"d\":[]}"},
                          {"t", "true"},
                          {"n", "null"},
                          {"f", "-1.5e3"}});
  CHECK(scan_object("{}").seen.empty());
  CHECK(scan_object(" { } ").result);
}

TEST_CASE("json reader: keys are unescaped, raw texts are not", "[json]") {
  auto const got = scan_object(R"({"\u0069d":1,"a\"b\\":"c\"d","\ud83d\ude00":"\u0041","":0})");
  REQUIRE(got.result);
  CHECK(got.seen == pairs{{"id", "1"}, {"a\"b\\", R"("c\"d")"}, {"\xF0\x9F\x98\x80", R"("\u0041")"}, {"", "0"}});
}

TEST_CASE("json reader: duplicate keys are all told", "[json]") {
  CHECK(scan_object(R"({"id":1,"id":2})").seen == pairs{{"id", "1"}, {"id", "2"}});
}

TEST_CASE("json reader: what a parser refuses in a value is still scanned", "[json]") {
  auto const got = scan_object(R"({"id":5,"result":{"big":123456789012345678901234567890,"s":"\ud800"},"x":1e999})");
  REQUIRE(got.result);
  REQUIRE(got.seen.size() == 3);
  CHECK(got.seen[0].second == "5");
  CHECK_FALSE(json::parse(got.seen[1].second));
  CHECK(got.seen[2].second == "1e999");
  auto const big = scan_object(R"({"id":123456789012345678901234567890})");
  CHECK(big.result);
  CHECK(big.seen == pairs{{"id", "123456789012345678901234567890"}});
}

TEST_CASE("json reader: a lone surrogate in a key is refused, after what came before it", "[json]") {
  auto const got = scan_object(R"({"id":1,"\ud800":2})");
  CHECK(got.result.error() == errc::invalid_json);
  CHECK(got.seen == pairs{{"id", "1"}});
}

TEST_CASE("json reader: truncated and broken objects are invalid", "[json]") {
  for (std::string const text : {"",
                                 " ",
                                 "{",
                                 "{\"a\"",
                                 "{\"a\":",
                                 "{\"a\":1",
                                 "{\"a\":1,",
                                 "{\"a\":{\"b\":1}",
                                 "{\"a\":[1}",
                                 "{\"a\":\"x",
                                 "{\"a\" 1}",
                                 "{\"a\":1 \"b\":2}",
                                 "{a:1}",
                                 "{,}",
                                 "{\"a\":}",
                                 "{\"a\":1,}",
                                 "{1:2}",
                                 "\"",
                                 "{\"a\":\"\xFF\"}",
                                 "{\"\xC0\x80\":1}",
                                 "{\"a\":{\"b\":[1,2}"}) {
    INFO(text);
    auto const got = scan_object(text);
    REQUIRE_FALSE(got.result);
    CHECK(got.result.error() == errc::invalid_json);
  }
}

TEST_CASE("json reader: content behind the object is invalid", "[json]") {
  for (std::string const text :
       {"{} {}", "{}x", "{\"a\":1}}", "{\"a\":1}]", "{\"a\":1},", "{} 1", "{}\"x\"", "{}[]", "{\"a\":1} {\"b\":2}"}) {
    INFO(text);
    CHECK(scan_object(text).result.error() == errc::invalid_json);
  }
  for (std::string const text : {"[] []", "[1]]", "[1],", "[1] 2", "[1]{}"}) {
    INFO(text);
    CHECK(scan_array(text).result.error() == errc::invalid_json);
  }
}

TEST_CASE("json reader: other kinds are of the wrong shape", "[json]") {
  for (std::string const text : {"[]", "[{\"a\":1}]", "1", "null", "true", "\"text\"", "-1.5"}) {
    INFO(text);
    CHECK(scan_object(text).result.error() == errc::wrong_shape);
  }
  for (std::string const text : {"{}", "1", "null", "\"[]\""}) {
    INFO(text);
    CHECK(scan_array(text).result.error() == errc::wrong_shape);
  }
}

TEST_CASE("json reader: the elements of an array", "[json]") {
  auto const got = scan_array(R"( [ {"a" : 1} , [ ] ,"x", 5 ,null ] )");
  REQUIRE(got.result);
  CHECK(got.seen == pairs{{"", R"({"a" : 1})"}, {"", "[ ]"}, {"", R"("x")"}, {"", "5"}, {"", "null"}});
  CHECK(scan_array("[]").result);
  CHECK(scan_array("[]").seen.empty());
  CHECK(scan_array("[1,").result.error() == errc::invalid_json);
  CHECK(scan_array("[,1]").result.error() == errc::invalid_json);
  CHECK(scan_array("[1 2]").result.error() == errc::invalid_json);
}

TEST_CASE("json reader: one byte order mark is let pass", "[json]") {
  CHECK(scan_object("\xEF\xBB\xBF{\"a\":1}").seen == pairs{{"a", "1"}});
  CHECK(scan_object("\xEF\xBB\xBF\xEF\xBB\xBF{}").result.error() == errc::invalid_json);
  CHECK(scan_object("\xEF\xBB\xBF").result.error() == errc::invalid_json);
}

TEST_CASE("json reader: a sink stops the scan", "[json]") {
  collector sink;
  sink.stop_after = 1;
  std::string text = R"({"a":1,"b":2, broken)";
  text += "}";
  CHECK(json::scan_object(comcp::pad(text), sink).has_value());
  CHECK(sink.seen == pairs{{"a", "1"}});
}

TEST_CASE("json reader: raw texts are parts of the text that was given", "[json]") {
  struct places final : json::member_sink {
    std::string const* text = nullptr;
    int inside = 0;
    bool on_member(std::string_view, std::string_view raw) override {
      inside += raw.data() >= text->data() && raw.data() + raw.size() <= text->data() + text->size();
      return true;
    }
  } sink;
  std::string text = R"({"a":{"b":1},"c":[1],"d":"e","f":1})";
  sink.text = &text;
  auto const padded = comcp::pad(text);
  CHECK(json::scan_object(padded, sink).has_value());
  CHECK(sink.inside == 4);
}

TEST_CASE("json reader: a sink may scan and parse another text", "[json]") {
  struct nested final : json::member_sink {
    pairs seen;
    bool on_member(std::string_view key, std::string_view raw) override {
      std::string inner(raw);
      collector sink;
      if (json::scan_object(comcp::pad(inner), sink)) seen.insert(seen.end(), sink.seen.begin(), sink.seen.end());
      if (!json::parse(raw)) return false;
      seen.emplace_back(key, raw);
      return true;
    }
  } sink;
  std::string text = R"({"a":{"x":1,"y":2},"b":3,"c":{"z":{"w":[]}}})";
  CHECK(json::scan_object(comcp::pad(text), sink).has_value());
  CHECK(sink.seen == pairs{{"x", "1"},
                           {"y", "2"},
                           {"a", R"({"x":1,"y":2})"},
                           {"b", "3"},
                           {"z", R"({"w":[]})"},
                           {"c", R"({"z":{"w":[]}})"}});
}

TEST_CASE("json reader: a sink may throw", "[json]") {
  struct thrower final : json::member_sink {
    bool on_member(std::string_view, std::string_view) override { throw std::runtime_error("stop"); }
  } sink;
  std::string text = R"({"a":1})";
  CHECK_THROWS_AS(json::scan_object(comcp::pad(text), sink), std::runtime_error);
  CHECK(scan_object(text).seen == pairs{{"a", "1"}});
}

TEST_CASE("json reader: unescape", "[json]") {
  CHECK(*json::unescape(R"("tools\/call")") == "tools/call");
  CHECK(*json::unescape(R"("tools/call")") == "tools/call");
  CHECK(*json::unescape(R"("")") == "");
  CHECK(*json::unescape(R"("a\u0000\n\"\\\ud83d\ude00")") == std::string("a\0\n\"\\\xF0\x9F\x98\x80", 9));
  CHECK(*json::unescape("\"\xC3\xA9\"") == "\xC3\xA9");
  for (std::string const bad : {"\"\\x\"", "\"\\\"", "\"\\ud800\"", "\"a\"b\"", "\"\n\"", "\"\xFF\"", "\"\\u12\""}) {
    INFO(bad);
    CHECK(json::unescape(bad).error() == errc::invalid_json);
  }
  for (std::string const bad : {"", "\"", "1", "null", "{}", "\"a", "a\"", " \"a\""}) {
    INFO(bad);
    CHECK(json::unescape(bad).error() == errc::wrong_shape);
  }
}
