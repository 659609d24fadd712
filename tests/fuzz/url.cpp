// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// URLs: a base and, behind a line break, a reference. What parses is in its normal form, and the policy of endpoints
// never lets anybody name what is nearer than himself.
#include <comcp/http/url.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <comcp/auth/endpoint_policy.hpp>
#include <comcp/auth/metadata.hpp>

#include "fuzz/hold.hpp"

using namespace comcp;
using comcp_test::hold;

namespace {

http_url url(std::string_view text) { return http_url::parse(text).value(); }

void normal(http_url const& u) {
  auto const again = http_url::parse(u.text());
  hold(again && *again == u, "a URL that is written is read back");
  hold(comcp_test::is_plain(u.text()) && u.path().starts_with('/') && u.port() != 0 && !u.host().empty(), "a URL is whole and plain");
  hold(u.origin().find('@') == std::string::npos && u.text().starts_with(u.origin()), "there is no user in it");
  auto const path = u.path() + '/';
  hold(path.find("/./") == path.npos && path.find("/../") == path.npos, "there are no dot segments");
  hold(u.resolve(u.text()).value() == u, "it resolves to itself");
}

void metadata(http_url const& u) {
  hold(covers(canonical_resource(u), u), "a server's canonical URI covers it");
  for (auto const& list : {protected_resource_metadata_urls(u), authorization_server_metadata_urls(u)}) {
    for (auto at = list.begin(); at != list.end(); ++at) {
      normal(*at);
      hold(same_origin(*at, u) && !at->query() && !at->fragment(), "metadata is at its origin");
      hold(std::find(list.begin(), at, *at) == at, "no URL comes twice");
    }
  }
}

void policy(std::string_view text, http_url const& parsed) {
  auto const reach = reach_of(parsed.host());
  hold(reach_of(parsed.host_name()) == reach, "brackets mean nothing");
  bool nearer = true;
  for (auto const* const at : {"http://127.0.0.1/", "https://10.0.0.1/", "https://mcp.example.com/"}) {
    auto const server = url(at);
    auto const got = endpoint_policy().check(text, server);
    hold(nearer || !got, "who is farther may not name more");
    nearer = got.has_value();
    if (!got) continue;
    hold(*got == parsed, "what is checked is what was written");
    hold(reach >= reach_of(server.host()), "nothing is nearer than the server");
    hold(got->secure() || reach == address_reach::loopback, "plain http is for loopback");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const input = comcp_test::text_of(data, size);
  auto const text = input.substr(0, input.find('\n'));
  (void)reach_of(text);
  auto const parsed = http_url::parse(text);
  if (!parsed) {
    hold(!endpoint_policy().allow_http().allow_private().check(text, url("http://localhost/")), "no URL, no endpoint");
    return 0;
  }
  normal(*parsed);
  metadata(*parsed);
  policy(text, *parsed);
  if (text.size() == input.size()) return 0;
  auto const there = parsed->resolve(input.substr(text.size() + 1));
  if (there) normal(*there);
  return 0;
}
