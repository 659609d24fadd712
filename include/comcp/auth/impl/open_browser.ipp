// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What of a URL reaches the program that opens it.
#pragma once

#include <string>
#include <string_view>

#include <comcp/auth/loopback_redirect.hpp>
#include <comcp/version.hpp>

namespace comcp {
namespace detail {

COMCP_DECL std::string browser_argument(http_url const& url) {
  constexpr std::string_view digits = "0123456789ABCDEF", plain = "-._~:/?#[]@&+,=%";
  std::string out;
  for (char const c : url.text()) {
    bool const letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || plain.find(c) != plain.npos) {
      out += c;
    } else {
      auto const byte = static_cast<unsigned char>(c);
      out.append("%").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
  }
  return out;
}

}  // namespace detail

COMCP_DECL result<void> open_browser(http_url const& url) {
  if (url.host().empty()) return error(errc::invalid_argument, "no URL for the browser");
  return detail::start_browser(detail::browser_argument(url));
}

}  // namespace comcp
