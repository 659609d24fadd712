// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/prometheus.hpp>
#include <comcp/pool/prometheus.hpp>

namespace comcp {

COMCP_DECL void add_metrics(prometheus_text& to, pool_statistics const& s, prometheus_labels const& labels) {
  to.gauge("comcp_pool_connections", "Members of the pool.", s.total, labels);
  to.gauge("comcp_pool_connections_ready", "Members that are ready.", s.ready, labels);
  to.gauge("comcp_pool_connections_busy", "Ready members with something in flight.", s.busy, labels);
  to.gauge("comcp_pool_waiting", "Calls and checkouts that wait for a member.", s.waiting, labels);
  for (auto const& m : s.members) {
    auto all = labels;
    all.emplace_back("member", m.name);
    to.gauge("comcp_pool_member_ready", "Whether the member is ready.", m.state == server_state::ready ? 1 : 0, all);
    to.gauge("comcp_pool_member_in_flight", "Calls and leases of the member.", m.in_flight, all);
    to.counter("comcp_pool_member_starts_total", "Connections that became ready.", m.starts, all);
    if (m.calls) add_metrics(to, *m.calls, all);
  }
}

COMCP_DECL std::string to_prometheus(pool_statistics const& s, prometheus_labels const& labels) {
  prometheus_text out;
  add_metrics(out, s, labels);
  return out.text();
}

}  // namespace comcp
