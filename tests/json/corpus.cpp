// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The public parsing corpus: y_ files are accepted, n_ files refused; what happens to each i_ file is written down.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <comcp/json/value.hpp>

#include "support/catch.hpp"
#include "support/corpus.hpp"

namespace {

namespace json = comcp::json;
using comcp_test::content_of;

constexpr char const* corpus = "data/json-parsing/test_parsing";

std::vector<std::filesystem::path> files(std::string const& prefix) {
  std::vector<std::filesystem::path> list;
  for (auto const& folder : comcp_test::corpora(corpus)) {
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with(prefix)) list.push_back(entry.path());
    }
  }
  std::sort(list.begin(), list.end());
  return list;
}

enum class outcome { accepted, refused };
using enum outcome;

// The same with simdjson 3.0 and 4.6. Numbers beyond a double, integers beyond 64 bits and lone surrogates are
// refused; numbers too small for a double become zero.
std::map<std::string, outcome> const implementation_defined = {
    {"i_number_double_huge_neg_exp.json", accepted},
    {"i_number_huge_exp.json", refused},
    {"i_number_neg_int_huge_exp.json", refused},
    {"i_number_pos_double_huge_exp.json", refused},
    {"i_number_real_neg_overflow.json", refused},
    {"i_number_real_pos_overflow.json", refused},
    {"i_number_real_underflow.json", accepted},
    {"i_number_too_big_neg_int.json", refused},
    {"i_number_too_big_pos_int.json", refused},
    {"i_number_very_big_negative_int.json", refused},
    {"i_object_key_lone_2nd_surrogate.json", refused},
    {"i_string_1st_surrogate_but_2nd_missing.json", refused},
    {"i_string_1st_valid_surrogate_2nd_invalid.json", refused},
    {"i_string_UTF-16LE_with_BOM.json", refused},
    {"i_string_UTF-8_invalid_sequence.json", refused},
    {"i_string_UTF8_surrogate_U+D800.json", refused},
    {"i_string_incomplete_surrogate_and_escape_valid.json", refused},
    {"i_string_incomplete_surrogate_pair.json", refused},
    {"i_string_incomplete_surrogates_escape_valid.json", refused},
    {"i_string_invalid_lonely_surrogate.json", refused},
    {"i_string_invalid_surrogate.json", refused},
    {"i_string_invalid_utf-8.json", refused},
    {"i_string_inverted_surrogates_U+1D11E.json", refused},
    {"i_string_iso_latin_1.json", refused},
    {"i_string_lone_second_surrogate.json", refused},
    {"i_string_lone_utf8_continuation_byte.json", refused},
    {"i_string_not_in_unicode_range.json", refused},
    {"i_string_overlong_sequence_2_bytes.json", refused},
    {"i_string_overlong_sequence_6_bytes.json", refused},
    {"i_string_overlong_sequence_6_bytes_null.json", refused},
    {"i_string_truncated-utf-8.json", refused},
    {"i_string_utf16BE_no_BOM.json", refused},
    {"i_string_utf16LE_no_BOM.json", refused},
    {"i_structure_500_nested_arrays.json", refused},  // by max_depth
    {"i_structure_UTF-8_BOM_empty_object.json", accepted},
};

}  // namespace

TEST_CASE("json corpus: every y_ file is accepted, and its text reads back equal", "[json]") {
  auto const list = files("y_");
  REQUIRE(list.size() >= 95);
  for (auto const& file : list) {
    INFO(file.filename().string());
    auto const value = json::parse(content_of(file));
    REQUIRE(value);
    auto const again = json::parse(value->dump());
    REQUIRE(again);
    CHECK(*again == *value);
  }
}

TEST_CASE("json corpus: every n_ file is refused", "[json]") {
  auto const list = files("n_");
  REQUIRE(list.size() >= 186);
  for (auto const& file : list) {
    INFO(file.filename().string());
    auto const value = json::parse(content_of(file));
    REQUIRE_FALSE(value);
    CHECK(value.error() == comcp::errc::invalid_json);
  }
}

TEST_CASE("json corpus: each i_ file behaves as it is written down here", "[json]") {
  auto const list = files("i_");
  CHECK(list.size() == implementation_defined.size() * comcp_test::corpora(corpus).size());
  for (auto const& file : list) {
    auto const name = file.filename().string();
    INFO(name);
    REQUIRE(implementation_defined.contains(name));
    auto const value = json::parse(content_of(file));
    CHECK((value ? accepted : refused) == implementation_defined.at(name));
  }
}

TEST_CASE("json corpus: 500 nested arrays are let in by a higher max_depth", "[json]") {
  auto const text = content_of(comcp_test::corpora(corpus).front() / "i_structure_500_nested_arrays.json");
  auto const refused_value = json::parse(text);
  REQUIRE_FALSE(refused_value);
  CHECK(refused_value.error() == comcp::errc::limit_exceeded);
  CHECK(json::parse(text, json::parse_options().max_depth(500)).has_value());
}
