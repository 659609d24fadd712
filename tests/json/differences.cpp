// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Our parsing beside simdjson's own, on texts that are nearly JSON: both take and refuse the same, and read the same.
#include <bit>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include <comcp/json/value.hpp>

#include "support/catch.hpp"

namespace {

namespace json = comcp::json;
namespace dom = simdjson::dom;

bool same(json::view ours, dom::element theirs) {
  switch (theirs.type()) {
    case dom::element_type::NULL_VALUE: return ours.is_null();
    case dom::element_type::BOOL: return ours.get_bool() == theirs.get_bool().value_unsafe();
    case dom::element_type::INT64:
      return ours.kind() == json::kind::integer && ours.get_int64() == theirs.get_int64().value_unsafe();
    case dom::element_type::UINT64:
      return ours.kind() == json::kind::unsigned_integer && ours.get_uint64() == theirs.get_uint64().value_unsafe();
    case dom::element_type::DOUBLE:
      return ours.kind() == json::kind::real &&
             std::bit_cast<std::uint64_t>(*ours.get_double()) ==
                 std::bit_cast<std::uint64_t>(theirs.get_double().value_unsafe());
    case dom::element_type::STRING: return ours.get_string() == theirs.get_string().value_unsafe();
    case dom::element_type::ARRAY: {
      if (!ours.is_array() || ours.size() != dom::array(theirs).size()) return false;
      auto at = ours.elements().begin();
      for (auto const each : dom::array(theirs)) {
        if (!same(*at, each)) return false;
        ++at;
      }
      return at == ours.elements().end();
    }
    case dom::element_type::OBJECT: {
      if (!ours.is_object() || ours.size() != dom::object(theirs).size()) return false;
      auto at = ours.members().begin();
      for (auto const each : dom::object(theirs)) {
        if ((*at).key != each.key || !same((*at).value, each.value)) return false;
        ++at;
      }
      return at == ours.members().end();
    }
    default: return false;
  }
}

// What is at the heart of JSON, and what is near it.
constexpr std::string_view pieces[] = {
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\"a\"", "\"key\":", "\"\\u00e9\"", "\"\\ud83d\\ude00 x\"", "\"\\ud83d\"",
    "\"\\udc00\"", "\"\\u12\"", "\\n", "\\\"", "\\\\", "\\/", "\\x", "true", "false", "null", "nul", "truex", "0", "-0",
    "01", "-", "1.5", "1.", ".5", "1e5", "1E-5", "1e", "1e400", "-1e400", "1e-400", "2.5e-324", "1.7976931348623157e308",
    "1.7976931348623159e308", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "18446744073709551615", "18446744073709551616", "0.1", "123456789012345678.5", " ", "\n",
    "\t", "\r", "\x01", "\0x", "\xC3\xA9", "\xC3", "\xED\xA0\x80", "[]", "{}", "[1,2]", "{\"a\":1}", "//", "+1", "NaN",
    "a long text, longer than what is looked at in one step of sixty-four bytes, with \\\"escapes\\\" and more of them\\n"};

struct checker {
  dom::parser parser;
  std::size_t taken = 0;

  void check(std::string const& text) {
    dom::element theirs;
    bool const good = parser.parse(text).get(theirs) == simdjson::SUCCESS;
    auto const ours = json::parse(text);
    if (ours.has_value() != good || (good && !same(ours->view(), theirs))) {
      CAPTURE(text, good);
      CHECK(ours.has_value() == good);
      if (good && ours) CHECK(same(ours->view(), theirs));
    }
    // As a line that is a large part of its buffer: kept where it is, and untouched where that fails.
    auto const line = text + std::string(comcp::padded_text::spare, ' ');
    comcp::text_buffer buffer(line.size() + comcp::padded_text::spare);
    line.copy(buffer.data(), line.size());
    auto const kept = json::parse(comcp::padded_text(buffer.data(), line.size(), &buffer));
    if (kept.has_value() != good || (good && !(*kept == *ours))) FAIL("kept in its buffer: " << text);
    if (good != (buffer.data() == nullptr)) FAIL("whose buffer is it: " << text);
    if (!kept && std::string_view(buffer.data(), line.size()) != line) FAIL("changed, though it failed: " << text);
    taken += good;
  }
};

std::string random_json(std::mt19937& random, int depth) {
  auto const pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  auto const leaf = pick(depth > 4 ? 4 : 7);
  auto const blank = [&] { return std::string(pick(8) == 0 ? pick(70) : 0, " \n\t\r"[pick(4)]); };
  if (leaf == 0) return std::to_string(static_cast<std::int64_t>(random()) - (1LL << 31));
  if (leaf == 1) return std::to_string(static_cast<double>(random()) / 1e6) + (pick(2) ? "e-7" : "");
  if (leaf == 2) return pick(2) ? "true" : "null";
  if (leaf == 3) {
    std::string text = "\"";
    for (auto n = pick(80); n > 0; --n) {
      constexpr std::string_view some[] = {"a", "b c", "\\n", "\\u00e9", "\\ud83d\\ude00", "\xE2\x82\xAC", "{", "]", ",", "\\\\", "\\\""};
      text += some[pick(std::size(some))];
    }
    return text + '"';
  }
  bool const object = leaf > 4;
  std::string out = object ? "{" : "[";
  for (unsigned i = 0, n = pick(6); i < n; ++i) {
    if (i > 0) out += "," + blank();
    if (object) out += "\"k" + std::to_string(i) + "\"" + blank() + ":" + blank();
    out += random_json(random, depth + 1) + blank();
  }
  return out + (object ? "}" : "]");
}

}  // namespace

TEST_CASE("json differences: pieces of JSON in any order are taken, refused and read as simdjson does", "[json]") {
  std::mt19937 random(1);
  checker all;
  for (auto const a : pieces) {
    all.check(std::string(a));
    all.check("[" + std::string(a) + "]");
    all.check("{\"x\":" + std::string(a) + "}");
    for (auto const b : pieces) all.check("[" + std::string(a) + "," + std::string(b) + "]");
    for (auto const b : pieces) all.check("[1," + std::string(a) + std::string(b) + "]");
  }
  for (int i = 0; i < 40'000; ++i) {
    std::string text = i % 2 ? "[" : "{\"a\":";
    for (auto n = random() % 8; n > 0; --n) text += pieces[random() % std::size(pieces)];
    all.check(text + (i % 2 ? "]" : "}"));
  }
  CHECK(all.taken > 1000);
}

TEST_CASE("json differences: one byte that is changed, added or missing is seen as simdjson sees it", "[json]") {
  std::mt19937 random(2);
  checker all;
  for (int i = 0; i < 400; ++i) {
    auto const text = random_json(random, 0);
    all.check(text);
    for (int j = 0; j < 60; ++j) {
      auto broken = text;
      auto const at = random() % broken.size();
      constexpr std::string_view bytes("{}[]:,\"\\ 0n-.e\n\x01\x80\xC3", 19);
      auto const byte = bytes[random() % bytes.size()];
      if (j % 3 == 0) broken[at] = byte;
      if (j % 3 == 1) broken.insert(broken.begin() + static_cast<std::ptrdiff_t>(at), byte);
      if (j % 3 == 2) broken.erase(at, 1);
      all.check(broken);
    }
  }
  CHECK(all.taken > 400);
}
