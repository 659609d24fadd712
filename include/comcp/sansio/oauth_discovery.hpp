// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From a server's 401 to the metadata of its authorization server: which URL is asked next, and what each answer means. Every
// step is remembered, for errors and for `comcp doctor`. Pure.
// Specification: 2026-07-28, basic/authorization/authorization-server-discovery; 2025-03-26, basic/authorization
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/auth/challenge.hpp>
#include <comcp/auth/metadata.hpp>
#include <comcp/auth/oauth_profile.hpp>
#include <comcp/error.hpp>
#include <comcp/http/url.hpp>

namespace comcp::sansio {

namespace detail {
/// Text of a server for an error: one line, bounded.
std::string shown(std::string_view text);
}  // namespace detail

/// What discovery found.
struct discovered {
  discovered() = default;
  std::string server;                       ///< The MCP endpoint.
  std::optional<protected_resource_metadata> resource_metadata;  ///< Absent: none is published.
  std::string resource;                     ///< As it is to be sent.
  authorization_server_metadata authorization_server;
  bool assumed = false;                     ///< Default endpoints of 2025-03-26: no metadata at all.
  std::string challenge_scope;              ///< Of the challenge; empty: none.
  bool dpop_challenged = false;             ///< The server takes the DPoP scheme alone.
};

/// One URL that was asked, and what came of it.
struct discovery_step {
  enum class kind { resource_metadata, authorization_server_metadata };
  discovery_step() = default;
  kind what = kind::resource_metadata;
  std::string url;        ///< Without its query; of one that may not be asked, the origin.
  int status = 0;         ///< 0: no answer.
  std::string outcome;    ///< One line: "used", "404", "its issuer is ... instead of ...", ...
};

/// Feed it answers until it is done(). Redirects of metadata within one origin are followed, three at most. An answer that
/// cannot be used leads to the next place where the document may be, never to a weaker form of discovery: what 2025-03-26
/// assumes needs a server that names no metadata and has none anywhere (4xx).
class oauth_discovery {
 public:
  oauth_discovery(http_url server, oauth_profile const& profile, std::optional<auth_challenge> const& challenge);

  /// What to GET next; nothing when done().
  [[nodiscard]] std::optional<http_url> next() const;
  /// The whole answer to it.
  void answered(int status, http_headers const& headers, std::string_view body);
  /// None came: `why`. Another URL of the same origin is not asked: it would not help.
  void failed(error const& why);

  [[nodiscard]] bool done() const noexcept { return phase_ == phase::done; }
  /// When done: what was found, or an errc::unauthorized that lists every URL tried and what it answered.
  [[nodiscard]] result<discovered> found() const;
  /// As found() fails, for what turned out later: that the endpoints it assumed are not there.
  [[nodiscard]] error not_found(std::string why) const;
  [[nodiscard]] std::vector<discovery_step> const& steps() const noexcept { return steps_; }

 private:
  enum class phase { resource, issuer, server_origin, done };

  void look_at(std::vector<http_url> const& urls);
  void refuse_named(std::string_view url, error const& why);
  bool follow(http_url const& asked, int status, http_headers const& headers);
  void go_on();
  void nothing_left();
  std::string read_resource(json::value document);
  std::string read_server(json::value document);
  void resource_read();
  result<std::string> choose_server();
  void start_issuer(std::string issuer);
  void note(http_url const& url, int status, std::string outcome);
  void fail(std::string why);

  http_url server_;
  oauth_profile profile_;
  phase phase_ = phase::resource;
  std::deque<http_url> candidates_;
  std::string issuer_;           // the one that is asked for
  bool named_ = false;           // the challenge names metadata
  bool absent_ = true;           // every answer of this phase was a 4xx
  int redirects_ = 0;
  discovered found_;
  std::vector<discovery_step> steps_;
  std::optional<error> failure_;
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/sansio/impl/oauth_discovery.ipp>
#endif
