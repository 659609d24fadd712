// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/pinning/suspicious.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using comcp::find_suspicious;
using comcp::suspicion;

namespace {

std::vector<comcp::suspicious_character> in_text(std::string_view s) {
  auto const value = comcp::json::to_value(s);
  return find_suspicious(value);
}

}  // namespace

TEST_CASE("suspicious: every kind is found, at both ends of its ranges", "[pinning]") {
  std::vector<std::pair<char const*, suspicion>> const cases = {
      {"\x01", suspicion::control},          {"\x08", suspicion::control},
      {"\x0b", suspicion::control},          {"\x1b", suspicion::control},
      {"\x7f", suspicion::control},          {"\u0085", suspicion::control},
      {"\u009f", suspicion::control},        {"\u2028", suspicion::control},
      {"\u00ad", suspicion::ignorable},      {"\u034f", suspicion::ignorable},
      {"\u061c", suspicion::bidirectional},  {"\u115f", suspicion::ignorable},
      {"\u17b4", suspicion::ignorable},      {"\u180b", suspicion::variation_selector},
      {"\u180e", suspicion::ignorable},      {"\u180f", suspicion::variation_selector},
      {"\u200b", suspicion::zero_width},     {"\u200c", suspicion::zero_width},
      {"\u200d", suspicion::zero_width},     {"\u200e", suspicion::bidirectional},
      {"\u202a", suspicion::bidirectional},  {"\u202e", suspicion::bidirectional},
      {"\u2060", suspicion::zero_width},     {"\u2061", suspicion::ignorable},
      {"\u2066", suspicion::bidirectional},  {"\u2069", suspicion::bidirectional},
      {"\u206f", suspicion::ignorable},      {"\u3164", suspicion::ignorable},
      {"\ue000", suspicion::private_use},    {"\uf8ff", suspicion::private_use},
      {"\ufe00", suspicion::variation_selector}, {"\ufe0f", suspicion::variation_selector},
      {"\ufeff", suspicion::zero_width},     {"\uffa0", suspicion::ignorable},
      {"\ufff9", suspicion::ignorable},      {"\U0001bca0", suspicion::ignorable},
      {"\U0001d173", suspicion::ignorable},  {"\U000e0000", suspicion::tag},
      {"\U000e0041", suspicion::tag},        {"\U000e007f", suspicion::tag},
      {"\U000e0100", suspicion::variation_selector}, {"\U000e01ef", suspicion::variation_selector},
      {"\U000e0fff", suspicion::ignorable},  {"\U000f0000", suspicion::private_use},
      {"\U0010ffff", suspicion::private_use},
  };
  for (auto const& [text, why] : cases) {
    auto const found = in_text("ab" + std::string(text) + "c");
    CAPTURE(text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].why == why);
    CHECK(found[0].offset == 2);
    CHECK(found[0].where == "");
  }
}

TEST_CASE("suspicious: ordinary text of many scripts is none", "[pinning]") {
  for (char const* const text :
       {"plain\ttext\r\nwith lines", "Grüße, café, naïve", "日本語のテキスト", "Ελληνικά", "עברית", "العربية", "हिन्दी",
        "€ → ∀ ✓ ½ …", "\u00a0no-break space", "\U0001f600",
        "\u180a\u2010\u2027\u202f\u205f\u3163\ufffc\ufffd"}) {
    CAPTURE(text);
    CHECK(in_text(text).empty());
  }
}

TEST_CASE("suspicious: selectors and joiners inside emoji are none", "[pinning]") {
  CHECK(in_text("\u26a0\ufe0f careful").empty());
  CHECK(in_text("1\ufe0f\u20e3").empty());
  CHECK(in_text("\u00a9\ufe0e").empty());
  CHECK(in_text("\U0001f468\u200d\U0001f469\u200d\U0001f467").empty());
  CHECK(in_text("\u2764\ufe0f\u200d\U0001f525").empty());
  CHECK(in_text("\U0001f9d1\U0001f3fd\u200d\U0001f4bb").empty());
}

TEST_CASE("suspicious: selectors and joiners anywhere else are", "[pinning]") {
  CHECK(in_text("a\ufe0f").size() == 1);
  CHECK(in_text("\ufe0f").size() == 1);
  CHECK(in_text("\u26a0\ufe0f\ufe0f\ufe0e").size() == 2);
  CHECK(in_text("\u26a0\ufe01").size() == 1);
  CHECK(in_text("a\u200db").size() == 1);
  CHECK(in_text("\U0001f468\u200da").size() == 1);
  CHECK(in_text("\U0001f468\u200d").size() == 1);
  CHECK(in_text("\U0001f468\u200d\u200d\U0001f469").size() == 2);
}

TEST_CASE("suspicious: a definition is searched everywhere, keys too", "[pinning]") {
  auto const tool = comcp::json::parse("{\"name\":\"a\u200bb\",\"title\":\"t\u202e\",\"description\":\"read\U000e0072\","
                                       "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"p/~\u2060\":"
                                       "{\"description\":\"x\u00ad\",\"enum\":[\"ok\",\"\ue000\"]}}},"
                                       "\"annotations\":{\"title\":\"\\u0007\"},\"_meta\":{\"a\":\"\u200b\"}}")
                        .value()
                        .as<comcp::tool>();
  std::vector<std::string> said;
  for (auto const& one : find_suspicious(tool)) said.push_back(one.to_string());
  CHECK(said == std::vector<std::string>{
                    "/name, byte 1: U+200B (zero_width)", "/title, byte 1: U+202E (bidirectional)",
                    "/description, byte 4: U+E0072 (tag)",
                    "/inputSchema/properties/p~1~0<U+2060> (its key), byte 3: U+2060 (zero_width)",
                    "/inputSchema/properties/p~1~0<U+2060>/description, byte 1: U+00AD (ignorable)",
                    "/inputSchema/properties/p~1~0<U+2060>/enum/1, byte 0: U+E000 (private_use)",
                    "/annotations/title, byte 0: U+0007 (control)"});
}

TEST_CASE("suspicious: a second member of a key is searched, too", "[pinning]") {
  auto const tool = comcp::json::parse("{\"name\":\"a\",\"inputSchema\":{},\"description\":\"good\","
                                       "\"description\":\"evil\u202e\"}").value().as<comcp::tool>();
  auto const found = find_suspicious(tool);
  REQUIRE(found.size() == 1);
  CHECK(found[0].code_point == 0x202e);
}

TEST_CASE("suspicious: a pointer leads to the string", "[pinning]") {
  auto const value = comcp::json::parse("{\"a/b\":[{\"~\":\"x\u200b\"}]}").value();
  auto const found = find_suspicious(value);
  REQUIRE(found.size() == 1);
  auto const there = value.pointer(found[0].where).value();
  CHECK(there.as_string() == "x\u200b");
}

TEST_CASE("suspicious: a flood is told of up to the limit", "[pinning]") {
  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += "\u200b";
  CHECK(in_text(flood).size() == 100);
  auto const many = comcp::json::to_value(std::vector<std::string>(500, "\u200b"));
  CHECK(find_suspicious(many, 7).size() == 7);
  CHECK(find_suspicious(many, 0).empty());
}

TEST_CASE("suspicious: visible() writes them out", "[pinning]") {
  CHECK(comcp::visible("a\u200bb\x1b[1m\U000e0041\U0010ffff") == "a<U+200B>b<U+001B>[1m<U+E0041><U+10FFFF>");
  CHECK(comcp::visible("plain é 日本") == "plain é 日本");
  CHECK(comcp::visible("cut \xe2\x80") == "cut <0xE2><0x80>");
  CHECK(comcp::visible("\x9b[31m \xc0\xaf \xed\xa0\x80 \xf5") == "<0x9B>[31m <0xC0><0xAF> <0xED><0xA0><0x80> <0xF5>");
  CHECK(comcp::visible("a\r\nb\rc\td") == "a\nb<U+000D>c\td");
  CHECK(comcp::visible("a\r\nb\tc", comcp::line_breaks::blank) == "a b c");
  CHECK(comcp::visible("\u2764\ufe0f\u200d\U0001f525") == "\u2764\ufe0f\u200d\U0001f525");
  CHECK(comcp::to_text(suspicion::private_use) == "private_use");
}
