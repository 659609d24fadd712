// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/net/child_process.hpp>

#if !defined(_WIN32)

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <asio/io_context.hpp>
#include <asio/read.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <comcp/test/manual_clock.hpp>

#include "support/as_nobody.hpp"
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

void wait_exit(asio::io_context& io, child_process& p) {
  p.on_exit([&] { io.stop(); });
  io.run_for(30s);
  REQUIRE(p.status());
}

}  // namespace

TEST_CASE("child_process: the exit status is told, and nothing is left", "[net]") {
  auto const descriptors = comcp_test::open_descriptors();
  {
    asio::io_context io;
    auto o = options({"exit_at_once", "42"});
    o.use_pidfd = GENERATE(true, false);
    auto p = child_process::spawn(io.get_executor(), o);
    REQUIRE(p);
    if (!o.use_pidfd) p->stop();  // the fallback looks from then on
    wait_exit(io, *p);
    CHECK(p->status()->code == 42);
    CHECK_FALSE(p->status()->signal);
  }
  CHECK_FALSE(comcp_test::has_children());
  CHECK(comcp_test::open_descriptors() == descriptors);
}

TEST_CASE("child_process: a signal that ended it is told", "[net]") {
  asio::io_context io;
  auto p = child_process::spawn(io.get_executor(), options({"die"}));
  REQUIRE(p);
  wait_exit(io, *p);
  CHECK(p->status()->signal == SIGKILL);
  CHECK_FALSE(p->status()->code);
}

TEST_CASE("child_process: the child gets three descriptors and none of ours", "[net]") {
  asio::io_context io;
  int const leak = ::open("/dev/null", O_RDONLY);  // not close-on-exec
  auto o = options({"descriptors"});
  o.error_to = spawn_options::error_output::pipe;
  auto p = child_process::spawn(io.get_executor(), o);
  ::close(leak);
  REQUIRE(p);
  CHECK(all_output(*p) == "0 socket\n1 pipe\n2 pipe\n");
}

TEST_CASE("child_process: signals are at their default in a group of its own", "[net]") {
  asio::io_context io;
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto const old = std::signal(SIGPIPE, SIG_IGN);
  auto p = child_process::spawn(io.get_executor(), options({"signals"}));
  std::signal(SIGPIPE, old);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  REQUIRE(p);
  CHECK(all_output(*p) == "open default leader\n");
}

TEST_CASE("child_process: the default environment is six names and the user's", "[net]") {
  asio::io_context io;
  ::setenv("COMCP_TEST_SECRET", "hidden", 1);
  ::setenv("TERM", "() { :; }", 1);
  auto o = options({"environment"});
  o.environment = {{"EXTRA", "1"}, {"HOME", "/elsewhere"}, {"EXTRA", "2"}};
  SECTION("safe") {
    auto p = child_process::spawn(io.get_executor(), o);
    REQUIRE(p);
    auto const text = "\n" + all_output(*p);
    CHECK_THAT(text, match::contains("\nEXTRA=2\n"));
    CHECK_THAT(text, match::contains("\nHOME=/elsewhere\n"));
    CHECK_THAT(text, match::contains("\nPATH="));
    CHECK_THAT(text, !match::contains("EXTRA=1"));
    CHECK_THAT(text, !match::contains("COMCP_TEST_SECRET"));
    CHECK_THAT(text, !match::contains("TERM="));
  }
  SECTION("inherited") {
    o.inherit_environment = true;
    auto p = child_process::spawn(io.get_executor(), o);
    REQUIRE(p);
    auto const text = "\n" + all_output(*p);
    CHECK_THAT(text, match::contains("\nCOMCP_TEST_SECRET=hidden\n"));
    CHECK_THAT(text, match::contains("\nHOME=/elsewhere\n"));
  }
  ::unsetenv("COMCP_TEST_SECRET");
  ::unsetenv("TERM");
}

TEST_CASE("child_process: the command is found in the child's PATH, and arguments see no shell", "[net]") {
  asio::io_context io;
  spawn_options o;
  o.command = {"comcp_test_misbehaving", "arguments", "$HOME; *", "a b", ""};
  o.environment = {{"PATH", std::string("/nowhere:") + COMCP_TEST_SERVERS_DIR}};
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  CHECK(all_output(*p) == "[$HOME; *]\n[a b]\n[]\n");
}

TEST_CASE("child_process: the working directory is the child's", "[net]") {
  asio::io_context io;
  auto o = options({"directory"});
  o.working_directory = "/usr";
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  CHECK(all_output(*p) == "/usr\n");
}

TEST_CASE("child_process: what cannot start says why and leaks nothing", "[net]") {
  asio::io_context io;
  spawn_options o;
  std::string expected = "no such command in PATH";
  SECTION("no such command") { o.command = {"comcp-no-such-command"}; }
  SECTION("no such file") { o.command = {"/no/such/file"}, expected = "No such file"; }
  SECTION("not executable") { o.command = {"/etc/passwd"}, expected = "Permission denied"; }
  SECTION("no such directory") {
    o.command = {server}, o.working_directory = "/no/such", expected = "working directory '/no/such': No such file";
  }
  SECTION("no such directory, and a command in PATH") {
    o.command = {"ls"}, o.working_directory = "no-such", expected = "working directory 'no-such': No such file";
  }
  SECTION("no directory") {
    o.command = {server}, o.working_directory = "/etc/passwd", expected = "working directory '/etc/passwd': Not a directory";
  }
  static_cast<void>(child_process::spawn(io.get_executor(), o));  // the context opens its own
  auto const descriptors = comcp_test::open_descriptors();
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE_FALSE(p);
  CHECK(p.error() == errc::connect_failed);
  CHECK_THAT(std::string(p.error().message()), match::contains(expected));
  CHECK_FALSE(comcp_test::has_children());
  CHECK(comcp_test::open_descriptors() == descriptors);
}

TEST_CASE("child_process: an empty command and a NUL are invalid arguments", "[net]") {
  asio::io_context io;
  CHECK(child_process::spawn(io.get_executor(), spawn_options()).error() == errc::invalid_argument);
  auto o = options({std::string("a\0b", 3)});
  CHECK(child_process::spawn(io.get_executor(), o).error() == errc::invalid_argument);
}

TEST_CASE("child_process: the ladder goes from waiting to SIGTERM to SIGKILL, also for one that left its group", "[net]") {
  asio::io_context io;
  auto const clock = std::make_shared<comcp::test::manual_clock>();
  auto o = options({GENERATE("ignore_term", "leave_group")});
  o.time = clock;
  o.exit_wait = 1s;
  o.term_wait = 2s;
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  std::string ready(6, '\0');
  asio::read(p->output(), asio::buffer(ready));
  auto const start = clock->now();
  p->close_input();
  p->stop();
  CHECK(clock->next_deadline() == start + 1s);
  clock->advance(1s);
  io.run_one_for(30s);
  CHECK(clock->next_deadline() == start + 3s);  // SIGTERM was sent, and is ignored
  CHECK_FALSE(p->status());
  std::string told(5, '\0');
  asio::read(p->output(), asio::buffer(told));
  CHECK(told == "term\n");
  clock->advance(2s);
  wait_exit(io, *p);
  CHECK(p->status()->signal == SIGKILL);
  CHECK(p->status()->signalled);
  CHECK_FALSE(p->status()->alive);
  CHECK(all_output(*p).empty());  // SIGTERM came once
}

TEST_CASE("child_process: the wait before SIGTERM can be shortened, once", "[net]") {
  asio::io_context io;
  auto const clock = std::make_shared<comcp::test::manual_clock>();
  auto o = options({"ignore_eof"});
  o.time = clock;
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  auto const start = clock->now();
  p->stop(100ms);
  p->stop(50ms);
  CHECK(clock->next_deadline() == start + 100ms);
}

TEST_CASE("child_process: what may not be killed is told of, and keeps nobody waiting", "[net]") {
  if (::geteuid() != 0) COMCP_SKIP("only root can start what it may not kill afterwards");
  asio::io_context io;
  auto const clock = std::make_shared<comcp::test::manual_clock>();
  auto o = options({"ignore_term"});
  o.time = clock;
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  int const pid = p->pid();
  std::string ready(6, '\0');
  asio::read(p->output(), asio::buffer(ready));
  bool told = false;
  {
    comcp_test::as_nobody const powerless;
    SECTION("by the ladder") {
      p->on_exit([&] { told = true; });
      p->stop();
      for (int step = 0; step != 2; ++step) {
        clock->advance_to_next();
        io.run_one_for(30s);
      }
      REQUIRE(told);
      CHECK(p->status()->alive == std::errc::operation_not_permitted);
      CHECK_FALSE(p->status()->signal);
    }
    SECTION("by the destructor alone") {}
    auto const gone = std::move(*p);
  }
  CHECK(comcp_test::has_children_now());
  REQUIRE(::kill(pid, SIGKILL) == 0);
  CHECK_FALSE(comcp_test::has_children());  // reaped in the background
}

TEST_CASE("child_process: it is killed from any thread while its executor stands still", "[net]") {
  asio::io_context io;
  auto p = child_process::spawn(io.get_executor(), options({GENERATE("ignore_term", "leave_group")}));
  REQUIRE(p);
  std::thread([kill = p->killer()] { kill(); }).join();
  CHECK_FALSE(comcp_test::has_children());
  p->killer()();
}

TEST_CASE("child_process: it is killed whatever group it is in at the moment", "[net]") {
  asio::io_context io;
  for (int i = 0; i != 30; ++i) {
    auto p = child_process::spawn(io.get_executor(), options({"hop_groups"}));
    REQUIRE(p);
    std::string ready(6, '\0');
    asio::read(p->output(), asio::buffer(ready));
    int const pid = p->pid();
    p->killer()();
    bool const lives = comcp_test::has_children();
    if (lives) ::kill(pid, SIGKILL);  // not left behind by this test
    REQUIRE_FALSE(lives);
  }
}

TEST_CASE("child_process: SIGTERM ends what only ignores the end of its input", "[net]") {
  asio::io_context io;
  auto const clock = std::make_shared<comcp::test::manual_clock>();
  auto o = options({"ignore_eof"});
  o.time = clock;
  auto p = child_process::spawn(io.get_executor(), o);
  REQUIRE(p);
  std::string ready(6, '\0');
  asio::read(p->output(), asio::buffer(ready));
  p->stop();
  clock->advance_to_next();
  wait_exit(io, *p);
  CHECK(p->status()->signal == SIGTERM);
}

TEST_CASE("child_process: one that may not be killed gets the end of its input from any thread, too", "[net]") {
  if (::geteuid() != 0) COMCP_SKIP("only root can start what it may not kill afterwards");
  asio::io_context io;
  auto p = child_process::spawn(io.get_executor(), options({"echo"}));
  REQUIRE(p);
  comcp_test::as_nobody const powerless;
  p->killer()();
  CHECK_FALSE(comcp_test::has_children());
}

TEST_CASE("child_process: destroying it kills it and its group, and leaves no zombie", "[net]") {
  asio::io_context io;
  int pid = 0;
  {
    auto p = child_process::spawn(io.get_executor(), options({GENERATE("ignore_term", "leave_group")}));
    REQUIRE(p);
    pid = p->pid();
    p->on_exit([] { FAIL("told after it was destroyed"); });
  }
  CHECK_FALSE(comcp_test::has_children());
  CHECK(::kill(pid, 0) == -1);
  io.run();
}

TEST_CASE("child_process: a child that somebody else reaped is gone, without a status", "[net]") {
  asio::io_context io;
  auto p = child_process::spawn(io.get_executor(), options({"exit_at_once"}));
  REQUIRE(p);
  REQUIRE(::waitpid(p->pid(), nullptr, 0) == p->pid());
  wait_exit(io, *p);
  CHECK_FALSE(p->status()->code);
  CHECK_FALSE(p->status()->signal);
}

#endif
