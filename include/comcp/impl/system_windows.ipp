// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/net/windows.hpp>
#include <comcp/system.hpp>
#include <comcp/version.hpp>

#if defined(_WIN32)

#include <vector>

#include <bcrypt.h>

namespace comcp::detail {

COMCP_DECL std::optional<std::string> environment_variable(std::string_view name) {
  auto const wide = to_wide(name);
  std::wstring value(128, L'\0');
  for (;;) {  // until it fits: another thread may set a longer one
    ::SetLastError(ERROR_SUCCESS);
    auto const length = ::GetEnvironmentVariableW(wide.c_str(), value.data(), static_cast<DWORD>(value.size()));
    if (length == 0 && ::GetLastError() != ERROR_SUCCESS) return {};
    bool const fits = length < value.size();
    value.resize(length);
    if (fits) return to_utf8(value);
  }
}

COMCP_DECL std::filesystem::path path_from_text(std::string_view text) { return {to_wide(text)}; }
COMCP_DECL std::string text_of_path(std::filesystem::path const& path) { return to_utf8(path.native()); }

COMCP_DECL std::string unguessable_hex(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  auto const status = ::BCryptGenRandom(nullptr, random.data(), static_cast<ULONG>(bytes), BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  if (status < 0) throw std::system_error(windows_error(ERROR_GEN_FAILURE), "BCryptGenRandom");
  std::string out;
  for (auto const byte : random) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

}  // namespace comcp::detail

#endif
