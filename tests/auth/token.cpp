// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/token.hpp>

#include <sstream>
#include <string>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;

namespace {

auto const now = token_set::time_point(1'795'000'000s);

token_set tokens(std::string_view body, int status = 200) {
  auto const got = read_token_answer(status, body, now);
  REQUIRE(got);
  REQUIRE(std::holds_alternative<token_set>(*got));
  return std::get<token_set>(*got);
}

oauth_refusal refusal(std::string_view body, int status) {
  auto const got = read_token_answer(status, body, now);
  REQUIRE(got);
  REQUIRE(std::holds_alternative<oauth_refusal>(*got));
  return std::get<oauth_refusal>(*got);
}

std::optional<std::chrono::seconds> lifetime(std::string const& value) {
  auto const got = tokens(R"({"access_token":"a","token_type":"Bearer","expires_in":)" + value + "}");
  if (!got.expires_at) return {};
  return std::chrono::duration_cast<std::chrono::seconds>(*got.expires_at - now);
}

}  // namespace

TEST_CASE("token: everything that an endpoint may grant", "[auth]") {
  auto const got = tokens(R"({"access_token":"AT","token_type":"bEARER","expires_in":3600,"refresh_token":"RT","scope":"a b",
                              "id_token":"ID","issued_token_type":"urn:x","custom":{}})");
  CHECK(got.access_token.reveal() == "AT");
  CHECK(got.token_type == "Bearer");
  CHECK(got.expires_at == now + 1h);
  CHECK(got.refresh_token.reveal() == "RT");
  CHECK(got.scope == "a b");
  CHECK(got.id_token.reveal() == "ID");
  CHECK(got.issued_token_type == "urn:x");
  CHECK(got == tokens(R"({"access_token":"AT","token_type":"Bearer","expires_in":"3600","refresh_token":"RT","scope":["a","b"],
                          "id_token":"ID","issued_token_type":"urn:x"})", 201));
}

TEST_CASE("token: what is absent or null stays absent", "[auth]") {
  auto const got = tokens(R"({"access_token":"AT","refresh_token":null,"scope":null,"expires_in":null,"error":null,"token_type":null})");
  CHECK(got == token_set(secret("AT")));
  CHECK(got.token_type == "Bearer");
  CHECK_FALSE(got.scope);
  CHECK_FALSE(got.expires_at);
  CHECK(tokens(R"({"access_token":"AT","scope":""})").scope == "");
}

TEST_CASE("token: types are compared without case", "[auth]") {
  CHECK(tokens(R"({"access_token":"A","token_type":"dpop"})").token_type == "DPoP");
  CHECK(tokens(R"({"access_token":"A","token_type":"N_A"})").token_type == "N_A");
  CHECK(tokens(R"({"access_token":"A","token_type":""})").token_type == "Bearer");
}

TEST_CASE("token: lifetimes as number or text, absurd ones clamped", "[auth]") {
  CHECK(lifetime("3600") == 3600s);
  CHECK(lifetime("3599.9") == 3599s);
  CHECK(lifetime("\"60\"") == 60s);
  CHECK(lifetime("0") == 0s);
  CHECK(lifetime("-5") == 0s);
  CHECK(lifetime("\"-5\"") == 0s);
  auto const most = 10 * 366 * 24h;
  for (auto const huge : {"1e300", "9223372036854775807", "18446744073709551615", "\"1e999\"", "\"99999999999999999999\""}) {
    INFO(huge);
    CHECK(lifetime(huge) == most);
  }
}

TEST_CASE("token: refusals, whatever the status", "[auth]") {
  auto const got = refusal(R"({"error":"invalid_grant","error_description":"expired"})", 400);
  CHECK(got.code == "invalid_grant");
  CHECK(got.description == "expired");
  CHECK(refusal(R"({"error":"bad_verification_code"})", 200).code == "bad_verification_code");
  CHECK(refusal(R"({"error":"invalid_client","access_token":"A"})", 401).code == "invalid_client");
  CHECK(refusal(R"({"error":"temporarily_unavailable","error_description":7})", 503).description.empty());
  auto const error = got.as_error("the refresh token was refused");
  CHECK(error == errc::unauthorized);
  CHECK(error.message() == "the refresh token was refused: invalid_grant (expired)");
  CHECK(oauth_refusal("x", "").as_error("no").message() == "no: x");
}

TEST_CASE("token: a server's text is cut to what is printable", "[auth]") {
  oauth_refusal const got("a\x1B[2Jb\n", std::string(600, 'x') + "end");
  CHECK(got.code == "a?[2Jb?");
  CHECK(got.description == std::string(512, 'x'));
  CHECK(oauth_refusal("a", "\xC3\xBC" "ber \xE2\x80\xAE\xF0\x9F\x98\x80").description == "?ber ??");
}

TEST_CASE("token: anything else breaks the protocol, with the status and without the body", "[auth]") {
  struct bad {
    int status;
    char const* body;
  };
  for (auto const& [status, body] :
       {bad{200, "<html>hunter2</html>"}, bad{200, ""}, bad{200, "[\"hunter2\"]"}, bad{200, "\"hunter2\""}, bad{200, "{}"},
        bad{200, R"({"access_token":"","x":"hunter2"})"}, bad{200, R"({"access_token":["hunter2"]})"},
        bad{200, R"({"access_token":"hunter2","token_type":1})"}, bad{200, R"({"access_token":"hunter2","expires_in":"hunter2"})"},
        bad{200, R"({"access_token":"hunter2","expires_in":{}})"}, bad{200, R"({"access_token":"hunter2","expires_in":"nan"})"},
        bad{200, R"({"access_token":"hunter2","expires_in":""})"}, bad{200, R"({"access_token":"hunter2","scope":{"a":1}})"},
        bad{200, R"({"access_token":"hunter2","scope":[1]})"}, bad{200, R"({"access_token":"hunter2","refresh_token":7})"},
        bad{200, R"({"access_token":"hunter2")"}, bad{500, "hunter2"}, bad{500, R"({"access_token":"hunter2"})"},
        bad{302, R"({"access_token":"hunter2"})"}, bad{400, R"({"error":{"message":"hunter2"}})"}, bad{400, R"({"error":""})"}}) {
    INFO(status << ' ' << body);
    auto const got = read_token_answer(status, body, now);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::protocol_violation);
    REQUIRE(got.error().detail());
    CHECK(got.error().detail()->http_status == status);
    CHECK(got.error().to_string().find("hunter2") == std::string::npos);
  }
}

TEST_CASE("token: sets print nothing of their tokens", "[auth]") {
  std::ostringstream out;
  out << tokens(R"({"access_token":"hunter2"})").access_token;
  CHECK(out.str() == "***");
}

TEST_CASE("token: what cannot be sent as it must is refused", "[auth]") {
  token_set plain(secret("abc.DEF-_~+/=")), bound = plain;
  bound.token_type = "DPoP";
  CHECK(check_usable(plain, false));
  CHECK(check_usable(bound, true));
  CHECK(check_usable(plain, true).error() == errc::unauthorized);
  CHECK(check_usable(bound, false).error() == errc::unauthorized);
  for (auto const* const type : {"mac", "N_A", "", "Bearer "}) {
    plain.token_type = type;
    CHECK(check_usable(plain, false).error() == errc::unauthorized);
  }
  for (auto const* const text : {"a b", "a\r\nb", "a\tb", "a\x7f", "\xc3\xa9"}) {
    auto const got = check_usable(token_set(secret(text)), false);
    REQUIRE_FALSE(got);
    CHECK(got.error().to_string().find(text) == std::string::npos);
  }
}

TEST_CASE("token: scopes unite, each once, in order", "[auth]") {
  CHECK(unite_scopes("a b", "b c") == "a b c");
  CHECK(unite_scopes("", "") == "");
  CHECK(unite_scopes(" a  a ", "") == "a");
  CHECK(unite_scopes("", "x  y ") == "x y");
  CHECK(unite_scopes("ab", "a") == "ab a");
}
