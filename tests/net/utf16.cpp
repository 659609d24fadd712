// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/net/utf16.hpp>

#include <string>

#include "support/catch.hpp"

using comcp::net::detail::to_utf16;
using comcp::net::detail::to_utf8;

TEST_CASE("utf16: every character goes there and back", "[net]") {
  std::u16string all;
  for (char32_t c = 0; c <= 0x10FFFF; c += c < 0x900 || (c > 0xD700 && c < 0x10800) ? 1 : 251) {
    if (c >= 0xD800 && c < 0xE000) continue;
    if (c < 0x10000) {
      all.push_back(static_cast<char16_t>(c));
    } else {
      all.push_back(static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10)));
      all.push_back(static_cast<char16_t>(0xDC00 + ((c - 0x10000) & 0x3FF)));
    }
  }
  auto const text = to_utf8(all);
  REQUIRE(text);
  CHECK(to_utf16(*text) == all);
}

TEST_CASE("utf16: characters of each length, as they are known", "[net]") {
  CHECK(to_utf8(u"a\u00e9\u20ac\U0001f600") == "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(to_utf16("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == u"a\u00e9\u20ac\U0001f600");
  CHECK(to_utf16("") == std::u16string());
}

TEST_CASE("utf16: what is no UTF-8 is refused", "[net]") {
  auto const bad = GENERATE(as<std::string>(), "\x80", "a\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3" "a", "\xe0\x80\x80",
                            "\xe0\x9f\xbf", "\xe2\x82", "\xe2\x82" "a", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80",
                            "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff");
  CHECK_FALSE(to_utf16(bad));
  CHECK_FALSE(to_utf16("before " + bad + " after"));
}

TEST_CASE("utf16: a lone surrogate is refused", "[net]") {
  CHECK_FALSE(to_utf8(std::u16string(1, char16_t(0xD800))));
  CHECK_FALSE(to_utf8(std::u16string(1, char16_t(0xDC00))));
  CHECK_FALSE(to_utf8(std::u16string{char16_t(0xD800), u'a'}));
  CHECK_FALSE(to_utf8(std::u16string{char16_t(0xDBFF), char16_t(0xDBFF)}));
  CHECK_FALSE(to_utf8(std::u16string{char16_t(0xDC00), char16_t(0xD800)}));
}
