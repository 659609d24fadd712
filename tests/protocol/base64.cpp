// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <comcp/protocol/base64.hpp>

#include "support/catch.hpp"

using namespace comcp;

namespace {

std::string decoded(std::string_view text) {
  auto const bytes = from_base64(text);
  if (!bytes) return "refused";
  std::string out;
  for (auto const b : *bytes) out += static_cast<char>(b);
  return out;
}

std::string encoded(std::string_view text) { return to_base64(std::as_bytes(std::span(text.data(), text.size()))); }

}  // namespace

TEST_CASE("base64: the examples of RFC 4648 go both ways", "[protocol]") {
  std::pair<char const*, char const*> const examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (auto const& [plain, text] : examples) {
    INFO(text);
    CHECK(decoded(text) == plain);
    CHECK(encoded(plain) == text);
  }
}

TEST_CASE("base64: all bytes go round", "[protocol]") {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (std::size_t cut = 0; cut < 4; ++cut) {
    auto const part = all.substr(cut);
    CHECK(decoded(encoded(part)) == part);
  }
  CHECK(decoded("+/+/") == "\xFB\xFF\xBF");
}

TEST_CASE("base64: anything but strict Base64 is an error", "[protocol]") {
  for (auto const* text : {"Zg", "Zg=", "Zg===", "====", "=", "Z===", "Zg==Zg==", "Zm9v\n", "Zm 9", "Zm-_",
                           "Zh==", "Zm9=", "Z=g=", "Zm9\x80"}) {
    INFO(text);
    auto const bytes = from_base64(text);
    REQUIRE_FALSE(bytes.has_value());
    CHECK(bytes.error() == errc::wrong_shape);
  }
}
