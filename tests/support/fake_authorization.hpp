// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Authorization servers and protected MCP servers in memory, behind an engine: https://as*.example and
// https://mcp*.example/mcp. A test turns their knobs, spoils single answers, counts requests, and is the user's browser.
// Signatures of proofs are not looked at: jose's tests do that.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include <comcp/auth/form.hpp>
#include <comcp/auth/pkce.hpp>
#include <comcp/auth/token.hpp>
#include <comcp/http/engine.hpp>
#include <comcp/json/build.hpp>
#include <comcp/net/asio_compat.hpp>
#include <comcp/net/gate.hpp>

namespace comcp_test {

/// What a request is answered with.
struct fake_answer {
  fake_answer() = default;
  explicit fake_answer(int s, std::string b = {}, std::string t = "application/json")
      : status(s), type(std::move(t)), body(std::move(b)) {}
  int status = 200;
  std::string type = "application/json";
  std::string body;
  comcp::http_headers headers;
  bool never = false;
  bool slow = false;                    ///< A byte every ten seconds, without an end.
  std::optional<comcp::error> failure;  ///< In place of an answer.
};

struct fake_world {
  // Knobs.
  std::string issuer = "https://as.example";  ///< Which authorization server the MCP servers name.
  std::string scopes_supported;               ///< Of the resource, separated by spaces.
  std::string challenge_scope = "read";
  std::string needed_scope;                   ///< A token without it gets a 403.
  std::string refresh_error;                  ///< An OAuth error for every refresh.
  int refresh_status = 400;
  int expires_in = 3600;                      ///< Negative: not said.
  bool give_refresh = true, rotate = true;
  bool dpop = false, as_nonce = false, rs_nonce = false;
  bool grant_scope = true;                    ///< Grants what is asked for; else "read".
  bool document_clients = false;              ///< client_id_metadata_document_supported
  bool tell_revocation = true;
  int secret_lives = 0;                       ///< Seconds; 0: for ever.
  std::shared_ptr<comcp::time_source> time = comcp::steady_time();  ///< For what is slow.
  std::function<comcp::token_set::time_point()> now = [] { return std::chrono::system_clock::now(); };
  /// In place of the answer to "POST https://as.example/token" and the like.
  std::map<std::string, fake_answer> spoiled;
  /// Called before each answer; may wait.
  std::function<asio::awaitable<void>(std::string)> before;

  // What happened.
  std::map<std::string, int> count;           ///< By "METHOD URL" without query.
  std::vector<comcp::http_request> seen;
  std::set<std::string> secrets;              ///< All that must be in no error and no log.
  int visits = 0;
  std::vector<std::string> asked_scopes;      ///< Of each visit.

  [[nodiscard]] int requests(std::string const& what) const {
    auto const found = count.find(what);
    return found == count.end() ? 0 : found->second;
  }
  /// As if it had expired, or were revoked.
  void drop_access_tokens() { access.clear(); }
  void drop_refresh_tokens() { refresh.clear(); }

  /// The browser of a user who consents: the whole redirect.
  std::string consent(comcp::http_url const& url);
  fake_answer answer(comcp::http_request const& r);

 private:
  struct grant {
    grant() = default;
    std::string client, resource, scope, redirect_uri, challenge, authorization_server;
    bool bound = false;
  };
  std::string make(char const* what) {
    auto out = std::string(what) + "-" + std::to_string(++made_) + "-of-the-fake";
    secrets.insert(out);
    return out;
  }
  static fake_answer refusal(std::string const& code, int status = 400) {
    return fake_answer(status, comcp::args("error", code, "error_description", "the fake said " + code).text());
  }
  fake_answer resource_metadata(std::string const& origin) const;
  fake_answer server_metadata(std::string const& origin) const;
  fake_answer register_client(std::string const& origin, std::string const& body);
  fake_answer token(std::string const& origin, comcp::http_request const& r);
  fake_answer tokens_for(grant g, bool with_refresh);
  fake_answer mcp(comcp::http_request const& r);
  fake_answer challenge(comcp::http_request const& r, int status, std::string const& parameters) const;
  static std::string claim(comcp::http_request const& r, std::string_view name);

  int made_ = 0;
  std::map<std::string, std::string> clients_;  // id, and the server that knows it
  std::map<std::string, grant> codes_;

 public:
  std::map<std::string, grant> access, refresh;
};

inline std::string fake_world::consent(comcp::http_url const& url) {
  ++visits;
  auto const query = comcp::form_fields::parse(url.query().value_or("")).value();
  auto const get = [&](char const* name) {
    auto const* const value = query.find(name);
    return value ? *value : std::string();
  };
  grant g;
  g.client = get("client_id");
  g.resource = get("resource");
  g.scope = get("scope");
  g.redirect_uri = get("redirect_uri");
  g.challenge = get("code_challenge");
  g.authorization_server = url.origin();
  asked_scopes.push_back(g.scope);
  secrets.insert(get("state"));
  comcp::form_fields back;
  auto const known = clients_.find(g.client);
  bool const good = g.client.starts_with("https://") || (known != clients_.end() && known->second == url.origin());
  if (good) {
    auto const code = make("code");
    back.add("code", code);
    codes_[code] = g;
  } else {
    back.add("error", "unauthorized_client");
  }
  back.add("state", get("state")).add("iss", url.origin());
  return g.redirect_uri + "?" + back.text();
}

inline fake_answer fake_world::answer(comcp::http_request const& r) {
  auto const where = r.url.origin() + r.url.path();
  ++count[r.method + " " + where];
  seen.push_back(r);
  auto const spoilt = spoiled.find(r.method + " " + where);
  if (spoilt != spoiled.end()) return spoilt->second;
  auto const& origin = r.url.origin();
  auto const& path = r.url.path();
  if (origin.starts_with("https://mcp")) {
    if (path == "/.well-known/oauth-protected-resource/mcp") return resource_metadata(origin);
    if (path == "/mcp") return mcp(r);
  } else {
    if (path == "/.well-known/oauth-authorization-server") return server_metadata(origin);
    if (path == "/register") return register_client(origin, r.body);
    if (path == "/token") return token(origin, r);
    if (path == "/revoke") {
      auto const form = comcp::form_fields::parse(r.body).value();
      access.erase(*form.find("token"));
      refresh.erase(*form.find("token"));
      return fake_answer(200);
    }
  }
  return fake_answer(404);
}

inline fake_answer fake_world::resource_metadata(std::string const& origin) const {
  comcp::json::object out;
  out.set("resource", origin + "/mcp").set("authorization_servers", std::vector<std::string>(1, issuer));
  if (!scopes_supported.empty()) out.set("scopes_supported", std::vector<std::string>(1, scopes_supported));
  if (dpop) out.set("dpop_bound_access_tokens_required", true);
  return fake_answer(200, out.text());
}

inline fake_answer fake_world::server_metadata(std::string const& origin) const {
  comcp::json::object out;
  out.set("issuer", origin).set("authorization_endpoint", origin + "/authorize").set("token_endpoint", origin + "/token");
  out.set("registration_endpoint", origin + "/register");
  if (tell_revocation) out.set("revocation_endpoint", origin + "/revoke");
  out.set("code_challenge_methods_supported", std::vector<std::string>(1, "S256"));
  out.set("authorization_response_iss_parameter_supported", true);
  out.set("client_id_metadata_document_supported", document_clients);
  std::vector<std::string> const methods{"none", "client_secret_basic", "client_secret_post", "private_key_jwt"};
  out.set("token_endpoint_auth_methods_supported", methods);
  if (dpop) out.set("dpop_signing_alg_values_supported", std::vector<std::string>(1, "ES256"));
  return fake_answer(200, out.text());
}

inline fake_answer fake_world::register_client(std::string const& origin, std::string const& body) {
  auto const document = comcp::json::parse(body).value();
  auto const id = "client-" + std::to_string(++made_);
  clients_[id] = origin;
  comcp::json::object out;
  out.set("client_id", id).set("redirect_uris", document["redirect_uris"]);
  if (secret_lives > 0) {
    auto const at = std::chrono::duration_cast<std::chrono::seconds>(now().time_since_epoch()).count() + secret_lives;
    out.set("client_secret", make("secret")).set("client_secret_expires_at", static_cast<std::int64_t>(at));
  }
  return fake_answer(201, out.text());
}

inline std::string fake_world::claim(comcp::http_request const& r, std::string_view name) {
  auto const* const proof = r.headers.find("DPoP");
  if (!proof) return {};
  auto const first = proof->find('.');
  auto const payload = comcp::from_base64url(std::string_view(*proof).substr(first + 1, proof->rfind('.') - first - 1));
  auto const document = comcp::json::parse(payload.value()).value();
  auto const found = document.find(name);
  return found && found->is_string() ? std::string(found->as_string()) : std::string();
}

inline fake_answer fake_world::token(std::string const& origin, comcp::http_request const& r) {
  auto const form = comcp::form_fields::parse(r.body).value();
  auto const get = [&](char const* name) {
    auto const* const value = form.find(name);
    return value ? *value : std::string();
  };
  for (auto const* const name : {"code_verifier", "client_assertion", "assertion"}) {
    if (!get(name).empty()) secrets.insert(get(name));
  }
  if (as_nonce && claim(r, "nonce") != "as-nonce") {
    auto out = refusal("use_dpop_nonce");
    (void)out.headers.add("DPoP-Nonce", "as-nonce");
    return out;
  }
  bool const proved = claim(r, "htm") == "POST" && claim(r, "htu") == origin + "/token";
  if (dpop && !proved) return refusal("invalid_dpop_proof");
  auto const type = get("grant_type");
  if (type == "authorization_code") {
    auto const found = codes_.find(get("code"));
    if (found == codes_.end()) return refusal("invalid_grant");
    auto const g = found->second;
    codes_.erase(found);
    bool const same = comcp::pkce_challenge(comcp::secret(get("code_verifier"))) == g.challenge && get("resource") == g.resource &&
                      get("redirect_uri") == g.redirect_uri && g.authorization_server == origin;
    return same ? tokens_for(g, give_refresh) : refusal("invalid_grant");
  }
  if (type == "refresh_token") {
    if (!refresh_error.empty()) return refusal(refresh_error, refresh_status);
    auto const found = refresh.find(get("refresh_token"));
    if (found == refresh.end() || get("resource") != found->second.resource) return refusal("invalid_grant");
    auto const g = found->second;
    if (rotate) refresh.erase(found);
    return tokens_for(g, rotate);
  }
  grant g;
  g.resource = get("resource");
  g.scope = get("scope");
  return tokens_for(g, false);
}

inline fake_answer fake_world::tokens_for(grant g, bool with_refresh) {
  if (!grant_scope) g.scope = "read";
  g.bound = dpop;
  auto const token = make("access");
  access[token] = g;
  comcp::json::object out;
  out.set("access_token", token).set("token_type", dpop ? "DPoP" : "bearer").set("scope", g.scope);
  if (expires_in >= 0) out.set("expires_in", expires_in);
  if (with_refresh) {
    auto const again = make("refresh");
    refresh[again] = g;
    out.set("refresh_token", again);
  }
  return fake_answer(200, out.text());
}

inline fake_answer fake_world::challenge(comcp::http_request const& r, int status, std::string const& parameters) const {
  fake_answer out(status, R"({"error":"no"})");
  (void)out.headers.add("WWW-Authenticate", std::string(dpop ? "DPoP" : "Bearer") + " resource_metadata=\"" + r.url.origin() +
                                                "/.well-known/oauth-protected-resource/mcp\"" + parameters);
  return out;
}

inline fake_answer fake_world::mcp(comcp::http_request const& r) {
  auto const* const given = r.headers.find("Authorization");
  std::string const scheme = dpop ? "DPoP " : "Bearer ";
  auto const scope = challenge_scope.empty() ? std::string() : ", scope=\"" + challenge_scope + "\"";
  if (!given || !given->starts_with(scheme)) return challenge(r, 401, scope);
  if (rs_nonce && claim(r, "nonce") != "rs-nonce") {
    auto out = challenge(r, 401, ", error=\"use_dpop_nonce\"");
    (void)out.headers.add("DPoP-Nonce", "rs-nonce");
    return out;
  }
  auto const found = access.find(given->substr(scheme.size()));
  bool const good = found != access.end() && found->second.resource == r.url.origin() + "/mcp";
  if (!good || (dpop && claim(r, "ath").empty())) return challenge(r, 401, scope + ", error=\"invalid_token\"");
  auto const has = " " + found->second.scope + " ";
  if (!needed_scope.empty() && has.find(" " + needed_scope + " ") == std::string::npos) {
    return challenge(r, 403, ", error=\"insufficient_scope\", scope=\"" + needed_scope + "\"");
  }
  return fake_answer(200, R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

/// An engine on which the world answers; copies share it.
class fake_authorization {
 public:
  class response {
   public:
    response(fake_answer a, std::shared_ptr<comcp::time_source> time) : body_(std::move(a.body)), slow_(a.slow), time_(std::move(time)) {
      head_.status = a.status;
      head_.headers = std::move(a.headers);
      (void)head_.headers.add("Content-Type", a.type);
    }
    [[nodiscard]] comcp::http_response_head const& head() const { return head_; }
    asio::awaitable<comcp::result<std::string_view>> next() {
      if (slow_) {
        co_await comcp::detail::pause_until(time_, time_->now() + std::chrono::seconds(10));
        co_return std::string_view("{");
      }
      auto const first = !std::exchange(ended_, true);
      co_return first ? std::string_view(body_) : std::string_view();
    }

   private:
    comcp::http_response_head head_;
    std::string body_;
    bool slow_, ended_ = false;
    std::shared_ptr<comcp::time_source> time_;
  };

  explicit fake_authorization(std::shared_ptr<fake_world> w) : world_(std::move(w)) {}
  asio::awaitable<comcp::result<response>> open(comcp::http_request r) { return run(world_, std::move(r)); }

 private:
  static asio::awaitable<comcp::result<response>> run(std::shared_ptr<fake_world> w, comcp::http_request r) {
    if (w->before) {
      auto waiting = w->before(r.method + " " + r.url.origin() + r.url.path());
      co_await std::move(waiting);
    }
    auto given = w->answer(r);
    if (given.failure) co_return *given.failure;
    if (given.never) {
      asio::steady_timer forever(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
      co_await forever.async_wait(comcp::net::tuple_awaitable);
      co_return comcp::error(comcp::errc::cancelled);
    }
    co_return response(std::move(given), w->time);
  }
  std::shared_ptr<fake_world> world_;
};

}  // namespace comcp_test
