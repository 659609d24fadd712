// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which scopes are asked for.
#include <comcp/sansio/oauth_flow.hpp>

#include "support/oauth_script.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

std::string const resource_scopes = R"(,"scopes_supported":["r1","r2"])";
std::string const offers_offline = std::string(registers) + R"(,"scopes_supported":["r1","offline_access"])";

std::string scope_asked(oauth_profile profile, std::optional<auth_challenge> said,
                        std::string const& resource_more = {}, std::string const& server_more = registers) {
  oauth_script s(std::move(profile), usual_site(resource_more, server_more));
  s.start.challenge = std::move(said);
  auto const granted = s.granted().scope;
  CHECK((granted.empty() ? "(absent)" : granted) == s.asked("scope"));
  return s.asked("scope");
}

std::string step_up(oauth_profile profile, std::string granted, std::optional<auth_challenge> said,
                    bool is_step_up = true) {
  oauth_script s(std::move(profile), usual_site(resource_scopes, registers));
  s.start.challenge = std::move(said);
  s.start.granted_scope = std::move(granted);
  s.start.step_up = is_step_up;
  return s.granted().scope;
}

oauth_profile wanting(char const* scope) {
  oauth_profile out;
  out.scope = scope;
  return out;
}

}  // namespace

TEST_CASE("oauth_flow: scopes come from the profile, else the challenge, else the resource, else none", "[sansio]") {
  CHECK(scope_asked(wanting("mine"), challenge({}, "c1 c2"), resource_scopes) == "mine");
  CHECK(scope_asked({}, challenge({}, "c1 c2"), resource_scopes) == "c1 c2");
  CHECK(scope_asked({}, challenge(), resource_scopes) == "r1 r2");
  CHECK(scope_asked({}, std::nullopt, resource_scopes) == "r1 r2");
  CHECK(scope_asked({}, challenge()) == "(absent)");
  CHECK(scope_asked({}, challenge(), R"(,"scopes_supported":[])") == "(absent)");
  CHECK(scope_asked(wanting(""), challenge({}, "c1"), resource_scopes) == "(absent)");
}

TEST_CASE("oauth_flow: step-up asks for what was granted and what is missing", "[sansio]") {
  CHECK(step_up({}, "a b", challenge({}, "b c")) == "a b c");
  CHECK(step_up(wanting("mine"), "mine b", challenge({}, "c")) == "mine b c");
  CHECK(step_up(wanting("mine"), "", challenge({}, "c")) == "mine c");
  CHECK(step_up({}, "a", challenge()) == "a r1 r2");
  CHECK(step_up({}, "a b", challenge({}, "b"), false) == "a b");  // a new login loses nothing
  CHECK(step_up(wanting("mine"), "", challenge({}, "c"), false) == "mine");
}

TEST_CASE("oauth_flow: offline_access is asked for where the authorization server offers it", "[sansio]") {
  CHECK(scope_asked({}, challenge(), resource_scopes, offers_offline) == "r1 r2 offline_access");
  CHECK(scope_asked({}, challenge({}, "offline_access c"), resource_scopes, offers_offline) == "offline_access c");
  CHECK(scope_asked({}, challenge(), resource_scopes, std::string(registers) + R"(,"scopes_supported":["r1"])") ==
        "r1 r2");
  CHECK(scope_asked({}, challenge(), R"(,"scopes_supported":["r1","offline_access"])", registers) ==
        "r1 offline_access");
  CHECK(scope_asked({}, challenge(), {}, offers_offline) == "(absent)");  // alone it would replace the default scopes

  oauth_profile without;
  without.offline_access = false;
  CHECK(scope_asked(without, challenge(), resource_scopes, offers_offline) == "r1 r2");
}
