// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/impl/exit_kqueue.ipp>
#include <comcp/version.hpp>

#if defined(__FreeBSD__)

#include <array>
#include <string>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

namespace comcp::net::detail {

COMCP_DECL bool open_sockets(std::array<int, 2>& ends) noexcept {
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  int const on = 1;
  ::setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
  return true;
}
COMCP_DECL bool open_pipe(std::array<int, 2>& ends) noexcept { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }

/// All but 0, 1 and 2. Gives the flags that the attributes need for it.
COMCP_DECL short close_the_rest(posix_spawn_file_actions_t& actions) {
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  return 0;
}

COMCP_DECL void start_in(posix_spawn_file_actions_t& actions, std::string const& directory) {
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
}

COMCP_DECL int exit_descriptor(int pid) noexcept { return exit_kqueue(pid); }

}  // namespace comcp::net::detail

#endif
