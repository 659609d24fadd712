// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/windows.hpp>
#include <comcp/net/windows_owner.hpp>
#include <comcp/private_file.hpp>
#include <comcp/replace_file.hpp>
#include <comcp/system.hpp>
#include <comcp/version.hpp>

#if defined(_WIN32)

namespace comcp::detail {

// Administrators and the system get at every file; what a program of theirs makes may belong to them.
COMCP_DECL bool is_trusted(PSID who, current_user const& user) noexcept {
  return who != nullptr &&
         ((user.sid() != nullptr && ::EqualSid(who, user.sid()) != 0) || ::IsWellKnownSid(who, WinLocalSystemSid) != 0 ||
          ::IsWellKnownSid(who, WinBuiltinAdministratorsSid) != 0);
}

// Whether this entry gives anything that matters to somebody else.
COMCP_DECL bool lets_others_in(void const* entry, current_user const& user) noexcept {
  auto const& head = *static_cast<ACE_HEADER const*>(entry);
  bool const denies = head.AceType == ACCESS_DENIED_ACE_TYPE || head.AceType == ACCESS_DENIED_CALLBACK_ACE_TYPE;
  if (denies || (head.AceFlags & INHERIT_ONLY_ACE) != 0) return false;
  if (head.AceType != ACCESS_ALLOWED_ACE_TYPE && head.AceType != ACCESS_ALLOWED_CALLBACK_ACE_TYPE) return true;
  auto const& allowed = *static_cast<ACCESS_ALLOWED_ACE const*>(entry);  // the other one begins in the same way
  constexpr DWORD matters = FILE_READ_DATA | FILE_WRITE_DATA | FILE_APPEND_DATA | DELETE | WRITE_DAC | WRITE_OWNER |
                            GENERIC_READ | GENERIC_WRITE | GENERIC_ALL;
  auto* const who = const_cast<DWORD*>(&allowed.SidStart);
  return (allowed.Mask & matters) != 0 && !is_trusted(who, user) && ::IsWellKnownSid(who, WinCreatorOwnerRightsSid) == 0;
}

COMCP_DECL bool is_users_alone(PACL list, current_user const& user) noexcept {
  if (list == nullptr) return false;  // no list at all: everybody may do everything
  for (DWORD i = 0; i < list->AceCount; ++i) {
    void* entry = nullptr;
    if (::GetAce(list, i, &entry) == 0 || lets_others_in(entry, user)) return false;
  }
  return true;
}

COMCP_DECL result<void> check_private(HANDLE opened, std::filesystem::path const& file) {
  BY_HANDLE_FILE_INFORMATION about{};
  auto const name = text_of_path(file);
  bool const on_disk = ::GetFileType(opened) == FILE_TYPE_DISK && ::GetFileInformationByHandle(opened, &about) != 0;
  if (on_disk && (about.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0)
    return error(errc::denied, name + " is a symbolic link to nothing");
  if (!on_disk || (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
    return error(errc::denied, name + " is no regular file");
  PSID owner = nullptr;
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  auto const failed = ::GetSecurityInfo(opened, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                                        &owner, nullptr, &list, nullptr, &descriptor);
  if (failed != ERROR_SUCCESS) return file_error(failed, "look at", file);
  local_pointer<void> const owned(descriptor);
  current_user const user;
  if (!is_trusted(owner, user)) return error(errc::denied, name + " belongs to somebody else");
  if (!is_users_alone(list, user))
    return error(errc::denied, name + " can be read or written by others: take their rights away if it is as you want it");
  return {};
}

COMCP_DECL result<file_descriptor> open_private_as(std::filesystem::path const& file, DWORD access, DWORD how) {
  owner_only owner;
  if (owner.attributes() == nullptr) return file_error(::GetLastError(), "make private", file);
  HANDLE opened = INVALID_HANDLE_VALUE;
  auto const failed = patiently([&] {
    opened = ::CreateFileW(file.c_str(), access | READ_CONTROL, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                           owner.attributes(), how,
                           FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT | SECURITY_SQOS_PRESENT |
                               SECURITY_ANONYMOUS,
                           nullptr);
    return opened != INVALID_HANDLE_VALUE;
  });
  file_descriptor fd(reinterpret_cast<native_file>(opened));
  if (failed == ERROR_FILE_NOT_FOUND || failed == ERROR_PATH_NOT_FOUND) {
    if (how == OPEN_EXISTING) return fd;
  }
  if (failed != ERROR_SUCCESS) return file_error(failed, "open", file);
  if (auto const fine = check_private(opened, file); !fine) return fine.error();
  return fd;
}

COMCP_DECL result<file_descriptor> open_private(std::filesystem::path const& file) {
  return open_private_as(file, GENERIC_READ, OPEN_EXISTING);
}
COMCP_DECL result<file_descriptor> open_private_lock(std::filesystem::path const& file) {
  return open_private_as(file, GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS);
}

COMCP_DECL result<void> make_private_folders(std::filesystem::path const& folder) {
  owner_only owner;
  if (owner.attributes() == nullptr) return file_error(::GetLastError(), "make private", folder);
  std::filesystem::path so_far;
  for (auto const& part : folder) {
    so_far /= part;
    if (::CreateDirectoryW(so_far.c_str(), owner.attributes()) != 0) continue;
    auto const why = ::GetLastError();
    auto const attributes = ::GetFileAttributesW(so_far.c_str());
    bool const there = attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    if (!there && so_far != folder.root_name() && so_far != folder.root_path()) return file_error(why, "make the folder", so_far);
  }
  return {};
}

COMCP_DECL result<std::filesystem::path> user_data_folder() {
  auto data = path_from_text(environment_variable("LOCALAPPDATA").value_or(""));
  if (!data.is_absolute()) return error(errc::not_found, "no home for the file of credentials: LOCALAPPDATA is not set");
  return data;
}

COMCP_DECL result<bool> try_lock(file_descriptor const& opened, std::filesystem::path const& file) {
  OVERLAPPED whole{};
  constexpr DWORD how = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, all = 0xFFFFFFFF;
  if (::LockFileEx(reinterpret_cast<HANDLE>(opened.get()), how, 0, all, all, &whole) != 0) return true;
  auto const why = ::GetLastError();
  if (why == ERROR_LOCK_VIOLATION || why == ERROR_IO_PENDING) return false;
  return file_error(why, "lock", file);
}

}  // namespace comcp::detail

#endif
