// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/net/child_process.hpp>

#if defined(_WIN32)

#include <filesystem>
#include <fstream>
#include <thread>

#include <windows.h>

#include <asio/io_context.hpp>
#include <asio/read.hpp>

#include <comcp/test/manual_clock.hpp>

#include "support/transport_box.hpp"

using comcp::errc;
using comcp::net::child_process;
using comcp::net::spawn_options;
using namespace std::chrono_literals;

namespace {

std::string const server = std::string(COMCP_TEST_SERVERS_DIR) + "/comcp_test_misbehaving";

spawn_options options(std::vector<std::string> arguments) {
  spawn_options o;
  o.command = {server};
  o.command.insert(o.command.end(), arguments.begin(), arguments.end());
  o.error_to = spawn_options::error_output::discard;
  return o;
}

std::string all_output(child_process& p) {
  std::string out;
  std::error_code ec;
  asio::read(p.output(), asio::dynamic_buffer(out), ec);
  return out;
}

void until_ready(child_process& p) {
  std::string ready(6, '\0');
  asio::read(p.output(), asio::buffer(ready));
  CHECK(ready == "ready\n");
}

void wait_exit(asio::io_context& io, child_process& p) {
  p.on_exit([&] { io.stop(); });
  io.restart();
  io.run_for(30s);
  REQUIRE(p.status());
}

// A folder with a batch file in it that hands its arguments on to the server.
class batch_file {
 public:
  explicit batch_file(std::string const& name) : folder(std::filesystem::temp_directory_path() / ("comcp " + std::to_string(::GetCurrentProcessId()))) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / name) << "@\"%COMCP_TEST_SERVER%.exe\" %*\r\n";
    std::ofstream(folder / "tool") << "#!/bin/sh\n";
  }
  batch_file(batch_file const&) = delete;
  batch_file& operator=(batch_file const&) = delete;
  ~batch_file() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::filesystem::path folder;
};

std::string dos_path(std::string path) {
  wchar_t full[1024];
  std::wstring const wide(path.begin(), path.end());
  auto const n = ::GetFullPathNameW(wide.c_str(), 1024, full, nullptr);
  return std::filesystem::path(std::wstring(full, n)).string();
}

}  // namespace

TEST_CASE("child_process: the exit status is told, and nothing is left", "[net]") {
  asio::io_context io;
  auto p = child_process::spawn(io.get_executor(), options({"exit_at_once", "42"}));
  REQUIRE(p);
  CHECK(p->pid() > 0);
  wait_exit(io, *p);
  CHECK(p->status()->code == 42);
  CHECK_FALSE(p->status()->signal);
  CHECK_FALSE(comcp_test::has_children());
}

TEST_CASE("child_process: a crash is its code", "[net]") {
  asio::io_context io;
  auto p = child_process::spawn(io.get_executor(), options({"die"}));
  REQUIRE(p);
  wait_exit(io, *p);
  CHECK(p->status()->code == static_cast<int>(0xC0000005));
}

TEST_CASE("child_process: the child gets three streams and no other handle of ours", "[net]") {
  asio::io_context io;
  SECURITY_ATTRIBUTES inheritable{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  HANDLE const leak = ::CreateEventW(&inheritable, TRUE, FALSE, nullptr);
  auto o = options({"descriptors"});
  o.error_to = spawn_options::error_output::pipe;
  auto p = child_process::spawn(io.get_executor(), o);
  ::CloseHandle(leak);
  REQUIRE(p);
  CHECK(all_output(*p) == "pipe pipe pipe 0 more\n");
}

TEST_CASE("child_process: the default environment is the safe names and the user's", "[net]") {
  asio::io_context io;
  ::SetEnvironmentVariableW(L"COMCP_TEST_SECRET", L"hidden \u20ac");
  auto o = options({"environment"});
  o.environment = {{"EXTRA", "1"}, {"Path", "C:\\elsewhere"}, {"extra", "2 \xe2\x82\xac"}};
  o.inherit_environment = GENERATE(false, true);
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  auto const text = "\n" + all_output(*p);
  ::SetEnvironmentVariableW(L"COMCP_TEST_SECRET", nullptr);
  CHECK_THAT(text, match::contains("\nextra=2 \xe2\x82\xac\n"));
  CHECK_THAT(text, match::contains("\nPath=C:\\elsewhere\n"));
  CHECK_THAT(text, !match::contains("EXTRA=1"));
  CHECK_THAT(text, match::contains("\nSYSTEMROOT=") || match::contains("\nSystemRoot="));
  CHECK((text.find("\nCOMCP_TEST_SECRET=hidden \xe2\x82\xac\n") != std::string::npos) == o.inherit_environment);
}

TEST_CASE("child_process: the command is found in the child's PATH, and arguments see no shell", "[net]") {
  asio::io_context io;
  spawn_options o;
  o.command = {"comcp_test_misbehaving", "arguments", "%PATH% *", "a b", "", "a\"b\\", "\\\\\"", "\xf0\x9f\x98\x80", "a\nb"};
  o.environment = {{"PATH", std::string("C:\\nowhere;") + COMCP_TEST_SERVERS_DIR}};
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  CHECK(all_output(*p) == "[%PATH% *]\n[a b]\n[]\n[a\"b\\]\n[\\\\\"]\n[\xf0\x9f\x98\x80]\n[a\nb]\n");
}

TEST_CASE("child_process: a batch file is found by PATHEXT and run by cmd.exe", "[net]") {
  asio::io_context io;
  batch_file const tool("tool.cmd");
  spawn_options o;
  o.command = {"tool", "arguments", "a b", "x&echo hello", "a^b", "<in", "", "C:\\d d\\", "(c)", "plain"};
  o.environment = {{"PATH", tool.folder.string()}, {"COMCP_TEST_SERVER", dos_path(server)}};
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  CHECK(all_output(*p) == "[a b]\n[x&echo hello]\n[a^b]\n[<in]\n[]\n[C:\\d d\\]\n[(c)]\n[plain]\n");
  wait_exit(io, *p);
  CHECK(p->status()->code == 0);
}

TEST_CASE("child_process: what cmd.exe would take for its own is refused before anything starts", "[net]") {
  asio::io_context io;
  batch_file const tool("tool.bat");
  spawn_options o;
  o.command = {"tool", "arguments", GENERATE(as<std::string>(), "hush\"&echo hello", "%PATH%", "a\nb", "!x!")};
  o.environment = {{"PATH", tool.folder.string()}};
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE_FALSE(p);
  CHECK(p.error() == errc::invalid_argument);
  CHECK_THAT(std::string(p.error().message()), match::starts_with("argument 2 has a character"));
}

TEST_CASE("child_process: the working directory is the child's", "[net]") {
  asio::io_context io;
  auto o = options({"directory"});
  o.working_directory = "C:\\windows\\system32";
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  CHECK(all_output(*p) == "C:\\windows\\system32\n");
}

TEST_CASE("child_process: what cannot start says why and leaks nothing", "[net]") {
  asio::io_context io;
  spawn_options o;
  std::string expected = "no such command in PATH";
  SECTION("no such command") { o.command = {"comcp-no-such-command"}; }
  SECTION("no such file") { o.command = {"C:\\no\\such\\file"}, expected = "No such file"; }
  SECTION("no program") { o.command = {"C:\\windows\\win.ini"}, expected = "(Windows error 193)"; }  // ERROR_BAD_EXE_FORMAT
  SECTION("no such directory") {
    o.command = {server}, o.working_directory = "C:\\no\\such", expected = "working directory 'C:\\no\\such': No such file";
  }
  SECTION("no directory") {
    o.command = {server}, o.working_directory = "C:\\windows\\win.ini", expected = "Not a directory";
  }
  std::ofstream("C:\\windows\\win.ini", std::ios::app) << "";
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE_FALSE(p);
  CHECK(p.error() == errc::connect_failed);
  CHECK_THAT(std::string(p.error().message()), match::contains(expected));
  CHECK_FALSE(comcp_test::has_children());
}

TEST_CASE("child_process: an empty command, a NUL and a nameless variable are invalid arguments", "[net]") {
  asio::io_context io;
  CHECK(child_process::spawn(io.get_executor(), spawn_options()).error() == errc::invalid_argument);
  CHECK(child_process::spawn(io.get_executor(), options({std::string("a\0b", 3)})).error() == errc::invalid_argument);
  auto o = options({"echo"});
  o.environment = {{"", "x"}};
  CHECK(child_process::spawn(io.get_executor(), o).error() == errc::invalid_argument);
}

TEST_CASE("child_process: what ignores the end of its input and CTRL_BREAK ends with its job", "[net][console]") {
  asio::io_context io;
  auto const clock = std::make_shared<comcp::test::manual_clock>();
  auto o = options({"ignore_term"});
  o.time = clock;
  o.exit_wait = 1s;
  o.term_wait = 2s;
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  until_ready(*p);
  auto const start = clock->now();
  p->close_input();
  p->stop();
  CHECK(clock->next_deadline() == start + 1s);
  clock->advance(1s);
  io.run_one_for(30s);
  if (clock->next_deadline() == start + 3s) {  // there is a console: it was asked first
    std::string told(5, '\0');
    asio::read(p->output(), asio::buffer(told));
    CHECK(told == "term\n");
    CHECK_FALSE(p->status());
    clock->advance(2s);
  } else {
    comcp_test::skip("GenerateConsoleCtrlEvent fails here (no console, or wine): the job is ended without CTRL_BREAK_EVENT");
  }
  wait_exit(io, *p);
  CHECK(p->status()->signal == comcp_test::killed);
  CHECK(p->status()->signalled);
  CHECK_FALSE(p->status()->alive);
  CHECK(all_output(*p).empty());
}

TEST_CASE("child_process: what it started ends with it", "[net]") {
  asio::io_context io;
  bool const escapes = GENERATE(false, true);
  auto o = options({escapes ? "grandchild_escaped" : "grandchild"});
  o.error_to = spawn_options::error_output::pipe;
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  std::string number(1, '\0'), line(12, '\0');
  asio::read(p->output(), asio::buffer(line));
  CHECK(line == "parent done\n");
  asio::read(p->error_output(), asio::buffer(number));
  number.resize(1 + comcp::net::readable_now(p->error_output()));
  asio::read(p->error_output(), asio::buffer(number.data() + 1, number.size() - 1));
  HANDLE const other = number == "none" ? nullptr : ::OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(std::stoul(number)));
  wait_exit(io, *p);
  CHECK(p->status()->code == 7);
  if (other != nullptr) {
    CHECK(::WaitForSingleObject(other, 30'000) == WAIT_OBJECT_0);
    ::CloseHandle(other);
  }
}

TEST_CASE("child_process: it is killed from any thread while its executor stands still", "[net]") {
  asio::io_context io;
  auto p = child_process::spawn(io.get_executor(), options({"ignore_term"}));
  REQUIRE(p);
  CHECK(comcp_test::has_children_now());
  std::thread([kill = p->killer()] { kill(); }).join();
  CHECK_FALSE(comcp_test::has_children());
  p->killer()();
}

TEST_CASE("child_process: destroying it kills it", "[net]") {
  asio::io_context io;
  {
    auto p = child_process::spawn(io.get_executor(), options({"ignore_term"}));
    REQUIRE(p);
    p->on_exit([] { FAIL("told after it was destroyed"); });
  }
  CHECK_FALSE(comcp_test::has_children());
  io.run();
}

#endif
