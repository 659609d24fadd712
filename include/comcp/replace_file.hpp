// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that are read whole and replaced whole. What is in them, and who may read them, is decided elsewhere. It blocks.
// Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

#if defined(_WIN32)
using native_file = std::intptr_t;     // a HANDLE; INVALID_HANDLE_VALUE is -1
using system_number = unsigned long;   // of GetLastError()
#else
using native_file = int;
using system_number = int;  // errno
#endif

/// A descriptor that is closed with it; below 0 where there is none.
class file_descriptor {
 public:
  explicit file_descriptor(native_file fd = -1) noexcept : fd_(fd) {}
  file_descriptor(file_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept { return std::swap(fd_, other.fd_), *this; }
  ~file_descriptor();
  [[nodiscard]] native_file get() const noexcept { return fd_; }

 private:
  native_file fd_;
};

/// Opens a regular file for reading; anything else is errc::denied, and nothing is waited for, as a FIFO's writer would
/// be. Links are followed.
result<file_descriptor> open_regular(std::filesystem::path const& file);

#if defined(_WIN32)
/// Does it again for half a second, while another has the file: what scans for viruses, or a name that is being replaced.
/// The last error; 0 once it is done.
system_number patiently(std::function<bool()> const& action);
#endif

/// The system's own code and "cannot DOING FILE".
error file_error(system_number number, char const* doing, std::filesystem::path const& file);

/// The rest of an open file; it stops soon after `most` bytes, which the caller sees by the size.
result<std::string> read_rest(file_descriptor const& from, std::size_t most, std::filesystem::path const& file);

/// The file to which symbolic links lead.
std::filesystem::path link_target(std::filesystem::path const& file);

/// Writes the text beside the file and puts it in its place at once: no reader sees a part, and a crash leaves the old or
/// the new one. Links are followed. `mode` as in chmod(); Windows knows it as 0600, its user's alone, or as its folder has
/// it. There, a reader of comcp's is no hindrance; one that lets nobody write is, after half a second.
result<void> replace_file(std::filesystem::path const& file, std::string_view text, unsigned mode);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/impl/replace_file_posix.ipp>
#include <comcp/impl/replace_file_windows.ipp>
#endif
