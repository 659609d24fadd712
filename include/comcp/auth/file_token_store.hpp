// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Credentials in one file: readable by its user alone, replaced whole, shared by processes through a lock.
#pragma once

#include <filesystem>

#include <comcp/auth/token_store.hpp>

namespace comcp {

/// The file is JSON, of mode 0600, in a folder that is made with mode 0700 where there is none. A file that others may
/// read or write, that is owned by somebody else or is no regular file, is refused (errc::denied); a symbolic link is followed
/// to its target, which is replaced in its own folder. A file that is no JSON of ours is errc::wrong_shape and stays
/// untouched. Locks are files beside it, held with flock(): the end of a process ends its locks. On Windows mode 0600 is a
/// protected list of access for this user and the system (administrators, who get at everything, are no others), and the
/// lock is LockFileEx().
class file_token_store {
 public:
  COMCP_LAZY explicit file_token_store(std::filesystem::path file);
  /// comcp/tokens.json in $XDG_DATA_HOME, or ~/.local/share, ~/Library/Application Support on macOS;
  /// %LOCALAPPDATA%\comcp\tokens.json on Windows, which no other machine gets. errc::not_found without a home.
  COMCP_LAZY static result<std::filesystem::path> usual_path();

  COMCP_LAZY [[nodiscard]] asio::awaitable<result<std::optional<secret>>> load(std::string name);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> save(std::string name, secret text);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> remove(std::string name);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<std::shared_ptr<void>>> lock(std::string name,
                                                                               std::chrono::milliseconds most);

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/file_token_store.ipp>
#endif
