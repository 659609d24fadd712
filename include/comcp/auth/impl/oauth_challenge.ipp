// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/auth/oauth_run.hpp>
#include <comcp/sansio/http_exchange.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL std::optional<auth_challenge> pick_challenge(http_headers const& headers) {
  std::optional<auth_challenge> out;
  for (auto& challenge : parse_challenges(headers)) {
    if (!challenge.is("Bearer") && !challenge.is("DPoP")) continue;
    // The one that says most, for either may carry the metadata; of equals the one that asks for less.
    auto const says = [](auth_challenge const& c) { return c.find("resource_metadata") != nullptr; };
    bool const better = !out || (says(challenge) && !says(*out)) ||
                        (says(challenge) == says(*out) && challenge.is("Bearer") && out->is("DPoP"));
    if (better) out = std::move(challenge);
  }
  return out;
}

COMCP_LAZY_DECL asio::awaitable<result<http_headers>> headers_for(core_ptr core, http_url server, http_url url,
                                                                  std::string method) {
  if (!same_origin(server, url)) co_return http_headers();
  auto const s = core->session(server);
  if (must_prepare(*core, *s)) {
    auto const ready = co_await prepare(core, s);
    if (!ready) co_return ready.error();
  }
  co_return credentials(*core, *s, url, method);
}

namespace oauth_detail {

inline bool lacks_scope(http_response_head const& got, std::optional<auth_challenge> const& challenge) {
  if (got.status != 403 || !challenge) return false;
  auto const* const why = challenge->find("error");
  return why && *why == "insufficient_scope";
}

inline error too_many(oauth_session const& s, http_headers const& refused_with) {
  return {errc::unauthorized, s.server.origin() + " still refuses after as many authorizations as are tried within an hour; " +
                                  "login() starts another" + sansio::told_by_challenge(refused_with)};
}

// Nobody was asked, as there is no user: why the token was not renewed is the better half of the story.
inline error after(error const& not_renewed, error const& why) {
  if (!not_renewed || !(why == errc::login_required)) return why;
  return why.with_message(std::string(why.message()) + "; its token was not renewed: " + std::string(not_renewed.message()));
}

// Whether there is another token now than the one that was refused.
inline bool has_other(oauth_session const& s, std::string const& used) {
  return s.record && authorization_value(s) != used;
}

}  // namespace oauth_detail

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> answer_challenge(core_ptr core, http_url server, http_url url,
                                                                       std::string used, http_response_head got) {
  using oauth_detail::has_other;
  if (!same_origin(server, url)) co_return auth_verdict::give_up;
  auto const s = core->session(server);
  s->addresses->answered_from(got.address);
  auto challenge = pick_challenge(got.headers);
  bool const step_up = oauth_detail::lacks_scope(got, challenge);
  if (got.status != 401 && !(step_up && core->options.profile().step_up)) co_return auth_verdict::give_up;
  if (s->prover && got.status == 401 && used.starts_with("DPoP ") && wants_dpop_nonce(got.status, got.headers, {})) {
    s->prover->observed(url, got.headers);
    co_return auth_verdict::try_again;
  }
  if (has_other(*s, used)) co_return auth_verdict::try_again;
  if (s->renewing) {
    auto const under_way = s->renewing;
    (void)co_await landed(under_way);
    if (has_other(*s, used)) co_return auth_verdict::try_again;
  }
  error not_renewed;
  if (!s->authorizing && !step_up) {
    auto const renewed = co_await renew(core, s, used);
    // A refusal leaves the flow; what may pass does not need the user.
    if (!renewed && !(renewed.error() == errc::unauthorized)) co_return renewed.error();
    if (has_other(*s, used)) co_return auth_verdict::try_again;
    if (!renewed) not_renewed = renewed.error();
  }
  if (!s->authorizing && !may_start_flow(*core, *s)) co_return oauth_detail::too_many(*s, got.headers);
  // It may be under way for others: then it is for the next one.
  auto const* const more = s->authorizing && step_up ? challenge->find("scope") : nullptr;
  if (more) s->also_wanted = unite_scopes(s->also_wanted, *more);
  auto work = authorize(core, s, std::move(challenge), step_up);
  auto const done = co_await fly(s, &oauth_session::authorizing, std::move(work));
  if (!done) {
    s->also_wanted.clear();  // nobody goes on to ask for it
    co_return oauth_detail::after(not_renewed, done.error());
  }
  co_return has_other(*s, used) ? auth_verdict::try_again : auth_verdict::give_up;
}

}  // namespace comcp::detail
