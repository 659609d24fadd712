// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The one place that includes windows.h, without what breaks others: its min and max, and the old sockets. Texts are
// UTF-8 in comcp and UTF-16 in Windows; no function that takes the ANSI code page is called anywhere. Internal.
#pragma once

#if defined(_WIN32)

#if !defined(NOMINMAX)
#define NOMINMAX
#endif
#if !defined(WIN32_LEAN_AND_MEAN)
#define WIN32_LEAN_AND_MEAN
#endif

#include <string>
#include <string_view>
#include <system_error>

#include <windows.h>

namespace comcp::detail {

/// What is no UTF-8 becomes U+FFFD.
inline std::wstring to_wide(std::string_view text) {
  auto const size = static_cast<int>(text.size());
  auto const needed = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0);
  std::wstring out(static_cast<std::size_t>(needed), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, out.data(), needed);
  return out;
}

/// A lone surrogate becomes U+FFFD.
inline std::string to_utf8(std::wstring_view text) {
  auto const size = static_cast<int>(text.size());
  auto const needed = ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<std::size_t>(needed), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, out.data(), needed, nullptr, nullptr);
  return out;
}

inline std::error_code windows_error(DWORD number) noexcept {
  return {static_cast<int>(number), std::system_category()};
}
inline std::error_code last_windows_error() noexcept { return windows_error(::GetLastError()); }

}  // namespace comcp::detail

#endif
