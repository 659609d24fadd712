// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <comcp/config/connect.hpp>
#include <comcp/transport/http.hpp>
#include <comcp/transport/stdio.hpp>

namespace comcp {
namespace detail {

inline stdio stdio_of(configured_server const& s) {
  std::vector<std::string> argv{s.command};
  argv.insert(argv.end(), s.args.begin(), s.args.end());
  stdio out(std::move(argv));
  for (auto const& [name, value] : s.env) out.env(name, value);
  if (!s.cwd.empty()) out.working_directory(s.cwd);
  return out;
}

inline http<> http_of(configured_server const& s) {
  http_options options;
  for (auto const& [name, value] : s.headers) options.header(name, value);
  if (s.kind == configured_kind::sse) options.kind(http_kind::sse);
  http<> out(s.url);
  out.options(std::move(options));
  return out;
}

COMCP_LAZY_DECL server_config to_server_config::operator()(configured_server const& s) const {
  auto const kept = std::make_shared<configured_server const>(s);
  auto out = server_config::from([kept] {
    if (kept->kind == configured_kind::stdio) return any_transport(detail::stdio_of(*kept));
    return any_transport(detail::http_of(*kept));
  });
  connect_options options;
  options.handshake_timeout(out.start_timeout());  // package runners may have to download the server first
  if (s.timeout) options.timeout(*s.timeout);
  out.options(std::move(options));
  return out;
}

}  // namespace detail
}  // namespace comcp
