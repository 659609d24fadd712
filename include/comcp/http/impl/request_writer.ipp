// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

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

COMCP_DECL result<void> check_fields(http_headers const& headers);

inline void append_number(std::string& out, std::size_t n) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
}

}  // namespace http_detail

COMCP_DECL result<void> http_detail::check_fields(http_headers const& headers) {
  for (auto const& field : headers) {
    bool const framing = std::any_of(http_detail::framing_fields.begin(), http_detail::framing_fields.end(),
                                     [&](std::string_view own) { return http_detail::names_field(field.name, own); });
    if (framing) return error(errc::invalid_argument, "the header " + field.name + " is the engine's own");
    if (http_detail::has_control(field.value))
      return error(errc::invalid_argument, "the value of header " + field.name + " has control characters");
  }
  return {};
}

COMCP_DECL bool http_detail::have_name_in_common(http_headers const& a, http_headers const& b) noexcept {
  return std::any_of(b.begin(), b.end(), [&](http_field const& f) { return a.contains(f.name); });
}

COMCP_DECL void http_detail::put_below(http_headers const& common, http_headers& own) {
  http_headers all = common;
  for (auto const& field : own) all.remove(field.name);
  for (auto const& field : own) (void)all.add(field.name, field.value);
  own = std::move(all);
}

COMCP_DECL result<void> check_request(http_request const& request) {
  if (!is_http_token(request.method)) return error(errc::invalid_argument, "the method of a request is not a token");
  return http_detail::check_fields(request.headers);
}

COMCP_DECL result<std::string_view> http_detail::common_lines::of(common_headers const& headers) {
  if (headers == of_) return std::string_view(lines_);
  auto const checked = check_fields(*headers);
  if (!checked) return checked.error();
  lines_.clear();
  for (auto const& field : *headers) lines_.append("\r\n").append(field.name).append(": ").append(field.value);
  of_ = headers;
  return std::string_view(lines_);
}

COMCP_DECL std::string write_request_head(http_request const& request, proxy_form const& proxy,
                                          std::string_view common_lines) {
  constexpr std::size_t usual = 256, usual_body = 2048;  // the body goes behind it
  std::string out;
  out.reserve(usual + common_lines.size() + std::min(request.body.size(), usual_body));
  auto const& url = request.url;
  out.append(request.method).append(" ");
  if (proxy.absolute) out += url.origin();
  out += url.path();
  if (url.query()) out.append("?").append(*url.query());
  out.append(" HTTP/1.1\r\nHost: ").append(url.host());
  if (!url.has_default_port()) http_detail::append_number(out.append(":"), url.port());
  out += common_lines;
  for (auto const& field : request.headers) out.append("\r\n").append(field.name).append(": ").append(field.value);
  if (!proxy.authorization.empty()) out.append("\r\nProxy-Authorization: ").append(proxy.authorization);
  auto const& m = request.method;
  if (!request.body.empty() || m == "POST" || m == "PUT" || m == "PATCH")
    http_detail::append_number(out.append("\r\nContent-Length: "), request.body.size());
  out += "\r\n\r\n";
  return out;
}

COMCP_DECL bool is_idempotent(std::string_view method) noexcept {
  constexpr std::array<std::string_view, 6> all = {"GET", "HEAD", "OPTIONS", "DELETE", "PUT", "TRACE"};
  return std::find(all.begin(), all.end(), method) != all.end();
}

}  // namespace comcp
