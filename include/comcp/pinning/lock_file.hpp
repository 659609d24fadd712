// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Pins in a file. The one part of pinning that does I/O, and it blocks.
#pragma once

#include <filesystem>

#include <comcp/pinning/pins.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// Reads a lock file. Errors: the system's own code where it cannot be read (std::errc::no_such_file_or_directory: none
/// was written yet), and those of tool_pins::parse(); the text names the file.
result<tool_pins> read_lock_file(std::filesystem::path const& file);

/// Writes a lock file (mode 0644) beside the old one and puts it in its place at once, so that no reader ever sees a
/// part, and a crash leaves the old or the new one. A symbolic link is followed. Of several writers the last one wins.
/// Errors: the system's own code; the text names the file. invalid_argument: a name that is no UTF-8.
result<void> write_lock_file(tool_pins const& pins, std::filesystem::path const& file);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/pinning/impl/lock_file.ipp>
#endif
