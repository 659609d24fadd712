// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <comcp/client/prometheus.hpp>

namespace comcp {

COMCP_DECL void add_metrics(prometheus_text& to, statistics const& s, prometheus_labels const& labels) {
  auto const ended = [&](char const* how, std::uint64_t n) {
    auto all = labels;
    all.emplace_back("outcome", how);
    to.counter("comcp_client_calls_ended_total", "Calls that ended.", n, all);
  };
  auto const count = [&](char const* name, char const* help, std::uint64_t n) { to.counter(name, help, n, labels); };
  to.gauge("comcp_client_calls_pending", "Calls that wait for their answers.", s.pending, labels);
  to.gauge("comcp_client_oldest_pending_call_seconds", "Age of the call that waits longest.",
           std::chrono::duration<double>(s.oldest_pending).count(), labels);
  count("comcp_client_calls_total", "Calls sent or waiting to be.", s.tracked);
  ended("completed", s.completed);
  ended("failed", s.failed);
  ended("timed_out", s.timed_out);
  ended("cancelled", s.cancelled);
  count("comcp_client_late_answers_total", "Answers to calls that had ended.", s.late);
  count("comcp_client_unknown_answers_total", "Answers to ids that were never used.", s.unknown);
  count("comcp_client_dropped_messages_total", "Notifications and requests dropped at a bound or by the era.", s.dropped);
  count("comcp_client_bad_messages_total", "Lines that were no usable message.", s.bad_messages);
  count("comcp_client_notifications_total", "Notifications received.", s.notifications);
  count("comcp_client_requests_total", "Requests of the server received.", s.requests);
  count("comcp_client_received_messages_total", "Messages received.", s.messages_in);
  count("comcp_client_received_bytes_total", "Bytes of the messages received.", s.bytes_in);
  count("comcp_client_sent_messages_total", "Messages sent.", s.messages_out);
  count("comcp_client_sent_bytes_total", "Bytes of the messages sent.", s.bytes_out);
  count("comcp_client_reconnects_total", "Connections that were restored.", s.reconnects);
  count("comcp_client_session_renewals_total", "HTTP sessions that were lost and begun anew.", s.renewals);
  count("comcp_client_cache_hits_total", "Calls answered by a fresh result of the cache.", s.cache_hits);
  count("comcp_client_cache_misses_total", "Calls whose result was not in the cache, or stale.", s.cache_misses);
  count("comcp_client_cache_stores_total", "Results stored in the cache.", s.cache_stores);
  count("comcp_client_cache_invalidations_total", "Changes that ended the use of stored results.", s.cache_invalidations);
  count("comcp_client_cache_stale_answers_total", "Calls answered by a stale result in place of an error.", s.cache_stale);
  count("comcp_client_coalesced_calls_total", "Calls that waited for a request under way.", s.coalesced);
}

COMCP_DECL std::string to_prometheus(statistics const& s, prometheus_labels const& labels) {
  prometheus_text out;
  add_metrics(out, s, labels);
  return out.text();
}

}  // namespace comcp
