// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/jose.hpp>

#include <string>
#include <utility>

#include <openssl/err.h>

#include <comcp/json/build.hpp>

#include "support/catch.hpp"
#include "support/signatures.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

// RFC 7515, appendix A.2 and A.3.
std::string const rfc_rsa_n =
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pC"
    "gNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg6"
    "65xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRW"
    "yuXpoQ";
std::string const rfc_rsa_d =
    "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pW"
    "J1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2Qv"
    "Xt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRu"
    "OopznQ";
std::string const rfc_claims = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}";
std::string const rfc_claims_encoded =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
std::string const rfc_rsa_signature =
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t"
    "1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12j"
    "zDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQ"
    "Ge77Rw";
std::string const rfc_ec_x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU";
std::string const rfc_ec_y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0";
std::string const rfc_ec_d = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI";
std::string const rfc_ec_signature =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

json::object rsa_jwk(std::string const& n, std::string const& d) {
  return json::object().set("kty", std::string("RSA")).set("n", n).set("e", std::string("AQAB")).set("d", d);
}
json::object ec_jwk(std::string const& x, std::string const& y, std::string const& d) {
  return json::object().set("kty", std::string("EC")).set("crv", std::string("P-256")).set("x", x).set("y", y).set("d", d);
}
result<signing_key> load_jwk(std::string text) { return signing_key::load(private_key::jwk(secret(std::move(text)))); }
result<signing_key> load_pem(std::string text) { return signing_key::load(private_key::pem(secret(std::move(text)))); }

pkey const& some_rsa() {
  static pkey const key = rsa_key();
  return key;
}

}  // namespace

TEST_CASE("jose: random bytes and tokens", "[auth]") {
  CHECK(random_bytes(0).empty());
  CHECK(random_bytes(100).size() == 100);
  CHECK(random_bytes(32) != random_bytes(32));
  auto const token = random_token();
  CHECK(token.size() == 43);
  CHECK(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == token.npos);
}

TEST_CASE("jose: the vectors of RFC 7515", "[auth]") {
  SECTION("A.2: RS256 has one signature only") {
    auto const key = load_jwk(rsa_jwk(rfc_rsa_n, rfc_rsa_d).text());
    REQUIRE(key);
    CHECK(key->algorithm() == "RS256");
    auto const jwt = key->sign("{}", rfc_claims).reveal();
    CHECK(jwt == "eyJhbGciOiJSUzI1NiJ9." + rfc_claims_encoded + "." + rfc_rsa_signature);
    CHECK(verifies(key->public_jwk(), jwt));
  }
  SECTION("A.3: ES256") {
    auto const key = load_jwk(ec_jwk(rfc_ec_x, rfc_ec_y, rfc_ec_d).text());
    REQUIRE(key);
    CHECK(key->algorithm() == "ES256");
    auto const text = "eyJhbGciOiJFUzI1NiJ9." + rfc_claims_encoded + ".";
    CHECK(verifies(key->public_jwk(), text + rfc_ec_signature));
    auto const jwt = key->sign("{}", rfc_claims).reveal();
    CHECK_THAT(jwt, match::starts_with(text));
    CHECK(verifies(key->public_jwk(), jwt));
    CHECK(key->public_jwk() == R"({"crv":"P-256","kty":"EC","x":")" + rfc_ec_x + R"(","y":")" + rfc_ec_y + "\"}");
  }
}

TEST_CASE("jose: the thumbprint of RFC 7638", "[auth]") {
  // The key of its section 3.1, with the private exponent that RFC 7517, appendix A.2 has for it.
  auto const key = load_jwk(rsa_jwk("0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_"
                                    "BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_"
                                    "FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI"
                                    "4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
                                    "X4cTteJY_gn4FYPsXB8rdXix5vwsg1FLN5E3EaG6RJoVH-HLLKD9M7dx5oo7GURknchnrRweUkC7hT5fJLM0WbFA"
                                    "KNLWY2vv7B6NqXSzUvxT0_YSfqijwp3RTzlBaCxWp4doFk5N2o8Gy_nHNKroADIkJ46pRUohsXywbReAdYaMwFs9"
                                    "tv8d_cPVY3i07a3t8MN6TNwm0dSawm9v47UiCl3Sk5ZiG7xojPLu4sbg1U2jx4IBTNBznbJSzFHK66jT8bgkuqsk"
                                    "0GjskDJk19Z4qwjwbsnn4j2WBii3RL-Us2lGVkY8fkFzme1z0HbIkfz0Y6mqnOYtqc0X4jfcKoAC8Q")
                                .set("kid", std::string("2011-04-29"))
                                .set("alg", std::string("RS256"))
                                .text());
  REQUIRE(key);
  CHECK(key->thumbprint() == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
  CHECK(key->id() == "2011-04-29");
}

TEST_CASE("jose: signatures of ES256 are 64 bytes whatever their numbers are", "[auth]") {
  auto const key = signing_key::generate();
  CHECK(key.algorithm() == "ES256");
  CHECK(key.id().empty());
  bool short_r = false, short_s = false;
  for (int i = 0; i < 20000 && !(i >= 200 && short_r && short_s); ++i) {
    auto const jwt = key.sign("{}", "{\"n\":" + std::to_string(i) + "}").reveal();
    auto const signature = token_parts(jwt).signature;
    bool const with_zero = signature[0] == 0 || signature[32] == 0;
    if (signature.size() != 64 || ((i < 200 || with_zero) && !verifies(key.public_jwk(), jwt))) FAIL(i);
    short_r |= signature[0] == 0;
    short_s |= signature[32] == 0;
  }
  CHECK(short_r);
  CHECK(short_s);
}

TEST_CASE("jose: keys in every form that users have", "[auth]") {
  for (auto const& key : {ec_key(), some_rsa()}) {
    for (auto const form : {pem_form::pkcs8, pem_form::traditional}) {
      auto const loaded = load_pem(pem_of(key, form));
      REQUIRE(loaded);
      auto const jwt = loaded->sign(R"({"typ":"JWT","alg":"none"})", R"({"a":1})").reveal();
      token_parts const parts(jwt);
      CHECK(parts.header_text == R"({"alg":")" + loaded->algorithm() + R"(","typ":"JWT"})");
      CHECK(verifies(loaded->public_jwk(), jwt));
      CHECK_FALSE(verifies(signing_key::generate().public_jwk(), jwt));
      // What a store keeps is the same key.
      auto const again = load_jwk(loaded->private_jwk().reveal());
      REQUIRE(again);
      CHECK(again->thumbprint() == loaded->thumbprint());
      CHECK(again->private_jwk() == loaded->private_jwk());
      CHECK(verifies(loaded->public_jwk(), again->sign("{}", "{}").reveal()));
      CHECK(loaded->public_jwk().find("\"d\"") == std::string::npos);
    }
  }
  auto const curve_first = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
  CHECK(load_pem(curve_first + pem_of(ec_key(), pem_form::traditional)));
}

TEST_CASE("jose: kid and alg come from the options, else from the JWK", "[auth]") {
  auto const jwk = ec_jwk(rfc_ec_x, rfc_ec_y, rfc_ec_d).set("kid", std::string("of the JWK")).text();
  auto const named = load_jwk(jwk);
  REQUIRE(named);
  CHECK(token_parts(named->sign(R"({"kid":"of the header"})", "{}").reveal()).header["kid"].as<std::string>() == "of the JWK");
  auto const renamed = signing_key::load(private_key::jwk(secret(jwk)).id("mine").algorithm("ES256"));
  REQUIRE(renamed);
  CHECK(renamed->id() == "mine");
  CHECK(token_parts(renamed->sign("{}", "{}").reveal()).header_text == R"({"alg":"ES256","kid":"mine"})");
  auto const unnamed = signing_key::generate().sign(R"({"kid":"x"})", "{}").reveal();
  CHECK(token_parts(unnamed).header["kid"].as<std::string>() == "x");
  auto const kept = load_jwk(renamed->private_jwk().reveal());
  CHECK(kept.value().id() == "mine");
}

TEST_CASE("jose: what cannot sign is refused, and its text never shown", "[auth]") {
  auto const rs = rsa_jwk(rfc_rsa_n, rfc_rsa_d);
  auto const ec = ec_jwk(rfc_ec_x, rfc_ec_y, rfc_ec_d);
  auto const with = [](json::object o, char const* name, std::string const& value) { return o.set(name, value).text(); };
  auto const jwk = [](std::string text) { return private_key::jwk(secret(std::move(text))); };
  auto const pem = [](std::string text) { return private_key::pem(secret(std::move(text))); };
  auto const small = rsa_key(1024), other = ec_key("P-384");
  auto broken = pem_of(ec_key(), pem_form::pkcs8);
  broken.erase(60, 8);
  auto const public_only = json::object().set("kty", std::string("EC")).set("crv", std::string("P-256"))
                               .set("x", rfc_ec_x).set("y", rfc_ec_y).text();
  struct bad {
    private_key key;
    char const* why;
  };
  bad const table[] = {
      {pem(""), "no PEM"},
      {pem("secret-text-of-a-key"), "no PEM"},
      {pem(broken), "no PEM"},
      {pem(std::string(70'000, 'x')), "64 KiB"},
      {pem(pem_of(some_rsa(), pem_form::public_key)), "public"},
      {pem(pem_of(some_rsa(), pem_form::pkcs8_encrypted)), "encrypted"},
      {pem(pem_of(ec_key(), pem_form::traditional_encrypted)), "encrypted"},
      {pem(pem_of(small, pem_form::pkcs8)), "2048"},
      {pem(pem_of(other, pem_form::pkcs8)), "P-256"},
      {pem(pem_of(own(::EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")), pem_form::pkcs8)), "neither"},
      {pem(pem_of(ec_key(), pem_form::pkcs8)).algorithm("RS256"), "ES256"},
      {pem(pem_of(some_rsa(), pem_form::pkcs8)).algorithm("PS256"), "RS256"},
      {jwk("{"), "no JSON"},
      {jwk("[]"), "no JWK"},
      {jwk(R"({"keys":[]})"), "no JWK"},
      {jwk(public_only), "no private part"},
      {jwk(R"({"kty":"oct","k":"AAAA","d":"AAAA"})"), "neither"},
      {jwk(R"({"kty":"EC","crv":"P-384","x":"AA","y":"AA","d":"AA"})"), "P-256"},
      {jwk(ec_jwk(rfc_ec_x + "=", rfc_ec_y, rfc_ec_d).text()), "x of the JWK"},
      {jwk(ec_jwk(rfc_ec_x, "AAAA", rfc_ec_d).text()), "y of the JWK"},
      {jwk(ec_jwk(rfc_ec_x, rfc_ec_y, "").text()), "d of the JWK"},
      {jwk(ec_jwk(rfc_ec_y, rfc_ec_x, rfc_ec_d).text()), "no key of P-256"},
      {jwk(ec_jwk(rfc_ec_x, rfc_ec_y, rfc_ec_x).text()), "fit together"},
      {jwk(rsa_jwk(rfc_rsa_n, rfc_rsa_n).text()), "fit together"},
      {jwk(rsa_jwk("not base64!", rfc_rsa_d).text()), "n of the JWK"},
      {jwk(rsa_jwk("AQAB", rfc_rsa_d).text()), "2048"},
      {jwk(with(rs, "p", "AQAB")), "q of the JWK"},
      {jwk(with(rs, "oth", "x")), "two primes"},
      {jwk(with(rs, "alg", "RSA-OAEP")), "RS256"},
      {jwk(with(ec, "alg", "ES384")), "ES256"},
      {jwk(with(ec, "alg", "ES384")).algorithm("ES256"), "another algorithm"},
  };
  for (auto const& [key, why] : table) {
    CAPTURE(why);
    auto const loaded = signing_key::load(key);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error() == errc::invalid_argument);
    CHECK_THAT(loaded.error().to_string(), match::contains(why));
    for (auto const* part : {&rfc_ec_d, &rfc_ec_x, &rfc_rsa_d, &rfc_rsa_n}) {
      CHECK(loaded.error().to_string().find(part->substr(0, 10)) == std::string::npos);
    }
    CHECK(loaded.error().to_string().find("secret-text") == std::string::npos);
  }
  CHECK(::ERR_peek_error() == 0);
}

TEST_CASE("jose: a failure leaves OpenSSL's errors of others alone", "[auth]") {
  ERR_raise(ERR_LIB_USER, 42);
  CHECK_FALSE(load_pem("none"));
  CHECK(ERR_GET_REASON(::ERR_get_error()) == 42);
  CHECK(::ERR_get_error() == 0);
}

TEST_CASE("jose: header and claims must be objects", "[auth]") {
  auto const key = signing_key::generate();
  for (auto const& [header, claims] : {std::pair("[]", "{}"), {"{}", "1"}, {"", "{}"}, {"{}", "{"}}) {
    CHECK_THROWS_AS(key.sign(header, claims), exception);
  }
}
