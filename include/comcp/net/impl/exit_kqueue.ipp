// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/version.hpp>

#if defined(__APPLE__) || defined(__FreeBSD__)

#include <cerrno>

#include <fcntl.h>
#include <sys/types.h>
#include <sys/event.h>
#include <sys/time.h>
#include <unistd.h>

namespace comcp::net::detail {

/// A kqueue, which can be read from once the process ends. Negative where there is none.
COMCP_DECL int exit_kqueue(int pid) noexcept {
  int const queue = ::kqueue();
  if (queue < 0) return -1;
  ::fcntl(queue, F_SETFD, FD_CLOEXEC);
  auto const add = [queue](struct ::kevent const& change) { return ::kevent(queue, &change, 1, nullptr, 0, nullptr) == 0; };
  struct ::kevent change {};
  change.ident = static_cast<decltype(change.ident)>(pid);
  change.filter = EVFILT_PROC;
  change.flags = EV_ADD | EV_ONESHOT;
  change.fflags = NOTE_EXIT;
  if (add(change)) return queue;
  if (errno == ESRCH) {  // it is ending already: an event that is there at once
    change.filter = EVFILT_USER;
    change.fflags = NOTE_TRIGGER;
    if (add(change)) return queue;
  }
  ::close(queue);
  return -1;
}

}  // namespace comcp::net::detail

#endif
