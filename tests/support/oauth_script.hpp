// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Drives an oauth_flow over a site, with a user, a store and a source that do what the test says. Every secret of it
// has the word SECRET in it.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/sansio/oauth_flow.hpp>

#include "support/oauth_site.hpp"

namespace comcp_test {

using comcp::oauth_client;
using comcp::oauth_profile;
using comcp::secret;
using comcp::sansio::oauth_flow;
using comcp::sansio::oauth_start;
using want = oauth_flow::want;

inline constexpr char const* registered_json =
    R"({"client_id":"dyn-1","token_endpoint_auth_method":"none","redirect_uris":["http://127.0.0.1:7777/callback"]})";
inline constexpr char const* token_json =
    R"({"access_token":"ACCESS-SECRET","token_type":"bearer","refresh_token":"REFRESH-SECRET","expires_in":3600})";
inline constexpr char const* registers = R"(,"registration_endpoint":"https://as.example.com/register")";

struct oauth_script {
  explicit oauth_script(oauth_profile profile = {}, site web_ = usual_site({}, registers))
      : web(std::move(web_)), about(std::move(profile)) {}

  site web;
  oauth_profile about;
  oauth_start start{url_of(mcp_url)};
  std::optional<oauth_client> stored;
  std::optional<std::string> stored_issuer;  ///< Of whatever is bound to one.
  std::string redirect_uri = "http://127.0.0.1:7777/callback";
  std::deque<page> registrations{page::json(registered_json, 201)};
  page token = page::json(token_json);
  std::string more_of_redirect;  ///< Behind code and state.
  std::string state_of_redirect = "STATE-SECRET";
  std::function<bool(oauth_flow&, int)> instead;  ///< Called before each step; true: it took the step.

  std::optional<oauth_flow> flow;
  std::vector<want> wants;
  std::vector<std::string> registration_bodies, registered_at, known, tokens_at;
  comcp::form_fields form;  ///< Of the token request.
  std::string authorization_url;

  oauth_flow& run() {
    flow.emplace(about, start);
    for (int n = 0; flow->next() != want::done && flow->next() != want::failed; ++n) {
      REQUIRE(n < 60);
      wants.push_back(flow->next());
      if (!instead || !instead(*flow, n)) step();
    }
    return *flow;
  }
  /// Runs to the end, which must be tokens.
  comcp::sansio::oauth_grant const& granted() {
    run();
    INFO(flow->failure().to_string());
    REQUIRE(flow->next() == want::done);
    return flow->grant();
  }
  /// Runs to the end, which must be a failure.
  std::string refused() {
    run();
    REQUIRE(flow->next() == want::failed);
    CHECK(flow->failure());
    auto const text = flow->failure().to_string();
    CHECK(text.find("SECRET") == text.npos);
    return text;
  }
  [[nodiscard]] int times(want what) const { return static_cast<int>(std::count(wants.begin(), wants.end(), what)); }
  [[nodiscard]] std::string field(std::string_view name) const {
    auto const* const value = form.find(name);
    return value ? *value : "(absent)";
  }
  /// A parameter of the authorization request.
  [[nodiscard]] std::string asked(std::string_view name) const {
    auto const query = comcp::form_fields::parse(url_of(authorization_url).query().value_or("")).value();
    auto const* const value = query.find(name);
    return value ? *value : "(absent)";
  }

 private:
  void answer(page const& p) {
    p.status == 0 ? flow->failed(dead_host) : flow->answered(p.status, p.headers, p.body, {});
  }
  void step() {
    switch (flow->next()) {
      case want::get: return answer(web.get(flow->url()));
      case want::binding: {
        auto const allowed = flow->binding().check(stored_issuer);
        return allowed ? flow->bound() : flow->failed(allowed.error());
      }
      case want::stored_client: return flow->registration_found(stored);
      case want::redirect_uri:
        known = flow->known_redirects();
        return flow->redirecting_to(redirect_uri, secret("STATE-SECRET"), secret("VERIFIER-SECRET"));
      case want::post_json: {
        registration_bodies.push_back(flow->body());
        registered_at.push_back(flow->url().text());
        auto const p = registrations.front();
        if (registrations.size() > 1) registrations.pop_front();
        return answer(p);
      }
      case want::user:
        authorization_url = flow->pending().url().value().text();
        return flow->redirected(redirect_uri + "?code=CODE-SECRET&state=" + state_of_redirect + more_of_redirect);
      case want::assertion: return flow->asserted(secret("ASSERTION-SECRET"));
      case want::post_token:
        form = flow->form();
        tokens_at.push_back(flow->url().text());
        return answer(token);
      default: return;
    }
  }
};

inline oauth_profile with_client(oauth_client client) {
  oauth_profile out;
  out.clients.push_back(std::move(client));
  return out;
}

}  // namespace comcp_test
