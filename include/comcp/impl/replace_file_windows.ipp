// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/windows.hpp>
#include <comcp/net/windows_owner.hpp>
#include <comcp/replace_file.hpp>
#include <comcp/system.hpp>
#include <comcp/version.hpp>

#if defined(_WIN32)

#include <algorithm>
#include <cstring>
#include <vector>

namespace comcp::detail {

COMCP_DECL file_descriptor::~file_descriptor() {
  if (fd_ != -1) ::CloseHandle(reinterpret_cast<HANDLE>(fd_));
}

COMCP_DECL error file_error(system_number number, char const* doing, std::filesystem::path const& file) {
  return error(windows_error(number), std::string("cannot ") + doing + ' ' + text_of_path(file));
}

COMCP_DECL system_number patiently(std::function<bool()> const& action) {
  for (int left = 20;; --left) {
    if (action()) return ERROR_SUCCESS;
    auto const why = ::GetLastError();
    if ((why != ERROR_SHARING_VIOLATION && why != ERROR_ACCESS_DENIED) || left == 0) return why;
    ::Sleep(5);
  }
}

// Whoever replaces it meanwhile may. A pipe in its place learns nothing of us.
COMCP_DECL result<file_descriptor> open_regular(std::filesystem::path const& file) {
  HANDLE opened = INVALID_HANDLE_VALUE;
  auto const failed = patiently([&] {
    opened = ::CreateFileW(file.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                           OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | SECURITY_SQOS_PRESENT | SECURITY_ANONYMOUS, nullptr);
    return opened != INVALID_HANDLE_VALUE;
  });
  if (failed != ERROR_SUCCESS) return file_error(failed, "open", file);
  file_descriptor fd(reinterpret_cast<native_file>(opened));
  BY_HANDLE_FILE_INFORMATION about{};
  bool const regular = ::GetFileType(opened) == FILE_TYPE_DISK && ::GetFileInformationByHandle(opened, &about) != 0 &&
                       (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
  if (!regular) return error(errc::denied, text_of_path(file) + " is no regular file");
  return fd;
}

COMCP_DECL result<std::string> read_rest(file_descriptor const& from, std::size_t most,
                                         std::filesystem::path const& file) {
  std::string text;
  char part[4096];
  while (text.size() <= most) {
    DWORD n = 0;
    if (::ReadFile(reinterpret_cast<HANDLE>(from.get()), part, sizeof part, &n, nullptr) == 0)
      return file_error(::GetLastError(), "read", file);
    if (n == 0) break;
    text.append(part, n);
  }
  return text;
}

COMCP_DECL std::filesystem::path link_target(std::filesystem::path const& file) {
  auto const attributes = ::GetFileAttributesW(file.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return file;
  auto const opened = ::CreateFileW(file.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  file_descriptor const owned(reinterpret_cast<native_file>(opened));
  if (opened == INVALID_HANDLE_VALUE) return file;
  std::wstring name(32'768, L'\0');
  auto const length = ::GetFinalPathNameByHandleW(opened, name.data(), static_cast<DWORD>(name.size()), 0);
  if (length == 0 || length >= name.size()) return file;
  name.resize(length);  // \\?\C:\..., or \\?\UNC\server\...
  if (name.starts_with(L"\\\\?\\UNC\\")) return L"\\" + name.substr(7);
  return name.starts_with(L"\\\\?\\") ? name.substr(4) : name;
}

// All of it, to the disk: ERROR_SUCCESS, or why not.
COMCP_DECL DWORD fill_file(HANDLE file, std::string_view text) noexcept {
  while (!text.empty()) {
    DWORD n = 0;
    auto const part = static_cast<DWORD>(std::min<std::size_t>(text.size(), std::size_t{1} << 20));
    if (::WriteFile(file, text.data(), part, &n, nullptr) == 0) return ::GetLastError();
    text.remove_prefix(n);
  }
  return ::FlushFileBuffers(file) != 0 ? ERROR_SUCCESS : ::GetLastError();
}

// As rename() has it: whoever has the old one open keeps it. NTFS can, since Windows 10.
COMCP_DECL bool rename_over(HANDLE file, std::filesystem::path const& target) {
  auto const& name = target.native();
  auto const name_bytes = name.size() * sizeof(wchar_t);
  std::vector<FILE_RENAME_INFO> room(name_bytes / sizeof(FILE_RENAME_INFO) + 2);
  auto& how = room.front();
  constexpr DWORD replace_if_exists = 1, posix_semantics = 2, flags = replace_if_exists | posix_semantics;
  std::memcpy(static_cast<void*>(&how), &flags, sizeof flags);  // a member of newer headers, at the beginning
  how.FileNameLength = static_cast<DWORD>(name_bytes);
  std::memcpy(how.FileName, name.c_str(), name_bytes + sizeof(wchar_t));
  constexpr auto file_rename_info_ex = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  return ::SetFileInformationByHandle(file, file_rename_info_ex, &how,
                                      static_cast<DWORD>(room.size() * sizeof(FILE_RENAME_INFO))) != 0;
}

COMCP_DECL result<void> replace_file(std::filesystem::path const& file, std::string_view text, unsigned mode) {
  auto const target = link_target(file);
  auto const beside = target.native() + to_wide("." + unguessable_hex(8) + ".tmp");
  owner_only owner;
  bool const alone = (mode & 077U) == 0;
  if (alone && owner.attributes() == nullptr) return file_error(::GetLastError(), "make private", file);
  auto const opened = ::CreateFileW(beside.c_str(), GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                    alone ? owner.attributes() : nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (opened == INVALID_HANDLE_VALUE) return file_error(::GetLastError(), "write beside", file);
  file_descriptor to(reinterpret_cast<native_file>(opened));
  auto failed = fill_file(opened, text);
  if (failed == ERROR_SUCCESS && rename_over(opened, target)) return {};
  to = file_descriptor();
  if (failed == ERROR_SUCCESS) {
    failed = patiently([&] {
      return ::MoveFileExW(beside.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
    });
  }
  if (failed == ERROR_SUCCESS) return {};
  ::DeleteFileW(beside.c_str());
  return file_error(failed, "write", file);
}

}  // namespace comcp::detail

#endif
