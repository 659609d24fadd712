// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What users are warned of, in the spellings that browsers understand.
#include <comcp/http/url_warnings.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/visible.hpp>

#include "support/catch.hpp"

using comcp::url_warning;
using comcp::url_warnings;

namespace {

using warned = std::vector<url_warning>;

bool warns(std::string_view url, url_warning w) {
  auto const all = url_warnings(url);
  return std::find(all.begin(), all.end(), w) != all.end();
}

}  // namespace

TEST_CASE("url_warnings: none for a usual URL", "[http]") {
  for (auto const* const url :
       {"https://example.com", "HTTPS://Example.COM:8443/a/b?c=d@e&f=http://localhost/#g", " https://example.com/ ",
        "https://example.com/%20/xn--a?x=xn--b", "https://8.8.8.8/", "https://[2001:4860:4860::8888]/",
        "https://localhost.example.com/", "https://notlocal.example/", "https://example.com/caf\xC3\xA9", "https://example.com./"}) {
    INFO(url);
    CHECK(url_warnings(url).empty());
  }
}

TEST_CASE("url_warnings: another scheme, or none", "[http]") {
  for (auto const* const url : {"javascript:alert(1)", "JavaScript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://a.example/",
                                "ws://a.example/", "vscode://x", "java\nscript:alert(1)", "\x01javascript:alert(1)"}) {
    INFO(url);
    CHECK(url_warnings(url).front() == url_warning::not_http);
  }
  for (auto const* const url : {"", " ", "example.com", "/path", "//example.com/", ":", "1http://a.example/"}) {
    INFO(url);
    CHECK(url_warnings(url) == warned{url_warning::malformed});
  }
  CHECK(url_warnings("http://example.com/") == warned{url_warning::plain_http});
}

TEST_CASE("url_warnings: what a browser repairs is malformed, and still looked at", "[http]") {
  for (auto const* const url : {"https:example.com", "https:/example.com", "https:///example.com/", "https://", "https://?",
                                "https://a.example:x/", "https://a.example:0/", "https://a b.example/", "https://[::1/",
                                "https://a%2eexample/", "https://1.2.3.4.5/", "https://:443/", "https://a<b.example/"}) {
    INFO(url);
    CHECK(warns(url, url_warning::malformed));
  }
  CHECK(warns("https:localhost", url_warning::this_machine));
  CHECK(warns("https:/\\//127.0.0.1/", url_warning::this_machine));
  CHECK(warns("https:\\\\example.com\\a", url_warning::malformed));
}

TEST_CASE("url_warnings: credentials", "[http]") {
  CHECK(url_warnings("https://bank.example@evil.example/") == warned{url_warning::credentials});
  CHECK(url_warnings("https://user:pass@evil.example/") == warned{url_warning::credentials});
  CHECK(url_warnings("https://a@b@127.0.0.1/") == warned{url_warning::credentials, url_warning::this_machine});
  CHECK(url_warnings("https://@evil.example/") == warned{url_warning::credentials});
  CHECK(url_warnings("https://bank.example\\@evil.example/") == std::vector{url_warning::malformed});  // others take what follows the @ for the host
  CHECK(url_warnings("https://evil.example/@bank.example").empty());
}

TEST_CASE("url_warnings: hosts in punycode or beyond ASCII", "[http]") {
  for (auto const* const url :
       {"https://xn--pple-43d.com/", "https://www.XN--pple-43d.com/", "https://a.xn--p1ai", "https://\xD0\xB0pple.com/",
        "https://\xEF\xBC\x85.example/", "https://%D0%B0pple.com/", "https://\xEF\xBD\x98\xEF\xBD\x8E--a.example/", "https://\xFF.example/"}) {
    INFO(url);
    CHECK(warns(url, url_warning::international_host));
  }
  CHECK(url_warnings("https://\xD0\xB0pple.com/") == warned{url_warning::international_host});
  CHECK_FALSE(warns("https://a-xn--b.example/", url_warning::international_host));
}

TEST_CASE("url_warnings: this machine, in every spelling", "[http]") {
  for (auto const* const host :
       {"localhost", "LOCALHOST", "localhost.", "a.localhost", "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.1",
        "0177.0.0.1", "017700000001", "0x7f.0x0.0x0.0x1", "127.0.0.1.", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]", "%31%32%37.0.0.1", "loc%61lhost", "\xEF\xBC\x91\xEF\xBC\x92\xEF\xBC\x97.0.0.1",
        "127\xE3\x80\x82" "0\xE3\x80\x82" "0\xE3\x80\x82" "1", "local\xC2\xADhost", "local\xE2\x80\x8Bhost", "lo\ncalhost"}) {
    INFO(host);
    for (auto const* const end : {"", "/", ":8080/x", "?x", "#x"}) CHECK(warns(std::string("https://") + host + end, url_warning::this_machine));
    CHECK(warns(std::string("http://a:b@") + host, url_warning::this_machine));
  }
}

TEST_CASE("url_warnings: private networks, in every spelling", "[http]") {
  for (auto const* const host :
       {"10.0.0.1", "0xa000001", "167772161", "012.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "3232235777", "0300.0250.1.1",
        "169.254.169.254", "2852039166", "100.64.0.1", "0.0.0.0", "0", "224.0.0.1", "255.255.255.255", "[fe80::1]", "[fe80::1%25eth0]",
        "[fc00::1]", "[fd12::1]", "[::]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "[2002:7f00:1::]", "[::127.0.0.1]", "printer.local",
        "PRINTER.LOCAL.", "metadata.google.internal", "nas.home.arpa", "intranet", "router."}) {
    INFO(host);
    CHECK(warns(std::string("https://") + host + "/", url_warning::private_network));
  }
  for (auto const* const host : {"172.32.0.1", "11.0.0.1", "[2001:4860::1]", "local.example", "1.1.1.1", "mylocal.example"}) {
    INFO(host);
    CHECK_FALSE(warns(std::string("https://") + host + "/", url_warning::private_network));
  }
}

TEST_CASE("url_warnings: characters that nobody sees", "[http]") {
  for (auto const& url :
       {std::string("https://example.com/\xE2\x80\xAEgpj.exe"), std::string("https://exam\xE2\x80\x8Bple.com/"),
        std::string("https://example.com/\n.evil.example/"), std::string("https://example.com/\ta"), std::string("https://example.com/\0x", 22),
        std::string("https://example.com/\x1B[2J"), std::string("https://example.com/\xF3\xA0\x81\xA1"), std::string("https://a%E2%80%8B.example/"),
        std::string("https://example.com/\x9B"), std::string("https://a%0A.example/")}) {
    INFO(comcp::visible(url));
    CHECK(warns(url, url_warning::invisible_characters));
  }
  CHECK_FALSE(warns("https://example.com/%0A%E2%80%8B", url_warning::invisible_characters));  // written out for all to see
}

TEST_CASE("url_warnings: a long URL is looked at as far as 8192 bytes", "[http]") {
  auto const long_one = "https://example.com/" + std::string(1 << 24, 'a');
  CHECK(url_warnings(long_one) == warned{url_warning::too_long});
  CHECK(url_warnings(long_one.substr(0, 8192)).empty());
  CHECK(url_warnings("https://" + std::string(1 << 20, '@') + "localhost/") .front() == url_warning::malformed);
  for (int c = 0; c != 256; ++c) {  // any byte anywhere
    std::string const url = "https://a" + std::string(1, static_cast<char>(c)) + "b.example:1/" + std::string(1, static_cast<char>(c));
    CHECK(url_warnings(url).size() < 9);
    CHECK(url_warnings(std::string(3, static_cast<char>(c))).size() < 9);
    CHECK(url_warnings("https://" + std::string(3, static_cast<char>(c))).size() < 9);
  }
}

TEST_CASE("url_warnings: every warning has its sentence", "[http]") {
  for (int i = 0; i <= static_cast<int>(url_warning::too_long); ++i) CHECK(to_text(static_cast<url_warning>(i)).ends_with('.'));
  CHECK(url_warnings("http://u@xn--a.localhost/\xE2\x80\x8B") ==
        warned{url_warning::credentials, url_warning::international_host, url_warning::invisible_characters, url_warning::this_machine,
               url_warning::plain_http});
}
