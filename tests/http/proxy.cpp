// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/proxy.hpp>

#include <map>
#include <sstream>
#include <string>

#include "support/catch.hpp"

using namespace comcp;

namespace {

using environment = std::map<std::string, std::string, std::less<>>;

proxy_options from(environment const& variables) {
  return proxy_options::from_environment([&](std::string_view name) -> std::optional<std::string> {
    auto const at = variables.find(name);
    if (at == variables.end()) return {};
    return at->second;
  });
}

http_url url(std::string_view text) { return http_url::parse(text).value(); }
proxy_route route(std::string_view text) { return proxy_route::parse(text).value(); }

/// The origin of the proxy for that URL, "direct", or the error's text.
std::string way(proxy_options const& options, std::string_view to) {
  auto const found = options.proxy_for(url(to));
  if (!found) return std::string(found.error().message());
  return *found ? (*found)->url().origin() : "direct";
}

bool direct(std::string_view no_proxy, std::string_view to) {
  return way(proxy_options().all(route("p:1")).no_proxy(no_proxy), to) == "direct";
}

}  // namespace

TEST_CASE("proxy_route: scheme, port and credentials of its text may be missing", "[http]") {
  CHECK(route("http://proxy.example:3128").url().origin() == "http://proxy.example:3128");
  CHECK(route("HTTP://proxy.example:3128/").url().origin() == "http://proxy.example:3128");
  CHECK(route(" proxy.example:3128 ").url().origin() == "http://proxy.example:3128");
  CHECK(route("proxy.example").url().port() == 80);
  CHECK(route("[::1]:8080").url().origin() == "http://[::1]:8080");
  CHECK(route("proxy.example").authorization().empty());
}

TEST_CASE("proxy_route: credentials are decoded, encoded as Basic and never shown", "[http]") {
  CHECK(route("http://Aladdin:open%20sesame@p:3128").authorization().reveal() == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  CHECK(route("Aladdin:open%20sesame@p").authorization().reveal() == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  CHECK(route("http://u:a:b@p").authorization().reveal() == "Basic dTphOmI=");
  CHECK(route("http://u@p").authorization().reveal() == "Basic dTo=");
  CHECK(route("http://u:a@b@p").authorization().reveal() == "Basic dTphQGI=");
  CHECK(route("http://u:p@p:3128").url() == url("http://p:3128"));
  std::ostringstream shown;
  shown << route("http://u:p@p").authorization();
  CHECK(shown.str() == "***");
  auto const given = route("p:1").with_credentials("Aladdin", secret("open sesame"));
  CHECK(given.value().authorization().reveal() == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_CASE("proxy_route: what is unusable is refused without being quoted", "[http]") {
  for (std::string_view const text :
       {"socks5://hunter2.example:1", "https://hunter2.example", "http://u:hunter2@", "http://u:hunter2%zz@p",
        "http://u:hunter2%0d%0a@p", "http://u%3ahunter2:x@p", "http://hunter2.example:0", "", "http://u:hunter2%4@p",
        "http:// u:hunter2@p:99999"}) {
    INFO(text);
    auto const got = proxy_route::parse(text);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::invalid_argument);
    CHECK(got.error().to_string().find("hunter2") == std::string::npos);
  }
}

TEST_CASE("proxy_options: none is the default, each scheme has its own proxy", "[http]") {
  CHECK(way(proxy_options(), "http://a") == "direct");
  CHECK(way(proxy_options::none(), "https://a") == "direct");
  auto const one = proxy_options().http(route("h:1"));
  CHECK(way(one, "http://a") == "http://h:1");
  CHECK(way(one, "https://a") == "direct");
  auto const two = proxy_options().all(route("x:1")).https(route("s:2"));
  CHECK(way(two, "http://a") == "http://x:1");
  CHECK(way(two, "https://a") == "http://s:2");
  CHECK(two.proxy_for(url("https://a")).value() == route("s:2"));
}

TEST_CASE("proxy_options: the environment's variables and their precedence", "[http]") {
  CHECK(way(from({}), "http://a") == "direct");
  CHECK(way(from({{"http_proxy", "h:1"}}), "http://a") == "http://h:1");
  CHECK(way(from({{"http_proxy", "h:1"}}), "https://a") == "direct");
  CHECK(way(from({{"HTTP_PROXY", "h:1"}}), "http://a") == "direct");
  CHECK(way(from({{"https_proxy", "a:1"}, {"HTTPS_PROXY", "b:1"}, {"all_proxy", "c:1"}}), "https://a") == "http://a:1");
  CHECK(way(from({{"https_proxy", ""}, {"HTTPS_PROXY", "b:1"}, {"all_proxy", "c:1"}}), "https://a") == "http://b:1");
  CHECK(way(from({{"all_proxy", "c:1"}, {"ALL_PROXY", "d:1"}}), "http://a") == "http://c:1");
  CHECK(way(from({{"ALL_PROXY", "d:1"}}), "https://a") == "http://d:1");
  CHECK(way(from({{"http_proxy", "h:1"}, {"no_proxy", "a"}, {"NO_PROXY", "b"}}), "http://a") == "direct");
  CHECK(way(from({{"http_proxy", "h:1"}, {"no_proxy", "a"}, {"NO_PROXY", "b"}}), "http://b") == "http://h:1");
  CHECK(way(from({{"http_proxy", "h:1"}, {"NO_PROXY", "b"}}), "http://b") == "direct");
}

TEST_CASE("proxy_options: an unusable variable is the error of what would go through it", "[http]") {
  auto const options = from({{"ALL_PROXY", "socks5://u:hunter2@p:1080"}, {"no_proxy", "inside"}, {"http_proxy", "h:1"}});
  CHECK(way(options, "http://a") == "http://h:1");
  CHECK(way(options, "https://inside") == "direct");
  CHECK(way(options, "https://localhost") == "direct");
  auto const refused = options.proxy_for(url("https://a"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == errc::invalid_argument);
  CHECK_THAT(refused.error().to_string(), match::contains("ALL_PROXY"));
  CHECK(refused.error().to_string().find("hunter2") == std::string::npos);
  auto repaired = options;
  CHECK(way(repaired.https(route("s:1")), "https://a") == "http://s:1");
}

TEST_CASE("proxy_options: loopback goes through an explicit proxy only", "[http]") {
  auto const said = proxy_options().all(route("p:1"));
  auto const found = from({{"all_proxy", "p:1"}});
  for (std::string_view const to : {"http://localhost:8080", "https://localhost", "http://api.localhost", "http://127.0.0.1",
                                    "http://127.9.9.9", "http://[::1]:1", "http://LOCALHOST.", "http://0x7f.1"}) {
    INFO(to);
    CHECK(way(found, to) == "direct");
    CHECK(way(said, to) == "http://p:1");
  }
  for (std::string_view const to : {"http://localhost.example", "http://128.0.0.1", "http://[::2]", "http://notlocalhost"}) {
    INFO(to);
    CHECK(way(found, to) == "http://p:1");
  }
}

TEST_CASE("no_proxy: a name means the host and all below it", "[http]") {
  for (std::string_view const list : {"example.com", ".example.com", "*.example.com", "Example.COM.", "x, example.com"}) {
    INFO(list);
    CHECK(direct(list, "http://example.com"));
    CHECK(direct(list, "https://a.b.example.com:8443"));
    CHECK(direct(list, "http://example.com./"));
    CHECK_FALSE(direct(list, "http://badexample.com"));
    CHECK_FALSE(direct(list, "http://example.com.evil.org"));
    CHECK_FALSE(direct(list, "http://com"));
  }
}

TEST_CASE("no_proxy: the star, ports, blanks", "[http]") {
  CHECK(direct("*", "http://anything"));
  CHECK(direct("a,*", "https://[2001:db8::1]"));
  CHECK(direct("example.com:8080", "http://example.com:8080"));
  CHECK(direct("example.com:443", "https://www.example.com"));
  CHECK_FALSE(direct("example.com:8080", "http://example.com"));
  CHECK(direct(" a b\tc ", "http://b"));
  CHECK_FALSE(direct("", "http://a"));
  CHECK_FALSE(direct(" , ,.", "http://a"));
  CHECK_FALSE(direct("a:0,a:x,a:99999,[a,[::1", "http://a"));
  CHECK(way(proxy_options().all(route("p:1")).no_proxy("a").no_proxy("b"), "http://a") == "http://p:1");
}

TEST_CASE("no_proxy: addresses and ranges", "[http]") {
  CHECK(direct("192.0.2.1", "http://192.0.2.1:81"));
  CHECK_FALSE(direct("192.0.2.1", "http://192.0.2.10"));
  CHECK_FALSE(direct("2.1", "http://192.0.2.1"));
  CHECK(direct("192.0.2.1:81", "http://192.0.2.1:81"));
  CHECK_FALSE(direct("192.0.2.1:81", "http://192.0.2.1:82"));
  CHECK(direct("10.0.0.0/8", "http://10.200.3.4"));
  CHECK_FALSE(direct("10.0.0.0/8", "http://11.0.0.0"));
  CHECK(direct("192.168.4.0/22", "http://192.168.7.255"));
  CHECK_FALSE(direct("192.168.4.0/22", "http://192.168.8.0"));
  CHECK(direct("0.0.0.0/0", "http://8.8.8.8"));
  CHECK_FALSE(direct("0.0.0.0/0", "http://[2001:db8::1]"));
  CHECK_FALSE(direct("0.0.0.0/0", "http://a"));
  CHECK(direct("2001:db8::1", "http://[2001:DB8:0::1]"));
  CHECK(direct("[2001:db8::1]:81", "http://[2001:db8::1]:81"));
  CHECK_FALSE(direct("[2001:db8::1]:81", "http://[2001:db8::1]:82"));
  CHECK(direct("fd00::/8", "http://[fd12:3456::1]"));
  CHECK_FALSE(direct("fd00::/8", "http://[fe12::1]"));
  for (std::string_view const bad : {"10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "a/8", "/8", "::/129", "10.0.0.0/8x"}) {
    INFO(bad);
    CHECK_FALSE(direct(bad, "http://10.0.0.0"));
    CHECK_FALSE(direct(bad, "http://[::]"));
  }
}
