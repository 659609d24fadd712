// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/providers/names.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using comcp::errc;
using comcp::providers::is_safe_name;
using comcp::providers::provider_name;
using comcp::providers::tool_names;
using comcp::providers::tool_origin;

namespace {

using pair = std::pair<std::string, std::string>;

// Short names over few characters, so that many of them nearly collide; long and odd ones among them.
std::string random_name(std::mt19937& random) {
  static std::vector<std::string> const pieces = {"a", "b",  "A", "_", "__", "-", "--", "1",
                                                  ".", "/",  " ", "é", "\n", "ab", "aaaaaaaaaaaaaaaa", "\xff"};
  std::string out;
  for (auto n = random() % 6; n > 0; --n) out += pieces[random() % pieces.size()];
  if (random() % 16 == 0) out.append(random() % 80, 'x');
  return out;
}

}  // namespace

TEST_CASE("names: what is safe and short stays readable", "[providers]") {
  CHECK(provider_name("github", "create_issue") == "github__create_issue");
  CHECK(provider_name("my-server", "get-sum") == "my-server__get-sum");
  CHECK(provider_name("a", "_hidden") == "a___hidden");
  CHECK(provider_name("a", "b__c") == "a__b__c");
  CHECK(provider_name("", "create_issue") == "create_issue");
  CHECK(provider_name(std::string(31, 's'), std::string(31, 't')).size() == 64);
  CHECK(provider_name(std::string(31, 's'), std::string(31, 't')).find("--") == std::string::npos);
}

TEST_CASE("names: what is not safe keeps what it can and gets a hash", "[providers]") {
  auto const odd = provider_name("files", "read a/file.now");
  CHECK(odd.substr(0, odd.size() - 16) == "files__read_a_file_now--");
  CHECK(odd.size() == 24 + 16);
  auto const long_one = provider_name("a-rather-long-name-of-a-server-somewhere", "and-the-rather-long-name-of-its-tool");
  CHECK(long_one.size() == 64);
  CHECK(long_one.starts_with("a-rather-long-na"));
  CHECK(long_one.find("__and-the-rather") != std::string::npos);
  for (auto const& name : {provider_name("1password", "read"), provider_name("-", "t"), provider_name("é", "ü"),
                           provider_name("", ""), provider_name("s", ""), provider_name("", std::string(1000, 'x')),
                           provider_name(std::string(1000, '.'), std::string(1000, '/'))}) {
    CAPTURE(name);
    CHECK(is_safe_name(name));
    CHECK(name.find("--") != std::string::npos);
  }
}

TEST_CASE("names: they are the same in every version", "[providers]") {
  CHECK(provider_name("files", "read a/file.now") == "files__read_a_file_now--2nrc64t6znx5hiys");
  CHECK(provider_name("1password", "read") == "_1password__read--6abtb3knpg5u7ray");
  CHECK(provider_name("", "") == "_--xj3iwmy73bwozab3");
}

TEST_CASE("names: what could be read in two ways is hashed", "[providers]") {
  // Each group would share a name if both were joined plainly.
  std::vector<std::vector<pair>> const groups = {
      {{"a_", "_b"}, {"a", "__b"}, {"a__", "b"}, {"", "a____b"}},
      {{"a_", "b"}, {"a", "_b"}, {"", "a___b"}},
      {{"a__b", "c"}, {"a", "b__c"}, {"", "a__b__c"}},
      {{"a b", "c"}, {"a_b", "c"}, {"a.b", "c"}},
      {{"x", "y"}, {"", "x__y"}},
      {{"X", "y"}, {"x", "y"}},
  };
  for (auto const& group : groups) {
    std::set<std::string> names;
    for (auto const& [server, tool] : group) names.insert(provider_name(server, tool));
    CHECK(names.size() == group.size());
  }
}

TEST_CASE("names: a tool cannot be called as another one's hashed name", "[providers]") {
  auto const hashed = provider_name("s", "odd name");
  auto const border = hashed.find("__");
  CHECK(provider_name(hashed.substr(0, border), hashed.substr(border + 2)) != hashed);
  CHECK(provider_name("", hashed) != hashed);
  auto const without_server = provider_name("", "odd name");
  CHECK(provider_name("", without_server) != without_server);
}

TEST_CASE("names: random pairs get safe, distinct names and come back", "[providers]") {
  std::mt19937 random(20260728);
  std::map<std::string, pair> seen;
  std::set<pair> pairs;
  tool_names table;
  for (int i = 0; i < 30'000; ++i) {
    pair const p{random_name(random), random_name(random)};
    auto const name = provider_name(p.first, p.second);
    REQUIRE(is_safe_name(name));
    REQUIRE(name == provider_name(p.first, p.second));
    auto const [at, is_new] = seen.emplace(name, p);
    REQUIRE(at->second == p);
    pairs.insert(p);
    REQUIRE(table.add(p.first, p.second) == name);
  }
  CHECK(table.size() == pairs.size());
  for (auto const& [name, p] : seen) {
    auto const origin = table.origin(name);
    REQUIRE(origin);
    REQUIRE(*origin == tool_origin(p.first, p.second));
  }
}

TEST_CASE("names: the table is the same whatever the order of arrival", "[providers]") {
  std::vector<pair> pairs = {{"a", "x"}, {"b", "x"}, {"a", "y y"}, {"c", std::string(90, 'z')}};
  tool_names sorted, reversed;
  for (auto const& [server, tool] : pairs) sorted.add(server, tool);
  std::reverse(pairs.begin(), pairs.end());
  for (auto const& [server, tool] : pairs) reversed.add(server, tool);
  for (auto const& [server, tool] : pairs) {
    auto const name = provider_name(server, tool);
    CHECK(sorted.origin(name).value() == reversed.origin(name).value());
  }
}

TEST_CASE("names: an unknown name is unknown_tool, with the name", "[providers]") {
  tool_names table;
  table.add("a", "x");
  auto const unknown = table.origin("a__y");
  REQUIRE(!unknown);
  CHECK(unknown.error() == errc::unknown_tool);
  CHECK(unknown.error().to_string().find("a__y") != std::string::npos);
  CHECK(table.origin(std::string(1'000'000, 'x')).error().message().size() < 300);
}

TEST_CASE("names: a server that goes takes its names along and no others", "[providers]") {
  tool_names table;
  auto const kept = table.add("a", "x");
  table.add("b", "x");
  table.add("b", "y");
  table.remove("b");
  CHECK(table.size() == 1);
  CHECK(table.origin(kept).value() == tool_origin("a", "x"));
  CHECK(table.origin("b__x").error() == errc::unknown_tool);
}

TEST_CASE("names: safe names are those of all providers", "[providers]") {
  CHECK(is_safe_name("a"));
  CHECK(is_safe_name("_A-9"));
  CHECK(is_safe_name(std::string(64, 'a')));
  CHECK(!is_safe_name(std::string(65, 'a')));
  for (char const* const bad : {"", "9a", "-a", "a.b", "a b", "a/b", "é", "a\n"}) CHECK(!is_safe_name(bad));
}
