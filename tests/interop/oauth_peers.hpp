// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Authorization servers from npm, an MCP server that trusts one of them, and a browser without a screen: it keeps
// cookies and follows redirects to the client's own address.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/co_spawn.hpp>

#include <comcp/auth/form.hpp>
#include <comcp/auth/oauth.hpp>
#include <comcp/auth/oauth_http.hpp>

#include "interop/http_peers.hpp"

namespace interop {

using words = std::vector<std::string>;

inline program script(std::string const& name, words const& modes) {
  words argv{COMCP_NODE, std::string(COMCP_INTEROP_DIR) + "/" + name};
  argv.insert(argv.end(), modes.begin(), modes.end());
  program p(std::move(argv));
  return p.env("PORT", "@PORT@");
}

/// Sends one request over an engine of its own.
inline asio::awaitable<comcp::oauth_response> fetch(comcp::http_request request) {
  comcp::tls_options const tls;
  auto engine = comcp::detail::make_http_engine<>(comcp::asio_engine_options(), comcp::proxy_options(), tls);
  auto answer = co_await comcp::detail::fetch_whole(engine, std::move(request), std::size_t{1} << 20);
  REQUIRE(answer);
  co_return std::move(*answer);
}
inline comcp::http_url url_of(std::string_view text) {
  auto url = comcp::http_url::parse(text);
  REQUIRE(url);
  return *url;
}
inline asio::awaitable<std::string> get(std::string url) {
  auto answer = co_await fetch(comcp::http_request(url_of(url)));
  INFO(url << ": " << answer.body);
  REQUIRE(answer.status == 200);
  co_return std::move(answer.body);
}

/// The time of day as an oauth sees it: tokens end when a test wants it.
class moving_clock {
 public:
  explicit moving_clock(comcp::oauth_options& options) {
    options.clock([by = by_] { return std::chrono::system_clock::now() + *by; });
  }
  void an_hour_later() { *by_ += std::chrono::minutes(61); }

 private:
  std::shared_ptr<std::chrono::minutes> by_ = std::make_shared<std::chrono::minutes>(0);
};

/// As much of a cookie jar as one visit of one site needs.
class cookie_jar {
 public:
  void keep(comcp::http_headers const& headers) {
    for (auto const line : headers.all("Set-Cookie")) {
      auto const pair = line.substr(0, line.find(';'));
      auto const equals = pair.find('=');
      auto const key = std::make_pair(path_in(line), std::string(pair.substr(0, equals)));
      if (pair.size() == equals + 1) cookies_.erase(key);
      else cookies_[key] = pair.substr(equals + 1);
    }
  }
  [[nodiscard]] std::string for_path(std::string const& path) const {
    std::string all;
    for (auto const& [key, value] : cookies_) {
      if (path.starts_with(key.first)) all += (all.empty() ? "" : "; ") + key.second + "=" + value;
    }
    return all;
  }

 private:
  static std::string path_in(std::string_view line) {
    auto const at = line.find("path=");
    if (at == std::string_view::npos) return "/";
    auto const rest = line.substr(at + 5);
    return std::string(rest.substr(0, rest.find(';')));
  }
  std::map<std::pair<std::string, std::string>, std::string> cookies_;
};

/// Where the client waits for the redirect, when nobody listens there.
inline std::string const callback = "http://127.0.0.1:3334/callback";

/// Opens `url` and follows its redirects. Gives the first one that leads to `callback`, which is not opened; otherwise
/// the page at which it ends.
inline asio::awaitable<std::string> browse(comcp::http_url url) {
  cookie_jar cookies;
  for (int hops = 0; hops != 12; ++hops) {
    comcp::http_request request(url);
    auto const jar = cookies.for_path(url.path());
    if (!jar.empty()) REQUIRE(request.headers.add("Cookie", jar));
    auto const answer = co_await fetch(std::move(request));
    cookies.keep(answer.headers);
    auto const* const location = answer.headers.find("Location");
    if (!location) {
      INFO(answer.body);
      CHECK(answer.status == 200);
      co_return answer.body;
    }
    if (location->starts_with(callback)) co_return *location;
    auto next = url.resolve(*location);
    REQUIRE(next);
    url = std::move(*next);
  }
  FAIL("it redirects without an end");
  co_return "";
}

/// A user agent that says how often it was sent out.
class headless {
 public:
  [[nodiscard]] comcp::browser_callback agent() const {
    auto const visits = visits_;
    auto const visit = [visits](comcp::http_url url) {
      ++*visits;
      return browse(std::move(url));
    };
    return comcp::browser_callback(callback, visit);
  }
  [[nodiscard]] int visits() const noexcept { return *visits_; }

 private:
  std::shared_ptr<int> visits_ = std::make_shared<int>(0);
};

/// An authorization server, and an MCP server that trusts it. Within `Use` they run.
template <class Use>
void with_protected(program issuer_program, std::string const& issuer_host, std::string const& path, words const& modes,
                    Use use) {
  talk([&]() -> asio::awaitable<void> {
    auto issuer = co_await server_process::start(issuer_program);
    auto guarded = script("protected_mcp.mjs", modes);
    guarded.env("ISSUER", "http://" + issuer_host + ":" + issuer.port() + path);
    auto mcp = co_await server_process::start(guarded);
    try {
      co_await use(issuer, mcp);
    } catch (...) {
      UNSCOPED_INFO(issuer.output() << mcp.output());
      throw;
    }
  });
}
template <class Use>
void with_oidc(words const& issuer_modes, words const& modes, Use use) {
  bool const deep = std::find(issuer_modes.begin(), issuer_modes.end(), "path") != issuer_modes.end();
  with_protected(script("oidc_provider.mjs", issuer_modes), "127.0.0.1", deep ? "/as" : "", modes, std::move(use));
}

/// One connection that does a little; gives the token with which it did.
template <class Auth>
asio::awaitable<std::string> use_protected(server_process const& mcp, Auth auth) {
  auto client = co_await comcp::connect(comcp::http(mcp.url("/mcp"), std::move(auth)));
  auto const tools = co_await client.list_tools();
  CHECK(tools.find("admin") != nullptr);
  auto const sum = co_await client.call_tool("add", args("a", 2, "b", 3));
  CHECK(sum.text() == "5");
  auto const token = co_await client.call_tool("token");
  co_await client.close();
  co_return token.text();
}

}  // namespace interop
