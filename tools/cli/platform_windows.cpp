// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if defined(_WIN32)

#include "platform.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <io.h>

#include <comcp/net/windows.hpp>
#include <comcp/private_file.hpp>
#include <comcp/system.hpp>

#include <shellapi.h>

#include "exit_codes.hpp"
#include "text.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

HANDLE stream_of(int descriptor) noexcept {
  if (descriptor == standard_input) return ::GetStdHandle(STD_INPUT_HANDLE);
  return ::GetStdHandle(descriptor == standard_output ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

// Older consoles have to be told. True where the stream is a console that obeys from now on.
bool turn_escapes_on(int descriptor) noexcept {
  DWORD mode = 0;
  auto const stream = stream_of(descriptor);
  if (::GetConsoleMode(stream, &mode) == 0) return false;
  constexpr DWORD wanted = ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING;
  return (mode & wanted) == wanted || ::SetConsoleMode(stream, mode | wanted) != 0;
}

// Letters of East Asia and pictures; and marks that stand on the letter before. Sorted.
struct letters {
  char32_t first, last;
};
constexpr std::array<letters, 18> wide{{{0x1100, 0x115F}, {0x2329, 0x232A}, {0x2E80, 0x303E}, {0x3041, 0x33FF},
                                        {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xA000, 0xA4CF}, {0xA960, 0xA97F},
                                        {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F}, {0xFF00, 0xFF60},
                                        {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
                                        {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD}}};
constexpr std::array<letters, 9> marks{{{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x1AB0, 0x1AFF},
                                        {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
                                        {0xFE20, 0xFE2F}}};
template <std::size_t N>
bool is_among(std::array<letters, N> const& all, char32_t letter) noexcept {
  auto const at = std::lower_bound(all.begin(), all.end(), letter, [](letters l, char32_t c) { return l.last < c; });
  return at != all.end() && at->first <= letter;
}

bool is_file(fs::path const& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

std::vector<std::string> parts_of(std::string const& list) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= list.size();) {
    auto const end = std::min(list.find(';', begin), list.size());
    if (end > begin) out.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace

// The console shows what is UTF-8, and the C library puts no carriage returns into it.
text_streams::text_streams() : input_(::GetConsoleCP()), output_(::GetConsoleOutputCP()) {
  if (input_ != 0) ::SetConsoleCP(CP_UTF8);
  if (output_ != 0) ::SetConsoleOutputCP(CP_UTF8);
  for (auto* const stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
}
text_streams::~text_streams() {
  if (input_ != 0) ::SetConsoleCP(input_);
  if (output_ != 0) ::SetConsoleOutputCP(output_);
}

// What main() is given is of the ANSI code page.
std::vector<std::string> utf8_arguments(int, char const* const*) {
  int count = 0;
  auto* const all = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::vector<std::string> out;
  for (int i = 0; all != nullptr && i < count; ++i) out.push_back(comcp::detail::to_utf8(all[i]));
  ::LocalFree(all);
  return out;
}

// A console: the C library takes the null device for one, too.
bool is_terminal(int descriptor) noexcept {
  DWORD mode = 0;
  return ::GetConsoleMode(stream_of(descriptor), &mode) != 0;
}
bool takes_escapes(int descriptor) noexcept { return turn_escapes_on(descriptor); }

std::size_t window_columns(int descriptor) noexcept {
  CONSOLE_SCREEN_BUFFER_INFO about{};
  if (::GetConsoleScreenBufferInfo(stream_of(descriptor), &about) == 0) return 0;
  return static_cast<std::size_t>(about.srWindow.Right - about.srWindow.Left + 1);
}

std::size_t letter_columns(char32_t letter) noexcept {
  if (is_among(marks, letter)) return 0;
  return is_among(wide, letter) ? 2 : 1;
}

bool reader_of_output_left() noexcept {
  auto const out = stream_of(standard_output);
  DWORD written = 0;
  if (::GetFileType(out) != FILE_TYPE_PIPE || ::WriteFile(out, "", 0, &written, nullptr) != 0) return false;
  auto const why = ::GetLastError();
  return why == ERROR_NO_DATA || why == ERROR_BROKEN_PIPE;
}

void survive_broken_pipes() noexcept {}

void add_interrupts(asio::signal_set& signals) {
  signals.add(SIGINT);
  signals.add(SIGTERM);
  signals.add(SIGBREAK);
}

bool is_open_to_others(std::string const& file) {
  auto const path = comcp::detail::path_from_text(file);
  return is_file(path) && comcp::detail::open_private(path).error() == comcp::errc::denied;
}

char const* const how_to_close = "take it away from all but yourself (icacls)";
char const* const usual_path = "C:\\Windows\\System32;C:\\Windows";

std::function<void(std::string_view)> open_trace_file(std::string const& file) {
  auto opened = comcp::detail::open_private_lock(comcp::detail::path_from_text(file));
  if (!opened) throw usage_error("--trace: cannot write '" + file + "': " + std::string(opened.error().message()));
  auto const out = std::make_shared<comcp::detail::file_descriptor>(std::move(*opened));
  auto const handle = reinterpret_cast<HANDLE>(out->get());
  if (::SetEndOfFile(handle) == 0)
    throw usage_error("--trace: cannot write '" + file + "': " + comcp::detail::last_windows_error().message());
  return [out, handle](std::string_view line) {
    while (!line.empty()) {
      DWORD written = 0;
      constexpr std::size_t most = 1 << 20;
      auto const size = static_cast<DWORD>(std::min(line.size(), most));
      if (::WriteFile(handle, line.data(), size, &written, nullptr) == 0 || written == 0) return;
      line.remove_prefix(written);
    }
  };
}

bool finds_command(std::string const& command, std::string const& folder, std::string const& path) {
  auto endings = parts_of(comcp::detail::environment_variable("PATHEXT").value_or(".COM;.EXE;.BAT;.CMD"));
  endings.insert(endings.begin(), "");
  auto const there = [&](fs::path const& place) {
    return std::any_of(endings.begin(), endings.end(), [&](std::string const& ending) {
      auto const name = comcp::detail::path_from_text(command + ending);
      return name.has_extension() && is_file(place / name);
    });
  };
  auto const here = comcp::detail::path_from_text(folder);
  if (command.find_first_of("/\\") != std::string::npos) return there(here);
  auto const places = parts_of(path);
  return std::any_of(places.begin(), places.end(),
                     [&](std::string const& p) { return there(here / comcp::detail::path_from_text(p)); });
}

}  // namespace cli

#endif
