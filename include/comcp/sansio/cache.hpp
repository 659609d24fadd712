// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which results may be used again, for whom, for how long, and what ends that. Waiting, locks and the clock are
// others'. Spec: 2026-07-28, server/utilities/caching.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/error.hpp>
#include <comcp/json/value.hpp>
#include <comcp/protocol/pagination.hpp>

namespace comcp {

/// What a stored result answers, and for whom. Two calls with equal keys may be given the same result.
struct cache_key {
  cache_key() = default;

  std::string server;    ///< The partition: results of one server, as far as they are shared.
  std::string method;
  std::string uri;       ///< Of resources/read; else empty.
  std::string version;   ///< The protocol version that the result was made for.
  std::string audience;  ///< Who may see it: empty is anybody, else one authorization context.
  std::string params;    ///< Canonical: keys sorted, no `_meta`; empty where there are none.

  friend auto operator<=>(cache_key const&, cache_key const&) = default;
};

/// A stored result. Times are those of the client's time_source.
struct cached_result {
  using time_point = std::chrono::steady_clock::time_point;

  cached_result() = default;
  cached_result(json::value r, time_point when, std::chrono::nanoseconds time_to_live)
      : result(std::move(r)),
        received(when),
        fresh_until(when + std::chrono::duration_cast<time_point::duration>(time_to_live)) {}

  [[nodiscard]] bool is_fresh(time_point now) const noexcept { return now < fresh_until; }

  json::value result;
  time_point received{}, fresh_until{};
};

/// What a server says has changed: the results of a method, for everybody, and where a uri is named, only the reads of
/// that and of what it is a part of.
struct cache_change {
  cache_change() = default;
  cache_change(std::string m, std::string u) : method(std::move(m)), uri(std::move(u)) {}

  std::string server;
  std::string method;
  std::string uri;
};

/// Whether that change makes this result stale. A part of a resource has its uri and then more, after `/`, `?` or `#`.
bool covers(cache_change const& change, cache_key const& key) noexcept;

/// How much a store keeps.
class cache_bounds {
 public:
  using milliseconds = std::chrono::milliseconds;

  cache_bounds() {}
  /// Bytes in all (default 32 MiB), as parsed JSON takes them: about ten for each of its text. What was not used for
  /// longest goes first.
  cache_bounds& max_bytes(std::size_t n) { return max_bytes_ = n, *this; }
  /// Bytes of one result (default 8 MiB); a larger one is not stored.
  cache_bounds& max_result_bytes(std::size_t n) { return max_result_bytes_ = n, *this; }
  /// A result received longer ago (default 24 h) is gone, stale or not.
  cache_bounds& max_age(milliseconds d) { return max_age_ = d, *this; }

  [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
  [[nodiscard]] std::size_t max_result_bytes() const noexcept { return max_result_bytes_; }
  [[nodiscard]] milliseconds max_age() const noexcept { return max_age_; }

 private:
  std::size_t max_bytes_ = std::size_t{32} << 20, max_result_bytes_ = std::size_t{8} << 20;
  milliseconds max_age_ = std::chrono::hours(24);
};

/// What a store holds, and has lost to its bounds so far.
struct cache_usage {
  std::size_t results = 0;
  std::size_t bytes = 0;
  std::uint64_t evictions = 0;
};

namespace sansio {

[[nodiscard]] bool is_cacheable(std::string_view method) noexcept;

/// What of a request decides on its result.
struct cache_request {
  cache_request() = default;
  std::string uri;
  std::string params;
  bool has_cursor = false;
};

/// Nothing where the result must not be stored, nor taken from what is: another method, a round that answers a server's
/// questions, parameters that cannot be read.
[[nodiscard]] std::optional<cache_request> read_cache_request(std::string_view method, std::string_view params);

/// The server's word on a result.
struct cache_hints {
  std::chrono::milliseconds time_to_live{0};
  cache_scope scope = cache_scope::private_;
};

/// Nothing for what is no complete result. `without_hint` is the time to live where the server says none; a day is the
/// most in any case.
[[nodiscard]] std::optional<cache_hints> read_cache_hints(json::view result, std::chrono::milliseconds without_hint);

/// What a notification says has changed; without the server.
[[nodiscard]] std::vector<cache_change> read_cache_changes(std::string_view notification, json::view params);

/// Whether this failure is one to get an answer at all, so that an old answer may do; not an answer about the request.
[[nodiscard]] bool is_outage(error const& e) noexcept;

/// The results of many servers within bounds.
class cache_table {
 public:
  using time_point = cached_result::time_point;

  explicit cache_table(cache_bounds bounds = cache_bounds()) : bounds_(bounds) {}
  cache_table(cache_table const&) = delete;  // used_ points into entries_
  cache_table& operator=(cache_table const&) = delete;

  /// Fresh or stale.
  [[nodiscard]] std::optional<cached_result> find(cache_key const& key, time_point now);
  /// To be taken before a request goes out, and given to store() with its result.
  [[nodiscard]] std::uint64_t ticket() const noexcept { return changes_; }
  /// False where it is not kept: it is too large, or became stale while it was under way.
  bool store(cache_key key, cached_result r, std::uint64_t ticket);
  bool erase(cache_key const& key);
  /// What it covers is stale from now on.
  void invalidate(cache_change change);
  void clear() noexcept;
  [[nodiscard]] cache_usage const& usage() const noexcept { return usage_; }

 private:
  struct entry {
    cached_result kept;
    std::size_t bytes = 0;
    std::list<cache_key const*>::iterator place;
  };
  using entries = std::map<cache_key, entry>;

  [[nodiscard]] bool changed_since(std::uint64_t ticket, cache_key const& key) const noexcept;
  void remove(entries::iterator at) noexcept;

  static constexpr std::size_t most_recent = 256;

  cache_bounds bounds_;
  entries entries_;
  std::list<cache_key const*> used_;  // the latest first
  std::deque<cache_change> recent_;
  std::uint64_t changes_ = 0;
  cache_usage usage_;
};

}  // namespace sansio
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/sansio/impl/cache.ipp>
#endif
