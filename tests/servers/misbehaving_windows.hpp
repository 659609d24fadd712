// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the misbehaving server asks of Windows. There are no groups to leave; what POSIX has signals for, CTRL_BREAK_EVENT
// and a job are.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/net/utf16.hpp>

#if !defined(WIN32_LEAN_AND_MEAN)
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

namespace {

std::string utf8(std::wstring_view text) {
  return comcp::net::detail::to_utf8(std::u16string(text.begin(), text.end())).value_or("?");
}

void put(std::string const& text) {
  for (std::size_t at = 0; at != text.size();) {
    DWORD n = 0;
    auto const left = static_cast<DWORD>(text.size() - at);
    if (!::WriteFile(::GetStdHandle(STD_OUTPUT_HANDLE), text.data() + at, left, &n, nullptr)) std::_Exit(41);
    at += n;
  }
}

[[noreturn]] void wait_for_ever() {
  while (true) ::Sleep(INFINITE);
}

// Those that it was given: what a process opens for itself is not for its children by default.
int list_descriptors() {
  int others = 0;
  std::string out;
  for (std::uintptr_t n = 4; n != 4096; n += 4) {
    auto const h = reinterpret_cast<HANDLE>(n);
    DWORD flags = 0;
    if (!::GetHandleInformation(h, &flags) || (flags & HANDLE_FLAG_INHERIT) == 0) continue;
    int number = 0;
    for (DWORD const which : {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
      if (h == ::GetStdHandle(which)) break;
      ++number;
    }
    if (number == 3) ++others;
  }
  for (DWORD const which : {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE}) {
    out += ::GetFileType(::GetStdHandle(which)) == FILE_TYPE_PIPE ? "pipe " : "other ";
  }
  put(out + std::to_string(others) + " more\n");
  return 0;
}

int tell_signals() { return 98; }

// A child that keeps stdout open, and its number on stderr; with `escape` it asks to be outside of the job.
int grandchild(bool escape) {
  std::wstring path(32768, L'\0');
  path.resize(::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  std::wstring line = L"\"" + path + L"\" mute_grandchild";
  STARTUPINFOW info{};
  info.cb = sizeof info;
  PROCESS_INFORMATION made{};
  if (::CreateProcessW(path.c_str(), line.data(), nullptr, nullptr, TRUE, escape ? CREATE_BREAKAWAY_FROM_JOB : 0, nullptr,
                       nullptr, &info, &made)) {
    std::cerr << made.dwProcessId << std::flush;
  } else {
    std::cerr << "none" << std::flush;
  }
  put("parent done\n");
  return 7;
}

void leave_group() { std::_Exit(98); }
[[noreturn]] void hop_groups() { std::_Exit(98); }

int tell_environment() {
  wchar_t* const block = ::GetEnvironmentStringsW();
  for (wchar_t const* at = block; *at != L'\0';) {
    std::wstring_view const entry(at);
    put(utf8(entry) + "\n");
    at += entry.size() + 1;
  }
  return 0;
}

int tell_directory() {
  wchar_t path[4096];
  put(utf8({path, ::GetCurrentDirectoryW(4096, path)}) + "\n");
  return 0;
}

void answer_term_by_telling() {
  ::SetConsoleCtrlHandler([](DWORD event) -> BOOL {
    if (event == CTRL_BREAK_EVENT) put("term\n");
    return TRUE;
  }, TRUE);
}
void ignore_term() {
  ::SetConsoleCtrlHandler([](DWORD) -> BOOL { return TRUE; }, TRUE);
}
[[noreturn]] void die() {
  ::TerminateProcess(::GetCurrentProcess(), 0xC0000005);
  std::_Exit(43);
}
void close_stdin() { ::_close(0); }
void close_stdout() { ::_close(1); }

void prepare() {
  for (int const fd : {0, 1, 2}) ::_setmode(fd, _O_BINARY);
}

std::vector<std::string> arguments(int, char**) {
  int count = 0;
  wchar_t** const argv = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::vector<std::string> out;
  for (int i = 1; i < count; ++i) out.push_back(utf8(argv[i]));
  return out;
}

}  // namespace
