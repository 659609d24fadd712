// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp_demo_server: an MCP server on stdin and stdout, or over HTTP, in both protocol eras, to try clients
// with.
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "http_front.hpp"
#include "server.hpp"
#include "standard_streams.hpp"

namespace {

std::vector<std::string> const all_versions{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

/// Cuts stdin into lines until it ends.
void serve(demo::server& server, demo::channel_ptr const& out) {
  std::string buffered;
  std::string block(std::size_t{256} << 10, '\0');
  for (;;) {
    auto const n = demo::read_stdin(block);
    if (n == 0) return;
    auto searched = buffered.size();
    buffered.append(block, 0, n);
    std::size_t start = 0;
    for (auto end = buffered.find('\n', searched); end != std::string::npos; end = buffered.find('\n', start)) {
      std::string_view line(buffered.data() + start, end - start);
      if (line.ends_with('\r')) line.remove_suffix(1);
      server.receive(line, out);
      start = end + 1;
    }
    buffered.erase(0, start);
  }
}

struct settings {
  demo::options server;
  std::optional<demo::http_options> http;
};

void add_http_options(CLI::App& app, demo::http_options& http) {
#if defined(COMCP_DEMO_HTTP)
  auto* const port =
      app.add_option("--http", http.port, "Serve HTTP on this port of 127.0.0.1 (0: a free one), and print the URL");
  app.add_option("--token", http.token, "HTTP: what clients must send as Authorization: Bearer")->needs(port);
  auto* const certificate =
      app.add_option("--tls-cert", http.tls_certificate, "HTTP: be https, with this PEM file")->needs(port);
  auto* const key = app.add_option("--tls-key", http.tls_key, "Its key")->needs(certificate);
  certificate->needs(key);
  app.add_option("--tls-client-ca", http.tls_client_ca, "Let in only whom these certificates vouch for")->needs(key);
#else
  (void)app, (void)http;
#endif
}

settings read_options(CLI::App& app, int argc, char** argv) {
  settings all;
  auto& o = all.server;
  demo::http_options http;
  o.versions = all_versions;
  bool legacy_only = false, modern_only = false, exit_on_probe = false, silent_on_probe = false;
  auto* const legacy = app.add_flag("--legacy-only", legacy_only, "Offer the versions with a handshake only");
  app.add_flag("--modern-only", modern_only, "Offer 2026-07-28 only")->excludes(legacy);
  app.add_option("--version-list", o.versions, "Offer these protocol versions, newest first")->delimiter(',');
  app.add_option("--page-size", o.page_size, "Most entries on one page of a list (0: all)");
  app.add_flag("--exit-on-probe", exit_on_probe, "Legacy; exit when server/discover comes before initialize");
  app.add_flag("--silent-on-probe", silent_on_probe, "Legacy; never answer server/discover");
  add_http_options(app, http);
  app.parse(argc, argv);
  if (app.get_option_no_throw("--http") && app.count("--http") != 0) all.http = http;
  if (exit_on_probe) o.probe = demo::on_probe::exit;
  if (silent_on_probe) o.probe = demo::on_probe::stay_silent;
  legacy_only |= exit_on_probe || silent_on_probe;
  std::erase_if(o.versions, [&](std::string const& v) {
    return (legacy_only && demo::is_modern(v)) || (modern_only && !demo::is_modern(v));
  });
  if (o.versions.empty()) throw CLI::ValidationError("--version-list", "no protocol version is left to offer");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A demo MCP server: JSON-RPC on stdin and stdout or over HTTP, in both eras.", "comcp_demo_server");
  settings o;
  try {
    o = read_options(app, argc, argv);
  } catch (CLI::ParseError const& e) {
    return app.exit(e);
  }
#if defined(COMCP_DEMO_HTTP)
  if (o.http) return demo::serve_http(o.server, *o.http);
#endif
  demo::use_plain_streams();
  if (demo::stdin_is_terminal()) std::cerr << "comcp_demo_server: speaks JSON-RPC lines; use it through a client\n";
  auto const out = std::make_shared<demo::stdout_channel>();
  auto const server = std::make_shared<demo::server>(std::move(o.server), out);
  serve(*server, out);
  std::thread([] {  // a client that reads no more cannot keep this process
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    std::_Exit(0);
  })
      .detach();
  server->on_end();
  std::_Exit(0);  // slow calls may still be running in their threads
}
