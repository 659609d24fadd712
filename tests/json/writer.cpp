// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <comcp/json/writer.hpp>

#include "support/catch.hpp"

namespace {

namespace json = comcp::json;
using comcp::errc;

std::string string_text(std::string_view s) { return json::writer().string(s).text(); }
std::string real_text(double d) { return json::writer().real(d).text(); }

// What the writer wrote for one string, decoded by the parser.
std::string decoded(std::string const& text) {
  auto const value = json::parse(text).value();
  return std::string(value.as_string());
}

}  // namespace

TEST_CASE("json writer: commas and nesting", "[json]") {
  json::writer w;
  w.begin_object();
  w.key("a").integer(1);
  w.key("b").begin_array();
  w.integer(1).boolean(true).boolean(false).null().string("x");
  w.begin_array().end_array();
  w.begin_object().end_object();
  w.begin_object().key("c").null().end_object();
  w.end_array();
  w.plain_key("d").begin_object().end_object();
  w.key("e").raw("[1,2]");
  w.key("f").real(0.5);
  w.end_object();
  CHECK(w.text() == R"({"a":1,"b":[1,true,false,null,"x",[],{},{"c":null}],"d":{},"e":[1,2],"f":0.5})");
}

TEST_CASE("json writer: appends to the text it was given", "[json]") {
  json::writer w("head ");
  w.begin_array().integer(1).end_array();
  CHECK(std::move(w).text() == "head [1]");
}

TEST_CASE("json writer: every control character, quote and backslash is escaped", "[json]") {
  for (int c = 0; c < 0x20; ++c) {
    INFO(c);
    std::string const s(1, static_cast<char>(c));
    auto const text = string_text(s);
    for (char const out : text) CHECK(static_cast<unsigned char>(out) >= 0x20);
    CHECK(text[1] == '\\');
    CHECK(decoded(text) == s);
  }
  CHECK(string_text("\n\r\t\b\f") == R"("\n\r\t\b\f")");
  CHECK(string_text(std::string_view("\0\x1f", 2)) == R"("\u0000\u001f")");
  CHECK(string_text("\"\\/") == R"("\"\\/")");
  CHECK(string_text("\x7f") == "\"\x7f\"");
  CHECK(string_text("") == R"("")");
}

TEST_CASE("json writer: a special character is found at every place of a word", "[json]") {
  for (std::size_t length = 1; length < 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (std::string const special : {"\"", "\\", "\n", "\x01", "\x1f", "\xC3\xA9"}) {
        std::string s(length, 'a');
        s.replace(at, 1, special);
        auto const text = string_text(s);
        REQUIRE(decoded(text) == s);
        REQUIRE(text.size() == s.size() + 2 +
                                   (special == "\"" || special == "\\" || special == "\n" ? 1
                                    : special == "\xC3\xA9"                               ? 0
                                                                                          : 5));
      }
    }
  }
}

TEST_CASE("json writer: random strings of special bytes come back", "[json]") {
  std::mt19937 random(4711);
  std::vector<std::string> const pieces = {
      "a", " ", "\"", "\\", "\n", "\x1f", "!", "#", "[", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\x7f", "]"};
  for (int round = 0; round < 2000; ++round) {
    std::string s;
    for (auto n = random() % 40; n > 0; --n) s += pieces[random() % pieces.size()];
    REQUIRE(decoded(string_text(s)) == s);
  }
}

TEST_CASE("json writer: keys are escaped as strings are", "[json]") {
  auto const text = json::writer().begin_object().key("a\"\n\xE2\x82\xAC").integer(1).end_object().text();
  CHECK(text == "{\"a\\\"\\n\xE2\x82\xAC\":1}");
  CHECK(json::parse(text).value()["a\"\n\xE2\x82\xAC"].as_int64() == 1);
}

TEST_CASE("json writer: what is not UTF-8 is refused, in strings and in keys", "[json]") {
  std::vector<std::string> const bad = {"\x80",
                                        "\xFF",
                                        "abc\xC3",
                                        "\xC0\x80",                  // overlong
                                        "\xE0\x80\xAF",              // overlong
                                        "\xED\xA0\x80",              // a surrogate
                                        "\xF4\x90\x80\x80",          // above U+10FFFF
                                        "\xF8\x88\x80\x80\x80",      // five bytes
                                        "0123456\xE2\x82",           // truncated
                                        "\"\\\n\xC3\xA9 \xA9 end"};  // a lone continuation after escapes
  for (auto const& s : bad) {
    for (bool const as_key : {false, true}) {
      json::writer w;
      w.begin_object();
      try {
        as_key ? (void)w.key(s) : (void)w.string(s);
        FAIL("no exception");
      } catch (comcp::exception const& e) {
        CHECK(e.error() == errc::invalid_argument);
      }
    }
  }
  CHECK_NOTHROW(string_text("\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"));
}

TEST_CASE("json writer: 64-bit integers are exact", "[json]") {
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  constexpr auto top = std::numeric_limits<std::uint64_t>::max();
  CHECK(json::writer().begin_array().integer(low).integer(high).integer(0).integer(-1).end_array().text() ==
        "[-9223372036854775808,9223372036854775807,0,-1]");
  CHECK(json::writer().begin_array().unsigned_integer(top).unsigned_integer(0).end_array().text() ==
        "[18446744073709551615,0]");
}

TEST_CASE("json writer: doubles", "[json]") {
  CHECK(real_text(0.1) == "0.1");
  CHECK(real_text(1.0) == "1");
  CHECK(real_text(-0.0) == "-0.0");
  CHECK(real_text(0.0) == "0");
  CHECK(real_text(1.0 / 3) == "0.3333333333333333");
  CHECK(real_text(5e-324) == "5e-324");
  CHECK(real_text(1.7976931348623157e308) == "1.7976931348623157e+308");
  CHECK(real_text(9007199254740993.0) == "9007199254740992");
  CHECK(real_text(0x1p64) == "1.8446744073709552e+19");
  CHECK(real_text(-0x1p63) == "-9.223372036854776e+18");
  CHECK(real_text(std::numeric_limits<double>::infinity()) == "null");
  CHECK(real_text(-std::numeric_limits<double>::infinity()) == "null");
  CHECK(real_text(std::numeric_limits<double>::quiet_NaN()) == "null");
}

TEST_CASE("json writer: not finite is null with its comma", "[json]") {
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(json::writer().begin_array().real(1.5).real(nan).real(2.5).end_array().text() == "[1.5,null,2.5]");
}

TEST_CASE("json writer: doubles of random bits, and of every size, read back bit by bit", "[json]") {
  std::mt19937_64 random(20260728);
  auto const check = [](double d) {
    auto const text = real_text(d);
    auto const value = json::parse(text);
    REQUIRE(value);
    auto const back = value->as_double();
    REQUIRE(std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(d));
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", d);
    REQUIRE(text.size() <= std::string_view(buffer).size() + 2);  // shortest, but for "-0.0"
  };
  for (int i = 0; i < 50000; ++i) {
    auto const d = std::bit_cast<double>(random());
    if (std::isfinite(d)) check(d);
  }
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    check(std::ldexp(1.0, exponent));
    check(-std::ldexp(1.0 + 1.0 / 3, exponent));
  }
  for (int i = 0; i < 20000; ++i) check(static_cast<double>(random() >> (random() % 64)));
  check(-0.0);
}

TEST_CASE("json writer: random 64-bit integers read back", "[json]") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    auto const u = random() >> (random() % 64);
    auto const s = static_cast<std::int64_t>(random()) >> (random() % 64);
    REQUIRE(json::parse(json::writer().unsigned_integer(u).text()).value().as_uint64() == u);
    REQUIRE(json::parse(json::writer().integer(s).text()).value().as_int64() == s);
  }
}

TEST_CASE("json writer: a value is written minified, in the order of its text", "[json]") {
  auto const value =
      json::parse("\n{ \"z\" : [ 1 , 2.50 , -0.0 , \"\\u0041\\/\\ud83d\\ude00\" ] ,\t\"a\":{ },\"n\":null }").value();
  CHECK(value.dump() == "{\"z\":[1,2.5,-0.0,\"A/\xF0\x9F\x98\x80\"],\"a\":{},\"n\":null}");
  auto const first = value["z"][0];
  CHECK(json::writer().begin_array().value(first).end_array().text() == "[1]");
}
