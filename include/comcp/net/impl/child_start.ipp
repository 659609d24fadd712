// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How a child is started on POSIX: its descriptors, environment, command and directory. What each system has a way of its
// own for is in child_start_<system>.ipp.
#pragma once

#include <comcp/net/child_process.hpp>
#include <comcp/net/impl/child_options.ipp>
#include <comcp/net/impl/child_start_freebsd.ipp>
#include <comcp/net/impl/child_start_linux.ipp>
#include <comcp/net/impl/child_start_macos.ipp>

#if !defined(_WIN32)

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#if !defined(__linux__) && !defined(__APPLE__) && !defined(__FreeBSD__)
#error "comcp: how a child process is started is known for Linux, macOS, FreeBSD and Windows only."
#endif

extern "C" char** environ;

namespace comcp::net {
namespace detail {

/// A descriptor that is closed unless it was released.
class owned_fd {
 public:
  owned_fd() = default;
  explicit owned_fd(int fd) noexcept : fd_(fd) {}
  owned_fd(owned_fd&& other) noexcept : fd_(other.release()) {}
  owned_fd& operator=(owned_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~owned_fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

struct fd_pair {
  owned_fd ours;
  owned_fd childs;  // never 0, 1 or 2: dup2 onto those would otherwise overwrite it
};

/// Large answers come in fewer turns than with Linux' 64 KiB; more would soon use up what a user's pipes may have.
inline constexpr int larger_pipe = 256 * 1024;

COMCP_DECL bool make_pair(fd_pair& p, bool socket) noexcept {
  std::array<int, 2> fds{};
  if (!(socket ? open_sockets(fds) : open_pipe(fds))) return false;
  p = {owned_fd(fds[0]), owned_fd(fds[1])};
  if (fds[1] <= STDERR_FILENO) p.childs = owned_fd(::fcntl(fds[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return p.childs.get() >= 0;
}

/// posix_spawn's file actions and attributes; both need a matching destroy.
struct spawn_setup {
  spawn_setup() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  spawn_setup(spawn_setup const&) = delete;
  spawn_setup& operator=(spawn_setup const&) = delete;
  ~spawn_setup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  // Own group, every signal at its default, none blocked.
  void isolate(short more) {
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    posix_spawnattr_setpgroup(&attributes, 0);
    auto const flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | more;
    posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

COMCP_DECL std::string_view variable(std::vector<std::string> const& environment, std::string_view name) {
  auto const found = std::find_if(environment.begin(), environment.end(), [&](std::string_view e) {
    return e.starts_with(name) && e.substr(name.size()).starts_with('=');
  });
  return found == environment.end() ? std::string_view() : std::string_view(*found).substr(name.size() + 1);
}

/// The path of the command, or an empty one.
COMCP_DECL std::string find_command(spawn_options const& o, std::vector<std::string> const& environment) {
  std::string const& command = o.command.front();
  if (command.find('/') != std::string::npos) return command;
  std::string_view path = variable(environment, "PATH");
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    auto const colon = path.find(':');
    std::string candidate(path.substr(0, colon));
    if (candidate.empty()) candidate = ".";
    candidate.append("/").append(command);
    bool const elsewhere = candidate.front() != '/' && !o.working_directory.empty();
    std::string const from_here = (elsewhere ? o.working_directory + "/" : std::string()) + candidate;
    if (::access(from_here.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string_view::npos) return {};
    path.remove_prefix(colon + 1);
  }
}

COMCP_DECL std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (auto& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

/// Why the child could not go there; posix_spawn says no more than that something was not there.
COMCP_DECL std::error_code wrong_directory(std::string const& path) noexcept {
  struct stat s {};
  int why = 0;
  if (::stat(path.c_str(), &s) != 0) {
    why = errno;
  } else if (!S_ISDIR(s.st_mode)) {
    why = ENOTDIR;
  } else if (::access(path.c_str(), X_OK) != 0) {
    why = errno;
  }
  return {why, std::generic_category()};
}

}  // namespace detail

COMCP_DECL std::vector<std::string> child_environment(spawn_options const& options) {
  std::vector<std::string> out;
  if (options.inherit_environment) {
    for (char** e = environ; e != nullptr && *e != nullptr; ++e) out.emplace_back(*e);
  } else {
    for (char const* name : {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}) {
      char const* value = std::getenv(name);
      // "()" starts a function that a shell exported.
      if (value != nullptr && std::strncmp(value, "()", 2) != 0) out.push_back(std::string(name) + "=" + value);
    }
  }
  for (auto const& [name, value] : options.environment) {
    std::erase_if(out, [&, &n = name](std::string const& e) { return e.starts_with(n + "="); });
    out.push_back(name + "=" + value);
  }
  return out;
}

namespace detail {

COMCP_DECL result<int> start(spawn_options const& o, fd_pair& in, fd_pair& out, fd_pair& err) {
  if (auto const why = o.working_directory.empty() ? std::error_code() : wrong_directory(o.working_directory)) {
    return cannot_start(o, "working directory '" + o.working_directory + "': " + why.message());
  }
  auto environment = child_environment(o);
  std::string const path = find_command(o, environment);
  if (path.empty()) return cannot_start(o, "no such command in PATH");
  bool const piped = o.error_to == spawn_options::error_output::pipe;
  if (!make_pair(in, true) || !make_pair(out, false) || (piped && !make_pair(err, false))) {
    return cannot_start(o, std::generic_category().message(errno));
  }
#if defined(F_SETPIPE_SZ)
  (void)::fcntl(out.ours.get(), F_SETPIPE_SZ, larger_pipe);
#endif
  spawn_setup setup;
  posix_spawn_file_actions_adddup2(&setup.actions, in.childs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&setup.actions, out.childs.get(), STDOUT_FILENO);
  if (piped) posix_spawn_file_actions_adddup2(&setup.actions, err.childs.get(), STDERR_FILENO);
  if (o.error_to == spawn_options::error_output::discard) {
    posix_spawn_file_actions_addopen(&setup.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  setup.isolate(close_the_rest(setup.actions));
  if (!o.working_directory.empty()) start_in(setup.actions, o.working_directory);
  auto arguments = o.command;
  pid_t pid = -1;
  int const failed = ::posix_spawn(&pid, path.c_str(), &setup.actions, &setup.attributes,
                                   pointers(arguments).data(), pointers(environment).data());
  if (failed != 0) return cannot_start(o, std::generic_category().message(failed));
  return static_cast<int>(pid);
}

}  // namespace detail

}  // namespace comcp::net

#endif
