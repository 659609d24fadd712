// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <clocale>
#include <sstream>
#include <string>

#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>

#include <console.hpp>
#include <table.hpp>
#include <text.hpp>

#include <support/catch.hpp>

namespace cli {

TEST_CASE("cli: whatever is printed is cleaned, of whichever type the text is", "[cli]") {
  constexpr char const* evil = "a\x1b[31m\xc2\x9b\xe2\x80\xae\xd8\x9c\xe2\x80\x8b\xe2\x80\xa8\xe2\x81\xa4\xf3\xa0\x81\x81\x9b";
  std::string const good = "a<U+001B>[31m<U+009B><U+202E><U+061C><U+200B><U+2028><U+2064><U+E0041><0x9B>";
  std::ostringstream out;
  out << evil << '|' << std::string(evil) << '|' << std::string_view(evil) << '|' << server_text(evil);
  CHECK(out.str() == good + "|" + good + "|" + good + "|" + good);
  std::ostringstream bold;
  bold << bold_text{evil, true};
  CHECK(bold.str() == "\x1b[1m" + good + "\x1b[0m");
  std::ostringstream raw;
  raw << raw_text{evil};
  CHECK(raw.str() == evil);
  CHECK(one_line("a\nb\tc\r\nd\re") == "a b c d<U+000D>e");
}

TEST_CASE("cli: JSON that is shown is equal to what came, and harmless", "[cli]") {
  std::string const came = "{\"\xe2\x80\xae\":\"\x7f\xc2\x9b\xf3\xa0\x81\x81 \xe2\x9d\xa4\xef\xb8\x8f \xc3\xa9\"}";
  auto const shown = json_text(came);
  CHECK(shown == "{\"\\u202e\":\"\\u007f\\u009b\\udb40\\udc41 \xe2\x9d\xa4\xef\xb8\x8f \xc3\xa9\"}");
  CHECK(comcp::json::parse(shown).value() == comcp::json::parse(came).value());
}

TEST_CASE("cli: wrapping takes no square of a text's length", "[cli]") {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  constexpr std::size_t length = 1 << 20;
  CHECK(wrap(std::string(length, 'x'), 80).size() == (length + 79) / 80);
  std::string words;
  while (words.size() < length) words += "word ";
  CHECK(wrap(words, 80).size() > length / 81);
  CHECK(wrap(std::string(length, '\n'), 80).size() == length);
  CHECK(first_line(std::string(length, 'x'), 80) == std::string(80, 'x'));
}

TEST_CASE("cli: lines are broken at blanks, else behind bars, and newlines stay", "[cli]") {
  using lines = std::vector<std::string>;
  CHECK(wrap("one two three four", 10) == lines{"one two", "three four"});
  CHECK(wrap("\"aaaa\"|\"bbbb\"|\"cccc\"", 10) == lines{"\"aaaa\"|", "\"bbbb\"|", "\"cccc\""});
  CHECK(wrap("a\n\nb", 10) == lines{"a", "", "b"});
  CHECK(wrap("0123456789abc", 10) == lines{"0123456789", "abc"});
  CHECK(wrap("", 10).empty());
}

TEST_CASE("cli: a table shows the start of a text that is too long for one", "[cli]") {
  row r{std::string(100'000, 'n'), std::string(320'000, 'd'), {}};
  r.arguments.push_back({"a", std::string(50'000, 't'), std::string(50'000, 'x')});
  std::ostringstream out;
  print_table(out, {r}, 80, -1);
  CHECK(out.str().size() < 20'000);
  CHECK_THAT(out.str(), match::contains("(316000 bytes more: see --json)"));
}

TEST_CASE("cli: readable JSON takes no square of its size or depth", "[cli]") {
  auto const shown = [](std::string const& text) {
    auto const value = comcp::json::parse(text).value();
    return pretty(value);
  };
  CHECK(shown(R"({"a":[1,2],"b":"c"})") == R"({"a":[1,2],"b":"c"})");
  CHECK(shown(R"({"a":")" + std::string(80, 'x') + R"(","b":[]})") ==
        "{\n  \"a\": \"" + std::string(80, 'x') + "\",\n  \"b\": []\n}");
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += "\"0123456789012345678901234567890123456789\",";
  auto const deep = shown(std::string(250, '[') + many + "0" + std::string(250, ']'));
  CHECK(deep.size() < 3 * many.size());
}

}  // namespace cli
