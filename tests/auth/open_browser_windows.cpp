// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the shell of Windows is asked to open. Under Wine a command in the registry stands for the browser.
#if defined(_WIN32)

#include <comcp/auth/loopback_redirect.hpp>

#include <cwchar>
#include <string>

#include <comcp/net/windows.hpp>
#include <comcp/system.hpp>

#include "support/catch.hpp"
#include "support/under_wine.hpp"

using comcp::errc;
using comcp::http_url;

namespace {

// The handler of http, until it ends. Wine looks for none of the user's own.
class fake_browser {
 public:
  explicit fake_browser(std::wstring const& command) {
    DWORD size = sizeof before_ - sizeof(wchar_t);
    REQUIRE(::RegGetValueW(HKEY_CLASSES_ROOT, key, nullptr, RRF_RT_ANY | RRF_NOEXPAND, nullptr, before_, &size) == ERROR_SUCCESS);
    set(command.c_str(), REG_SZ);
  }
  fake_browser(fake_browser const&) = delete;
  fake_browser& operator=(fake_browser const&) = delete;
  ~fake_browser() { set(before_, REG_EXPAND_SZ); }

 private:
  static constexpr wchar_t const* key = L"http\\shell\\open\\command";
  static void set(wchar_t const* command, DWORD type) {
    auto const bytes = static_cast<DWORD>((std::wcslen(command) + 1) * sizeof(wchar_t));
    CHECK(::RegSetKeyValueW(HKEY_CLASSES_ROOT, key, nullptr, type, command, bytes) == ERROR_SUCCESS);
  }
  wchar_t before_[1024]{};
};

// Whether somebody opened the other end, within half a minute.
bool is_connected(HANDLE pipe) {
  OVERLAPPED waiting{};
  waiting.hEvent = ::CreateEventW(nullptr, TRUE, FALSE, nullptr);
  ::ConnectNamedPipe(pipe, &waiting);
  auto const why = ::GetLastError();
  bool const came = why == ERROR_PIPE_CONNECTED || ::WaitForSingleObject(waiting.hEvent, 30'000) == WAIT_OBJECT_0;
  if (!came) ::CancelIo(pipe);
  ::CloseHandle(waiting.hEvent);
  return came;
}

}  // namespace

TEST_CASE("open_browser: nothing but http and https reaches the shell", "[auth]") {
  for (std::string const other : {"", "calc.exe", "file:///C:/Windows/System32/calc.exe", "ms-settings:", "\\\\host\\share",
                                  "HTTP:x", "https:", "http:/x"}) {
    CAPTURE(other);
    CHECK(comcp::detail::start_browser(other).error() == errc::invalid_argument);
  }
  auto url = http_url::parse("https://example.com/").value();
  auto const moved = std::move(url);
  CHECK(comcp::open_browser(url).error() == errc::invalid_argument);  // NOLINT: what is left of a URL that was moved
}

TEST_CASE("open_browser: the handler of http gets the URL as one argument", "[auth]") {
  if (!comcp_test::is_wine()) COMCP_SKIP("only under Wine does a command in the registry decide what opens http");
  auto const name = comcp::detail::to_wide("\\\\.\\pipe\\comcp-test-" + comcp::detail::unguessable_hex(8));
  HANDLE const pipe = ::CreateNamedPipeW(name.c_str(), PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED, PIPE_TYPE_BYTE | PIPE_WAIT, 1, 4096, 4096, 0,
                                        nullptr);
  REQUIRE(pipe != INVALID_HANDLE_VALUE);
  fake_browser const browser(L"cmd.exe /c echo \"%1\">" + name);
  auto const opened = comcp::open_browser(http_url::parse("http://127.0.0.1:7777/login?a=1&b=2").value());
  CAPTURE(opened ? "" : opened.error().to_string());
  REQUIRE(opened);
  REQUIRE(is_connected(pipe));
  std::string told;
  char part[256];
  OVERLAPPED reading{};
  for (DWORD n = 0;;) {
    auto const begun = ::ReadFile(pipe, part, sizeof part, nullptr, &reading) != 0 || ::GetLastError() == ERROR_IO_PENDING;
    if (!begun || ::GetOverlappedResult(pipe, &reading, &n, TRUE) == 0) break;  // its writer has ended
    told.append(part, n);
  }
  ::CloseHandle(pipe);
  CHECK_THAT(told, match::contains("\"http://127.0.0.1:7777/login?a=1&b=2\""));
}

#endif
