// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "connect.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <comcp/auth/bearer.hpp>
#include <comcp/config/connect.hpp>
#include <comcp/extensions/tasks.hpp>
#include <comcp/trace/record.hpp>
#include <comcp/transport/stdio.hpp>

#include "configured.hpp"
#include "exit_codes.hpp"
#include "http_server.hpp"
#include "oauth_setup.hpp"
#include "platform.hpp"
#include "printers.hpp"

namespace cli {
namespace {

comcp::stdio make_stdio(target const& t, std::shared_ptr<surroundings> const& around) {
  comcp::stdio server(t.command);
  for (auto const& [name, value] : t.environment) server.env(name, value);
  server.inherit_environment(t.inherit_environment);
  if (!t.directory.empty()) server.working_directory(t.directory);
  if (t.show_stderr) {
    auto show = [around](std::string_view piece) { around->err.server_stderr(piece); };
    server.stderr_to(comcp::stderr_target::sink(std::move(show)));
  }
  return server;
}

comcp::tracer open_trace(std::string const& file) {
  return comcp::record_to([write = open_trace_file(file)](std::string_view line) { write(std::string(line) + '\n'); });
}

// What the user should know of a connection that others can listen to.
void warn(http_target const& t, console& err) {
  if (t.insecure) err.line("comcp: WARNING: --insecure: nobody checks who the server is");
  auto const url = comcp::http_url::parse(t.url);
  auto const here = [](std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
  };
  if (!t.bearer.empty() && url && !url->secure() && !here(url->host_name()))
    err.line("comcp: WARNING: the token goes to the server unencrypted (http, not https)");
  for (auto const& name : t.shown_headers)
    err.line("comcp: WARNING: everybody on this machine can read --header " + one_line(name) +
             " in the list of processes, and your shell keeps it: use --header-env");
}

// A coroutine of its own for each transport, whose type ends here.
template <class Server>
asio::awaitable<comcp::client> connect_to(Server server, std::shared_ptr<surroundings> around) {
  user_handler handler(around);
  auto settings = make_connect_options(around->opts, around);
  auto connected = co_await comcp::connect(std::move(server), std::move(handler), std::move(settings));
  comcp::client c = std::move(connected);
  co_return c;
}

#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
asio::awaitable<comcp::client> connect_with_login(std::shared_ptr<surroundings> around) {
  auto const& o = around->opts;
  auto const login = co_await usable_login(o, around);
  auto connecting = login ? connect_to(http_server(o, *login), around)
                          : connect_to(http_server(o, comcp::no_auth()), around);
  auto connected = co_await std::move(connecting);
  co_return connected;
}
#else
asio::awaitable<comcp::client> connect_with_login(std::shared_ptr<surroundings> around) {
  return connect_to(http_server(around->opts, comcp::no_auth()), around);
}
#endif

}  // namespace

comcp::proxy_options proxies_of(http_target const& t) {
  if (t.no_proxy) return comcp::proxy_options::none();
  if (t.proxy.empty()) return comcp::proxy_options::from_environment();
  auto route = comcp::proxy_route::parse(t.proxy);
  if (!route) throw usage_error("--proxy: " + std::string(route.error().message()));
  return comcp::proxy_options().all(std::move(*route));
}

comcp::tls_options tls_of(http_target const& t) {
  comcp::tls_options tls;
  tls.ca_file(t.ca_file).client_certificate(t.client_certificate, t.client_key).insecure_skip_verification(t.insecure);
  return tls;
}

comcp::asio_engine_options engine_of(options const& o) {
  comcp::asio_engine_options engine;
  if (o.timeout) engine.timeouts(comcp::http_timeouts().connect(*o.timeout));
  return engine;
}

comcp::http_options http_options_of(options const& o) {
  comcp::http_options http;
  for (auto const& [name, value] : o.server.http.headers) http.header(name, value);
  if (o.server.http.sse) http.kind(comcp::http_kind::sse);
  if (o.timeout) http.send_timeout(*o.timeout);
  return http;
}

comcp::connect_options make_connect_options(options const& o, std::shared_ptr<surroundings> const& around) {
  using std::chrono::seconds;
  comcp::connect_options out;
  out.extension(comcp::tasks());  // a tool may take its time
  out.client_info(comcp::implementation("comcp-cli", COMCP_VERSION_STRING));
  if (o.era.legacy) out.legacy();
  if (o.era.pinned) out.pinned(*o.era.pinned);
  if (o.log_level) out.log_level(*o.log_level);
  if (o.max_time) out.hard_timeout(*o.max_time);
  if (o.timeout) {
    out.timeout(*o.timeout).open_timeout(*o.timeout).handshake_timeout(*o.timeout);
    out.probe_timeout(std::min<std::chrono::nanoseconds>(*o.timeout / 2, seconds(5)));
  }
  // Configured servers are often run by a package runner, which may have to download them first.
  if (!o.timeout && o.config.used) out.handshake_timeout(seconds(60));
  bool const traced = !o.trace_file.empty();
  if (traced && !around->trace) around->trace = open_trace(o.trace_file);  // again would empty it
  if (traced) out.trace(around->trace);
  comcp::observer watch;
  watch.on_fault = [around](comcp::error const& e) { around->fault(e); };
  if (o.verbose) {
    watch.on_status = [around](comcp::connection_status s) {
      around->err.line("status: " + std::string(to_string(s)));
    };
  }
  out.observe(std::move(watch));
  return out;
}

asio::awaitable<comcp::client> connect(std::shared_ptr<surroundings> around) {
  auto const& o = around->opts;
  auto const& http = o.server.http;
  if (http.url.empty()) return connect_to(make_stdio(o.server, around), around);
  warn(http, around->err);
  if (!http.bearer.empty()) return connect_to(http_server(o, comcp::bearer(http.bearer)), around);
  if (has_own_credentials(http)) return connect_to(http_server(o, comcp::no_auth()), around);
  return connect_with_login(around);
}

asio::awaitable<comcp::server_config> configured_way(comcp::configured_server s,
                                                     [[maybe_unused]] std::shared_ptr<surroundings> around) {
#if defined(COMCP_WITH_TLS) && COMCP_WITH_TLS
  options o;
  o.server.login.store = around->opts.server.login.store;
  fill(o, s);
  bool const may_have_login = !o.server.http.url.empty() && !has_own_credentials(o.server.http);
  std::optional<comcp::oauth> login;
  if (may_have_login) login = co_await usable_login(o, around);
  if (login) co_return comcp::server_config(http_server(o, *login));
#endif
  co_return comcp::to_server_config(s);
}

}  // namespace cli
