// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/net/windows_command.hpp>

#include <set>

#include "support/catch.hpp"

using comcp::errc;
using strings = std::vector<std::string>;
namespace windows = comcp::net::windows;

namespace {

// A disk with these files, whatever the case of their names.
class disk {
 public:
  explicit disk(strings const& files) {
    for (auto const& f : files) files_.insert(lower(f));
  }
  bool operator()(std::string const& path) const {
    asked_.push_back(path);
    return files_.count(lower(path)) != 0;
  }
  [[nodiscard]] strings const& asked() const { return asked_; }

 private:
  static std::string lower(std::string text) {
    for (auto& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
  }
  std::set<std::string> files_;
  mutable strings asked_;
};

std::string found(std::string const& command, strings const& variables, disk const& d, std::string const& directory = "") {
  return windows::find_command(command, variables, directory, [&](std::string const& path) { return d(path); }).value_or("-");
}

std::string text(std::u16string_view block) {
  std::string out;
  for (char16_t const c : block) out.push_back(c == 0 ? '|' : static_cast<char>(c));
  return out;
}

}  // namespace

TEST_CASE("windows_lookup: npx is npx.cmd, never the shell script beside it", "[net]") {
  disk const d({"C:\\node\\npx", "C:\\node\\npx.cmd", "C:\\node\\node.exe"});
  strings const variables{"Path=C:\\other;\"C:\\node\"", "PATHEXT=.COM;.EXE;.BAT;.CMD;.JS"};
  CHECK(found("npx", variables, d) == "C:\\node\\npx.CMD");
  CHECK(found("npx.cmd", variables, d) == "C:\\node\\npx.cmd");
  CHECK(found("node", variables, d) == "C:\\node\\node.EXE");
  CHECK(found("nothing", variables, d) == "-");
}

TEST_CASE("windows_lookup: folders come in PATH's order, extensions in PATHEXT's", "[net]") {
  disk const d({"C:\\a\\x.cmd", "C:\\b\\x.exe", "C:\\b\\x.com"});
  CHECK(found("x", {"PATH=C:\\a;C:\\b"}, d) == "C:\\a\\x.CMD");
  CHECK(found("x", {"PATH=C:\\b;C:\\a"}, d) == "C:\\b\\x.COM");
  CHECK(found("x", {"PATH=C:\\b\\;C:\\a", "pathext=.exe;.com"}, d) == "C:\\b\\x.exe");
}

TEST_CASE("windows_lookup: what only another program could run is passed over", "[net]") {
  disk const d({"C:\\a\\tool.js", "C:\\a\\tool.vbs", "C:\\b\\tool.exe"});
  CHECK(found("tool", {"PATH=C:\\a;C:\\b", "PATHEXT=.JS;.VBS;.EXE"}, d) == "C:\\b\\tool.EXE");
  CHECK(found("tool", {"PATH=C:\\a", "PATHEXT=.JS"}, d) == "-");
}

TEST_CASE("windows_lookup: a name with a dot may still lack its extension", "[net]") {
  disk const d({"C:\\a\\python3.11.exe"});
  CHECK(found("python3.11", {"PATH=C:\\a"}, d) == "C:\\a\\python3.11.EXE");
}

TEST_CASE("windows_lookup: the current folder is no part of PATH", "[net]") {
  disk const d({"x.exe", "C:\\here\\x.exe"});
  CHECK(found("x", {"PATH=;;C:\\a; "}, d, "C:\\here") == "-");
  CHECK(found("x", {}, d, "C:\\here") == "-");
  CHECK(d.asked() == strings{"C:\\a\\x.COM", "C:\\a\\x.EXE", "C:\\a\\x.BAT", "C:\\a\\x.CMD"});
}

TEST_CASE("windows_lookup: a command with a folder starts where the child does", "[net]") {
  disk const d({"C:\\work\\bin\\x.exe", "C:\\full\\x.bat", "bin\\x.cmd", "\\\\host\\share\\x.exe"});
  strings const none{"PATH=C:\\a"};
  CHECK(found("bin\\x", none, d, "C:\\work") == "C:\\work\\bin\\x.EXE");
  CHECK(found("bin/x.exe", none, disk({"C:\\work\\bin/x.exe"}), "C:\\work\\") == "C:\\work\\bin/x.exe");
  CHECK(found("bin\\x", none, d) == "bin\\x.CMD");
  CHECK(found("C:\\full\\x", none, d, "C:\\work") == "C:\\full\\x.BAT");
  CHECK(found("\\\\host\\share\\x", none, d, "C:\\work") == "\\\\host\\share\\x.EXE");
  CHECK(found("bin\\x", {"PATH=bin"}, disk({"C:\\work\\bin\\bin\\x.exe"}), "C:\\work") == "-");
  CHECK(found("x", {"PATH=bin"}, d, "C:\\work") == "C:\\work\\bin\\x.EXE");
}

TEST_CASE("windows_lookup: names of variables are the same whatever their case", "[net]") {
  windows::variables all{"Path=C:\\a", "=C:=C:\\now", "Home=x"};
  CHECK(windows::value_of(all, "PATH") == "C:\\a");
  CHECK(windows::value_of(all, "PAT").empty());
  windows::set_variable(all, "PATH", "C:\\b");
  windows::set_variable(all, "NEW", "a=b");
  CHECK(all == windows::variables{"=C:=C:\\now", "Home=x", "PATH=C:\\b", "NEW=a=b"});
  CHECK(windows::value_of(all, "new") == "a=b");
}

TEST_CASE("windows_lookup: the block of variables is sorted and ends with two NULs", "[net]") {
  CHECK(text(windows::environment_block({"b=2", "A=1", "a_b=4", "AB=3", "=C:=C:\\now"})) == "=C:=C:\\now|A=1|AB=3|a_b=4|b=2||");
  CHECK(text(windows::environment_block({})) == "||");
  CHECK(text(windows::environment_block({"fine=", "no name", "=x", std::string("nul=\0", 5), "bad=\xff", ""})) == "fine=||");
  CHECK(windows::environment_block({"k=\xf0\x9f\x98\x80"}) == std::u16string(u"k=\U0001f600\0\0", 6));
}

TEST_CASE("windows_lookup: a user's variable that cannot be one is refused, by its position", "[net]") {
  CHECK(windows::check_variables({{"A", "b=c"}, {"\xc3\xa9", ""}}));
  auto const refused = [](std::string name, std::string value) {
    auto const got = windows::check_variables({{"A", "b"}, {std::move(name), std::move(value)}});
    REQUIRE_FALSE(got);
    CHECK(got.error() == errc::invalid_argument);
    CHECK_THAT(got.error().to_string(), !match::contains("hush"));
    return std::string(got.error().message());
  };
  CHECK(refused("", "hush") == "variable 2 of the environment has no name, or one with a '='");
  CHECK(refused("=C:", "hush") == "variable 2 of the environment has no name, or one with a '='");
  CHECK(refused("a=b", "hush") == "variable 2 of the environment has no name, or one with a '='");
  CHECK(refused("KEY", "hush\xff") == "variable 2 of the environment is no UTF-8");
}
