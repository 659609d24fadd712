// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Servers as a table of URLs, for the machines of OAuth: what is asked, and what comes back. What the table lacks is
// 404.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/auth/challenge.hpp>
#include <comcp/sansio/oauth_discovery.hpp>

#include "support/catch.hpp"

namespace comcp_test {

inline comcp::http_url url_of(std::string_view text) { return comcp::http_url::parse(text).value(); }

struct page {
  page(std::string text = "Not Found", int code = 404) : status(code), body(std::move(text)) {}
  static page json(std::string text, int code = 200) { return page(std::move(text), code); }
  static page redirect(std::string const& to, int code = 302) {
    page out("", code);
    out.headers.add("Location", to).value();
    return out;
  }
  /// No answer at all.
  static page dead() { return page("", 0); }

  int status;
  std::string body;
  comcp::http_headers headers;
};

struct site {
  std::map<std::string, page> pages;
  std::vector<std::string> asked;

  page const& get(comcp::http_url const& url) {
    static page const none;
    asked.push_back(url.text());
    auto const found = pages.find(url.text());
    return found == pages.end() ? none : found->second;
  }
};

inline comcp::auth_challenge challenge(std::string metadata_url = {}, std::string scope = {}) {
  comcp::auth_challenge out("Bearer");
  if (!metadata_url.empty()) out.add("resource_metadata", std::move(metadata_url));
  if (!scope.empty()) out.add("scope", std::move(scope));
  return out;
}

inline comcp::error const dead_host(comcp::errc::connect_failed, "connection refused");

/// Feeds a discovery until it is done, which it must be after a few requests.
inline comcp::result<comcp::sansio::discovered> discover(comcp::sansio::oauth_discovery& machine, site& web) {
  for (int n = 0; !machine.done(); ++n) {
    REQUIRE(n < 40);
    auto const url = machine.next();
    REQUIRE(url);
    auto const& got = web.get(*url);
    got.status == 0 ? machine.failed(dead_host) : machine.answered(got.status, got.headers, got.body);
  }
  CHECK_FALSE(machine.next());
  return machine.found();
}

/// A protected server with metadata at its path, and an authorization server that can all that flows need.
inline constexpr char const* mcp_url = "https://mcp.example.com/mcp";
inline constexpr char const* resource_metadata_url = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
inline constexpr char const* root_metadata_url = "https://mcp.example.com/.well-known/oauth-protected-resource";
inline constexpr char const* issuer_url = "https://as.example.com";
inline constexpr char const* server_metadata_url = "https://as.example.com/.well-known/oauth-authorization-server";

inline std::string resource_json(std::string const& more = {}, std::string const& resource = mcp_url) {
  return R"({"resource":")" + resource + R"(","authorization_servers":["https://as.example.com"])" + more + "}";
}
inline std::string server_json(std::string const& more = {}, std::string const& issuer = issuer_url) {
  return R"({"issuer":")" + issuer +
         R"(","authorization_endpoint":"https://as.example.com/authorize","token_endpoint":"https://as.example.com/token",)"
         R"("code_challenge_methods_supported":["S256"])" +
         more + "}";
}
inline site usual_site(std::string const& resource_more = {}, std::string const& server_more = {}) {
  site out;
  out.pages[resource_metadata_url] = page::json(resource_json(resource_more));
  out.pages[server_metadata_url] = page::json(server_json(server_more));
  return out;
}

}  // namespace comcp_test
