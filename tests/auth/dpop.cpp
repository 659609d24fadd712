// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/dpop.hpp>

#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/signatures.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

http_url at(std::string_view text) { return http_url::parse(text).value(); }
http_headers nonce(std::string const& value) {
  http_headers out;
  REQUIRE(out.add("DPoP-Nonce", value));
  return out;
}
constexpr std::chrono::system_clock::time_point now(1562262616s);

std::string nonce_of(dpop_prover const& prover, std::string_view url) {
  auto const claim = token_parts(prover.proof("GET", at(url), now)).claims.find("nonce");
  return claim ? claim->as<std::string>() : "";
}

}  // namespace

TEST_CASE("dpop: a proof says what RFC 9449 wants, signed with the key that it carries", "[auth]") {
  dpop_prover const prover;
  auto const text = prover.proof("POST", at("https://Server.example.com:443/token?a=b#c"), now);
  CHECK(verifies(prover.key().public_jwk(), text));
  token_parts const proof(text);
  CHECK(proof.header.size() == 3);
  CHECK(proof.header["typ"].as<std::string>() == "dpop+jwt");
  CHECK(proof.header["alg"].as<std::string>() == "ES256");
  CHECK(proof.header["jwk"].dump() == prover.key().public_jwk());
  CHECK_FALSE(proof.header["jwk"].contains("d"));
  CHECK(proof.claims.size() == 4);
  CHECK(proof.claims["htm"].as<std::string>() == "POST");
  CHECK(proof.claims["htu"].as<std::string>() == "https://server.example.com/token");
  CHECK(proof.claims["iat"].as_int64() == 1562262616);
  CHECK(proof.claims["jti"].as<std::string>().size() == 43);
}

TEST_CASE("dpop: the hash of the token, as RFC 9449 section 7.1 has it", "[auth]") {
  dpop_prover const prover;
  auto const text = prover.proof("GET", at("https://resource.example.org/protectedresource"), now,
                                 secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"));
  CHECK(token_parts(text).claims["ath"].as<std::string>() == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo");
}

TEST_CASE("dpop: every proof is another one", "[auth]") {
  dpop_prover const prover;
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) {
    seen.insert(token_parts(prover.proof("POST", at("https://a.example/"), now)).claims["jti"].as<std::string>());
  }
  CHECK(seen.size() == 50);
}

TEST_CASE("dpop: nonces are those of the origin, the last one counts", "[auth]") {
  dpop_prover prover;
  CHECK(nonce_of(prover, "https://a.example/x").empty());
  CHECK(prover.observed(at("https://a.example/token"), nonce("one")));
  CHECK_FALSE(prover.observed(at("https://a.example/other"), nonce("one")));
  CHECK_FALSE(prover.observed(at("https://a.example/other"), http_headers()));
  CHECK(nonce_of(prover, "https://a.example/x") == "one");
  CHECK(nonce_of(prover, "https://a.example:444/x").empty());
  CHECK(nonce_of(prover, "http://a.example/x").empty());
  CHECK(prover.observed(at("https://b.example/"), nonce("two")));
  CHECK(prover.observed(at("https://a.example/"), nonce("three")));
  CHECK(nonce_of(prover, "https://a.example/x") == "three");
  CHECK(nonce_of(prover, "https://b.example/x") == "two");
}

TEST_CASE("dpop: what is no nonce is not taken", "[auth]") {
  dpop_prover prover;
  for (auto const& text : {std::string(), std::string("a b"), std::string("a\"b"), std::string("a\\b"),
                           std::string("a\x80"), std::string(4097, 'x')}) {
    CHECK_FALSE(prover.observed(at("https://a.example/"), nonce(text)));
  }
  CHECK(prover.observed(at("https://a.example/"), nonce(std::string(4096, '!'))));
}

TEST_CASE("dpop: 64 origins are remembered, those of late", "[auth]") {
  dpop_prover prover;
  auto const host = [](int i) { return "https://h" + std::to_string(i) + ".example/"; };
  for (int i = 0; i < 64; ++i) CHECK(prover.observed(at(host(i)), nonce("n")));
  CHECK(prover.observed(at(host(0)), nonce("m")));
  CHECK(prover.observed(at(host(64)), nonce("n")));
  CHECK(nonce_of(prover, host(0)) == "m");
  CHECK(nonce_of(prover, host(1)).empty());
  CHECK(nonce_of(prover, host(2)) == "n");
  CHECK(nonce_of(prover, host(64)) == "n");
}

TEST_CASE("dpop: when a server asks for a nonce", "[auth]") {
  std::string const asks = R"({"error":"use_dpop_nonce"})";
  auto const challenged = [](std::string const& value, bool with_nonce = true) {
    auto out = with_nonce ? nonce("n") : http_headers();
    REQUIRE(out.add("WWW-Authenticate", value));
    return out;
  };
  CHECK(wants_dpop_nonce(400, nonce("n"), asks));
  CHECK(wants_dpop_nonce(401, nonce("n"), asks));
  CHECK(wants_dpop_nonce(401, challenged(R"(Bearer, DPoP error="use_dpop_nonce", realm="x")"), ""));
  CHECK(wants_dpop_nonce(401, challenged("dpop error=use_dpop_nonce"), "<html>"));
  CHECK_FALSE(wants_dpop_nonce(400, http_headers(), asks));
  CHECK_FALSE(wants_dpop_nonce(400, nonce("n"), R"({"error":"invalid_grant"})"));
  CHECK_FALSE(wants_dpop_nonce(400, nonce("n"), R"({"error":["use_dpop_nonce"]})"));
  CHECK_FALSE(wants_dpop_nonce(400, nonce("n"), "<html>use_dpop_nonce</html>"));
  CHECK_FALSE(wants_dpop_nonce(400, challenged(R"(DPoP error="use_dpop_nonce")"), ""));
  CHECK_FALSE(wants_dpop_nonce(401, challenged(R"(DPoP error="use_dpop_nonce")", false), asks));
  CHECK_FALSE(wants_dpop_nonce(401, challenged(R"(DPoP error="invalid_token")"), ""));
  CHECK_FALSE(wants_dpop_nonce(401, challenged(R"(Bearer error="use_dpop_nonce")"), ""));
  CHECK_FALSE(wants_dpop_nonce(200, nonce("n"), asks));
}
