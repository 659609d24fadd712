// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/impl/exit_kqueue.ipp>
#include <comcp/version.hpp>

#if defined(__APPLE__)

#include <array>
#include <string>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

namespace comcp::net::detail {

// Only what another thread starts at this very moment, and not by close_the_rest, inherits them.
COMCP_DECL void close_on_exec(std::array<int, 2> const& ends) noexcept {
  for (int const fd : ends) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

COMCP_DECL bool open_sockets(std::array<int, 2>& ends) noexcept {
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return false;
  close_on_exec(ends);
  int const on = 1;
  ::setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);  // Asio sets it on what it opens itself
  return true;
}

COMCP_DECL bool open_pipe(std::array<int, 2>& ends) noexcept {  // pipe2 came with macOS 27
  if (::pipe(ends.data()) != 0) return false;
  close_on_exec(ends);
  return true;
}

/// All but 0, 1 and 2. Gives the flags that the attributes need for it.
COMCP_DECL short close_the_rest(posix_spawn_file_actions_t& actions) {
  // What an action names stays; this one is for the stderr that the child shall have with us.
  if (::fcntl(STDERR_FILENO, F_GETFD) >= 0) posix_spawn_file_actions_addinherit_np(&actions, STDERR_FILENO);
  return POSIX_SPAWN_CLOEXEC_DEFAULT;
}

COMCP_DECL void start_in(posix_spawn_file_actions_t& actions, std::string const& directory) {
#if __ENVIRONMENT_MAC_OS_X_VERSION_MIN_REQUIRED__ >= 260000
  posix_spawn_file_actions_addchdir(&actions, directory.c_str());
#else
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
#endif
}

COMCP_DECL int exit_descriptor(int pid) noexcept { return exit_kqueue(pid); }

}  // namespace comcp::net::detail

#endif
