// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How the browser is started: what may be run, and as whose child.
#pragma once

#include <comcp/auth/loopback_redirect.hpp>
#include <comcp/replace_file.hpp>
#include <comcp/version.hpp>

#if !defined(_WIN32)

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" char** environ;

namespace comcp {
namespace detail {

COMCP_DECL bool is_program(std::string const& path) noexcept {
  struct ::stat about {};
  return path.starts_with('/') && ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

COMCP_DECL std::string_view environment_value(char const* name) noexcept {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// In PATH, whose relative parts do not count; empty where there is none.
COMCP_DECL std::string program_in_path(std::string_view name) {
  auto path = environment_value("PATH");
  while (!path.empty()) {
    auto const end = path.find(':');
    auto candidate = std::string(path.substr(0, end)).append("/").append(name);
    if (is_program(candidate)) return candidate;
    path = end == path.npos ? std::string_view() : path.substr(end + 1);
  }
  return {};
}

COMCP_DECL std::string browser_program() {
#if defined(__APPLE__)
  return program_in_path("open");
#else
  std::string found;
  if (!environment_value("DISPLAY").empty() || !environment_value("WAYLAND_DISPLAY").empty()) {
    found = program_in_path("xdg-open");
  }
  if (found.empty() && is_program(std::string(environment_value("BROWSER")))) found = environment_value("BROWSER");
  return found;
#endif
}

COMCP_DECL void close_from(int lowest) noexcept {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  if (::close_range(static_cast<unsigned>(lowest), ~0U, 0) == 0) return;
#endif
  auto const end = ::sysconf(_SC_OPEN_MAX);
  for (int fd = lowest; fd < (end > 0 && end < 65'536 ? static_cast<int>(end) : 65'536); ++fd) ::close(fd);
}

/// In the child of a fork: nothing here may allocate or lock. Tells errno through `report` where it cannot be started.
[[noreturn]] COMCP_DECL void become(char* const* argv, int report) noexcept {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct ::sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(signal, &usual, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int const away = ::fcntl(report, F_DUPFD_CLOEXEC, 4);  // out of the way of 0 to 3
  int const nothing = away < 0 ? -1 : ::open("/dev/null", O_RDWR);
  if (nothing >= 0) {
    for (int fd = 0; fd != 3; ++fd) ::dup2(nothing, fd);
    report = ::dup2(away, 3);
    ::fcntl(report, F_SETFD, FD_CLOEXEC);
    close_from(4);
    ::execve(argv[0], argv, environ);
  }
  int const why = errno;
  if (::write(report, &why, sizeof why) < 0) ::_exit(126);
  ::_exit(127);
}

/// Both close-on-exec. 0, or errno.
COMCP_DECL int make_pipe(std::array<int, 2>& ends) noexcept {
#if defined(__APPLE__)
  if (::pipe(ends.data()) != 0) return errno;
  for (int const fd : ends) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return 0;
#else
  return ::pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno;
#endif
}

/// A grandchild in a session of its own, so that it is nobody's zombie here. 0, or errno.
COMCP_DECL int start_detached(char* const* argv) noexcept {
  std::array<int, 2> ends{};
  if (int const full = make_pipe(ends)) return full;
  file_descriptor const from(ends[0]);
  file_descriptor to(ends[1]);
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of this program runs in the children
  auto const child = ::fork();
  if (child == 0) {
    ::setsid();
    auto const grandchild = ::fork();
    if (grandchild == 0) become(argv, ends[1]);
    int const why = errno;
    if (grandchild < 0 && ::write(ends[1], &why, sizeof why) < 0) ::_exit(126);
    ::_exit(0);
  }
  int failed = child < 0 ? errno : 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed != 0) return failed;
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  to = file_descriptor();
  while (::read(from.get(), &failed, sizeof failed) < 0 && errno == EINTR) {
  }
  return failed;
}

COMCP_DECL result<void> start_browser(std::string argument) {
  auto program = browser_program();
  if (program.empty()) return error(errc::not_found, "no browser, or no display for one");
  std::array<char*, 3> const argv{program.data(), argument.data(), nullptr};
  int const failed = start_detached(argv.data());
  if (failed == 0) return {};
  return error(std::error_code(failed, std::generic_category()), "cannot start " + program);
}

}  // namespace detail
}  // namespace comcp

#endif
