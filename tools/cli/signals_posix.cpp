// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "signals.hpp"

#include <cerrno>
#include <csignal>

#include <signal.h>
#include <unistd.h>

namespace cli {
namespace {

struct sigaction before_interrupt, before_end, before_alarm;
volatile std::sig_atomic_t seen = 0, latest = 0;

extern "C" void end_at_once(int) { ::_exit(128 + latest); }

extern "C" void count_and_go_on(int number) {
  int const kept = errno;
  latest = number;
  seen = seen + 1;
  if (seen > 2) ::_exit(128 + number);
  if (seen == 2) ::alarm(1);
  auto const next = number == SIGINT ? before_interrupt.sa_handler : before_end.sa_handler;
  if (next != SIG_DFL && next != SIG_IGN) next(number);
  errno = kept;
}

}  // namespace

last_resort::last_resort() {
  seen = 0;
  struct sigaction count {}, end {};
  count.sa_handler = count_and_go_on;
  sigfillset(&count.sa_mask);
  end.sa_handler = end_at_once;
  ::sigaction(SIGALRM, &end, &before_alarm);
  ::sigaction(SIGINT, &count, &before_interrupt);
  ::sigaction(SIGTERM, &count, &before_end);
}

last_resort::~last_resort() {
  ::sigaction(SIGINT, &before_interrupt, nullptr);
  ::sigaction(SIGTERM, &before_end, nullptr);
  if (seen < 2) ::sigaction(SIGALRM, &before_alarm, nullptr);
}

}  // namespace cli

#endif
