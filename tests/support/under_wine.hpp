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
#else
inline bool is_wine() noexcept { return false; }
#endif

}  // namespace comcp_test
