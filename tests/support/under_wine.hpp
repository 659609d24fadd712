// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether Wine stands for Windows: what it cannot do is skipped, and said.
#pragma once

#if defined(_WIN32)
#include <comcp/net/windows.hpp>
#endif

namespace comcp_test {

#if defined(_WIN32)
inline bool is_wine() noexcept { return ::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr; }
/// Whether it is seen that a child closes its stdin or stdout and goes on. A child without a console window has wine's
/// conhost.exe beside it, which has inherited both; Windows' own inherits nothing.
inline bool sees_closed_streams() { return !is_wine() || ::GetConsoleCP() != 0; }
#else
inline bool is_wine() noexcept { return false; }
inline bool sees_closed_streams() { return true; }
#endif

inline constexpr char const* streams_stay_open = "wine's conhost.exe keeps the child's streams open; run in a console it is seen";

}  // namespace comcp_test
