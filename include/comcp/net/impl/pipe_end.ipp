// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <comcp/net/pipe_end.hpp>

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/ioctl.h>
#endif

namespace comcp::net {

COMCP_DECL std::size_t readable_now(pipe_reader& from) noexcept {
#if defined(_WIN32)
  DWORD n = 0;
  return from.is_open() && ::PeekNamedPipe(from.native_handle(), nullptr, 0, nullptr, &n, nullptr) ? n : 0;
#else
  int n = 0;
  return from.is_open() && ::ioctl(from.native_handle(), FIONREAD, &n) == 0 && n > 0 ? static_cast<std::size_t>(n) : 0;
#endif
}

}  // namespace comcp::net
