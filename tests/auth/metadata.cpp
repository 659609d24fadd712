// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/metadata.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace comcp;

namespace {

using strings = std::vector<std::string>;

http_url url(std::string_view text) { return http_url::parse(text).value(); }

strings texts(std::vector<http_url> const& urls) {
  strings out;
  for (auto const& u : urls) out.push_back(u.text());
  return out;
}

auto resource_metadata(std::string_view text) { return protected_resource_metadata::from_json(json::parse(text).value()); }
auto server_metadata(std::string_view text) { return authorization_server_metadata::from_json(json::parse(text).value()); }

}  // namespace

TEST_CASE("metadata: of a protected resource, with everything", "[auth]") {
  auto const got = resource_metadata(R"({"resource":"https://MCP.example.com/mcp/","authorization_servers":["https://a","https://b"],
    "scopes_supported":["files:read"],"dpop_bound_access_tokens_required":true,
    "dpop_signing_alg_values_supported":["ES256"],"bearer_methods_supported":["header"],"x":{"y":1}})");
  REQUIRE(got);
  CHECK(got->resource == "https://MCP.example.com/mcp/");  // byte for byte
  CHECK(got->authorization_servers == strings{"https://a", "https://b"});
  CHECK(got->scopes_supported == strings{"files:read"});
  CHECK(got->dpop_bound_access_tokens_required);
  CHECK(got->dpop_signing_alg_values_supported == strings{"ES256"});
  CHECK(got->raw["x"]["y"].as_int64() == 1);
  CHECK(got->raw["bearer_methods_supported"].dump() == R"(["header"])");
}

TEST_CASE("metadata: absent and null fields are empty", "[auth]") {
  auto const got = resource_metadata(R"({"resource":"r","authorization_servers":null,"scopes_supported":null})");
  REQUIRE(got);
  CHECK(got->authorization_servers.empty());
  CHECK_FALSE(got->scopes_supported);
  CHECK_FALSE(got->dpop_bound_access_tokens_required);
  auto const server = server_metadata(R"({"issuer":"https://a"})");
  REQUIRE(server);
  CHECK(server->token_endpoint.empty());
  CHECK_FALSE(server->token_endpoint_auth_methods_supported);
  CHECK_FALSE(server->authorization_response_iss_parameter_supported);
  CHECK_FALSE(server->supports_s256());
}

TEST_CASE("metadata: of an authorization server, with everything", "[auth]") {
  auto const got = server_metadata(R"({"issuer":"https://a/","authorization_endpoint":"ae","token_endpoint":"te",
    "registration_endpoint":"re","revocation_endpoint":"ve","scopes_supported":[],"grant_types_supported":["g"],
    "code_challenge_methods_supported":["plain","S256"],"token_endpoint_auth_methods_supported":["none"],
    "token_endpoint_auth_signing_alg_values_supported":["ES256"],"dpop_signing_alg_values_supported":["ES384"],
    "client_id_metadata_document_supported":true,"authorization_response_iss_parameter_supported":true,"more":2})");
  REQUIRE(got);
  CHECK(got->issuer == "https://a/");
  CHECK(got->authorization_endpoint == "ae");
  CHECK(got->token_endpoint == "te");
  CHECK(got->registration_endpoint == "re");
  CHECK(got->revocation_endpoint == "ve");
  CHECK(got->scopes_supported == strings{});
  CHECK(got->grant_types_supported == strings{"g"});
  CHECK(got->supports_s256());
  CHECK(got->token_endpoint_auth_methods_supported == strings{"none"});
  CHECK(got->token_endpoint_auth_signing_alg_values_supported == strings{"ES256"});
  CHECK(got->dpop_signing_alg_values_supported == strings{"ES384"});
  CHECK(got->client_id_metadata_document_supported);
  CHECK(got->authorization_response_iss_parameter_supported);
  CHECK(got->raw["more"].as_int64() == 2);
  CHECK_FALSE(server_metadata(R"({"issuer":"a","code_challenge_methods_supported":["plain","s256"]})")->supports_s256());
}

TEST_CASE("metadata: wrong types are errors with their place", "[auth]") {
  struct wrong {
    char const* text;
    char const* place;
  };
  for (auto const& [text, place] : {wrong{R"({"resource":1})", "/resource"},
                                    wrong{R"({})", "resource"},
                                    wrong{R"({"resource":null})", "/resource"},
                                    wrong{R"([])", ""},
                                    wrong{R"("resource")", ""},
                                    wrong{R"({"resource":"r","authorization_servers":"https://a"})", "/authorization_servers"},
                                    wrong{R"({"resource":"r","authorization_servers":["a",{}]})", "/authorization_servers/1"},
                                    wrong{R"({"resource":"r","scopes_supported":[1]})", "/scopes_supported/0"},
                                    wrong{R"({"resource":"r","dpop_bound_access_tokens_required":"no"})", "/dpop_bound"}}) {
    INFO(text);
    auto const got = resource_metadata(text);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::wrong_shape);
    CHECK_THAT(std::string(got.error().message()), match::contains(place));
  }
  for (auto const& [text, place] : {wrong{R"({})", "issuer"},
                                    wrong{R"({"issuer":[]})", "/issuer"},
                                    wrong{R"({"issuer":"a","token_endpoint":{}})", "/token_endpoint"},
                                    wrong{R"({"issuer":"a","code_challenge_methods_supported":"S256"})", "/code_challenge"},
                                    wrong{R"({"issuer":"a","client_id_metadata_document_supported":1})", "/client_id_meta"}}) {
    INFO(text);
    auto const got = server_metadata(text);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::wrong_shape);
    CHECK_THAT(std::string(got.error().message()), match::contains(place));
  }
}

TEST_CASE("metadata: lists have a bound", "[auth]") {
  std::string list;
  for (int i = 0; i < 1024; ++i) list += "\"s\",";
  auto const with = [](std::string const& l) { return R"({"resource":"r","scopes_supported":[)" + l + "]}"; };
  list.pop_back();
  CHECK(resource_metadata(with(list)));
  auto const more = resource_metadata(with(list + ",\"s\""));
  REQUIRE_FALSE(more);
  CHECK(more.error() == errc::wrong_shape);
  CHECK_THAT(std::string(more.error().message()), match::contains("/scopes_supported"));
}

TEST_CASE("metadata: where a protected resource's is looked for", "[auth]") {
  auto const of = [](std::string_view text) { return texts(protected_resource_metadata_urls(url(text))); };
  std::string const known = "https://example.com/.well-known/oauth-protected-resource";
  CHECK(of("https://example.com/public/mcp") == strings{known + "/public/mcp", known});
  CHECK(of("https://example.com/public/mcp/?a=b#c") == strings{known + "/public/mcp", known});
  CHECK(of("https://example.com") == strings{known});
  CHECK(of("https://Example.com:443//") == strings{known});
  CHECK(of("http://localhost:3000/mcp") == strings{"http://localhost:3000/.well-known/oauth-protected-resource/mcp",
                                                   "http://localhost:3000/.well-known/oauth-protected-resource"});
}

TEST_CASE("metadata: where an authorization server's is looked for", "[auth]") {
  auto const of = [](std::string_view text) { return texts(authorization_server_metadata_urls(url(text))); };
  CHECK(of("https://auth.example.com/tenant1") ==
        strings{"https://auth.example.com/.well-known/oauth-authorization-server/tenant1",
                "https://auth.example.com/.well-known/openid-configuration/tenant1",
                "https://auth.example.com/tenant1/.well-known/openid-configuration"});
  CHECK(of("https://auth.example.com/tenant1/") == of("https://auth.example.com/tenant1"));
  strings const root = {"https://auth.example.com/.well-known/oauth-authorization-server",
                        "https://auth.example.com/.well-known/openid-configuration"};
  CHECK(of("https://auth.example.com") == root);
  CHECK(of("https://auth.example.com/?q") == root);
  for (auto const* const path : {"/.well-known/openid-configuration",
                                 "/.well-known/openid-configuration/.well-known/openid-configuration"}) {
    CHECK(of(std::string("https://auth.example.com") + path).size() == 2);  // none is asked for twice
  }
  CHECK(of("http://127.0.0.1:9000/a/b")[2] == "http://127.0.0.1:9000/a/b/.well-known/openid-configuration");
}

TEST_CASE("metadata: the endpoints that 2025-03-26 assumes", "[auth]") {
  auto const got = authorization_server_metadata::assumed_at(url("https://api.example.com:8443/v1/mcp?x"));
  CHECK(got.issuer.empty());
  CHECK(got.authorization_endpoint == "https://api.example.com:8443/authorize");
  CHECK(got.token_endpoint == "https://api.example.com:8443/token");
  CHECK(got.registration_endpoint == "https://api.example.com:8443/register");
  CHECK(got.supports_s256());
}

TEST_CASE("metadata: the canonical URI of a server", "[auth]") {
  CHECK(canonical_resource(url("https://MCP.Example.com/MCP")) == "https://mcp.example.com/MCP");
  CHECK(canonical_resource(url("https://mcp.example.com/")) == "https://mcp.example.com");
  CHECK(canonical_resource(url("https://mcp.example.com:8443")) == "https://mcp.example.com:8443");
  CHECK(canonical_resource(url("https://mcp.example.com:443/server/mcp/?q=1#f")) == "https://mcp.example.com/server/mcp");
}

TEST_CASE("metadata: a resource covers a server of its origin at or below its path", "[auth]") {
  auto const server = url("https://example.com/team/mcp");
  for (auto const good : {"https://example.com", "https://example.com/", "https://EXAMPLE.com:443/team", "https://example.com/team/",
                          "https://example.com/team/mcp", "https://example.com/team/mcp/", "https://example.com/x/../team"}) {
    INFO(good);
    CHECK(covers(good, server));
  }
  for (auto const bad : {"", "example.com", "http://example.com/team/mcp", "https://example.com:8443/team/mcp",
                         "https://evil.example/team/mcp", "https://example.com.evil.example/", "https://example.com/te",
                         "https://example.com/team/mc", "https://example.com/team/mcp/x", "https://example.com/team/mcp2",
                         "https://example.com/TEAM", "https://example.com/team/../other", "https://example.com/team%2Fmcp",
                         "https://example.com/team#x", "https://user@example.com/team"}) {
    INFO(bad);
    CHECK_FALSE(covers(bad, server));
  }
  CHECK(covers("https://example.com/mcp/", url("https://example.com/mcp")));
  CHECK(covers("https://example.com/mcp", url("https://example.com/mcp/")));
  for (auto const* const query : {"", "?t=1", "?t=2"})
    CHECK(covers("https://example.com/mcp?t=1", url(std::string("https://example.com/mcp") + query)));
}
