// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "diagnosis.hpp"

#include <algorithm>

#include <comcp/sansio/oauth_choices.hpp>

namespace cli {
namespace {

using comcp::authorization_server_metadata;
using comcp::oauth_profile;
using comcp::sansio::discovered;
using comcp::sansio::discovery_step;
using mark = finding::mark;
using names = std::optional<std::vector<std::string>>;

bool lists(names const& all, std::string_view name) {
  return all && std::find(all->begin(), all->end(), name) != all->end();
}

std::string joined(std::vector<std::string> const& all, char const* between) {
  std::string text;
  for (auto const& one : all) text.append(text.empty() ? "" : between).append(one);
  return text;
}

bool is_web_page(first_answer const& a) {
  auto const* const type = a.headers.find("Content-Type");
  auto const media = type ? comcp::media_type::parse(*type) : std::nullopt;
  return media && (media->is("text/html") || media->is("application/xhtml+xml"));
}

std::string challenge_text(comcp::http_headers const& headers) {
  std::string text;
  for (auto const value : headers.all("WWW-Authenticate")) text.append(text.empty() ? "" : ", ").append(value);
  return text.empty() ? text : "WWW-Authenticate: " + text;
}

std::string outcome_of(first_answer const& a) {
  auto text = challenge_text(a.headers);
  auto const* const type = a.headers.find("Content-Type");
  if (text.empty() && type) text = *type;
  return text;
}

void judge_challenge(diagnosis& d, first_answer const& a, std::string& meaning) {
  d.wants_login = true;
  auto const all = comcp::parse_challenges(a.headers);
  auto const challenge = login_challenge(a.headers);
  auto const* const where = challenge ? challenge->find("resource_metadata") : nullptr;
  if (where) {
    meaning = "The server wants a login, and says where to read how: " + *where;
  } else if (challenge) {
    meaning = "The server wants a login. It does not say where to read how, so the usual places are tried.";
  } else if (all.empty()) {
    meaning = "The server wants credentials, and does not say of which kind.";
    d.add(mark::note, "challenge", "A 401 has to say in WWW-Authenticate what is wanted (RFC 9110); this one does not.",
          "If a login is not found below, ask for an API key, and give it with --bearer-env or --header.");
  } else {
    meaning = "The server wants credentials of the kind " + all.front().scheme() + ".";
    d.add(mark::note, "challenge", "The server asks for " + all.front().scheme() + ", and a login gives Bearer tokens.",
          "If a login is not found below, give its credentials with --header 'Authorization: ...'.");
  }
}

// Neither an MCP server that talks nor one that asks for credentials.
void judge_refusal(diagnosis& d, first_answer const& a, comcp::error const& failure, std::string& meaning) {
  auto const code = std::to_string(a.status);
  if (is_web_page(a)) {
    meaning = "This is a web page for people, and no MCP server.";
    d.add(mark::problem, "server", "A web page answers at this address.",
          "Look for the address of the MCP endpoint in the server's documentation; many end with /mcp or /sse.");
  } else if (a.status == 404 || a.status == 405 || a.status == 410) {
    meaning = "There is no MCP server at this address.";
    d.add(mark::problem, "server", "Nothing that speaks MCP is at this address.", "Check its path; many end with /mcp or /sse.");
  } else if (a.status == 403) {
    meaning = "The server refuses, and asks for no login.";
    d.add(mark::problem, "server", "It refuses (403) without saying that a login would help.",
          "Ask who runs it: a firewall, your address or your region may be the reason.");
  } else if (a.status >= 500) {
    meaning = "The server, or what stands before it, is broken at the moment.";
    d.add(mark::problem, "server", "It answers with the error " + code + ".", "Try again later.");
  } else {
    meaning = "The server does not answer as an MCP server does.";
    d.add(mark::problem, "server", failure.to_string());
  }
}

std::string meaning_of(discovery_step const& s) {
  bool const about_resource = s.what == discovery_step::kind::resource_metadata;
  if (s.outcome == "used") {
    return about_resource ? "The server says here who keeps its logins."
                          : "The authorization server says here where its login page is and what it can do.";
  }
  if (s.status == 0) return "Nothing usable came, or comcp does not ask there.";
  if (s.status >= 400 && s.status < 500) {
    return about_resource ? "Nothing is published here. That may be: there are other places."
                          : "Nothing is published here. That may be: there are several usual places.";
  }
  if (s.status >= 500) return "The server is broken at the moment.";
  if (s.status >= 300) return "The answer is somewhere else.";
  return "Something is published here, and it cannot be used.";
}

void judge_resource(diagnosis& d, discovered const& found, comcp::http_url const& server) {
  if (!comcp::is_wider(found.resource, server)) return;
  d.add(mark::note, "good for", "A login is good for all of " + found.resource + ", and not for this server alone.",
        "Log in only where all that is there may use it. Who runs the server can publish a resource of its own for it.");
}

void judge_issuer(diagnosis& d, discovered const& found) {
  if (found.resource_metadata) {
    auto const& all = found.resource_metadata->authorization_servers;
    auto text = found.authorization_server.issuer + " keeps the logins of this server.";
    if (all.size() > 1) text.append(" (It names " + std::to_string(all.size()) + ": " + joined(all, ", ") + ")");
    return d.add(mark::good, "login at", std::move(text));
  }
  if (found.assumed) {
    return d.add(mark::note, "login at", "The server publishes nothing about logins. As revision 2025-03-26 of MCP wants "
                 "it, the usual addresses at the server itself are taken: " + found.authorization_server.token_endpoint,
                 "A login may still fail there: who runs the server should publish its metadata.");
  }
  d.add(mark::note, "login at", "The server keeps its logins itself, in the way of revision 2025-03-26 of MCP.");
}

void judge_endpoint(diagnosis& d, std::string const& url, char const* what, oauth_profile const& profile,
                    comcp::http_url const& server) {
  if (url.empty()) {
    return d.add(mark::problem, what, "The authorization server publishes no such address.",
                 "Who runs the authorization server has to add it to its metadata.");
  }
  auto const usable = profile.policy.check(url, server);
  if (usable) return d.add(mark::good, what, usable->text());
  d.add(mark::problem, what, std::string(usable.error().message()),
        "comcp sends nothing there. Who runs the authorization server has to publish a safe address (https, public).");
}

void judge_pkce(diagnosis& d, authorization_server_metadata const& about) {
  if (about.supports_s256()) {
    return d.add(mark::good, "PKCE", "Yes (S256): a login that somebody intercepts is worthless to them.");
  }
  d.add(mark::problem, "PKCE", about.code_challenge_methods_supported
            ? "The authorization server offers it only in a way that protects nothing; comcp refuses to log in so."
            : "The authorization server does not say that it has it. Without it a login could be stolen on its way; comcp "
              "refuses to log in so.",
        "Who runs the authorization server has to publish code_challenge_methods_supported with S256.");
}

void judge_proof(diagnosis& d, comcp::oauth_client const& client, authorization_server_metadata const& about) {
  auto const how = comcp::choose_auth_method(client, about.token_endpoint_auth_methods_supported);
  if (!how) {
    return d.add(mark::problem, "client proof", std::string(how.error().message()),
                 "Give the client's secret with --client-secret-env, or its key with --key.");
  }
  d.add(mark::good, "client proof", *how == "none" ? "None: it is a public client." : *how);
}

std::string how_to_be_known(authorization_server_metadata const& about) {
  std::string advice = "Ask who runs the authorization server for a client id with the redirect address "
                       "http://127.0.0.1/callback (any port, or say which with --callback-port), then give --client-id.";
  if (about.client_id_metadata_document_supported)
    advice += " Or publish a client metadata document of yours, and give --client-metadata-url: the server reads those.";
  return advice;
}

void judge_client(diagnosis& d, discovered const& found, oauth_profile const& profile, comcp::http_url const& server) {
  auto const& about = found.authorization_server;
  auto const choice = comcp::sansio::choose_client(profile, found);
  if (!choice) {
    return d.add(mark::problem, "client", std::string(choice.error().message()), how_to_be_known(about));
  }
  if (choice->registered_by == "metadata document") {
    return d.add(mark::good, "client", "comcp says who it is by the document " + choice->client->id() + ".");
  }
  if (choice->client) {
    d.add(mark::good, "client", "comcp says that it is the registered client " + choice->client->id() +
                                    " (whether the server knows it, only a login shows).");
    return judge_proof(d, *choice->client, about);
  }
  if (!profile.client_metadata_url.empty())
    d.add(mark::note, "client", "The authorization server does not read documents about clients.");
  auto const usable = profile.policy.check(about.registration_endpoint, server);
  if (usable) return d.add(mark::good, "client", "comcp would register itself at " + usable->text() +
                                             " (not done now: whether it may, only a login shows).");
  d.add(mark::problem, "client", "comcp cannot register itself: " + std::string(usable.error().message()),
        how_to_be_known(about));
}

void judge_scopes(diagnosis& d, discovered const& found, oauth_profile const& profile) {
  auto const scope = comcp::sansio::choose_scope(profile, found, {}, false);
  if (scope.empty()) return d.add(mark::good, "permissions", "No certain ones are asked for: the server decides.");
  d.add(mark::good, "permissions", scope + (profile.scope                    ? " (what you gave)"
                                            : !found.challenge_scope.empty() ? " (what the server asked for)"
                                                                             : " (all that the server lists)"));
}

void judge_refresh(diagnosis& d, authorization_server_metadata const& about, oauth_profile const& profile) {
  if (profile.kind != oauth_profile::grant::authorization_code) {
    return d.add(mark::good, "renewal", "Not needed: a machine gets a new token whenever it wants one.");
  }
  if (lists(about.grant_types_supported, "refresh_token")) {
    return d.add(mark::good, "renewal", "Yes: a login can last longer than its first token.");
  }
  if (about.grant_types_supported) {
    return d.add(mark::note, "renewal", "No: when the token expires, you log in again.");
  }
  d.add(mark::note, "renewal", "The authorization server does not say; the login will show.");
}

void judge_grant(diagnosis& d, authorization_server_metadata const& about, bool by_browser) {
  auto const* const grant = by_browser ? "authorization_code" : "client_credentials";
  if (!about.grant_types_supported || lists(about.grant_types_supported, grant)) return;
  d.add(mark::note, "kind of login", std::string("The authorization server does not list this kind (") + grant + ").",
        "A login may be refused: ask who runs it.");
}

void judge_dpop(diagnosis& d, discovered const& found, oauth_profile const& profile) {
  auto const bound = comcp::sansio::choose_dpop(profile, found);
  if (!bound) {
    return d.add(mark::problem, "DPoP", std::string(bound.error().message()),
                 profile.dpop ? "Leave --dpop out, if the server does not insist."
                              : "Who runs the authorization server has to offer it, with ES256.");
  }
  if (*bound) return d.add(mark::good, "DPoP", "Yes: the token is worthless without a key of comcp.");
  bool const offered = lists(found.authorization_server.dpop_signing_alg_values_supported, "ES256");
  d.add(mark::good, "DPoP", offered ? "Not used; --dpop would bind the token to a key of comcp."
                                    : "Not used, as the authorization server does not offer it.");
}

}  // namespace

bool diagnosis::has_problem() const noexcept {
  return std::any_of(findings.begin(), findings.end(), [](finding const& f) { return f.how == mark::problem; });
}

std::optional<comcp::auth_challenge> login_challenge(comcp::http_headers const& headers) {
  for (auto const& c : comcp::parse_challenges(headers)) {
    if (c.is("Bearer") || c.is("DPoP")) return c;
  }
  return {};
}

void judge_server(diagnosis& d, std::vector<first_answer> const& answers, comcp::error const& failure) {
  d.reached = !answers.empty();
  if (!d.reached) {
    d.add(mark::problem, "server", "It cannot be reached: " + failure.to_string(),
          failure == comcp::errc::tls_failed
              ? "Its certificate is not trusted here. If it is signed by an authority of your own: --ca-file."
              : "Check the address, the network, and whether a proxy is needed (--proxy).");
    return;
  }
  auto const wants = [](first_answer const& a) {
    return a.status == 401 || (a.status == 403 && login_challenge(a.headers));
  };
  auto const found = std::find_if(answers.begin(), answers.end(), wants);
  auto const& told = found != answers.end() ? *found : failure ? answers.back() : answers.front();
  asked_url a{told.method, told.url, told.status, outcome_of(told), {}};
  if (found != answers.end()) {
    judge_challenge(d, told, a.meaning);
  } else if (!failure) {
    a.meaning = "The server talks to anybody: it wants no login.";
  } else {
    judge_refusal(d, told, failure, a.meaning);
  }
  d.of_server.push_back(std::move(a));
}

void judge_steps(diagnosis& d, std::vector<discovery_step> const& steps) {
  for (auto const& s : steps) d.of_discovery.push_back({"GET", s.url, s.status, s.outcome, meaning_of(s)});
}

void judge_token(diagnosis& d, comcp::error const& failure, bool renewable) {
  if (!failure) return d.add(mark::good, "token", "The server takes it.");
  if (!(failure == comcp::errc::unauthorized)) return;  // it says nothing of the token
  d.token_refused = true;
  d.add(mark::problem, "token", "The server refuses the token of that login: " + failure.to_string(),
        std::string(renewable ? "The next command renews it. " : "") +
            "If the server refuses a new one too, no login helps: who runs it has to see why it does not take tokens of its "
            "own authorization server (wrong audience, issuer or permissions).");
}

void judge_binding(diagnosis& d, comcp::sansio::issuer_binding const& b, std::optional<std::string> const& bound) {
  auto const allowed = b.check(bound);
  if (!allowed) {
    return d.add(mark::problem, "client of", std::string(allowed.error().message()) + " (--issuer).",
                 "Ask who runs the server. Name the new issuer only if its operator gave you this client.");
  }
  if (b.named || bound) return d.add(mark::good, "client of", b.issuer + (b.named ? " (--issuer)" : ", as before"));
  d.add(mark::note, "client of", "A login keeps " + b.issuer + " as the one authorization server of this client.",
        "Name the right one with --issuer: it may be another that the server names one day.");
}

void rehearse(diagnosis& d, comcp::sansio::oauth_flow& flow) {
  using want = comcp::sansio::oauth_flow::want;
  if (flow.next() == want::binding) flow.bound();
  if (flow.next() == want::stored_client) flow.registration_found(std::nullopt);
  if (flow.next() == want::redirect_uri) {
    flow.redirecting_to("http://127.0.0.1/callback", comcp::secret("state"), comcp::secret("verifier"));
  }
  auto failure = flow.next() == want::failed ? flow.failure() : comcp::error();
  if (flow.next() == want::user) {
    auto const url = flow.pending().url();
    if (!url) failure = url.error();
  }
  auto const tells = [](finding const& f) { return f.how == mark::problem && f.about != "token"; };
  bool const told = std::any_of(d.findings.begin(), d.findings.end(), tells);
  if (failure && !told) d.add(mark::problem, "login", std::string(failure.message()));
}

void judge_login(diagnosis& d, comcp::result<discovered> const& found, oauth_profile const& profile) {
  auto const server = comcp::http_url::parse(d.server);
  if (!found || !server) {
    auto const why = std::string(found ? server.error().message() : found.error().message());
    return d.add(mark::problem, "login at", why,
                 "Who runs the server has to publish where its logins are kept. If it wants an API key instead, give it "
                 "with --bearer-env or --header.");
  }
  auto const& about = found->authorization_server;
  bool const by_browser = profile.kind == oauth_profile::grant::authorization_code;
  judge_issuer(d, *found);
  judge_resource(d, *found, *server);
  judge_grant(d, about, by_browser);
  if (by_browser) judge_endpoint(d, about.authorization_endpoint, "login page", profile, *server);
  judge_endpoint(d, about.token_endpoint, "tokens from", profile, *server);
  if (by_browser) judge_pkce(d, about);
  judge_client(d, *found, profile, *server);
  judge_scopes(d, *found, profile);
  judge_refresh(d, about, profile);
  judge_dpop(d, *found, profile);
}

}  // namespace cli
