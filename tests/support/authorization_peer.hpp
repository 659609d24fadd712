// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A protected MCP server with its authorization server, over real HTTP on one port of the loopback, and a browser that
// grants everything. Every token, code and secret that it gives has "s3cret" in it, so that a test can look for leaks.
// The same in memory, and stricter: fake_authorization.hpp.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/connect.hpp>
#include <asio/read.hpp>

#include <comcp/auth/form.hpp>
#include <comcp/auth/pkce.hpp>
#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>

#include "support/http_peer.hpp"

namespace comcp_test {

/// What the peer does otherwise than usual.
class peer_plan {
 public:
  peer_plan() {}
  /// The MCP server lets everybody in.
  peer_plan& open() { return open_ = true, *this; }
  /// Of access tokens, as it is told to clients.
  peer_plan& lifetime(std::chrono::seconds s) { return lifetime_ = s, *this; }
  /// Whole HTTP answers in place of the usual ones; called on the peer's thread, so that what it uses needs a lock.
  using answerer = std::function<std::optional<std::string>(recorded_request const&)>;
  peer_plan& instead(answerer f) { return instead_ = std::move(f), *this; }

  /// A client that it knows without a registration; an https address is that of the client's metadata document.
  peer_plan& knows(std::string id) { return known_ = std::move(id), *this; }
  /// The robot may prove itself by an assertion that this takes for the robot's; on the peer's thread.
  using verifier = std::function<bool(std::string const& assertion)>;
  peer_plan& assertions(verifier f) { return assertions_ = std::move(f), *this; }
  /// Tokens are bound to whatever key a proof is shown with. What is in the proofs is for the test to judge.
  peer_plan& dpop() { return dpop_ = true, *this; }

  [[nodiscard]] std::string const& known() const noexcept { return known_; }
  [[nodiscard]] verifier const& assertions() const noexcept { return assertions_; }
  [[nodiscard]] bool has_dpop() const noexcept { return dpop_; }
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  [[nodiscard]] std::chrono::seconds lifetime() const noexcept { return lifetime_; }
  [[nodiscard]] answerer const& instead() const noexcept { return instead_; }

 private:
  bool open_ = false;
  std::chrono::seconds lifetime_{3600};
  answerer instead_;
  std::string known_;
  verifier assertions_;
  bool dpop_ = false;
};

class authorization_peer {
 public:
  /// The client that was registered by hand; its secret is "s3cret-robot".
  static constexpr char const* robot = "robot";

  explicit authorization_peer(peer_plan plan = peer_plan())
      : plan_(std::move(plan)), peer_([this](peer_connection& c) { return serve(c); }) {
    if (!plan_.known().empty()) clients_.insert(plan_.known());
  }

  [[nodiscard]] std::string origin() { return peer_->url(""); }
  /// The MCP endpoint.
  [[nodiscard]] std::string url() { return peer_->url("/mcp"); }

  /// What came so far for this path, whatever its query.
  [[nodiscard]] std::vector<recorded_request> requests(std::string_view path) {
    std::vector<recorded_request> out;
    for (auto& r : peer_->requests()) {
      if (path_of(r) == path) out.push_back(std::move(r));
    }
    return out;
  }
  /// No access token that was given so far is good any more.
  void forget_access_tokens() {
    std::lock_guard const lock(mutex_);
    access_.clear();
  }
  void forget_refresh_tokens() {
    std::lock_guard const lock(mutex_);
    refresh_.clear();
  }

 private:
  struct grant {
    std::string client, redirect, challenge, resource;
  };

  static std::string path_of(recorded_request const& r) { return r.target.substr(0, r.target.find('?')); }

  asio::awaitable<void> serve(peer_connection& c) {
    for (;;) {
      auto const request = co_await c.read_request();
      if (!request) co_return;
      bool const sent = co_await c.write(answer(*request));
      if (!sent) co_return;
    }
  }

  std::string answer(recorded_request const& r) {
    if (plan_.instead()) {
      if (auto other = plan_.instead()(r)) return *other;
    }
    std::lock_guard const lock(mutex_);
    auto const path = path_of(r);
    if (path == "/mcp") return mcp(r);
    if (path == "/.well-known/oauth-protected-resource/mcp") return json(200, resource_metadata());
    if (path == "/.well-known/oauth-authorization-server") return json(200, server_metadata());
    if (path == "/register") return json(201, registered(r.body));
    if (path == "/authorize") return authorize(r.target.substr(r.target.find('?') + 1));
    if (path == "/token") return token(r);
    if (path == "/revoke") return revoke(r.body);
    return http_answer(404, "Not Found");
  }

  static std::string json(int status, std::string const& text) {
    return http_answer(status, text, "Content-Type: application/json\r\nCache-Control: no-store\r\n");
  }
  static std::string refuse(char const* code) { return json(400, std::string(R"({"error":")") + code + "\"}"); }

  // ---- The protected server ----

  std::string mcp(recorded_request const& r) {
    auto const* const shown = r.header("authorization");
    std::string const scheme = plan_.has_dpop() ? "DPoP " : "Bearer ";
    bool const known = shown && shown->starts_with(scheme) && access_.contains(shown->substr(scheme.size())) &&
                       (!plan_.has_dpop() || r.header("dpop"));
    if (!plan_.is_open() && !known) {
      return http_answer(401, "log in, please",
                         "WWW-Authenticate: Bearer resource_metadata=\"" + origin() +
                             "/.well-known/oauth-protected-resource/mcp\", scope=\"files:read\"\r\n");
    }
    if (r.method != "POST") return http_answer(405, "");
    auto const message = comcp::json::parse(r.body).value();
    auto const asked = message.view();
    auto const id = asked.find("id");
    if (!id) return http_answer(202, "");
    auto const result = result_of(std::string(asked.find("method")->get_string().value_or("")));
    return json(200, R"({"jsonrpc":"2.0","id":)" + id->dump() +
                         (result.empty() ? R"(,"error":{"code":-32601,"message":"Method not found"}})"
                                         : ",\"result\":" + result + "}"));
  }
  static std::string result_of(std::string const& method) {
    if (method == "server/discover") {
      return R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},)"
             R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"guarded","version":"1.0"}}})";
    }
    if (method == "tools/list") {
      return R"({"resultType":"complete","ttlMs":0,"cacheScope":"private",)"
             R"("tools":[{"name":"guarded_tool","inputSchema":{"type":"object"}}]})";
    }
    return {};
  }
  std::string resource_metadata() {
    return R"({"resource":")" + url() + R"(","authorization_servers":[")" + origin() +
           R"("],"scopes_supported":["files:read","files:write"]})";
  }

  // ---- The authorization server ----

  std::string server_metadata() {
    auto const at = [this](char const* name, char const* path) {
      return std::string("\"") + name + "\":\"" + origin() + path + "\",";
    };
    return "{" + at("issuer", "") + at("authorization_endpoint", "/authorize") + at("token_endpoint", "/token") +
           at("registration_endpoint", "/register") + at("revocation_endpoint", "/revoke") +
           R"("response_types_supported":["code"],"grant_types_supported":["authorization_code","refresh_token",)"
           R"("client_credentials"],"code_challenge_methods_supported":["S256"],)"
           R"("authorization_response_iss_parameter_supported":true,)" +
           (plan_.known().starts_with("https:") ? R"("client_id_metadata_document_supported":true,)" : "") +
           (plan_.has_dpop() ? R"("dpop_signing_alg_values_supported":["ES256"],)" : "") +
           R"("token_endpoint_auth_methods_supported":["none","client_secret_basic","client_secret_post",)"
           R"("private_key_jwt"]})";
  }
  std::string registered(std::string const& body) {
    auto const asked = comcp::json::parse(body).value();
    auto const id = "client-" + std::to_string(++last_);
    clients_.insert(id);
    return R"({"client_id":")" + id + R"(","token_endpoint_auth_method":"none","redirect_uris":)" +
           asked.find("redirect_uris")->dump() + "}";
  }
  std::string authorize(std::string const& query) {
    auto const asked = comcp::form_fields::parse(query).value();
    auto const get = [&asked](char const* name) { return asked.find(name) ? *asked.find(name) : std::string(); };
    if (!clients_.contains(get("client_id")) || get("code_challenge_method") != "S256") return http_answer(400, "who?");
    auto const code = "s3cret-code-" + std::to_string(++last_);
    codes_[code] = {get("client_id"), get("redirect_uri"), get("code_challenge"), get("resource")};
    comcp::form_fields back;
    back.add("code", code).add("state", get("state")).add("iss", origin());
    return http_answer(302, "", "Location: " + get("redirect_uri") + "?" + back.text() + "\r\n");
  }

  std::string token(recorded_request const& r) {
    auto const form = comcp::form_fields::parse(r.body).value();
    auto const get = [&form](char const* name) { return form.find(name) ? *form.find(name) : std::string(); };
    auto const kind = get("grant_type");
    if (plan_.has_dpop() && !r.header("dpop")) return refuse("invalid_dpop_proof");
    if (kind == "client_credentials") return is_robot(r, form) ? tokens(false) : json(401, R"({"error":"invalid_client"})");
    if (kind == "refresh_token") return refresh_.erase(get("refresh_token")) != 0 ? tokens(true) : refuse("invalid_grant");
    auto const code = codes_.extract(get("code"));
    if (kind != "authorization_code" || code.empty()) return refuse("invalid_grant");
    auto const& g = code.mapped();
    bool const proven = comcp::pkce_challenge(comcp::secret(get("code_verifier"))) == g.challenge;
    bool const same = g.redirect == get("redirect_uri") && g.client == get("client_id") && g.resource == get("resource");
    return proven && same && g.resource == url() ? tokens(true) : refuse("invalid_grant");
  }
  bool is_robot(recorded_request const& r, comcp::form_fields const& form) {
    auto const* const shown = r.header("authorization");
    auto const* const in_body = form.find("client_secret");
    auto const* const assertion = form.find("client_assertion");
    if (assertion && plan_.assertions()) return plan_.assertions()(*assertion);
    return (in_body && *in_body == "s3cret-robot") ||
           (shown && *shown == "Basic cm9ib3Q6czNjcmV0LXJvYm90");
  }
  std::string tokens(bool with_refresh) {
    auto const number = std::to_string(++last_);
    comcp::json::object out;
    out.set("access_token", *access_.insert("s3cret-access-" + number).first).set("token_type", plan_.has_dpop() ? "DPoP" : "Bearer");
    if (with_refresh) out.set("refresh_token", *refresh_.insert("s3cret-refresh-" + number).first);
    return json(200, out.set("expires_in", plan_.lifetime().count()).set("scope", "files:read").text());
  }
  std::string revoke(std::string const& body) {
    auto const form = comcp::form_fields::parse(body).value();
    auto const token = form.find("token") ? *form.find("token") : std::string();
    refresh_.erase(token);
    access_.erase(token);
    return http_answer(200, "");
  }

  peer_plan plan_;
  std::mutex mutex_;
  int last_ = 0;
  std::set<std::string> clients_{robot}, access_, refresh_;
  std::map<std::string, grant> codes_;
  threaded_http_peer peer_;
};

/// Goes to an address as a browser does; where it ended up, and what it saw there. Does not follow beyond `last`, if
/// that is given: a browser on another machine, whose last address somebody copies.
struct visited {
  std::string address;
  int status = 0;
  std::string page;
};
inline visited browse(std::string address, std::string_view last = {}) {
  for (int n = 0; n < 5; ++n) {
    visited out;
    out.address = address;
    if (!last.empty() && address.starts_with(last)) return out;
    auto const url = comcp::http_url::parse(address).value();
    asio::io_context io;
    asio::ip::tcp::socket socket(io);
    socket.connect({asio::ip::make_address(url.host_name()), url.port()});
    auto const request = "GET " + url.target() + " HTTP/1.1\r\nHost: " + url.authority() + "\r\nConnection: close\r\n\r\n";
    asio::write(socket, asio::buffer(request));
    std::string text, piece(4096, '\0');
    std::optional<std::size_t> whole;  // the peers keep connections open
    asio::error_code end;
    while (!end && (!whole || text.size() < *whole)) {
      text.append(piece, 0, socket.read_some(asio::buffer(piece), end));
      auto const body = text.find("\r\n\r\n");
      auto const length = text.find("Content-Length: ");
      if (body != std::string::npos && length < body) whole = body + 4 + std::stoul(text.substr(length + 16));
    }
    out.status = std::stoi(text.substr(9, 3));
    out.page = text.substr(text.find("\r\n\r\n") + 4);
    auto const location = text.find("Location: ");
    if (out.status != 302 || location == std::string::npos) return out;
    address = text.substr(location + 10, text.find("\r\n", location) - location - 10);
  }
  return {};
}

}  // namespace comcp_test
