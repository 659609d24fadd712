// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The programs that the HTTP tests start: MCP servers from npm, and nginx and tinyproxy from Debian. How each is
// started is decided here, what is asked of it in the tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/transport/http.hpp>

#include "interop/server_process.hpp"

namespace interop {

/// Where a program of Debian is, whose directory may not be in an ordinary user's PATH; empty without it.
inline std::string system_program(std::string const& name) {
  for (std::string const dir : {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"}) {
    if (std::filesystem::exists(dir + name)) return dir + name;
  }
  return "";
}

#define COMCP_NEEDS_PROGRAM(name)                                                                     \
  do {                                                                                                \
    if (interop::system_program(name).empty()) COMCP_SKIP("no " name ": run tools/install-deps peers"); \
  } while (false)

/// A file of a package that `npm ci` put into tests/interop.
inline std::string module_file(std::string const& path) {
  return std::string(COMCP_INTEROP_DIR) + "/node_modules/" + path;
}

/// `mode` is "streamableHttp" (at /mcp) or "sse" (at /sse).
inline program everything_over(std::string mode) {
  program p({COMCP_NODE, package("server-everything"), std::move(mode)});
  return p.env("PORT", "@PORT@");
}
/// The peer on the SDK 2.x at /mcp; sdk_http_server.mjs says what its modes are.
inline program sdk_http_server(std::string mode) {
  program p({COMCP_NODE, std::string(COMCP_INTEROP_DIR) + "/sdk_http_server.mjs", std::move(mode)});
  return p.env("PORT", "@PORT@");
}
/// mcp-proxy, at /mcp and /sse, over a stdio server on node.
inline program mcp_proxy(std::string const& server, std::string const& mode) {
  std::vector<std::string> argv{COMCP_NODE, module_file("mcp-proxy/dist/bin/mcp-proxy.mjs"),
                                "--host", "127.0.0.1", "--port", "@PORT@", "--", COMCP_NODE, server, mode};
  return program(std::move(argv));
}
/// supergateway at /mcp over server-everything, one child for each session.
inline program supergateway() {
  std::vector<std::string> argv{COMCP_NODE, module_file("supergateway/dist/index.js"), "--stdio",
                                std::string("'") + COMCP_NODE + "' '" + package("server-everything") + "' stdio",
                                "--outputTransport", "streamableHttp", "--stateful", "--port", "@PORT@"};
  return program(std::move(argv));
}

/// nginx with one server on its port. `inside` is what its server block holds beside the port, `listen` how it listens.
inline program nginx(std::string const& inside, std::string const& listen = "") {
  program p({system_program("nginx"), "-p", "@DIR@", "-c", "@DIR@/nginx.conf", "-e", "stderr"});
  p.file("nginx.conf",
         "daemon off; master_process off; pid @DIR@/pid; error_log stderr info;\n"
         "events { worker_connections 256; }\n"
         "http {\n"
         "  access_log /dev/stdout;\n"
         "  client_body_temp_path @DIR@/a; proxy_temp_path @DIR@/b; fastcgi_temp_path @DIR@/c;\n"
         "  uwsgi_temp_path @DIR@/d; scgi_temp_path @DIR@/e;\n"
         "  server {\n    listen 127.0.0.1:@PORT@ " + listen + ";\n    " + inside + "\n  }\n}\n");
  return p;
}

/// tinyproxy; `more` are further lines of its configuration.
inline program tinyproxy(std::string const& more = "") {
  program p({system_program("tinyproxy"), "-d", "-c", "@DIR@/tinyproxy.conf"});
  return p.file("tinyproxy.conf",
                "Port @PORT@\nListen 127.0.0.1\nTimeout 60\nMaxClients 50\nLogLevel Connect\nAllow 127.0.0.1\n" + more);
}

}  // namespace interop
