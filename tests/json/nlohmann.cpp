// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if __has_include(<nlohmann/json.hpp>)
#include <cstdint>
#include <limits>
#include <string>

#include <comcp/json/build.hpp>
#include <comcp/json/nlohmann.hpp>

#include "support/catch.hpp"

namespace {

namespace json = comcp::json;

struct call {
  std::string name;
  nlohmann::json arguments;
};
constexpr auto describe(std::type_identity<call>) {
  return json::fields(json::field("name", &call::name), json::field("arguments", &call::arguments));
}

std::string taken(json::fragment const& f) { return f.text(); }

}  // namespace

TEST_CASE("json nlohmann: reads every kind exactly", "[json]") {
  auto const text = R"({"a":[null,true,-9223372036854775808,18446744073709551615,1.5,"x\n\u00e9",[],{}],"z":{"b":1}})";
  auto const value = json::parse(text).value();
  auto const got = value.as<nlohmann::json>();
  CHECK(got == nlohmann::json::parse(text));
  CHECK(got["a"][2].get<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
  CHECK(got["a"][3].get<std::uint64_t>() == std::numeric_limits<std::uint64_t>::max());
  CHECK(json::to_value(got) == value);
}

TEST_CASE("json nlohmann: writes as arguments, as a fragment and as a member", "[json]") {
  nlohmann::json const j = {{"n", 1}, {"list", {1, 2.5, "s", nullptr, false}}, {"u", 18446744073709551615U}};
  CHECK(json::to_text(j) == R"({"list":[1,2.5,"s",null,false],"n":1,"u":18446744073709551615})");
  CHECK(taken(j) == json::to_text(j));
  CHECK(comcp::args("j", j).text() == "{\"j\":" + json::to_text(j) + "}");
  call const c{"f", j};
  auto const back = json::to_value(c).as<call>();
  CHECK(back.arguments == j);
  CHECK(json::to_text(nlohmann::json()) == "null");
  CHECK(json::to_text(nlohmann::json::array()) == "[]");
  CHECK(json::to_text(nlohmann::json::object()) == "{}");
}

TEST_CASE("json nlohmann: what is not JSON is refused or null", "[json]") {
  CHECK_THROWS_AS(json::to_text(nlohmann::json::binary({1, 2})), comcp::exception);
  CHECK_THROWS_AS(json::to_text(nlohmann::json("\xFF")), comcp::exception);
  CHECK(json::to_text(nlohmann::json(std::numeric_limits<double>::infinity())) == "null");
}
#endif
