// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/json/canonical.hpp>

#include <bit>
#include <charconv>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace json = comcp::json;

namespace {

std::string canonical(std::string_view text) {
  auto const value = json::parse(text).value();
  return json::canonical(value);
}

// The number with these bits, through JSON text.
std::string number(std::uint64_t bits) {
  char text[64];
  auto const end = std::to_chars(text, text + sizeof text, std::bit_cast<double>(bits), std::chars_format::scientific).ptr;
  return canonical(std::string_view(text, static_cast<std::size_t>(end - text)));
}

}  // namespace

TEST_CASE("canonical: the example of RFC 8785 3.2.2 and 3.2.3", "[json]") {
  CHECK(canonical(R"({
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    })") == "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST_CASE("canonical: keys in the order of their UTF-16 code units, RFC 8785 3.2.3", "[json]") {
  CHECK(canonical(R"({"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
                      "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
                      "\u00f6": "Latin Small Letter O With Diaeresis"})") ==
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
        "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
        "\"\U0001f600\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
  CHECK(canonical(R"({"b":1,"":2,"ab":3,"a":4})") == R"({"":2,"a":4,"ab":3,"b":1})");
  CHECK(canonical("{\"\uffff\":1,\"\U00010000\":2,\"\ud7ff\":3,\"\ue000\":4}") ==
        "{\"\ud7ff\":3,\"\U00010000\":2,\"\ue000\":4,\"\uffff\":1}");
}

TEST_CASE("canonical: the numbers of RFC 8785 appendix B", "[json]") {
  CHECK(number(0x0000000000000000) == "0");
  CHECK(number(0x8000000000000000) == "0");
  CHECK(number(0x0000000000000001) == "5e-324");
  CHECK(number(0x8000000000000001) == "-5e-324");
  CHECK(number(0x7fefffffffffffff) == "1.7976931348623157e+308");
  CHECK(number(0xffefffffffffffff) == "-1.7976931348623157e+308");
  CHECK(number(0x4340000000000000) == "9007199254740992");
  CHECK(number(0xc340000000000000) == "-9007199254740992");
  CHECK(number(0x4430000000000000) == "295147905179352830000");
  CHECK(number(0x44b52d02c7e14af5) == "9.999999999999997e+22");
  CHECK(number(0x44b52d02c7e14af6) == "1e+23");
  CHECK(number(0x44b52d02c7e14af7) == "1.0000000000000001e+23");
  CHECK(number(0x444b1ae4d6e2ef4e) == "999999999999999700000");
  CHECK(number(0x444b1ae4d6e2ef4f) == "999999999999999900000");
  CHECK(number(0x444b1ae4d6e2ef50) == "1e+21");
  CHECK(number(0x3eb0c6f7a0b5ed8c) == "9.999999999999997e-7");
  CHECK(number(0x3eb0c6f7a0b5ed8d) == "0.000001");
  CHECK(number(0x41b3de4355555553) == "333333333.3333332");
  CHECK(number(0x41b3de4355555554) == "333333333.33333325");
  CHECK(number(0x41b3de4355555555) == "333333333.3333333");
  CHECK(number(0x41b3de4355555556) == "333333333.3333334");
  CHECK(number(0x41b3de4355555557) == "333333333.33333343");
  CHECK(number(0xbecbf647612f3696) == "-0.0000033333333333333333");
  CHECK(number(0x43143ff3c1cb0959) == "1424953923781206.2");
}

TEST_CASE("canonical: one number, however it is written, is one text", "[json]") {
  CHECK(canonical("[10, 10.0, 1e1, 100e-1]") == "[10,10,10,10]");
  CHECK(canonical("[18446744073709551615, 9007199254740993, -9223372036854775808]") ==
        "[18446744073709552000,9007199254740992,-9223372036854776000]");
}

TEST_CASE("canonical: random numbers read back equal", "[json]") {
  std::mt19937_64 random(8785);
  for (int i = 0; i < 20'000; ++i) {
    auto const bits = random();
    auto const wanted = std::bit_cast<double>(bits);
    if (wanted != wanted || wanted - wanted != 0) continue;
    auto const text = number(bits);
    double got = 0;
    std::from_chars(text.data(), text.data() + text.size(), got);
    REQUIRE(got == wanted);
  }
}

TEST_CASE("canonical: empty containers, nesting, and keys that come twice", "[json]") {
  CHECK(canonical(R"({ "a" : [ ] , "b" : { } })") == R"({"a":[],"b":{}})");
  CHECK(canonical(R"([[{"b":[1,[2]],"a":{"d":1,"c":2}}]])") == R"([[{"a":{"c":2,"d":1},"b":[1,[2]]}]])");
  CHECK(canonical(R"({"k":"good","a":1,"k":"evil"})") == R"({"a":1,"k":"good","k":"evil"})");
  CHECK(canonical("null") == "null");
}
