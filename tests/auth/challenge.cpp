// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/challenge.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace comcp;

namespace {

using challenges = std::vector<auth_challenge>;

challenges parsed(std::vector<std::string> const& fields) {
  http_headers headers;
  for (auto const& f : fields) {
    REQUIRE(headers.add("www-authenticate", f));
    REQUIRE(headers.add("X-Other", "Nobody realm=\"x\""));
  }
  return parse_challenges(headers);
}

std::string value(auth_challenge const& c, std::string_view name) {
  auto const* const found = c.find(name);
  return found ? *found : "(none)";
}

auth_challenge challenge(std::string scheme, std::vector<http_field> const& parameters = {}) {
  auth_challenge out(std::move(scheme));
  for (auto const& p : parameters) out.add(p.name, p.value);
  return out;
}

}  // namespace

TEST_CASE("challenge: the examples of the specification and of RFC 9110", "[auth]") {
  auto const mcp = parsed({"Bearer resource_metadata=\"https://mcp.example.com/.well-known/oauth-protected-resource\", "
                           "                        scope=\"files:read files:write\""});
  REQUIRE(mcp.size() == 1);
  CHECK(mcp[0].scheme() == "Bearer");
  CHECK(mcp[0].is("bearer"));
  CHECK_FALSE(mcp[0].is("bear"));
  CHECK(value(mcp[0], "resource_metadata") == "https://mcp.example.com/.well-known/oauth-protected-resource");
  CHECK(value(mcp[0], "SCOPE") == "files:read files:write");
  CHECK(mcp[0].find("error") == nullptr);

  auto const rfc = parsed({"Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\""});
  CHECK(rfc == challenges{challenge("Basic", {{"realm", "simple"}}),
                          challenge("Newauth", {{"realm", "apps"}, {"type", "1"}, {"title", "Login to \"apps\""}})});
}

TEST_CASE("challenge: several fields are one list, in order", "[auth]") {
  auto const got = parsed({"Negotiate", "Basic realm=\"a\", Bearer", "DPoP algs=\"ES256 RS256\", error=\"use_dpop_nonce\""});
  CHECK(got == challenges{challenge("Negotiate"), challenge("Basic", {{"realm", "a"}}), challenge("Bearer"),
                          challenge("DPoP", {{"algs", "ES256 RS256"}, {"error", "use_dpop_nonce"}})});
}

TEST_CASE("challenge: token68 is told from a parameter", "[auth]") {
  auto const got = parsed({"Negotiate YII+/x~._-==, Bearer realm=x", "Basic abc", "Basic abc=, Other a=b"});
  REQUIRE(got.size() == 5);
  CHECK(got[0].token68() == "YII+/x~._-==");
  CHECK(value(got[1], "realm") == "x");
  CHECK(got[1].token68().empty());
  CHECK(got[2].token68() == "abc");
  CHECK(got[3].token68() == "abc=");
  CHECK(value(got[4], "a") == "b");
}

TEST_CASE("challenge: commas, spaces and tabs in odd places", "[auth]") {
  auto const same = challenges{challenge("Bearer", {{"realm", "a, b"}, {"scope", "x"}}), challenge("Basic", {{"realm", "c"}})};
  CHECK(parsed({" , ,Bearer realm=\"a, b\",scope=\"x\",,Basic realm=c ,"}) == same);
  CHECK(parsed({"Bearer\trealm = \"a, b\" , scope\t=\tx , Basic \t realm =c"}) == same);
  CHECK(parsed({"Bearer , realm=\"a, b\" scope=x Basic realm=c"}) == same);  // commas that are missing, too
  CHECK(parsed({""}).empty());
  CHECK(parsed({" ,,\t, "}).empty());
  CHECK(parsed({}).empty());
}

TEST_CASE("challenge: quoted strings with escapes, commas, equals signs and schemes in them", "[auth]") {
  auto const got = parsed({R"(Bearer a="\"\\\x", b="Basic realm=\"no\", c=d", e="")"});
  REQUIRE(got.size() == 1);
  CHECK(value(got[0], "a") == "\"\\x");
  CHECK(value(got[0], "b") == "Basic realm=\"no\", c=d");
  CHECK(value(got[0], "e").empty());
}

TEST_CASE("challenge: values that lack their quotes are taken as they are", "[auth]") {
  auto const got = parsed({"Bearer resource_metadata=https://a.example/.well-known/x?y=z, scope=a:b"});
  REQUIRE(got.size() == 1);
  CHECK(value(got[0], "resource_metadata") == "https://a.example/.well-known/x?y=z");
  CHECK(value(got[0], "scope") == "a:b");
}

TEST_CASE("challenge: what is malformed is passed over", "[auth]") {
  CHECK(parsed({"Bearer realm=\"open, scope=x"}) == challenges{challenge("Bearer")});
  CHECK(parsed({"Bearer realm=\"open\\"}) == challenges{challenge("Bearer")});
  CHECK(parsed({"\"Bearer, x\" a=b, Basic realm=c"}) == challenges{challenge("Basic", {{"realm", "c"}})});
  CHECK(parsed({"a=b, Basic realm=c"}) == challenges{challenge("Basic", {{"realm", "c"}})});
  CHECK(parsed({"Bearer: x, Basic"}) == challenges{challenge("Basic")});
  CHECK(parsed({"Bearer x=y, a=, b=c"}) == challenges{challenge("Bearer", {{"x", "y"}, {"b", "c"}})});
  CHECK(parsed({"Bearer @=1, b=c"}) == challenges{challenge("Bearer", {{"b", "c"}})});
  CHECK(parsed({"=", "==,=", "\"", "\\", "(", "\x80\xFF"}).empty());
  // A parameter goes to no challenge of another field.
  CHECK(parsed({"Bearer", "scope=x"}) == challenges{challenge("Bearer")});
}

TEST_CASE("challenge: the first of two parameters wins", "[auth]") {
  auto const got = parsed({"Bearer scope=first, Scope=second"});
  REQUIRE(got.size() == 1);
  CHECK(value(got[0], "scope") == "first");
}

TEST_CASE("challenge: bounds cut what is too much, and never half a value", "[auth]") {
  std::string many, wide = "Bearer a0=0";
  for (int i = 0; i < 40; ++i) many += "S" + std::to_string(i) + ", ";
  for (int i = 1; i < 40; ++i) wide += ", a" + std::to_string(i) + "=" + std::to_string(i);
  CHECK(parsed({many}).size() == 16);
  CHECK(parsed({many, "Bearer"}).size() == 16);
  auto const got = parsed({wide + ", Basic realm=x"});
  REQUIRE(got.size() == 2);
  CHECK(value(got[0], "a31") == "31");
  CHECK(got[0].find("a32") == nullptr);
  CHECK(value(got[1], "realm") == "x");

  std::string const filler(16 * 1024 - 30, 'x');
  auto const cut = parsed({"Bearer a=" + filler + ", resource_metadata=https://a.example/long/path, b=c", "Basic"});
  REQUIRE(cut.size() == 1);
  CHECK(value(cut[0], "a") == filler);
  CHECK(cut[0].find("resource_metadata") == nullptr);
  CHECK(parsed({"Bearer a=" + filler + filler}).empty());
}
