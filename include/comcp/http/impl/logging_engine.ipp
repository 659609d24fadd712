// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include <comcp/http/logging_engine.hpp>

namespace comcp {
namespace http_detail {

inline constexpr std::array<std::string_view, 20> harmless_fields = {"accept",
                                                                     "accept-encoding",
                                                                     "allow",
                                                                     "cache-control",
                                                                     "connection",
                                                                     "content-encoding",
                                                                     "content-length",
                                                                     "content-type",
                                                                     "date",
                                                                     "expires",
                                                                     "host",
                                                                     "keep-alive",
                                                                     "last-modified",
                                                                     "mcp-method",
                                                                     "mcp-protocol-version",
                                                                     "retry-after",
                                                                     "server",
                                                                     "transfer-encoding",
                                                                     "user-agent",
                                                                     "vary"};

COMCP_DECL bool is_harmless_field(std::string_view name) noexcept {
  return std::any_of(harmless_fields.begin(), harmless_fields.end(), [&](std::string_view known) {
    return std::equal(name.begin(), name.end(), known.begin(), known.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b; });
  });
}

COMCP_DECL http_log begun_log(http_request const& request) {
  http_log out;
  out.method = request.method;
  out.url = request.url.origin() + request.url.path();
  out.sent = without_secrets(request.headers);
  out.bytes_out = request.body.size();
  return out;
}

COMCP_DECL void exchange_recorder::tell(error failure) noexcept {
  if (!std::exchange(pending_, false)) return;
  try {
    log_.failure = std::move(failure);
    (log_.status != 0 ? log_.body_time : log_.head_time) = lap();
    if (*sink_) (*sink_)(log_);
  } catch (...) {
    // A log is not worth an exchange.
  }
}

}  // namespace http_detail

COMCP_DECL http_headers without_secrets(http_headers const& headers) {
  http_headers out;
  for (auto const& field : headers) {
    std::string_view const shown = http_detail::is_harmless_field(field.name) ? std::string_view(field.value) : "***";
    static_cast<void>(out.add(field.name, shown));
  }
  return out;
}

}  // namespace comcp
