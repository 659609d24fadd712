// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What every build knows of logins.
#include <comcp/http/url.hpp>

#include "exit_codes.hpp"
#include "login.hpp"

namespace cli {

bool wants_login(comcp::error const& e) noexcept {
  if (e == comcp::errc::login_required) return true;
  return e == comcp::errc::unauthorized && e.detail() && e.detail()->http_status == 401;
}

std::string shown_url(std::string const& url) {
  auto const parsed = comcp::http_url::parse(url);
  return parsed ? parsed->origin() + parsed->path() : std::string("(no URL)");
}

std::string login_command(options const& o) {
  auto text = std::string("comcp");
  if (o.config.used || !o.servers.empty()) {
    for (auto const& file : o.config.files) text.append(" --config ").append(file);
    return text.append(" --server ").append(o.config.server.empty() ? "NAME" : o.config.server).append(" login");
  }
  auto const url = comcp::http_url::parse(o.server.http.url);
  bool const is_plain = url && !url->query() && !url->fragment();
  return text.append(" --url ").append(is_plain ? url->text() : "URL").append(" login");
}

#if !defined(COMCP_WITH_TLS) || !COMCP_WITH_TLS
asio::awaitable<int> run_login_command(std::shared_ptr<surroundings>) {
  throw usage_error("this comcp was built without TLS, and has no logins");
}
#endif

}  // namespace cli
