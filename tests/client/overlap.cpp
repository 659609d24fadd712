// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/overlap_guard.hpp>

#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

using comcp::detail::overlap_guard;

TEST_CASE("overlap_guard: one thread may nest, another may follow", "[client]") {
  overlap_guard guard;
  guard.enter();
  guard.enter();
  guard.leave();
  guard.leave();
  std::thread([&] {
    guard.enter();
    guard.leave();
  }).join();
  guard.enter();
  guard.leave();
  SUCCEED("no abort");
}

TEST_CASE("overlap_guard: a second thread at the same time aborts", "[client]") {
  auto const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    (void)std::freopen("/dev/null", "w", stderr);
    overlap_guard guard;
    guard.enter();
    std::thread([&] { guard.enter(); }).join();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGABRT);
}
