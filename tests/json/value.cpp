// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <ranges>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <comcp/json/describe.hpp>
#include <comcp/json/value.hpp>

#include "support/catch.hpp"

namespace {

namespace json = comcp::json;
using comcp::errc;
using json::kind;

json::value parsed(std::string_view text) { return json::parse(text).value(); }
bool equal(std::string_view a, std::string_view b) {
  auto const x = parsed(a);
  auto const y = parsed(b);
  CHECK((x == y) == (y == x));
  return x == y;
}

template <class F>
comcp::error failure(F f) {
  try {
    f();
  } catch (comcp::exception const& e) {
    return e.error();
  }
  FAIL("no exception");
  return {};
}

template <class V>
concept gives_view = requires(V&& v) {
  std::forward<V>(v).view();
};
template <class V>
concept gives_members = requires(V&& v) {
  std::forward<V>(v).members();
};
template <class V>
concept gives_elements = requires(V&& v) {
  std::forward<V>(v).elements();
};

static_assert(std::same_as<decltype(std::declval<json::value&>().as_string()), std::string_view>);
static_assert(std::same_as<decltype(std::declval<json::value>().as_string()), json::owned_text>);
static_assert(!std::convertible_to<json::owned_text, std::string_view>);
static_assert(std::convertible_to<json::owned_text const&, std::string_view>);
static_assert(gives_view<json::value const&> && !gives_view<json::value>);
static_assert(gives_members<json::value&> && !gives_members<json::value>);
static_assert(gives_elements<json::value&> && !gives_elements<json::value>);
static_assert(!std::is_convertible_v<json::value, json::view> && std::is_convertible_v<json::value&, json::view>);
static_assert(std::forward_iterator<json::view::element_iterator>);
static_assert(std::input_iterator<json::view::member_iterator>);
static_assert(std::is_nothrow_move_constructible_v<json::value>);
static_assert(std::regular<json::value>);

}  // namespace

TEST_CASE("json value: kinds", "[json]") {
  auto const v = parsed(R"([null,true,-1,18446744073709551615,1.5,"s",[],{}])");
  std::vector<kind> const expected = {kind::null, kind::boolean, kind::integer, kind::unsigned_integer,
                                      kind::real, kind::string,  kind::array,   kind::object};
  REQUIRE(v.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(v[i].kind() == expected[i]);
  CHECK(v[0].is_null());
  CHECK(v[2].is_number());
  CHECK(v[3].is_number());
  CHECK(v[4].is_number());
  CHECK_FALSE(v[5].is_number());
  CHECK(v[5].is_string());
  CHECK(v[6].is_array());
  CHECK(v[7].is_object());
  CHECK(parsed("9223372036854775807").kind() == kind::integer);
  CHECK(parsed("9223372036854775808").kind() == kind::unsigned_integer);
  CHECK(parsed("1e2").kind() == kind::real);
  CHECK(parsed("-0").kind() == kind::integer);
}

TEST_CASE("json value: a default one is null", "[json]") {
  json::value const v;
  CHECK(v.is_null());
  CHECK(v.kind() == kind::null);
  CHECK(v.size() == 0);
  CHECK(v.empty());
  CHECK(v == parsed("null"));
  CHECK(v.dump() == "null");
  CHECK_FALSE(v.find("a"));
  CHECK_FALSE(v.contains("a"));
  CHECK(v.begin() == v.end());
  CHECK(v.compact().is_null());
  CHECK(json::view().is_null());
  CHECK(json::view().share().is_null());
}

TEST_CASE("json value: integers", "[json]") {
  CHECK(parsed("9007199254740993").as_int64() == 9007199254740993);
  CHECK(parsed("-9223372036854775808").as_int64() == std::numeric_limits<std::int64_t>::min());
  CHECK(parsed("18446744073709551615").as_uint64() == std::numeric_limits<std::uint64_t>::max());
  CHECK(parsed("5.0").as_int64() == 5);
  CHECK(parsed("5e3").as_uint64() == 5000);
  CHECK(parsed("-0.0").as_uint64() == 0);
  CHECK_FALSE(parsed("5.5").get<std::int64_t>());
  CHECK_FALSE(parsed("-1").get<std::uint64_t>());
  CHECK_FALSE(parsed("18446744073709551615").get<std::int64_t>());
  CHECK_FALSE(parsed("9.3e18").get<std::int64_t>());
  CHECK(parsed("9.3e18").as_uint64() == 9300000000000000000U);
  CHECK_FALSE(parsed("1.9e19").get<std::uint64_t>());
  CHECK(parsed("-9223372036854775808.0").as_int64() == std::numeric_limits<std::int64_t>::min());
  CHECK(parsed("9223372036854775807").as_double() == 9223372036854775808.0);
  CHECK(parsed("1").as_double() == 1.0);
}

TEST_CASE("json value: integers beyond 64 bits and reals beyond a double are refused", "[json]") {
  for (char const* const text : {"18446744073709551616", "-9223372036854775809", "123456789012345678901234567890",
                                 "1e400", "[1,2,99999999999999999999]", "-1e999"}) {
    INFO(text);
    auto const v = json::parse(text);
    REQUIRE_FALSE(v);
    CHECK(v.error() == errc::invalid_json);
    CHECK_THAT(std::string(v.error().message()), match::contains("64 bits"));
  }
}

TEST_CASE("json value: lone surrogates and bad UTF-8 are refused", "[json]") {
  for (std::string const text : {R"("\ud800")", R"("\udc00")", R"("\udfaa x")", R"("\ud83dx")", R"("\ud83d\u0041")",
                                 R"({"\ud800":1})", "\"\x80\"", "\"\xED\xA0\x80\"", "\"\xC0\xAF\"", "{\"\xFF\":1}"}) {
    INFO(text);
    auto const v = json::parse(text);
    REQUIRE_FALSE(v);
    CHECK(v.error() == errc::invalid_json);
  }
  auto const good = parsed(R"("\ud83d\ude00\u0000")");
  CHECK(good.as_string() == std::string_view("\xF0\x9F\x98\x80\0", 5));
}

TEST_CASE("json value: one byte order mark is let pass, two are not", "[json]") {
  CHECK(parsed("\xEF\xBB\xBF{\"a\":1}")["a"].as_int64() == 1);
  CHECK_FALSE(json::parse("\xEF\xBB\xBF\xEF\xBB\xBF{}"));
  CHECK_FALSE(json::parse("\xEF\xBB\xBF"));
  CHECK_FALSE(json::parse(""));
  CHECK_FALSE(json::parse(" {}\xEF\xBB\xBF"));
}

TEST_CASE("json value: typed access fails with the path", "[json]") {
  auto const v = parsed(R"({"a":[1,{"b/c":"text"}],"n":null})");
  CHECK(failure([&] { (void)v["a"][1]["b/c"].as_int64(); }) == errc::wrong_shape);
  CHECK_THAT(std::string(failure([&] { (void)v["a"][1]["b/c"].as_int64(); }).message()),
             match::contains("/a/1/b~1c") && match::contains("string"));
  CHECK_THAT(std::string(failure([&] { (void)v.as_bool(); }).message()), match::contains("the root"));
  CHECK_THAT(std::string(failure([&] { (void)v["n"].as_double(); }).message()), match::contains("/n"));
  auto const n = v["a"][0];
  CHECK_THAT(std::string(failure([&] { (void)n.as_string(); }).message()), match::contains("/a/0"));
  CHECK(failure([&] { (void)v["absent"]; }) == errc::not_found);
  CHECK_THAT(std::string(failure([&] { (void)v["a"][1]["absent"]; }).message()),
             match::contains("\"absent\"") && match::contains("/a/1"));
  CHECK(failure([&] { (void)v["a"][2]; }) == errc::not_found);
  CHECK_THAT(std::string(failure([&] { (void)v["a"][2]; }).message()), match::contains("2 at /a"));
  CHECK(failure([&] { (void)v["a"]["x"]; }) == errc::wrong_shape);
  CHECK(failure([&] { (void)v[0]; }) == errc::wrong_shape);
  CHECK(failure([&] { (void)v["a"].as<std::vector<int>>(); }) == errc::wrong_shape);
  CHECK_THAT(std::string(v["a"].get<std::vector<int>>().error().message()), match::contains("/1"));
}

TEST_CASE("json value: members and elements, in the order of the text", "[json]") {
  auto const v = parsed(R"({"z":1,"a":2,"m":{"x":[3,4]}})");
  std::string keys;
  for (auto const m : v.members()) keys += m.key;
  CHECK(keys == "zam");
  std::int64_t sum = 0;
  for (auto const e : v["m"]["x"]) sum += *e.get_int64();
  CHECK(sum == 7);
  CHECK(v.size() == 3);
  CHECK(v.elements().begin() == v.elements().end());
  auto const list = v["m"]["x"];
  CHECK(list.members().begin() == list.members().end());
  CHECK_FALSE(list.view().at(2));
  CHECK(list.view().at(1)->get_int64() == 4);
  auto it = v.members().begin();
  CHECK((*it++).key == "z");
  CHECK((*it).key == "a");
}

TEST_CASE("json value: keys are exact and unescaped, the first of two counts", "[json]") {
  auto const v = parsed(R"({"a\nb":1,"A":2,"k":3,"k":4,"":5,"\u00e9":6})");
  CHECK(v["a\nb"].as_int64() == 1);
  CHECK_FALSE(v.contains("a"));
  CHECK(v["k"].as_int64() == 3);
  CHECK(v[""].as_int64() == 5);
  CHECK(v["\xC3\xA9"].as_int64() == 6);
  CHECK(v.size() == 6);
  auto const nul = parsed("{\"a\\u0000b\":1}");
  CHECK(nul.contains(std::string_view("a\0b", 3)));
  CHECK_FALSE(nul.contains("a"));
}

TEST_CASE("json value: objects are equal in any order", "[json]") {
  CHECK(equal(R"({"a":1,"b":[1,{"x":1,"y":2}]})", R"({"b":[1,{"y":2,"x":1}],"a":1})"));
  CHECK(equal(R"({ "a" : 1 })", R"({"\u0061":1})"));
  CHECK_FALSE(equal(R"({"a":1})", R"({"a":1,"b":2})"));
  CHECK_FALSE(equal(R"({"a":1})", R"({"b":1})"));
  CHECK_FALSE(equal(R"({"a":1,"b":2})", R"({"b":1,"a":2})"));
  CHECK_FALSE(equal("[1,2]", "[2,1]"));
  CHECK_FALSE(equal("[1]", "[1,1]"));
  CHECK_FALSE(equal("[]", "{}"));
  CHECK(equal("{}", "{}"));
  CHECK_FALSE(equal("null", "false"));
  CHECK_FALSE(equal("0", "false"));
  CHECK_FALSE(equal(R"("1")", "1"));
  CHECK_FALSE(equal(R"({"a":null})", "{}"));
}

TEST_CASE("json value: duplicate keys do not make equality one-sided", "[json]") {
  CHECK_FALSE(equal(R"({"a":1,"a":1})", R"({"a":1,"b":1})"));
  CHECK_FALSE(equal(R"({"a":1,"a":2})", R"({"a":2,"a":1})"));
  CHECK(equal(R"({"a":1,"b":0,"a":2})", R"({"b":0,"a":1,"a":2})"));
}

TEST_CASE("json value: numbers are equal by exact value", "[json]") {
  CHECK(equal("1", "1.0"));
  CHECK(equal("1e2", "100"));
  CHECK(equal("0", "-0.0"));
  CHECK(equal("9007199254740992", "9007199254740992.0"));
  CHECK_FALSE(equal("9007199254740993", "9007199254740992"));
  CHECK_FALSE(equal("9007199254740993", "9007199254740992.0"));
  CHECK_FALSE(equal("9223372036854775807", "9223372036854775808"));
  CHECK_FALSE(equal("9223372036854775807", "9223372036854775808.0"));
  CHECK(equal("9223372036854775808", "9223372036854775808.0"));
  CHECK(equal("18446744073709551615", "18446744073709551615"));
  CHECK_FALSE(equal("18446744073709551615", "18446744073709551616.0"));
  CHECK_FALSE(equal("18446744073709551615", "-1"));
  CHECK_FALSE(equal("0.1", "0.10000000000000002"));
  CHECK(equal("-9223372036854775808", "-9223372036854775808.0"));
  CHECK_FALSE(equal("1.5", "1"));
}

TEST_CASE("json value: equality of large objects in another order takes no square of time", "[json][slow]") {
  std::string up = "{", down = "{";
  constexpr int n = 60000;
  for (int i = 0; i < n; ++i) {
    up += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(i);
    down += (i ? ",\"k" : "\"k") + std::to_string(n - 1 - i) + "\":" + std::to_string(n - 1 - i);
  }
  CHECK(equal(up + "}", down + "}"));
  CHECK_FALSE(equal(up + ",\"x\":1}", down + ",\"y\":1}"));
}

TEST_CASE("json value: equality of deep objects in another order takes no exponential time", "[json]") {
  std::string a = "1", b = "1";
  for (int i = 0; i < 200; ++i) {
    a = R"({"x":)" + a + R"(,"y":0})";
    b = R"({"y":0,"x":)" + b + "}";
  }
  CHECK(equal(a, b));
}

TEST_CASE("json value: text comes back equal", "[json]") {
  for (char const* const text :
       {"null", "true", "[]", "{}", R"([1,-2,3.25,1e300,"a\u0000\n\"\\\u00e9\ud83d\ude00"])", "18446744073709551615",
        R"({"a":{"b":[{},[],{"c":null}]},"":""})", "1e20", "123456789012345680000.0", "-1e19"}) {
    INFO(text);
    auto const v = parsed(text);
    CHECK(parsed(v.dump()) == v);
  }
}

TEST_CASE("json value: a part keeps its document alive, and compact() copies it out", "[json]") {
  json::value part, small;
  {
    auto const whole = parsed(R"({"a":{"b":["text",1]},"pad":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"})");
    part = whole["a"];
    small = part.compact();
    auto const shared = whole.view().find("a")->share();
    CHECK(shared == part);
  }
  auto const copy = part;
  CHECK(copy.dump() == R"({"b":["text",1]})");
  CHECK(small == copy);
  CHECK(small.view().path().empty());
  CHECK(copy.view().path() == "/a");
  auto const list = copy["b"];
  auto const text = list[0];
  CHECK(text.as_string() == "text");
}

TEST_CASE("json value: compact() takes what the parser took, however deep", "[json]") {
#if defined(_WIN32)
  constexpr std::size_t depth = 800;  // a thread has a stack of 1 or 2 MB there
#else
  constexpr std::size_t depth = 3000;
#endif
  auto const text = std::string(depth, '[') + std::string(depth, ']');
  auto const v = json::parse(text, json::parse_options().max_depth(4000)).value();
  CHECK(v.compact() == v);
}

TEST_CASE("json value: moving leaves null", "[json]") {
  auto a = parsed("[1]");
  auto const b = std::move(a);
  CHECK(b.dump() == "[1]");
  CHECK(a.is_null());  // NOLINT(bugprone-use-after-move)
  CHECK(a.kind() == kind::null);
}

TEST_CASE("json value: parse without copying does not need the text afterwards", "[json]") {
  json::value v;
  {
    std::string text = R"({"key":"value with some length, so that it is no short string"})";
    v = json::parse(comcp::pad(text)).value();
    std::fill(text.begin(), text.end(), '#');
  }
  auto const member = v["key"];
  CHECK(member.as_string() == "value with some length, so that it is no short string");
}

TEST_CASE("json value: one document read from several threads", "[json][threads]") {
  auto const v = parsed(R"({"list":[1,2,3,4,5,6,7,8],"o":{"a":"b"}})");
  std::vector<std::jthread> threads;
  std::vector<std::int64_t> sums(4);
  for (auto& sum : sums) {
    threads.emplace_back([v, &sum] {
      for (int i = 0; i < 500; ++i) {
        auto const list = v["list"];
        for (auto const e : list) sum += *e.get_int64();
        auto const again = json::parse(v.dump());
        if (!again || !(*again == v)) sum = -1'000'000;
      }
    });
  }
  threads.clear();
  for (auto const sum : sums) CHECK(sum == 500 * 36);
}

TEST_CASE("json value: a document that is used again changes no value that is kept", "[json][threads]") {
  std::vector<json::value> kept;
  std::string const large = "{\"large\":\"" + std::string(2000, 'x') + "\"}";
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < i % 12; ++j) (void)json::parse(R"({"dropped":[1,2,3]})");
    kept.push_back(parsed("{\"n\":" + std::to_string(i) + "}"));
    CHECK_FALSE(json::parse("[1,"));
    CHECK(parsed(large)["large"].size() == 0);
  }
  // Given back by another thread, which then ends.
  std::jthread([some = std::vector(kept.begin() + 50, kept.end())]() mutable { some.clear(); }).join();
  for (int i = 0; i < 100; ++i) CHECK(kept[static_cast<std::size_t>(i)]["n"].as_int64() == i);
  auto copy = kept.front();
  copy = kept.back();
  kept.resize(50);
  kept.shrink_to_fit();
  CHECK(copy["n"].as_int64() == 99);
  std::jthread([last = std::move(copy)] { (void)last; }).join();
  CHECK(copy.is_null());
}

TEST_CASE("value: the string of a temporary value owns its text", "[json]") {
  auto const v = json::parse(R"({"name":"a text that no short string holds"})").value();
  std::string const name = v["name"].as_string();
  auto const kept = json::parse(R"(["a text that no short string holds"])").value()[0].as_string();
  CHECK(name == kept);
  CHECK(v["name"].as_string() == "a text that no short string holds");
  CHECK(v["name"].as_string() == std::string_view(kept));
  CHECK("<" + v["name"].as_string() + ">" == "<" + name + ">");
  CHECK_THROWS_AS(v["none"].as_string(), comcp::exception);
}
