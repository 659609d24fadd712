// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/url.hpp>

#include <string>
#include <utility>

#include "support/catch.hpp"

using namespace comcp;

namespace {

std::string normal(std::string_view text) {
  auto const url = http_url::parse(text);
  return url ? url->text() : "refused";
}

http_url parsed(std::string_view text) {
  INFO(text);
  auto url = http_url::parse(text);
  REQUIRE(url.has_value());
  return std::move(*url);
}

std::string resolved(std::string_view base, std::string_view reference) {
  auto const url = parsed(base).resolve(reference);
  return url ? url->text() : "refused";
}

std::string why(std::string_view text) {
  auto const url = http_url::parse(text);
  if (url) return url->text();
  CHECK(url.error() == errc::invalid_argument);
  return std::string(url.error().message());
}

using pairs = std::pair<char const*, char const*>;

}  // namespace

TEST_CASE("url: the parts of one that has them all", "[http]") {
  auto const url = parsed("HTTPS://Example.COM:8443/a/b?x=1&y=2#top");
  CHECK(url.scheme() == "https");
  CHECK(url.secure());
  CHECK(url.host() == "example.com");
  CHECK(url.host_name() == "example.com");
  CHECK(url.port() == 8443);
  CHECK_FALSE(url.has_default_port());
  CHECK(url.path() == "/a/b");
  CHECK(url.query() == "x=1&y=2");
  CHECK(url.fragment() == "top");
  CHECK(url.origin() == "https://example.com:8443");
  CHECK(url.authority() == "example.com:8443");
  CHECK(url.target() == "/a/b?x=1&y=2");
  CHECK(url.text() == "https://example.com:8443/a/b?x=1&y=2#top");
}

TEST_CASE("url: the parts of one that has only a host", "[http]") {
  auto const url = parsed("http://localhost");
  CHECK(url.port() == 80);
  CHECK(url.has_default_port());
  CHECK(url.path() == "/");
  CHECK_FALSE(url.query().has_value());
  CHECK_FALSE(url.fragment().has_value());
  CHECK(url.authority() == "localhost");
  CHECK(url.target() == "/");
  CHECK(url.text() == "http://localhost/");
}

TEST_CASE("url: an empty query and an empty fragment are kept", "[http]") {
  CHECK(parsed("http://a/?").target() == "/?");
  CHECK(normal("http://a?#") == "http://a/?#");
}

TEST_CASE("url: ports", "[http]") {
  pairs const examples[] = {{"http://a:80/", "http://a/"},
                            {"https://a:443/", "https://a/"},
                            {"http://a:443/", "http://a:443/"},
                            {"https://a:80/", "https://a:80/"},
                            {"http://a:/", "http://a/"},
                            {"http://a:0080/", "http://a/"},
                            {"http://a:65535", "http://a:65535/"},
                            {"http://a:1?q", "http://a:1/?q"},
                            {"http://[::1]:8080", "http://[::1]:8080/"}};
  for (auto const& [text, expected] : examples) CHECK(normal(text) == expected);
  for (auto const* text : {"http://a:0/", "http://a:65536/", "http://a:99999999999999999999/", "http://a:8o/",
                           "http://a:-1/", "http://a:+1/", "http://a: 80/", "http://a:80:80/", "http://[::1]:x/"}) {
    INFO(text);
    CHECK_THAT(why(text), match::contains("port"));
  }
}

TEST_CASE("url: blanks around it are dropped, control characters inside are refused", "[http]") {
  CHECK(normal(" \t\r\n http://a/b \n") == "http://a/b");
  CHECK(normal(std::string_view("\0http://a/b\0", 12)) == "http://a/b");
  for (auto const* text : {"http://a/b\nc", "http://a/\tb", "http://a\r\nX: y/", "http://a/?q=\x01z", "http://a/#\x1Fz",
                           "http://a/\x7F"}) {
    INFO(text);
    CHECK_THAT(why(text), match::contains("control character"));
  }
  CHECK(normal(std::string_view("http://a/\0b", 11)) == "refused");
  CHECK(resolved("http://a/", "b\r\nc") == "refused");
  CHECK(resolved("http://a/", "//b/\nc") == "refused");
}

TEST_CASE("url: only http and https, with both slashes", "[http]") {
  for (auto const* text : {"", " ", "a", "//a/b", "/a", "?q", "localhost:8080/mcp", "ftp://a/", "ws://a/", "file:///a",
                           "mailto:a@b", "http", "1http://a", "ht tp://a", "://a", "httpss://a", "javascript:x"}) {
    INFO(text);
    CHECK_THAT(why(text), match::contains("http:// or https://"));
  }
  for (auto const* text : {"http:", "http:/", "http:/a", "http:a", "https:a/b"}) {
    INFO(text);
    CHECK_THAT(why(text), match::contains("two slashes"));
  }
  for (auto const* text :
       {"http://", "http:///", "http:///a", "http://?q", "http://#f", "http://:80/", "https:////a"}) {
    INFO(text);
    CHECK_THAT(why(text), match::contains("names no host"));
  }
}

TEST_CASE("url: user names and passwords are refused, wherever they hide", "[http]") {
  for (auto const* text : {"http://u@a/", "http://u:hunter2@a/", "http://@a/", "http://:@a/", "http://u:hunter2@[::1]/",
                           "http://u@v:hunter2@a:80/", "http://good.example:80@evil.example/"}) {
    INFO(text);
    CHECK_THAT(why(text), match::contains("user name"));
  }
  CHECK(normal("http://a/@b") == "http://a/@b");
  CHECK(normal("http://a?u@b") == "http://a/?u@b");
  CHECK(normal("http://good.example\\@evil.example/") == "http://good.example/@evil.example/");
}

TEST_CASE("url: no error quotes the text", "[http]") {
  for (auto const* text : {"hunter2", "hunter2://a/", "http:hunter2", "http://u:hunter2@a/", "http://u:hunter2#@a/",
                           "http://hunter2%/", "http://[hunter2]/", "http://[hunter2", "http://a/hunter2\nx",
                           "http://hunter2\x80/", "http://hunter2.999999/"}) {
    auto const url = http_url::parse(text);
    REQUIRE_FALSE(url.has_value());
    INFO(url.error().to_string());
    CHECK(url.error().to_string().find("hunter2") == std::string::npos);
  }
}

TEST_CASE("url: host names", "[http]") {
  CHECK(normal("http://EXAMPLE.com./") == "http://example.com./");
  CHECK(normal("http://a_b-c.d~e/") == "http://a_b-c.d~e/");
  CHECK(normal("http://xn--mnchen-3ya.example/") == "http://xn--mnchen-3ya.example/");
  CHECK_THAT(why("http://m\xC3\xBCnchen.example/"), match::contains("ASCII"));
  for (auto const* text : {"http://a b/", "http://a%41/", "http://a|b/", "http://a^b/", "http://<a>/", "http://a\"/",
                           "http://a]/", "http://a[b]/", "http://a{}/", "http://a`/"}) {
    INFO(text);
    CHECK_THAT(why(text), match::contains("host"));
  }
}

TEST_CASE("url: IPv4 addresses in every form that browsers read", "[http]") {
  pairs const examples[] = {{"http://127.0.0.1", "http://127.0.0.1/"},
                            {"http://127.1", "http://127.0.0.1/"},
                            {"http://2130706433", "http://127.0.0.1/"},
                            {"http://0x7F.0.0.01", "http://127.0.0.1/"},
                            {"http://0X7f000001", "http://127.0.0.1/"},
                            {"http://017700000001", "http://127.0.0.1/"},
                            {"http://192.168.257", "http://192.168.1.1/"},
                            {"http://1.2.3.4.", "http://1.2.3.4/"},
                            {"http://1.2.3.", "http://1.2.0.3/"},
                            {"http://255.255.255.255", "http://255.255.255.255/"},
                            {"http://0", "http://0.0.0.0/"},
                            {"http://0x", "http://0.0.0.0/"},
                            {"http://4294967295", "http://255.255.255.255/"},
                            {"http://1.2.3.4.com", "http://1.2.3.4.com/"},
                            {"http://1.2.3.4a", "http://1.2.3.4a/"}};
  for (auto const& [text, expected] : examples) CHECK(normal(text) == expected);
  for (auto const* text :
       {"http://256.0.0.1", "http://1.2.3.256", "http://1.2.3.4.5", "http://4294967296", "http://08", "http://1..2",
        "http://a.1", "http://a.0x1", "http://0x1g.1", "http://99999999999999999999999", "http://1.16777216"}) {
    INFO(text);
    CHECK_THAT(why(text), match::contains("IPv4"));
  }
}

TEST_CASE("url: IPv6 addresses take their shortest form", "[http]") {
  pairs const examples[] = {{"[::]", "[::]"},
                            {"[::1]", "[::1]"},
                            {"[1::]", "[1::]"},
                            {"[2001:DB8:0:0:0:0:0:1]", "[2001:db8::1]"},
                            {"[0001:0002:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]"},
                            {"[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"},
                            {"[1:0:0:2:0:0:3:4]", "[1::2:0:0:3:4]"},
                            {"[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]"},
                            {"[::2:3:4:5:6:7:8]", "[0:2:3:4:5:6:7:8]"},
                            {"[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"},
                            {"[0:0:1::]", "[0:0:1::]"},
                            {"[::ffff:192.0.2.1]", "[::ffff:c000:201]"},
                            {"[1:2:3:4:5:6:255.254.253.0]", "[1:2:3:4:5:6:fffe:fd00]"}};
  for (auto const& [text, expected] : examples) {
    CHECK(normal(std::string("http://") + text) == std::string("http://") + expected + "/");
  }
  CHECK(parsed("http://[::1]:81/").host_name() == "::1");
  CHECK(parsed("http://[::1]:81/").authority() == "[::1]:81");
}

TEST_CASE("url: what is no IPv6 address is refused", "[http]") {
  for (auto const* text : {"[]",
                           "[:]",
                           "[:::]",
                           "[1]",
                           "[1:2:3:4:5:6:7]",
                           "[1:2:3:4:5:6:7:8:9]",
                           "[1:2:3:4:5:6:7:8::]",
                           "[1::2::3]",
                           "[12345::]",
                           "[g::]",
                           "[1:]",
                           "[:1]",
                           "[::1:]",
                           "[::%25eth0]",
                           "[::1",
                           "[",
                           "[::1]a",
                           "[::1.2.3]",
                           "[::1.2.3.4.5]",
                           "[::1.2.3.256]",
                           "[::01.2.3.4]",
                           "[::1.2.3.]",
                           "[::.1.2.3]",
                           "[::1..2.3]",
                           "[::1.2.3.4:5]",
                           "[1:2:3:4:5:6:7:1.2.3.4]",
                           "[::a.2.3.4]",
                           "[::1.2.3.4444444444444]",
                           "[127.0.0.1]",
                           "[::1.2.3.00]"}) {
    INFO(text);
    CHECK(normal(std::string("http://") + text) == "refused");
    CHECK(normal(std::string("http://") + text + ":80/") == "refused");
  }
}

TEST_CASE("url: dot segments go, also escaped ones and with backslashes", "[http]") {
  pairs const examples[] = {
      {"/a/./b", "/a/b"},       {"/a/../b", "/b"},        {"/a/..", "/"},         {"/a/b/..", "/a/"},
      {"/a/.", "/a/"},          {"/../../a", "/a"},       {"/..", "/"},           {"/a/%2e/b", "/a/b"},
      {"/a/%2E%2e/b", "/b"},    {"/a/.%2e/b", "/b"},      {"/a/%2e./b", "/b"},    {"/a/...", "/a/..."},
      {"/a//../b", "/a/b"},     {"//a", "//a"},           {"/a/..b", "/a/..b"},   {"\\a\\..\\b", "/b"},
      {"/a?/../b", "/a?/../b"}, {"/a#/../b", "/a#/../b"}, {"/a?x\\y", "/a?x\\y"}, {"/%2e%2e%2f", "/%2e%2e%2f"},
      {"/a/%2", "/a/%2"}};
  for (auto const& [text, expected] : examples)
    CHECK(normal(std::string("http://h") + text) == std::string("http://h") + expected);
}

TEST_CASE("url: what must be escaped is, and nothing twice", "[http]") {
  CHECK(normal("http://h/a b\"<>^`{}'|") == "http://h/a%20b%22%3C%3E%5E%60%7B%7D'|");
  CHECK(normal("http://h/?a b\"<>^`{}'|") == "http://h/?a%20b%22%3C%3E^`{}%27|");
  CHECK(normal("http://h/#a b\"<>^`{}'|#?") == "http://h/#a%20b%22%3C%3E^%60{}'|#?");
  CHECK(normal("http://h/\xC3\xBC?\xC3\xBC#\xC3\xBC") == "http://h/%C3%BC?%C3%BC#%C3%BC");
  CHECK(normal("http://h/%zz%4%41%") == "http://h/%zz%4%41%");
}

TEST_CASE("url: every kind of reference resolves", "[http]") {
  auto const* base = "https://h:8443/a/b/c?q=1#f";
  pairs const examples[] = {{"", "https://h:8443/a/b/c?q=1"},
                            {"#g", "https://h:8443/a/b/c?q=1#g"},
                            {"?", "https://h:8443/a/b/c?"},
                            {"?r", "https://h:8443/a/b/c?r"},
                            {"?r#g", "https://h:8443/a/b/c?r#g"},
                            {"d", "https://h:8443/a/b/d"},
                            {"d/", "https://h:8443/a/b/d/"},
                            {".", "https://h:8443/a/b/"},
                            {"..", "https://h:8443/a/"},
                            {"../d?x", "https://h:8443/a/d?x"},
                            {"../../../d", "https://h:8443/d"},
                            {"..\\d", "https://h:8443/a/d"},
                            {"/", "https://h:8443/"},
                            {"/d/../e", "https://h:8443/e"},
                            {"\\d", "https://h:8443/d"},
                            {"//i/j", "https://i/j"},
                            {"\\\\i\\j", "https://i/j"},
                            {"/\\i", "https://i/"},
                            {"//i:443", "https://i/"},
                            {"http://i/j", "http://i/j"},
                            {"d/e:f", "https://h:8443/a/b/d/e:f"},
                            {"./d:e", "https://h:8443/a/b/d:e"},
                            {"  d ", "https://h:8443/a/b/d"},
                            {"d e", "https://h:8443/a/b/d%20e"}};
  for (auto const& [reference, expected] : examples) {
    INFO(reference);
    CHECK(resolved(base, reference) == expected);
  }
  CHECK(resolved("http://h", "d") == "http://h/d");
  CHECK(resolved("http://h/a?q", "") == "http://h/a?q");
}

TEST_CASE("url: references that lead nowhere are refused", "[http]") {
  for (auto const* reference : {"//", "///i", "//u@i/", "//i:0/", "http:d", "https:d", "mailto:x", "d:e", "file:///x",
                                "javascript:alert(1)", "//a b/"}) {
    INFO(reference);
    auto const url = parsed("https://h/a").resolve(reference);
    REQUIRE_FALSE(url.has_value());
    CHECK(url.error() == errc::invalid_argument);
  }
}

TEST_CASE("url: same origin means scheme, host and port", "[http]") {
  auto const same = [](char const* a, char const* b) { return same_origin(parsed(a), parsed(b)); };
  CHECK(same("http://h/a?x", "HTTP://H:80/b#y"));
  CHECK(same("http://[::1]/", "http://[0:0::1]:80/"));
  CHECK(same("http://127.1/", "http://127.0.0.1/"));
  CHECK_FALSE(same("http://h/", "https://h/"));
  CHECK_FALSE(same("http://h/", "http://h:81/"));
  CHECK_FALSE(same("http://h:443/", "https://h/"));
  CHECK_FALSE(same("http://h/", "http://h./"));
  CHECK_FALSE(same("http://localhost/", "http://127.0.0.1/"));
}

TEST_CASE("url: a normal form stays as it is; equal texts are equal", "[http]") {
  for (auto const* text :
       {"http://A/../%2e/b c?d e#f g", "https://[1::0]:443/\\x", "http://0x10/?'", "http://h/a/..//b"}) {
    auto const once = parsed(text);
    auto const twice = parsed(once.text());
    CHECK(once == twice);
    CHECK(once.text() == twice.text());
    CHECK(once.resolve(once.text())->text() == once.text());
  }
  CHECK_FALSE(parsed("http://a/?") == parsed("http://a/"));
}
