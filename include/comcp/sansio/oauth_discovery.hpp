// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From a server's 401 to the metadata of its authorization server: which URL is asked next, and what each answer means. Every
// step is remembered, for errors and for `comcp doctor`. Pure.
// Specification: 2026-07-28, basic/authorization/authorization-server-discovery; 2025-03-26, basic/authorization
#pragma once

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

/// What discovery found.
struct discovered {
  discovered() = default;
  std::string server;                       ///< The MCP endpoint.
  std::optional<protected_resource_metadata> resource_metadata;  ///< Absent: none is published.
  std::string resource;                     ///< As it is to be sent.
  authorization_server_metadata authorization_server;
  bool assumed = false;                     ///< Default endpoints of 2025-03-26: no metadata at all.
  std::string challenge_scope;              ///< Of the challenge; empty: none.
};

/// One URL that was asked, and what came of it.
struct discovery_step {
  enum class kind { resource_metadata, authorization_server_metadata };
  discovery_step() = default;
  kind what = kind::resource_metadata;
  std::string url;
  int status = 0;         ///< 0: no answer.
  std::string outcome;    ///< One line: "used", "404", "its issuer is ... instead of ...", ...
};

/// Feed it answers until it is done(). Redirects of metadata within one origin are followed, three at most.
class oauth_discovery {
 public:
  oauth_discovery(http_url server, oauth_profile const& profile, std::optional<auth_challenge> const& challenge);

  /// What to GET next; nothing when done().
  [[nodiscard]] std::optional<http_url> next() const;
  /// The whole answer to it.
  void answered(int status, http_headers const& headers, std::string_view body);
  /// None came: `why`. Failures of the network end discovery: another URL of the same host would not help.
  void failed(error const& why);

  [[nodiscard]] bool done() const noexcept;
  /// When done: what was found, or an errc::unauthorized that lists every URL tried and what it answered.
  [[nodiscard]] result<discovered> found() const;
  [[nodiscard]] std::vector<discovery_step> const& steps() const noexcept;

 private:
};

}  // namespace comcp::sansio
