// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/schema/pattern.hpp>

#include "support/catch.hpp"

using comcp::errc;
using comcp::pattern;

namespace {

bool matches(std::string_view p, std::string_view text) {
  std::uint64_t steps = 10'000'000;
  return pattern::compile(p).value().search(text, steps).value();
}

comcp::error fault(std::string_view p) {
  auto const compiled = pattern::compile(p);
  return compiled ? comcp::error() : compiled.error();
}

}  // namespace

TEST_CASE("pattern: literals, sets, repetition and choice", "[schema]") {
  CHECK(matches("b", "abc"));
  CHECK(matches("", ""));
  CHECK(matches("^a*$", "aaa"));
  CHECK(!matches("^a*$", "aab"));
  CHECK(matches("^(foo|bar)+$", "foobarfoo"));
  CHECK(!matches("^(foo|bar)+$", "foobaz"));
  CHECK(matches("^[a-c_-]{2,4}?$", "a-_c"));
  CHECK(!matches("^[a-c]{2,4}$", "abcab"));
  CHECK(matches("^[^a-c]$", "d"));
  CHECK(matches("^x{3}$", "xxx"));
  CHECK(!matches("^x{3,}$", "xx"));
  CHECK(matches("^{{name}}$", "{{name}}"));
  CHECK(matches("^[a-\\d]+$", "a-7"));
  CHECK(matches("^(?<year>\\d{4})-(?:\\d\\d)$", "2026-07"));
  CHECK(matches("^(a*)*$", "aaaa"));
  CHECK(!matches("^(a|b|)c$", "abc"));
  CHECK(!matches("[]", "a"));
  CHECK(matches("^[^]$", "\n"));
  CHECK(!matches("^.$", "\n"));
}

TEST_CASE("pattern: escapes and Unicode", "[schema]") {
  CHECK(matches("^\\u00e9\\u{1F432}\\x41\\cA\\.$", "é🐲A\x01."));
  CHECK(matches("^\\uD83D\\uDC32$", "🐲"));
  CHECK(matches("^🐲*$", "🐲🐲"));
  CHECK(matches("^.$", "🐲"));
  CHECK(matches("^\\p{L}+$", "Größe"));
  CHECK(matches("^\\p{Letter}\\p{Nd}$", "π৪"));
  CHECK(!matches("\\P{L}", "Größe"));
  CHECK(matches("^\\p{gc=Lu}[\\p{Ll}\\s]+$", "Ab c"));
  CHECK(matches("^[[:]$", "["));
}

TEST_CASE("pattern: word edges and lookarounds", "[schema]") {
  CHECK(matches("\\bfoo\\b", "a foo b"));
  CHECK(!matches("\\bfoo\\b", "afoo"));
  CHECK(matches("\\Boo", "foo"));
  CHECK(matches("^(?=.*\\d)(?=.*[a-z]).{4,}$", "abc1"));
  CHECK(!matches("^(?=.*\\d)(?=.*[a-z]).{4,}$", "abcd"));
  CHECK(matches("^(?!\\.)(?!.*\\.\\.)[a-z.]+$", "a.b"));
  CHECK(!matches("^(?!\\.)(?!.*\\.\\.)[a-z.]+$", "a..b"));
  CHECK(matches("(?<=\\$)\\d+", "cost $42"));
  CHECK(!matches("(?<!\\$)\\b\\d+", "cost $42"));
  CHECK(matches("^(?=a(?!c)b)", "ab"));
  CHECK(!matches("^(?=a(?!b))", "ab"));
  CHECK(matches("x(?=(ab)+$)", "xabab"));
  CHECK(!matches("x(?=(ab)+$)", "xababa"));
}

TEST_CASE("pattern: what is no pattern is refused with the reason", "[schema]") {
  for (auto const* p : {"(", ")", "[", "a**", "*a", "\\", "\\a", "\\u12", "\\p{Nonsense}", "[b-a]", "{2}", "a{2,1}",
                        "(?i:a)", "\\1", "(a)\\1", "\\k<n>", "(?<n", "\\u{110000}"}) {
    INFO(p);
    CHECK(fault(p) == errc::invalid_argument);
    CHECK_THAT(std::string(fault(p).message()), match::contains("pattern"));
  }
}

TEST_CASE("pattern: size and nesting are bounded", "[schema]") {
  CHECK(fault("((((a{1000}){1000}){1000}){1000})") == errc::limit_exceeded);
  CHECK(fault("(((((){1000}){1000}){1000}){1000})") == errc::limit_exceeded);
  CHECK(fault("a{9999999999}") == errc::limit_exceeded);
  CHECK(fault(std::string(5000, '(')) == errc::limit_exceeded);
  CHECK(fault(std::string(30'000, 'a')) == errc::limit_exceeded);
  CHECK(!fault(std::string(50, '(') + "a" + std::string(50, ')')));
}

TEST_CASE("pattern: a catastrophic pattern takes linear time, and steps are bounded", "[schema]") {
  std::string const text(20'000, 'a');
  CHECK(!matches("^(a+)+$", text + "b"));
  auto const p = pattern::compile("^(a|aa)+$").value();
  std::uint64_t steps = 1000;
  CHECK(!p.search(text, steps).has_value());
  CHECK(steps == 0);
}

TEST_CASE("pattern: compiling and beginning a search take steps, too", "[schema]") {
  std::uint64_t steps = 30'000;
  auto const p = pattern::compile("^z{10000}", steps);
  REQUIRE(p);
  CHECK(steps < 20'000);
  steps = 1'000;
  CHECK_FALSE(p->search("b", steps).has_value());
  CHECK(steps == 0);
  for (auto const* text : {"z{10000}", "[\\p{L}\\p{L}\\p{L}]", "\\P{L}\\P{L}\\P{L}"}) {
    steps = 3'000;
    auto const refused = pattern::compile(text, steps);
    INFO(text);
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::limit_exceeded);
    CHECK(steps == 0);
  }
}
