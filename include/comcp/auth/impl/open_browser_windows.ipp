// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How the browser is started: as the user's choice for http and https, by the shell of Windows.
#pragma once

#include <comcp/auth/loopback_redirect.hpp>
#include <comcp/net/windows.hpp>
#include <comcp/version.hpp>

#if defined(_WIN32)

#include <objbase.h>
#include <shellapi.h>

namespace comcp::detail {

// Some handlers of URLs are COM objects.
class com_for_now {
 public:
  com_for_now() noexcept : ours_(SUCCEEDED(::CoInitializeEx(nullptr, COINIT_APARTMENTTHREADED | COINIT_DISABLE_OLE1DDE))) {}
  com_for_now(com_for_now const&) = delete;
  com_for_now& operator=(com_for_now const&) = delete;
  ~com_for_now() {
    if (ours_) ::CoUninitialize();
  }

 private:
  bool ours_;
};

// What it is given may be a program or a document as well: none but the two schemes gets that far.
COMCP_DECL result<void> start_browser(std::string argument) {
  if (!argument.starts_with("https://") && !argument.starts_with("http://"))
    return error(errc::invalid_argument, "no URL for the browser");
  com_for_now const com;
  auto const url = to_wide(argument);
  SHELLEXECUTEINFOW how{};
  how.cbSize = sizeof how;
  how.fMask = SEE_MASK_NOASYNC | SEE_MASK_FLAG_NO_UI;  // this thread may end before an answer comes, and shows nothing
  how.lpVerb = L"open";
  how.lpFile = url.c_str();
  how.nShow = SW_SHOWNORMAL;
  if (::ShellExecuteExW(&how) != 0) return {};
  auto const why = ::GetLastError();
  if (why == ERROR_NO_ASSOCIATION || why == ERROR_FILE_NOT_FOUND) return error(errc::not_found, "no browser");
  return error(windows_error(why), "cannot start the browser");
}

}  // namespace comcp::detail

#endif
