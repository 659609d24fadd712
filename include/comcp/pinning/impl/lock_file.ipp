// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <comcp/pinning/lock_file.hpp>

namespace comcp {
namespace detail {

inline error file_error(int number, char const* doing, std::filesystem::path const& file) {
  return error(std::error_code(number, std::generic_category()), std::string("cannot ") + doing + ' ' + file.string());
}

// A descriptor of our own; closed at the end of its scope.
class lock_descriptor {
 public:
  explicit lock_descriptor(int fd) noexcept : fd_(fd) {}
  lock_descriptor(lock_descriptor const&) = delete;
  lock_descriptor& operator=(lock_descriptor const&) = delete;
  ~lock_descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

// All of it, to the disk, readable for all: 0, or errno.
inline int fill_file(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    auto const n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fchmod(fd, 0644) != 0 || ::fsync(fd) != 0 ? errno : 0;
}

}  // namespace detail

COMCP_DECL result<tool_pins> read_lock_file(std::filesystem::path const& file) {
  detail::lock_descriptor const from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (from.get() < 0) return detail::file_error(errno, "open", file);
  std::string text;
  char part[4096];
  for (;;) {
    auto const n = ::read(from.get(), part, sizeof part);
    if (n == 0) break;
    if (n < 0 && errno != EINTR) return detail::file_error(errno, "read", file);
    if (n > 0) text.append(part, static_cast<std::size_t>(n));
    if (text.size() > json::parse_options().max_bytes()) break;  // parse() says that it is too long
  }
  return tool_pins::parse(text, file.string());
}

COMCP_DECL result<void> write_lock_file(tool_pins const& pins, std::filesystem::path const& file) {
  std::string text;
  try {
    text = pins.to_text();
  } catch (exception const& e) {  // a name that is no UTF-8
    return e.error();
  }
  std::error_code unresolved;
  auto const resolved = std::filesystem::weakly_canonical(file, unresolved);
  auto const& target = unresolved ? file : resolved;
  std::string name = target.string() + ".XXXXXX";
  detail::lock_descriptor const to(::mkostemp(name.data(), O_CLOEXEC));
  if (to.get() < 0) return detail::file_error(errno, "write beside", file);
  int failed = detail::fill_file(to.get(), text);
  if (failed == 0 && std::rename(name.c_str(), target.c_str()) != 0) failed = errno;
  if (failed == 0) return {};
  ::unlink(name.c_str());
  return detail::file_error(failed, "write", file);
}

}  // namespace comcp
