// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/schema/schema.hpp>

#include "support/catch.hpp"

using comcp::errc;
using comcp::schema;
using comcp::schema_dialect;
using comcp::schema_options;

namespace {

comcp::json::value json(std::string_view text, std::size_t depth = 256) {
  return comcp::json::parse(text, comcp::json::parse_options().max_depth(depth)).value();
}

schema compile(std::string_view text, schema_options const& options = {}) {
  return schema::compile(json(text), options).value();
}

comcp::error compile_fault(std::string_view text, schema_options const& options = {}) {
  auto const compiled = schema::compile(json(text), options);
  return compiled ? comcp::error() : compiled.error();
}

bool valid(schema const& s, std::string_view instance) {
  auto const value = json(instance);
  auto const got = s.validate(value);
  REQUIRE((got || got.error() == errc::validation_failed));
  return got.has_value();
}

std::string repeat(std::string_view s, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += s;
  return out;
}

}  // namespace

TEST_CASE("schema: violations name the place in the instance and in the schema", "[schema]") {
  auto const s = compile(R"({"type":"object","required":["id"],"properties":{
    "list":{"items":{"minLength":3}},"a/b":{"type":"integer"},"closed":{"additionalProperties":false}}})");
  auto const instance = json(R"({"list":["long","no"],"a/b":"x","closed":{"extra":1}})");
  auto const found = s.violations(instance);
  REQUIRE(found.size() == 4);
  auto const has = [&](std::string const& line) {
    return std::any_of(found.begin(), found.end(), [&](auto const& v) { return v.to_string() == line; });
  };
  CHECK(has("the value: has no member \"id\" (/required)"));
  CHECK(has("/list/1: has fewer than 3 characters (/properties/list/items/minLength)"));
  CHECK(has("/a~1b: is not of type \"integer\" (/properties/a~1b/type)"));
  CHECK(has("/closed/extra: is not allowed (/properties/closed/additionalProperties)"));
  CHECK(s.validate(instance).error() == errc::validation_failed);
  auto const good = json(R"({"id":1})");
  CHECK(s.violations(good).empty());
}

TEST_CASE("schema: the number of violations is bounded", "[schema]") {
  auto const s = compile(R"({"items":{"type":"string"}})", schema_options().max_violations(5));
  auto const instance = json("[1" + repeat(",1", 99) + "]");
  CHECK(s.violations(instance).size() == 5);
}

TEST_CASE("schema: dialects come from $schema, and unknown ones are refused", "[schema]") {
  CHECK(compile("{}").dialect() == schema_dialect::draft_2020_12);
  auto const tuple = R"({"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]})";
  CHECK(compile(tuple).dialect() == schema_dialect::draft_7);
  CHECK(!valid(compile(tuple), "[1]"));
  auto const old = compile_fault(R"({"$schema":"http://json-schema.org/draft-04/schema#"})");
  CHECK(old == errc::unsupported_dialect);
  CHECK_THAT(std::string(old.message()), match::contains("draft-04"));
  CHECK(compile_fault(R"({"$schema":"https://example.org/mine"})") == errc::unsupported_dialect);
  CHECK(compile("{}", schema_options().default_dialect(schema_dialect::draft_7)).dialect() == schema_dialect::draft_7);
}

TEST_CASE("schema: nothing is fetched, an unknown reference is an error", "[schema]") {
  auto const text = R"({"properties":{"a":{"$ref":"https://example.org/a.json"}}})";
  auto const fault = compile_fault(text);
  CHECK(fault == errc::not_found);
  CHECK_THAT(std::string(fault.message()), match::contains("https://example.org/a.json"));
  CHECK(compile_fault(R"({"$ref":"#/$defs/nothing"})") == errc::not_found);
  CHECK(compile_fault(R"({"$ref":"#nothing"})") == errc::not_found);
  auto const s = compile(text, schema_options().add_document("https://example.org/a.json", json(R"({"type":"null"})")));
  CHECK(valid(s, R"({"a":null})"));
  auto const instance = json(R"({"a":1})");
  CHECK(s.violations(instance).at(0).schema == "https://example.org/a.json#/type");
}

TEST_CASE("schema: a compiled schema outlives the text it came from", "[schema]") {
  auto const s = [] {
    auto const text = json(R"({"properties":{"a":{"enum":["x","y"]}},"required":["a"]})");
    return schema::compile(text).value();
  }();
  CHECK(valid(s, R"({"a":"x"})"));
  CHECK(!valid(s, R"({"a":"z"})"));
  CHECK(s.text().contains("required"));
}

TEST_CASE("schema: keywords of the wrong shape are errors that name the place", "[schema]") {
  for (auto const* text :
       {R"({"properties":{"a":{"type":"strnig"}}})", R"({"properties":{"a":{"minLength":-1}}})",
        R"({"properties":{"a":{"required":"b"}}})", R"({"properties":{"a":{"pattern":"("}}})",
        R"({"properties":{"a":{"exclusiveMinimum":true}}})", R"({"properties":{"a":{"items":[{}]}}})",
        R"({"properties":{"a":{"allOf":[]}}})", R"({"properties":{"a":{"multipleOf":0}}})",
        R"({"properties":{"a":{"$ref":7}}})", R"({"properties":{"a":7}})", R"({"properties":{"a":{"not":"x"}}})"}) {
    auto const fault = compile_fault(text);
    INFO(text << " gave " << fault.to_string());
    CHECK(fault == errc::invalid_argument);
    CHECK_THAT(std::string(fault.message()), match::contains("/properties"));
  }
  CHECK(compile_fault("7") == errc::invalid_argument);
}

TEST_CASE("schema: a pattern that cannot run in linear time is refused, with its place and the reason", "[schema]") {
  for (auto const* text : {R"({"properties":{"a":{"pattern":"(a+)\\1"}}})", R"({"patternProperties":{"(?<q>.)\\k<q>":{}}})"}) {
    auto const fault = compile_fault(text);
    INFO(fault.to_string());
    CHECK(fault == errc::invalid_argument);
    CHECK_THAT(std::string(fault.message()), match::contains("backreferences are not supported"));
    CHECK_THAT(std::string(fault.message()), match::contains("attern"));
  }
  auto const large = compile_fault(R"({"properties":{"a":{"pattern":"((a{500}){500}){500}"}}})");
  CHECK(large == errc::limit_exceeded);
  auto const explosive = compile(R"({"pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"})");
  CHECK(!valid(explosive, "\"" + repeat("a", 5000) + "\""));
}

TEST_CASE("schema: an error names three violations at most", "[schema]") {
  auto const s = compile(R"({"items":{"type":"string"}})");
  auto const list = json("[1,2,\"x\",3,4,5]");
  auto const said = std::string(s.validate(list).error().message());
  CHECK(said == "/0: is not of type \"string\" (/items/type); /1: is not of type \"string\" (/items/type); "
                "/3: is not of type \"string\" (/items/type)");
}

TEST_CASE("schema: formats are annotations unless asserted", "[schema]") {
  auto const text = R"({"format":"ipv4"})";
  CHECK(valid(compile(text), R"("x")"));
  CHECK(!valid(compile(text, schema_options().assert_formats(true)), R"("x")"));
  CHECK(valid(compile(text, schema_options().assert_formats(true)), R"("127.0.0.1")"));
}

TEST_CASE("schema: unevaluated members and elements", "[schema]") {
  auto const s = compile(R"({"allOf":[{"properties":{"a":true}}],"if":{"properties":{"kind":{"const":"b"}},
    "required":["kind"]},"then":{"properties":{"b":true}},"unevaluatedProperties":false})");
  CHECK(valid(s, R"({"a":1})"));
  CHECK(valid(s, R"({"a":1,"kind":"b","b":2})"));
  CHECK(!valid(s, R"({"a":1,"b":2})"));
  auto const list = compile(R"({"prefixItems":[true],"contains":{"type":"string"},"unevaluatedItems":false})");
  CHECK(valid(list, R"([1,"a","b"])"));
  CHECK(!valid(list, R"([1,"a",2])"));
}

TEST_CASE("schema: numbers are compared and divided exactly", "[schema]") {
  CHECK(!valid(compile(R"({"maximum":9007199254740992})"), "9007199254740993"));
  CHECK(!valid(compile(R"({"exclusiveMaximum":18446744073709551615})"), "18446744073709551615"));
  CHECK(valid(compile(R"({"minimum":-9223372036854775808})"), "-9223372036854775808"));
  CHECK(!valid(compile(R"({"minimum":9223372036854775808})"), "9223372036854775807"));
  CHECK(valid(compile(R"({"multipleOf":0.01})"), "4.35"));
  CHECK(valid(compile(R"({"multipleOf":0.1})"), "1e300"));
  CHECK(!valid(compile(R"({"multipleOf":3})"), "1e300"));
  CHECK(valid(compile(R"({"multipleOf":1e-300})"), "0"));
  CHECK(valid(compile(R"({"const":1})"), "1.0"));
  CHECK(!valid(compile(R"({"uniqueItems":true})"), R"([{"a":1,"b":2},{"b":2.0,"a":1}])"));
}

TEST_CASE("schema: references that go in circles end with a limit", "[schema]") {
  auto const s = compile(R"({"$ref":"#"})");
  auto const one = json("1");
  auto const ended = s.validate(one);
  REQUIRE(!ended);
  CHECK(ended.error() == errc::limit_exceeded);
  CHECK_THAT(std::string(ended.error().message()), match::contains("max_depth"));
  CHECK_THAT(s.violations(one).back().text, match::contains("max_depth"));
  auto const twice = compile(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})", schema_options().max_steps(1000));
  CHECK(twice.validate(one).error() == errc::limit_exceeded);
}

TEST_CASE("schema: exponential schemas end with a limit", "[schema]") {
  std::string text = R"({"$defs":{"d0":{"type":"string"})";
  for (int i = 1; i < 60; ++i) {
    auto const ref = "{\"$ref\":\"#/$defs/d" + std::to_string(i - 1) + "\"}";
    text += ",\"d" + std::to_string(i) + "\":{\"oneOf\":[" + ref + "," + ref + "]}";
  }
  text += R"(},"$ref":"#/$defs/d59"})";
  auto const instance = json("1");
  auto const ended = compile(text, schema_options().max_steps(1'000'000)).validate(instance);
  REQUIRE(!ended);
  CHECK(ended.error() == errc::limit_exceeded);
  CHECK_THAT(std::string(ended.error().message()), match::contains("max_steps"));
}

TEST_CASE("schema: depth and number of subschemas are bounded", "[schema]") {
  auto const deep = repeat(R"({"not":)", 900) + "true" + repeat("}", 900);
  auto const compiled = schema::compile(json(deep, 1000));
  REQUIRE(!compiled);
  CHECK(compiled.error() == errc::limit_exceeded);
  CHECK_THAT(std::string(compiled.error().message()), match::contains("max_depth"));
  auto const wide = "{\"anyOf\":[true" + repeat(",true", 200) + "]}";
  CHECK(compile_fault(wide, schema_options().max_subschemas(100)) == errc::limit_exceeded);
  CHECK(!compile_fault(wide));
}

TEST_CASE("schema: a recursive schema follows an instance as deep as JSON is parsed", "[schema]") {
  auto const s = compile(R"({"type":"array","items":{"$ref":"#"}})", schema_options().max_depth(600));
  auto const deep = json(repeat("[", 250) + repeat("]", 250));
  CHECK(s.validate(deep));
  auto const usual = compile(R"({"type":"object","additionalProperties":{"$ref":"#"}})");
  auto const nested = json(repeat(R"({"a":)", 100) + "{}" + repeat("}", 100));
  CHECK(usual.validate(nested));
}

TEST_CASE("schema: a dynamic reference reaches the outermost anchor", "[schema]") {
  auto const s = compile(R"({"$id":"https://example.org/strings","$ref":"list",
    "$defs":{"element":{"$dynamicAnchor":"element","type":"string"},
      "list":{"$id":"list","type":"array","items":{"$dynamicRef":"#element"},
        "$defs":{"any":{"$dynamicAnchor":"element"}}}}})");
  CHECK(valid(s, R"(["a"])"));
  CHECK(!valid(s, "[1]"));
}

TEST_CASE("schema: the dialects' own schemas are at hand", "[schema]") {
  auto const meta = compile(R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})");
  CHECK(valid(meta, R"({"properties":{"a":{"minLength":1}}})"));
  CHECK(!valid(meta, R"({"properties":{"a":{"minLength":-1}}})"));
  auto const seven = compile(R"({"$ref":"http://json-schema.org/draft-07/schema#"})");
  CHECK(!valid(seven, R"({"definitions":{"a":{"type":"nothing"}}})"));
}

namespace {

std::string list_of(std::string const& element, int n) { return "[" + element + repeat("," + element, n - 1) + "]"; }

std::string properties(int n, std::string const& each) {
  std::string out;
  for (int i = 0; i < n; ++i) out += (i ? ",\"p" : "\"p") + std::to_string(i) + "\":" + each;
  return R"({"properties":{)" + out + "}}";
}

// What a schema asks of an instance, and steps that its work is beyond.
struct attack {
  char const* what;
  std::string schema, instance;
  std::uint64_t steps;
};

std::vector<attack> attacks() {
  std::string const key(100'000, 'k');
  auto const like = "\"" + std::string(5'000, 'k');
  return {
      {"a long key is read for propertyNames", R"({"propertyNames":true})", "{\"" + key + "\":0}", 1'000},
      {"each search clears a program's state", R"({"items":{"pattern":"b|z{15000}"}})", list_of("\"b\"", 100), 50'000},
      {"that of each name, too", R"({"properties":{"properties":{"patternProperties":{"^z{15000}":true}}}})",
       properties(100, "0"), 50'000},
      {"a format has a pattern", R"({"items":{"format":"email"}})", list_of("\"" + repeat("a.", 500) + "a@b\"", 100), 200'000},
      {"a format compiles one", R"({"items":{"format":"regex"}})", list_of("\"(a{100}){100}\"", 100), 100'000},
      {"numbers far from each other are divided", R"({"items":{"multipleOf":7e-300}})", list_of("7e300", 1'000), 30'000},
      {"long texts are alike but for their ends", R"({"items":{"not":{"enum":)" + list_of(like + "1\"", 50) + "}}}",
       list_of(like + "2\"", 50), 100'000},
      {"and so are keys", R"({"required":)" + list_of(like + "0\"", 50) + "}",
       "{" + like + "0\":0" + repeat("," + like + "1\":0", 1'000) + "}", 100'000},
      {"objects are sorted", R"({"items":{"enum":)" + list_of(R"({"a":{"b":1,"c":2,"d":3,"e":4}})", 1) + "}}",
       list_of(R"({"a":{"e":4,"d":3,"c":2,"b":1}})", 1'000), 25'000},
      {"a violation's path has long keys", repeat(R"({"additionalProperties":)", 2) + "false}}",
       "{\"" + key + "\":{\"" + key + "\":0}}", 100'000},
  };
}

}  // namespace

TEST_CASE("schema: every kind of work is charged to the steps", "[schema]") {
  for (auto const& a : attacks()) {
    INFO(a.what);
    auto const instance = json(a.instance);
    auto options = schema_options().assert_formats(true);
    auto const usual = compile(a.schema, options).validate(instance);
    CHECK((usual || usual.error() == errc::validation_failed));
    auto const bounded = compile(a.schema, options.max_steps(a.steps)).validate(instance);
    REQUIRE_FALSE(bounded);
    CHECK(bounded.error() == errc::limit_exceeded);
    CHECK_THAT(std::string(bounded.error().message()), match::contains("max_steps"));
  }
}

TEST_CASE("schema: compiling has one budget, whatever takes the memory or the work", "[schema]") {
  std::string long_key = R"({"properties":{")" + std::string(100'000, 'k') + "\":" + properties(1'000, "true") + "}}";
  std::string dynamic = R"({"$defs":{)";
  for (int i = 0; i < 1'500; ++i) {
    auto const n = std::to_string(i);
    dynamic += (i ? ",\"" : "\"") + n + R"(":{"$id":"https://example.org/)" + n + R"(","$dynamicAnchor":"a)" + n +
               R"(","$dynamicRef":"#a)" + n + "\"}";
  }
  dynamic += R"(},"anyOf":[)";
  for (int i = 0; i < 1'500; ++i) dynamic += (i ? ",{\"$ref\":\"#/$defs/" : "{\"$ref\":\"#/$defs/") + std::to_string(i) + "\"}";
  dynamic += "]}";
  std::string outside = R"({"x":{)";
  for (int i = 0; i < 4'000; ++i) outside += (i ? ",\"" : "\"") + std::to_string(i) + "\":{}";
  outside += R"(},"allOf":[)";
  for (int i = 0; i < 4'000; ++i) outside += (i ? ",{\"$ref\":\"#/x/" : "{\"$ref\":\"#/x/") + std::to_string(i) + "\"}";
  outside += "]}";
  for (auto const& [what, text] : std::vector<std::pair<char const*, std::string>>{
           {"programs of patterns", properties(3'900, R"({"pattern":"a{19900}"})")},
           {"sets of characters", properties(50, "{\"pattern\":\"" + repeat("\\\\p{L}", 3'900) + "\"}")},
           {"sets in a bracket", properties(50, "{\"pattern\":\"[" + repeat("\\\\p{L}", 3'900) + "]\"}")},
           {"pointers below a long key", long_key},
           {"names of dynamic references by resources", dynamic},
           {"what references look through", outside}}) {
    INFO(what);
    auto const fault = compile_fault(text);
    CHECK(fault == errc::limit_exceeded);
    CHECK_THAT(std::string(fault.message()), match::contains("max_compile_steps"));
  }
  CHECK_FALSE(compile_fault(properties(5'000, R"({"type":"string","pattern":"^[a-z]{2,20}$","minLength":1})")));
  CHECK(compile_fault(properties(100, "true"), schema_options().max_compile_steps(1'000)) == errc::limit_exceeded);
}

TEST_CASE("schema: what has been evaluated is handed on, not copied", "[schema]") {
  std::string chain;
  for (int i = 0; i < 300; ++i) {
    auto const n = std::to_string(i);
    chain += "\"" + n + R"(":{"$ref":"#/$defs/)" + std::to_string(i + 1) + "\"},";
  }
  auto const s = compile(R"({"unevaluatedProperties":false,"$ref":"#/$defs/0","$defs":{)" + chain +
                             R"("300":{"patternProperties":{"^p":true}}}})",
                         schema_options().max_steps(1'500'000));
  std::string members = "\"p\":0";
  for (int i = 0; i < 50'000; ++i) members += ",\"p" + std::to_string(i) + "\":0";
  auto const all = json("{" + members + "}");
  CHECK(s.validate(all));
  auto const one_more = json("{" + members + ",\"q\":0}");
  CHECK(s.violations(one_more).at(0).instance == "/q");
}

TEST_CASE("schema: texts are made for violations that are kept, and are short", "[schema]") {
  auto const s = compile(R"({"contains":{"enum":[")" + std::string(1'000'000, 'x') + R"("]},"minContains":0,"items":{"const":0}})");
  auto const zeros = json(list_of("0", 20'000));
  CHECK(s.validate(zeros));
  auto const long_enum = compile(R"({"items":{"enum":[")" + std::string(1'000'000, 'x') + "\"]}}");
  auto const found = long_enum.violations(zeros);
  REQUIRE(found.size() > 3);
  CHECK(found[0].text.size() < 1'100);
  CHECK_THAT(found.back().text, match::contains("max_steps"));
}

TEST_CASE("schema: unique elements are found however their hashes fall", "[schema]") {
  // Each is a multiple of the number of buckets, once hashed: a table would walk over all of them for each.
  std::uint64_t inverse = 0x9E3779B1u;
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9E3779B1u * inverse;
  std::string list;
  for (std::uint64_t i = 1; list.size() < 4'000'000; ++i) {
    auto const crafted = (712'697 * i * inverse) ^ 1;
    if (crafted >> 63 == 0) list += (list.empty() ? "" : ",") + std::to_string(crafted);
  }
  auto const s = compile(R"({"uniqueItems":true})");
  auto const unique = json("[" + list + "]");
  CHECK(s.validate(unique));
  auto const twice = json("[1," + list + ",1]");
  CHECK(s.validate(twice).error() == errc::validation_failed);
}
