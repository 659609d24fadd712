// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/asio_compat.hpp>
#include <comcp/net/windows.hpp>
#include <comcp/transport/named_pipe.hpp>
#include <comcp/version.hpp>

#if defined(_WIN32)

#include <chrono>
#include <system_error>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

namespace comcp::detail {

// Empty for what is no pipe of this machine.
COMCP_LAZY std::wstring pipe_path(std::string_view name) {
  constexpr std::string_view folder = "\\\\.\\pipe\\";
  if (name.starts_with(folder)) name.remove_prefix(folder.size());
  if (name.empty() || name.find_first_of("\\/") != name.npos || name.find('\0') != name.npos) return {};
  return to_wide(std::string(folder).append(name));
}

// WaitNamedPipeW() would stop the thread: it is asked again instead.
COMCP_LAZY_DECL asio::awaitable<result<asio::windows::stream_handle>> connect_pipe(std::string name) {
  auto const path = pipe_path(name);
  if (path.empty()) co_return error(errc::invalid_argument, "no name of a pipe: " + name);
  auto const executor = co_await asio::this_coro::executor;
  asio::steady_timer pause(executor);
  auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  HANDLE opened = INVALID_HANDLE_VALUE;
  for (;;) {
    opened = ::CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING,
                           FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, nullptr);
    auto const failed = last_windows_error();
    if (opened != INVALID_HANDLE_VALUE) break;
    bool const busy = failed.value() == ERROR_PIPE_BUSY && std::chrono::steady_clock::now() < until;
    if (!busy) co_return error(errc::connect_failed, name + ": " + failed.message());
    pause.expires_after(std::chrono::milliseconds(10));
    co_await pause.async_wait(net::tuple_awaitable);
  }
  asio::windows::stream_handle pipe(executor);
  std::error_code ec;
  pipe.assign(opened, ec);
  if (ec) ::CloseHandle(opened);
  if (ec) co_return error(errc::connect_failed, name + ": " + ec.message());
  co_return std::move(pipe);
}

}  // namespace comcp::detail

#endif
