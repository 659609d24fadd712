// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client's statistics as metrics for Prometheus, comcp_client_...
#pragma once

#include <string>

#include <comcp/client/statistics.hpp>
#include <comcp/trace/prometheus.hpp>

namespace comcp {

/// Every counter, with the labels that tell this client from others, such as {"server", name}. Of clients that have the
/// same labels the last one is told.
void add_metrics(prometheus_text& to, statistics const& s, prometheus_labels const& labels = {});

/// The text of one client alone.
[[nodiscard]] std::string to_prometheus(statistics const& s, prometheus_labels const& labels = {});

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/prometheus.ipp>
#endif
