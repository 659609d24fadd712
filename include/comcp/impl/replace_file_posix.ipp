// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/replace_file.hpp>
#include <comcp/version.hpp>

#if !defined(_WIN32)

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace comcp::detail {

COMCP_DECL file_descriptor::~file_descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

COMCP_DECL error file_error(system_number number, char const* doing, std::filesystem::path const& file) {
  return error(std::error_code(number, std::generic_category()), std::string("cannot ") + doing + ' ' + file.string());
}

COMCP_DECL result<file_descriptor> open_regular(std::filesystem::path const& file) {
  file_descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct ::stat about {};
  if (fd.get() < 0 || ::fstat(fd.get(), &about) != 0) return file_error(errno, "open", file);
  if (!S_ISREG(about.st_mode)) return error(errc::denied, file.string() + " is no regular file");
  return fd;
}

COMCP_DECL result<std::string> read_rest(file_descriptor const& from, std::size_t most,
                                         std::filesystem::path const& file) {
  std::string text;
  char part[4096];
  while (text.size() <= most) {
    auto const n = ::read(from.get(), part, sizeof part);
    if (n == 0) break;
    if (n < 0 && errno != EINTR) return file_error(errno, "read", file);
    if (n > 0) text.append(part, static_cast<std::size_t>(n));
  }
  return text;
}

COMCP_DECL std::filesystem::path link_target(std::filesystem::path const& file) {
  std::error_code unresolved;
  auto resolved = std::filesystem::weakly_canonical(file, unresolved);
  return unresolved ? file : resolved;
}

// All of it, to the disk: 0, or errno.
COMCP_DECL int fill_file(int fd, std::string_view text, unsigned mode) noexcept {
  while (!text.empty()) {
    auto const n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fchmod(fd, static_cast<::mode_t>(mode)) != 0 || ::fsync(fd) != 0 ? errno : 0;
}

COMCP_DECL result<void> replace_file(std::filesystem::path const& file, std::string_view text, unsigned mode) {
  auto const target = link_target(file);
  std::string name = target.string() + ".XXXXXX";
  file_descriptor const to(::mkostemp(name.data(), O_CLOEXEC));  // of mode 0600
  if (to.get() < 0) return file_error(errno, "write beside", file);
  int failed = fill_file(to.get(), text, mode);
  if (failed == 0 && std::rename(name.c_str(), target.c_str()) != 0) failed = errno;
  if (failed == 0) return {};
  ::unlink(name.c_str());
  return file_error(failed, "write", file);
}

}  // namespace comcp::detail

#endif
