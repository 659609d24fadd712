// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where wine is not as Windows is.
#pragma once

#if defined(_WIN32)
#include <asio/detail/socket_types.hpp>  // before windows.h

#include <windows.h>
#endif

namespace comcp_test {

/// Whether it is seen that a child closes its stdin or stdout and goes on. A child without a console window has wine's
/// conhost.exe beside it, which has inherited both; Windows' own inherits nothing.
inline bool sees_closed_streams() {
#if defined(_WIN32)
  bool const wine = ::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
  return !wine || ::GetConsoleCP() != 0;
#else
  return true;
#endif
}

inline constexpr char const* streams_stay_open = "wine's conhost.exe keeps the child's streams open; run in a console it is seen";

}  // namespace comcp_test
