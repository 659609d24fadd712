// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/http/tunnel.hpp>
#include <comcp/version.hpp>

namespace comcp::http_detail {

COMCP_DECL std::string host_and_port(http_url const& url) { return url.host() + ':' + std::to_string(url.port()); }

COMCP_DECL std::string tunnel_request(http_url const& target, proxy_route const& route) {
  auto const where = host_and_port(target);
  auto out = "CONNECT " + where + " HTTP/1.1\r\nHost: " + where + "\r\n";
  if (auto const& credentials = route.authorization(); !credentials.empty())
    out += "Proxy-Authorization: " + credentials.reveal() + "\r\n";
  return out + "\r\n";
}

COMCP_DECL std::optional<int> tunnel_status(std::string_view head) noexcept {
  auto const line = head.substr(0, head.find("\r\n"));
  constexpr std::string_view version = "HTTP/1.";
  if (line.size() < 12 || !line.starts_with(version) || (line[7] != '0' && line[7] != '1') || line[8] != ' ') return {};
  if (line.size() > 12 && line[12] != ' ') return {};
  int status = 0;
  for (char const c : line.substr(9, 3)) {
    if (c < '0' || c > '9') return {};
    status = status * 10 + (c - '0');
  }
  if (status < 100 || status > 599) return {};
  return status;
}

COMCP_DECL error tunnel_refusal(std::optional<int> status, proxy_route const& route, http_url const& target) {
  if (status && *status / 100 == 2) return {};
  auto const proxy = "the proxy " + host_and_port(route.url());
  if (!status) return error(errc::proxy_failed, proxy + " answered CONNECT with what is no HTTP/1.1 answer to it");
  auto text = proxy + " refused the way to " + host_and_port(target) + " with " + std::to_string(*status);
  if (*status == 407) text += route.authorization().empty() ? " (it wants credentials)" : " (it wants other credentials)";
  transport_detail detail;
  detail.http_status = *status;
  return error(errc::proxy_failed, std::move(text)).with_detail(std::move(detail));
}

COMCP_DECL error tunnel_broken(std::error_code why, bool late, proxy_route const& route) {
  auto const proxy = "the proxy " + host_and_port(route.url());
  if (late) return error(errc::connect_timeout, proxy + " did not answer CONNECT in time");
  if (why == asio::error::operation_aborted) return error(errc::cancelled);
  if (why == asio::error::eof) return error(errc::connect_failed, proxy + " closed the connection instead of an answer");
  return error(errc::connect_failed, "the connection to " + proxy + " broke: " + why.message());
}

}  // namespace comcp::http_detail
