// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include <comcp/sansio/oauth_discovery.hpp>
#include <comcp/version.hpp>

namespace comcp::sansio {
namespace detail {

constexpr int most_metadata_redirects = 3;

COMCP_DECL std::string shown(std::string_view text) {
  constexpr std::size_t most = 200;
  std::string out(text.substr(0, most));
  for (auto& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > most ? out + "..." : out;
}

COMCP_DECL result<json::value> read_metadata_json(std::string_view body) {
  auto document =
      json::parse(body, json::parse_options().max_bytes(std::size_t{1} << 20).max_depth(32).max_nodes(65536));
  if (!document) return error(document.error() == errc::limit_exceeded ? errc::limit_exceeded : errc::invalid_json);
  if (!document->is_object()) return errc::wrong_shape;
  return document;
}

COMCP_DECL std::string why_no_metadata(error const& e, http_headers const& headers) {
  if (e == errc::limit_exceeded) return "too large";
  if (e == errc::wrong_shape) return "JSON, but no object";
  auto const* const type = headers.find("Content-Type");
  auto const media = type ? media_type::parse(*type) : std::nullopt;
  if (!media || media->is("application/json")) return "not JSON";
  return shown(media->essence()) + " instead of JSON";
}

}  // namespace detail

COMCP_DECL oauth_discovery::oauth_discovery(http_url server, oauth_profile const& profile,
                                            std::optional<auth_challenge> const& challenge)
    : server_(std::move(server)), profile_(profile) {
  found_.server = server_.text();
  if (challenge) {
    found_.dpop_challenged = challenge->is("DPoP");
    if (auto const* const scope = challenge->find("scope")) found_.challenge_scope = *scope;
    if (auto const* const url = challenge->find("resource_metadata")) {
      named_ = true;
      if (auto checked = profile_.policy.check(*url, server_)) {
        candidates_.push_back(std::move(*checked));
      } else {
        refuse_named(*url, checked.error());
      }
    }
  }
  look_at(protected_resource_metadata_urls(server_));
  if (candidates_.empty()) nothing_left();
}

COMCP_DECL std::optional<http_url> oauth_discovery::next() const {
  if (done() || candidates_.empty()) return std::nullopt;
  return candidates_.front();
}

COMCP_DECL void oauth_discovery::answered(int status, http_headers const& headers, std::string_view body) {
  if (done() || candidates_.empty()) return;
  auto const asked = candidates_.front();
  candidates_.pop_front();
  if (status / 100 == 3 && follow(asked, status, headers)) return;
  redirects_ = 0;
  if (status / 100 != 4) absent_ = false;
  if (status / 100 == 3) return go_on();
  if (status != 200) return note(asked, status, std::to_string(status)), go_on();

  auto document = detail::read_metadata_json(body);
  if (!document) return note(asked, status, detail::why_no_metadata(document.error(), headers)), go_on();
  auto const was = phase_;
  auto why = was == phase::resource ? read_resource(std::move(*document)) : read_server(std::move(*document));
  auto const used = why.empty();
  note(asked, status, used ? "used" : std::move(why));
  if (!used) return go_on();
  candidates_.clear();
  if (was == phase::resource) return resource_read();
  phase_ = phase::done;
}

COMCP_DECL void oauth_discovery::failed(error const& why) {
  if (done() || candidates_.empty()) return;
  auto const asked = candidates_.front();
  absent_ = false;
  redirects_ = 0;
  note(asked, 0, detail::shown(why.to_string()));
  std::erase_if(candidates_, [&](http_url const& other) { return same_origin(other, asked); });
  go_on();
}

COMCP_DECL result<discovered> oauth_discovery::found() const {
  if (failure_) return *failure_;
  if (!done()) return error(errc::invalid_argument, "discovery is not done");
  return found_;
}

/// Queues what the policy lets pass, each URL once.
COMCP_DECL void oauth_discovery::look_at(std::vector<http_url> const& urls) {
  for (auto const& url : urls) {
    auto checked = profile_.policy.check(url.text(), server_);
    if (!checked) {
      note(url, 0, "refused: " + detail::shown(checked.error().message()));
      absent_ = false;
    } else if (std::find(candidates_.begin(), candidates_.end(), *checked) == candidates_.end()) {
      candidates_.push_back(std::move(*checked));
    }
  }
}

COMCP_DECL void oauth_discovery::refuse_named(std::string_view url, error const& why) {
  discovery_step step;
  auto const parsed = http_url::parse(url);
  step.url = parsed ? detail::shown(parsed->origin()) : std::string("resource_metadata of the challenge");
  step.outcome = "refused: " + detail::shown(why.message());
  steps_.push_back(std::move(step));
  absent_ = false;
}

/// Whether it is a redirect that may be followed; one that may not is noted.
COMCP_DECL bool oauth_discovery::follow(http_url const& asked, int status, http_headers const& headers) {
  auto const* const location = headers.find("Location");
  auto const target = location ? asked.resolve(*location) : result<http_url>(errc::invalid_argument);
  auto const code = std::to_string(status);
  if (!target) return note(asked, status, code + " without an address"), false;
  if (!same_origin(*target, asked)) return note(asked, status, code + " to another origin, not followed"), false;
  if (redirects_ == detail::most_metadata_redirects)
    return note(asked, status, code + ", one redirect too many"), false;
  ++redirects_;
  note(asked, status, code + ", followed");
  candidates_.push_front(*target);
  return true;
}

COMCP_DECL void oauth_discovery::go_on() {
  if (candidates_.empty()) nothing_left();
}

COMCP_DECL void oauth_discovery::nothing_left() {
  if (phase_ == phase::server_origin && absent_) {
    found_.assumed = true;
    found_.authorization_server = authorization_server_metadata::assumed_at(server_);
    phase_ = phase::done;
    return;
  }
  if (phase_ != phase::resource) return fail("no metadata of the authorization server can be used");
  if (!absent_) return fail("its resource metadata cannot be used");
  found_.resource = profile_.resource ? *profile_.resource : canonical_resource(server_);
  if (profile_.issuer) return start_issuer(*profile_.issuer);
  if (named_ || !profile_.legacy_fallback) return fail("it has no resource metadata");

  phase_ = phase::server_origin;
  auto const origin = server_.resolve("/");
  if (origin) look_at({authorization_server_metadata_urls(*origin).front()});
  if (candidates_.empty()) nothing_left();
}

/// Why it cannot be used; empty where it can.
COMCP_DECL std::string oauth_discovery::read_resource(json::value document) {
  auto read = protected_resource_metadata::from_json(std::move(document));
  if (!read) return detail::shown(read.error().message());
  // A pinned resource is what RFC 9728, section 3.3, compares with; otherwise it is the server that was asked for.
  if (profile_.resource ? read->resource != *profile_.resource : !covers(read->resource, server_)) {
    return "it is for " + detail::shown(read->resource);
  }
  if (!profile_.resource && profile_.accept_wider && is_wider(read->resource, server_) &&
      !profile_.accept_wider(read->resource)) {
    return "it is for all of " + detail::shown(read->resource) + ", which was not accepted";
  }
  found_.resource = read->resource;
  found_.resource_metadata = std::move(*read);
  return {};
}

COMCP_DECL void oauth_discovery::resource_read() {
  auto issuer = choose_server();
  if (!issuer) return fail(std::string(issuer.error().message()));
  start_issuer(std::move(*issuer));
}

COMCP_DECL result<std::string> oauth_discovery::choose_server() {
  auto const& metadata = *found_.resource_metadata;
  auto const& servers = metadata.authorization_servers;
  if (profile_.issuer) {
    if (servers.empty() || std::find(servers.begin(), servers.end(), *profile_.issuer) != servers.end())
      return *profile_.issuer;
    return error(errc::unauthorized, "its resource metadata does not name the authorization server that is pinned, " +
                                         detail::shown(*profile_.issuer));
  }
  if (servers.empty()) return error(errc::unauthorized, "its resource metadata names no authorization server");
  if (!profile_.choose) return servers.front();
  auto const index = profile_.choose(metadata);
  if (!index) return error(errc::unauthorized, "none of its authorization servers was chosen");
  if (*index >= servers.size())
    return error(errc::unauthorized, "the authorization server that was chosen does not exist");
  return servers[*index];
}

COMCP_DECL void oauth_discovery::start_issuer(std::string issuer) {
  auto const url = profile_.policy.check(issuer, server_);
  auto const name = "the authorization server " + (url ? detail::shown(issuer) : std::string("that it names"));
  if (!url) return fail(name + " is refused: " + detail::shown(url.error().message()));
  if (url->query()) return fail(name + " is no issuer: it has a query");
  phase_ = phase::issuer;
  absent_ = true;
  issuer_ = std::move(issuer);
  look_at(authorization_server_metadata_urls(*url));
  if (candidates_.empty()) nothing_left();
}

/// Why it cannot be used; empty where it can.
COMCP_DECL std::string oauth_discovery::read_server(json::value document) {
  auto read = authorization_server_metadata::from_json(std::move(document));
  if (!read) return detail::shown(read.error().message());
  if (phase_ == phase::issuer && read->issuer != issuer_) {
    return "its issuer is " + detail::shown(read->issuer) + " instead of " + detail::shown(issuer_);
  }
  // Revision 2025-03-26 asks a place, not an issuer, so there is nothing to be identical with (RFC 8414, section 3.3).
  // What that comparison is for still holds: a document may not speak for an issuer elsewhere, whose credentials it
  // would get. Whoever writes the root of an origin has all issuers of that origin anyway, so any of them is accepted.
  if (phase_ == phase::server_origin) {
    auto const issuer = profile_.policy.check(read->issuer, server_);
    if (!issuer || !same_origin(*issuer, server_)) {
      return "its issuer is " + detail::shown(read->issuer) + ", which is not at " + server_.origin();
    }
  }
  found_.authorization_server = std::move(*read);
  return {};
}

COMCP_DECL void oauth_discovery::note(http_url const& url, int status, std::string outcome) {
  discovery_step step;
  step.what = phase_ == phase::resource ? discovery_step::kind::resource_metadata
                                        : discovery_step::kind::authorization_server_metadata;
  step.url = detail::shown(url.origin() + url.path());
  step.status = status;
  step.outcome = std::move(outcome);
  steps_.push_back(std::move(step));
}

COMCP_DECL error oauth_discovery::not_found(std::string why) const {
  std::string text = "authorization for " + server_.origin() + server_.path() + " was not found: " + std::move(why);
  char const* between = "; tried ";
  for (auto const& step : steps_) {
    text += between + step.url + " (" + step.outcome + ')';
    between = ", ";
  }
  return error(errc::unauthorized, std::move(text));
}

COMCP_DECL void oauth_discovery::fail(std::string why) {
  failure_ = not_found(std::move(why));
  candidates_.clear();
  phase_ = phase::done;
}

}  // namespace comcp::sansio
