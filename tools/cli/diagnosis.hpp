// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What answers of a server and of its authorization server mean to somebody who does not know OAuth, and what a login
// would do with them. No requests here, and no printing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <comcp/auth/challenge.hpp>
#include <comcp/auth/oauth_profile.hpp>
#include <comcp/sansio/oauth_discovery.hpp>
#include <comcp/sansio/oauth_flow.hpp>

namespace cli {

/// Something that was asked, and what came of it.
struct asked_url {
  std::string method, url;
  int status = 0;       // 0: no answer
  std::string outcome;  // in the words of the protocol
  std::string meaning;  // in plain ones
};

struct finding {
  enum class mark { good, note, problem };
  mark how = mark::good;
  std::string about, text;
  std::string advice;  // what to do about it; empty: nothing
};

struct diagnosis {
  std::string server;
  std::vector<asked_url> of_server, of_discovery;
  std::vector<finding> findings;
  bool reached = false, wants_login = false, logged_in = false, token_refused = false;

  void add(finding::mark how, std::string about, std::string text, std::string advice = {}) {
    findings.push_back({how, std::move(about), std::move(text), std::move(advice)});
  }
  [[nodiscard]] bool has_problem() const noexcept;
};

/// One answer of the server itself to a request without credentials.
struct first_answer {
  std::string method, url;
  int status = 0;
  comcp::http_headers headers;
};

/// The challenge that a login goes by; nothing where there is none.
std::optional<comcp::auth_challenge> login_challenge(comcp::http_headers const& headers);

/// Whether the server wants a login. `failure` is what connecting ended with; none: the server is content without.
void judge_server(diagnosis& d, std::vector<first_answer> const& answers, comcp::error const& failure);
/// What discovery asked.
void judge_steps(diagnosis& d, std::vector<comcp::sansio::discovery_step> const& steps);
/// What came of trying the token of the login that is stored; no failure: the server takes it.
void judge_token(diagnosis& d, comcp::error const& failure, bool renewable);
/// Whether the client may go to the authorization server that was found; `bound` is the one that is stored for it.
void judge_binding(diagnosis& d, comcp::sansio::issuer_binding const& b, std::optional<std::string> const& bound);
/// What a login refuses by itself before it registers, asks the user or wants a token, where no other finding says so.
/// `flow` is through with discovery.
void rehearse(diagnosis& d, comcp::sansio::oauth_flow& flow);
/// What a login would do with what discovery found, or why it cannot be.
void judge_login(diagnosis& d, comcp::result<comcp::sansio::discovered> const& found, comcp::oauth_profile const& profile);

}  // namespace cli
