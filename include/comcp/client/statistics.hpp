// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a client counts.
#pragma once

#include <chrono>
#include <cstdint>

namespace comcp {

/// A snapshot of one client's counters since connect. At every moment tracked is pending + completed + failed +
/// timed_out + cancelled; the handshake is in none of them. Read on another thread than the client's while calls come
/// and go, what ended while it was read may count as pending.
struct statistics {
  std::uint64_t pending = 0;                       ///< Calls that wait now.
  std::chrono::nanoseconds oldest_pending{0};      ///< The age of the oldest of them.
  std::uint64_t tracked = 0;                       ///< Requests sent or waiting to be.
  std::uint64_t completed = 0;                     ///< Ended with a result.
  std::uint64_t failed = 0;                        ///< Ended with an error other than the next two.
  std::uint64_t timed_out = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t late = 0;                          ///< Answers to calls that had ended, dropped.
  std::uint64_t unknown = 0;                       ///< Answers to ids never used, dropped.
  std::uint64_t dropped = 0;                       ///< Notifications and requests dropped at a bound or by the era.
  std::uint64_t bad_messages = 0;                  ///< Lines that were no usable message, in all.
  std::uint64_t notifications = 0;                 ///< Notifications received.
  std::uint64_t requests = 0;                      ///< Requests of the server received.
  std::uint64_t messages_in = 0, bytes_in = 0;     ///< Of their texts, without framing.
  std::uint64_t messages_out = 0, bytes_out = 0;   ///< The same of what the transport took over.
  std::uint64_t reconnects = 0;
  std::uint64_t renewals = 0;                      ///< HTTP sessions that were lost and begun anew.

  // With connect_options().cache(). Calls that were answered without a request of their own are not among `tracked`.
  std::uint64_t cache_hits = 0;                    ///< Answered by a fresh result.
  std::uint64_t cache_misses = 0;                  ///< Looked for, and not there or stale.
  std::uint64_t cache_stores = 0;                  ///< Results stored.
  std::uint64_t cache_invalidations = 0;           ///< Changes that ended the use of stored results.
  std::uint64_t cache_stale = 0;                   ///< Answered by a stale result in place of an error.
  std::uint64_t coalesced = 0;                     ///< Waited for a request that was under way already.
};

}  // namespace comcp
