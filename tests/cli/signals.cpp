// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A process whose own handlers do nothing, as those of a run do that never comes back to its event loop.
#include <csignal>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <signals.hpp>

#include <support/catch.hpp>

namespace {

extern "C" void do_nothing(int) {}

// Gives what it wrote to `ready` when the handlers are there.
[[noreturn]] void never_come_back(int ready) {
  std::signal(SIGINT, do_nothing);
  std::signal(SIGTERM, do_nothing);
  cli::last_resort const though_busy;
  if (::write(ready, "x", 1) != 1) ::_exit(1);
  for (;;) ::pause();
}

}  // namespace

TEST_CASE("cli: the second signal ends a run that never comes back to its event loop", "[cli]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  auto const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) never_come_back(ends[1]);
  char byte = 0;
  CHECK(::read(ends[0], &byte, 1) == 1);
  ::pollfd end{static_cast<int>(::syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
  CHECK(end.fd >= 0);
  ::kill(child, SIGINT);
  ::kill(child, SIGTERM);
  bool const ended = ::poll(&end, 1, 60'000) == 1;
  CHECK(ended);
  if (!ended) ::kill(child, SIGKILL);
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK((WEXITSTATUS(status) == 130 || WEXITSTATUS(status) == 143));
  for (int const fd : {ends[0], ends[1], end.fd}) ::close(fd);
}
