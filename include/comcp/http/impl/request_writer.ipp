// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include <comcp/http/request_writer.hpp>

namespace comcp {
namespace http_detail {

inline constexpr std::array<std::string_view, 4> framing_fields = {"host", "content-length", "transfer-encoding",
                                                                   "connection"};

constexpr bool names_field(std::string_view name, std::string_view lower) noexcept {
  return std::equal(name.begin(), name.end(), lower.begin(), lower.end(), [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x | 0x20) : x) == y;
  });
}

constexpr bool has_control(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

}  // namespace http_detail

COMCP_DECL result<void> check_request(http_request const& request) {
  if (!is_http_token(request.method)) return error(errc::invalid_argument, "the method of a request is not a token");
  for (auto const& field : request.headers) {
    bool const framing = std::any_of(http_detail::framing_fields.begin(), http_detail::framing_fields.end(),
                                     [&](std::string_view own) { return http_detail::names_field(field.name, own); });
    if (framing) return error(errc::invalid_argument, "the header " + field.name + " is the engine's own");
    if (http_detail::has_control(field.value))
      return error(errc::invalid_argument, "the value of header " + field.name + " has control characters");
  }
  return {};
}

COMCP_DECL std::string write_request_head(http_request const& request, proxy_form const& proxy) {
  std::string out;
  out.reserve(512);
  out += request.method;
  out += ' ';
  if (proxy.absolute) out += request.url.origin();
  out += request.url.target();
  out += " HTTP/1.1\r\nHost: ";
  out += request.url.authority();
  for (auto const& field : request.headers) out.append("\r\n").append(field.name).append(": ").append(field.value);
  if (!proxy.authorization.empty()) out.append("\r\nProxy-Authorization: ").append(proxy.authorization);
  auto const& m = request.method;
  if (!request.body.empty() || m == "POST" || m == "PUT" || m == "PATCH")
    out.append("\r\nContent-Length: ").append(std::to_string(request.body.size()));
  out += "\r\n\r\n";
  return out;
}

COMCP_DECL bool is_idempotent(std::string_view method) noexcept {
  constexpr std::array<std::string_view, 6> all = {"GET", "HEAD", "OPTIONS", "DELETE", "PUT", "TRACE"};
  return std::find(all.begin(), all.end(), method) != all.end();
}

}  // namespace comcp
