// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What Windows is told of a command, tested everywhere; on Windows also against CommandLineToArgvW itself.
#include <comcp/net/windows_command.hpp>

#include <random>

#include <comcp/net/utf16.hpp>

#include "support/argv.hpp"
#include "support/catch.hpp"

using comcp::errc;
using comcp::net::detail::to_utf16;
using comcp::net::detail::to_utf8;
using strings = std::vector<std::string>;
namespace windows = comcp::net::windows;

namespace {

std::string line_of(strings const& argv) { return to_utf8(windows::command_line(argv).value()).value(); }

std::string batch(strings const& argv) {
  return to_utf8(windows::batch_line("C:\\W\\cmd.exe", argv.front(), argv).value()).value();
}

constexpr char const* cmd = "\"C:\\W\\cmd.exe\" /d /e:on /v:off /s /c ";

// Arguments of what quoting is about.
strings any_arguments(std::mt19937& random, std::string_view of) {
  strings out(1 + random() % 5);
  for (auto& a : out) {
    for (auto n = random() % 8; n != 0; --n) a.push_back(of[random() % of.size()]);
  }
  return out;
}

}  // namespace

TEST_CASE("windows_command: arguments are quoted where that is needed", "[net]") {
  CHECK(windows::quoted_argument("plain") == "plain");
  CHECK(windows::quoted_argument("C:\\a\\b\\") == "C:\\a\\b\\");
  CHECK(windows::quoted_argument("") == "\"\"");
  CHECK(windows::quoted_argument("a b") == "\"a b\"");
  CHECK(windows::quoted_argument("a b\\") == "\"a b\\\\\"");
  CHECK(windows::quoted_argument("say \"hi\"") == "\"say \\\"hi\\\"\"");
  CHECK(windows::quoted_argument("a\\\"b") == "\"a\\\\\\\"b\"");
  CHECK(windows::quoted_argument("a\\b c") == "\"a\\b c\"");
  CHECK(line_of({"C:\\Program Files\\x.exe", "-y", "a b"}) == "\"C:\\Program Files\\x.exe\" -y \"a b\"");
}

TEST_CASE("windows_command: every argument is read back as it was", "[net]") {
  std::mt19937 random(7);
  for (int round = 0; round != 20000; ++round) {
    auto argv = any_arguments(random, "\\\"ab \t\n*%^&|<>'=\xc3");
    std::erase(argv[0], '"');
    for (auto& a : argv) {  // whole characters
      for (std::size_t at = a.find('\xc3'); at != std::string::npos; at = a.find('\xc3', at + 2)) a.insert(at + 1, "\xa9");
    }
    auto const line = windows::command_line(argv);
    REQUIRE(line);
    REQUIRE(comcp_test::split_command_line(*line) == argv);
#if defined(_WIN32)
    REQUIRE(comcp_test::real_command_line_to_argv(*line) == argv);
#endif
  }
}

#if defined(_WIN32)
TEST_CASE("windows_command: the rules as they are written here are those of CommandLineToArgvW", "[net]") {
  std::mt19937 random(11);
  constexpr std::string_view of = "\\\\\"\" \tab";
  for (int round = 0; round != 20000; ++round) {
    std::u16string line = u"x ";
    for (auto n = random() % 16; n != 0; --n) line.push_back(static_cast<char16_t>(of[random() % of.size()]));
    REQUIRE(comcp_test::split_command_line(line) == comcp_test::real_command_line_to_argv(line));
  }
}
#endif

TEST_CASE("windows_command: what no line can say is refused by its position, never its text", "[net]") {
  auto const refused = [](strings const& argv) {
    auto const got = windows::command_line(argv);
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::invalid_argument);
    CHECK_THAT(got.error().to_string(), !match::contains("hush"));
    return std::string(got.error().message());
  };
  CHECK(refused({"hush\"x"}) == "the command has a quotation mark");
  CHECK(refused({"a", "b", "hush\xff"}) == "argument 2 is no UTF-8");
  CHECK(refused({"a", std::string("hush\0", 5)}) == "argument 1 has a NUL");
  CHECK_THAT(refused({"a", std::string(40000, 'x')}), match::contains("40004 units, 32766 at most"));
  CHECK(windows::command_line({"a", std::string(32762, 'x')}));
}

TEST_CASE("windows_command: batch files are known by their end", "[net]") {
  for (auto const* yes : {"a.bat", "C:\\x\\NPX.CMD", "a.cmd.", "a.bat . ", "\\\\?\\C:\\a.BaT "}) CHECK(windows::is_batch_file(yes));
  for (auto const* no : {"a.exe", "cmd", ".cmd", "bat", "a.cmd.exe", "", " . ", "a.cmdx"}) CHECK_FALSE(windows::is_batch_file(no));
}

TEST_CASE("windows_command: cmd.exe gets each argument in quotation marks that may mean something to it", "[net]") {
  CHECK(batch({"C:\\n\\npx.cmd", "-y", "@scope/server", "C:\\dir\\"}) ==
        cmd + std::string(R"(""C:\n\npx.cmd" -y @scope/server C:\dir\")"));
  CHECK(batch({"C:\\Program Files\\a.bat", "a b", "", "x&calc", "a^b", "(x)", "a=b", "a,b;c", "1>2|3<4"}) ==
        cmd + std::string(R"x(""C:\Program Files\a.bat" "a b" "" "x&calc" "a^b" "(x)" "a=b" "a,b;c" "1>2|3<4"")x"));
  CHECK(batch({"a.bat", "a b\\", "\xc3\xa9", "a\tb"}) == cmd + std::string("\"\"a.bat\" \"a b\\\\\" \"\xc3\xa9\" \"a\tb\"\""));
}

TEST_CASE("windows_command: what cmd.exe would take for its own is refused, by its position", "[net]") {
  auto const bad = GENERATE(as<std::string>(), "\"", "%", "!", "\n", "\r", "\x1a", "\x7f", "\x01", "\"&calc", "%PATH%", "%%cd%%", "!x!");
  auto const got = windows::batch_line("cmd.exe", "C:\\a.bat", {"a.bat", "fine", "hush" + bad});
  REQUIRE_FALSE(got);
  CHECK(got.error() == errc::invalid_argument);
  CHECK_THAT(std::string(got.error().message()), match::starts_with("argument 2 has a character that cannot be given to a batch file"));
  CHECK_THAT(got.error().to_string(), !match::contains("hush"));
  auto const named = windows::batch_line("cmd.exe", "C:\\" + bad + ".bat", {"a.bat"});
  REQUIRE_FALSE(named);
  CHECK_THAT(std::string(named.error().message()), match::starts_with("the command has a character"));
}

TEST_CASE("windows_command: a line that cmd.exe would cut is refused", "[net]") {
  auto const before = batch({"a.bat", "x"}).size();
  CHECK(windows::batch_line("C:\\W\\cmd.exe", "a.bat", {"a.bat", std::string(8191 - before + 1, 'x')}));
  auto const got = windows::batch_line("C:\\W\\cmd.exe", "a.bat", {"a.bat", std::string(8191 - before + 2, 'x')});
  REQUIRE_FALSE(got);
  CHECK_THAT(std::string(got.error().message()), match::contains("8192 units, 8191 at most"));
}

// What a batch file hands on by %* is read by a program as it was written: quotation marks stay around what had them.
TEST_CASE("windows_command: behind a batch file, arguments are read back as they were", "[net]") {
  std::mt19937 random(3);
  for (int round = 0; round != 20000; ++round) {
    auto argv = any_arguments(random, "\\\\ab \t^&|<>'=,;()@");
    argv.insert(argv.begin(), "a.bat");
    auto const line = batch(argv);
    auto const opening = line.find(" /c \"") + 5;
    auto const inner = to_utf16(line.substr(opening, line.size() - opening - 1)).value();
    REQUIRE(comcp_test::split_command_line(inner) == argv);
    // No character that is cmd.exe's is outside of quotation marks.
    bool inside = false;
    for (char16_t const c : inner) {
      if (c == u'"') inside = !inside;
      REQUIRE((inside || std::u16string_view(u"&|<>^()=,;").find(c) == std::u16string_view::npos));
    }
    REQUIRE_FALSE(inside);
  }
}
