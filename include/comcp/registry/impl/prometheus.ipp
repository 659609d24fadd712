// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/prometheus.hpp>
#include <comcp/registry/prometheus.hpp>

namespace comcp {
namespace detail {

COMCP_DECL void add_registry_server(prometheus_text& to, registry_statistics::server const& s, prometheus_labels const& labels) {
  auto const with = [&labels](char const* name, std::string_view value) {
    auto more = labels;
    more.emplace_back(name, value);
    return more;
  };
  for (auto const state : {server_state::stopped, server_state::starting, server_state::ready, server_state::backing_off,
                           server_state::failed})
    to.gauge("comcp_registry_server_state", "1 for the state that the server is in.", s.state == state ? 1 : 0,
             with("state", to_string(state)));
  to.gauge("comcp_registry_server_failures", "Failures in a row.", s.failures, labels);
  to.counter("comcp_registry_server_starts_total", "Connections that became ready.", s.starts, labels);
  auto const listed = [&](char const* kind, std::size_t n) {
    to.gauge("comcp_registry_catalog_entries", "What the server has in the catalog.", n, with("kind", kind));
  };
  listed("tools", s.tools);
  listed("resources", s.resources);
  listed("resource_templates", s.resource_templates);
  listed("prompts", s.prompts);
  to.gauge("comcp_registry_blocked_tools", "Tools that pins hold back.", s.blocked, labels);
  to.gauge("comcp_registry_catalog_faults", "What the last refresh could not bring into the catalog.", s.faults, labels);
  if (s.calls) add_metrics(to, *s.calls, labels);
}

}  // namespace detail

COMCP_DECL void add_metrics(prometheus_text& to, registry_statistics const& s, prometheus_labels const& labels) {
  to.gauge("comcp_registry_servers", "Servers of the registry.", s.total, labels);
  to.gauge("comcp_registry_servers_ready", "Servers that are ready.", s.ready, labels);
  for (auto const& server : s.servers) {
    auto all = labels;
    all.emplace_back("server", server.name);
    detail::add_registry_server(to, server, all);
  }
}

COMCP_DECL std::string to_prometheus(registry_statistics const& s, prometheus_labels const& labels) {
  prometheus_text out;
  add_metrics(out, s, labels);
  return out.text();
}

}  // namespace comcp
