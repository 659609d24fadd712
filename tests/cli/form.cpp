// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <clocale>
#include <string_view>

#include <form.hpp>
#include <text.hpp>

#include <support/catch.hpp>

namespace {

bool warns_of(std::string_view url, std::string_view what) {
  auto const all = cli::url_warnings(url);
  return std::any_of(all.begin(), all.end(), [what](auto const& w) { return w.find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("cli: an address is warned of for each thing that makes it look like another", "[cli]") {
  CHECK(warns_of("https://xn--pple-43d.com/login", "punycode"));
  CHECK(warns_of("https://www.XN--pple-43d.com/login", "punycode"));
  CHECK(warns_of("https://\xd0\xb0pple.com/", "beyond ASCII"));
  CHECK(warns_of("http://example.com/", "not encrypted"));
  CHECK(warns_of("https://bank.example@evil.example/", "before the @"));
  CHECK(warns_of("https://bank.example\\@evil.example/", "backslash"));
}

TEST_CASE("cli: a plain address brings no warning", "[cli]") {
  CHECK(cli::url_warnings("https://example.com/xn--in-the-path?x=@").empty());
  CHECK(cli::url_warnings("http://localhost:8080/").empty());
  CHECK(cli::url_warnings("http://[::1]:8080/").empty());
}

TEST_CASE("cli: the parts of an address are what a browser takes them for", "[cli]") {
  auto const parts = cli::split_url("HTTPS://user:pw@example.com:443/a@b");
  CHECK(parts.host == "example.com");
  CHECK(parts.user == "user:pw");
  CHECK(cli::split_url("https://[::1]:1/").host == "[::1]");
}

TEST_CASE("cli: text is wrapped by columns", "[cli]") {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  CHECK(cli::columns("abc") == 3);
  CHECK(cli::columns("\xc3\xa9") == 1);
  CHECK(cli::columns("\xe6\x97\xa5\xe6\x9c\xac") == 4);  // two wide letters
  CHECK(cli::columns("e\xcc\x81") == 1);                 // a letter and a combining accent
  for (auto const& line : cli::wrap("\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac", 10))
    CHECK(cli::columns(line) <= 10);
}
