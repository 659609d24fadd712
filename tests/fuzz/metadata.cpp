// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Documents of discovery, and the answers of token and registration endpoints: any JSON as any of them.
#include <comcp/auth/metadata.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <comcp/auth/endpoint_policy.hpp>
#include <comcp/auth/registration.hpp>
#include <comcp/auth/token.hpp>

#include "fuzz/hold.hpp"

using namespace comcp;
using comcp_test::hold;

namespace {

auto const server = http_url::parse("https://mcp.example.com/team/mcp").value();
auto const now = token_set::time_point(std::chrono::seconds(1'795'000'000));

void bounded(std::optional<std::vector<std::string>> const& list) { hold(!list || list->size() <= 1024, "lists are bounded"); }

void endpoint(std::string const& text) {
  auto const url = endpoint_policy().check(text, server);
  if (!url) return;
  hold(url->secure() && !url->fragment(), "endpoints are https and have no fragment");
  hold(reach_of(url->host()) == address_reach::public_network, "a public server names public addresses");
  hold(comcp_test::is_plain(url->text()), "an endpoint is plain text");
  hold(http_url::parse(url->text()).value() == *url, "an endpoint that is written is read back");
}

void shown(oauth_refusal const& refusal) {
  hold(!refusal.code.empty() && refusal.code.size() <= 128 && refusal.description.size() <= 512, "refusals are short");
  for (char const c : refusal.code + refusal.description) hold(c >= ' ' && c <= '~', "refusals are printable");
}

void resource(json::value const& document) {
  auto const got = protected_resource_metadata::from_json(document);
  if (!got) return hold(got.error() == errc::wrong_shape, "only the shape may be wrong");
  hold(got->raw == document, "nothing is lost");
  bounded(got->authorization_servers);
  bounded(got->scopes_supported);
  if (covers(got->resource, server)) {
    auto const url = http_url::parse(got->resource).value();
    hold(same_origin(url, server) && server.path().starts_with(url.path().substr(0, url.path().find_last_not_of('/') + 1)),
         "a resource that covers a server is above it");
  }
  for (auto const& issuer : got->authorization_servers) endpoint(issuer);
}

void authorization_server(json::value const& document) {
  auto const got = authorization_server_metadata::from_json(document);
  if (!got) return hold(got.error() == errc::wrong_shape, "only the shape may be wrong");
  hold(got->raw == document, "nothing is lost");
  bounded(got->scopes_supported);
  bounded(got->code_challenge_methods_supported);
  for (auto const* url : {&got->issuer, &got->authorization_endpoint, &got->token_endpoint, &got->registration_endpoint}) endpoint(*url);
}

void answers(std::string_view body) {
  for (int const status : {200, 400}) {
    auto const token = read_token_answer(status, body, now);
    if (!token) {
      hold(token.error() == errc::protocol_violation && token.error().detail()->http_status == status, "a bad answer says so");
    } else if (auto const* const tokens = std::get_if<token_set>(&*token)) {
      hold(status == 200 && !tokens->access_token.empty(), "tokens come with success");
      hold(!tokens->expires_at || (*tokens->expires_at >= now && *tokens->expires_at < now + std::chrono::hours(24 * 3661)),
           "lifetimes are sane");
    } else {
      shown(std::get<oauth_refusal>(*token));
    }
    auto const client = read_registration_answer(status, body, "https://as", now);
    if (!client) continue;
    if (auto const* const refusal = std::get_if<oauth_refusal>(&*client)) {
      shown(*refusal);
    } else {
      auto const& made = std::get<oauth_client>(*client);
      hold(made.issuer() == "https://as" && !made.id().empty() && !made.key(), "a client belongs to who was asked");
      hold(oauth_client::from_json(made.to_json()).value() == made, "a client that is stored is read back");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const input = comcp_test::text_of(data, size);
  answers(input);
  auto const document = json::parse(input);
  if (!document) return 0;
  resource(*document);
  authorization_server(*document);
  return 0;
}
