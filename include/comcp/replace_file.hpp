// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that are read whole and replaced whole. What is in them, and who may read them, is decided elsewhere. POSIX; it
// blocks. Internal.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

/// A descriptor that is closed with it.
class file_descriptor {
 public:
  explicit file_descriptor(int fd = -1) noexcept : fd_(fd) {}
  file_descriptor(file_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept { return std::swap(fd_, other.fd_), *this; }
  ~file_descriptor();
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Opens a regular file for reading; anything else is errc::denied, and nothing is waited for, as a FIFO's writer would
/// be. Links are followed.
result<file_descriptor> open_regular(std::filesystem::path const& file);

/// The system's own code and "cannot DOING FILE".
error file_error(int number, char const* doing, std::filesystem::path const& file);

/// The rest of an open file; it stops soon after `most` bytes, which the caller sees by the size.
result<std::string> read_rest(file_descriptor const& from, std::size_t most, std::filesystem::path const& file);

/// The file to which symbolic links lead.
std::filesystem::path link_target(std::filesystem::path const& file);

/// Writes the text beside the file and puts it in its place at once: no reader sees a part, and a crash leaves the old or
/// the new one. Links are followed. `mode` as in chmod().
result<void> replace_file(std::filesystem::path const& file, std::string_view text, unsigned mode);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/impl/replace_file.ipp>
#endif
