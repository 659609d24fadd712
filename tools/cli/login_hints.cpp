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

namespace {

// As one word for a shell: names of servers and files may come from somebody else's configuration.
std::string word(std::string const& text) {
  constexpr auto* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (char const c : text) c == '\'' ? out.append("'\\''") : out.append(1, c);
  return out + "'";
}

}  // namespace

std::string command_about(options const& o, char const* what) {
  auto text = std::string("comcp");
  if (o.config.used || !o.servers.empty()) {
    for (auto const& file : o.config.files) text.append(" --config ").append(word(file));
    text.append(" --server ").append(o.config.server.empty() ? "NAME" : word(o.config.server));
  } else {
    auto const url = comcp::http_url::parse(o.server.http.url);
    bool const is_plain = url && !url->query() && !url->fragment();
    text.append(" --url ").append(is_plain ? word(url->text()) : "URL");
  }
  if (!o.server.login.store.empty()) text.append(" --token-store ").append(word(o.server.login.store));
  return text.append(" ").append(what);
}

#if !defined(COMCP_WITH_TLS) || !COMCP_WITH_TLS
asio::awaitable<int> run_login_command(std::shared_ptr<surroundings>) {
  throw usage_error("this comcp was built without TLS, and has no logins");
}
#endif

}  // namespace cli
