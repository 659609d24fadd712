// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Results that are used again instead of asked for again: connect_options().cache(cache_options()), what stores them,
// and for whom. Which may be, and for how long, is sansio/cache.hpp's. Only who includes this pays for it.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <comcp/client/options.hpp>
#include <comcp/client/pipeline.hpp>
#include <comcp/sansio/cache.hpp>

namespace comcp {

/// Where results are kept. Clients share one, also across threads: every member is safe from any thread, and quick,
/// as callers wait for it. `find` gives what was stored under exactly this key, stale or not. `ticket` is taken before
/// a request goes out; `store` with it refuses (false) what an `invalidate` that came since covers. `invalidate` makes
/// what it covers stale, for all versions and audiences (see comcp::covers). May forget anything at any time. What
/// a member throws is told the observer: a find found nothing then, and a store kept nothing.
template <class S>
concept cache_store = requires(S& s, cache_key const& key, cached_result kept, cache_change change,
                               std::uint64_t ticket, cached_result::time_point now) {
  { s.find(key, now) } -> std::same_as<std::optional<cached_result>>;
  { s.ticket() } -> std::same_as<std::uint64_t>;
  { s.store(key, std::move(kept), ticket) } -> std::same_as<bool>;
  s.erase(key);
  s.invalidate(std::move(change));
};

/// The bundled store: in memory, within bounds, the least recently used goes first.
class memory_cache_store {
 public:
  explicit memory_cache_store(cache_bounds bounds = cache_bounds()) : table_(bounds) {}

  [[nodiscard]] std::optional<cached_result> find(cache_key const& key, cached_result::time_point now) {
    std::scoped_lock const lock(mutex_);
    return table_.find(key, now);
  }
  [[nodiscard]] std::uint64_t ticket() const {
    std::scoped_lock const lock(mutex_);
    return table_.ticket();
  }
  bool store(cache_key const& key, cached_result kept, std::uint64_t ticket) {
    std::scoped_lock const lock(mutex_);
    return table_.store(key, std::move(kept), ticket);
  }
  void erase(cache_key const& key) {
    std::scoped_lock const lock(mutex_);
    table_.erase(key);
  }
  void invalidate(cache_change change) {
    std::scoped_lock const lock(mutex_);
    table_.invalidate(std::move(change));
  }
  /// Forgets everything, what is under way too: when a user logs out, for instance.
  void clear() {
    std::scoped_lock const lock(mutex_);
    table_.clear();
  }
  [[nodiscard]] cache_usage usage() const {
    std::scoped_lock const lock(mutex_);
    return table_.usage();
  }

 private:
  mutable std::mutex mutex_;
  sansio::cache_table table_;
};

/// A share of any store, type-erased; none by default.
class any_cache_store {
 public:
  any_cache_store() = default;
  template <class S>
  explicit any_cache_store(std::shared_ptr<S> s) {
    static_assert(cache_store<S>,
                  "comcp: this type is no cache store: it needs find(key, now), ticket(), store(key, result, ticket), "
                  "erase(key) and invalidate(change) as comcp/client/cache.hpp says");
    if (s) self_ = std::make_shared<model<S>>(std::move(s));
  }

  [[nodiscard]] std::optional<cached_result> find(cache_key const& key, cached_result::time_point now) const {
    return self_->find(key, now);
  }
  [[nodiscard]] std::uint64_t ticket() const { return self_->ticket(); }
  bool store(cache_key const& key, cached_result kept, std::uint64_t ticket) const {
    return self_->store(key, std::move(kept), ticket);
  }
  void erase(cache_key const& key) const { self_->erase(key); }
  void invalidate(cache_change change) const { self_->invalidate(std::move(change)); }
  explicit operator bool() const noexcept { return static_cast<bool>(self_); }

 private:
  struct base {
    virtual ~base() = default;
    virtual std::optional<cached_result> find(cache_key const&, cached_result::time_point) = 0;
    virtual std::uint64_t ticket() = 0;
    virtual bool store(cache_key const&, cached_result, std::uint64_t) = 0;
    virtual void erase(cache_key const&) = 0;
    virtual void invalidate(cache_change) = 0;
  };
  template <class S>
  struct model final : base {
    explicit model(std::shared_ptr<S> s) : impl(std::move(s)) {}
    std::optional<cached_result> find(cache_key const& key, cached_result::time_point now) override {
      return impl->find(key, now);
    }
    std::uint64_t ticket() override { return impl->ticket(); }
    bool store(cache_key const& key, cached_result kept, std::uint64_t ticket) override {
      return impl->store(key, std::move(kept), ticket);
    }
    void erase(cache_key const& key) override { impl->erase(key); }
    void invalidate(cache_change change) override { impl->invalidate(std::move(change)); }
    std::shared_ptr<S> impl;
  };

  std::shared_ptr<base> self_;
};

/// What a client does with the results of server/discover, the four lists and resources/read. Copies share the store.
///
/// A result is used again while the server's `ttlMs` allows it, at most for a day; each page of a list by itself.
/// list_changed and resources/updated end that at once, where the server sends them: in the modern era to those who
/// listen (watch_tools(), subscribe(), ...) alone. What a round of questions led to is never kept.
///
/// Public results are shared by all whose connections go to the same server; private ones only by those who also have
/// the same transport_info().identity. Servers are the same where transport_info().server says so (HTTP with neither a
/// query in its url nor headers of the user's own); any other connection shares with nobody, and begins anew when its
/// process is restarted. partition() overrules that. A lost HTTP session changes nothing. What holds for one protocol
/// version is not used in another.
///
/// A cached answer passes the interceptors like any other. Specification: 2026-07-28, server/utilities/caching.
class cache_options {
 public:
  using milliseconds = std::chrono::milliseconds;

  cache_options() : store_(std::make_shared<memory_cache_store>()) {}

  template <class S>
  cache_options& store(std::shared_ptr<S> s) {
    return store_ = any_cache_store(std::move(s)), *this;
  }
  /// Keeps nothing: equal calls in flight are still one request.
  cache_options& no_store() { return store_ = any_cache_store(), *this; }
  /// For results without `ttlMs`, as all are of versions before 2026-07-28 (default 0: they are not used again).
  cache_options& default_time_to_live(milliseconds d) { return default_ttl_ = d, *this; }
  /// Where a server cannot be reached, does not answer in time, or has a 5xx for an answer: a result that was received
  /// at most this long ago, however stale, in place of the error, which the observer is told (default: never). Not for
  /// calls that say refresh, and not once the client is closed.
  cache_options& stale_on_error(milliseconds age) { return stale_ = age, *this; }
  /// Equal calls in flight are one request (default true). Every caller waits with its own timeout, stop token and
  /// cancellation; a failure is everybody's; the request is cancelled when nobody waits for it any more. Calls with
  /// on_progress, `_meta` or a log level of their own stay alone, and so does each where the server asks back.
  cache_options& coalesce(bool yes) { return coalesce_ = yes, *this; }
  /// The server's name in the store: connections that give the same share what is public, and what is private where
  /// their identities are equal, none counting as one. It outlives restarts.
  cache_options& partition(std::string name) { return partition_ = std::move(name), *this; }

  [[nodiscard]] any_cache_store const& store() const noexcept { return store_; }
  [[nodiscard]] milliseconds default_time_to_live() const noexcept { return default_ttl_; }
  [[nodiscard]] std::optional<milliseconds> stale_on_error() const noexcept { return stale_; }
  [[nodiscard]] bool coalesces() const noexcept { return coalesce_; }
  [[nodiscard]] std::optional<std::string> const& partition() const noexcept { return partition_; }

 private:
  any_cache_store store_;
  milliseconds default_ttl_{0};
  std::optional<milliseconds> stale_;
  std::optional<std::string> partition_;
  bool coalesce_ = true;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/cache.ipp>
#endif
