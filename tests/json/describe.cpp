// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <comcp/json/build.hpp>
#include <comcp/json/describe.hpp>

#include "support/catch.hpp"

namespace shapes {

namespace json = comcp::json;

struct point {
  int x = 0;
  std::optional<int> y;
  friend bool operator==(point const&, point const&) = default;
};
constexpr auto describe(std::type_identity<point>) {
  return json::fields(json::field("x", &point::x), json::field("y", &point::y));
}

struct opaque {  // not comparable
  int i = 7;
};
constexpr auto describe(std::type_identity<opaque>) { return json::fields(json::defaulted("i", &opaque::i)); }

struct settings {
  std::string name = "none";
  bool on = true;
  int level = 3;
  std::vector<int> list;
  std::vector<std::string> preset = {"a"};  // a container with a default of its own is always written
  std::vector<opaque> opaques;
  json::value any;
  std::optional<json::value> maybe;
  int shown = 1;
};
constexpr auto describe(std::type_identity<settings>) {
  return json::fields(json::defaulted("name", &settings::name), json::defaulted("on", &settings::on),
                      json::defaulted("level", &settings::level), json::defaulted("list", &settings::list),
                      json::defaulted("preset", &settings::preset), json::defaulted("opaques", &settings::opaques),
                      json::defaulted("any", &settings::any), json::field("maybe", &settings::maybe),
                      json::always("shown", &settings::shown));
}

struct shape {
  std::string title;
  point at;
  std::vector<point> corners;
  std::map<std::string, point> named;
  std::unordered_map<std::string, std::vector<double>> numbers;
  json::value raw;
};
constexpr auto describe(std::type_identity<shape>) {
  return json::fields(json::tag("type", "shape"), json::field("title", &shape::title), json::field("at", &shape::at),
                      json::defaulted("corners", &shape::corners), json::defaulted("named", &shape::named),
                      json::defaulted("numbers", &shape::numbers), json::rest(&shape::raw));
}

struct nothing_much {};
constexpr auto describe(std::type_identity<nothing_much>) { return json::fields(); }

struct color {
  unsigned char r = 0;
};

}  // namespace shapes

template <>
struct comcp::json::codec<shapes::color> {
  static bool read(view v, shapes::color& out, read_error& e) {
    auto const s = v.get_string();
    if (s != "red" && s != "black") return e.expected(v, "a colour");
    out.r = s == "red" ? 255 : 0;
    return true;
  }
  static void write(writer& w, shapes::color const& c) { w.string(c.r ? "red" : "black"); }
};

namespace {

namespace json = comcp::json;
using comcp::errc;
using namespace shapes;

json::value parsed(std::string_view text) { return json::parse(text).value(); }
template <class T>
T read(std::string_view text) {
  return parsed(text).get<T>().value();
}
template <class T>
std::string refusal(std::string_view text) {
  auto const got = parsed(text).get<T>();
  REQUIRE_FALSE(got);
  CHECK(got.error() == errc::wrong_shape);
  return std::string(got.error().message());
}

static_assert(json::readable<point> && json::writable<point>);
static_assert(!json::readable<std::string_view> && json::writable<std::string_view>);
struct nothing {};
static_assert(!json::readable<nothing> && !json::writable<nothing>);
static_assert(!json::readable<std::vector<nothing>> && !json::writable<std::optional<nothing>>);

}  // namespace

TEST_CASE("json describe: required and optional members", "[json]") {
  CHECK(read<point>(R"({"x":1,"y":2})") == point{1, 2});
  CHECK(read<point>(R"({"x":1})") == point{1, {}});
  CHECK(read<point>(R"({"x":1,"y":null})") == point{1, {}});
  CHECK(read<point>(R"({"unknown":[1],"x":1.0})") == point{1, {}});
  CHECK(json::to_text(point{1, {}}) == R"({"x":1})");
  CHECK(json::to_text(point{-1, 2}) == R"({"x":-1,"y":2})");
}

TEST_CASE("json describe: what is missing or of another kind is told with its place", "[json]") {
  CHECK_THAT(refusal<point>("{}"), match::contains("no member \"x\" at the root"));
  CHECK_THAT(refusal<point>("[]"), match::contains("expected object at the root, found array"));
  CHECK_THAT(refusal<point>(R"({"x":"1"})"), match::contains("at /x, found string"));
  CHECK_THAT(refusal<point>(R"({"x":null})"), match::contains("at /x, found null"));
  CHECK_THAT(refusal<point>(R"({"x":1,"y":"z"})"), match::contains("/y"));
  CHECK_THAT(refusal<std::vector<point>>(R"([{"x":1},{"x":true}])"), match::contains("at /1/x, found boolean"));
  CHECK_THAT((refusal<std::map<std::string, std::vector<point>>>(R"({"a/b":[{"x":1},{}]})")),
             match::contains("no member \"x\" at /a~1b/1"));
  auto const doc = parsed(R"({"shapes":[{"x":1},{"x":[]}]})");
  auto const list = doc["shapes"];
  CHECK_THAT(std::string(list.get<std::vector<point>>().error().message()), match::contains("/1/x"));
}

TEST_CASE("json describe: integers must fit", "[json]") {
  CHECK(read<std::int8_t>("-128") == -128);
  CHECK(read<std::uint8_t>("255") == 255);
  CHECK_FALSE(parsed("128").get<std::int8_t>());
  CHECK_FALSE(parsed("-129").get<std::int8_t>());
  CHECK_FALSE(parsed("256").get<std::uint8_t>());
  CHECK_FALSE(parsed("-1").get<unsigned>());
  CHECK_FALSE(parsed("1.5").get<int>());
  CHECK_FALSE(parsed("true").get<int>());
  CHECK_FALSE(parsed("1").get<bool>());
  CHECK_FALSE(parsed("2147483648").get<int>());
  CHECK(read<std::uint64_t>("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(json::to_text(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(json::to_text(std::int8_t{-3}) == "-3");
  CHECK(json::to_text(std::uint8_t{65}) == "65");
  CHECK(read<double>("3") == 3.0);
}

TEST_CASE("json describe: defaulted members are written when they differ, always ones ever", "[json]") {
  CHECK(json::to_text(settings()) == R"({"preset":["a"],"shown":1})");
  settings s;
  s.name.clear();
  s.on = false;
  s.level = 0;
  s.list = {1};
  s.preset.clear();
  s.opaques.resize(1);
  CHECK(json::to_text(s) == R"({"name":"","on":false,"level":0,"list":[1],"preset":[],"opaques":[{}],"shown":1})");
  auto const back = json::to_value(s).as<settings>();
  CHECK(back.name.empty());
  CHECK_FALSE(back.on);
  CHECK(back.level == 0);
  CHECK(back.list == std::vector{1});
  CHECK(back.preset.empty());
  CHECK(back.opaques.size() == 1);
}

TEST_CASE("json describe: defaulted members keep their default when absent or null", "[json]") {
  for (char const* const text :
       {"{}", R"({"name":null,"on":null,"level":null,"list":null,"preset":null,"shown":null})"}) {
    auto const s = read<settings>(text);
    CHECK(s.name == "none");
    CHECK(s.on);
    CHECK(s.level == 3);
    CHECK(s.list.empty());
    CHECK(s.preset.size() == 1);
    CHECK(s.shown == 1);
  }
  CHECK_THAT(refusal<settings>(R"({"level":"x"})"), match::contains("/level"));
}

TEST_CASE("json describe: a json::value member is written whatever its kind", "[json]") {
  for (char const* const text : {"5", "true", R"("text")", "[]", "{}", "1.5", "[1]", R"({"a":1})", R"("")"}) {
    INFO(text);
    settings s;
    s.any = parsed(text);
    CHECK(json::to_text(s) == std::string(R"({"preset":["a"],"any":)") + text + R"(,"shown":1})");
    CHECK(json::to_value(s).as<settings>().any == s.any);
  }
}

TEST_CASE("json describe: an optional json::value tells null from absent", "[json]") {
  CHECK_FALSE(read<settings>("{}").maybe);
  auto const s = read<settings>(R"({"maybe":null})");
  REQUIRE(s.maybe);
  CHECK(s.maybe->is_null());
  CHECK(json::to_text(s) == R"({"preset":["a"],"maybe":null,"shown":1})");
}

TEST_CASE("json describe: nested structs, vectors and maps, with a tag and the rest", "[json]") {
  auto const text = R"({"type":"shape","title":"t","at":{"x":1,"y":2},"corners":[{"x":0},{"x":5,"y":5}],)"
                    R"("named":{"a":{"x":1},"b":{"x":2}},"numbers":{"n":[1.5,2]},"_meta":{"k":[1]},"extra":null})";
  auto const s = read<shape>(text);
  CHECK(s.title == "t");
  CHECK(s.at == point{1, 2});
  REQUIRE(s.corners.size() == 2);
  CHECK(s.corners[1] == point{5, 5});
  CHECK(s.named.at("b") == point{2, {}});
  CHECK(s.numbers.at("n") == std::vector{1.5, 2.0});
  CHECK(json::to_text(s) == text);
}

TEST_CASE("json describe: typed members win over the rest, unknown ones are kept", "[json]") {
  auto s = read<shape>(R"({"future":{"deep":[1,2]},"type":"shape","title":"old","at":{"x":1},"corners":[{"x":1}]})");
  s.title = "new";
  s.corners = {{2, {}}, {3, {}}};
  CHECK(json::to_value(s) == parsed(R"({"type":"shape","title":"new","at":{"x":1},"corners":[{"x":2},{"x":3}],)"
                                    R"("future":{"deep":[1,2]}})"));
}

TEST_CASE("json describe: a member with an empty key is kept as any other unknown one", "[json]") {
  auto const text = R"({"type":"shape","title":"t","at":{"x":1},"":1})";
  CHECK(json::to_text(read<shape>(text)) == text);
}

TEST_CASE("json describe: a struct without fields is any object", "[json]") {
  CHECK(json::to_text(read<nothing_much>(R"({"a":1})")) == "{}");
  CHECK_THAT(refusal<nothing_much>("1"), match::contains("expected object"));
}

TEST_CASE("json describe: the tag is required and checked", "[json]") {
  CHECK_THAT(refusal<shape>(R"({"title":"t","at":{"x":1}})"), match::contains("no member \"type\""));
  CHECK_THAT(refusal<shape>(R"({"type":"line","title":"t","at":{"x":1}})"),
             match::contains("expected \"shape\" at /type"));
  CHECK_THAT(refusal<shape>(R"({"type":1,"title":"t","at":{"x":1}})"), match::contains("/type"));
}

TEST_CASE("json describe: of several members with one key the first counts, everywhere", "[json]") {
  CHECK(read<point>(R"({"x":1,"x":2})") == point{1, {}});
  CHECK(read<point>(R"({"x":1,"y":1,"y":null})") == point{1, 1});
  auto const map = read<std::map<std::string, point>>(R"({"a":{"x":1},"a":{"x":2,"y":3}})");
  CHECK(map.at("a") == point{1, {}});
  auto const nested = read<shape>(R"({"type":"shape","title":"t","at":{"x":1},"at":{"x":2,"y":9}})");
  CHECK(nested.at == point{1, {}});
}

TEST_CASE("json describe: standard types", "[json]") {
  CHECK(read<std::vector<bool>>("[true,false]") == std::vector<bool>{true, false});
  CHECK(json::to_text(std::vector<bool>{true, false}) == "[true,false]");
  CHECK_THAT(refusal<std::vector<bool>>("[true,1]"), match::contains("/1"));
  CHECK(read<std::vector<std::optional<int>>>("[1,null]") == std::vector<std::optional<int>>{1, {}});
  CHECK(json::to_text(std::vector<std::optional<int>>{1, {}}) == "[1,null]");
  CHECK(json::to_text("literal") == R"("literal")");
  CHECK(json::to_text(nullptr) == "null");
  CHECK(json::to_text(std::string_view("v")) == R"("v")");
  CHECK(json::to_text(std::map<std::string, int>{{"b", 1}, {"a\"", 2}}) == R"({"a\"":2,"b":1})");
  CHECK(read<json::value>("[1]").dump() == "[1]");
  CHECK(read<std::string>(R"("\u00e9")") == "\xC3\xA9");
  CHECK(json::to_text(1.5F) == "1.5");
}

TEST_CASE("json describe: a codec of one's own", "[json]") {
  CHECK(read<color>(R"("red")").r == 255);
  CHECK_THAT((refusal<std::vector<color>>(R"(["red","green"])")), match::contains("expected a colour at /1"));
  CHECK(json::to_text(std::vector<color>(1)) == R"(["black"])");
}

TEST_CASE("json describe: to_value takes any depth, to_text refuses what is not UTF-8", "[json]") {
  auto const deep = json::parse(std::string(2000, '[') + std::string(2000, ']'), json::parse_options().max_depth(2000));
  CHECK(json::to_value(std::vector<json::value>{*deep}).size() == 1);
  CHECK_THROWS_AS(json::to_text(std::string("\xFF")), comcp::exception);
  CHECK_THROWS_AS(json::to_text(std::map<std::string, int>{{"\xFF", 1}}), comcp::exception);
}
