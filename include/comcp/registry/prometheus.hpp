// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A registry's statistics as metrics for Prometheus, comcp_registry_... by server, and its clients'.
#pragma once

#include <string>

#include <comcp/registry/statistics.hpp>
#include <comcp/trace/prometheus.hpp>

namespace comcp {

/// Each server's with its name as the label "server", and its client's as client/prometheus.hpp has them. `labels` are
/// added to all, to tell several registries from each other.
void add_metrics(prometheus_text& to, registry_statistics const& s, prometheus_labels const& labels = {});

/// The text of one registry alone.
[[nodiscard]] std::string to_prometheus(registry_statistics const& s, prometheus_labels const& labels = {});

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/registry/impl/prometheus.ipp>
#endif
