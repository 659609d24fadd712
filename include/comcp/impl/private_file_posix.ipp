// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/private_file.hpp>
#include <comcp/replace_file.hpp>
#include <comcp/system.hpp>
#include <comcp/version.hpp>

#if !defined(_WIN32)

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace comcp::detail {

// An open file that only its user, who is ours, can read and write.
COMCP_DECL result<void> check_private(file_descriptor const& fd, std::filesystem::path const& file) {
  struct ::stat about {};
  if (::fstat(fd.get(), &about) != 0) return file_error(errno, "look at", file);
  char const* wrong = nullptr;
  if (!S_ISREG(about.st_mode)) wrong = " is no regular file";
  else if (about.st_uid != ::geteuid()) wrong = " belongs to somebody else";
  else if ((about.st_mode & 077) != 0) wrong = " can be read or written by others: chmod 600 it if that is as you want it";
  if (wrong == nullptr) return {};
  return error(errc::denied, file.string() + wrong);
}

// What it names may be a FIFO, or a link by now.
COMCP_DECL result<file_descriptor> open_private_as(std::filesystem::path const& file, int flags) {
  file_descriptor fd(::open(file.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
  if (fd.get() < 0) {
    if (errno == ENOENT && (flags & O_CREAT) == 0) return fd;
    if (errno == ELOOP) return error(errc::denied, file.string() + " is a symbolic link to nothing");
    if (errno == EISDIR) return error(errc::denied, file.string() + " is no regular file");
    return file_error(errno, "open", file);
  }
  if (auto const fine = check_private(fd, file); !fine) return fine.error();
  return fd;
}

COMCP_DECL result<file_descriptor> open_private(std::filesystem::path const& file) {
  return open_private_as(file, O_RDONLY);
}
COMCP_DECL result<file_descriptor> open_private_lock(std::filesystem::path const& file) {
  return open_private_as(file, O_RDWR | O_CREAT);
}

COMCP_DECL result<void> make_private_folders(std::filesystem::path const& folder) {
  std::filesystem::path so_far;
  for (auto const& part : folder) {
    so_far /= part;
    if (::mkdir(so_far.c_str(), 0700) == 0 || errno == EEXIST) continue;
    int const why = errno;
    std::error_code ignored;
    if (!std::filesystem::is_directory(so_far, ignored)) return file_error(why, "make the folder", so_far);
  }
  return {};
}

#if defined(__APPLE__)
inline constexpr char data_below_home[] = "Library/Application Support";
#else
inline constexpr char data_below_home[] = ".local/share";
#endif

COMCP_DECL result<std::filesystem::path> user_data_folder() {
  auto const folder = [](char const* variable) {
    std::filesystem::path const named(environment_variable(variable).value_or(""));
    return named.is_absolute() ? named : std::filesystem::path();
  };
  auto data = folder("XDG_DATA_HOME");
  if (!data.empty()) return data;
  auto const home = folder("HOME");
  if (home.empty()) return error(errc::not_found, "no home for the file of credentials: HOME is not set");
  return home / data_below_home;
}

COMCP_DECL result<bool> try_lock(file_descriptor const& opened, std::filesystem::path const& file) {
  while (::flock(opened.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return file_error(errno, "lock", file);
  }
  return true;
}

}  // namespace comcp::detail

#endif
