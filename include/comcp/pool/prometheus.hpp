// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A pool's statistics as metrics for Prometheus, comcp_pool_... by member, and its clients'.
#pragma once

#include <string>

#include <comcp/pool/options.hpp>
#include <comcp/trace/prometheus.hpp>

namespace comcp {

/// Each member's with its name as the label "member", and its client's as client/prometheus.hpp has them. `labels` are
/// added to all: with several pools, give each one's name.
void add_metrics(prometheus_text& to, pool_statistics const& s, prometheus_labels const& labels = {});

/// The text of one pool alone.
[[nodiscard]] std::string to_prometheus(pool_statistics const& s, prometheus_labels const& labels = {});

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/pool/impl/prometheus.ipp>
#endif
