// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/json/build.hpp>

#include "support/catch.hpp"

namespace {

namespace json = comcp::json;
using comcp::errc;

struct point {
  int x = 0;
  int y = 0;
};
constexpr auto describe(std::type_identity<point>) {
  return json::fields(json::field("x", &point::x), json::field("y", &point::y));
}

std::string taken(json::fragment const& f) { return f.text(); }

comcp::error raw_error(std::string_view text) {
  try {
    (void)json::raw(text);
  } catch (comcp::exception const& e) {
    return e.error();
  }
  return {};
}

}  // namespace

TEST_CASE("json build: args() makes an object of keys and values", "[json]") {
  std::string const name = "n\"";
  std::string_view const key = "view";
  CHECK(comcp::args().text() == "{}");
  CHECK(comcp::args("a", 2, "b", 3.5, "c", true, "d", nullptr, "e", "text", name, name, key, key).text() ==
        R"({"a":2,"b":3.5,"c":true,"d":null,"e":"text","n\"":"n\"","view":"view"})");
  CHECK(comcp::args("p", point{1, 2}, "list", std::vector{1, 2}, "o", comcp::args("x", 1)).text() ==
        R"({"p":{"x":1,"y":2},"list":[1,2],"o":{"x":1}})");
  auto const value = json::parse(R"({"k":[1]})").value();
  CHECK(comcp::args("v", value, "part", value["k"], "raw", json::raw("[ 1 ]")).text() ==
        R"({"v":{"k":[1]},"part":[1],"raw":[1]})");
  CHECK(comcp::args("\n", std::optional<int>()).text() == R"({"\n":null})");
}

TEST_CASE("json build: object and array", "[json]") {
  json::object o;
  o.set("a", 1).set("b", json::array().add(1).add("x").add(json::object()));
  o.set("c\"", json::object().set("d", nullptr));
  CHECK(o.text() == R"({"a":1,"b":[1,"x",{}],"c\"":{"d":null}})");
  CHECK(taken(o) == o.text());
  o.set("late", true);
  CHECK(o.text() == R"({"a":1,"b":[1,"x",{}],"c\"":{"d":null},"late":true})");
  json::fragment const from_object = o;
  CHECK(from_object.text() == o.text());
  json::fragment const from_array = json::array().add(1);
  CHECK(from_array.text() == "[1]");
  CHECK(taken(json::array()) == "[]");
  CHECK(json::to_value(o).size() == 4);
}

TEST_CASE("json build: a fragment is made of anything writable", "[json]") {
  CHECK(json::fragment().empty());
  CHECK(json::to_text(json::fragment()) == "null");
  CHECK(taken(point{1, 2}) == R"({"x":1,"y":2})");
  CHECK(taken(std::map<std::string, int>{{"a", 1}}) == R"({"a":1})");
  CHECK(taken(json::parse(" { } ").value()) == "{}");
  CHECK(taken(comcp::args("a", 1)) == R"({"a":1})");
  CHECK(json::fragment::of(5).text() == "5");
  CHECK(json::fragment::of("text").text() == R"("text")");
  auto f = comcp::args("a", 1);
  CHECK(std::move(f).text() == R"({"a":1})");
}

TEST_CASE("json build: raw() validates and minifies", "[json]") {
  CHECK(json::raw(" { \"a\" : [ 1 ,\n 2.50 ] ,\t\"b c\" : \"d  e\\n\\\" f\" }\r\n").text() ==
        R"({"a":[1,2.50],"b c":"d  e\n\" f"})");
  CHECK(json::raw("\xEF\xBB\xBF{}").text() == "{}");
  CHECK(json::raw("null").text() == "null");
  CHECK(json::raw("  \"a b\"  ").text() == "\"a b\"");
  for (std::string const bad : {"", " ", "{", "{}{}", "{} x", "[1,]", "{'a':1}", "nul", "\"\n\"", "\"\xFF\"", "// c\n1",
                                "\xEF\xBB\xBF\xEF\xBB\xBF{}", "NaN", "\"\\ud800\"", "99999999999999999999"}) {
    INFO(bad);
    CHECK(raw_error(bad) == errc::invalid_json);
  }
}

TEST_CASE("json build: what raw() gives never breaks the framing", "[json]") {
  auto const text = json::raw("[\n1,\r\n{\"a\":\n\"\\n\"}\n]").text();
  CHECK(text == R"([1,{"a":"\n"}])");
  CHECK(text.find('\n') == text.npos);
}
