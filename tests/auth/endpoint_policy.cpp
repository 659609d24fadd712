// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/endpoint_policy.hpp>

#include <string>

#include "support/catch.hpp"

using namespace comcp;

namespace {

http_url url(std::string_view text) { return http_url::parse(text).value(); }

auto const on_internet = url("https://mcp.example.com/mcp");
auto const in_company = url("https://10.1.2.3/mcp");
auto const on_loopback = url("http://127.0.0.1:3000/mcp");

}  // namespace

TEST_CASE("endpoint_policy: loopback by name and address", "[auth]") {
  for (auto const host : {"localhost", "LocalHost", "localhost.", "api.localhost", "a.b.localhost.", "127.0.0.1", "127.255.255.254",
                          "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "[::ffff:7f00:1]", "127.1", "0x7f.0.0.1",
                          "0177.0.0.1", "2130706433", "0x7f000001", "127.0.0.1."}) {
    INFO(host);
    CHECK(reach_of(host) == address_reach::loopback);
  }
  for (auto const host : {"notlocalhost", "localhost.example.com", "localhos", "128.0.0.1", "126.255.255.255", "example.com", ""}) {
    INFO(host);
    CHECK(reach_of(host) == address_reach::public_network);
  }
}

TEST_CASE("endpoint_policy: every special range of IPv4 is private, and its neighbours are not", "[auth]") {
  for (auto const host :
       {"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "169.254.0.0", "169.254.169.254",
        "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255",
        "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.255", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255", "10.1", "0xA9FEA9FE", "0251.0376.0251.0376", "2852039166", "999.1.1.1", "1.2.3.4.5", "08.1.1.1"}) {
    INFO(host);
    CHECK(reach_of(host) == address_reach::private_network);
  }
  for (auto const host : {"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "169.253.255.255", "169.255.0.0",
                          "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
                          "198.20.0.0", "223.255.255.255", "8.8.8.8"}) {
    INFO(host);
    CHECK(reach_of(host) == address_reach::public_network);
  }
}

TEST_CASE("endpoint_policy: IPv6 is public only where it is global unicast, also in what it carries", "[auth]") {
  for (auto const host :
       {"::", "[::]", "fc00::1", "fdff:ffff::1", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "ff02::1", "100::1", "2001:db8::1",
        "2001::1", "2001:1ff::1", "3fff:fff::1", "::10.0.0.1", "::7f00:1", "::ffff:10.0.0.1", "[::ffff:a9fe:a9fe]", "::ffff:0:0",
        "64:ff9b::10.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:a00:1::", "2002:7f00:1::1",
        "2002:c0a8:101::", "4000::1", "::ffff:0:127.0.0.1", "::zz", "1:2"}) {
    INFO(host);
    CHECK(reach_of(host) == address_reach::private_network);
  }
  for (auto const host : {"2606:4700::1111", "[2a00:1450:4001::200e]", "2001:200::1", "2001:4860:4860::8888", "3fff:1000::1",
                          "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"}) {
    INFO(host);
    CHECK(reach_of(host) == address_reach::public_network);
  }
}

TEST_CASE("endpoint_policy: https anywhere, http on loopback alone", "[auth]") {
  endpoint_policy const policy;
  CHECK(policy.check("https://auth.example.com/authorize?a=b", on_internet)->text() == "https://auth.example.com/authorize?a=b");
  CHECK(policy.check("http://localhost:9000/token", on_loopback));
  CHECK(policy.check("http://[::1]:9000/token", on_loopback));
  CHECK(policy.check("http://as.localhost/token", on_loopback));
  for (auto const bad : {"http://auth.example.com/authorize", "http://10.0.0.1/", "http://localhost.example.com/", "http://0.0.0.0/"}) {
    auto const got = policy.check(bad, on_loopback);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::denied);
    CHECK_THAT(std::string(got.error().message()), match::contains("https"));
    CHECK(endpoint_policy().allow_http().check(bad, on_loopback));
  }
}

TEST_CASE("endpoint_policy: what is no plain URL is refused, and only an origin is quoted", "[auth]") {
  endpoint_policy const policy;
  for (auto const bad : {"", "authorize", "//auth.example.com/", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x",
                         "ftp://auth.example.com/", "https://user:hunter2@auth.example.com/", "https://user@auth.example.com/",
                         "https://auth.example.com/hunter2#fragment", "https://auth.example.com/\nhunter2", "\thttps://auth.example.com/",
                         "https://auth.example.com/\x7F", "https:auth.example.com/", "https://", "https://1.2.3.400/",
                         "https://auth.example.com:99999/", "https://a\"b/"}) {
    INFO(bad);
    auto const got = policy.check(bad, on_internet);
    REQUIRE_FALSE(got);
    CHECK((got.error() == errc::denied || got.error() == errc::invalid_argument));
    CHECK(got.error().to_string().find("hunter2") == std::string::npos);
  }
}

TEST_CASE("endpoint_policy: a URL is written anew, so that no shell and no parser reads it otherwise", "[auth]") {
  auto const got = endpoint_policy().check(R"( HTTPS:\\Auth.Example.com:443\a/../b"`$(x)<>|;{} ?q='"<>)", on_internet);
  REQUIRE(got);
  CHECK(got->text() == "https://auth.example.com/b%22%60$(x)%3C%3E|;%7B%7D%20?q=%27%22%3C%3E");
}

TEST_CASE("endpoint_policy: nothing is nearer than the MCP server", "[auth]") {
  endpoint_policy const policy;
  for (auto const near : {"https://127.0.0.1/", "https://localhost/", "http://localhost/", "https://[::1]/", "https://10.0.0.1/",
                          "https://169.254.169.254/latest/meta-data", "https://2852039166/", "https://0xa9fea9fe/",
                          "https://0251.0376.0251.0376/", "https://127.1/", "https://[::ffff:169.254.169.254]/", "https://[fe80::1]/",
                          "https://[fd00::1]/", "https://[64:ff9b::a00:1]/", "https://[2002:a00:1::]/", "https://0/", "https://[::]/",
                          "https://localhost./", "https://192.168.1.1./"}) {
    INFO(near);
    auto const got = policy.check(near, on_internet);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::denied);
    CHECK(endpoint_policy().allow_private().check(near, on_internet));
    CHECK(policy.check(near, on_loopback));
  }
  CHECK(policy.check("https://10.9.9.9/", in_company));
  CHECK(policy.check("https://sso.example.com/", in_company));
  CHECK_FALSE(policy.check("https://127.0.0.1/", in_company));
  CHECK(policy.check("https://sso.example.com/", on_loopback));
}

TEST_CASE("endpoint_policy: addresses that names resolve to follow the same order", "[auth]") {
  endpoint_policy const policy;
  using enum address_reach;
  CHECK(policy.allows_address("8.8.8.8", public_network));
  CHECK(policy.allows_address("2606:4700::1111", public_network));
  for (auto const near : {"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fe80::1%2", "::ffff:10.0.0.1", "0.0.0.0"}) {
    INFO(near);
    CHECK_FALSE(policy.allows_address(near, public_network));
    CHECK(policy.allows_address(near, loopback));
    CHECK(endpoint_policy().allow_private().allows_address(near, public_network));
  }
  CHECK(policy.allows_address("10.0.0.1", private_network));
  CHECK_FALSE(policy.allows_address("127.0.0.1", private_network));
  CHECK_FALSE(policy.allows_address("example.com", loopback));  // no address
}
