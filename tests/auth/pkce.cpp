// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/pkce.hpp>

#include <array>
#include <string>

#include "support/catch.hpp"

using namespace comcp;

TEST_CASE("pkce: the example of RFC 7636, appendix B", "[auth]") {
  std::array<unsigned char, 32> const random = {116, 24,  223, 180, 151, 153, 224, 37, 79,  250, 96,
                                                125, 216, 173, 187, 186, 22,  212, 37, 77,  105, 214,
                                                191, 240, 91,  88,  5,   88,  83,  132, 141, 121};
  auto const verifier = pkce_verifier(random);
  CHECK(verifier.reveal() == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
  CHECK(pkce_challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

TEST_CASE("pkce: base64url goes both ways for every length", "[auth]") {
  std::string bytes;
  for (int i = 0; i < 70; ++i) {
    auto const text = to_base64url(bytes);
    CHECK(text.find_first_of("+/=") == std::string::npos);
    auto const back = from_base64url(text);
    REQUIRE(back);
    CHECK(*back == bytes);
    bytes += static_cast<char>(255 - i * 7);
  }
  CHECK(to_base64url(std::string_view("\xFB\xFF")) == "-_8");
}

TEST_CASE("pkce: base64url is strict", "[auth]") {
  for (auto const text : {"A", "AAAAA", "AA==", "AAA=", "A+AA", "A/AA", "AA A", "AA\n", "AB", "AAB", "A\x80" "AA", "="}) {
    auto const back = from_base64url(text);
    REQUIRE_FALSE(back);
    CHECK(back.error() == errc::wrong_shape);
  }
}
