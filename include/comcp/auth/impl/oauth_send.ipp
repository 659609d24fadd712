// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/auth/oauth_send.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<result<oauth_response>> send_one(oauth_io io, http_request request) {
  auto const origin = request.url.origin();
  request.timeouts.total(io.timeout);
  // A coroutine that is a lambda is part of it.
  auto const send = std::make_shared<oauth_sender>(std::move(io.send));
  auto sending = (*send)(std::move(request));
  auto got = co_await within<oauth_response>(io.time, io.timeout, std::move(sending), "no answer in time", send);
  if (!got) {
    auto text = std::string(got.error().message());
    text = text.empty() ? origin : origin + ": " + text;
    co_return got.error().with_message(std::move(text));
  }
  if (got->body.size() > io.max_body) co_return error(errc::limit_exceeded, origin + ": the answer is longer than max_body()");
  co_return std::move(*got);
}

COMCP_LAZY_DECL http_request get_request(http_url url) {
  http_request r(std::move(url), "GET");
  (void)r.headers.add("Accept", "application/json");
  r.repeatable = true;
  return r;
}

COMCP_LAZY_DECL http_request json_request(http_url url, std::string body) {
  http_request r(std::move(url), "POST");
  (void)r.headers.add("Accept", "application/json");
  (void)r.headers.add("Content-Type", "application/json");
  r.body = std::move(body);
  return r;
}

COMCP_LAZY_DECL void hide(std::string& text, std::string_view secret_text) {
  if (secret_text.size() < 4) return;
  for (auto at = text.find(secret_text); at != std::string::npos; at = text.find(secret_text, at + 3)) {
    text.replace(at, secret_text.size(), "***");
  }
}

namespace oauth_detail {

// Some servers repeat in a refusal what they were sent, and descriptions go into errors.
inline void hide_secrets(oauth_response& answer, form_fields const& sent, oauth_client const& client) {
  bool const refused = answer.status >= 400 || answer.body.find("\"access_token\"") == std::string::npos;
  if (!refused) return;
  for (auto const* const name : {"code", "code_verifier", "refresh_token", "client_secret", "client_assertion", "assertion",
                                 "subject_token", "token"}) {
    if (auto const* const value = sent.find(name)) hide(answer.body, *value);
  }
  hide(answer.body, client.client_secret().reveal());
}

COMCP_LAZY inline asio::awaitable<result<secret>> client_assertion(oauth_io io, oauth_steps::token_endpoint at) {
  assertion_request about;
  about.client_id = at.client().id();
  about.token_endpoint = at.url().text();
  about.audience = at.issuer().empty() ? about.token_endpoint : at.issuer();
  if (!at.source()) co_return sign_client_assertion(at.client(), about, at.signing(), io.now());
  auto asking = ask_source(at.source(), std::move(about), "the source of client assertions");
  auto got = co_await within<secret>(io.time, io.timeout, std::move(asking), "no client assertion came in time", nullptr);
  co_return got;
}

// Made anew for each attempt: assertions and proofs are for one use.
COMCP_LAZY inline asio::awaitable<result<http_request>> form_request(oauth_io io, oauth_steps::token_endpoint at,
                                                                     form_fields form) {
  secret assertion;
  if (at.auth_method() == "private_key_jwt") {
    auto got = co_await client_assertion(io, at);
    if (!got) co_return got.error();
    assertion = std::move(*got);
  }
  http_request r(at.url(), "POST");
  (void)r.headers.add("Accept", "application/json");
  (void)r.headers.add("Content-Type", "application/x-www-form-urlencoded");
  // An assertion grant may come from a client that has no name.
  bool const anonymous = at.client().id().empty() && at.auth_method() == "none";
  if (!anonymous) {
    auto const done = authenticate(form, r.headers, at.client(), at.auth_method(), assertion);
    if (!done) co_return done.error();
  }
  if (at.dpop()) (void)r.headers.add("DPoP", at.dpop()->proof("POST", at.url(), io.now()));
  r.body = form.text();
  co_return std::move(r);
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<oauth_response>> post_form(oauth_io io, oauth_steps::token_endpoint at,
                                                                  form_fields form) {
  for (bool again = false;; again = true) {
    auto request = co_await oauth_detail::form_request(io, at, form);
    if (!request) co_return request.error();
    auto got = co_await send_one(io, std::move(*request));
    if (!got) co_return got.error();
    bool wants_nonce = false;
    if (at.dpop()) {
      at.dpop()->observed(at.url(), got->headers);
      wants_nonce = wants_dpop_nonce(got->status, got->headers, got->body);
    }
    if (wants_nonce && !again) continue;
    oauth_detail::hide_secrets(*got, form, at.client());
    co_return std::move(*got);
  }
}

COMCP_LAZY_DECL asio::awaitable<result<token_answer>> ask_for_tokens(oauth_io io, oauth_steps::token_endpoint at,
                                                                     form_fields form) {
  auto got = co_await post_form(io, std::move(at), std::move(form));
  if (!got) co_return got.error();
  auto answer = read_token_answer(got->status, got->body, io.now());
  co_return answer;
}

COMCP_LAZY_DECL asio::awaitable<sansio::oauth_discovery> run_discovery(oauth_io io, sansio::oauth_discovery machine) {
  for (;;) {
    auto const url = machine.next();
    if (!url) co_return std::move(machine);
    auto got = co_await send_one(io, get_request(*url));
    if (got) {
      machine.answered(got->status, got->headers, got->body);
    } else {
      machine.failed(got.error());
    }
  }
}

}  // namespace comcp::detail
