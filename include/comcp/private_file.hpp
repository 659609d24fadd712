// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that their user alone can read and write, and locks on them. It blocks, but waits for nobody. Internal.
#pragma once

#include <filesystem>

#include <comcp/replace_file.hpp>
#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

/// Opens one to read it. None, with nothing said, where there is no such file; errc::denied for one that is no regular
/// file, belongs to somebody else, can be read or written by others, or is a link.
result<file_descriptor> open_private(std::filesystem::path const& file);

/// Opens one to be locked; it is made, its user's alone, where there is none. Errors as above.
result<file_descriptor> open_private_lock(std::filesystem::path const& file);

/// Makes the folders that are missing, from the root on, each its user's alone.
result<void> make_private_folders(std::filesystem::path const& folder);

/// Where this user's programs keep what is not to be lost: $XDG_DATA_HOME, or ~/.local/share, ~/Library/Application Support
/// on macOS; %LOCALAPPDATA% on Windows.
/// errc::not_found without a home.
result<std::filesystem::path> user_data_folder();

/// False: another has it. The end of the descriptor, or of its process, ends the lock.
result<bool> try_lock(file_descriptor const& opened, std::filesystem::path const& file);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/impl/private_file_posix.ipp>
#include <comcp/impl/private_file_windows.ipp>
#endif
