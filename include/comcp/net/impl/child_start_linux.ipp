// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/version.hpp>

#if defined(__linux__)

#include <array>
#include <cstdlib>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace comcp::net::detail {

COMCP_DECL bool open_sockets(std::array<int, 2>& ends) noexcept {
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0;
}
COMCP_DECL bool open_pipe(std::array<int, 2>& ends) noexcept { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }

/// All but 0, 1 and 2. Gives the flags that the attributes need for it.
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
COMCP_DECL short close_the_rest(posix_spawn_file_actions_t& actions) {
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  return 0;
}
#else
// Descriptors that other threads open in between can leak unless they are close-on-exec.
COMCP_DECL short close_the_rest(posix_spawn_file_actions_t& actions) {
  DIR* const open_ones = ::opendir("/proc/self/fd");
  if (open_ones == nullptr) return 0;
  while (auto const* entry = ::readdir(open_ones)) {
    int const fd = std::atoi(entry->d_name);
    bool const closes = (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
    if (fd > STDERR_FILENO && fd != ::dirfd(open_ones) && !closes) posix_spawn_file_actions_addclose(&actions, fd);
  }
  ::closedir(open_ones);
  return 0;
}
#endif

COMCP_DECL void start_in(posix_spawn_file_actions_t& actions, std::string const& directory) {
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
}

/// Can be read from once the process has ended. Negative where there is none.
#if defined(SYS_pidfd_open)
COMCP_DECL int exit_descriptor(int pid) noexcept { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }
#else
COMCP_DECL int exit_descriptor(int) noexcept { return -1; }
#endif

}  // namespace comcp::net::detail

#endif
