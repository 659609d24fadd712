// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the shell of Windows is asked to open. Under Wine a command in the registry stands for the browser.
#if defined(_WIN32)

#include <comcp/auth/loopback_redirect.hpp>

#include <string>

#include <comcp/net/windows.hpp>
#include <comcp/system.hpp>

#include "support/catch.hpp"

using comcp::errc;
using comcp::http_url;

namespace {

bool is_wine() noexcept { return ::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr; }

// The user's handler of http, until it ends.
class fake_browser {
 public:
  explicit fake_browser(std::wstring const& command) {
    auto const bytes = static_cast<DWORD>((command.size() + 1) * sizeof(wchar_t));
    REQUIRE(::RegSetKeyValueW(HKEY_CURRENT_USER, key, nullptr, REG_SZ, command.c_str(), bytes) == ERROR_SUCCESS);
  }
  fake_browser(fake_browser const&) = delete;
  fake_browser& operator=(fake_browser const&) = delete;
  ~fake_browser() { ::RegDeleteKeyW(HKEY_CURRENT_USER, key); }

 private:
  static constexpr wchar_t const* key = L"Software\\Classes\\http\\shell\\open\\command";
};

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
  if (!is_wine()) COMCP_SKIP("only under Wine does a command in the registry decide what opens http");
  auto const name = comcp::detail::to_wide("\\\\.\\pipe\\comcp-test-" + comcp::detail::unguessable_hex(8));
  HANDLE const pipe = ::CreateNamedPipeW(name.c_str(), PIPE_ACCESS_INBOUND, PIPE_TYPE_BYTE | PIPE_WAIT, 1, 4096, 4096, 0, nullptr);
  REQUIRE(pipe != INVALID_HANDLE_VALUE);
  fake_browser const browser(L"cmd.exe /c echo \"%1\">" + name);
  auto const opened = comcp::open_browser(http_url::parse("http://127.0.0.1:7777/login?a=1&b=2").value());
  CAPTURE(opened ? "" : opened.error().to_string());
  REQUIRE(opened);
  bool const came = ::ConnectNamedPipe(pipe, nullptr) != 0 || ::GetLastError() == ERROR_PIPE_CONNECTED;
  CHECK(came);
  std::string told;
  char part[256];
  for (DWORD n = 0; ::ReadFile(pipe, part, sizeof part, &n, nullptr) != 0 && n != 0;) told.append(part, n);
  ::CloseHandle(pipe);
  CHECK_THAT(told, match::contains("\"http://127.0.0.1:7777/login?a=1&b=2\""));
}

#endif
