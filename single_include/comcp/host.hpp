// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp 0.1.0, what hosts of many servers need. Written by tools/amalgamate: change the files under include/ instead.
//
// Header-only as it is. To compile comcp once, define COMCP_SEPARATE_COMPILATION in every source, and in one of them
// COMCP_IMPLEMENTATION before its first include of comcp: that source holds all of the single headers that it includes,
// and Asio's definitions too where ASIO_SEPARATE_COMPILATION is defined.
#if defined(COMCP_HOST_HPP)
#if defined(COMCP_IMPLEMENTATION) && !defined(COMCP_IMPLEMENTED)
#error "comcp: this source included comcp before it defined COMCP_IMPLEMENTATION."
#endif
#else
#define COMCP_HOST_HPP

#include <comcp/http.hpp>

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

// host.hpp
#if !defined(COMCP_SINGLE_HOST_HPP)
#define COMCP_SINGLE_HOST_HPP
// Everything for a host of many servers, in one include: registry, pool, configuration files, model providers, pinning,
// skills, tasks, apps, metrics, and of a client what is there by choice: cache and validation. Programs that want less include
// just that.

// client/cache.hpp
#if !defined(COMCP_SINGLE_CLIENT_CACHE_HPP)
#define COMCP_SINGLE_CLIENT_CACHE_HPP
// Results that are used again instead of asked for again: connect_options().cache(cache_options()), what stores them,
// and for whom. Which may be, and for how long, is sansio/cache.hpp's. Only who includes this pays for it.

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

// sansio/cache.hpp
#if !defined(COMCP_SINGLE_SANSIO_CACHE_HPP)
#define COMCP_SINGLE_SANSIO_CACHE_HPP
// Which results may be used again, for whom, for how long, and what ends that. Waiting, locks and the clock are
// others'. Spec: 2026-07-28, server/utilities/caching.

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

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// sansio/impl/cache.ipp
#if !defined(COMCP_SINGLE_SANSIO_IMPL_CACHE_IPP)
#define COMCP_SINGLE_SANSIO_IMPL_CACHE_IPP
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

namespace comcp {

COMCP_DECL bool covers(cache_change const& change, cache_key const& key) noexcept {
  if (change.server != key.server || change.method != key.method) return false;
  if (change.uri.empty() || change.uri == key.uri) return true;
  if (key.uri.empty() || !change.uri.starts_with(key.uri)) return false;
  constexpr std::string_view ends("/?#");
  return ends.find(change.uri[key.uri.size()]) != ends.npos || key.uri.back() == '/';
}

namespace sansio {
namespace detail {

COMCP_DECL void write_canonical(json::writer& w, json::view v, bool outermost);

COMCP_DECL void write_sorted(json::writer& w, json::view object, bool outermost) {
  std::vector<json::member> members;
  for (auto const m : object.members()) {
    if (!outermost || m.key != "_meta") members.push_back(m);
  }
  // Keys lie in memory in the order of the text. (Not stable_sort: clang warns of what libstdc++ 12 does there.)
  std::sort(members.begin(), members.end(), [](auto const& a, auto const& b) {
    return a.key == b.key ? std::less<>()(a.key.data(), b.key.data()) : a.key < b.key;
  });
  w.begin_object();
  for (auto const& m : members) {
    w.key(m.key);
    write_canonical(w, m.value, false);
  }
  w.end_object();
}

COMCP_DECL void write_canonical(json::writer& w, json::view v, bool outermost) {
  if (v.is_object()) return write_sorted(w, v, outermost);
  if (!v.is_array()) return void(w.value(v));
  w.begin_array();
  for (auto const e : v.elements()) write_canonical(w, e, false);
  w.end_array();
}

}  // namespace detail

COMCP_DECL bool is_cacheable(std::string_view method) noexcept {
  constexpr std::array<std::string_view, 6> all{"tools/list",     "resources/read",           "resources/list",
                                                "prompts/list",   "resources/templates/list", "server/discover"};
  return std::find(all.begin(), all.end(), method) != all.end();
}

COMCP_DECL std::optional<cache_request> read_cache_request(std::string_view method, std::string_view params) {
  if (!is_cacheable(method)) return {};
  cache_request out;
  bool const reads = method == "resources/read";
  if (params.empty() || params == "{}") return reads ? std::nullopt : std::optional(std::move(out));
  auto const parsed = json::parse(params);
  if (!parsed || !parsed->is_object()) return {};
  auto const v = parsed->view();
  if (v.find("inputResponses") || v.find("requestState")) return {};
  if (reads) {
    auto const uri = v.find("uri");
    auto const text = uri ? uri->get_string() : std::nullopt;
    if (!text) return {};
    out.uri = *text;
  }
  out.has_cursor = v.find("cursor").has_value();
  json::writer w;
  detail::write_canonical(w, v, true);
  if (w.text() != "{}") out.params = std::move(w).text();
  return out;
}

COMCP_DECL std::optional<cache_hints> read_cache_hints(json::view result, std::chrono::milliseconds without_hint) {
  if (!result.is_object()) return {};
  auto const kind = result.find("resultType");
  if (kind && kind->get_string() != "complete") return {};
  cache_hints out;
  auto const ttl = result.find("ttlMs");
  bool const said = ttl && !ttl->is_null();
  out.time_to_live = time_to_live(said ? ttl->get_int64() : std::optional<std::int64_t>(without_hint.count()));
  auto const scope = result.find("cacheScope");
  if (scope && scope->get_string() == "public") out.scope = cache_scope::public_;
  return out;
}

COMCP_DECL std::vector<cache_change> read_cache_changes(std::string_view notification, json::view params) {
  std::vector<cache_change> out;
  if (notification == "notifications/tools/list_changed") out.emplace_back("tools/list", "");
  if (notification == "notifications/prompts/list_changed") out.emplace_back("prompts/list", "");
  if (notification == "notifications/resources/list_changed") {
    out.emplace_back("resources/list", "");
    out.emplace_back("resources/templates/list", "");
  }
  if (notification == "notifications/resources/updated") {
    constexpr std::size_t longest = 4096;  // beyond that: every read
    auto const uri = params.find("uri");
    auto const text = uri ? uri->get_string().value_or("") : std::string_view();
    if (!text.empty()) out.emplace_back("resources/read", text.size() > longest ? std::string() : std::string(text));
  }
  return out;
}

COMCP_DECL bool is_outage(error const& e) noexcept {
  if (e.peer()) return false;
  if (e == errc::http_status) return e.detail() && e.detail()->http_status.value_or(0) >= 500;
  constexpr std::array all{errc::timeout,         errc::outcome_unknown,  errc::connect_failed, errc::transport_failed,
                           errc::connect_timeout, errc::response_timeout, errc::idle_timeout,   errc::exchange_timeout,
                           errc::tls_failed,      errc::proxy_failed,     errc::missing_answer};
  return std::any_of(all.begin(), all.end(), [&e](errc c) { return e == c; });
}

COMCP_DECL std::optional<cached_result> cache_table::find(cache_key const& key, time_point now) {
  auto const found = entries_.find(key);
  if (found == entries_.end()) return {};
  auto& e = found->second;
  if (std::chrono::ceil<std::chrono::milliseconds>(now - e.kept.received) > bounds_.max_age()) {
    ++usage_.evictions;
    remove(found);
    return {};
  }
  used_.splice(used_.begin(), used_, e.place);
  return e.kept;
}

COMCP_DECL bool cache_table::store(cache_key key, cached_result r, std::uint64_t ticket) {
  constexpr std::size_t nodes = 512;  // what the entry itself takes
  auto const text = key.server.size() + key.method.size() + key.uri.size() + key.version.size() + key.audience.size() +
                    key.params.size();
  auto const bytes = nodes + text + r.result.memory();
  if (changed_since(ticket, key)) return false;
  erase(key);
  if (bytes > bounds_.max_result_bytes() || bytes > bounds_.max_bytes()) return false;
  auto const at = entries_.emplace(std::move(key), entry()).first;
  used_.push_front(&at->first);
  at->second = {std::move(r), bytes, used_.begin()};
  usage_.bytes += bytes;
  usage_.results = entries_.size();
  while (usage_.bytes > bounds_.max_bytes()) {
    ++usage_.evictions;
    remove(entries_.find(*used_.back()));
  }
  return true;
}

COMCP_DECL bool cache_table::erase(cache_key const& key) {
  auto const found = entries_.find(key);
  if (found == entries_.end()) return false;
  remove(found);
  return true;
}

COMCP_DECL void cache_table::invalidate(cache_change change) {
  cache_key first;
  first.server = change.server;
  first.method = change.method;
  for (auto i = entries_.lower_bound(first); i != entries_.end(); ++i) {
    if (i->first.server != change.server || i->first.method != change.method) break;
    if (covers(change, i->first)) i->second.kept.fresh_until = time_point::min();
  }
  recent_.push_back(std::move(change));
  if (recent_.size() > most_recent) recent_.pop_front();
  ++changes_;
}

COMCP_DECL void cache_table::clear() noexcept {
  used_.clear();
  entries_.clear();
  recent_.clear();  // as if everything had changed, for what is under way
  ++changes_;
  usage_.results = usage_.bytes = 0;
}

// What was forgotten of the changes may have concerned it.
COMCP_DECL bool cache_table::changed_since(std::uint64_t ticket, cache_key const& key) const noexcept {
  auto const since = changes_ - ticket;
  if (since > recent_.size()) return true;
  return std::any_of(recent_.end() - static_cast<std::ptrdiff_t>(since), recent_.end(),
                     [&key](cache_change const& c) { return covers(c, key); });
}

COMCP_DECL void cache_table::remove(entries::iterator at) noexcept {
  usage_.bytes -= at->second.bytes;
  used_.erase(at->second.place);
  entries_.erase(at);
  usage_.results = entries_.size();
}

}  // namespace sansio
}  // namespace comcp
#endif
#endif
#endif

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

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/cache.ipp
#if !defined(COMCP_SINGLE_CLIENT_IMPL_CACHE_IPP)
#define COMCP_SINGLE_CLIENT_IMPL_CACHE_IPP
// The core's cache: whose results it may use, and one request for all who want the same at once.

#include <atomic>
#include <map>
#include <random>
#include <stop_token>

namespace comcp::detail {

/// A name that no other connection has, of this process or another.
COMCP_DECL std::string unique_partition() {
  static std::string const process = [] {
    std::random_device random;
    return "connection " + std::to_string(random()) + '-' + std::to_string(random()) + ' ';
  }();
  static std::atomic<std::uint64_t> count{0};
  return process + std::to_string(++count);
}

class cache_step {
 public:
  cache_step(client_core& core, cache_options options)
      : core_(core), options_(std::move(options)), own_(unique_partition()) {}

  [[nodiscard]] bool concerns(std::string_view method) const noexcept { return sansio::is_cacheable(method); }
  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c, performer next);
  COMCP_LAZY void notified(std::string_view method, json::value const& params);
  void connected(bool restarted) {
    if (restarted) own_ = unique_partition();
  }

 private:
  struct question {
    cache_key key;  // of an answer that is for us alone
    bool has_cursor = false;
    std::optional<std::uint64_t> ticket;  // none: the answer is not stored
  };
  struct passenger {
    request_id wait;
    bool extends;
  };
  struct flight {
    flight(question const& q, prepared_call c) : asked(q), call(std::move(c)) {}
    question asked;
    prepared_call call;
    std::stop_source abandoned;
    std::vector<passenger> aboard;
    bool landed = false;
    bool asks_back = false;  // an answer for nobody but who can answer the server's questions
  };

  /// What a user's store throws must end no call and no connection.
  template <class F>
  void with_store(F const& use) const {
    if (!options_.store()) return;
    try {
      use(options_.store());
    } catch (...) {
      core_.fault(error(errc::invalid_argument, "a cache store threw"));
    }
  }

  COMCP_LAZY void locate(cache_key& key) const;
  COMCP_LAZY [[nodiscard]] std::optional<question> read(prepared_call const& c) const;
  COMCP_LAZY [[nodiscard]] std::optional<cached_result> find(cache_key key) const;
  COMCP_LAZY [[nodiscard]] std::optional<reply> fresh(question const& q);
  COMCP_LAZY [[nodiscard]] reply or_stale(question const& q, prepared_call& c, reply r);
  COMCP_LAZY void keep(question const& q, prepared_call const& c, reply const& r);
  COMCP_LAZY void change(cache_change what);
  [[nodiscard]] std::optional<std::uint64_t> ticket() const {
    std::optional<std::uint64_t> out;
    with_store([&out](any_cache_store const& s) { out = s.ticket(); });
    return out;
  }

  COMCP_LAZY [[nodiscard]] bool shares(prepared_call const& c) const;
  COMCP_LAZY asio::awaitable<reply> fetch(question q, prepared_call& c);
  COMCP_LAZY asio::awaitable<reply> share(question const& q, prepared_call& c);
  COMCP_LAZY std::shared_ptr<flight> board(question const& q, prepared_call const& c);
  COMCP_LAZY [[nodiscard]] call_options flight_options(std::shared_ptr<flight> const& f);
  COMCP_LAZY asio::awaitable<void> fly(std::shared_ptr<flight> f);
  COMCP_LAZY void land(std::shared_ptr<flight> const& f, reply r);
  COMCP_LAZY void leave(std::shared_ptr<flight> const& f, request_id wait);
  COMCP_LAZY void close_doors(std::shared_ptr<flight> const& f);

  client_core& core_;
  cache_options options_;
  std::string own_;
  std::map<cache_key, std::shared_ptr<flight>> flights_;  // those that may be joined
};

COMCP_LAZY_DECL void cache_step::locate(cache_key& key) const {
  comcp::transport_info info;
  if (core_.is_http()) info = core_.connection.channel().info();
  auto const& named = options_.partition();
  key.server = own_;
  if (named) key.server = "partition " + *named;
  else if (!info.server.empty()) key.server = "server " + info.server;
  key.audience = named ? "partition" : own_;
  if (!info.identity.empty()) key.audience = "identity " + info.identity;
}

COMCP_LAZY_DECL std::optional<cache_step::question> cache_step::read(prepared_call const& c) const {
  if (c.internal || c.options.cache() == cache_use::bypass) return {};
  auto request = sansio::read_cache_request(c.method, c.params);
  if (!request) return {};
  question q;
  q.key.method = c.method.text();
  q.key.uri = std::move(request->uri);
  q.key.params = std::move(request->params);
  if (auto const v = core_.facts.version()) q.key.version = v->text();
  locate(q.key);
  q.has_cursor = request->has_cursor;
  return q;
}

// Ours or everybody's: a fresh one, else the later.
COMCP_LAZY_DECL std::optional<cached_result> cache_step::find(cache_key key) const {
  auto const now = core_.calls.now();
  std::optional<cached_result> mine, everybodys;
  with_store([&](any_cache_store const& store) {
    mine = store.find(key, now);
    if (mine && mine->is_fresh(now)) return;
    key.audience.clear();
    everybodys = store.find(key, now);
  });
  if (!mine || (everybodys && (everybodys->is_fresh(now) || everybodys->received > mine->received))) return everybodys;
  return mine;
}

COMCP_LAZY_DECL std::optional<reply> cache_step::fresh(question const& q) {
  if (!options_.store()) return {};
  auto found = find(q.key);
  bool const hit = found && found->is_fresh(core_.calls.now());
  ++(hit ? core_.calls.counters().cache_hits : core_.calls.counters().cache_misses);
  if (!hit) return {};
  return reply(std::move(found->result));
}

COMCP_LAZY_DECL reply cache_step::or_stale(question const& q, prepared_call& c, reply r) {
  auto const& most = options_.stale_on_error();
  if (r || !most || !options_.store() || c.options.cache() != cache_use::use || core_.is_closing()) return r;
  if (!sansio::is_outage(r.error())) return r;
  auto old = find(q.key);
  if (!old || std::chrono::ceil<std::chrono::milliseconds>(core_.calls.now() - old->received) > *most) return r;
  c.outdated = true;
  ++core_.calls.counters().cache_stale;
  core_.fault(r.error());
  return std::move(old->result);
}

COMCP_LAZY_DECL void cache_step::keep(question const& q, prepared_call const& c, reply const& r) {
  if (!options_.store()) return;
  if (!r) {
    if (!r.error().peer() || !q.has_cursor) return;
    cache_change list(q.key.method, {});  // the cursor may be of a list that is no more
    list.server = q.key.server;
    return change(std::move(list));
  }
  auto const hints = sansio::read_cache_hints(r->view(), options_.default_time_to_live());
  if (!hints || !sansio::read_cache_request(c.method, c.params)) return;
  cache_key here;
  locate(here);
  if (auto const v = core_.facts.version()) here.version = v->text();
  if (here.server != q.key.server || here.audience != q.key.audience) return;  // whose it is cannot be told
  if (here.version != q.key.version) return;
  auto mine = q.key, everybodys = q.key;
  everybodys.audience.clear();
  if (hints->scope == cache_scope::public_) std::swap(mine, everybodys);
  bool const useful = q.ticket && (hints->time_to_live.count() > 0 || options_.stale_on_error());
  with_store([&](any_cache_store const& store) {
    store.erase(everybodys);  // what was said before of who may see it
    if (!useful) return store.erase(mine);
    if (store.store(mine, cached_result(*r, core_.calls.now(), hints->time_to_live), *q.ticket)) ++core_.calls.counters().cache_stores;
  });
}

COMCP_LAZY_DECL void cache_step::notified(std::string_view method, json::value const& params) {
  for (auto& each : sansio::read_cache_changes(method, params.view())) {
    cache_key here;
    locate(here);
    each.server = std::move(here.server);
    change(std::move(each));
  }
}

// Whoever asks from now on joins no request from before.
COMCP_LAZY_DECL void cache_step::change(cache_change what) {
  ++core_.calls.counters().cache_invalidations;
  std::erase_if(flights_, [&what](auto const& f) { return covers(what, f.first); });
  with_store([&what](any_cache_store const& store) { store.invalidate(std::move(what)); });
}

COMCP_LAZY_DECL asio::awaitable<reply> cache_step::perform(prepared_call& c, performer) {
  auto const hold = core_.shared_from_this();
  auto const q = read(c);
  if (!q) {
    auto work = core_.exchange.perform(c);
    auto r = co_await std::move(work);
    co_return r;
  }
  if (auto const bad = core_.exchange.check(c)) co_return reply(bad);
  if (c.options.stop().stop_requested()) co_return reply(error(errc::cancelled));
  if (c.options.cache() == cache_use::use) {
    if (auto hit = fresh(*q)) co_return std::move(*hit);
  }
  c.repeatable = true;
  c.started = core_.calls.now();
  auto work = shares(c) ? share(*q, c) : fetch(*q, c);
  auto r = co_await std::move(work);
  co_return or_stale(*q, c, std::move(r));
}

COMCP_LAZY_DECL asio::awaitable<reply> cache_step::fetch(question q, prepared_call& c) {
  q.ticket = ticket();
  auto work = core_.exchange.perform(c);
  auto r = co_await std::move(work);
  keep(q, c, r);
  co_return r;
}

// What is a caller's own cannot be in a request that others share.
COMCP_LAZY_DECL bool cache_step::shares(prepared_call const& c) const {
  return options_.coalesces() && !c.options.on_progress() && !c.options.says_meta() && !c.options.log_level();
}

COMCP_LAZY_DECL asio::awaitable<reply> cache_step::share(question const& q, prepared_call& c) {
  pending_entry e(pending_entry::span::client);
  auto const timeout = core_.calls.timeout(c.options);
  auto const id = core_.calls.enlist(e, c.started, timeout, later(c.started, core_.calls.hard_limit(c.options)), c.counted);
  if (!id) co_return reply(error(errc::queue_full, "more calls in flight than limits().pending_calls()"));
  core_.calls.end_with(c.options.stop(), e);
  auto const f = board(q, c);
  f->aboard.push_back({id, c.options.extends_on_progress()});
  auto r = co_await core_.calls.wait(e);
  if (!f->landed) {
    leave(f, id);
    if (r.error() == errc::timeout) co_return reply(error(errc::timeout, c.method.text()));
  } else if (f->asks_back && r) {
    auto work = fetch(q, c);
    r = co_await std::move(work);
  }
  co_return r;
}

COMCP_LAZY_DECL std::shared_ptr<cache_step::flight> cache_step::board(question const& q, prepared_call const& c) {
  auto& there = flights_[q.key];
  if (there && c.options.cache() == cache_use::use) {
    ++core_.calls.counters().coalesced;
    return there;
  }
  auto const f = std::make_shared<flight>(q, prepared_call(c.method, c.params, {}));
  there = f;
  f->asked.ticket = ticket();
  f->call.repeatable = true;
  f->call.counted = true;
  f->call.options = flight_options(f);
  f->call.told_id = c.told_id;
  if (auto const trace = trace_of(c.options); !trace.empty()) f->call.options.trace(trace);  // of who asked first
  // Posted, so that nothing ends before the wait for it has begun.
  auto start = [this, hold = core_.shared_from_this(), f] { detail::spawn(core_.home(), fly(f)); };
  detail::post(core_.home(), std::move(start));
  return f;
}

// It lasts as long as somebody waits: theirs are the timeouts. Whoever joins later may want its progress.
COMCP_LAZY_DECL call_options cache_step::flight_options(std::shared_ptr<flight> const& f) {
  call_options o;
  constexpr auto forever = std::chrono::nanoseconds::max();
  o.timeout(forever).hard_timeout(forever).manual_input().stop(f->abandoned.get_token());
  return o.on_progress([this, weak = std::weak_ptr(f)](progress_notification const&) {
    auto const alive = weak.lock();
    if (!alive) return;
    for (auto const& p : alive->aboard) {
      if (p.extends) core_.calls.extend(p.wait);
    }
  });
}

COMCP_LAZY_DECL asio::awaitable<void> cache_step::fly(std::shared_ptr<flight> f) {
  auto const hold = core_.shared_from_this();
  reply r = error(errc::cancelled);
  try {
    auto work = core_.exchange.perform(f->call);
    r = co_await std::move(work);
  } catch (...) {
    r = detail::current_error();
  }
  land(f, std::move(r));
}

COMCP_LAZY_DECL void cache_step::land(std::shared_ptr<flight> const& f, reply r) {
  f->landed = true;
  close_doors(f);
  keep(f->asked, f->call, r);
  auto const kind = r ? r->view().find("resultType") : std::nullopt;
  f->asks_back = kind && kind->get_string() == "input_required";
  for (auto const& p : std::exchange(f->aboard, {})) core_.calls.end(p.wait, reply(r));
}

COMCP_LAZY_DECL void cache_step::leave(std::shared_ptr<flight> const& f, request_id wait) {
  std::erase_if(f->aboard, [wait](passenger const& p) { return p.wait == wait; });
  if (!f->aboard.empty()) return;
  close_doors(f);
  f->abandoned.request_stop();
}

COMCP_LAZY_DECL void cache_step::close_doors(std::shared_ptr<flight> const& f) {
  auto const found = flights_.find(f->asked.key);
  if (found != flights_.end() && found->second == f) flights_.erase(found);
}

}  // namespace comcp::detail

namespace comcp {

COMCP_LAZY_DECL connect_options& connect_options::cache(cache_options options) {
  settings_.steps[detail::connect_settings::caching] = [own = std::move(options)](client_core& core) {
    core.subscriptions.hub([](client_core& c) { return detail::make_subscriptions(c); });
    return std::make_unique<detail::step_of<detail::cache_step>>(core, own);
  };
  return *this;
}

}  // namespace comcp
#endif
#endif
#endif

// client/validation.hpp
#if !defined(COMCP_SINGLE_CLIENT_VALIDATION_HPP)
#define COMCP_SINGLE_CLIENT_VALIDATION_HPP
// Validation by JSON Schema, on by choice: which values of a connection are checked, by which validator, and what a
// mismatch does. Included by programs that use it.

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

// schema/validate.hpp
#if !defined(COMCP_SINGLE_SCHEMA_VALIDATE_HPP)
#define COMCP_SINGLE_SCHEMA_VALIDATE_HPP
// The seam at which another JSON Schema implementation can take the bundled one's place.

#include <concepts>
#include <type_traits>
#include <utility>

namespace comcp {

/// One schema, ready to check any number of instances. Errors: validation_failed with a text that says what does not
/// match and where, or what kept it from finding out.
template <class S>
concept compiled_schema = std::move_constructible<S> && requires(S const s, json::view instance) {
  { s.validate(instance) } -> std::same_as<result<void>>;
};

namespace detail {
template <class R>
inline constexpr bool gives_compiled_schema = false;
template <compiled_schema S>
inline constexpr bool gives_compiled_schema<result<S>> = true;
}  // namespace detail

/// Compiles the text of a schema: `result<S> compile(json::value const& text) const`, where S is a compiled_schema.
/// Errors as of schema::compile. comcp compiles a schema once and keeps the outcome. Clients that share a validator
/// may call it from several threads.
template <class V>
concept schema_validator = std::move_constructible<V> && requires(V const v, json::value const& text) {
  requires detail::gives_compiled_schema<decltype(v.compile(text))>;
};

/// The default: comcp::schema, with its options.
class bundled_validator {
 public:
  explicit bundled_validator(schema_options options = {}) : options_(std::move(options)) {}

  [[nodiscard]] result<schema> compile(json::value const& text) const { return schema::compile(text, options_); }

 private:
  schema_options options_;
};
static_assert(schema_validator<bundled_validator>);

}  // namespace comcp
#endif

namespace comcp {

/// What is done about a value: nothing, a fault for the observer where it does not match, or an error.
enum class validation : std::uint8_t { off, warn, strict };

namespace detail {

class any_schema {
 public:
  virtual ~any_schema() = default;
  [[nodiscard]] virtual result<void> validate(json::view instance) const = 0;
};

class any_validator {
 public:
  virtual ~any_validator() = default;
  [[nodiscard]] virtual result<std::shared_ptr<any_schema const>> compile(json::value const& text) const = 0;
};

template <class S>
class schema_model final : public any_schema {
 public:
  explicit schema_model(S s) : impl_(std::move(s)) {}
  [[nodiscard]] result<void> validate(json::view instance) const override {
    try {
      return impl_.validate(instance);
    } catch (...) {
      return current_error();
    }
  }

 private:
  S impl_;
};

template <class V>
class validator_model final : public any_validator {
 public:
  explicit validator_model(V v) : impl_(std::move(v)) {}
  [[nodiscard]] result<std::shared_ptr<any_schema const>> compile(json::value const& text) const override {
    try {
      auto compiled = impl_.compile(text);
      if (!compiled) return compiled.error();
      using model = schema_model<std::remove_cvref_t<decltype(*compiled)>>;
      return std::shared_ptr<any_schema const>(std::make_shared<model>(*std::move(compiled)));
    } catch (...) {
      return error(current_error());
    }
  }

 private:
  V impl_;
};

}  // namespace detail

/// What connect_options().validate() takes. Each of the three is strict unless said otherwise.
///
/// The schemas come from call_options().tool(), else from what this client has listed since the tools last changed. For
/// a tool that is not known so, the client lists the tools first: once for all calls that wait, within their timeouts.
/// A tool that the server does not list is called unchecked: the server decides about it. Where the list or its schema
/// cannot be had (no answer, a bad schema, an unknown dialect), a strict call fails with that error before anything is
/// sent, one that only warns goes on. Of a server that does not tell changes, a definition counts until it is listed
/// again or the connection is renewed.
class validation_options {
 public:
  /// The bundled validator. `format` is an annotation in tools' schemas, and asserted in elicitation answers.
  COMCP_LAZY validation_options();
  /// Any schema_validator, for everything. Clients with a copy of these options share it, also between threads.
  template <class V>
    requires(!std::same_as<V, validation_options>)
  explicit validation_options(V validator) : own_(true) {
    static_assert(schema_validator<V>,
                  "comcp: this type is no schema_validator: result<S> compile(json::value const&) const, and in S "
                  "result<void> validate(json::view) const, as in schema/validate.hpp");
    validator_ = std::make_shared<detail::validator_model<V>>(std::move(validator));
  }

  /// A tool's arguments against its inputSchema, before sending. Strict: errc::validation_failed, and nothing is sent.
  validation_options& arguments(validation v) noexcept { return arguments_ = v, *this; }
  /// A result's structuredContent against the tool's outputSchema; that it is missing is a mismatch, too. Results with
  /// isError are not checked. Strict: errc::validation_failed, though the tool has been called, as the text says.
  validation_options& output(validation v) noexcept { return output_ = v, *this; }
  /// What a handler's elicit() accepts against the requestedSchema. Strict (as without these options): the server's
  /// request, or the call that it is a part of, fails, and the answer is not sent.
  validation_options& elicitation(validation v) noexcept { return elicitation_ = v, *this; }

  [[nodiscard]] validation arguments() const noexcept { return arguments_; }
  [[nodiscard]] validation output() const noexcept { return output_; }
  [[nodiscard]] validation elicitation() const noexcept { return elicitation_; }
  [[nodiscard]] detail::any_validator const& validator() const noexcept { return *validator_; }
  [[nodiscard]] bool is_bundled() const noexcept { return !own_; }

 private:
  std::shared_ptr<detail::any_validator const> validator_;
  validation arguments_ = validation::strict, output_ = validation::strict, elicitation_ = validation::strict;
  bool own_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/validation.ipp
#if !defined(COMCP_SINGLE_CLIENT_IMPL_VALIDATION_IPP)
#define COMCP_SINGLE_CLIENT_IMPL_VALIDATION_IPP
// The checks on both sides of a tool call, and where the schemas for them come from. A step of the pipeline.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace comcp {
namespace detail {

class validation_step {
 public:
  validation_step(client_core& core, validation_options options) : core_(core), options_(std::move(options)) {}

  [[nodiscard]] bool concerns(std::string_view method) const noexcept {
    return method == "tools/call" || method == "tools/list";
  }
  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c, performer next);
  void notified(std::string_view method, json::value const&) {
    if (method == "notifications/tools/list_changed") ++now_;
  }
  void connected(bool) { ++now_; }
  [[nodiscard]] bool wants(std::string_view list) const { return list == "tools"; }
  [[nodiscard]] std::uint64_t moment() const noexcept { return now_; }
  COMCP_LAZY void learn(json::view page, std::uint64_t asked);

 private:
  struct side {
    json::value text;  // null: no schema
    std::shared_ptr<any_schema const> compiled;
    error unusable;
  };
  struct rule {
    side input, output;
    std::uint64_t learned = 0;
  };
  using rules = std::map<std::string, std::shared_ptr<rule>, std::less<>>;
  /// One walk through the list, and who waits for its end.
  struct listing_now {
    std::vector<request_id> waiting;
    error failure;
    bool over = false;
  };
  static constexpr std::size_t most_kept = 1000;  // compiled schemas; definitions of calls' own

  COMCP_LAZY asio::awaitable<reply> list(prepared_call& c, performer next);
  COMCP_LAZY asio::awaitable<reply> call(prepared_call& c, performer next);
  COMCP_LAZY asio::awaitable<error> know_tools(prepared_call& c);
  COMCP_LAZY asio::awaitable<void> list_all(std::shared_ptr<client_core> hold, std::shared_ptr<listing_now> l);
  COMCP_LAZY asio::awaitable<error> walk();
  COMCP_LAZY [[nodiscard]] std::shared_ptr<rule> find(std::string_view name, call_options const& o);
  COMCP_LAZY [[nodiscard]] error before(rule& r, std::string const& name, json::view params);
  COMCP_LAZY [[nodiscard]] error after(rule& r, std::string const& name, json::view answer);
  COMCP_LAZY void prepare(side& s);
  COMCP_LAZY [[nodiscard]] error judge(validation v, error const& e, std::string const& what) const;
  [[nodiscard]] bool is_strict() const noexcept {
    return options_.arguments() == validation::strict || options_.output() == validation::strict;
  }

  static bool is_same(rule const& r, json::view input, json::view output) {
    return r.input.text.view() == input && r.output.text.view() == output;
  }
  static void keep(std::shared_ptr<rule>& kept, json::view input, json::view output) {
    if (kept && is_same(*kept, input, output)) return;
    kept = std::make_shared<rule>();
    kept->input.text = input.share().compact();
    kept->output.text = output.share().compact();
  }

  client_core& core_;
  validation_options options_;
  rules listed_, given_;
  std::size_t compiled_ = 0;    // about as many as are kept
  std::uint64_t now_ = 1;       // counts the changes of the list
  std::uint64_t complete_ = 0;  // since this change every tool is known
  std::shared_ptr<listing_now> listing_;
};

COMCP_LAZY_DECL asio::awaitable<reply> validation_step::perform(prepared_call& c, performer next) {
  return c.method.is(wire::methods::call_tool) ? call(c, std::move(next)) : list(c, std::move(next));
}

COMCP_LAZY_DECL asio::awaitable<reply> validation_step::list(prepared_call& c, performer next) {
  auto const asked = now_;
  auto work = next(c);
  auto r = co_await std::move(work);
  if (r && !c.outdated) learn(r->view(), asked);
  co_return r;
}

COMCP_LAZY_DECL asio::awaitable<reply> validation_step::call(prepared_call& c, performer next) {
  auto const hold = core_.shared_from_this();
  if (auto bad = core_.exchange.check(c)) co_return reply(std::move(bad));
  auto text = c.params;
  auto const params = json::parse(pad(text), core_.settings.limits.json());
  if (!params) co_return reply(params.error());
  auto const named = params->view().find("name");
  std::string const name(named ? named->get_string().value_or("") : "");
  auto tool = find(name, c.options);
  if (!tool) {
    auto failure = co_await know_tools(c);
    if (failure) co_return reply(failure.with_outcome(call_outcome::not_sent));
    tool = find(name, c.options);
  }
  if (tool && !c.earlier) {
    if (auto bad = before(*tool, name, params->view())) co_return reply(std::move(bad));
  }
  auto work = next(c);
  auto r = co_await std::move(work);
  // What comes of a task that was only begun is no result of the tool.
  bool const is_begun = params->contains("task") || (c.handed_over && r && !r->view().find("content"));
  if (!r || !tool || is_begun) co_return r;
  if (auto bad = after(*tool, name, r->view())) co_return reply(bad.with_outcome(call_outcome::open));
  co_return r;
}

// Of the given definition and the listed one, equal ones are one.
COMCP_LAZY_DECL std::shared_ptr<validation_step::rule> validation_step::find(std::string_view name,
                                                                             call_options const& o) {
  auto const known = listed_.find(name);
  if (o.input_schema().is_null() && o.output_schema().is_null())
    return known != listed_.end() && known->second->learned == now_ ? known->second : nullptr;
  auto const input = o.input_schema().view();
  auto const output = o.output_schema().view();
  if (known != listed_.end() && is_same(*known->second, input, output)) return known->second;
  if (given_.size() >= most_kept) given_.clear();
  auto& kept = given_[std::string(name)];
  keep(kept, input, output);
  return kept;
}

// Not from an answer that may be older than the last change.
COMCP_LAZY_DECL void validation_step::learn(json::view page, std::uint64_t asked) {
  auto const tools = page.find("tools");
  if (!tools || asked != now_) return;
  for (auto const t : tools->elements()) {
    auto const named = t.find("name");
    auto const name = named ? named->get_string() : std::nullopt;
    if (!name) continue;
    auto found = listed_.find(*name);
    if (found == listed_.end()) {
      if (listed_.size() >= core_.settings.limits.items()) return;
      found = listed_.emplace(*name, nullptr).first;
    }
    keep(found->second, t.find("inputSchema").value_or(json::view()), t.find("outputSchema").value_or(json::view()));
    found->second->learned = now_;
    if (auto const why = t.find(unreadable_key))
      found->second->input.unusable = found->second->output.unusable =
          error(errc::limit_exceeded, std::string(why->get_string().value_or("")));
  }
}

// Nothing once the list is complete, and where it could not be had but that only warns.
COMCP_LAZY_DECL asio::awaitable<error> validation_step::know_tools(prepared_call& c) {
  if (complete_ == now_) co_return error();
  auto const began = core_.calls.now();
  auto const timeout = core_.calls.timeout(c.options);
  auto const hard = core_.calls.hard_limit(c.options);
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled);
  if (!listing_) {
    listing_ = std::make_shared<listing_now>();
    core_.spawn(list_all(core_.shared_from_this(), listing_));
  }
  auto const l = listing_;
  if (l && !l->over) {
    pending_entry e(pending_entry::span::client);
    if (!core_.calls.enlist(e, began, std::min(timeout, hard), later(began, hard), c.counted))
      co_return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
    core_.calls.end_with(c.options.stop(), e);
    core_.calls.table().line_up(l->waiting, e.id);
    auto const waited = co_await core_.calls.wait(e);
    if (!waited) co_return waited.error() == errc::timeout ? error(errc::timeout, c.method.text()) : waited.error();
  }
  // The call itself has what is left.
  if (c.started == std::chrono::steady_clock::time_point()) c.started = began;
  c.options.extend_on_progress(c.options.extends_on_progress()).hard_timeout(hard);
  auto const spent = std::min<std::chrono::nanoseconds>(timeout, core_.calls.now() - began);
  c.options.timeout(std::max(timeout - spent, std::chrono::nanoseconds(1)));
  if (!l || !l->failure) co_return error();
  auto why =
      l->failure.with_message("the tools could not be listed for validation: " + std::string(l->failure.message()));
  if (is_strict()) co_return why;
  core_.fault(std::move(why));
  co_return error();
}

COMCP_LAZY_DECL asio::awaitable<void> validation_step::list_all(std::shared_ptr<client_core> hold,
                                                                std::shared_ptr<listing_now> l) {
  for (unsigned walks = 0; walks < 3 && complete_ != now_; ++walks) {  // again where the list changed meanwhile
    auto const before = now_;
    try {
      auto work = walk();
      l->failure = co_await std::move(work);
    } catch (...) {
      l->failure = current_error();
    }
    if (l->failure) break;
    if (before != now_) continue;
    complete_ = now_;
    std::erase_if(listed_, [this](auto const& entry) { return entry.second->learned != now_; });
  }
  if (!l->failure && complete_ != now_) l->failure = error(errc::limit_exceeded, "they changed while they were listed, again and again");
  listing_.reset();
  l->over = true;
  hold->calls.wake(l->waiting, json::value());
}

COMCP_LAZY_DECL asio::awaitable<error> validation_step::walk() {
  auto const end = later(core_.calls.now(), core_.calls.hard_limit(call_options()));
  std::optional<std::string> from;
  std::set<std::pair<std::size_t, std::size_t>> seen;  // lengths and hashes
  std::size_t bytes = 0;
  for (std::size_t pages = 0; pages < core_.settings.limits.pages(); ++pages) {
    prepared_call c(wire::methods::list_tools, from ? args("cursor", *from).text() : std::string(), call_options());
    c.internal = true;
    c.repeatable = true;
    auto const asked = now_;
    auto work = core_.exchange.perform(c);
    auto const r = co_await std::move(work);
    if (!r) co_return r.error();
    learn(r->view(), asked);
    if (!core_.is_modern() && core_.facts.capabilities.tasks) {
      auto page = json::read<list_tools_result>(r->view());
      if (page) core_.facts.learn(*page, core_.settings.limits.items(), core_.is_http());
    }
    auto const next = r->view().find("nextCursor");
    auto const cursor = next ? next->get_string() : std::nullopt;
    if (!cursor) co_return error();
    bytes += r->text_size();
    if (bytes > core_.settings.limits.list_bytes()) co_return error(errc::limit_exceeded, "more bytes than limits().list_bytes()");
    auto const hash = std::hash<std::string_view>()(*cursor);
    if (!seen.emplace(cursor->size(), hash).second) co_return error(errc::protocol_violation, "the server gave one cursor twice");
    if (core_.calls.now() > end) co_return error(errc::timeout, "the list was not complete within the hard timeout");
    from = std::string(*cursor);
  }
  co_return error(errc::limit_exceeded, "more pages than limits().pages()");
}

COMCP_LAZY_DECL void validation_step::prepare(side& s) {
  if (s.compiled || s.unusable || s.text.is_null()) return;
  if (compiled_ >= most_kept) {
    for (auto* const all : {&listed_, &given_}) {
      for (auto const& [name, r] : *all) r->input.compiled = r->output.compiled = nullptr;
    }
    compiled_ = 0;
  }
  auto made = options_.validator().compile(s.text);
  if (!made) {
    s.unusable = made.error();
    return;
  }
  s.compiled = std::move(*made);
  ++compiled_;
}

COMCP_LAZY_DECL error validation_step::judge(validation v, error const& e, std::string const& what) const {
  auto said = e.with_message(what + ": " + std::string(e.message()));
  if (v == validation::strict) return said;
  core_.fault(std::move(said));
  return {};
}

// Both schemas are looked at before the tool is called: a bad one must not come out when it has been.
COMCP_LAZY_DECL error validation_step::before(rule& r, std::string const& name, json::view params) {
  if (options_.output() != validation::off) {
    prepare(r.output);
    if (r.output.unusable) {
      auto bad = judge(options_.output(), r.output.unusable, "the outputSchema of the tool " + name);
      if (bad) return bad;
    }
  }
  if (options_.arguments() == validation::off) return {};
  prepare(r.input);
  if (r.input.unusable) return judge(options_.arguments(), r.input.unusable, "the inputSchema of the tool " + name);
  if (!r.input.compiled) return {};
  static json::value const none = json::parse("{}").value();
  auto const ok = r.input.compiled->validate(params.find("arguments").value_or(none.view()));
  return ok ? error() : judge(options_.arguments(), ok.error(), "the arguments of the tool " + name);
}

COMCP_LAZY_DECL error validation_step::after(rule& r, std::string const& name, json::view answer) {
  if (options_.output() == validation::off) return {};
  prepare(r.output);
  auto const kind = answer.find("resultType");
  if (!r.output.compiled || (kind && kind->get_string() != "complete")) return {};
  auto const failed = answer.find("isError");
  if (failed && failed->get_bool().value_or(false)) return {};
  auto const content = answer.find("structuredContent");
  auto const ok = content ? r.output.compiled->validate(*content)
                          : result<void>(error(errc::validation_failed, "there is no structuredContent"));
  if (ok) return {};
  return judge(options_.output(), ok.error(),
               "the tool " + name + " was called, but its result does not match its outputSchema");
}

class plan_of_options final : public validation_plan {
 public:
  explicit plan_of_options(validation_options o) : options_(std::move(o)) {}

  [[nodiscard]] result<void> check_answer(json::view requested_schema, json::view content) const override {
    if (options_.elicitation() == validation::off) return {};
    if (options_.is_bundled()) return check_content(requested_schema, content);
    if (auto const ok = check_primitive_content(content); !ok) return ok.error();
    auto const text = requested_schema.share();
    auto const compiled = options_.validator().compile(text);
    if (!compiled) return compiled.error();
    return (*compiled)->validate(content);
  }

  [[nodiscard]] bool only_warns_of_answers() const noexcept override {
    return options_.elicitation() == validation::warn;
  }

 private:
  validation_options options_;
};

}  // namespace detail

COMCP_LAZY_DECL validation_options::validation_options()
    : validator_(std::make_shared<detail::validator_model<bundled_validator>>(bundled_validator())) {}

COMCP_LAZY_DECL connect_options& connect_options::validate(validation_options const& o) {
  settings_.answers = std::make_shared<detail::plan_of_options>(o);
  settings_.steps[detail::connect_settings::validation] = [o](client_core& core) -> std::unique_ptr<detail::call_step> {
    if (o.arguments() == validation::off && o.output() == validation::off) return nullptr;
    core.subscriptions.hub([](client_core& c) { return detail::make_subscriptions(c); });
    return std::make_unique<detail::step_of<detail::validation_step>>(core, o);
  };
  return *this;
}

}  // namespace comcp
#endif
#endif
#endif

// config/connect.hpp
#if !defined(COMCP_SINGLE_CONFIG_CONNECT_HPP)
#define COMCP_SINGLE_CONFIG_CONNECT_HPP
// From a configured server to what a registry, a pool or a live_server is given. The one header of config/ that brings
// the transports along.

// config/configured_server.hpp
#if !defined(COMCP_SINGLE_CONFIG_CONFIGURED_SERVER_HPP)
#define COMCP_SINGLE_CONFIG_CONFIGURED_SERVER_HPP
// What a configuration file says, as values: its servers, the inputs that it asks for, and what is wrong with it.
// Nothing here shows a value of env or of headers.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comcp {

/// One thing that is wrong with a configuration file. The texts never hold a value of the file.
struct config_problem {
  std::string file;
  std::size_t line = 0, column = 0;  ///< From 1, columns in bytes; 0 where the file as such is meant.
  std::string key;                   ///< Such as mcpServers.github.args[1]; empty for the file as such.
  errc code = errc::wrong_shape;     ///< invalid_json, wrong_shape, invalid_argument, not_found, limit_exceeded, denied.
  std::string text;

  /// "mcp.json:12:7: mcpServers.github.args[1]: not a string"
  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] comcp::error to_error() const { return {code, to_string()}; }
  friend bool operator==(config_problem const&, config_problem const&) = default;
};

/// How a configured server is reached.
enum class configured_kind {
  stdio,  ///< "stdio", or a `command` without `type`.
  http,   ///< "http", "streamable-http", "streamableHttp", or a `url` without `type`; falls back to HTTP+SSE.
  sse,    ///< "sse": HTTP+SSE of 2024-11-05.
};
/// "stdio", "http", "sse".
char const* to_string(configured_kind kind) noexcept;

/// Where one key of an entry is.
struct config_place {
  std::string key;  ///< Such as args[1] or env.TOKEN; empty for the entry itself.
  std::size_t line = 0, column = 0;
  friend bool operator==(config_place const&, config_place const&) = default;
};

/// One server of a configuration file. As it is written, until expand_server() has replaced its variables. Regular.
struct configured_server {
  std::string name;
  configured_kind kind = configured_kind::stdio;

  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  ///< May hold secrets. Without those that are null.
  std::string env_file;                                  ///< `envFile`: NAME=value lines; `env` wins over them.
  std::string cwd;                                       ///< Empty: that of the host.

  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  ///< May hold secrets.

  std::optional<std::chrono::milliseconds> timeout;  ///< Of a request; `timeout`, in milliseconds.
  bool disabled = false;                             ///< `disabled` is true or `enabled` false.

  std::string file;                  ///< Where it is from.
  std::string path;                  ///< Its key there: mcpServers.github.
  std::vector<config_place> places;  ///< Of its texts, for errors.
  json::value raw;                   ///< The whole entry as written, unknown keys too. Holds what env and headers hold.

  friend bool operator==(configured_server const&, configured_server const&) = default;
};

/// The command line or URL as written, without what looks like a secret and without the URL's query. For people.
[[nodiscard]] std::string shown_endpoint(configured_server const& s);
/// One line: name, kind, endpoint, the names of env and headers.
[[nodiscard]] std::string to_string(configured_server const& s);

/// A question that the user answers before a server can be used: ${input:id}.
struct config_input {
  std::string id;
  std::string type;  ///< "promptString", "pickString", or one that comcp does not know.
  std::string description;
  std::optional<std::string> default_value;
  bool password = false;
  std::vector<std::string> options;  ///< Of pickString: the values.
  json::value raw;
  friend bool operator==(config_input const&, config_input const&) = default;
};

/// What a file holds. One broken entry does not spoil the others.
struct config_file {
  std::string path;
  std::vector<configured_server> servers;  ///< In the order of the file, names unique.
  std::vector<config_input> inputs;
  std::vector<config_problem> problems;
  json::value raw;  ///< All of it; null where it is no JSON.

  [[nodiscard]] configured_server const* find(std::string_view name) const noexcept;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// config/impl/configured_server.ipp
#if !defined(COMCP_SINGLE_CONFIG_IMPL_CONFIGURED_SERVER_IPP)
#define COMCP_SINGLE_CONFIG_IMPL_CONFIGURED_SERVER_IPP
#include <algorithm>
#include <string_view>

namespace comcp {
namespace detail {

// Without the user of a URL, its query and its fragment.
inline std::string shown_url(std::string_view url) {
  std::string out(url.substr(0, url.find_first_of("?#")));
  if (out.size() < url.size()) out.append(1, url[out.size()]).append("***");
  auto const begin = out.find("://");
  if (begin == std::string::npos) return out;
  auto const end = std::min(out.find('/', begin + 3), out.size());
  auto const at = out.rfind('@', end);
  if (at != std::string::npos && at > begin) out.replace(begin + 3, at - begin - 3, "***");
  return out;
}

// Credentials, NAME=value and the like as in traces; "Name: value" of a header; the default of a secret variable.
inline std::string shown_argument(std::string_view argument) {
  if (auto const colon = argument.find(": ");
      colon != std::string_view::npos && is_secret_key(argument.substr(0, colon)))
    return std::string(argument.substr(0, colon)) + ": ***";
  std::string text(argument);
  for (auto at = text.find("${"); at != std::string::npos; at = text.find("${", at + 2)) {
    auto const end = text.find('}', at), middle = text.find(":-", at);
    if (end == std::string::npos || middle > end) continue;
    if (is_secret_key(std::string_view(text).substr(at + 2, middle - at - 2)))
      text.replace(middle + 2, end - middle - 2, "***");
  }
  if (text.find("://") != std::string::npos && text.find_first_of(" '\"") == std::string::npos) text = shown_url(text);
  auto const quoted = json::parse(json::to_text(text));
  if (!quoted) return "***";
  auto const redone = json::parse(redacted(quoted->view()));
  return redone ? std::string(redone->as_string()) : "***";
}

inline bool is_secret_option(std::string_view argument) {
  return argument.starts_with('-') && argument.find('=') == std::string_view::npos && is_secret_key(argument);
}

inline std::string shown_command_line(std::string_view command, std::vector<std::string> const& args) {
  std::string out = shown_argument(command);
  bool hide = false;
  for (auto const& a : args) {
    auto const text = hide ? std::string("***") : shown_argument(a);
    bool const plain = !text.empty() && text.find_first_of(" \t\n'\"\\") == std::string::npos;
    out.append(" ").append(plain ? text : json::to_text(text));
    hide = is_secret_option(a);
  }
  return out;
}

inline void append_names(std::string& out, char const* title,
                         std::vector<std::pair<std::string, std::string>> const& all) {
  char const* before = title;
  for (auto const& [name, value] : all) {
    out.append(before).append(name);
    before = ", ";
  }
}

}  // namespace detail

COMCP_DECL std::string config_problem::to_string() const {
  std::string out = file.empty() ? "configuration" : file;
  if (line != 0) out.append(":").append(std::to_string(line)).append(":").append(std::to_string(column));
  out.append(": ");
  if (!key.empty()) out.append(key).append(": ");
  return out.append(text);
}

COMCP_DECL char const* to_string(configured_kind kind) noexcept {
  switch (kind) {
    case configured_kind::stdio: return "stdio";
    case configured_kind::http: return "http";
    case configured_kind::sse: break;
  }
  return "sse";
}

COMCP_DECL std::string shown_endpoint(configured_server const& s) {
  // From the entry as written: in an expanded server every text may hold a secret.
  auto const written = [&s](char const* key, std::string const& otherwise) {
    auto const found = s.raw.view().find(key);
    return std::string(found ? found->get_string().value_or("") : otherwise);
  };
  if (s.kind != configured_kind::stdio) return detail::shown_argument(written("url", s.url));
  auto args = s.args;
  if (s.raw.is_object()) {
    args.clear();
    auto const list = s.raw.view().find("args").value_or(json::view());
    for (auto const a : list.elements()) args.emplace_back(a.get_string().value_or(""));
  }
  return detail::shown_command_line(written("command", s.command), args);
}

COMCP_DECL std::string to_string(configured_server const& s) {
  std::string out = s.name + " (" + to_string(s.kind) + (s.disabled ? ", disabled): " : "): ") + shown_endpoint(s);
  detail::append_names(out, "; env: ", s.env);
  detail::append_names(out, "; headers: ", s.headers);
  return out;
}

COMCP_DECL configured_server const* config_file::find(std::string_view name) const noexcept {
  auto const found = std::find_if(servers.begin(), servers.end(), [name](auto const& s) { return s.name == name; });
  return found == servers.end() ? nullptr : &*found;
}

}  // namespace comcp
#endif
#endif
#endif

// server/server_config.hpp
#if !defined(COMCP_SINGLE_SERVER_SERVER_CONFIG_HPP)
#define COMCP_SINGLE_SERVER_SERVER_CONFIG_HPP
// How to reach one server, again and again: what a registry and a pool are given.

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>

namespace comcp {

/// When a server is started.
enum class start_mode {
  waits,       ///< At once; adding it returns when it is ready, and throws at the first failure.
  background,  ///< At once; adding it does not wait, and failures are retried as the policy says.
  lazy,        ///< At its first use, which waits for it.
};

/// A transport, a handler, options and a policy. Regular: copies share nothing but the handler.
class server_config {
 public:
  /// Each connection is made with a copy of the transport: comcp::stdio(...), comcp::http(...).
  template <class Transport>
    requires(!std::same_as<Transport, server_config>) && transport<Transport> && std::copy_constructible<Transport>
  server_config(Transport t) {
    auto const original = std::make_shared<Transport const>(std::move(t));
    make_ = [original] { return any_transport(Transport(*original)); };
  }
  /// `make` gives the transport, anew for each connection.
  static server_config from(std::function<any_transport()> make) {
    server_config c;
    c.make_ = std::move(make);
    return c;
  }

  /// Who answers this server. Shared by all connections that are made with copies of this configuration.
  template <comcp::handler Handler>
  server_config& handler(Handler h) {
    return handler_ = any_handler(std::move(h)), *this;
  }
  /// The executor and the policy of reconnect() among them are not used: those below are.
  server_config& options(connect_options o) { return options_ = std::move(o), *this; }
  /// When the server is started again, and when its circuit opens (default: reconnect_policy::forever()). Under never()
  /// a server that is lost is removed. After the last attempt it has failed, and stays so until registry::reconnect().
  server_config& reconnect(reconnect_policy p) { return reconnect_ = p, *this; }
  /// Default: waits.
  server_config& start(start_mode m) { return start_ = m, *this; }
  server_config& background() { return start(start_mode::background); }
  server_config& lazy() { return start(start_mode::lazy); }
  /// Of a registry's server: where its client lives, and its callbacks and handler are called (default: the registry's
  /// own executor). It runs one handler at a time; that of a thread_pool is wrapped in a strand. It is run as long as
  /// the registry is there. A pool's servers are all on the pool's.
  server_config& executor(asio::any_io_executor e) { return executor_ = std::move(e), *this; }
  /// How long one attempt to connect may take, the server's start and the handshake included (default 60 s). The
  /// open_timeout() and handshake_timeout() of the options hold within it.
  server_config& start_timeout(timespan d) { return start_timeout_ = d.as_timeout(), *this; }

  [[nodiscard]] any_transport make_transport() const { return make_(); }
  [[nodiscard]] any_handler const& handler() const noexcept { return handler_; }
  [[nodiscard]] connect_options const& options() const noexcept { return options_; }
  [[nodiscard]] reconnect_policy const& reconnect() const noexcept { return reconnect_; }
  [[nodiscard]] asio::any_io_executor const& executor() const noexcept { return executor_; }
  [[nodiscard]] start_mode start() const noexcept { return start_; }
  [[nodiscard]] std::chrono::nanoseconds start_timeout() const noexcept { return start_timeout_; }

 private:
  server_config() = default;

  std::function<any_transport()> make_;
  any_handler handler_;
  connect_options options_;
  reconnect_policy reconnect_ = reconnect_policy::forever();
  asio::any_io_executor executor_;
  start_mode start_ = start_mode::waits;
  std::chrono::nanoseconds start_timeout_ = std::chrono::seconds(60);
};

}  // namespace comcp
#endif

namespace comcp {

namespace detail {
struct to_server_config {
  COMCP_LAZY [[nodiscard]] server_config operator()(configured_server const& s) const;
};
}  // namespace detail

/// The server of an expanded entry (expand_server()), its timeout among the options, and a handshake that may take as
/// long as the start. stdio: without a shell, in `cwd` or the directory of the host, with `env` beside the safe default
/// variables. Headers are sent with every request. Names and reconnect_policy are for the caller to say.
inline constexpr detail::to_server_config to_server_config;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// config/impl/connect.ipp
#if !defined(COMCP_SINGLE_CONFIG_IMPL_CONNECT_IPP)
#define COMCP_SINGLE_CONFIG_IMPL_CONNECT_IPP
#include <memory>

namespace comcp {
namespace detail {

inline stdio stdio_of(configured_server const& s) {
  std::vector<std::string> argv{s.command};
  argv.insert(argv.end(), s.args.begin(), s.args.end());
  stdio out(std::move(argv));
  for (auto const& [name, value] : s.env) out.env(name, value);
  if (!s.cwd.empty()) out.working_directory(s.cwd);
  return out;
}

inline http<> http_of(configured_server const& s) {
  http_options options;
  for (auto const& [name, value] : s.headers) options.header(name, value);
  if (s.kind == configured_kind::sse) options.kind(http_kind::sse);
  http<> out(s.url);
  out.options(std::move(options));
  return out;
}

COMCP_LAZY_DECL server_config to_server_config::operator()(configured_server const& s) const {
  auto const kept = std::make_shared<configured_server const>(s);
  auto out = server_config::from([kept] {
    if (kept->kind == configured_kind::stdio) return any_transport(detail::stdio_of(*kept));
    return any_transport(detail::http_of(*kept));
  });
  connect_options options;
  options.handshake_timeout(out.start_timeout());  // package runners may have to download the server first
  if (s.timeout) options.timeout(*s.timeout);
  out.options(std::move(options));
  return out;
}

}  // namespace detail
}  // namespace comcp
#endif
#endif
#endif

// config/expand.hpp
#if !defined(COMCP_SINGLE_CONFIG_EXPAND_HPP)
#define COMCP_SINGLE_CONFIG_EXPAND_HPP
// Replacing the variables of a configured server, and checking what comes out. Where values are from is said by
// functions, so that nothing here touches the process: load.hpp has those of this process.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

/// Where the values of variables are from. What is not set has no value. Copyable.
class config_variables {
 public:
  using lookup = std::function<std::optional<std::string>(std::string_view name)>;
  using asker = std::function<result<secret>(config_input const& asked)>;
  using reader = std::function<result<std::string>(std::string const& path)>;

  config_variables() {}
  /// ${NAME}, ${NAME:-default} and ${env:NAME}.
  config_variables& environment(lookup f) { return environment_ = std::move(f), *this; }
  /// The names that environment() is asked for; any other is a problem with errc::denied, whatever its default. For
  /// files that somebody else wrote: show variables_read(), let a person decide, and give what was allowed. Default: all.
  config_variables& only(std::vector<std::string> names) { return only_ = std::move(names), *this; }
  /// ${workspaceFolder}, ${workspaceFolderBasename} and ${cwd}: an absolute path.
  config_variables& workspace_folder(std::string path) { return folder_ = std::move(path), *this; }
  /// ${userHome}.
  config_variables& home(std::string path) { return home_ = std::move(path), *this; }
  /// ${input:id}. Asked at each use: who asks a person keeps the answers. Default: the input's default.
  config_variables& inputs(asker f) { return inputs_ = std::move(f), *this; }
  /// Reads `envFile`.
  config_variables& files(reader f) { return files_ = std::move(f), *this; }

  [[nodiscard]] lookup const& environment() const noexcept { return environment_; }
  [[nodiscard]] std::optional<std::vector<std::string>> const& only() const noexcept { return only_; }
  [[nodiscard]] std::string const& workspace_folder() const noexcept { return folder_; }
  [[nodiscard]] std::string const& home() const noexcept { return home_; }
  [[nodiscard]] asker const& inputs() const noexcept { return inputs_; }
  [[nodiscard]] reader const& files() const noexcept { return files_; }

 private:
  lookup environment_;
  asker inputs_;
  reader files_;
  std::optional<std::vector<std::string>> only_;
  std::string folder_, home_;
};

/// A server that can be connected to when there are no problems. Any of its texts may hold secrets now; only
/// to_string() and shown_endpoint() show it as written.
struct expanded_server {
  configured_server server;
  std::vector<config_problem> problems;  ///< Name file, line and key; hold no values.
  [[nodiscard]] bool ok() const noexcept { return problems.empty(); }
};

/// Replaces the variables in command, args, env, envFile, cwd, url and headers, once: what a value holds is taken as it
/// is, and no shell sees it. A variable that is not set and has no default is a problem that names it; one that is set
/// to nothing is set. A $ without { is plain text. Then checks the result: names of env and headers, the URL.
/// `inputs` are those of the server's file.
[[nodiscard]] expanded_server expand_server(configured_server const& s, std::vector<config_input> const& inputs,
                                            config_variables const& variables);

/// The environment variables that expanding this server reads, as written, sorted and each once. A server of somebody
/// else's file can send them anywhere.
[[nodiscard]] std::vector<std::string> variables_read(configured_server const& s);

/// The NAME=value lines of an `envFile`: blank lines and # comments are skipped, `export ` is dropped, values may stand
/// in quotes (in double quotes, \n, \", \\ and \$ are escapes), nothing is expanded. Errors: invalid_argument with the
/// line's number, never with its text.
[[nodiscard]] result<std::vector<std::pair<std::string, std::string>>> parse_env_file(std::string_view text);

}  // namespace comcp

// config/read.hpp
#if !defined(COMCP_SINGLE_CONFIG_READ_HPP)
#define COMCP_SINGLE_CONFIG_READ_HPP
// Reading the configuration of MCP hosts: `mcpServers` (Claude Desktop, Claude Code, Cursor), `servers` (VS Code), both
// also below `mcp` (VS Code's settings.json), and the projects of ~/.claude.json. Variables are left for expand.hpp.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace comcp {

/// Bounds of a configuration file, and what to look for in it. Exceeding a bound is a problem with
/// errc::limit_exceeded.
class config_options {
 public:
  config_options() {}
  /// The name of the file in problems.
  config_options& file(std::string name) { return file_ = std::move(name), *this; }
  /// Reads the servers of this directory in ~/.claude.json too (`projects`). They come first and win over others of
  /// their name. Default: none.
  config_options& project(std::string directory) { return project_ = std::move(directory), *this; }
  /// Largest file in bytes, below 4 GiB (default 1 MiB).
  config_options& max_bytes(std::size_t n) { return max_bytes_ = n, *this; }
  /// Most servers (default 256).
  config_options& max_servers(std::size_t n) { return max_servers_ = n, *this; }
  /// Most problems that are told (default 100).
  config_options& max_problems(std::size_t n) { return max_problems_ = n, *this; }

  [[nodiscard]] std::string const& file() const noexcept { return file_; }
  [[nodiscard]] std::string const& project() const noexcept { return project_; }
  [[nodiscard]] std::size_t max_bytes() const noexcept { return max_bytes_; }
  [[nodiscard]] std::size_t max_servers() const noexcept { return max_servers_; }
  [[nodiscard]] std::size_t max_problems() const noexcept { return max_problems_; }

 private:
  std::string file_, project_;
  std::size_t max_bytes_ = std::size_t{1} << 20;
  std::size_t max_servers_ = 256;
  std::size_t max_problems_ = 100;
};

/// Reads the text of a configuration file. Comments and trailing commas are accepted, unknown keys kept in `raw`. Every
/// entry that can be used is among the servers; for each that cannot, there is a problem. A text without any section of
/// servers is no problem. Pure; safe from any thread.
[[nodiscard]] config_file read_config(std::string_view text, config_options const& options = {});

}  // namespace comcp

// json/text_map.hpp
#if !defined(COMCP_SINGLE_JSON_TEXT_MAP_HPP)
#define COMCP_SINGLE_JSON_TEXT_MAP_HPP
// Where things are in a JSON text that a person wrote: comments and trailing commas blanked out, the first syntax error
// found, and the offset of every key and value. What the values mean is json/value's and its reader's job.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comcp::detail {

/// The text as strict JSON of the same length: comments (// and /* */) and commas before a closing bracket are blanks,
/// line breaks stay. Strings are left alone. What is no comment and no JSON stays as it is.
std::string without_comments(std::string_view text);

/// From 1; columns count bytes.
struct text_place {
  std::size_t line = 1, column = 1;
  friend bool operator==(text_place const&, text_place const&) = default;
};

/// The values of a JSON text in the order of the text, each followed by those inside it.
class text_map {
 public:
  struct node {
    std::uint32_t key;  // where the key begins; the value, where there is none
    std::uint32_t value;
    std::uint32_t next;  // index of the first node that is not inside
  };
  struct failure {
    std::size_t offset = 0;
    std::string what;  // never quotes the text
  };

  /// `text` must live as long as this, and have less than 4 GiB.
  explicit text_map(std::string_view text);

  /// The first syntax error; the nodes before it are right.
  [[nodiscard]] std::optional<failure> const& broken() const noexcept { return broken_; }
  /// The first key, string or number that json::parse() refuses although its syntax is right (no UTF-8, half of a
  /// surrogate pair, a number that fits nothing).
  [[nodiscard]] std::optional<failure> unreadable() const;
  [[nodiscard]] std::vector<node> const& nodes() const noexcept { return nodes_; }
  [[nodiscard]] text_place place(std::size_t offset) const noexcept;

 private:
  class scanner;

  std::string_view text_;
  std::vector<node> nodes_;
  std::vector<std::uint32_t> lines_;  // where each begins
  std::optional<failure> broken_;
};

/// A parsed value and where it is. Both belong to the same text.
struct located {
  json::view value;
  std::size_t node = 0;
};

/// Calls f(key, located) for each member of an object.
template <class F>
void each_member(text_map const& map, located of, F f) {
  auto child = of.node + 1;
  for (auto const m : of.value.members()) {
    if (child >= map.nodes().size()) return;
    f(m.key, located{m.value, child});
    child = map.nodes()[child].next;
  }
}

/// Calls f(index, located) for each element of an array.
template <class F>
void each_element(text_map const& map, located of, F f) {
  auto child = of.node + 1;
  std::size_t index = 0;
  for (auto const v : of.value.elements()) {
    if (child >= map.nodes().size()) return;
    f(index++, located{v, child});
    child = map.nodes()[child].next;
  }
}

/// The first member of that key.
std::optional<located> find_member(text_map const& map, located of, std::string_view key);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// json/impl/text_map.ipp
#if !defined(COMCP_SINGLE_JSON_IMPL_TEXT_MAP_IPP)
#define COMCP_SINGLE_JSON_IMPL_TEXT_MAP_IPP
#include <algorithm>
#include <utility>

namespace comcp::detail {

inline bool is_json_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Behind the string that begins at `at`, or the end of the text.
inline std::size_t end_of_json_string(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

// How long the comment is that begins at `at`; 0 for none, or for one that does not end.
inline std::size_t comment_length(std::string_view text, std::size_t at) noexcept {
  auto const rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(rest.find('\n'), rest.size());
  if (!rest.starts_with("/*")) return 0;
  auto const end = rest.find("*/", 2);
  return end == std::string_view::npos ? 0 : end + 2;
}

COMCP_DECL std::string without_comments(std::string_view text) {
  std::string out(text);
  constexpr auto none = std::string_view::npos;
  std::size_t last = none, before = none;  // the last two characters that are no blank
  for (std::size_t i = 0; i < out.size();) {
    if (auto const length = comment_length(text, i)) {
      for (auto const end = i + length; i < end; ++i) {
        if (out[i] != '\n' && out[i] != '\r') out[i] = ' ';
      }
      continue;
    }
    auto const next = out[i] == '"' ? end_of_json_string(text, i) : i + 1;
    if (!is_json_blank(out[i])) {
      bool const closes = out[i] == '}' || out[i] == ']';
      bool const trailing = closes && last != none && out[last] == ',' && before != none &&
                            std::string_view("[{,:").find(out[before]) == none;
      if (trailing) out[last] = ' ';
      before = last;
      last = next - 1;
    }
    i = next;
  }
  return out;
}

/// One walk over a text by the grammar of RFC 8259.
class text_map::scanner {
 public:
  scanner(std::string_view text, std::vector<node>& nodes) noexcept : text_(text), nodes_(nodes) {}

  bool whole() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    blanks();
    if (!value(at_, 0)) return false;
    blanks();
    return ended() || fail("something behind the end of the JSON value");
  }
  /// The end of the string, number or word that begins at `offset`.
  std::size_t leaf_end(std::size_t offset) {
    at_ = offset;
    (void)leaf();
    return at_;
  }
  failure const& why() const noexcept { return why_; }

 private:
  static constexpr unsigned max_depth = 200;

  bool ended() const noexcept { return at_ >= text_.size(); }
  char now() const noexcept { return ended() ? '\0' : text_[at_]; }
  void blanks() noexcept {
    while (!ended() && is_json_blank(text_[at_])) ++at_;
  }
  bool fail(char const* what) {
    why_.offset = std::min(at_, text_.size());
    why_.what = ended() ? std::string("the text ends here, too early") : std::string(what);
    return false;
  }
  bool take(char c, char const* what) {
    if (now() != c || ended()) return fail(what);
    ++at_;
    return true;
  }

  bool value(std::size_t key, unsigned depth) {
    auto const index = nodes_.size();
    nodes_.push_back({static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(at_), 0});
    bool good = false;
    if (depth > max_depth) {
      good = fail("too many brackets inside each other");
    } else if (now() == '{') {
      good = items(depth, '}', true);
    } else if (now() == '[') {
      good = items(depth, ']', false);
    } else {
      good = leaf();
    }
    nodes_[index].next = static_cast<std::uint32_t>(nodes_.size());
    return good;
  }
  bool items(unsigned depth, char closing, bool keys) {
    auto const* const between = keys ? "expected ',' or '}' here" : "expected ',' or ']' here";
    ++at_;
    blanks();
    if (now() == closing) return ++at_, true;
    for (;;) {
      auto const start = at_;
      if (keys && !key()) return false;
      if (!value(keys ? start : at_, depth + 1)) return false;
      blanks();
      if (now() == closing) return ++at_, true;
      if (!take(',', between)) return false;
      blanks();
    }
  }
  bool key() {
    if (now() != '"') return fail("expected a key in double quotes here");
    if (!string()) return false;
    blanks();
    if (!take(':', "expected ':' here")) return false;
    blanks();
    return true;
  }
  bool leaf() {
    char const c = now();
    if (c == '"') return string();
    if (c == '-' || (c >= '0' && c <= '9')) return number();
    for (std::string_view const word : {"true", "false", "null"}) {
      if (text_.substr(at_).starts_with(word)) return at_ += word.size(), true;
    }
    return fail("expected a value here");
  }
  bool string() {
    for (++at_; !ended(); ++at_) {
      auto const c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') return ++at_, true;
      if (c < 0x20) return fail("a line break or control character in a string; is a quotation mark missing?");
      if (c == '\\' && !escape()) return false;
    }
    return fail("");
  }
  bool escape() {
    ++at_;
    if (ended()) return fail("");
    if (std::string_view("\"\\/bfnrt").find(now()) != std::string_view::npos) return true;
    if (now() != 'u') return fail("an unknown escape; a backslash itself is written as two");
    for (int i = 0; i < 4; ++i) {
      ++at_;
      if (ended() || std::string_view("0123456789abcdefABCDEF").find(now()) == std::string_view::npos)
        return fail("\\u needs four hexadecimal digits");
    }
    return true;
  }
  bool digits() {
    if (now() < '0' || now() > '9') return fail("a malformed number");
    while (now() >= '0' && now() <= '9') ++at_;
    return true;
  }
  bool number() {
    if (now() == '-') ++at_;
    if (now() == '0') {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (now() == '.' && (++at_, !digits())) return false;
    if (now() != 'e' && now() != 'E') return true;
    ++at_;
    if (now() == '+' || now() == '-') ++at_;
    return digits();
  }

  std::string_view text_;
  std::vector<node>& nodes_;
  std::size_t at_ = 0;
  failure why_;
};

COMCP_DECL text_map::text_map(std::string_view text) : text_(text), lines_{0} {
  for (auto at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    lines_.push_back(static_cast<std::uint32_t>(at + 1));
  scanner s(text, nodes_);
  if (!s.whole()) broken_ = s.why();
}

COMCP_DECL std::optional<text_map::failure> text_map::unreadable() const {
  std::vector<node> unused;
  scanner s(text_, unused);
  for (auto const& n : nodes_) {
    for (auto const offset : {n.key, n.value}) {
      if (text_[offset] == '{' || text_[offset] == '[') continue;
      auto const leaf = json::parse(text_.substr(offset, s.leaf_end(offset) - offset));
      if (!leaf) return failure{offset, std::string(leaf.error().message())};
    }
  }
  return {};
}

COMCP_DECL text_place text_map::place(std::size_t offset) const noexcept {
  auto const next = std::upper_bound(lines_.begin(), lines_.end(), offset);
  auto const line = static_cast<std::size_t>(next - lines_.begin());
  return {line, offset - lines_[line - 1] + 1};
}

COMCP_DECL std::optional<located> find_member(text_map const& map, located of, std::string_view key) {
  std::optional<located> found;
  each_member(map, of, [&](std::string_view name, located m) {
    if (!found && name == key) found = m;
  });
  return found;
}

}  // namespace comcp::detail
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// config/impl/read.ipp
#if !defined(COMCP_SINGLE_CONFIG_IMPL_READ_IPP)
#define COMCP_SINGLE_CONFIG_IMPL_READ_IPP
#include <algorithm>
#include <cctype>
#include <set>

namespace comcp {
namespace detail {

// "a.b"; keys that are no plain words are quoted: a["b c"].
inline std::string config_key(std::string_view base, std::string_view key) {
  bool const plain = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '@' || c == '/' || c == '$';
  });
  std::string out(base);
  if (!plain) return out.append("[").append(json::to_text(key)).append("]");
  if (!out.empty()) out += '.';
  return out.append(key);
}

inline std::string config_key(std::string_view base, std::size_t index) {
  return std::string(base) + "[" + std::to_string(index) + "]";
}

/// Reads one text.
class config_reader {
 public:
  config_reader(std::string_view text, config_options const& options)
      : options_(options), text_(without_comments(text)), map_(text_) {
    out_.path = options.file();
  }

  config_file run() {
    if (auto const& broken = map_.broken()) return fail_whole(errc::invalid_json, broken->offset, broken->what);
    auto parsed = json::parse(text_, json::parse_options().max_bytes(options_.max_bytes()));
    if (!parsed) {
      auto const at = map_.unreadable();
      auto const& e = parsed.error();
      return fail_whole(static_cast<errc>(e.code().value()), at ? at->offset : 0,
                        at ? at->what : std::string(e.message()));
    }
    out_.raw = std::move(*parsed);
    located const root{out_.raw.view(), 0};
    if (!root.value.is_object()) return fail_whole(errc::wrong_shape, map_.nodes()[0].value, "not a JSON object");
    if (!options_.project().empty()) project(root);
    sections(root, "");
    if (auto const settings = find_member(map_, root, "mcp"); settings && settings->value.is_object())
      sections(*settings, "mcp");
    return std::move(out_);
  }

 private:
  void problem(located at, std::string key, std::string text, errc code = errc::wrong_shape) {
    if (out_.problems.size() > options_.max_problems()) return;
    if (out_.problems.size() == options_.max_problems()) {
      key.clear();
      text = "more problems than are told";
      code = errc::limit_exceeded;
    }
    auto const place = map_.place(map_.nodes()[at.node].value);
    out_.problems.push_back({out_.path, place.line, place.column, std::move(key), code, std::move(text)});
  }
  config_file fail_whole(errc code, std::size_t offset, std::string text) {
    auto const place = map_.place(offset);
    out_.problems.push_back({out_.path, place.line, place.column, "", code, std::move(text)});
    return std::move(out_);
  }

  void project(located root) {
    auto const all = find_member(map_, root, "projects");
    auto const mine = all ? find_member(map_, *all, options_.project()) : std::nullopt;
    if (!mine || !mine->value.is_object()) return;
    sections(*mine, config_key("projects", options_.project()));
    hidden_.swap(names_);
  }
  void sections(located object, std::string const& base) {
    each_member(map_, object, [&](std::string_view key, located m) {
      if (key == "mcpServers" || key == "servers") servers(m, config_key(base, key));
      if (key == "inputs") inputs(m, config_key(base, key));
    });
  }
  void servers(located section, std::string const& base) {
    if (!section.value.is_object()) return problem(section, base, "not an object of servers");
    each_member(map_, section, [&](std::string_view name, located entry) { server(name, entry, base); });
  }
  void server(std::string_view name, located entry, std::string const& base) {
    auto const path = config_key(base, name);
    if (name.empty()) return problem(entry, path, "a server without a name", errc::invalid_argument);
    if (hidden_.contains(std::string(name))) return;
    if (!names_.insert(std::string(name)).second)
      return problem(entry, path, "there is a server of this name already", errc::invalid_argument);
    if (out_.servers.size() >= options_.max_servers()) {
      if (!std::exchange(full_, true))
        problem(entry, path, "more servers than max_servers (" + std::to_string(options_.max_servers()) + ")",
                errc::limit_exceeded);
      return;
    }
    if (!entry.value.is_object()) return problem(entry, path, "not an object");
    auto const before = out_.problems.size();
    configured_server s;
    s.name = name;
    s.file = out_.path;
    s.path = path;
    s.raw = entry.value.share();
    members(s, entry);
    if (out_.problems.size() == before) decide_kind(s, entry);
    if (out_.problems.size() == before) out_.servers.push_back(std::move(s));
  }

  void members(configured_server& s, located entry) {
    keep_place(s, entry, "");
    std::set<std::string_view> seen;
    each_member(map_, entry, [&](std::string_view key, located m) {
      auto const name = std::string(key);
      if (!member(s, name, m)) return;
      if (!seen.insert(key).second) problem(m, config_key(s.path, key), "is there twice", errc::invalid_argument);
    });
  }
  // Whether the key is one that has a meaning.
  bool member(configured_server& s, std::string const& key, located m) {
    for (auto const& [known, target] :
         {std::pair{"command", &s.command}, {"cwd", &s.cwd}, {"envFile", &s.env_file}, {"url", &s.url}}) {
      if (key == known) return text(s, m, key, *target), true;
    }
    if (key == "args") return list(s, m), true;
    if (key == "env") return pairs(s, m, key, true, s.env), true;
    if (key == "headers") return pairs(s, m, key, false, s.headers), true;
    if (key == "timeout") return timeout(s, m), true;
    if (key != "disabled" && key != "enabled") return key == "type";
    auto const yes = m.value.get_bool();
    if (!yes) problem(m, config_key(s.path, key), "neither true nor false");
    if (yes == (key == "disabled")) s.disabled = true;
    return true;
  }
  void keep_place(configured_server& s, located m, std::string key) {
    auto const place = map_.place(map_.nodes()[m.node].value);
    s.places.push_back({std::move(key), place.line, place.column});
  }
  void text(configured_server& s, located m, std::string const& key, std::string& target) {
    auto const value = m.value.get_string();
    auto const path = config_key(s.path, key);
    if (!value) return problem(m, path, "not a string");
    if (value->empty() && key != "cwd") return problem(m, path, "empty", errc::invalid_argument);
    target = *value;
    keep_place(s, m, key);
  }
  void list(configured_server& s, located m) {
    auto const path = config_key(s.path, "args");
    if (!m.value.is_array()) return problem(m, path, "not an array of strings");
    each_element(map_, m, [&](std::size_t index, located element) {
      auto const value = element.value.get_string();
      if (!value) return problem(element, config_key(path, index), "not a string");
      s.args.emplace_back(*value);
      keep_place(s, element, config_key("args", index));
    });
  }
  void pairs(configured_server& s, located m, std::string const& key, bool lenient,
             std::vector<std::pair<std::string, std::string>>& target) {
    auto const path = config_key(s.path, key);
    if (!m.value.is_object()) return problem(m, path, "not an object of strings");
    std::set<std::string_view> seen;
    each_member(map_, m, [&](std::string_view name, located one) {
      if (!seen.insert(name).second)
        return problem(one, config_key(path, name), "is there twice", errc::invalid_argument);
      if (lenient && one.value.is_null()) return;
      bool const number = lenient && one.value.is_number();
      auto const value = one.value.get_string();
      if (!value && !number) return problem(one, config_key(path, name), "not a string");
      target.emplace_back(name, number ? one.value.dump() : std::string(*value));
      keep_place(s, one, config_key(key, name));
    });
  }
  void timeout(configured_server& s, located m) {
    constexpr std::int64_t day = 86'400'000;
    auto const value = m.value.get_int64();
    if (!value || *value <= 0 || *value > day)
      return problem(m, config_key(s.path, "timeout"), "not a number of milliseconds from 1 to a day");
    s.timeout = std::chrono::milliseconds(*value);
  }

  void decide_kind(configured_server& s, located entry) {
    bool const command = !s.command.empty(), url = !s.url.empty();
    if (command && url)
      return problem(entry, s.path, "has both command and url: one of them says how to reach it",
                     errc::invalid_argument);
    auto const type = find_member(map_, entry, "type");
    if (type && !type->value.is_string()) return problem(*type, config_key(s.path, "type"), "not a string");
    auto const said = type ? *type->value.get_string() : std::string_view(url ? "http" : "stdio");
    if (said == "stdio") {
      s.kind = configured_kind::stdio;
    } else if (said == "http" || said == "streamable-http" || said == "streamableHttp") {
      s.kind = configured_kind::http;
    } else if (said == "sse") {
      s.kind = configured_kind::sse;
    } else {
      return problem(*type, config_key(s.path, "type"), "not one of stdio, http, streamable-http, sse");
    }
    if (!type && !command && !url) return problem(entry, s.path, "has neither command nor url");
    if (s.kind == configured_kind::stdio && !command) return problem(entry, s.path, "has no command");
    if (s.kind != configured_kind::stdio && !url) return problem(entry, s.path, "has no url");
  }

  void inputs(located section, std::string const& base) {
    if (!section.value.is_array()) return problem(section, base, "not an array of inputs");
    each_element(map_, section, [&](std::size_t index, located one) { input(one, config_key(base, index)); });
  }
  void input(located one, std::string const& path) {
    config_input in;
    auto const text = [&](char const* key) {
      auto const found = find_member(map_, one, key);
      if (found && !found->value.is_string()) problem(*found, config_key(path, key), "not a string");
      return std::string(found ? found->value.get_string().value_or("") : "");
    };
    if (!one.value.is_object()) return problem(one, path, "not an object");
    in.id = text("id");
    if (in.id.empty()) return problem(one, path, "an input without an id");
    auto const same = [&in](config_input const& other) { return other.id == in.id; };
    if (std::any_of(out_.inputs.begin(), out_.inputs.end(), same))
      return problem(one, path, "there is an input of this id already", errc::invalid_argument);
    in.type = text("type");
    in.description = text("description");
    if (find_member(map_, one, "default")) in.default_value = text("default");
    in.password = one.value.find("password").value_or(json::view()).get_bool().value_or(false);
    // An option is a string, or an object with a label and a value.
    for (auto const o : one.value.find("options").value_or(json::view()).elements()) {
      auto const value = o.is_object() ? o.find("value") : std::optional(o);
      if (value && value->is_string()) in.options.emplace_back(*value->get_string());
    }
    in.raw = one.value.share();
    out_.inputs.push_back(std::move(in));
  }

  config_options const& options_;
  std::string text_;
  text_map map_;
  config_file out_;
  std::set<std::string> names_;   // of the section that is read now, and of its siblings
  std::set<std::string> hidden_;  // those of the project, which win
  bool full_ = false;
};

}  // namespace detail

COMCP_DECL config_file read_config(std::string_view text, config_options const& options) {
  constexpr std::size_t most = 0xFFFFFFFE;
  if (text.size() > std::min(options.max_bytes(), most)) {
    config_file out;
    out.path = options.file();
    out.problems.push_back({out.path, 1, 1, "", errc::limit_exceeded,
                            "larger than max_bytes (" + std::to_string(options.max_bytes()) + ")"});
    return out;
  }
  return detail::config_reader(text, options).run();
}

}  // namespace comcp
#endif
#endif
#endif

// config/locations.hpp
#if !defined(COMCP_SINGLE_CONFIG_LOCATIONS_HPP)
#define COMCP_SINGLE_CONFIG_LOCATIONS_HPP
// Where MCP hosts keep their configuration. Names files; whether they exist is for others to find out.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comcp {

/// Whose configuration a file is.
enum class config_program { own, claude_code, vscode, cursor_editor, claude_desktop };
/// comcp's own is "comcp"; then "claude-code", "vscode", "cursor", "claude-desktop".
char const* to_string(config_program p) noexcept;
/// The other way round; also "Claude Code", "VS Code" and the like.
std::optional<config_program> config_program_from(std::string_view text);

enum class config_platform { unix_like, mac_os, windows };
constexpr config_platform this_platform() noexcept {
#if defined(_WIN32)
  return config_platform::windows;
#elif defined(__APPLE__)
  return config_platform::mac_os;
#else
  return config_platform::unix_like;
#endif
}

/// Who a file is for.
enum class config_scope { project, user };

/// One file that may hold servers.
struct config_location {
  config_program program = config_program::own;
  config_scope scope = config_scope::user;
  std::string path;
  friend bool operator==(config_location const&, config_location const&) = default;
};

/// Gives the value of an environment variable.
using config_environment = std::function<std::optional<std::string>(std::string_view name)>;

/// The files in which each program looks, of `directory` and of the user, in the order of config_program, a project's
/// before the user's. What needs a variable that is not set (HOME, APPDATA) is left out.
[[nodiscard]] std::vector<config_location> config_locations(config_environment const& environment,
                                                            std::string const& directory,
                                                            config_platform platform = this_platform());

/// comcp's own file of the user: comcp/mcp.json in $XDG_CONFIG_HOME, or ~/.config, ~/Library/Application Support on macOS;
/// %APPDATA%\comcp\mcp.json on Windows. Nothing without a home directory.
[[nodiscard]] std::optional<std::string> own_config_path(config_environment const& environment,
                                                         config_platform platform = this_platform());

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// config/impl/locations.ipp
#if !defined(COMCP_SINGLE_CONFIG_IMPL_LOCATIONS_IPP)
#define COMCP_SINGLE_CONFIG_IMPL_LOCATIONS_IPP
#include <utility>

namespace comcp {
namespace detail {

/// The folders below which programs keep their files; empty where there is none.
class config_folders {
 public:
  config_folders(config_environment const& environment, config_platform platform)
      : environment_(environment), platform_(platform) {
    home = value(platform == config_platform::windows ? "USERPROFILE" : "HOME");
    bool const mac = platform == config_platform::mac_os;
    xdg = value("XDG_CONFIG_HOME");
    if (!xdg.starts_with('/')) xdg = below(home, mac ? "/Library/Application Support" : "/.config");
    if (platform == config_platform::windows) xdg = value("APPDATA");
    applications = mac ? below(home, "/Library/Application Support") : xdg;
  }
  std::string value(char const* name) const { return environment_ ? environment_(name).value_or("") : std::string(); }
  std::string below(std::string const& folder, char const* rest) const {
    if (folder.empty()) return {};
    std::string out = folder + rest;
    if (platform_ != config_platform::windows) return out;
    for (char& c : out) {
      if (c == '/') c = '\\';
    }
    return out;
  }

  std::string home, xdg, applications;

 private:
  config_environment const& environment_;
  config_platform platform_;
};

}  // namespace detail

COMCP_DECL char const* to_string(config_program p) noexcept {
  switch (p) {
    case config_program::own: return "comcp";
    case config_program::claude_code: return "claude-code";
    case config_program::vscode: return "vscode";
    case config_program::cursor_editor: return "cursor";
    case config_program::claude_desktop: break;
  }
  return "claude-desktop";
}

COMCP_DECL std::optional<config_program> config_program_from(std::string_view text) {
  auto const plain = [](std::string_view t) {
    std::string out;
    for (char const c : t) {
      if (c >= 'A' && c <= 'Z') {
        out += static_cast<char>(c - 'A' + 'a');
      } else if (c != ' ' && c != '-' && c != '_') {
        out += c;
      }
    }
    return out;
  };
  auto const wanted = plain(text);
  for (auto const p : {config_program::own, config_program::claude_code, config_program::vscode,
                       config_program::cursor_editor, config_program::claude_desktop}) {
    if (plain(to_string(p)) == wanted) return p;
  }
  return {};
}

COMCP_DECL std::optional<std::string> own_config_path(config_environment const& environment, config_platform platform) {
  detail::config_folders const at(environment, platform);
  auto path = at.below(at.xdg, "/comcp/mcp.json");
  return path.empty() ? std::nullopt : std::optional(std::move(path));
}

COMCP_DECL std::vector<config_location> config_locations(config_environment const& environment,
                                                         std::string const& directory, config_platform platform) {
  detail::config_folders const at(environment, platform);
  auto const claude = at.value("CLAUDE_CONFIG_DIR");
  using enum config_program;
  using enum config_scope;
  std::vector<config_location> out{
      {config_program::own, project, at.below(directory, "/mcp.json")},
      {config_program::own, user, at.below(at.xdg, "/comcp/mcp.json")},
      {claude_code, project, at.below(directory, "/.mcp.json")},
      {claude_code, user, at.below(claude.empty() ? at.home : claude, "/.claude.json")},
      {vscode, project, at.below(directory, "/.vscode/mcp.json")},
      {vscode, user, at.below(at.applications, "/Code/User/mcp.json")},
      {vscode, user, at.below(at.applications, "/Code/User/settings.json")},
      {cursor_editor, project, at.below(directory, "/.cursor/mcp.json")},
      {cursor_editor, user, at.below(at.home, "/.cursor/mcp.json")},
      {claude_desktop, user, at.below(at.applications, "/Claude/claude_desktop_config.json")},
  };
  std::erase_if(out, [](auto const& l) { return l.path.empty(); });
  return out;
}

}  // namespace comcp
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// config/impl/env_file.ipp
#if !defined(COMCP_SINGLE_CONFIG_IMPL_ENV_FILE_IPP)
#define COMCP_SINGLE_CONFIG_IMPL_ENV_FILE_IPP
#include <algorithm>

namespace comcp {
namespace detail {

inline std::string_view trimmed_blanks(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r";
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Nothing where the quotation mark does not end, or is followed by something.
inline std::optional<std::string> env_file_value(std::string_view text) {
  char const quote = text.empty() ? '\0' : text.front();
  if (quote != '"' && quote != '\'') {
    auto const comment = std::min(text.find(" #"), text.find("\t#"));
    return std::string(trimmed_blanks(text.substr(0, comment)));
  }
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) {
      auto const rest = trimmed_blanks(text.substr(i + 1));
      return rest.empty() || rest.front() == '#' ? std::optional(out) : std::nullopt;
    }
    bool const escape = quote == '"' && text[i] == '\\' && i + 1 < text.size();
    if (escape && text[i + 1] == 'n') {
      out += '\n', ++i;
    } else if (escape && std::string_view("\"\\$").find(text[i + 1]) != std::string_view::npos) {
      out += text[++i];
    } else {
      out += text[i];
    }
  }
  return {};
}

}  // namespace detail

COMCP_DECL result<std::vector<std::pair<std::string, std::string>>> parse_env_file(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::size_t number = 1; !text.empty(); ++number) {
    auto const end = std::min(text.find('\n'), text.size());
    auto line = detail::trimmed_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("export ")) line = detail::trimmed_blanks(line.substr(7));
    auto const equals = line.find('=');
    auto const name = detail::trimmed_blanks(line.substr(0, equals));
    auto const where = "line " + std::to_string(number) + ": ";
    if (equals == std::string_view::npos || name.empty() || name.find_first_of(" \t") != std::string_view::npos)
      return error(errc::invalid_argument, where + "not NAME=value");
    auto value = detail::env_file_value(detail::trimmed_blanks(line.substr(equals + 1)));
    if (!value) return error(errc::invalid_argument, where + "a quotation mark that does not end the value");
    all.emplace_back(name, std::move(*value));
  }
  return all;
}

}  // namespace comcp
#endif

// config/impl/expand.ipp
#if !defined(COMCP_SINGLE_CONFIG_IMPL_EXPAND_IPP)
#define COMCP_SINGLE_CONFIG_IMPL_EXPAND_IPP
#include <algorithm>
#include <set>

namespace comcp {
namespace detail {

inline bool is_variable_name(std::string_view name) noexcept {
  auto const letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// The variable of the environment that the inside of ${...} reads; empty: none.
inline std::string_view variable_of(std::string_view reference) noexcept {
  auto const name = reference.substr(0, reference.find(":-"));
  if (name.starts_with("env:")) return name.substr(4);
  for (std::string_view const known : {"workspaceFolder", "cwd", "workspaceFolderBasename", "userHome", "pathSeparator", "/"}) {
    if (name == known) return {};
  }
  return name.starts_with("input:") ? std::string_view() : name;
}

inline void add_variables(std::set<std::string>& names, std::string_view text) {
  for (auto at = text.find("${"); at != std::string_view::npos; at = text.find("${")) {
    text.remove_prefix(at + 2);
    auto const name = variable_of(text.substr(0, text.find('}')));
    if (is_variable_name(name)) names.emplace(name);
  }
}

/// Expands one server.
class server_expander {
 public:
  server_expander(configured_server const& s, std::vector<config_input> const& inputs, config_variables const& v)
      : inputs_(inputs), variables_(v) {
    out_.server = s;
  }

  expanded_server run() {
    auto& s = out_.server;
    expand(s.command, "command");
    for (std::size_t i = 0; i < s.args.size(); ++i) expand(s.args[i], config_key("args", i));
    for (auto& [name, value] : s.env) expand(value, config_key("env", name));
    expand(s.env_file, "envFile");
    expand(s.cwd, "cwd");
    expand(s.url, "url");
    for (auto& [name, value] : s.headers) expand(value, config_key("headers", name));
    if (out_.ok() && !s.env_file.empty()) read_env_file();
    if (out_.ok()) check();
    return std::move(out_);
  }

 private:
  void problem(std::string const& key, std::string text, errc code = errc::invalid_argument) {
    auto const& s = out_.server;
    config_place at;
    for (auto const& p : s.places) {
      if (p.key == key || (p.key.empty() && at.line == 0)) at = p;
    }
    auto path = key.empty() ? s.path : s.path + (key.front() == '[' ? "" : ".") + key;
    out_.problems.push_back({s.file, at.line, at.column, std::move(path), code, std::move(text)});
  }

  void expand(std::string& text, std::string const& key) {
    std::string out;
    std::string_view rest = text;
    for (auto at = rest.find("${"); at != std::string_view::npos; at = rest.find("${")) {
      out.append(rest.substr(0, at));
      rest.remove_prefix(at + 2);
      auto const end = rest.find('}');
      if (end == std::string_view::npos) return problem(key, "a variable that does not end: ${ without }");
      auto value = value_of(rest.substr(0, end), key);
      if (!value) return;
      out.append(*value);
      rest.remove_prefix(end + 1);
    }
    text = out.append(rest);
  }

  std::optional<std::string> value_of(std::string_view reference, std::string const& key) {
    if (reference.find("${") != std::string_view::npos)
      return problem(key, "a variable inside of a variable: defaults are plain text"), std::nullopt;
    auto const dash = reference.find(":-");
    auto const name = reference.substr(0, dash);
    std::optional<std::string> otherwise;
    if (dash != std::string_view::npos) otherwise = std::string(reference.substr(dash + 2));
    if (name.starts_with("input:")) return input(name.substr(6), key, otherwise);
    if (name.starts_with("env:")) return variable(name.substr(4), key, otherwise);
    if (auto const known = predefined(name)) {
      if (known->empty() && !otherwise) problem(key, "${" + std::string(name) + "} has no value here");
      return known->empty() ? otherwise : known;
    }
    return variable(name, key, otherwise);
  }
  std::optional<std::string> predefined(std::string_view name) const {
    auto const& folder = variables_.workspace_folder();
    if (name == "workspaceFolder" || name == "cwd") return folder;
    if (name == "workspaceFolderBasename") return folder.substr(folder.find_last_of("/\\") + 1);
    if (name == "userHome") return variables_.home();
    if (name == "pathSeparator" || name == "/") return this_platform() == config_platform::windows ? "\\" : "/";
    return {};
  }
  // A name is quoted only where it is one: anything else may be a part of a secret.
  static std::string what_is_wrong_with(std::string_view name) {
    auto const scope = name.substr(0, name.find(':'));
    if (scope.size() < name.size() && is_variable_name(scope))
      return "${" + std::string(scope) + ":...} is no variable that comcp knows";
    return "${...} with something that is no name of a variable";
  }
  std::optional<std::string> variable(std::string_view name, std::string const& key,
                                      std::optional<std::string> const& otherwise) {
    if (!is_variable_name(name)) return problem(key, what_is_wrong_with(name)), std::nullopt;
    auto const& only = variables_.only();
    if (only && std::find(only->begin(), only->end(), name) == only->end())
      return problem(key, "the environment variable " + std::string(name) + " is none that may be read", errc::denied),
             std::nullopt;
    auto const found = variables_.environment() ? variables_.environment()(name) : std::nullopt;
    if (!found && !otherwise)
      problem(key, "the environment variable " + std::string(name) + " is not set", errc::not_found);
    return found ? found : otherwise;
  }
  std::optional<std::string> input(std::string_view id, std::string const& key,
                                   std::optional<std::string> const& otherwise) {
    auto const asked = std::find_if(inputs_.begin(), inputs_.end(), [id](auto const& in) { return in.id == id; });
    auto const quoted = json::to_text(id);
    if (asked == inputs_.end()) {
      if (!otherwise) problem(key, "there is no input " + quoted + " among the file's inputs", errc::not_found);
      return otherwise;
    }
    if (variables_.inputs()) {
      auto answer = variables_.inputs()(*asked);
      if (answer) return answer->reveal();
      return problem(key, "no answer to the input " + quoted + ": " + std::string(answer.error().message())),
             std::nullopt;
    }
    auto const& value = otherwise ? otherwise : asked->default_value;
    if (!value) problem(key, "nobody is there to answer the input " + quoted, errc::not_found);
    return value;
  }

  void read_env_file() {
    auto& s = out_.server;
    if (!variables_.files()) return problem("envFile", "nobody is there to read it", errc::not_found);
    auto const text = variables_.files()(s.env_file);
    if (!text) return problem("envFile", std::string(text.error().message()), errc::not_found);
    auto lines = parse_env_file(*text);
    if (!lines) return problem("envFile", std::string(lines.error().message()));
    lines->insert(lines->end(), s.env.begin(), s.env.end());
    s.env = std::move(*lines);
  }

  void check() {
    auto const& s = out_.server;
    bool const started = s.kind == configured_kind::stdio;
    check_text(s.command, "command");
    check_text(s.cwd, "cwd");
    for (std::size_t i = 0; i < s.args.size(); ++i) check_text(s.args[i], config_key("args", i));
    for (auto const& [name, value] : s.env) {
      auto const key = config_key("env", name);
      if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string::npos)
        problem(key, "a name that no environment variable can have");
      check_text(value, key);
    }
    if (started && s.command.empty()) problem("command", "empty");
    if (started) return;
    if (auto const url = http_url::parse(s.url); !url) problem("url", std::string(url.error().message()));
    http_headers headers;
    for (auto const& [name, value] : s.headers) {
      if (auto const added = headers.add(name, value); !added)
        problem(config_key("headers", name), std::string(added.error().message()));
    }
  }
  void check_text(std::string const& text, std::string const& key) {
    if (text.find('\0') != std::string::npos) problem(key, "holds a NUL character");
  }

  std::vector<config_input> const& inputs_;
  config_variables const& variables_;
  expanded_server out_;
};

}  // namespace detail

COMCP_DECL expanded_server expand_server(configured_server const& s, std::vector<config_input> const& inputs,
                                         config_variables const& variables) {
  return detail::server_expander(s, inputs, variables).run();
}

COMCP_DECL std::vector<std::string> variables_read(configured_server const& s) {
  std::set<std::string> names;
  for (auto const* const text : {&s.command, &s.env_file, &s.cwd, &s.url}) detail::add_variables(names, *text);
  for (auto const& text : s.args) detail::add_variables(names, text);
  for (auto const* const all : {&s.env, &s.headers}) {
    for (auto const& [name, value] : *all) detail::add_variables(names, value);
  }
  return {names.begin(), names.end()};
}

}  // namespace comcp
#endif
#endif
#endif

// config/load.hpp
#if !defined(COMCP_SINGLE_CONFIG_LOAD_HPP)
#define COMCP_SINGLE_CONFIG_LOAD_HPP
// The file system and the environment of this process, for read.hpp and expand.hpp.

#include <string>

namespace comcp {

/// read_config() of a file, which names itself in problems unless the options name it. One that cannot be read gives a
/// problem with errc::not_found; so does what is no regular file (a FIFO, a device). Blocks while it reads.
[[nodiscard]] config_file load_config(std::string const& path, config_options options = {});

/// The environment, the current directory as workspace folder, the home directory, and regular files of at most 1 MiB. Inputs
/// have their defaults.
[[nodiscard]] config_variables process_variables();

}  // namespace comcp

// replace_file.hpp
#if !defined(COMCP_SINGLE_REPLACE_FILE_HPP)
#define COMCP_SINGLE_REPLACE_FILE_HPP
// Files that are read whole and replaced whole. What is in them, and who may read them, is decided elsewhere. It blocks.
// Internal.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace comcp::detail {

#if defined(_WIN32)
using native_file = std::intptr_t;     // a HANDLE; INVALID_HANDLE_VALUE is -1
using system_number = unsigned long;   // of GetLastError()
#else
using native_file = int;
using system_number = int;  // errno
#endif

/// A descriptor that is closed with it; below 0 where there is none.
class file_descriptor {
 public:
  explicit file_descriptor(native_file fd = -1) noexcept : fd_(fd) {}
  file_descriptor(file_descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept { return std::swap(fd_, other.fd_), *this; }
  ~file_descriptor();
  [[nodiscard]] native_file get() const noexcept { return fd_; }

 private:
  native_file fd_;
};

/// Opens a regular file for reading; anything else is errc::denied, and nothing is waited for, as a FIFO's writer would
/// be. Links are followed.
result<file_descriptor> open_regular(std::filesystem::path const& file);

#if defined(_WIN32)
/// Does it again for half a second, while another has the file: what scans for viruses, or a name that is being replaced.
/// The last error; 0 once it is done.
system_number patiently(std::function<bool()> const& action);
#endif

/// The system's own code and "cannot DOING FILE".
error file_error(system_number number, char const* doing, std::filesystem::path const& file);

/// The rest of an open file; it stops soon after `most` bytes, which the caller sees by the size.
result<std::string> read_rest(file_descriptor const& from, std::size_t most, std::filesystem::path const& file);

/// The file to which symbolic links lead.
std::filesystem::path link_target(std::filesystem::path const& file);

/// Writes the text beside the file and puts it in its place at once: no reader sees a part, and a crash leaves the old or
/// the new one. Links are followed. `mode` as in chmod(); Windows knows it as 0600, its user's alone, or as its folder has
/// it. There, a reader of comcp's is no hindrance; one that lets nobody write is, after half a second.
result<void> replace_file(std::filesystem::path const& file, std::string_view text, unsigned mode);

}  // namespace comcp::detail

// net/windows_owner.hpp
#if !defined(COMCP_SINGLE_NET_WINDOWS_OWNER_HPP)
#define COMCP_SINGLE_NET_WINDOWS_OWNER_HPP
// Who may have a file of Windows: its user and the system alone. Internal.

#if defined(_WIN32)

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <aclapi.h>
#include <sddl.h>

namespace comcp::detail {

struct local_memory {
  void operator()(void* memory) const noexcept { ::LocalFree(memory); }
};
template <class T>
using local_pointer = std::unique_ptr<T, local_memory>;

/// The user of this process: a SID inside; empty where the system does not say.
class current_user {
 public:
  current_user() {
    HANDLE token = nullptr;
    if (::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return;
    DWORD size = 0;
    ::GetTokenInformation(token, TokenUser, nullptr, 0, &size);
    about_.resize(size / sizeof(TOKEN_USER) + 1);
    if (::GetTokenInformation(token, TokenUser, about_.data(), static_cast<DWORD>(about_.size() * sizeof(TOKEN_USER)),
                              &size) == 0) {
      about_.clear();
    }
    ::CloseHandle(token);
  }
  [[nodiscard]] PSID sid() const noexcept { return about_.empty() ? nullptr : about_.front().User.Sid; }
  [[nodiscard]] std::wstring text() const {
    LPWSTR text = nullptr;
    if (sid() == nullptr || ::ConvertSidToStringSidW(sid(), &text) == 0) return {};
    local_pointer<wchar_t> const owned(text);
    return text;
  }

 private:
  std::vector<TOKEN_USER> about_;  // the first, with its SID behind it
};

/// For CreateFileW() and CreateDirectoryW(): nothing is inherited, and nobody else has any access. What is made in such a
/// folder is as private. attributes() is null where that cannot be said; GetLastError() says why.
class owner_only {
 public:
  owner_only() {
    auto const user = current_user().text();
    if (user.empty()) return;
    auto const words = L"O:" + user + L"D:P(A;OICI;FA;;;" + user + L")(A;OICI;FA;;;SY)";
    PSECURITY_DESCRIPTOR made = nullptr;
    if (::ConvertStringSecurityDescriptorToSecurityDescriptorW(words.c_str(), SDDL_REVISION_1, &made, nullptr) == 0) return;
    descriptor_.reset(made);
    attributes_.nLength = sizeof attributes_;
    attributes_.lpSecurityDescriptor = made;
  }
  [[nodiscard]] SECURITY_ATTRIBUTES* attributes() noexcept { return descriptor_ ? &attributes_ : nullptr; }

 private:
  local_pointer<void> descriptor_;
  SECURITY_ATTRIBUTES attributes_{};
};

}  // namespace comcp::detail

#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// impl/replace_file_posix.ipp
#if !defined(COMCP_SINGLE_IMPL_REPLACE_FILE_POSIX_IPP)
#define COMCP_SINGLE_IMPL_REPLACE_FILE_POSIX_IPP

#if !defined(_WIN32)

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace comcp::detail {

COMCP_DECL file_descriptor::~file_descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

COMCP_DECL error file_error(system_number number, char const* doing, std::filesystem::path const& file) {
  return error(std::error_code(number, std::generic_category()), std::string("cannot ") + doing + ' ' + file.string());
}

COMCP_DECL result<file_descriptor> open_regular(std::filesystem::path const& file) {
  file_descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct ::stat about {};
  if (fd.get() < 0 || ::fstat(fd.get(), &about) != 0) return file_error(errno, "open", file);
  if (!S_ISREG(about.st_mode)) return error(errc::denied, file.string() + " is no regular file");
  return fd;
}

COMCP_DECL result<std::string> read_rest(file_descriptor const& from, std::size_t most,
                                         std::filesystem::path const& file) {
  std::string text;
  char part[4096];
  while (text.size() <= most) {
    auto const n = ::read(from.get(), part, sizeof part);
    if (n == 0) break;
    if (n < 0 && errno != EINTR) return file_error(errno, "read", file);
    if (n > 0) text.append(part, static_cast<std::size_t>(n));
  }
  return text;
}

COMCP_DECL std::filesystem::path link_target(std::filesystem::path const& file) {
  std::error_code unresolved;
  auto resolved = std::filesystem::weakly_canonical(file, unresolved);
  return unresolved ? file : resolved;
}

// All of it, to the disk: 0, or errno.
COMCP_DECL int fill_file(int fd, std::string_view text, unsigned mode) noexcept {
  while (!text.empty()) {
    auto const n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fchmod(fd, static_cast<::mode_t>(mode)) != 0 || ::fsync(fd) != 0 ? errno : 0;
}

COMCP_DECL result<void> replace_file(std::filesystem::path const& file, std::string_view text, unsigned mode) {
  auto const target = link_target(file);
  std::string name = target.string() + ".XXXXXX";
  file_descriptor const to(::mkostemp(name.data(), O_CLOEXEC));  // of mode 0600
  if (to.get() < 0) return file_error(errno, "write beside", file);
  int failed = fill_file(to.get(), text, mode);
  if (failed == 0 && std::rename(name.c_str(), target.c_str()) != 0) failed = errno;
  if (failed == 0) return {};
  ::unlink(name.c_str());
  return file_error(failed, "write", file);
}

}  // namespace comcp::detail

#endif
#endif

// impl/replace_file_windows.ipp
#if !defined(COMCP_SINGLE_IMPL_REPLACE_FILE_WINDOWS_IPP)
#define COMCP_SINGLE_IMPL_REPLACE_FILE_WINDOWS_IPP

#if defined(_WIN32)

#include <algorithm>
#include <cstring>
#include <vector>

namespace comcp::detail {

COMCP_DECL file_descriptor::~file_descriptor() {
  if (fd_ != -1) ::CloseHandle(reinterpret_cast<HANDLE>(fd_));
}

COMCP_DECL error file_error(system_number number, char const* doing, std::filesystem::path const& file) {
  return error(windows_error(number), std::string("cannot ") + doing + ' ' + text_of_path(file));
}

COMCP_DECL system_number patiently(std::function<bool()> const& action) {
  for (int left = 20;; --left) {
    if (action()) return ERROR_SUCCESS;
    auto const why = ::GetLastError();
    if ((why != ERROR_SHARING_VIOLATION && why != ERROR_ACCESS_DENIED) || left == 0) return why;
    ::Sleep(5);
  }
}

// Whoever replaces it meanwhile may. A pipe in its place learns nothing of us.
COMCP_DECL result<file_descriptor> open_regular(std::filesystem::path const& file) {
  HANDLE opened = INVALID_HANDLE_VALUE;
  auto const failed = patiently([&] {
    opened = ::CreateFileW(file.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                           OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | SECURITY_SQOS_PRESENT | SECURITY_ANONYMOUS, nullptr);
    return opened != INVALID_HANDLE_VALUE;
  });
  if (failed != ERROR_SUCCESS) return file_error(failed, "open", file);
  file_descriptor fd(reinterpret_cast<native_file>(opened));
  BY_HANDLE_FILE_INFORMATION about{};
  bool const regular = ::GetFileType(opened) == FILE_TYPE_DISK && ::GetFileInformationByHandle(opened, &about) != 0 &&
                       (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
  if (!regular) return error(errc::denied, text_of_path(file) + " is no regular file");
  return fd;
}

COMCP_DECL result<std::string> read_rest(file_descriptor const& from, std::size_t most,
                                         std::filesystem::path const& file) {
  std::string text;
  char part[4096];
  while (text.size() <= most) {
    DWORD n = 0;
    if (::ReadFile(reinterpret_cast<HANDLE>(from.get()), part, sizeof part, &n, nullptr) == 0)
      return file_error(::GetLastError(), "read", file);
    if (n == 0) break;
    text.append(part, n);
  }
  return text;
}

COMCP_DECL std::filesystem::path link_target(std::filesystem::path const& file) {
  auto const attributes = ::GetFileAttributesW(file.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return file;
  auto const opened = ::CreateFileW(file.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  file_descriptor const owned(reinterpret_cast<native_file>(opened));
  if (opened == INVALID_HANDLE_VALUE) return file;
  std::wstring name(32'768, L'\0');
  auto const length = ::GetFinalPathNameByHandleW(opened, name.data(), static_cast<DWORD>(name.size()), 0);
  if (length == 0 || length >= name.size()) return file;
  name.resize(length);  // \\?\C:\..., or \\?\UNC\server\...
  if (name.starts_with(L"\\\\?\\UNC\\")) return L"\\" + name.substr(7);
  return name.starts_with(L"\\\\?\\") ? name.substr(4) : name;
}

// All of it, to the disk: ERROR_SUCCESS, or why not.
COMCP_DECL DWORD fill_file(HANDLE file, std::string_view text) noexcept {
  while (!text.empty()) {
    DWORD n = 0;
    auto const part = static_cast<DWORD>(std::min<std::size_t>(text.size(), std::size_t{1} << 20));
    if (::WriteFile(file, text.data(), part, &n, nullptr) == 0) return ::GetLastError();
    text.remove_prefix(n);
  }
  return ::FlushFileBuffers(file) != 0 ? ERROR_SUCCESS : ::GetLastError();
}

// As rename() has it: whoever has the old one open keeps it. NTFS can, since Windows 10.
COMCP_DECL bool rename_over(HANDLE file, std::filesystem::path const& target) {
  auto const& name = target.native();
  auto const name_bytes = name.size() * sizeof(wchar_t);
  std::vector<FILE_RENAME_INFO> room(name_bytes / sizeof(FILE_RENAME_INFO) + 2);
  auto& how = room.front();
  constexpr DWORD replace_if_exists = 1, posix_semantics = 2, flags = replace_if_exists | posix_semantics;
  std::memcpy(static_cast<void*>(&how), &flags, sizeof flags);  // a member of newer headers, at the beginning
  how.FileNameLength = static_cast<DWORD>(name_bytes);
  std::memcpy(how.FileName, name.c_str(), name_bytes + sizeof(wchar_t));
  constexpr auto file_rename_info_ex = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
  return ::SetFileInformationByHandle(file, file_rename_info_ex, &how,
                                      static_cast<DWORD>(room.size() * sizeof(FILE_RENAME_INFO))) != 0;
}

COMCP_DECL result<void> replace_file(std::filesystem::path const& file, std::string_view text, unsigned mode) {
  auto const target = link_target(file);
  auto const beside = target.native() + to_wide("." + unguessable_hex(8) + ".tmp");
  owner_only owner;
  bool const alone = (mode & 077U) == 0;
  if (alone && owner.attributes() == nullptr) return file_error(::GetLastError(), "make private", file);
  auto const opened = ::CreateFileW(beside.c_str(), GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                    alone ? owner.attributes() : nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (opened == INVALID_HANDLE_VALUE) return file_error(::GetLastError(), "write beside", file);
  file_descriptor to(reinterpret_cast<native_file>(opened));
  auto failed = fill_file(opened, text);
  if (failed == ERROR_SUCCESS && rename_over(opened, target)) return {};
  to = file_descriptor();
  if (failed == ERROR_SUCCESS) {
    failed = patiently([&] {
      return ::MoveFileExW(beside.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
    });
  }
  if (failed == ERROR_SUCCESS) return {};
  ::DeleteFileW(beside.c_str());
  return file_error(failed, "write", file);
}

}  // namespace comcp::detail

#endif
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// config/impl/load.ipp
#if !defined(COMCP_SINGLE_CONFIG_IMPL_LOAD_IPP)
#define COMCP_SINGLE_CONFIG_IMPL_LOAD_IPP
#include <filesystem>

namespace comcp {
namespace detail {

// More than `most` bytes where the file is larger, so that the caller sees it.
inline result<std::string> text_of_file(std::string const& name, std::size_t most) {
  auto const path = path_from_text(name);
  auto const from = open_regular(path);
  if (!from && from.error() == errc::denied) return error(errc::not_found, "cannot be read: it is no regular file");
  if (!from) return error(errc::not_found, "cannot be read: there is no such file, or it may not be read");
  auto text = read_rest(*from, most, path);
  if (!text) return error(errc::not_found, "cannot be read");
  return text;
}

}  // namespace detail

COMCP_DECL config_file load_config(std::string const& path, config_options options) {
  if (options.file().empty()) options.file(path);
  auto const text = detail::text_of_file(path, options.max_bytes());
  if (text) return read_config(*text, options);
  config_file out;
  out.path = options.file();
  out.problems.push_back({out.path, 0, 0, "", errc::not_found, std::string(text.error().message())});
  return out;
}

COMCP_DECL config_variables process_variables() {
  config_variables out;
  out.environment(detail::environment_variable);
  std::error_code failed;
  auto const here = std::filesystem::current_path(failed);
  if (!failed) out.workspace_folder(detail::text_of_path(here));
  auto const* const home = this_platform() == config_platform::windows ? "USERPROFILE" : "HOME";
  out.home(detail::environment_variable(home).value_or(""));
  out.files([](std::string const& path) -> result<std::string> {
    constexpr std::size_t most = std::size_t{1} << 20;
    auto text = detail::text_of_file(path, most);
    if (text && text->size() > most) return error(errc::limit_exceeded, "larger than 1 MiB");
    return text;
  });
  return out;
}

}  // namespace comcp
#endif
#endif
#endif

// extensions/app_bridge.hpp
#if !defined(COMCP_SINGLE_EXTENSIONS_APP_BRIDGE_HPP)
#define COMCP_SINGLE_EXTENSIONS_APP_BRIDGE_HPP
// Between an app and its server: JSON-RPC text comes from the app's frame and goes back to it, by whatever way the host
// has. Only what is on the list of the specification passes, to the one server that the app came from; what the host has to
// decide it is asked. No browser is in here. Spec: the extension io.modelcontextprotocol/ui, version 2026-01-26.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

// extensions/app_host.hpp
#if !defined(COMCP_SINGLE_EXTENSIONS_APP_HOST_HPP)
#define COMCP_SINGLE_EXTENSIONS_APP_HOST_HPP
// What an app's host is to it: how it is called, what it tells and grants, and what it decides when the app asks. What a
// host does not decide, the app is refused. Spec: the extension io.modelcontextprotocol/ui, version 2026-01-26.

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// extensions/apps.hpp
#if !defined(COMCP_SINGLE_EXTENSIONS_APPS_HPP)
#define COMCP_SINGLE_EXTENSIONS_APPS_HPP
// Apps: pages of HTML that a server has for the results of its tools. Here a client says that it shows them, reads one and
// checks it; what a page may reach becomes text for a browser. extensions/app_bridge.hpp is how the page talks; showing it
// is the host's. Spec: the extension io.modelcontextprotocol/ui, version 2026-01-26 (repository ext-apps).

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

// client/extension.hpp
#if !defined(COMCP_SINGLE_CLIENT_EXTENSION_HPP)
#define COMCP_SINGLE_CLIENT_EXTENSION_HPP
// Extensions of the protocol: what one brings (settings, methods, result types, notifications, keys of a listen filter
// and of `_meta`) is said by one type, a user's own too, and registers where a call and what comes in pass by.
// Specification: 2026-07-28, basic (extension negotiation)

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <asio/awaitable.hpp>

// client/extension_part.hpp
#if !defined(COMCP_SINGLE_CLIENT_EXTENSION_PART_HPP)
#define COMCP_SINGLE_CLIENT_EXTENSION_PART_HPP
// An extension at work on one connection, whatever its type. On home only. Internal.

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

namespace comcp {
class unsent_call;
class unfinished_call;

namespace detail {
class client_link;
struct brought_extension;
struct connect_settings;

class extension_part {
 public:
  virtual ~extension_part() = default;
  [[nodiscard]] virtual std::string_view identifier() const noexcept = 0;
  /// Null for what is none of its methods.
  [[nodiscard]] virtual wire::method_rules const* method(std::string_view name) const noexcept = 0;
  [[nodiscard]] virtual bool claims(std::string_view method, std::string_view result_type) const = 0;
  /// Members for the parameters; where there are some, the result is this extension's.
  [[nodiscard]] virtual json::fragment params(unsent_call const& c) const = 0;
  virtual asio::awaitable<json::value> complete(unfinished_call& c) = 0;
  [[nodiscard]] virtual bool abandons() const noexcept = 0;
  virtual asio::awaitable<void> abandon(unfinished_call& c) = 0;
  virtual void notified(std::string const& method, json::value const& params) = 0;
  [[nodiscard]] virtual subscription_filter listen() const = 0;
  [[nodiscard]] virtual json::fragment meta(std::string_view method) const = 0;
};

inline era era_of(client_link const& core) {
  auto const server = core.server();
  return server->version ? server->version->era() : era::legacy;
}
COMCP_LAZY void add_extension(connect_settings& settings, brought_extension e);
COMCP_LAZY prepared_call extension_call(wire::method_rules const& m, json::fragment params, call_options options);
/// `own`, bounded by the call that such a request belongs to; and a wait that is.
COMCP_LAZY call_options within(client_link& core, call_options const& of, std::chrono::steady_clock::time_point end,
                               call_options own);
COMCP_LAZY asio::awaitable<void> wait_within(std::shared_ptr<client_link> core, std::chrono::nanoseconds d,
                                             std::stop_token wake, std::chrono::steady_clock::time_point end);
/// What the extensions want to hear of has changed.
COMCP_LAZY void listen_again(client_link& core);

}  // namespace detail
}  // namespace comcp
#endif

namespace comcp {

/// A method that an extension calls: its name, its eras, `missing` (undeclared<E> where the server has to have declared
/// it), and `subject`, the parameter that is its Mcp-Name where it `is_mirrored`.
using extension_method = wire::method_rules;

/// For extension_method::missing: the server did not declare E.
template <class E>
char const* undeclared(server_capabilities const& c) {
  static std::string const name(E::identifier);
  return c.supports(name) ? nullptr : name.c_str();
}

/// A call whose answer is of a type that an extension claims, as who completes it sees it. On the client's executor, in a
/// coroutine beside the call's: at its hard timeout, by its stop token, its cancellation or close() the call ends at once,
/// and that coroutine is cancelled. Errors end the call with call_outcome::open, as the server has begun to work on it.
class unfinished_call {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  unfinished_call(std::shared_ptr<detail::client_link> core, detail::prepared_call const& c, json::value result,
                  time_point end)
      : core_(std::move(core)), call_(c), result_(std::move(result)), end_(end) {
    call_.room = nullptr;  // the caller's
  }

  [[nodiscard]] std::string_view method() const noexcept { return call_.method; }
  [[nodiscard]] json::value params() const { return json::parse(call_.params.empty() ? "{}" : call_.params).value(); }
  [[nodiscard]] call_options const& options() const noexcept { return call_.options; }
  /// What the server answered.
  [[nodiscard]] json::value const& result() const noexcept { return result_; }

  [[nodiscard]] comcp::era era() const { return detail::era_of(*core_); }
  [[nodiscard]] time_point now() const { return core_->bounds({}).now; }

  /// A further request, of the extension's: part of this call, so that interceptors do not see it, and bounded by what is
  /// left of its hard timeout, whatever `options` say. Throws comcp::exception.
  template <json::readable T = json::value>
  [[nodiscard]] asio::awaitable<T> request(extension_method const& m, json::fragment params,
                                           call_options options = call_options()) const {
    if (is_over()) return detail::failed<T>(errc::cancelled);
    auto c = detail::extension_call(m, std::move(params),
                                    detail::within(*core_, call_.options, end_, std::move(options)));
    c.internal = !c.unusable;
    return detail::typed_call<T>(core_, std::move(c));
  }
  /// What the server asks for before it goes on, answered by the client's handler as a round of the call itself would
  /// be: an object with an answer for each key. Throws as such a call would end, limit_exceeded for more rounds than
  /// limits().input_rounds() among it.
  COMCP_LAZY [[nodiscard]] asio::awaitable<json::fragment> answer(input_requests asked);
  /// Waits, or until stop is requested of `wake`. Throws where the call is cancelled, its hard timeout is over, or the
  /// client closes before.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> wait(timespan d, std::stop_token wake = {}) const;
  /// To the caller's on_progress().
  COMCP_LAZY void progress(progress_notification p);
  /// What the caller heard last since the server's first answer, of the server's too; nothing yet: 0.
  [[nodiscard]] progress_notification const& last_progress() const noexcept { return progress_; }
  /// What listen() gives has changed.
  COMCP_LAZY void listen_again() const;
  /// Nothing of it is left at the server: abandon() is not called.
  void settled() noexcept { settled_ = true; }
  [[nodiscard]] bool is_settled() const noexcept { return settled_; }
  [[nodiscard]] server_capabilities capabilities() const { return core_->server()->capabilities; }
  /// The call has ended: nobody hears of it any more.
  [[nodiscard]] bool is_over() const noexcept { return waits_ && waits_->id == 0; }
  /// Internal.
  void waits_as(detail::pending_entry const& e) noexcept { waits_ = &e; }

 private:
  std::shared_ptr<detail::client_link> core_;
  detail::prepared_call call_;
  json::value result_;
  progress_notification progress_;
  time_point end_;
  detail::pending_entry const* waits_ = nullptr;  // of who waits for the call's end
  std::size_t rounds_ = 0;
  bool settled_ = false;
};

/// A call before it is sent.
class unsent_call {
 public:
  unsent_call(detail::prepared_call const& c, server_capabilities const& server, comcp::era era, comcp::task_support support) noexcept
      : call_(c), server_(server), era_(era), task_support_(support) {}

  [[nodiscard]] std::string_view method() const noexcept { return call_.method; }
  [[nodiscard]] comcp::era era() const noexcept { return era_; }
  /// Of extension_client::begin_tool().
  [[nodiscard]] bool is_begun_only() const noexcept { return call_.handed_over; }
  [[nodiscard]] server_capabilities const& capabilities() const noexcept { return server_; }
  /// Legacy era: what is known of the tool that is called.
  [[nodiscard]] comcp::task_support task_support() const noexcept { return task_support_; }

 private:
  detail::prepared_call const& call_;
  server_capabilities const& server_;
  comcp::era era_;
  comcp::task_support task_support_;
};

/// What the operations of an extension are made with: a client whose server declared it. A handle, which does not own
/// the connection.
class extension_client {
 public:
  explicit extension_client(std::shared_ptr<detail::client_link> core) noexcept : core_(std::move(core)) {}

  /// One request. Errors: as of client.request(), not_in_protocol, capability_missing.
  template <json::readable T = json::value>
  [[nodiscard]] asio::awaitable<T> call(extension_method const& m, json::fragment params = json::fragment(),
                                        call_options options = call_options()) const {
    return detail::typed_call<T>(core_, detail::extension_call(m, std::move(params), std::move(options)));
  }
  /// The first answer of a tool: its result, or what this extension would complete.
  COMCP_LAZY [[nodiscard]] asio::awaitable<json::value> begin_tool(std::string_view name, json::fragment arguments,
                                                                   call_options options) const;
  /// Goes on where a tool was begun, with all that completes a call; interceptors do not see it again. abandon() is not
  /// called.
  COMCP_LAZY [[nodiscard]] asio::awaitable<call_tool_result> finish_tool(std::string_view name,
                                                                         std::shared_ptr<detail::earlier_answer> first,
                                                                         call_options options) const;
  [[nodiscard]] std::shared_ptr<detail::client_link> const& core() const noexcept { return core_; }

 private:
  std::shared_ptr<detail::client_link> core_;
};

/// An extension is any type with an identifier. What else it brings, it says by having these members:
///
///     static constexpr std::string_view identifier = "com.example/jobs";
///     json::fragment settings() const;                        // in the client's capabilities; default {}
///     static constexpr std::array methods = {extension_method{...}};
///     bool claims(std::string_view method, std::string_view result_type) const;
///     asio::awaitable<json::value> complete(unfinished_call& c);    // of what it claims: the call's result, or throws
///     asio::awaitable<void> abandon(unfinished_call& c);      // the call ended before that, even before the server's first
///                                                             // answer, which may come later: tell the server. For 10 s
///     json::fragment params(unsent_call const& c) const;      // members for the parameters; that call's result is claimed
///     static bool is_offered(server_capabilities const& c);   // default: c.supports(identifier)
///     using notifications = std::tuple<job_done>;             // described types with a static `method`
///     void on(job_done const& n);                             // on the client's executor; handlers hear of it, too
///     subscription_filter listen() const;                     // modern era: what the shared stream shall bring
///     json::fragment meta(std::string_view method) const;     // members for `_meta` of each request; the caller's win
///     using operations = job_operations;                      // client.extension<E>(); made of an extension_client
///
/// Each connection has a copy of it.
template <class E>
concept client_extension = std::copy_constructible<E> && requires {
  { std::string_view(*&E::identifier) };  // a static one
};

namespace detail {

template <class E>
concept claims_results = requires(E const& e, std::string_view s) {
  { e.claims(s, s) } -> std::same_as<bool>;
};
template <class E>
concept completes_results = requires(E& e, unfinished_call& c) {
  { e.complete(c) } -> std::same_as<asio::awaitable<json::value>>;
};

template <class E>
class part_of final : public extension_part {
 public:
  explicit part_of(E e) : extension_(std::move(e)) {}

  [[nodiscard]] std::string_view identifier() const noexcept override { return E::identifier; }
  [[nodiscard]] extension_method const* method(std::string_view name) const noexcept override {
    if constexpr (requires { E::methods.begin(); }) {
      for (auto const& m : E::methods) {
        if (m.name == name) return &m;
      }
    }
    return nullptr;
  }
  [[nodiscard]] bool claims(std::string_view method, std::string_view result_type) const override {
    if constexpr (claims_results<E>) return extension_.claims(method, result_type);
    return false;
  }
  [[nodiscard]] json::fragment params(unsent_call const& c) const override {
    if constexpr (requires { extension_.params(c); }) return extension_.params(c);
    else return {};
  }
  [[nodiscard]] bool abandons() const noexcept override {
    return requires(E& e, unfinished_call& c) { e.abandon(c); };
  }
  asio::awaitable<void> abandon(unfinished_call& c) override {
    if constexpr (requires { extension_.abandon(c); }) return extension_.abandon(c);
    else return failed<void>(errc::not_in_protocol);
  }
  asio::awaitable<json::value> complete(unfinished_call& c) override {
    if constexpr (claims_results<E>) return extension_.complete(c);
    else return failed<json::value>(errc::protocol_violation);
  }
  void notified(std::string const& method, json::value const& params) override {
    if constexpr (requires { typename E::notifications; }) {
      std::apply([&](auto... kinds) { (tell<decltype(kinds)>(method, params), ...); }, typename E::notifications());
    }
  }
  [[nodiscard]] subscription_filter listen() const override {
    if constexpr (requires { extension_.listen(); }) return extension_.listen();
    else return {};
  }
  [[nodiscard]] json::fragment meta(std::string_view method) const override {
    if constexpr (requires { extension_.meta(method); }) return extension_.meta(method);
    else return {};
  }

 private:
  template <class N>
  void tell(std::string const& method, json::value const& params) {
    if (method != N::method) return;
    auto const n = json::read<N>(params.view());
    if (!n) throw exception(n.error());
    extension_.on(*n);
  }

  E extension_;
};

template <class E>
brought_extension bring(E e) {
  static_assert(client_extension<E>, "comcp: this type is no extension: it needs a static identifier, a text");
  static_assert(claims_results<E> == completes_results<E>,
                "comcp: an extension that claims result types completes them: bool claims(std::string_view method, "
                "std::string_view result_type) const and asio::awaitable<json::value> complete(unfinished_call&)");
  brought_extension out;
  out.name = std::string(std::string_view(E::identifier));
  if constexpr (requires { e.settings(); }) out.settings = e.settings();
  out.listens = requires { e.listen(); };
  out.claims = claims_results<E>;
  out.make = [e = std::move(e)]() -> std::unique_ptr<extension_part> { return std::make_unique<part_of<E>>(e); };
  return out;
}

COMCP_LAZY extension_client checked_extension(std::shared_ptr<client_link> const& core, std::string name, bool is_offered,
                                              bool claims);

template <class E>
extension_client negotiated(std::shared_ptr<client_link> const& core) {
  require(core);
  std::string name{std::string_view(E::identifier)};
  auto const server = core->server();
  bool is_offered = server->capabilities.supports(name);
  if constexpr (requires { E::is_offered(server->capabilities); }) is_offered = E::is_offered(server->capabilities);
  return checked_extension(core, std::move(name), is_offered, claims_results<E>);
}

}  // namespace detail

template <class E>
connect_options& connect_options::extension(E e) {
  detail::add_extension(settings_, detail::bring(std::move(e)));
  return *this;
}

}  // namespace comcp

// client/extensions.hpp
#if !defined(COMCP_SINGLE_CLIENT_EXTENSIONS_HPP)
#define COMCP_SINGLE_CLIENT_EXTENSIONS_HPP
// The extensions of a client, as the last step of a call's way asks them. Internal.

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp {
class client_core;

namespace detail {

/// All of a client's. On home only.
class extensions {
 public:
  COMCP_LAZY explicit extensions(client_core& core);

  /// What a call of theirs, or any other, gets of them: the rules of its method, members of `_meta` and parameters. Whose
  /// the result is, where one has changed the parameters.
  COMCP_LAZY extension_part* prepare(prepared_call& c) const;
  /// Whose such a result is; null for nobody's.
  COMCP_LAZY [[nodiscard]] extension_part* claimant(std::string_view method, json::view result) const;
  /// Whether one of them tells servers of calls that ended before their time.
  COMCP_LAZY [[nodiscard]] bool abandon_calls() const noexcept;
  COMCP_LAZY asio::awaitable<reply> complete(extension_part& part, prepared_call const& c, json::value result) const;
  /// Its caller went away before the answer, which may be that the server has begun something for nobody. `part`: who
  /// changed its parameters, or null.
  COMCP_LAZY void left(request_id id, extension_part* part, prepared_call const& c) noexcept;
  /// For inbound.
  COMCP_LAZY void answered_late(request_id id, std::string_view result);
  COMCP_LAZY bool notified(std::string const& method, json::value const& params) const;
  COMCP_LAZY void listen(subscription_filter& wanted) const;

 private:
  struct left_call {
    extension_part* part;
    wire::method method;
    std::string params;
    std::stop_source heard_of;
  };
  COMCP_LAZY [[nodiscard]] bool add_params(extension_part const& part, prepared_call& c) const;
  COMCP_LAZY void abandon(extension_part& part, wire::method m, std::string params, json::value result) const;
  COMCP_LAZY static asio::awaitable<void> forget(std::shared_ptr<void> core, extensions& self, request_id id,
                                                 std::stop_token heard_of);

  client_core& core_;
  std::vector<std::unique_ptr<extension_part>> parts_;
  std::map<request_id, left_call> left_;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/extensions.ipp
#if !defined(COMCP_SINGLE_CLIENT_IMPL_EXTENSIONS_IPP)
#define COMCP_SINGLE_CLIENT_IMPL_EXTENSIONS_IPP
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace comcp {
namespace detail {

// The keys of `_meta` that the caller has set, in the options or in the parameters.
COMCP_LAZY std::set<std::string, std::less<>> own_meta_keys(prepared_call const& c) {
  std::set<std::string, std::less<>> keys;
  for (auto const& [key, text] : c.options.meta()) keys.insert(key);
  auto const params = c.params.empty() ? result<json::value>(json::value()) : json::parse(c.params);
  auto const meta = params && params->is_object() ? params->view().find("_meta") : std::nullopt;
  if (!meta || !meta->is_object()) return keys;
  for (auto const m : meta->members()) keys.emplace(m.key);
  return keys;
}

/// The last step of a call's way: it has what the server answered, and nobody above sees anything but the end.
class extension_step {
 public:
  COMCP_LAZY explicit extension_step(client_core& core) : core_(core), all_(core) {}
  extension_step(extension_step const&) = delete;
  extension_step& operator=(extension_step const&) = delete;

  [[nodiscard]] bool concerns(std::string_view) const noexcept { return true; }
  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c, performer next);
  COMCP_LAZY void listens(subscription_filter& wanted) const { all_.listen(wanted); }

 private:
  client_core& core_;
  extensions all_;
  std::function<bool(std::string_view, json::view)> const claims_ = [this](std::string_view method, json::view r) {
    return all_.claimant(method, r) != nullptr;
  };
};

COMCP_LAZY_DECL void add_extension(connect_settings& settings, brought_extension e) {
  settings.brought.push_back(std::move(e));
  settings.steps[connect_settings::extending] = [](client_core& core) {
    return std::make_unique<step_of<extension_step>>(core);
  };
}

COMCP_LAZY_DECL extensions::extensions(client_core& core) : core_(core) {
  bool listens = false;
  for (auto const& each : core.settings.brought) {
    parts_.push_back(each.make());
    listens |= each.listens;
  }
  if (listens) core.subscriptions.hub([](client_core& c) { return make_subscriptions(c); });
  core.inbound.add(notification_sink(*this));
}

/// In the frame of who waits for an answer: whether it went away before.
template <class Extensions>  // so that what it calls is compiled by who calls
class leaving {
 public:
  template <class Core>
  leaving(Core& core, Extensions& all, extension_part* part, prepared_call& c) : all_(all), part_(part), call_(c) {
    bool const modern = core.is_modern();
    c.is_seen_to = part && !modern && part->abandons();
    // The modern era's response over HTTP is closed, which the server hears.
    bool const may_hear = modern ? !core.is_http() && !c.repeatable && all.abandon_calls() : c.is_seen_to;
    if (may_hear || c.options.wants_progress()) {
      if (!c.told_id) c.told_id = std::make_shared<request_id>(0);
    }
    is_gone_ = may_hear;
  }
  leaving(leaving const&) = delete;
  leaving& operator=(leaving const&) = delete;
  ~leaving() {
    if (is_gone_ && *call_.told_id) all_.left(*call_.told_id, part_, call_);
  }
  void ended(reply const& r) noexcept {
    if (r || (r.error() != errc::cancelled && r.error() != errc::timeout)) is_gone_ = false;
  }

 private:
  Extensions& all_;
  extension_part* part_;
  prepared_call& call_;
  bool is_gone_;
};

COMCP_LAZY_DECL asio::awaitable<reply> extension_step::perform(prepared_call& c, performer next) {
  auto* part = c.earlier ? nullptr : all_.prepare(c);
  c.claims = &claims_;
  reply r = error(errc::cancelled);
  if (c.earlier) {
    r = c.earlier->value;
  } else {
    leaving here(core_, all_, part, c);
    auto asking = next(c);
    r = co_await std::move(asking);
    here.ended(r);
    // One that nobody listed may be a tool that has to be called in an extension's way: it was refused unread.
    bool const unread = !r && r.error().peer() && r.error().peer()->code == -32601;
    if (unread && !part && core_.facts.task_support(c) == task_support::unknown) {
      auto listing = core_.exchange.list_again(c);
      bool const found = co_await std::move(listing);
      if (found) part = all_.prepare(c);
      if (part) {
        leaving again(core_, all_, part, c);
        auto repeating = next(c);
        r = co_await std::move(repeating);
        again.ended(r);
      }
    }
  }
  if (r && !part) part = all_.claimant(c.method.name(), r->view());
  if (r && part && !c.handed_over) {
    auto completing = all_.complete(*part, c, *std::move(r));
    r = co_await std::move(completing);
  }
  co_return r;
}

COMCP_LAZY_DECL bool extensions::add_params(extension_part const& part, prepared_call& c) const {
  unsent_call const o(c, core_.facts.capabilities, core_.is_modern() ? era::modern : era::legacy, core_.facts.task_support(c).value_or(task_support::forbidden));
  auto const brings = part.params(o);
  if (brings.empty()) return false;
  auto const added = json::parse(brings.text());
  auto const given = json::parse(c.params.empty() ? "{}" : c.params);
  if (!added || !added->is_object() || !given || !given->is_object()) {
    c.unusable = error(errc::invalid_argument, "parameters, and what an extension brings for them, are objects");
    return false;
  }
  json::writer w;
  w.begin_object();
  bool changed = false;
  for (auto const m : given->view().members()) w.key(m.key).value(m.value);
  for (auto const m : added->view().members()) {
    if (given->contains(m.key)) continue;  // the caller's own
    w.key(m.key).value(m.value);
    changed = true;
  }
  w.end_object();
  if (changed) c.params = std::move(w).text();
  return changed;
}

COMCP_LAZY_DECL extension_part* extensions::prepare(prepared_call& c) const {
  extension_part* whose = nullptr;
  for (auto const& part : parts_) {
    auto const name = c.method.text();
    if (auto const* const own = part->method(name)) c.method = *own;
    if (add_params(*part, c)) whose = part.get();
    auto const brings = part->meta(name);
    if (brings.empty()) continue;
    auto const members = json::parse(brings.text());
    if (!members || !members->is_object()) {
      c.unusable = error(errc::invalid_argument, "what an extension brings for _meta is an object");
      return whose;
    }
    auto const said = own_meta_keys(c);
    for (auto const m : members->view().members()) {
      if (!said.contains(m.key)) c.options.meta(std::string(m.key), json::raw(m.value.dump()));
    }
  }
  return whose;
}

COMCP_LAZY_DECL bool extensions::abandon_calls() const noexcept {
  return std::any_of(parts_.begin(), parts_.end(), [](auto const& part) { return part->abandons(); });
}

COMCP_LAZY_DECL extension_part* extensions::claimant(std::string_view method, json::view result) const {
  if (!result.is_object()) return nullptr;
  auto const type = result.find("resultType");
  auto const text = type ? type->get_string() : std::nullopt;
  if (!text) return nullptr;
  for (auto const& part : parts_) {
    if (part->claims(method, *text)) return part.get();
  }
  return nullptr;
}

COMCP_LAZY_DECL bool extensions::notified(std::string const& method, json::value const& params) const {
  for (auto const& part : parts_) {
    try {
      part->notified(method, params);
    } catch (...) {
      core_.fault(current_error());
    }
  }
  return false;  // whoever else listens hears of it, too
}

COMCP_LAZY_DECL void extensions::listen(subscription_filter& wanted) const {
  for (auto const& part : parts_) {
    auto const& facts = core_.facts;
    if (!facts.is_undiscovered() && !facts.capabilities.supports(part->identifier())) continue;
    try {
      wanted.unite(part->listen());
    } catch (...) {
      core_.fault(current_error());
    }
  }
}

COMCP_LAZY_DECL extension_client checked_extension(std::shared_ptr<client_link> const& core, std::string name,
                                                   bool is_offered, bool claims) {
  client_core const& own = core->core();
  auto const& brought = own.settings.brought;
  bool const is_brought = std::any_of(brought.begin(), brought.end(), [&](auto const& each) { return each.name == name; });
  if (!core->declares(name) || (claims && !is_brought))  // by its name alone nobody would complete its results
    throw exception(error(errc::not_in_protocol, "connect_options().extension() was not given " + name));
  if (!is_offered && own.settings.check_capabilities)
    throw exception(error(errc::capability_missing, "the server did not declare " + name));
  return extension_client(core);
}

COMCP_LAZY_DECL prepared_call extension_call(wire::method_rules const& m, json::fragment params, call_options options) {
  auto bad = check_params(params);
  prepared_call c(m, std::move(params).text(), std::move(options));
  c.unusable = std::move(bad);
  return c;
}

COMCP_LAZY_DECL call_options within(client_link& core, call_options const& of,
                                    std::chrono::steady_clock::time_point end, call_options own) {
  auto const left = std::max<std::chrono::nanoseconds>(end - core.bounds(of).now, std::chrono::nanoseconds(1));
  if (own.timeout()) own.timeout(std::min(*own.timeout(), left));  // a hard timeout is never below it
  own.hard_timeout(left);
  return own.stop(of.stop());
}

COMCP_LAZY_DECL asio::awaitable<void> wait_within(std::shared_ptr<client_link> core, std::chrono::nanoseconds d,
                                                  std::stop_token wake, std::chrono::steady_clock::time_point end) {
  auto const left = end - core->bounds({}).now;
  auto waiting = core->life().sleep(std::min(d, std::chrono::nanoseconds(left)), wake);
  auto const why = co_await std::move(waiting);
  if (why == errc::cancelled && wake.stop_requested()) co_return;
  if (why) throw exception(why);
  if (d >= left) throw exception(error(errc::timeout, "the hard timeout of the call is over"));
}

COMCP_LAZY_DECL void listen_again(client_link& core) {
  if (era_of(core) == era::modern) subscriptions_of<client_core>(core).refresh();
}

}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<void> unfinished_call::wait(timespan d, std::stop_token wake) const {
  if (is_over()) return detail::failed<void>(errc::cancelled);
  return detail::wait_within(core_, d, std::move(wake), end_);
}

COMCP_LAZY_DECL asio::awaitable<json::fragment> unfinished_call::answer(input_requests asked) {
  if (is_over()) throw exception(error(errc::cancelled));
  client_core& core = core_->core();
  if (++rounds_ > core.settings.limits.input_rounds())
    throw exception(error(errc::limit_exceeded, "more input rounds than limits().input_rounds()"));
  input_required_result required;
  required.input_requests = std::move(asked);
  auto answering = core.exchange.answer(std::move(required), call_.options.stop(), end_);
  auto answers = co_await std::move(answering);
  if (!answers) throw exception(answers.error());
  co_return json::fragment::trusted(*std::move(answers));
}

COMCP_LAZY_DECL void unfinished_call::listen_again() const { detail::listen_again(*core_); }

COMCP_LAZY_DECL asio::awaitable<json::value> extension_client::begin_tool(std::string_view name, json::fragment arguments,
                                                                          call_options options) const {
  auto c = detail::tool_call(name, std::move(arguments), std::move(options));
  c.handed_over = true;
  return detail::typed_call<json::value>(core_, std::move(c));
}

COMCP_LAZY_DECL asio::awaitable<call_tool_result> extension_client::finish_tool(
    std::string_view name, std::shared_ptr<detail::earlier_answer> first, call_options options) const {
  auto c = detail::tool_call(name, {}, std::move(options));
  c.earlier = std::move(first);
  c.internal = !c.unusable;
  return detail::typed_call<call_tool_result>(core_, std::move(c));
}

COMCP_LAZY_DECL void unfinished_call::progress(progress_notification p) {
  if (is_over()) return;
  progress_ = p;
  auto const& told = call_.options.on_progress();
  if (!told) return;
  try {
    told(p);
  } catch (...) {
    core_->fault(error(errc::invalid_argument, "a progress callback threw"));
  }
}

}  // namespace comcp
#endif

// client/impl/completion.ipp
#if !defined(COMCP_SINGLE_CLIENT_IMPL_COMPLETION_IPP)
#define COMCP_SINGLE_CLIENT_IMPL_COMPLETION_IPP
// What an extension does once a server's first answer is there: it completes the call, or has what was begun given up.

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <asio/cancellation_signal.hpp>

namespace comcp::detail {

// What completes a call runs beside it, so that the call ends in time whatever that awaits.
template <class Core>
struct completion {
  completion(Core& c, prepared_call const& of, json::value result, std::chrono::steady_clock::time_point end)
      : core(c.shared_from_this()), call(c.facade(), of, std::move(result), end) {}

  // Progress under its first request's token is still the call's.
  class hearing {
   public:
    hearing(std::shared_ptr<completion> const& self, request_id id) : exchange_(self->core->exchange), id_(id) {
      auto told = [k = self.get()](progress_notification const& p) { k->call.progress(p); };
      if (id_) exchange_.hears_on(id_, std::move(told));
    }
    hearing(hearing const&) = delete;
    hearing& operator=(hearing const&) = delete;
    ~hearing() {
      if (id_) exchange_.hears_on(id_, {});
    }

   private:
    exchange& exchange_;
    request_id id_;
  };

  static asio::awaitable<void> carry_out(std::shared_ptr<completion> self, extension_part& part) {
    try {
      auto completing = part.complete(self->call);
      auto value = co_await std::move(completing);
      self->outcome = std::move(value);
    } catch (...) {
      self->outcome = current_error();
    }
    self->core->calls.end(self->done.id, json::value());
  }

  // Nobody waits any more. Whatever it needs of the call is in it; its bounds are new ones.
  static asio::awaitable<void> give_up(std::shared_ptr<completion> self, extension_part& part) {
    try {
      auto telling = part.abandon(self->call);
      co_await std::move(telling);
    } catch (...) {  // it is only a courtesy
    }
  }

  std::shared_ptr<Core> const core;  // which owns the part
  unfinished_call call;
  pending_entry done{pending_entry::span::client};
  reply outcome = error(errc::cancelled);
  asio::cancellation_signal signal;
};

COMCP_LAZY_DECL asio::awaitable<reply> extensions::complete(extension_part& part, prepared_call const& c,
                                                            json::value result) const {
  auto& calls = core_.calls;
  auto const end = later(c.earlier ? calls.now() : c.started, calls.hard_limit(c.options));
  auto const k = std::make_shared<completion<client_core>>(core_, c, std::move(result), end);
  typename completion<client_core>::hearing const hears(k, c.told_id && !c.earlier ? *c.told_id : 0);
  reply outcome = error(errc::queue_full, "too many calls in flight");
  if (calls.enlist(k->done, std::max<std::chrono::nanoseconds>(end - calls.now(), std::chrono::nanoseconds(1)))) {
    calls.end_with(c.options.stop(), k->done);
    k->call.waits_as(k->done);
    auto work = std::make_shared<asio::awaitable<void>>(completion<client_core>::carry_out(k, part));
    auto start = [k, work] {
      if (k->done.id) detail::spawn(k->core->home(), std::move(*work), k->signal.slot(), k);
    };
    detail::post(core_.home(), std::move(start));  // so that it does not end before it is waited for
    auto const waited = co_await calls.wait(k->done);
    outcome = waited ? std::move(k->outcome) : reply(waited.error());
    if (!waited) {
      if (waited.error() == errc::timeout) outcome = waited.error().with_message(c.method.text());
      auto stop = [k] { k->signal.emit(asio::cancellation_type::terminal); };
      detail::post(core_.home(), std::move(stop));
    }
  }
  if (c.earlier) c.earlier->settled = k->call.is_settled();
  if (!outcome && !c.earlier && !k->call.is_settled() && !core_.is_closing() && !core_.end_reason()) {
    abandon(part, c.method, c.params, k->call.result());
  }
  if (outcome) co_return outcome;
  // The server has begun, whatever is known of the requests since.
  co_return reply(outcome.error().with_outcome(call_outcome::open));
}

constexpr std::chrono::seconds after_life(10);

COMCP_LAZY_DECL void extensions::abandon(extension_part& part, wire::method m, std::string params, json::value result) const {
  prepared_call const bare(std::move(m), std::move(params), call_options());
  auto const late = later(core_.calls.now(), after_life);
  auto const rest = std::make_shared<completion<client_core>>(core_, bare, std::move(result), late);
  core_.spawn(completion<client_core>::give_up(rest, part));
}

COMCP_LAZY_DECL void extensions::left(request_id id, extension_part* part, prepared_call const& c) noexcept {
  if (!core_.home() || core_.is_closing() || core_.end_reason()) return;
  auto& channel = core_.connection.channel();
  constexpr std::size_t most = 1024, most_params = 65'536;
  try {
    if (left_.size() < most) {
      auto params = c.params.size() <= most_params ? c.params : std::string();
      auto const [here, fresh] = left_.try_emplace(id, left_call{part, c.method, std::move(params), {}});
      if (fresh) core_.spawn(forget(core_.shared_from_this(), *this, id, here->second.heard_of.get_token()));
      return;
    }
  } catch (...) {  // no memory
    left_.erase(id);
  }
  if (channel.is_open()) (void)channel.abandon(id);  // what the server began ends by itself
}

COMCP_LAZY_DECL asio::awaitable<void> extensions::forget(std::shared_ptr<void>, extensions& self, request_id id,
                                                         std::stop_token heard_of) {
  auto waiting = self.core_.sleep(after_life, std::move(heard_of));
  (void)co_await std::move(waiting);
  auto& channel = self.core_.connection.channel();
  if (self.left_.erase(id) && channel.is_open()) (void)channel.abandon(id);
}

COMCP_LAZY_DECL void extensions::answered_late(request_id id, std::string_view result) {
  auto of = left_.extract(id);
  if (!of) return;
  auto& call = of.mapped();
  call.heard_of.request_stop();
  try {
    auto value = json::parse(padded_text(result.data(), result.size()), core_.settings.limits.json());
    if (!value) return;
    auto* const part = call.part ? call.part : claimant(call.method.name(), value->view());
    if (part) abandon(*part, std::move(call.method), std::move(call.params), *std::move(value));
  } catch (...) {
    core_.fault(current_error());
  }
}

}  // namespace comcp::detail
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)
#endif
#endif

// protocol/tool_ui.hpp
#if !defined(COMCP_SINGLE_PROTOCOL_TOOL_UI_HPP)
#define COMCP_SINGLE_PROTOCOL_TOOL_UI_HPP
// What a tool says in `_meta.ui`: which app shows its results, and who may see and call it. Here, as a host that shows no
// apps has to keep from models what is not theirs, too.
// Spec: the extension io.modelcontextprotocol/ui (repository ext-apps), resource discovery.

#include <optional>
#include <string>

namespace comcp {

/// A tool's link to an app, read without trust. A regular value.
struct tool_ui {
  tool_ui() = default;

  std::optional<std::string> resource_uri;  ///< "ui://...": what apps' read() takes. Another uri counts as none.
  bool for_model = true;                    ///< Models may see and call the tool.
  bool for_app = true;                      ///< Apps of the same server may call it.
};

/// What `_meta.ui` says, or the deprecated `_meta["ui/resourceUri"]`; nothing where the tool has neither. Who is not named
/// in a visibility is left out, so that one which is no list, or names only strangers, leaves out everybody.
[[nodiscard]] std::optional<tool_ui> ui_of(tool const& t);

/// Whether a model may be told of the tool, which the writers in comcp/providers/ ask: true where nothing is said.
[[nodiscard]] bool is_for_model(tool const& t);

/// Whether an app of the same server may call it: true where nothing is said.
[[nodiscard]] bool is_for_app(tool const& t);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// protocol/impl/tool_ui.ipp
#if !defined(COMCP_SINGLE_PROTOCOL_IMPL_TOOL_UI_IPP)
#define COMCP_SINGLE_PROTOCOL_IMPL_TOOL_UI_IPP
#include <algorithm>
#include <string_view>

namespace comcp {
namespace detail {

inline constexpr std::string_view ui_scheme = "ui://";

inline void read_ui_uri(std::optional<json::view> from, tool_ui& out) {
  auto const uri = from ? from->get_string() : std::nullopt;
  if (uri && uri->starts_with(ui_scheme) && uri->size() > ui_scheme.size()) out.resource_uri = *uri;
}

inline bool names(json::view visibility, std::string_view whom) {
  auto const all = visibility.elements();
  return std::any_of(all.begin(), all.end(), [whom](json::view one) { return one.get_string() == whom; });
}

}  // namespace detail

COMCP_DECL std::optional<tool_ui> ui_of(tool const& t) {
  auto const ui = t.meta.find("ui");
  auto const flat = t.meta.find("ui/resourceUri");
  bool const said = ui && ui->is_object();
  if (!said && !flat) return {};
  tool_ui out;
  if (flat) detail::read_ui_uri(flat->view(), out);
  if (!said) return out;
  if (auto const uri = ui->view().find("resourceUri")) {
    out.resource_uri.reset();
    detail::read_ui_uri(uri, out);
  }
  auto const visibility = ui->view().find("visibility");
  if (visibility && !visibility->is_null()) {
    out.for_model = detail::names(*visibility, "model");
    out.for_app = detail::names(*visibility, "app");
  }
  return out;
}

COMCP_DECL bool is_for_model(tool const& t) {
  auto const ui = ui_of(t);
  return !ui || ui->for_model;
}

COMCP_DECL bool is_for_app(tool const& t) {
  auto const ui = ui_of(t);
  return !ui || ui->for_app;
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// The origins that an app wants to reach, as its server wrote them: untrusted until content_security_policy() took them.
struct app_csp {
  app_csp() = default;

  std::vector<std::string> connect_domains;   ///< For fetch, XMLHttpRequest and WebSocket.
  std::vector<std::string> resource_domains;  ///< For scripts, styles, images, fonts and media.
  std::vector<std::string> frame_domains;     ///< For frames inside the app.
  std::vector<std::string> base_uri_domains;  ///< For <base>.
  json::value raw;
};
constexpr auto describe(std::type_identity<app_csp>) {
  using t = app_csp;
  return json::fields(json::defaulted("connectDomains", &t::connect_domains),
                      json::defaulted("resourceDomains", &t::resource_domains),
                      json::defaulted("frameDomains", &t::frame_domains),
                      json::defaulted("baseUriDomains", &t::base_uri_domains), json::rest(&t::raw));
}

/// What an app asks of the browser; whether it gets it is the host's decision.
struct app_permissions {
  app_permissions() = default;

  bool camera = false;
  bool microphone = false;
  bool geolocation = false;
  bool clipboard_write = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<app_permissions>) {
  using t = app_permissions;
  return json::fields(detail::presence("camera", &t::camera), detail::presence("microphone", &t::microphone),
                      detail::presence("geolocation", &t::geolocation),
                      detail::presence("clipboardWrite", &t::clipboard_write), json::rest(&t::raw));
}

/// `_meta.ui` of an app's resource.
struct app_settings {
  app_settings() = default;

  std::optional<app_csp> csp;  ///< Absent: the strictest policy.
  std::optional<app_permissions> permissions;
  std::optional<std::string> domain;   ///< The origin that it wants to have; what that means is the host's decision.
  std::optional<bool> prefers_border;  ///< Absent: as the host likes.
  json::value raw;
};
constexpr auto describe(std::type_identity<app_settings>) {
  using t = app_settings;
  return json::fields(json::field("csp", &t::csp), json::field("permissions", &t::permissions),
                      json::field("domain", &t::domain), json::field("prefersBorder", &t::prefers_border),
                      json::rest(&t::raw));
}

/// An app that was read. Its HTML is a stranger's: for a sandboxed frame of another origin than the host's, no other place.
struct app_resource {
  app_resource() = default;

  std::string uri;
  std::string html;  ///< UTF-8. Whether it is a valid document is the browser's to find out.
  app_settings ui;
};

/// The only MIME type of apps so far.
inline constexpr std::string_view app_mime_type = "text/html;profile=mcp-app";

/// The value of the header Content-Security-Policy under which an app runs: the specification's default where it says
/// nothing, else that with the origins that it names. Errors: denied, where one of them is no origin
/// (scheme://host[:port][/path] of http, https, ws or wss; a host may begin with "*."): it could be a policy of its own.
[[nodiscard]] result<std::string> content_security_policy(std::optional<app_csp> const& csp);

/// The value of the frame's `allow` attribute that grants all of these: "camera; clipboard-write". Empty where there are none.
[[nodiscard]] std::string allow_attribute(app_permissions const& wanted);

class app_operations;

/// `connect_options().extension(apps())`: the server is told that the host shows apps, so that its tools may have some.
struct apps {
  static constexpr std::string_view identifier = "io.modelcontextprotocol/ui";
  using operations = app_operations;

  [[nodiscard]] json::fragment settings() const;
  /// The specification has clients declare this; servers say it by their tools.
  static bool is_offered(server_capabilities const&) noexcept { return true; }
};

/// `client.extension<apps>()`.
class app_operations {
 public:
  explicit app_operations(extension_client c) noexcept : client_(std::move(c)) {}

  /// Reads an app, such as ui_of(tool)->resource_uri, and checks it: one content of this uri, of app_mime_type, with either
  /// text or Base64 of UTF-8, not blank, of at most `max_bytes` bytes (default 8 MiB). Errors: invalid_argument (the uri is
  /// no ui:// one; nothing was sent), protocol_violation, limit_exceeded, and those of client.read_resource().
  COMCP_LAZY [[nodiscard]] asio::awaitable<app_resource> read(std::string_view uri, std::size_t max_bytes = default_bytes,
                                                              call_options options = call_options()) const;
  /// The same of an entry of list_resources(), whose `_meta.ui` counts where the content has none.
  COMCP_LAZY [[nodiscard]] asio::awaitable<app_resource> read(resource const& listed, std::size_t max_bytes = default_bytes,
                                                              call_options options = call_options()) const;

  [[nodiscard]] extension_client const& client() const noexcept { return client_; }

 private:
  static constexpr std::size_t default_bytes = std::size_t{8} << 20;

  extension_client client_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// extensions/impl/apps.ipp
#if !defined(COMCP_SINGLE_EXTENSIONS_IMPL_APPS_IPP)
#define COMCP_SINGLE_EXTENSIONS_IMPL_APPS_IPP
#include <algorithm>
#include <cstddef>

namespace comcp {
namespace detail {

inline constexpr std::string_view app_scheme = "ui://";

inline bool is_app_uri(std::string_view uri) noexcept {
  return uri.starts_with(app_scheme) && uri.size() > app_scheme.size();
}

inline bool is_one_of(std::string_view text, std::string_view more) noexcept {
  return std::all_of(text.begin(), text.end(), [more](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

// What can stand in a policy and is no more than an origin, perhaps with a path: no keyword, no scheme alone, no "*".
COMCP_DECL bool is_origin(std::string_view text) {
  auto const mark = text.find("://");
  if (mark == text.npos) return false;
  auto const scheme = text.substr(0, mark);
  if (scheme != "https" && scheme != "http" && scheme != "wss" && scheme != "ws") return false;
  auto const rest = text.substr(mark + 3);
  auto const end = std::min(rest.find('/'), rest.size());
  auto authority = rest.substr(0, end);
  if (authority.starts_with("*.")) authority.remove_prefix(2);
  auto const colon = authority.rfind(':');
  bool const has_port = colon != authority.npos && !authority.ends_with(']');
  auto const host = has_port ? authority.substr(0, colon) : authority;
  auto const port = has_port ? authority.substr(colon + 1) : std::string_view("0");
  bool const is_address = host.starts_with('[') && host.ends_with(']');
  bool const is_host = is_address ? is_one_of(host.substr(1, host.size() - 2), ":.") : is_one_of(host, "-._");
  return !host.empty() && host.find_first_not_of("-._[]:") != host.npos && is_host && !port.empty() &&
         port.find_first_not_of("0123456789") == port.npos && is_one_of(rest.substr(end), "/-._~%");
}

// " a b", the origins of one kind.
COMCP_DECL result<std::string> listed_origins(std::vector<std::string> const& all) {
  std::string out;
  for (auto const& one : all) {
    if (!is_origin(one)) return error(errc::denied, "an app's csp names what is no origin: " + visible(one.substr(0, 100)));
    out.append(" ").append(one);
  }
  return out;
}

// The HTML of the one content, decoded.
COMCP_DECL result<std::string> app_html(resource_contents& from, std::size_t max_bytes) {
  constexpr auto blanks = " \t\r\n\f";
  error const too_long(errc::limit_exceeded, "the app is longer than max_bytes");
  // Three bytes are four characters of Base64; what is longer is not decoded first.
  if (from.blob && from.blob->size() / 4 > max_bytes / 3 + 1) return too_long;
  std::string html;
  if (from.text) {
    html = *std::move(from.text);
  } else {
    auto const bytes = from.bytes();
    if (!bytes) return bytes.error().with_code(make_error_code(errc::protocol_violation));
    html.assign(reinterpret_cast<char const*>(bytes->data()), bytes->size());
  }
  if (html.size() > max_bytes) return too_long;
  character_scan at(html);
  while (at.next()) {
    if (!at.is_utf8()) return error(errc::protocol_violation, "the app is not UTF-8");
  }
  if (html.find_first_not_of(blanks) == html.npos) return error(errc::protocol_violation, "the app is blank");
  return html;
}

COMCP_DECL result<app_settings> read_app_settings(json::value const& meta, json::value const& listed) {
  auto ui = meta.find("ui");
  if (!ui || ui->is_null()) ui = listed.find("ui");
  if (!ui || ui->is_null()) return app_settings();
  json::read_error why(ui->view());
  app_settings out;
  if (!json::unique_keys(ui->view(), why) || !json::codec<app_settings>::read(ui->view(), out, why))
    return error(errc::protocol_violation, "the _meta.ui of the app: " + why.text());
  return out;
}

COMCP_DECL result<app_resource> checked_app(read_resource_result&& answer, std::string const& uri, json::value const& listed,
                                            std::size_t max_bytes) {
  auto* const only = answer.contents.size() == 1 ? &answer.contents[0] : nullptr;
  if (!only || only->uri != uri || only->text.has_value() == only->blob.has_value())
    return error(errc::protocol_violation, "resources/read gave no contents of " + visible(uri));
  if (only->mime_type != app_mime_type)
    return error(errc::protocol_violation, visible(uri) + " is not of the type " + std::string(app_mime_type));
  auto ui = read_app_settings(only->meta, listed);
  if (!ui) return ui.error();
  auto html = app_html(*only, max_bytes);
  if (!html) return html.error();
  app_resource out;
  out.uri = uri;
  out.html = *std::move(html);
  out.ui = *std::move(ui);
  return out;
}

COMCP_LAZY asio::awaitable<app_resource> read_app(std::shared_ptr<client_link> core, std::string uri, json::value listed,
                                                  std::size_t max_bytes, call_options options) {
  require(core);
  options.manual_input(false);
  auto reading = comcp::client(core, false).read_resource(uri, std::move(options));
  auto answer = co_await std::move(reading);
  auto app = checked_app(std::move(answer), uri, listed, max_bytes);
  if (!app) throw exception(app.error().with_outcome(call_outcome::known));
  co_return *std::move(app);
}

COMCP_LAZY asio::awaitable<app_resource> begin_app(extension_client const& c, std::string_view uri, json::value listed,
                                                   std::size_t max_bytes, call_options options) {
  if (!is_app_uri(uri))
    return failed<app_resource>(error(errc::invalid_argument, "an app's uri begins with ui://, not so " + visible(uri)));
  return read_app(c.core(), std::string(uri), std::move(listed), max_bytes, std::move(options));
}

}  // namespace detail

COMCP_DECL result<std::string> content_security_policy(std::optional<app_csp> const& csp) {
  auto const wanted = csp.value_or(app_csp());
  auto const connect = detail::listed_origins(wanted.connect_domains);
  auto const resources = detail::listed_origins(wanted.resource_domains);
  auto const frames = detail::listed_origins(wanted.frame_domains);
  auto const bases = detail::listed_origins(wanted.base_uri_domains);
  for (auto const* const kind : {&connect, &resources, &frames, &bases}) {
    if (!*kind) return kind->error();
  }
  std::string out = "default-src 'none'; object-src 'none'; script-src 'self' 'unsafe-inline'" + *resources;
  out += "; style-src 'self' 'unsafe-inline'" + *resources + "; img-src 'self' data:" + *resources;
  out += "; media-src 'self' data:" + *resources;
  if (csp) out += "; font-src 'self'" + *resources;
  out += "; connect-src" + (csp ? " 'self'" + *connect : " 'none'");
  out += "; frame-src" + (frames->empty() ? " 'none'" : *frames);
  return out + "; base-uri" + (bases->empty() ? " 'self'" : *bases);
}

COMCP_DECL std::string allow_attribute(app_permissions const& wanted) {
  std::string out;
  auto const grant = [&out](bool yes, char const* feature) {
    if (yes) out.append(out.empty() ? "" : "; ").append(feature);
  };
  grant(wanted.camera, "camera");
  grant(wanted.microphone, "microphone");
  grant(wanted.geolocation, "geolocation");
  grant(wanted.clipboard_write, "clipboard-write");
  return out;
}

COMCP_DECL json::fragment apps::settings() const { return args("mimeTypes", std::vector{app_mime_type}); }

COMCP_LAZY_DECL asio::awaitable<app_resource> app_operations::read(std::string_view uri, std::size_t max_bytes,
                                                                   call_options options) const {
  return detail::begin_app(client_, uri, json::value(), max_bytes, std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<app_resource> app_operations::read(resource const& listed, std::size_t max_bytes,
                                                                   call_options options) const {
  return detail::begin_app(client_, listed.uri, listed.meta, max_bytes, std::move(options));
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// How an app is shown.
enum class display_mode { in_line, fullscreen, pip };
constexpr auto texts(std::type_identity<display_mode>) {
  return std::array<std::string_view, 3>{"inline", "fullscreen", "pip"};
}

/// What an app wants the model to know from now on; each replaces the one before.
struct app_context {
  app_context() = default;

  std::vector<content_block> content;
  json::value structured_content;  ///< An object; null where absent.
  json::value raw;
};
constexpr auto describe(std::type_identity<app_context>) {
  using t = app_context;
  return json::fields(json::defaulted("content", &t::content),
                      detail::optional_object("structuredContent", &t::structured_content), json::rest(&t::raw));
}

/// How large an app would like to be, in pixels. Untrusted: bound it.
struct app_size {
  app_size() = default;

  std::optional<double> width, height;
  json::value raw;
};
constexpr auto describe(std::type_identity<app_size>) {
  using t = app_size;
  return json::fields(json::field("width", &t::width), json::field("height", &t::height), json::rest(&t::raw));
}

namespace detail {
class app_requests;
class app_session;
}

/// What app_bridge is told. Callbacks are called on the client's executor; one that gives an awaitable may take its time,
/// which ends with the bridge. What they throw becomes -32603 without its text. All that comes from an app is untrusted.
class app_host {
 public:
  /// The app is refused where it is false.
  using decision = asio::awaitable<bool>;

  app_host(std::string name, std::string version) : info_(std::move(name), std::move(version)) {}

  /// `hostContext`, an object: theme, locale, toolInfo, containerDimensions, ... Its displayMode is the one to begin with.
  app_host& context(json::fragment c) { return context_ = std::move(c), *this; }
  /// What the frame runs under, for the app to know.
  app_host& grants(app_csp c) { return csp_ = std::move(c), *this; }
  app_host& grants(app_permissions p) { return permissions_ = std::move(p), *this; }

  /// ui/open-link. Only http and https come here.
  app_host& on_open_link(std::function<decision(std::string url)> f) { return open_link_ = std::move(f), *this; }
  /// ui/message: the user says this to the model.
  app_host& on_message(std::function<decision(std::vector<content_block>)> f) { return message_ = std::move(f), *this; }
  /// ui/update-model-context.
  app_host& on_update_context(std::function<decision(app_context)> f) { return update_ = std::move(f), *this; }
  /// ui/download-file of the draft: embedded resources, and links, whose uris may be of any scheme.
  app_host& on_download(std::function<decision(std::vector<content_block>)> f) { return download_ = std::move(f), *this; }
  /// ui/request-display-mode: gives the mode that there is then (default: as it is). Not asked for what the app did not say
  /// it can.
  app_host& on_display_mode(std::function<asio::awaitable<display_mode>(display_mode)> f) {
    return display_ = std::move(f), *this;
  }
  /// notifications/message.
  app_host& on_log(std::function<void(logging_message const&)> f) { return log_ = std::move(f), *this; }
  /// ui/notifications/size-changed.
  app_host& on_size(std::function<void(app_size const&)> f) { return size_ = std::move(f), *this; }
  /// ui/notifications/request-teardown of the draft: who agrees calls app_bridge::teardown().
  app_host& on_teardown_request(std::function<void()> f) { return teardown_ = std::move(f), *this; }

  /// For the calls that the app makes of its server.
  app_host& options(call_options o) { return options_ = std::move(o), *this; }
  /// The longest message of the app, in bytes (default 4 MiB), and the most of its requests at once (default 32).
  app_host& limits(std::size_t message_bytes, std::size_t requests) {
    return max_bytes_ = message_bytes, max_requests_ = requests, *this;
  }

 private:
  friend class detail::app_requests;
  friend class detail::app_session;

  implementation info_;
  json::fragment context_;
  std::optional<app_csp> csp_;
  std::optional<app_permissions> permissions_;
  std::function<decision(std::string)> open_link_;
  std::function<decision(std::vector<content_block>)> message_, download_;
  std::function<decision(app_context)> update_;
  std::function<asio::awaitable<display_mode>(display_mode)> display_;
  std::function<void(logging_message const&)> log_;
  std::function<void(app_size const&)> size_;
  std::function<void()> teardown_;
  call_options options_;
  std::size_t max_bytes_ = std::size_t{4} << 20, max_requests_ = 32;
};

}  // namespace comcp
#endif

namespace comcp {

/// One view of one app, from when its page is loaded until it is taken away; a page that is loaded again is a new one, with
/// a bridge of its own. Move-only: destroying it ends what is under way, and nothing is sent to the app any more. It does
/// not keep the connection open.
///
/// The app may: ping; call the server's tools whose visibility names apps, and list them; read the server's resources; and
/// ask what app_host decides. Calls go the client's usual way, interceptors included. Anything else is answered with an
/// error: -32700 (no JSON), -32600 (no request; too long or too deep; an id that is in use; before ui/initialize), -32601
/// (not on the list), -32602 (wrong parameters; a tool that the app may not call), -32603 (a callback threw), -32000
/// (refused, too many requests, or the call failed on this side); the server's own errors pass as they are.
///
/// Its functions may be called on any thread. What the specification has wait until the app is initialized waits here;
/// what comes out of order (a result before the input, a second input) is not sent, and told to the client's observer.
class app_bridge {
 public:
  /// `to_app` is given each message for the app, one at a time, on the client's executor. It may destroy the bridge.
  app_bridge(app_operations const& of, app_host host, std::function<void(std::string)> to_app);
  app_bridge(app_bridge&&) noexcept = default;
  app_bridge& operator=(app_bridge&& other) noexcept;
  ~app_bridge();

  /// A message of the app's, copied. It has to come from its very frame: the host checks that.
  COMCP_LAZY void receive(std::string_view text);

  /// The arguments of the tool's call, an object, as far as they are known; then as they are. Throws invalid_argument.
  void tool_input_partial(json::fragment const& arguments);
  void tool_input(json::fragment const& arguments);
  /// How that call ended.
  void tool_result(call_tool_result const& r);
  void tool_cancelled(std::string_view reason = {});
  /// Members of the context that have changed. Throws invalid_argument.
  void context_changed(json::fragment const& changes);
  /// The server's tools are others: for a handler's on(tools_list_changed) or watch_tools().
  void tools_changed();

  /// Has the app say goodbye (ui/resource-teardown), and waits for its answer; at once where it is not initialized. Errors:
  /// timeout, closed, the app's own. The frame may go in any case.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> teardown(std::string_view reason = {},
                                                          timespan limit = std::chrono::seconds(5)) const;

 private:
  void let_go() noexcept;

  std::shared_ptr<detail::app_session> session_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// extensions/impl/app_requests.ipp
#if !defined(COMCP_SINGLE_EXTENSIONS_IMPL_APP_REQUESTS_IPP)
#define COMCP_SINGLE_EXTENSIONS_IMPL_APP_REQUESTS_IPP
// What is on the list of requests, and how each is carried out. app_bridge.ipp reads the messages.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace comcp::detail {

inline exception app_refusal(std::int64_t code, char const* why) { return exception(error::from_peer({code, why, {}})); }

template <class T>
T app_params(json::value const& from) {
  auto read = from.get<T>();
  if (!from.is_object() || !read) throw app_refusal(-32602, "Invalid params");
  return *std::move(read);
}

inline std::string app_text(json::value const& params, std::string_view key) {
  auto const found = params.find(key);
  if (!found || !found->is_string()) throw app_refusal(-32602, "Invalid params");
  return std::string(found->as_string());
}

template <class T, class About>
asio::awaitable<T> decide(std::function<asio::awaitable<T>(About)> const& f, About about) {
  auto deciding = f(std::move(about));
  auto const decision = co_await std::move(deciding);
  co_return decision;
}

// A host's own code: what it throws is not the app's to read.
template <class T, class About>
asio::awaitable<T> decided(std::function<asio::awaitable<T>(About)> const& f, About about) {
  auto deciding = decide(f, std::move(about));
  auto const outcome = co_await as_result(std::move(deciding));
  if (!outcome) throw app_refusal(-32603, "Internal error");
  co_return *outcome;
}

// What an app asks for and the host may refuse.
template <class About>
asio::awaitable<std::string> allowed(std::function<asio::awaitable<bool>(About)> const& f, About about,
                                     char const* refusal) {
  if (!f) throw app_refusal(-32000, refusal);
  auto deciding = decided(f, std::move(about));
  bool const yes = co_await std::move(deciding);
  if (!yes) throw app_refusal(-32000, refusal);
  co_return "{}";
}

// An object's text.
inline std::string const& app_object(json::fragment const& f, char const* what) {
  if (auto const bad = check_params(f)) throw exception(bad.with_message(what));
  static std::string const none = "{}";
  return f.empty() ? none : f.text();
}

// What an app may ask for. All on the client's executor; who calls keeps this alive.
class app_requests {
 public:
  using request = asio::awaitable<std::string> (app_requests::*)(json::value);

  app_requests(std::shared_ptr<client_link> c, app_host h) : core_(std::move(c)), host_(std::move(h)) {
    app_object(host_.context_, "app_host::context() is not an object");
    host_.options_.manual_input(false);  // an app is given results alone
  }

  // Null for what is not on the list.
  COMCP_LAZY static request find(std::string_view method) noexcept;
  // What the host can do, as ui/initialize tells it.
  [[nodiscard]] json::fragment offers() const;
  void change_context(std::string const& changes);
  void forget_tools() noexcept { ++changes_; }
  void knows(std::vector<std::string> display_modes) { modes_ = std::move(display_modes); }
  [[nodiscard]] app_host const& host() const noexcept { return host_; }

  // They give the result's text, or throw.
  COMCP_LAZY asio::awaitable<std::string> call_tool(json::value params);
  COMCP_LAZY asio::awaitable<std::string> list_tools(json::value params);
  COMCP_LAZY asio::awaitable<std::string> read_resource(json::value params);
  COMCP_LAZY asio::awaitable<std::string> open_link(json::value params);
  COMCP_LAZY asio::awaitable<std::string> say(json::value params);
  COMCP_LAZY asio::awaitable<std::string> update_context(json::value params);
  COMCP_LAZY asio::awaitable<std::string> download(json::value params);
  COMCP_LAZY asio::awaitable<std::string> change_display(json::value params);

 private:
  std::shared_ptr<client_link> const core_;
  app_host host_;
  display_mode mode_ = display_mode::in_line;
  std::optional<std::vector<std::string>> modes_;      // that the app knows
  std::map<std::string, bool, std::less<>> tools_;     // whether apps may call it
  std::uint64_t changes_ = 1, seen_ = 0;               // of the tools; how many `tools_` has seen
};

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::list_tools(json::value) {
  auto const before = changes_;
  auto listing_them = comcp::client(core_, false).list_tools(host_.options_);
  auto const all = co_await std::move(listing_them);
  json::writer w;
  w.begin_object().key("tools").begin_array();
  tools_.clear();
  seen_ = before;  // what has changed since is looked for at the next call
  for (auto const& one : all) {
    bool const may = is_for_app(one);
    auto const [at, is_new] = tools_.try_emplace(one.name, may);
    at->second = at->second && may;
    if (may && is_new) json::codec<comcp::tool>::write(w, one);
  }
  w.end_array().end_object();
  co_return std::move(w).text();
}

// The name and the arguments alone go on: an app's `_meta` is nothing that its host would have said.
COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::call_tool(json::value params) {
  auto const name = app_text(params, "name");
  auto const arguments = params.find("arguments");
  if (arguments && !arguments->is_object() && !arguments->is_null()) throw app_refusal(-32602, "Invalid params");
  if (seen_ != changes_ || !tools_.contains(name)) {
    auto looking = list_tools(json::value());
    (void)co_await std::move(looking);
  }
  auto const known = tools_.find(name);
  if (known == tools_.end() || !known->second) throw app_refusal(-32602, "The app may not call this tool");
  auto text = arguments && arguments->is_object() ? arguments->dump() : std::string("{}");
  auto calling = comcp::client(core_, false).call_tool(name, json::fragment::trusted(std::move(text)), host_.options_);
  auto const result = co_await std::move(calling);
  co_return json::to_text(result);
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::read_resource(json::value params) {
  auto reading = comcp::client(core_, false).read_resource(app_text(params, "uri"), host_.options_);
  auto const result = co_await std::move(reading);
  co_return json::to_text(result);
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::open_link(json::value params) {
  auto url = app_text(params, "url");
  bool const is_plain = url.find_first_of(" \t\r\n\"<>\\") == url.npos && visible(url) == url;
  if (!is_plain || !(url.starts_with("https://") || url.starts_with("http://"))) throw app_refusal(-32000, "Invalid URL");
  return allowed(host_.open_link_, std::move(url), "Link opening denied");
}

// One block, as the specification has it, or a list, as its SDK sends it.
inline std::vector<content_block> app_content(json::value const& params, std::string_view key) {
  auto const found = params.find(key);
  if (found && found->is_object()) return {app_params<content_block>(*found)};
  auto read = found ? found->get<std::vector<content_block>>() : result<std::vector<content_block>>(errc::not_found);
  if (!read) throw app_refusal(-32602, "Invalid params");
  return *std::move(read);
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::say(json::value params) {
  if (app_text(params, "role") != "user") throw app_refusal(-32602, "Invalid params");
  return allowed(host_.message_, app_content(params, "content"), "Message sending denied");
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::update_context(json::value params) {
  return allowed(host_.update_, app_params<app_context>(params), "Context update denied");
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::download(json::value params) {
  auto contents = app_content(params, "contents");
  for (auto const& one : contents) {
    if (!std::holds_alternative<embedded_resource>(one) && !std::holds_alternative<resource_link>(one))
      throw app_refusal(-32602, "Invalid params");
  }
  return allowed(host_.download_, std::move(contents), "Download denied");
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::change_display(json::value params) {
  auto const text = app_text(params, "mode");
  auto const wanted = enum_from_text<display_mode>(text);
  if (!wanted) throw app_refusal(-32602, "Invalid params");
  bool const knows = !modes_ || std::find(modes_->begin(), modes_->end(), text) != modes_->end();
  if (host_.display_ && knows && *wanted != mode_) {
    auto deciding = decided(host_.display_, *wanted);
    mode_ = co_await std::move(deciding);
  }
  co_return args("mode", mode_).text();
}

COMCP_LAZY_DECL app_requests::request app_requests::find(std::string_view method) noexcept {
  if (method == "tools/call") return &app_requests::call_tool;
  if (method == "tools/list") return &app_requests::list_tools;
  if (method == "resources/read") return &app_requests::read_resource;
  if (method == "ui/open-link") return &app_requests::open_link;
  if (method == "ui/message") return &app_requests::say;
  if (method == "ui/update-model-context") return &app_requests::update_context;
  if (method == "ui/download-file") return &app_requests::download;
  if (method == "ui/request-display-mode") return &app_requests::change_display;
  return nullptr;
}

COMCP_DECL json::fragment app_requests::offers() const {
  auto const server = core_->server();
  auto const media = json::fragment::trusted(
      R"({"text":{},"image":{},"audio":{},"resource":{},"resourceLink":{},"structuredContent":{}})");
  json::object all, sandbox;
  if (server->capabilities.tools) all.set("serverTools", args("listChanged", true));
  if (server->capabilities.resources) all.set("serverResources", json::object());
  if (host_.log_) all.set("logging", json::object());
  if (host_.open_link_) all.set("openLinks", json::object());
  if (host_.download_) all.set("downloadFile", json::object());
  if (host_.message_) all.set("message", media);
  if (host_.update_) all.set("updateModelContext", media);
  if (host_.csp_) sandbox.set("csp", *host_.csp_);
  if (host_.permissions_) sandbox.set("permissions", *host_.permissions_);
  if (host_.csp_ || host_.permissions_) all.set("sandbox", sandbox);
  return all;
}

COMCP_DECL void app_requests::change_context(std::string const& changes) {
  auto const read = json::parse(changes);
  auto const now = read ? read->find("displayMode") : std::nullopt;
  auto const known = now && now->is_string() ? enum_from_text<display_mode>(now->as_string()) : std::nullopt;
  if (known) mode_ = *known;
}

}  // namespace comcp::detail
#endif

// extensions/impl/app_bridge.ipp
#if !defined(COMCP_SINGLE_EXTENSIONS_IMPL_APP_BRIDGE_IPP)
#define COMCP_SINGLE_EXTENSIONS_IMPL_APP_BRIDGE_IPP
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/cancellation_signal.hpp>

namespace comcp {
namespace detail {

inline constexpr std::string_view app_version = "2026-01-26";
inline constexpr std::size_t app_depth = 64, app_id_bytes = 128, app_held = 64;

// How far things are; each step is taken once.
enum class app_stage { loaded, asked, initialized };
enum class tool_stage { none, input, over };

// A request to the app that waits for its answer.
struct app_question {
  std::uint64_t id = 0;
  std::stop_source answered;
  error failure;
};

// All on the client's executor but `closed`.
class app_session : public std::enable_shared_from_this<app_session> {
 public:
  app_session(std::shared_ptr<client_link> c, app_host h, std::function<void(std::string)> sender)
      : core(c), requests_(std::move(c), std::move(h)), to_app_(std::move(sender)) {}

  COMCP_LAZY void receive(std::string text);
  void notify(std::string_view method, std::string const& params);
  void close() noexcept;
  // Where the tool is at `first` to `last` now.
  void tell_tool(std::string_view method, std::string const& params, tool_stage first, tool_stage last, tool_stage to);
  void change_context(std::string const& changes);
  void forget_tools();
  // Null where the app is not initialized.
  [[nodiscard]] std::shared_ptr<app_question> ask(std::string_view method, std::string const& params);
  void forget(app_question const& q) { asked_.erase(q.id); }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return core->home(); }

  std::shared_ptr<client_link> const core;
  std::atomic<bool> closed{false};

 private:
  using request = app_requests::request;
  COMCP_LAZY static asio::awaitable<std::string> carry_out(std::shared_ptr<app_session> s, request what, json::value params);
  COMCP_LAZY static asio::awaitable<void> answer(std::shared_ptr<app_session> s, std::string id, request what, json::value params);

  COMCP_LAZY void begin(std::string id, std::string const& method, json::value const& params);
  void told(std::string const& method, json::value const& params);
  void initialize(std::string const& id, json::value const& params);
  void initialized();
  void answered(jsonrpc::envelope const& m);
  void finished(std::string const& id, std::string const& text);
  void refuse(std::string_view id, std::int64_t code, char const* why);
  void send(std::string text);
  // A host's code that nobody waits for: what it throws the observer hears of.
  template <class F, class... About>
  void call(F const& f, About&&... about) const {
    try {
      f(std::forward<About>(about)...);
    } catch (...) {
      core->fault(current_error());
    }
  }

  app_requests requests_;
  std::function<void(std::string)> const to_app_;
  app_stage stage_ = app_stage::loaded;
  tool_stage tool_ = tool_stage::none;
  std::map<std::string, std::shared_ptr<asio::cancellation_signal>, std::less<>> under_way_;  // by the id as it was written
  std::map<std::uint64_t, std::shared_ptr<app_question>> asked_;
  std::uint64_t last_question_ = 0;
  std::vector<std::string> held_;  // until the app is initialized
};

// What an app is told of a failure: the server's own words; of this side no more than its kind.
inline peer_error app_error(error const& e) {
  if (auto const* const peer = e.peer()) return *peer;
  return {e == errc::invalid_argument ? -32602 : -32000, e.code().message(), {}};
}

COMCP_DECL void app_session::send(std::string text) {
  if (!closed) call(to_app_, std::move(text));
}

COMCP_DECL void app_session::refuse(std::string_view id, std::int64_t code, char const* why) {
  send(jsonrpc::error_response(id, {code, why, {}}));
}

COMCP_LAZY_DECL void app_session::receive(std::string text) {
  if (closed) return;
  if (text.size() > requests_.host().max_bytes_) return refuse("null", -32600, "The message is too long");
  auto const parsed = json::parse(text, json::parse_options().max_depth(app_depth));
  if (!parsed && parsed.error() == errc::limit_exceeded) return refuse("null", -32600, "The message is too deep");
  if (!parsed) return refuse("null", -32700, "Parse error");
  auto const m = jsonrpc::decode(pad(text));
  auto const params = m.params.empty() ? json::value() : parsed->find("params").value_or(json::value());
  json::read_error why;
  bool const clear = json::unique_keys(*parsed, why) && m.raw_id.size() <= app_id_bytes;
  switch (clear ? m.kind : jsonrpc::message_kind::invalid) {
    case jsonrpc::message_kind::request: return begin(std::string(m.raw_id), m.method, params);
    case jsonrpc::message_kind::notification: return told(m.method, params);
    case jsonrpc::message_kind::response:
    case jsonrpc::message_kind::error: return answered(m);
    default: return refuse("null", -32600, "Invalid Request");
  }
}

COMCP_LAZY_DECL void app_session::begin(std::string id, std::string const& method, json::value const& params) {
  // An answer with its id would be taken for that of the request which is under way.
  if (under_way_.contains(id)) return refuse("null", -32600, "The id is in use");
  if (method == "ping") return send(jsonrpc::response(id, "{}"));
  if (method == "ui/initialize") return initialize(id, params);
  if (stage_ == app_stage::loaded) return refuse(id, -32600, "ui/initialize comes first");
  auto const what = app_requests::find(method);
  if (!what) return refuse(id, -32601, "Method not found");
  if (under_way_.size() >= requests_.host().max_requests_) return refuse(id, -32000, "Too many requests");
  auto const signal = std::make_shared<asio::cancellation_signal>();
  under_way_.emplace(id, signal);
  auto answering = answer(shared_from_this(), std::move(id), what, params);
  spawn(home(), std::move(answering), signal->slot(), signal);
}

// Where one is refused before it becomes a coroutine, too.
COMCP_LAZY_DECL asio::awaitable<std::string> app_session::carry_out(std::shared_ptr<app_session> s, request what,
                                                               json::value params) {
  auto working = (s->requests_.*what)(std::move(params));
  auto text = co_await std::move(working);
  co_return text;
}

COMCP_LAZY_DECL asio::awaitable<void> app_session::answer(std::shared_ptr<app_session> s, std::string id, request what,
                                                     json::value params) {
  auto working = carry_out(s, what, std::move(params));
  auto const result = co_await as_result(std::move(working));
  s->finished(id, result ? jsonrpc::response(id, *result) : jsonrpc::error_response(id, app_error(result.error())));
}

COMCP_DECL void app_session::finished(std::string const& id, std::string const& text) {
  if (under_way_.erase(id) != 0) send(text);  // else the app has cancelled it, or is gone
}

COMCP_DECL void app_session::initialize(std::string const& id, json::value const& params) {
  if (stage_ != app_stage::loaded) return refuse(id, -32600, "ui/initialize comes once");
  auto const can = params.find("appCapabilities");
  auto const version = params.find("protocolVersion");
  if (!can || !can->is_object() || !version || !version->is_string()) return refuse(id, -32602, "Invalid params");
  if (auto const known = can->find("availableDisplayModes")) {
    auto list = known->get<std::vector<std::string>>();
    if (!list) return refuse(id, -32602, "Invalid params");
    requests_.knows(*std::move(list));
  }
  auto const& context = app_object(requests_.host().context_, "");
  requests_.change_context(context);
  stage_ = app_stage::asked;
  auto const result = args("protocolVersion", app_version, "hostInfo", requests_.host().info_, "hostCapabilities",
                           requests_.offers(), "hostContext", json::raw(context));
  send(jsonrpc::response(id, result.text()));
}

COMCP_DECL void app_session::told(std::string const& method, json::value const& params) {
  if (method == "ui/notifications/initialized" && stage_ == app_stage::asked) return initialized();
  if (stage_ == app_stage::loaded) return;
  auto const& host = requests_.host();
  if (method == "notifications/cancelled") {
    auto const id = params.find("requestId");
    auto const found = id ? under_way_.extract(id->dump()) : decltype(under_way_)::node_type();
    if (found) found.mapped()->emit(asio::cancellation_type::terminal);
  } else if (method == "notifications/message" && host.log_) {
    if (auto const message = params.get<logging_message>()) call(host.log_, *message);
  } else if (method == "ui/notifications/size-changed" && host.size_) {
    if (auto const size = params.get<app_size>()) call(host.size_, *size);
  } else if (method == "ui/notifications/request-teardown" && host.teardown_) {
    call(host.teardown_);
  }
}

COMCP_DECL void app_session::initialized() {
  stage_ = app_stage::initialized;
  for (auto& each : std::exchange(held_, {})) send(std::move(each));
}

COMCP_DECL void app_session::answered(jsonrpc::envelope const& m) {
  auto const found = m.id ? asked_.extract(*m.id) : decltype(asked_)::node_type();
  if (!found) return;
  if (m.kind == jsonrpc::message_kind::error) found.mapped()->failure = jsonrpc::decode_error(m.error);
  found.mapped()->answered.request_stop();
}

COMCP_DECL void app_session::notify(std::string_view method, std::string const& params) {
  auto text = jsonrpc::notification(method, params);
  if (stage_ == app_stage::initialized) return send(std::move(text));
  if (closed) return;
  if (held_.size() >= app_held)
    return core->fault(error(errc::queue_full, "the app does not begin, and is not told any more"));
  held_.push_back(std::move(text));
}

COMCP_DECL void app_session::tell_tool(std::string_view method, std::string const& params, tool_stage first,
                                       tool_stage last, tool_stage to) {
  if (tool_ < first || tool_ > last)
    return core->fault({errc::invalid_argument, std::string(method) + " was not sent to the app: it comes out of order"});
  tool_ = to;
  auto const is_partial = [start = jsonrpc::notification("ui/notifications/tool-input-partial", "")](auto const& text) {
    return text.starts_with(std::string_view(start).substr(0, start.size() - 1));
  };
  std::erase_if(held_, is_partial);  // what comes now says more
  notify(method, params);
}

COMCP_DECL void app_session::forget_tools() {
  requests_.forget_tools();
  if (stage_ == app_stage::initialized) notify("notifications/tools/list_changed", "");
}

COMCP_DECL void app_session::change_context(std::string const& changes) {
  requests_.change_context(changes);
  notify("ui/notifications/host-context-changed", changes);
}

COMCP_DECL std::shared_ptr<app_question> app_session::ask(std::string_view method, std::string const& params) {
  if (stage_ != app_stage::initialized) return nullptr;
  auto q = std::make_shared<app_question>();
  q->id = ++last_question_;
  asked_.emplace(q->id, q);
  auto text = jsonrpc::begin_request(last_question_, method, params.size() + 16);
  send(text.append(R"(,"params":)").append(params).append("}"));
  return q;
}

COMCP_DECL void app_session::close() noexcept {
  closed = true;
  for (auto const& [id, signal] : std::exchange(under_way_, {})) signal->emit(asio::cancellation_type::terminal);
  for (auto const& [id, q] : std::exchange(asked_, {})) {
    q->failure = error(errc::closed, "the bridge to the app is gone");
    q->answered.request_stop();
  }
  held_.clear();
}

COMCP_LAZY asio::awaitable<void> tear_down(std::shared_ptr<app_session> s, std::string params,
                                           std::chrono::nanoseconds limit) {
  if (s->closed) throw exception(error(errc::closed, "the bridge to the app is gone"));
  auto const question = s->ask("ui/resource-teardown", params);
  if (!question) co_return;
  auto waiting = s->core->life().sleep(limit, question->answered.get_token());
  auto const ended = co_await std::move(waiting);
  s->forget(*question);
  if (question->failure) throw exception(question->failure);
  if (question->answered.stop_requested()) co_return;
  throw exception(ended ? ended : error(errc::timeout, "the app did not answer ui/resource-teardown"));
}

inline std::string tool_input_params(json::fragment const& arguments) {
  return R"({"arguments":)" + app_object(arguments, "the arguments of a tool are an object") + "}";
}

inline std::string reason_params(std::string_view reason) { return reason.empty() ? "{}" : args("reason", reason).text(); }

// Runs it on the client's executor.
template <class F>
void on_session(std::shared_ptr<app_session> const& s, F f) {
  if (!s) throw exception(error(errc::closed, "this bridge was moved from"));
  dispatch(s->home(), [s, f = std::move(f)] { f(*s); });
}

}  // namespace detail

COMCP_DECL app_bridge::app_bridge(app_operations const& of, app_host host, std::function<void(std::string)> to_app) {
  detail::require(of.client().core());
  session_ = std::make_shared<detail::app_session>(of.client().core(), std::move(host), std::move(to_app));
}

COMCP_DECL app_bridge& app_bridge::operator=(app_bridge&& other) noexcept {
  if (this == &other) return *this;
  let_go();
  session_ = std::move(other.session_);
  return *this;
}

COMCP_DECL app_bridge::~app_bridge() { let_go(); }

COMCP_DECL void app_bridge::let_go() noexcept {
  auto const s = std::exchange(session_, nullptr);
  if (!s) return;
  s->closed = true;
  try {
    detail::on_session(s, [](detail::app_session& it) { it.close(); });
  } catch (...) {  // no memory: what is under way ends by its own timeouts
  }
}

COMCP_LAZY_DECL void app_bridge::receive(std::string_view text) {
  detail::on_session(session_, [text = std::string(text)](detail::app_session& s) { s.receive(text); });
}

COMCP_DECL void app_bridge::tool_input_partial(json::fragment const& arguments) {
  detail::on_session(session_, [params = detail::tool_input_params(arguments)](detail::app_session& s) {
    using detail::tool_stage;
    s.tell_tool("ui/notifications/tool-input-partial", params, tool_stage::none, tool_stage::none, tool_stage::none);
  });
}

COMCP_DECL void app_bridge::tool_input(json::fragment const& arguments) {
  detail::on_session(session_, [params = detail::tool_input_params(arguments)](detail::app_session& s) {
    using detail::tool_stage;
    s.tell_tool("ui/notifications/tool-input", params, tool_stage::none, tool_stage::none, tool_stage::input);
  });
}

COMCP_DECL void app_bridge::tool_result(call_tool_result const& r) {
  detail::on_session(session_, [params = json::to_text(r)](detail::app_session& s) {
    using detail::tool_stage;
    s.tell_tool("ui/notifications/tool-result", params, tool_stage::input, tool_stage::input, tool_stage::over);
  });
}

COMCP_DECL void app_bridge::tool_cancelled(std::string_view reason) {
  detail::on_session(session_, [params = detail::reason_params(reason)](detail::app_session& s) {
    using detail::tool_stage;
    s.tell_tool("ui/notifications/tool-cancelled", params, tool_stage::none, tool_stage::input, tool_stage::over);
  });
}

COMCP_DECL void app_bridge::context_changed(json::fragment const& changes) {
  auto params = detail::app_object(changes, "the changes of a context are an object");
  detail::on_session(session_, [params = std::move(params)](detail::app_session& s) { s.change_context(params); });
}

COMCP_DECL void app_bridge::tools_changed() {
  detail::on_session(session_, [](detail::app_session& s) { s.forget_tools(); });
}

COMCP_LAZY_DECL asio::awaitable<void> app_bridge::teardown(std::string_view reason, timespan limit) const {
  if (!session_) return detail::failed<void>(errc::closed);
  auto work = detail::tear_down(session_, detail::reason_params(reason), limit);
  return detail::on_home(session_, std::move(work));
}

}  // namespace comcp
#endif
#endif
#endif

// extensions/serve_tasks.hpp
#if !defined(COMCP_SINGLE_EXTENSIONS_SERVE_TASKS_HPP)
#define COMCP_SINGLE_EXTENSIONS_SERVE_TASKS_HPP
// Tasks the other way round: a server asks to sample or to elicit, and comes back for the answer.
// Specification: 2025-11-25 basic/utilities/tasks.

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

namespace comcp {

/// What bounds the tasks that a server makes of its requests.
class task_service {
 public:
  /// Tasks at once, with those whose answers still wait to be fetched (default 64); more: an error answer.
  task_service& most(std::size_t n) { return most_ = n, *this; }
  /// How long a task is kept where the server asks for nothing, and the longest that it gets (default 5 min, 1 h). One
  /// that is not over by then is cancelled.
  task_service& ttl(timespan usual, timespan longest) { return usual_ = usual, longest_ = longest, *this; }

  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  [[nodiscard]] std::chrono::nanoseconds usual() const noexcept { return usual_; }
  [[nodiscard]] std::chrono::nanoseconds longest() const noexcept { return longest_; }

 private:
  std::size_t most_ = 64;
  std::chrono::nanoseconds usual_ = std::chrono::minutes(5), longest_ = std::chrono::hours(1);
};

namespace detail {
COMCP_LAZY handler_chain make_task_desk(any_handler inner, task_service bounds);
}

/// A handler like the given one, whose create_message(), elicit() and elicit_url() a server of 2025-11-25 may have carried
/// out as tasks: it is answered at once, asks how it goes (tasks/get, tasks/list), is told of the end, whatever it is
/// (notifications/tasks/status), and fetches the answer (tasks/result). tasks/cancel cancels the member's coroutine. Hooks
/// see the request before it becomes a task. For other versions nothing changes.
template <handler H>
[[nodiscard]] handler_chain serve_tasks(H h, task_service bounds = task_service()) {
  return detail::make_task_desk(any_handler(std::move(h)), bounds);
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// extensions/impl/serve_tasks.ipp
#if !defined(COMCP_SINGLE_EXTENSIONS_IMPL_SERVE_TASKS_IPP)
#define COMCP_SINGLE_EXTENSIONS_IMPL_SERVE_TASKS_IPP
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include <asio/cancellation_signal.hpp>
#include <asio/this_coro.hpp>

namespace comcp::detail {

inline std::string timestamp_now() {
  using namespace std::chrono;
  auto const now = floor<seconds>(system_clock::now());
  auto const midnight = floor<days>(now);
  year_month_day const date(midnight);
  hh_mm_ss const time(now - midnight);
  char text[80];
  auto const size = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                                  static_cast<int>(time.seconds().count()));
  return {text, static_cast<std::size_t>(size)};
}

/// One request that became a task. It has nothing of Asio's but the signal, which goes with its connection's desk.
struct served_task {
  served_task(std::string m, json::value p) : method(std::move(m)), params(std::move(p)) {}

  std::string const method;
  json::value const params;
  comcp::task state;
  std::chrono::steady_clock::time_point end;  // of its ttl
  std::shared_ptr<bool> cancelled = std::make_shared<bool>(false);
  asio::cancellation_signal signal;
  result<json::fragment> outcome = error(errc::cancelled);
  std::stop_source finished;

  [[nodiscard]] bool is_over() const noexcept { return finished.stop_requested(); }
  void finish(task_status how) {
    state.status = how;
    state.last_updated_at = timestamp_now();
    finished.request_stop();
  }
};

inline error unknown_task() { return error::from_peer({-32602, "Task not found", {}}); }

/// The answer with the task's id in its `_meta`.
inline json::fragment with_related_task(json::fragment const& answer, std::string const& id) {
  auto const v = json::parse(answer.text()).value();
  json::writer w;
  w.begin_object();
  auto const meta = v.view().find("_meta");
  for (auto const m : v.view().members()) {
    if (m.key != "_meta") w.key(m.key).value(m.value);
  }
  w.key("_meta").begin_object();
  if (meta && meta->is_object()) {
    for (auto const m : meta->members()) w.key(m.key).value(m.value);
  }
  w.key(meta_key::related_task).raw(args("taskId", id).text());
  w.end_object().end_object();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_LAZY asio::awaitable<result<json::fragment>> as_answer(result<json::fragment> r) { co_return r; }

constexpr bool is_about_tasks(std::string_view method) noexcept {
  return method == "tasks/get" || method == "tasks/result" || method == "tasks/cancel" || method == "tasks/list";
}

inline bool wants_task(std::string_view method, json::value const& params) {
  if (method != "sampling/createMessage" && method != "elicitation/create") return false;
  auto const task = params.is_object() ? params.view().find("task") : std::nullopt;
  return task && task->is_object();
}

inline void declare_tasks(any_handler const& inner, client_capabilities& c) {
  inner.declare(c);
  json::object requests;
  if (c.sampling) requests.set("sampling", args("createMessage", json::object()));
  if (c.elicitation) requests.set("elicitation", args("create", json::object()));
  auto& own = c.tasks.emplace();
  own.list = own.cancel = true;
  own.requests = json::parse(requests.text()).value();
}

/// The tasks of one connection, on its home. It ends with that: its owner is a coroutine there.
class task_desk {
 public:
  using entry = std::shared_ptr<served_task>;
  using link = std::shared_ptr<client_link>;

  task_desk(any_handler inner, task_service bounds) : inner_(std::move(inner)), bounds_(bounds) {}
  task_desk(task_desk const&) = delete;
  task_desk& operator=(task_desk const&) = delete;

  COMCP_LAZY asio::awaitable<result<json::fragment>> answer(std::string const& method, json::value const& params,
                                                            context const& ctx, link core);
  COMCP_LAZY static asio::awaitable<void> live(std::shared_ptr<task_desk> desk, link core);

 private:
  COMCP_LAZY result<json::fragment> begin(std::string const& method, json::value const& params, context const& ctx,
                                          link const& core);
  COMCP_LAZY static asio::awaitable<void> carry_out(any_handler inner, entry e, context ctx, link core);
  COMCP_LAZY static asio::awaitable<void> outlive(entry e, std::chrono::nanoseconds ttl, link core);
  COMCP_LAZY static asio::awaitable<result<json::fragment>> fetch(entry e, link core);
  COMCP_LAZY static result<json::fragment> cancel(entry const& e);
  COMCP_LAZY static result<json::fragment> cancel_and_tell(entry const& e, link const& core);
  COMCP_LAZY static void tell(entry const& e, link const& core);
  COMCP_LAZY json::fragment list() const;
  void forget_old(std::chrono::steady_clock::time_point now) {
    std::erase_if(tasks_, [now](auto const& each) { return each.second->end <= now; });
  }

  any_handler const inner_;
  task_service const bounds_;
  std::map<std::string, entry, std::less<>> tasks_;
};

/// The handler, for all of its connections. That it is virtual is said here alone.
template <class Desk>
class task_handler final : public raw_handler {
 public:
  task_handler(any_handler inner, task_service bounds) : inner_(std::move(inner)), bounds_(bounds) {}

  void declare(client_capabilities& c) const override { declare_tasks(inner_, c); }
  [[nodiscard]] bool answers(std::string_view m) const override { return is_about_tasks(m) || inner_.answers(m); }
  [[nodiscard]] bool elicits(elicit_mode mode) const override { return inner_.elicits(mode); }
  [[nodiscard]] bool receives(std::string_view m) const override { return inner_.receives(m); }
  [[nodiscard]] handler_parts parts() const override { return inner_.parts(); }
  asio::awaitable<result<json::fragment>> answer(std::string const& m, json::value const& p, context& c) override {
    auto const core = link_of(c);
    bool const has_tasks = core && core->server()->version == version::v2025_11_25;
    if (is_about_tasks(m) && !has_tasks) return refuse(method_not_found(m));
    if (!has_tasks || !(is_about_tasks(m) || wants_task(m, p))) return inner_.answer(m, p, c);
    return desk_of(core)->answer(m, p, c, core);
  }
  asio::awaitable<void> notify(std::string const& m, json::value const& p, context& c) override {
    return inner_.notify(m, p, c);
  }

 private:
  // Connections may have homes of their own.
  std::shared_ptr<Desk> desk_of(std::shared_ptr<client_link> const& core) {
    std::scoped_lock const alone(mutex_);
    std::erase_if(desks_, [](auto const& each) { return each.second.expired(); });
    auto& known = desks_[core];
    auto desk = known.lock();
    if (desk) return desk;
    desk = std::make_shared<Desk>(inner_, bounds_);
    known = desk;
    spawn(core->home(), Desk::live(desk, core));
    return desk;
  }

  any_handler const inner_;
  task_service const bounds_;
  std::mutex mutex_;
  std::map<std::weak_ptr<client_link>, std::weak_ptr<Desk>, std::owner_less<>> desks_;
};

COMCP_LAZY_DECL handler_chain make_task_desk(any_handler inner, task_service bounds) {
  std::shared_ptr<raw_handler> h = std::make_shared<task_handler<task_desk>>(std::move(inner), bounds);
  return handler_chain({any_handler(std::move(h))});
}

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> task_desk::answer(std::string const& method,
                                                                          json::value const& params,
                                                                          context const& ctx, link core) {
  forget_old(core->bounds({}).now);
  if (!is_about_tasks(method)) return as_answer(begin(method, params, ctx, core));
  if (method == "tasks/list") return as_answer(list());
  auto const id = params.is_object() ? params.view().find("taskId") : std::nullopt;
  auto const found = tasks_.find(id ? id->get_string().value_or("") : "");
  if (found == tasks_.end()) return as_answer(unknown_task());
  if (method == "tasks/result") return fetch(found->second, std::move(core));
  if (method == "tasks/cancel") return as_answer(cancel_and_tell(found->second, core));
  return as_answer(json::fragment::of(found->second->state));
}

COMCP_LAZY_DECL result<json::fragment> task_desk::begin(std::string const& method, json::value const& params,
                                                        context const& ctx, link const& core) {
  if (tasks_.size() >= bounds_.most()) return error::from_peer({-32603, "Too many tasks at once", {}});
  auto const task = params["task"];
  auto const asked = task.view().find("ttl");
  auto const wanted = asked ? asked->get_int64() : std::nullopt;
  using std::chrono::milliseconds, std::chrono::duration_cast;
  auto const longest = duration_cast<milliseconds>(bounds_.longest());
  auto const usual = std::min(duration_cast<milliseconds>(bounds_.usual()), longest);
  milliseconds const ttl(wanted && *wanted >= 0 ? std::min<std::int64_t>(*wanted, longest.count()) : usual.count());
  auto const e = std::make_shared<served_task>(method, params);
  e->state.task_id = unguessable_hex(16);
  e->state.created_at = e->state.last_updated_at = timestamp_now();
  e->state.ttl = task_ttl(ttl.count());
  e->state.poll_interval = 500;
  e->end = later(core->bounds({}).now, ttl);
  tasks_.emplace(e->state.task_id, e);
  create_task_result created;
  created.task = e->state;
  spawn(core->home(), carry_out(inner_, e, with_flag(ctx, e->cancelled), core), e->signal.slot(), e);
  spawn(core->home(), outlive(e, ttl, core));
  return json::fragment::of(created);
}

COMCP_LAZY_DECL asio::awaitable<void> task_desk::carry_out(any_handler inner, entry e, context ctx, link core) {
  result<json::fragment> answered = error(errc::cancelled);
  try {
    auto answering = inner.answer(e->method, e->params, ctx);
    answered = co_await std::move(answering);
  } catch (...) {
    answered = current_error();
    if (!*e->cancelled) core->fault(answered.error());
  }
  if (e->is_over()) co_return;
  if (!answered && !answered.error().peer()) answered = error::from_peer({-32603, "Internal error", {}});
  bool const well = answered.has_value();
  e->outcome = std::move(answered);
  e->finish(well ? task_status::completed : task_status::failed);
  tell(e, core);
}

COMCP_LAZY_DECL void task_desk::tell(entry const& e, link const& core) {
  core->notify_now("notifications/tasks/status", json::to_text(e->state));
}

// One that is not over by the end of its ttl is cancelled.
COMCP_LAZY_DECL asio::awaitable<void> task_desk::outlive(entry e, std::chrono::nanoseconds ttl, link core) {
  auto waiting = core->life().sleep(ttl, e->finished.get_token());
  auto const ended = co_await std::move(waiting);
  if (!ended) (void)cancel_and_tell(e, core);
}

COMCP_LAZY_DECL asio::awaitable<void> task_desk::live(std::shared_ptr<task_desk> desk, link core) {
  auto ending = core->life().ended();
  (void)co_await std::move(ending);
  for (auto const& [id, e] : std::exchange(desk->tasks_, {})) (void)cancel(e);
}

COMCP_LAZY_DECL asio::awaitable<result<json::fragment>> task_desk::fetch(entry e, link core) {
  if (!e->is_over()) {
    auto waiting = core->life().sleep(std::chrono::nanoseconds::max(), e->finished.get_token());
    (void)co_await std::move(waiting);
  }
  if (!e->outcome) co_return e->outcome;
  co_return with_related_task(*e->outcome, e->state.task_id);
}

COMCP_LAZY_DECL result<json::fragment> task_desk::cancel(entry const& e) {
  if (e->is_over()) return error::from_peer({-32602, "The task is over", {}});
  *e->cancelled = true;
  e->outcome = error::from_peer({-32603, "The task was cancelled", {}});
  e->finish(task_status::cancelled);
  e->signal.emit(asio::cancellation_type::terminal);
  return json::fragment::of(e->state);
}

COMCP_LAZY_DECL result<json::fragment> task_desk::cancel_and_tell(entry const& e, link const& core) {
  auto cancelled = cancel(e);
  if (cancelled) tell(e, core);
  return cancelled;
}

COMCP_LAZY_DECL json::fragment task_desk::list() const {
  list_tasks_result all;
  for (auto const& [id, e] : tasks_) all.tasks.push_back(e->state);
  return json::fragment::of(all);
}

}  // namespace comcp::detail
#endif
#endif
#endif

// extensions/skills.hpp
#if !defined(COMCP_SINGLE_EXTENSIONS_SKILLS_HPP)
#define COMCP_SINGLE_EXTENSIONS_SKILLS_HPP
// A client's way to skills: to list them, to load one, and to read its files; nothing is given out that is not what the
// entry says, and nothing is fetched before it is asked for. Where skills go, who approves of them and what may be run
// is the host's decision: their text is a server's, a match of digests is no proof of trust, and `allowed-tools` grants
// nothing. Spec: the extension io.modelcontextprotocol/skills (SEP-2640).

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

// skills/skill.hpp
#if !defined(COMCP_SINGLE_SKILLS_SKILL_HPP)
#define COMCP_SINGLE_SKILLS_SKILL_HPP
// What a server says about its skills, and whether a file is what was said. Which skills are loaded, and what may be done
// with them, is the host's decision. Spec: the extension io.modelcontextprotocol/skills (SEP-2640).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// skills/frontmatter.hpp
#if !defined(COMCP_SINGLE_SKILLS_FRONTMATTER_HPP)
#define COMCP_SINGLE_SKILLS_FRONTMATTER_HPP
// The YAML frontmatter of a SKILL.md: where it is, and what it says, as JSON. The bundled reader knows the part of YAML
// that frontmatter is written in, and refuses the rest instead of guessing.

#include <functional>
#include <string_view>

namespace comcp {

/// A SKILL.md in its two parts, which are views of its text: the lines between the two "---", and what is behind them.
struct skill_parts {
  std::string_view frontmatter;
  std::string_view body;
};

/// Takes a SKILL.md apart. A byte order mark is let pass. Errors: wrong_shape (not UTF-8, no frontmatter, no end of it).
result<skill_parts> split_skill(std::string_view text);

/// Reads frontmatter, a mapping, at most 64 KiB and 32 collections deep. It knows mappings and sequences in blocks and in brackets,
/// plain and quoted scalars, those of several lines too, `|` and `>`, and comments; plain scalars are null, booleans,
/// integers and numbers as in YAML 1.2's core schema (so `yes` and dates are text). Anchors, aliases, tags, merge keys,
/// several documents, keys that are no text or come twice, tabs as indentation, .inf and .nan are errors.
/// Errors: wrong_shape, limit_exceeded; the text names the line.
result<json::value> read_frontmatter(std::string_view yaml);

/// A reader of the same kind over a YAML library, for skills that the bundled one refuses. What it throws counts as an
/// error. It may be called on any thread that verifies.
using frontmatter_reader = std::function<result<json::value>(std::string_view yaml)>;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// skills/impl/frontmatter.ipp
#if !defined(COMCP_SINGLE_SKILLS_IMPL_FRONTMATTER_IPP)
#define COMCP_SINGLE_SKILLS_IMPL_FRONTMATTER_IPP
#include <string>
#include <utility>

// skills/impl/yaml_reader.hpp
#if !defined(COMCP_SINGLE_SKILLS_IMPL_YAML_READER_HPP)
#define COMCP_SINGLE_SKILLS_IMPL_YAML_READER_HPP
// The bundled reader of YAML: recursive descent over lines, which writes JSON as it goes. Every function that reads begins
// at the first character of what it reads, and says false once the text is refused.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace comcp::detail {

/// A document's lines, where it is read, and what it has become so far.
class yaml_lines {
 public:
  explicit yaml_lines(std::string_view text);

  // One more collection, for as long as it is read.
  struct level {
    explicit level(yaml_lines& l) : of(l) { ++of.depth; }
    level(level const&) = delete;
    level& operator=(level const&) = delete;
    ~level() { --of.depth; }
    yaml_lines& of;
  };

  bool fail(std::string_view why, errc code = errc::wrong_shape);
  [[nodiscard]] bool at_end() const noexcept { return row == lines.size(); }
  [[nodiscard]] std::string_view rest() const noexcept { return lines[row].substr(col); }
  [[nodiscard]] bool at_dash() const noexcept;
  bool next_content();
  bool end_line();
  bool deeper();
  bool add_key(std::set<std::string>& keys, std::string const& key);

  std::vector<std::string_view> lines;
  std::size_t row = 0, col = 0, depth = 0;
  json::writer out;
  error fault;
};

// `n` is the indentation of the collection that a value is in, -1 for none.

class yaml_scalars {
 public:
  explicit yaml_scalars(yaml_lines& in) : in_(in) {}

  bool plain(int n);
  bool plain_line(std::string_view& piece, bool flow);
  [[nodiscard]] bool plain_starts(bool flow) const noexcept;
  bool refuse_start();
  bool quoted(std::string& out, int n);
  bool resolve(std::string_view text);
  bool block_scalar(int n);

 private:
  bool fold_quoted(std::string& out, int n, bool escaped);
  bool escape(std::string& out);
  bool hex(std::size_t digits, char32_t& out);
  bool block_header(int n, char& chomping, std::size_t& indent);
  bool block_indent(int n, std::size_t from, std::size_t& indent);

  yaml_lines& in_;
};

class yaml_flow {
 public:
  yaml_flow(yaml_lines& in, yaml_scalars& scalars) : in_(in), scalars_(scalars) {}

  bool node(int n);

 private:
  bool sequence(int n);
  bool mapping(int n);
  bool take_key(std::string& key, bool& was_quoted, int n);
  bool space(int n);
  bool next(char close, bool& more, int n);

  yaml_lines& in_;
  yaml_scalars& scalars_;
};

class yaml_reader {
 public:
  explicit yaml_reader(std::string_view text) : in_(text) {}
  /// The one document as JSON text.
  result<std::string> to_json();

 private:
  bool block_node(int n);
  bool inline_node(int n);
  bool mapping(std::string key);
  bool sequence();
  bool value_behind(int n, bool of_key);
  bool key_here(std::string& key, bool& found);
  bool quoted_key(std::string& key, bool& found);

  yaml_lines in_;
  yaml_scalars scalars_{in_};
  yaml_flow flow_{in_, scalars_};
  std::size_t key_column_ = 0;  // where key_here() looked last
};

inline constexpr std::size_t yaml_max_bytes = 64 * 1024;
inline constexpr std::size_t yaml_max_depth = 32;

inline bool yaml_space(char c) noexcept { return c == ' ' || c == '\t'; }
inline bool yaml_blank(std::string_view line) noexcept { return line.find_first_not_of(" \t") == std::string_view::npos; }
/// Whether it begins or ends a document wherever it stands, in quotes and brackets too.
inline bool yaml_marker(std::string_view line) noexcept { return line.starts_with("---") || line.starts_with("..."); }
/// Whether a plain scalar with this text is a string.
bool yaml_is_text(std::string_view plain);

}  // namespace comcp::detail
#endif

namespace comcp {
namespace detail {

COMCP_DECL bool is_utf8(std::string_view text) {
  try {
    json::writer().string(text);
    return true;
  } catch (exception const&) {
    return false;
  }
}

// Without its line's end; `text` begins behind it then.
COMCP_DECL std::string_view take_line(std::string_view& text) {
  auto const end = text.find('\n');
  auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

COMCP_DECL bool is_fence(std::string_view line) { return line.starts_with("---") && yaml_blank(line.substr(3)); }

}  // namespace detail

COMCP_DECL result<skill_parts> split_skill(std::string_view text) {
  if (!detail::is_utf8(text)) return error(errc::wrong_shape, "SKILL.md is not UTF-8");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (!detail::is_fence(detail::take_line(text))) return error(errc::wrong_shape, "SKILL.md has no frontmatter");
  skill_parts out;
  for (auto const from = text; !text.empty();) {
    auto const before = from.size() - text.size();
    if (!detail::is_fence(detail::take_line(text))) continue;
    out.frontmatter = from.substr(0, before);
    out.body = text;
    return out;
  }
  return error(errc::wrong_shape, "the frontmatter of SKILL.md does not end");
}

COMCP_DECL result<json::value> read_frontmatter(std::string_view yaml) {
  if (yaml.size() > detail::yaml_max_bytes) return error(errc::limit_exceeded, "the frontmatter is longer than 64 KiB");
  if (!detail::is_utf8(yaml)) return error(errc::wrong_shape, "the frontmatter is not UTF-8");
  auto text = detail::yaml_reader(yaml).to_json();
  if (!text) return text.error();
  auto value = json::parse(*text);
  if (!value) return value.error().with_code(make_error_code(errc::wrong_shape));  // a number that fits nothing
  if (!value->is_object()) return error(errc::wrong_shape, "the frontmatter is no mapping");
  return value;
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// skills/impl/yaml_blocks.ipp
#if !defined(COMCP_SINGLE_SKILLS_IMPL_YAML_BLOCKS_IPP)
#define COMCP_SINGLE_SKILLS_IMPL_YAML_BLOCKS_IPP
// Lines and indentation, and the mappings and sequences that they make.

#include <algorithm>
#include <set>

namespace comcp::detail {

COMCP_DECL yaml_lines::yaml_lines(std::string_view text) {
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

COMCP_DECL bool yaml_lines::fail(std::string_view why, errc code) {
  auto const line = std::min(row + 1, lines.size());
  if (!fault) fault = error(code, "line " + std::to_string(line) + " of the frontmatter: " + std::string(why));
  return false;
}

COMCP_DECL bool yaml_lines::deeper() {
  return depth <= yaml_max_depth || fail("more than 32 collections in each other", errc::limit_exceeded);
}

COMCP_DECL bool yaml_lines::at_dash() const noexcept {
  auto const r = rest();
  return r.starts_with('-') && (r.size() == 1 || yaml_space(r[1]));
}

// From the start of a line to the next one with content, and there to its first character.
COMCP_DECL bool yaml_lines::next_content() {
  for (col = 0; !at_end(); ++row) {
    auto const line = lines[row];
    auto const indent = line.find_first_not_of(' ');
    if (yaml_blank(line) || line[indent] == '#') continue;
    if (line[indent] == '\t') return fail("a tab in the indentation");
    if (yaml_marker(line)) return fail("more than one document");
    col = indent;
    return true;
  }
  return true;
}

COMCP_DECL bool yaml_lines::end_line() {
  auto const r = rest();
  auto const i = r.find_first_not_of(" \t");
  if (i != std::string_view::npos && (r[i] != '#' || i == 0)) return fail("text behind a value");
  ++row;
  return next_content();
}

COMCP_DECL bool yaml_lines::add_key(std::set<std::string>& keys, std::string const& key) {
  if (!keys.insert(key).second) return fail("the key \"" + key + "\" comes twice");
  out.key(key);
  return true;
}

COMCP_DECL result<std::string> yaml_reader::to_json() {
  auto const control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; };
  for (auto const line : in_.lines) {
    if (std::any_of(line.begin(), line.end(), control) || line.find("\xEF\xBB\xBF") != std::string_view::npos)
      return error(errc::wrong_shape, "the frontmatter has a control character or a byte order mark");
  }
  bool ok = in_.next_content();
  if (ok && in_.at_end()) return error(errc::wrong_shape, "the frontmatter is empty");
  ok = ok && block_node(-1);
  if (ok && !in_.at_end()) ok = in_.fail("what does not belong to anything above it");
  if (!ok) return in_.fault;
  return std::move(in_.out).text();
}

COMCP_DECL bool yaml_reader::block_node(int n) {
  if (in_.at_dash()) return sequence();
  std::string key;
  bool found = false;
  if (!key_here(key, found)) return false;
  return found ? mapping(std::move(key)) : inline_node(n);
}

COMCP_DECL bool yaml_reader::inline_node(int n) {
  char const c = in_.rest()[0];
  if (c == '|' || c == '>') return scalars_.block_scalar(n);
  if (c == '[' || c == '{') return flow_.node(n) && in_.end_line();
  if (c != '"' && c != '\'') return scalars_.plain(n);
  std::string text;
  if (!scalars_.quoted(text, n)) return false;
  in_.out.string(text);
  return in_.end_line();
}

// The first key has been read.
COMCP_DECL bool yaml_reader::mapping(std::string key) {
  yaml_lines::level const one_more(in_);
  if (!in_.deeper()) return false;
  // key_here() has gone beyond it: its column is where this line's content begins, dashes left out.
  auto const column = key_column_;
  std::set<std::string> keys;
  in_.out.begin_object();
  for (;;) {
    if (!in_.add_key(keys, key) || !value_behind(static_cast<int>(column), true)) return false;
    if (in_.at_end() || in_.col < column) break;
    bool found = false;
    if (in_.col > column) return in_.fail("indentation that fits nothing above");
    if (!key_here(key, found)) return false;
    if (!found) return in_.fail("expected a key and a colon");
  }
  in_.out.end_object();
  return true;
}

COMCP_DECL bool yaml_reader::sequence() {
  yaml_lines::level const one_more(in_);
  if (!in_.deeper()) return false;
  auto const column = in_.col;
  in_.out.begin_array();
  do {
    ++in_.col;
    if (!value_behind(static_cast<int>(column), false)) return false;
    if (in_.at_end() || in_.col < column) break;
    if (in_.col > column) return in_.fail("indentation that fits nothing above");
  } while (in_.at_dash());
  in_.out.end_array();
  return true;
}

// What is behind a colon or a dash, on this line or below it.
COMCP_DECL bool yaml_reader::value_behind(int n, bool of_key) {
  auto const r = in_.rest();
  auto const i = r.find_first_not_of(" \t");
  if (i == std::string_view::npos || r[i] == '#') {
    ++in_.row;
    if (!in_.next_content()) return false;
    int const indent = static_cast<int>(in_.col);
    if (!in_.at_end() && (indent > n || (indent == n && of_key && in_.at_dash()))) return block_node(n);
    in_.out.null();
    return true;
  }
  in_.col += i;
  if (of_key) return inline_node(n);
  if (r.substr(0, i).find('\t') != std::string_view::npos) return in_.fail("a tab behind a dash");
  return block_node(n);
}

// Whether a key begins here: then it is read with its colon.
COMCP_DECL bool yaml_reader::key_here(std::string& key, bool& found) {
  auto const r = in_.rest();
  key_column_ = in_.col;
  if (r.starts_with('"') || r.starts_with('\'')) return quoted_key(key, found);
  if (r.starts_with('?') && (r.size() == 1 || yaml_space(r[1]))) return in_.fail("a key of several lines");
  if (!scalars_.plain_starts(false)) return true;
  for (std::size_t i = 1; i < r.size(); ++i) {
    if (r[i] == '#' && yaml_space(r[i - 1])) return true;
    if (r[i] != ':' || (i + 1 < r.size() && !yaml_space(r[i + 1]))) continue;
    key = r.substr(0, r.find_last_not_of(" \t", i - 1) + 1);
    if (key == "<<") return in_.fail("a merge key");
    if (!yaml_is_text(key)) return in_.fail("a key that is no text: quote it");
    in_.col += i + 1;
    found = true;
    return true;
  }
  return true;
}

COMCP_DECL bool yaml_reader::quoted_key(std::string& key, bool& found) {
  auto const r = in_.rest();
  std::size_t i = 1;
  while (i < r.size() && r[i] != r[0]) i += r[i] == '\\' && r[0] == '"' ? 2 : 1;
  while (r[0] == '\'' && i + 1 < r.size() && r[i + 1] == '\'') {
    i = std::min(r.find('\'', i + 2), r.size());
  }
  if (i >= r.size()) return true;  // it goes on below: no key
  i = r.find_first_not_of(" \t", i + 1);
  if (i == std::string_view::npos || r[i] != ':' || (i + 1 < r.size() && !yaml_space(r[i + 1]))) return true;
  auto const column = in_.col;
  key.clear();
  if (!scalars_.quoted(key, -1)) return false;
  in_.col = column + i + 1;
  found = true;
  return true;
}

}  // namespace comcp::detail
#endif

// skills/impl/yaml_flow.ipp
#if !defined(COMCP_SINGLE_SKILLS_IMPL_YAML_FLOW_IPP)
#define COMCP_SINGLE_SKILLS_IMPL_YAML_FLOW_IPP
// Collections in brackets.

#include <set>

namespace comcp::detail {

// To the next character that is no blank, no comment and no end of a line.
COMCP_DECL bool yaml_flow::space(int n) {
  for (;;) {
    auto const r = in_.rest();
    auto const i = r.find_first_not_of(" \t");
    bool const found = i != std::string_view::npos;
    bool const comment = found && r[i] == '#' && (in_.col + i == 0 || yaml_space(in_.lines[in_.row][in_.col + i - 1]));
    if (found && !comment) {
      in_.col += i;
      return true;
    }
    ++in_.row;
    if (in_.at_end()) return in_.fail("a bracket that does not close");
    in_.col = 0;
    auto const line = in_.lines[in_.row];
    auto const indent = line.find_first_not_of(' ');
    if (yaml_blank(line) || line[indent] == '#') continue;
    if (yaml_marker(line)) return in_.fail("more than one document");
    if (line[indent] == '\t') return in_.fail("a tab in the indentation");
    bool const closes = line[indent] == ']' || line[indent] == '}';  // may stand below its key
    if (static_cast<int>(indent) + (closes ? 1 : 0) <= n) return in_.fail("text in brackets that is not indented");
  }
}

COMCP_DECL bool yaml_flow::node(int n) {
  char const c = in_.rest()[0];
  if (c == '[') return sequence(n);
  if (c == '{') return mapping(n);
  if (c == '"' || c == '\'') {
    std::string text;
    if (!scalars_.quoted(text, n)) return false;
    in_.out.string(text);
    return true;
  }
  if (!scalars_.plain_starts(true)) return scalars_.refuse_start();
  std::string_view piece;
  return scalars_.plain_line(piece, true) && scalars_.resolve(piece);
}

// Behind an element: a comma, or the end.
COMCP_DECL bool yaml_flow::next(char close, bool& more, int n) {
  if (!space(n)) return false;
  if (in_.rest()[0] == ',') {
    ++in_.col;
    if (!space(n)) return false;
  } else if (in_.rest()[0] != close) {
    return in_.fail("expected a comma or a closing bracket");
  }
  more = in_.rest()[0] != close;
  return true;
}

COMCP_DECL bool yaml_flow::sequence(int n) {
  yaml_lines::level const one_more(in_);
  ++in_.col;
  if (!in_.deeper() || !space(n)) return false;
  in_.out.begin_array();
  for (bool more = in_.rest()[0] != ']'; more;) {
    if (!node(n) || !next(']', more, n)) return false;
  }
  ++in_.col;
  in_.out.end_array();
  return true;
}

COMCP_DECL bool yaml_flow::take_key(std::string& key, bool& was_quoted, int n) {
  was_quoted = in_.rest()[0] == '"' || in_.rest()[0] == '\'';
  key.clear();
  if (was_quoted) return scalars_.quoted(key, n);
  std::string_view piece;
  if (!scalars_.plain_starts(true)) return scalars_.refuse_start();
  if (!scalars_.plain_line(piece, true)) return false;
  key = piece;
  if (key == "<<") return in_.fail("a merge key");
  return yaml_is_text(key) || in_.fail("a key that is no text: quote it");
}

COMCP_DECL bool yaml_flow::mapping(int n) {
  yaml_lines::level const one_more(in_);
  ++in_.col;
  if (!in_.deeper() || !space(n)) return false;
  std::set<std::string> keys;
  std::string key;
  in_.out.begin_object();
  for (bool more = in_.rest()[0] != '}', was_quoted = false; more;) {
    if (!take_key(key, was_quoted, n) || !space(n)) return false;
    auto const r = in_.rest();
    bool const apart = r.size() == 1 || yaml_space(r[1]) || r.find_first_of(",[]{}", 1) == 1;
    if (r[0] != ':' || !(apart || was_quoted)) return in_.fail("expected a colon behind a key");
    ++in_.col;
    if (!in_.add_key(keys, key) || !space(n)) return false;
    if (in_.rest()[0] == ',' || in_.rest()[0] == '}') {
      in_.out.null();
    } else if (!node(n)) {
      return false;
    }
    if (!next('}', more, n)) return false;
  }
  ++in_.col;
  in_.out.end_object();
  return true;
}

}  // namespace comcp::detail
#endif

// skills/impl/yaml_scalars.ipp
#if !defined(COMCP_SINGLE_SKILLS_IMPL_YAML_SCALARS_IPP)
#define COMCP_SINGLE_SKILLS_IMPL_YAML_SCALARS_IPP
// What has a value and no parts: plain text, text in quotes, text in a block.

#include <algorithm>
#include <array>
#include <optional>

namespace comcp::detail {

COMCP_DECL bool yaml_is_digits(std::string_view s, std::string_view digits = "0123456789") {
  return !s.empty() && s.find_first_not_of(digits) == std::string_view::npos;
}

// A number of the core schema as JSON; nothing where it is none. `endless` is set for what JSON has no number for.
COMCP_DECL std::optional<std::string> yaml_number(std::string_view s, bool& endless) {
  auto const bare = s.substr(s.starts_with('-') || s.starts_with('+') ? 1 : 0);
  endless = bare == ".inf" || bare == ".Inf" || bare == ".INF" || s == ".nan" || s == ".NaN" || s == ".NAN";
  if (endless) return {};
  bool const octal = s.starts_with("0o"), hexadecimal = s.starts_with("0x");
  if ((octal && yaml_is_digits(s.substr(2), "01234567")) ||
      (hexadecimal && yaml_is_digits(s.substr(2), "0123456789abcdefABCDEF"))) {
    auto const digits = s.substr(2);
    if (digits.size() > 15) return endless = true, std::nullopt;
    return std::to_string(std::stoull(std::string(digits), nullptr, octal ? 8 : 16));
  }
  auto const e = bare.find_first_of("eE");
  auto const mantissa = bare.substr(0, e);
  auto const point = mantissa.find('.');
  auto whole = mantissa.substr(0, point);
  auto const part = point == std::string_view::npos ? std::string_view() : mantissa.substr(point + 1);
  if ((!whole.empty() && !yaml_is_digits(whole)) || (!part.empty() && !yaml_is_digits(part))) return {};
  if (whole.empty() && part.empty()) return {};
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  std::string out(s.starts_with('-') ? "-" : "");
  out += whole.empty() ? std::string_view("0") : whole;
  if (!part.empty()) out.append(".").append(part);
  if (e == std::string_view::npos) return out;
  auto const exponent = bare.substr(e + 1);
  bool const sign = exponent.starts_with('-') || exponent.starts_with('+');
  if (!yaml_is_digits(exponent.substr(sign ? 1 : 0))) return {};
  return out.append("e").append(exponent);
}

// The text in JSON of a plain scalar that is no string.
COMCP_DECL std::optional<std::string> yaml_constant(std::string_view s) {
  if (s.empty() || s == "~" || s == "null" || s == "Null" || s == "NULL") return "null";
  if (s == "true" || s == "True" || s == "TRUE") return "true";
  if (s == "false" || s == "False" || s == "FALSE") return "false";
  return {};
}

COMCP_DECL bool yaml_is_text(std::string_view plain) {
  bool endless = false;
  return !yaml_constant(plain) && !yaml_number(plain, endless) && !endless;
}

COMCP_DECL bool yaml_scalars::plain_starts(bool flow) const noexcept {
  auto const r = in_.rest();
  if (r.find_first_of(",[]{}#&*!|>'\"%@`") == 0) return false;
  if (r.find_first_of("-?:") != 0) return true;
  if (flow && r[0] != '-') return false;  // text in YAML 1.2, a key or a colon to readers of YAML 1.1
  return r.size() > 1 && !yaml_space(r[1]) && !(flow && r.find_first_of(",[]{}", 1) == 1);
}

COMCP_DECL bool yaml_scalars::refuse_start() {
  switch (in_.rest()[0]) {
    case '&': return in_.fail("an anchor, which is not supported");
    case '*': return in_.fail("an alias, which is not supported");
    case '!': return in_.fail("a tag, which is not supported");
    case '%': return in_.fail("a directive, which is not supported");
    default: return in_.fail("a value may not begin so");
  }
}

// As much of a plain scalar as this line has, which is read beyond it.
COMCP_DECL bool yaml_scalars::plain_line(std::string_view& piece, bool flow) {
  auto const r = in_.rest();
  std::size_t i = 0;
  for (; i < r.size(); ++i) {
    char const c = r[i];
    bool const last = i + 1 == r.size();
    if (c == '#' && i > 0 && yaml_space(r[i - 1])) break;
    if (flow && std::string_view(",[]{}").find(c) != std::string_view::npos) break;
    if (c != ':') continue;
    if (flow && (last || yaml_space(r[i + 1]) || r.find_first_of(",[]{}", i + 1) == i + 1)) break;
    if (last || yaml_space(r[i + 1])) return in_.fail("a colon and a space inside a value: quote it");
  }
  piece = r.substr(0, i);
  piece = piece.substr(0, piece.find_last_not_of(" \t") + 1);
  in_.col += piece.size();
  return true;
}

// A plain scalar and the lines below that belong to it.
COMCP_DECL bool yaml_scalars::plain(int n) {
  if (!plain_starts(false)) return refuse_start();
  std::string_view piece;
  if (!plain_line(piece, false)) return false;
  std::string text(piece);
  while (yaml_blank(in_.rest())) {  // else a comment, which ends it
    auto next = in_.row + 1;
    while (next < in_.lines.size() && yaml_blank(in_.lines[next])) ++next;
    if (next == in_.lines.size()) break;
    auto const indent = in_.lines[next].find_first_not_of(' ');
    if (static_cast<int>(indent) <= n || in_.lines[next][indent] == '#') break;
    auto const empty = next - in_.row - 1;
    in_.row = next;
    in_.col = indent;
    if (in_.lines[next][indent] == '\t') return in_.fail("a tab in the indentation");
    if (!plain_line(piece, false)) return false;
    text.append(empty, '\n').append(empty ? "" : " ").append(piece);
  }
  return resolve(text) && in_.end_line();
}

COMCP_DECL bool yaml_scalars::quoted(std::string& out, int n) {
  char const quote = in_.rest()[0];
  std::size_t kept = 0;  // this much of it is no blank that the end of a line takes away
  for (++in_.col;;) {
    auto const r = in_.rest();
    if (r.empty()) {
      while (out.size() > kept && yaml_space(out.back())) out.pop_back();
      if (!fold_quoted(out, n, false)) return false;
      kept = out.size();
    } else if (r[0] == quote && quote == '\'' && r.starts_with("''")) {
      out += '\'';
      in_.col += 2;
    } else if (r[0] == quote) {
      ++in_.col;
      return true;
    } else if (r[0] == '\\' && quote == '"') {
      if (!(r.size() == 1 ? fold_quoted(out, n, true) : escape(out))) return false;
      kept = out.size();
    } else {
      out += r[0];
      ++in_.col;
    }
  }
}

// From the end of a line to where the text goes on.
COMCP_DECL bool yaml_scalars::fold_quoted(std::string& out, int n, bool escaped) {
  std::size_t empty = 0;
  for (++in_.row; !in_.at_end() && yaml_blank(in_.lines[in_.row]); ++in_.row) ++empty;
  if (in_.at_end()) return in_.fail("a quote that does not end");
  if (yaml_marker(in_.lines[in_.row])) return in_.fail("more than one document");
  if (static_cast<int>(in_.lines[in_.row].find_first_not_of(' ')) <= n) return in_.fail("text in quotes that is not indented");
  in_.col = in_.lines[in_.row].find_first_not_of(" \t");
  if (empty) {
    out.append(empty, '\n');
  } else if (!escaped) {
    out += ' ';
  }
  return true;
}

COMCP_DECL void append_code_point(std::string& out, char32_t c) {
  auto const tail = [&out](char32_t bits) { out += static_cast<char>(0x80 | (bits & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(c);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(c >> 6);
    tail(c);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(c >> 12);
    tail(c >> 6);
    tail(c);
  }
}

COMCP_DECL bool yaml_scalars::hex(std::size_t digits, char32_t& out) {
  auto const text = in_.rest().substr(0, digits);
  if (text.size() != digits || !yaml_is_digits(text, "0123456789abcdefABCDEF")) return in_.fail("an escape without its digits");
  out = static_cast<char32_t>(std::stoul(std::string(text), nullptr, 16));
  in_.col += digits;
  return true;
}

COMCP_DECL bool yaml_scalars::escape(std::string& out) {
  constexpr std::string_view names = "0abt\tnvfre \"/\\N_LP";
  constexpr std::array<char32_t, 18> meanings = {0,    7,    8,   9,   9,    10,   11,   12,     13,
                                                 0x1B, 0x20, '"', '/', '\\', 0x85, 0xA0, 0x2028, 0x2029};
  static_assert(names.size() == meanings.size());
  char const c = in_.rest()[1];
  in_.col += 2;
  char32_t code = 0;
  if (auto const i = names.find(c); i != std::string_view::npos) {
    code = meanings[i];
  } else if (c != 'x' && c != 'u' && c != 'U') {
    return in_.fail("an unknown escape");
  } else if (!hex(c == 'x' ? 2 : c == 'u' ? 4 : 8, code)) {
    return false;
  }
  if (code >= 0xD800 && code < 0xDC00 && in_.rest().starts_with("\\u")) {  // the other half of a pair, as JSON has it
    char32_t low = 0;
    in_.col += 2;
    if (!hex(4, low)) return false;
    if (low >= 0xDC00 && low < 0xE000) code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return in_.fail("an escape that is no character");
  append_code_point(out, code);
  return true;
}

COMCP_DECL bool yaml_scalars::resolve(std::string_view text) {
  bool endless = false;
  auto json = yaml_constant(text);
  if (!json) json = yaml_number(text, endless);
  if (endless) return in_.fail("a number that JSON has not");
  if (json) {
    in_.out.raw(*json);
  } else {
    in_.out.string(text);
  }
  return true;
}

// How far the lines of a block scalar are indented, from its first one that is not empty.
COMCP_DECL bool yaml_scalars::block_indent(int n, std::size_t from, std::size_t& indent) {
  std::size_t longest = 0;
  for (auto i = from; i < in_.lines.size(); ++i) {
    auto const spaces = in_.lines[i].find_first_not_of(' ');
    if (spaces == std::string_view::npos) {
      longest = std::max(longest, in_.lines[i].size());
      continue;
    }
    if (static_cast<int>(spaces) <= n) break;
    indent = spaces;
    return longest <= indent || in_.fail("empty lines that are longer than the indentation");
  }
  indent = std::max(longest, static_cast<std::size_t>(n + 1));  // there are only empty lines
  return true;
}

// What stands behind `|` or `>`: how its end is kept, and its indentation where that is said.
COMCP_DECL bool yaml_scalars::block_header(int n, char& chomping, std::size_t& indent) {
  for (++in_.col; !in_.rest().empty() && !yaml_space(in_.rest()[0]); ++in_.col) {
    char const c = in_.rest()[0];
    if ((c == '+' || c == '-') && !chomping) {
      chomping = c;
    } else if (c >= '1' && c <= '9' && !indent) {
      indent = static_cast<std::size_t>(std::max(n, 0) + (c - '0'));
    } else {
      return in_.fail("no way to begin a block of text");
    }
  }
  auto const i = in_.rest().find_first_not_of(" \t");
  if (i != std::string_view::npos && in_.rest()[i] != '#') return in_.fail("text behind the beginning of a block");
  ++in_.row;
  return indent || block_indent(n, in_.row, indent);
}

COMCP_DECL bool yaml_scalars::block_scalar(int n) {
  bool const folded = in_.rest()[0] == '>';
  char chomping = 0;
  std::size_t indent = 0, empty = 0;
  if (!block_header(n, chomping, indent)) return false;
  std::string out;
  bool first = true, more_before = false;
  for (; !in_.at_end(); ++in_.row) {
    auto const line = in_.lines[in_.row];
    auto const spaces = std::min(line.find_first_not_of(' '), line.size());
    if (spaces == line.size() && spaces <= indent) {
      ++empty;
      continue;
    }
    if (spaces < indent) {
      if (line[spaces] == '\t') return in_.fail("a tab in the indentation");
      if (static_cast<int>(spaces) <= n || line[spaces] == '#') break;
      return in_.fail("indentation that fits nothing above");
    }
    auto const text = line.substr(indent);
    bool const more = yaml_space(text[0]);
    bool const folds = folded && !first && !more && !more_before;
    if (folds && empty == 0) out += ' ';
    out.append(empty + (first || folds ? 0 : 1), '\n').append(text);
    empty = 0;
    first = false;
    more_before = more;
  }
  if (!first && chomping != '-') out += '\n';
  if (chomping == '+') out.append(empty, '\n');
  in_.out.string(out);
  return in_.next_content();
}

}  // namespace comcp::detail
#endif
#endif
#endif
#endif
#endif

namespace comcp {

/// The name by which a server declares that it has skills.
inline constexpr std::string_view skills_extension = "io.modelcontextprotocol/skills";

/// One file of a skill.
struct skill_resource {
  skill_resource() = default;

  std::string uri;
  std::string digest;      ///< "sha256:" and 64 lower-case hexadecimal digits, of the file's bytes.
  std::uint64_t size = 0;  ///< Bytes.

  friend bool operator==(skill_resource const&, skill_resource const&) = default;
};
constexpr auto describe(std::type_identity<skill_resource>) {
  using t = skill_resource;
  return json::fields(json::field("uri", &t::uri), json::field("digest", &t::digest), json::field("size", &t::size));
}

/// A skill's entry, as skills/list and skills/get have it. Reading one checks what the specification demands of it: the
/// directory has the skill's name, SKILL.md is listed, every file is listed once, is inside the directory and has a
/// digest. Names that are not one file everywhere are refused: with escapes of escapes or of what needs none, with ':',
/// with a dot or blank at the end, in another normal form of Unicode, or twins but for capital letters. All of it is the server's word. The identity of a skill is its server and its uri, never its name.
struct skill {
  skill() = default;

  std::string uri;          ///< Of its SKILL.md.
  json::value frontmatter;  ///< An object with name and description; the rest is as the author wrote it.
  /// Every file, in the order of their uris. Nothing for a "dynamic" skill, whose content cannot be verified. An approval
  /// that is kept is bound to this: it ends when an entry has another set.
  std::optional<std::vector<skill_resource>> resources;
  json::value raw;

  [[nodiscard]] bool is_dynamic() const noexcept { return !resources; }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string description() const;
  /// The uri of its directory, without a slash at the end.
  [[nodiscard]] std::string_view root() const noexcept;
  /// The file with exactly this uri, or null.
  [[nodiscard]] skill_resource const* find(std::string_view file) const noexcept;
  /// Whether this may be read as a file of the skill: it is listed, or inside the directory of a dynamic one.
  [[nodiscard]] bool has(std::string_view file) const;
  /// The sum of all sizes, 0 for a dynamic one; the largest number where it is larger.
  [[nodiscard]] std::uint64_t total_size() const noexcept;
  /// What a relative reference in SKILL.md means, such as "references/FORMS.md#fields", without its fragment.
  /// Errors: invalid_argument (not relative, or it leads out of the skill).
  [[nodiscard]] result<std::string> resolve(std::string_view reference) const;
};
template <>
struct json::codec<skill> {
  static bool read(view v, skill& out, read_error& e);
  static void write(writer& w, skill const& s);
};

struct list_skills_result {
  list_skills_result() = default;

  std::vector<skill> skills;
  std::vector<comcp::set_aside> set_aside;  ///< Entries that are invalid, which must not be loaded.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_skills_result>) {
  using t = list_skills_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("skills", &t::skills),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct get_skill_result {
  get_skill_result() = default;

  comcp::skill skill;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<get_skill_result>) {
  using t = get_skill_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("skill", &t::skill),
                      json::field("ttlMs", &t::ttl_ms), json::field("cacheScope", &t::cache_scope),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Whether these bytes are this file of the skill: its size, its digest and, for SKILL.md, its frontmatter, field by
/// field. Of a dynamic skill only the frontmatter can be checked. For bytes from a server or from a cache of the host;
/// without a reader the bundled one reads. Errors: verification_failed, also for a file that is not listed.
result<void> verify_skill_file(skill const& entry, std::string_view file, std::string_view bytes,
                               frontmatter_reader const& reader = frontmatter_reader());

}  // namespace comcp

// hash/sha256.hpp
#if !defined(COMCP_SINGLE_HASH_SHA256_HPP)
#define COMCP_SINGLE_HASH_SHA256_HPP
// SHA-256 (FIPS 180-4) for fingerprints and names, so that they need no crypto library. It hashes public data: nothing
// here runs in constant time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace comcp {

using sha256_digest = std::array<std::uint8_t, 32>;

/// A hash in progress. Regular: a copy goes on by itself.
class sha256_hasher {
 public:
  sha256_hasher() noexcept = default;
  sha256_hasher& update(std::string_view bytes) noexcept;
  /// The digest of everything so far. update() may go on after it.
  [[nodiscard]] sha256_digest digest() const noexcept;

 private:
  void block(std::uint8_t const* bytes) noexcept;

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> rest_{};  // what fills no block yet
  std::uint64_t size_ = 0;               // bytes so far
};

inline sha256_digest sha256(std::string_view bytes) noexcept { return sha256_hasher().update(bytes).digest(); }

/// The digest as 64 lower-case hexadecimal digits.
std::string to_hex(sha256_digest const& digest);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// hash/impl/sha256.ipp
#if !defined(COMCP_SINGLE_HASH_IMPL_SHA256_IPP)
#define COMCP_SINGLE_HASH_IMPL_SHA256_IPP
#include <algorithm>
#include <bit>
#include <cstring>

namespace comcp {
namespace detail {

inline constexpr std::uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// The 64 words that a block of 16 is expanded to.
inline std::array<std::uint32_t, 64> sha256_schedule(std::uint8_t const* bytes) noexcept {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    auto const* const b = bytes + 4 * i;
    w[i] = std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | std::uint32_t{b[3]};
  }
  for (std::size_t i = 16; i < 64; ++i) {
    auto const s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    auto const s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

}  // namespace detail

COMCP_DECL void sha256_hasher::block(std::uint8_t const* bytes) noexcept {
  auto const w = detail::sha256_schedule(bytes);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    auto const s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    auto const t1 = h + s1 + ((e & f) ^ (~e & g)) + detail::sha256_constants[i] + w[i];
    auto const s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    auto const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  std::uint32_t const added[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += added[i];
}

COMCP_DECL sha256_hasher& sha256_hasher::update(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    auto const filled = static_cast<std::size_t>(size_ % 64);
    auto const n = std::min(bytes.size(), 64 - filled);
    std::memcpy(rest_.data() + filled, bytes.data(), n);
    size_ += n;
    bytes.remove_prefix(n);
    if (filled + n == 64) block(rest_.data());
  }
  return *this;
}

COMCP_DECL sha256_digest sha256_hasher::digest() const noexcept {
  auto end = *this;
  auto const bits = size_ * 8;
  end.update(std::string_view("\x80", 1));
  constexpr char zeros[64] = {};
  end.update(std::string_view(zeros, (120 - end.size_ % 64) % 64));
  char length[8];
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(bits >> (56 - 8 * i) & 0xff);
  end.update(std::string_view(length, 8));
  sha256_digest out;
  for (std::size_t i = 0; i < 32; ++i) out[i] = static_cast<std::uint8_t>(end.state_[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

COMCP_DECL std::string to_hex(sha256_digest const& digest) {
  constexpr char const* digits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (auto const byte : digest) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

}  // namespace comcp
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// skills/impl/skill.ipp
#if !defined(COMCP_SINGLE_SKILLS_IMPL_SKILL_IPP)
#define COMCP_SINGLE_SKILLS_IMPL_SKILL_IPP
#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace comcp {
namespace detail {

inline constexpr std::string_view skill_file = "/SKILL.md";
inline constexpr std::string_view digest_scheme = "sha256:";

COMCP_DECL bool is_skill_digest(std::string_view text) noexcept {
  return text.starts_with(digest_scheme) && text.size() == digest_scheme.size() + 64 &&
         text.find_first_not_of("0123456789abcdef", digest_scheme.size()) == std::string_view::npos;
}

// As the Agent Skills format has it.
COMCP_DECL bool is_skill_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= 64 && !name.starts_with('-') && !name.ends_with('-') &&
         name.find("--") == std::string_view::npos &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

COMCP_DECL std::optional<char> unescaped(std::string_view& text) noexcept {
  constexpr std::string_view digits = "0123456789abcdef0123456789ABCDEF";
  char const c = text[0];
  if (c != '%') return text.remove_prefix(1), c;
  auto const high = text.size() < 3 ? digits.npos : digits.find(text[1]);
  auto const low = text.size() < 3 ? digits.npos : digits.find(text[2]);
  if (high == digits.npos || low == digits.npos) return {};
  text.remove_prefix(3);
  return static_cast<char>(high % 16 * 16 + low % 16);
}

inline bool is_unreserved(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

// Combining marks, conjoining jamo and compatibility ideographs: normal forms of Unicode write them in another way, so
// that two names might be one file.
COMCP_DECL bool has_unicode_twin(std::string_view name) noexcept {
  for (character_scan at(name); at.next();) {
    auto const c = at.code();
    if (!at.is_utf8() || (c >= 0x300 && c <= 0x36F) || (c >= 0x1100 && c <= 0x11FF) || c == 0x2126 || c == 0x212A ||
        c == 0x212B || c == 0x3099 || c == 0x309A || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F))
      return true;
  }
  return false;
}

// The name that a segment is once its escapes are undone; nothing where it is none, or another one if that is done twice,
// written in another way, or on another system.
COMCP_DECL std::optional<std::string> segment_name(std::string_view text) {
  if (text.find_first_of("?#\\:") != std::string_view::npos) return {};
  std::string name;
  while (!text.empty()) {
    bool const escaped = text[0] == '%';
    auto const c = unescaped(text);
    if (!c || static_cast<unsigned char>(*c) < 0x20 || *c == 0x7F || *c == '/' || *c == '\\' || *c == ':') return {};
    if (escaped && is_unreserved(*c)) return {};
    name += *c;
  }
  for (auto at = name.find('%'); at != name.npos; at = name.find('%', at + 1)) {
    auto rest = std::string_view(name).substr(at);
    if (unescaped(rest)) return {};
  }
  if (name.empty() || name.ends_with('.') || name.ends_with(' ') || has_unicode_twin(name)) return {};
  return name;
}

// What stays the same where a file system does not tell capital letters from small ones: pairs that stand side by side,
// or at a fixed distance, in the scripts that have them.
COMCP_DECL std::string without_case(std::string_view name) {
  std::string out;
  for (character_scan at(name); at.next();) {
    auto c = at.code();
    if ((c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3AB) ||
        (c >= 0x410 && c <= 0x42F)) {
      c += 0x20;
    } else if (c >= 0x400 && c <= 0x40F) {
      c += 0x50;
    } else if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E)) {
      c = (c + 1) & ~char32_t{1};
    } else if ((c >= 0x100 && c <= 0x24F) || (c >= 0x460 && c <= 0x52F) || (c >= 0x1E00 && c <= 0x1EFF)) {
      c |= 1;
    }
    out.append(code_point_name(c));
  }
  return out;
}

COMCP_DECL bool are_path_segments(std::string_view path) {
  for (;;) {
    auto const end = path.find('/');
    if (!segment_name(path.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

COMCP_DECL bool is_inside(std::string_view root, std::string_view file) {
  return !root.empty() && file.starts_with(root) && file.size() > root.size() && file[root.size()] == '/' &&
         are_path_segments(file.substr(root.size() + 1));
}

// scheme://a/b/name/SKILL.md; the authority may be empty.
COMCP_DECL bool is_skill_uri(std::string_view uri, std::string_view name) {
  auto const scheme = uri.substr(0, uri.find(':'));
  auto path = uri.substr(std::min(uri.size(), scheme.size() + 1));
  constexpr auto letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
  if (scheme.empty() || scheme.find_first_not_of(letters) != uri.npos) return false;
  bool const has_authority = path.starts_with("//") && !path.starts_with("///");
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  std::string names(path);
  auto const port = names.find(':'), end = names.find('/');
  if (has_authority && port < end && names.find_first_not_of("0123456789", port + 1) == end) names.erase(port, end - port);
  return are_path_segments(names) && ("/" + names).ends_with("/" + std::string(name) + std::string(skill_file));
}

COMCP_DECL bool read_member(json::view object, std::string_view key, std::string& out, json::read_error& e) {
  auto const found = object.find(key);
  return found ? json::codec<std::string>::read(*found, out, e) : e.missing(object, key);
}

COMCP_DECL bool read_skill_texts(json::view frontmatter, std::string_view uri, json::read_error& e) {
  if (!frontmatter.is_object()) return e.expected(frontmatter, "object");
  std::string name, description;
  if (!read_member(frontmatter, "name", name, e) || !read_member(frontmatter, "description", description, e)) return false;
  if (!is_skill_name(name)) return e.expected(*frontmatter.find("name"), "a skill's name");
  auto const tails = std::count_if(description.begin(), description.end(), [](char c) { return (c & 0xC0) == 0x80; });
  auto const length = description.size() - static_cast<std::size_t>(tails);
  if (length == 0 || length > 1024) return e.expected(*frontmatter.find("description"), "1 to 1024 characters");
  return is_skill_uri(uri, name) || e.expected(*frontmatter.find("name"), "the name of the skill's directory");
}

// Equal for two files where some file system takes them for one. Precondition: `file` is inside.
COMCP_DECL std::string file_identity(std::string_view root, std::string_view file) {
  std::string name;
  for (auto rest = file.substr(root.size()); !rest.empty();) name += *unescaped(rest);
  return without_case(name);
}

COMCP_DECL bool read_skill_files(json::view list, skill& out, json::read_error& e) {
  if (list.get_string() == "dynamic") return out.resources.reset(), true;
  if (!list.is_array()) return e.expected(list, "an array or \"dynamic\"");
  auto& files = out.resources.emplace();
  if (!json::codec<std::vector<skill_resource>>::read(list, files, e)) return false;
  for (auto const element : list.elements()) {
    auto const uri = *element.find("uri");
    auto const digest = *element.find("digest");
    if (!is_skill_digest(*digest.get_string())) return e.expected(digest, "a digest of SHA-256");
    if (!is_inside(out.root(), *uri.get_string())) return e.expected(uri, "a file in the skill's directory");
  }
  std::sort(files.begin(), files.end(), [](auto const& a, auto const& b) { return a.uri < b.uri; });
  std::set<std::string> names;
  for (auto const& file : files) {
    if (!names.insert(file_identity(out.root(), file.uri)).second) return e.expected(list, "every file once");
  }
  return out.find(out.uri) || e.expected(list, "SKILL.md among the files");
}

COMCP_DECL error unverified(skill const& entry, std::string_view why) {
  return {errc::verification_failed, "the skill " + entry.uri + ": " + std::string(why)};
}

COMCP_DECL result<json::value> frontmatter_of(std::string_view text, frontmatter_reader const& reader) {
  auto const parts = split_skill(text);
  if (!parts) return parts.error();
  try {
    return reader ? reader(parts->frontmatter) : read_frontmatter(parts->frontmatter);
  } catch (...) {
    return error(errc::wrong_shape, "the reader of the frontmatter threw");
  }
}

COMCP_DECL result<void> verify_frontmatter(skill const& entry, std::string_view text, frontmatter_reader const& reader) {
  auto const found = frontmatter_of(text, reader);
  if (!found) return unverified(entry, found.error().to_string());
  if (*found == entry.frontmatter) return {};
  std::map<std::string_view, json::view> own;  // the entry may name very many of them
  for (auto const& [key, value] : found->members()) own.emplace(key, value);
  for (auto const& [key, value] : entry.frontmatter.members()) {
    auto const at = own.find(key);
    if (at == own.end() || at->second != value)
      return unverified(entry, "\"" + std::string(key) + "\" in SKILL.md is not the entry's");
  }
  return unverified(entry, "SKILL.md has fields that the entry has not");
}

}  // namespace detail

COMCP_DECL bool json::codec<skill>::read(view v, skill& out, read_error& e) {
  if (!v.is_object()) return e.expected(v, "object");
  if (!unique_keys(v, e)) return false;
  auto const frontmatter = v.find("frontmatter"), files = v.find("resources");
  if (!comcp::detail::read_member(v, "uri", out.uri, e)) return false;
  if (!frontmatter) return e.missing(v, "frontmatter");
  if (!files) return e.missing(v, "resources");
  out.frontmatter = frontmatter->share();
  out.raw = v.share();
  return comcp::detail::read_skill_texts(*frontmatter, out.uri, e) && comcp::detail::read_skill_files(*files, out, e);
}

COMCP_DECL void json::codec<skill>::write(writer& w, skill const& s) {
  w.begin_object().key("uri").string(s.uri).key("frontmatter").value(s.frontmatter).key("resources");
  if (s.resources) {
    json::write(w, *s.resources);
  } else {
    w.string("dynamic");
  }
  for (auto const& [key, value] : s.raw.members()) {
    if (key != "uri" && key != "frontmatter" && key != "resources") w.key(key).value(value);
  }
  w.end_object();
}

COMCP_DECL std::string skill::name() const {
  auto const found = frontmatter.view().find("name");
  return std::string(found ? found->get_string().value_or("") : "");
}

COMCP_DECL std::string skill::description() const {
  auto const found = frontmatter.view().find("description");
  return std::string(found ? found->get_string().value_or("") : "");
}

COMCP_DECL std::string_view skill::root() const noexcept {
  std::string_view const whole = uri;
  return whole.ends_with(detail::skill_file) ? whole.substr(0, whole.size() - detail::skill_file.size()) : std::string_view();
}

COMCP_DECL skill_resource const* skill::find(std::string_view file) const noexcept {
  if (!resources) return nullptr;
  auto const at = std::find_if(resources->begin(), resources->end(), [file](auto const& f) { return f.uri == file; });
  return at == resources->end() ? nullptr : &*at;
}

COMCP_DECL bool skill::has(std::string_view file) const {
  return is_dynamic() ? detail::is_inside(root(), file) : find(file) != nullptr;
}

COMCP_DECL std::uint64_t skill::total_size() const noexcept {
  std::uint64_t sum = 0;
  if (!resources) return sum;
  for (auto const& f : *resources) {
    if (f.size > std::numeric_limits<std::uint64_t>::max() - sum) return std::numeric_limits<std::uint64_t>::max();
    sum += f.size;
  }
  return sum;
}

COMCP_DECL result<std::string> skill::resolve(std::string_view reference) const {
  auto const bad = [](char const* why) { return error(errc::invalid_argument, why); };
  reference = reference.substr(0, reference.find('#'));
  if (reference.empty() || reference[0] == '/') return bad("no relative reference to a file");
  std::vector<std::string_view> path;
  for (bool more = true; more;) {
    auto const end = reference.find('/');
    auto const segment = reference.substr(0, end);
    more = end != std::string_view::npos;
    if (more) reference.remove_prefix(end + 1);
    if (segment == ".") continue;
    if (segment != "..") {
      path.push_back(segment);
    } else if (path.empty()) {
      return bad("a reference that leads out of the skill");
    } else {
      path.pop_back();
    }
  }
  std::string out(root());
  for (auto const segment : path) out.append("/").append(segment);
  if (path.empty() || path[0].find(':') != std::string_view::npos || !detail::is_inside(root(), out))
    return bad("no relative reference to a file of the skill");
  return out;
}

COMCP_DECL result<void> verify_skill_file(skill const& entry, std::string_view file, std::string_view bytes,
                                          frontmatter_reader const& reader) {
  if (!entry.has(file)) return detail::unverified(entry, std::string(file) + " is not one of its files");
  if (auto const* const said = entry.find(file)) {
    if (auto const n = bytes.size(); n != said->size)
      return detail::unverified(entry, std::string(file) + " has " + std::to_string(n) + " bytes, not the entry's");
    if (said->digest != std::string(detail::digest_scheme) + to_hex(sha256(bytes)))
      return detail::unverified(entry, std::string(file) + " has another digest");
  }
  return file == entry.uri ? detail::verify_frontmatter(entry, bytes, reader) : result<void>();
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// What skill_operations::load() is told.
class skill_options {
 public:
  skill_options() {}
  /// Loads "dynamic" skills too, whose content nobody can verify (default: refuses them).
  skill_options& allow_dynamic(bool yes = true) { return allow_dynamic_ = yes, *this; }
  /// Who reads frontmatter in place of read_frontmatter().
  skill_options& reader(frontmatter_reader f) { return reader_ = std::move(f), *this; }
  /// The most files, and bytes of all of them, that a skill may have: 512 and 16 MiB, which every host must support.
  /// Where one message may not be so long (stdio: 16 MiB), a file cannot be either.
  skill_options& max_files(std::size_t n) { return max_files_ = n, *this; }
  skill_options& max_bytes(std::uint64_t n) { return max_bytes_ = n, *this; }

  [[nodiscard]] bool allows_dynamic() const noexcept { return allow_dynamic_; }
  [[nodiscard]] frontmatter_reader const& reader() const noexcept { return reader_; }
  [[nodiscard]] std::size_t max_files() const noexcept { return max_files_; }
  [[nodiscard]] std::uint64_t max_bytes() const noexcept { return max_bytes_; }

 private:
  frontmatter_reader reader_;
  std::size_t max_files_ = 512;
  std::uint64_t max_bytes_ = std::uint64_t{16} << 20;
  bool allow_dynamic_ = false;
};

namespace detail {
struct skill_session;
}

/// A skill whose SKILL.md was read and is what its entry says. Holds that entry and its client's connection, so that
/// its files come from the server that it came from, whatever other clients there are; it does not keep the connection
/// open. A handle: copies are the same skill.
class loaded_skill {
 public:
  explicit loaded_skill(std::shared_ptr<detail::skill_session> s) noexcept : session_(std::move(s)) {}

  COMCP_LAZY [[nodiscard]] skill const& entry() const noexcept;
  /// All of SKILL.md, and the part behind the frontmatter. Valid as long as a copy of this.
  COMCP_LAZY [[nodiscard]] std::string const& text() const noexcept;
  COMCP_LAZY [[nodiscard]] std::string_view instructions() const noexcept;
  /// False for a dynamic skill: only that the frontmatter is the entry's was checked.
  [[nodiscard]] bool verified() const noexcept { return !entry().is_dynamic(); }

  /// One file, by its uri (see skill::resolve()). A nested SKILL.md is a file like any other: to load that skill takes its
  /// own entry and its own approval.
  /// Errors: verification_failed (its content is not the entry's; or it is not listed, then nothing was sent),
  /// limit_exceeded (a dynamic skill gave more than skill_options().max_bytes()), and those of client.read_resource().
  COMCP_LAZY [[nodiscard]] asio::awaitable<resource_contents> read(std::string_view uri,
                                                                   call_options options = call_options()) const;

 private:
  std::shared_ptr<detail::skill_session> session_;
};

class skill_operations;

namespace detail {
char const* skills_missing(server_capabilities const& c);
char const* directories_missing(server_capabilities const& c);
}  // namespace detail

/// `connect_options().extension(skills())`.
struct skills {
  static constexpr std::string_view identifier = "io.modelcontextprotocol/skills";
  static constexpr std::array methods = {
      extension_method{.name = "skills/list", .missing = detail::skills_missing, .wants_sight = true},
      extension_method{.name = "skills/get", .missing = detail::skills_missing, .wants_sight = true},
      extension_method{.name = "resources/directory/read", .missing = detail::directories_missing, .wants_sight = true}};
  using operations = skill_operations;
};

/// `client.extension<skills>()`, of a server that declared them in a handshake (a connect_options().prior() without
/// `discovered` saw none).
class skill_operations {
 public:
  explicit skill_operations(extension_client c) noexcept : client_(std::move(c)) {}

  /// The entries of all skills that the server lists, which may be fewer than it has. Invalid ones are set aside. Several
  /// may have one name.
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<skill>> list(call_options options = call_options()) const;
  /// The entry of the skill whose SKILL.md has this uri, as it is now, listed or not. Errors: not_found,
  /// protocol_violation (an invalid entry).
  COMCP_LAZY [[nodiscard]] asio::awaitable<skill> get(std::string_view uri, call_options options = call_options()) const;
  /// Reads SKILL.md and verifies it. With a cache, bytes that are no longer the entry's are fetched again once. After
  /// verification_failed the entry may be outdated: get() has the current one, which wants approval anew.
  /// Errors: verification_failed, denied (a dynamic skill), limit_exceeded (the entry's files; nothing was sent), and those
  /// of client.read_resource(). `entry` is of this client's server.
  COMCP_LAZY [[nodiscard]] asio::awaitable<loaded_skill> load(skill const& entry, skill_options how = skill_options(),
                                                              call_options options = call_options()) const;
  /// The direct children of a directory, such as skill::root(), as the server sees them now; directories have the MIME
  /// type "inode/directory". This adds nothing to a loaded skill: what its entry does not list cannot be read.
  /// Errors: capability_missing where the server did not declare directoryRead; not_found.
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<resource>> read_directory(
      std::string_view uri, call_options options = call_options()) const;

 private:
  extension_client client_;
};

namespace detail {
template <>
struct list_traits<skill> {
  using page = list_skills_result;
  static constexpr auto const& method = skills::methods[0];
  static auto& items(page& p) { return p.skills; }
};
struct directory_child;
template <>
struct list_traits<directory_child> {
  using page = list_resources_result;
  static constexpr auto const& method = skills::methods[2];
  static auto& items(page& p) { return p.resources; }
};
}  // namespace detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// extensions/impl/skills.ipp
#if !defined(COMCP_SINGLE_EXTENSIONS_IMPL_SKILLS_IPP)
#define COMCP_SINGLE_EXTENSIONS_IMPL_SKILLS_IPP
#include <atomic>

namespace comcp {
namespace detail {

COMCP_DECL char const* skills_missing(server_capabilities const& c) {
  constexpr auto extension = "io.modelcontextprotocol/skills";
  return c.supports(extension) ? nullptr : extension;
}

COMCP_DECL char const* directories_missing(server_capabilities const& c) {
  auto const skills = c.extensions.find("io.modelcontextprotocol/skills");
  if (skills == c.extensions.end()) return "io.modelcontextprotocol/skills";
  auto const flag = skills->second.view().find("directoryRead");
  return flag && flag->get_bool() == true ? nullptr : "directoryRead of io.modelcontextprotocol/skills";
}

// A skill under load, and loaded.
struct skill_session {
  skill_session(std::shared_ptr<client_link> c, skill e, skill_options o)
      : core(std::move(c)), entry(std::move(e)), options(std::move(o)) {}

  std::shared_ptr<client_link> core;
  skill entry;
  skill_options options;
  std::string text;  // SKILL.md
  std::size_t body = 0;
  std::atomic<std::uint64_t> retrieved{0};  // of a dynamic skill

  [[nodiscard]] error refusal() const {
    if (entry.is_dynamic() && !options.allows_dynamic())
      return {errc::denied, "the content of " + entry.uri + " is dynamic: it cannot be verified"};
    if (!entry.is_dynamic() && entry.resources->size() > options.max_files())
      return {errc::limit_exceeded, entry.uri + " has more files than skill_options().max_files()"};
    if (entry.total_size() > options.max_bytes())
      return {errc::limit_exceeded, "the files of " + entry.uri + " are larger than skill_options().max_bytes()"};
    return {};
  }

  // The one content of an answer that is this file. Of text and blob exactly one is there: what is verified is what is used.
  [[nodiscard]] result<resource_contents> verified(std::string const& uri, read_resource_result& answer) {
    auto const* const only = answer.contents.size() == 1 ? &answer.contents[0] : nullptr;
    if (!only || only->uri != uri || only->text.has_value() == only->blob.has_value())
      return error(errc::protocol_violation, "resources/read gave no contents of " + uri);
    std::vector<std::byte> decoded;
    if (only->blob) {
      auto bytes = only->bytes();
      if (!bytes) return bytes.error().with_code(make_error_code(errc::protocol_violation));
      decoded = *std::move(bytes);
    }
    auto const bytes = only->text ? std::string_view(*only->text)
                                  : std::string_view(reinterpret_cast<char const*>(decoded.data()), decoded.size());
    if (auto const ok = verify_skill_file(entry, uri, bytes, options.reader()); !ok) return ok.error();
    if (entry.is_dynamic() && (retrieved += bytes.size()) > options.max_bytes())
      return error(errc::limit_exceeded, entry.uri + " gave more than skill_options().max_bytes()");
    if (uri == entry.uri && text.empty()) {
      text = bytes;
      body = text.size() - split_skill(text).value().body.size();
    }
    return std::move(answer.contents[0]);
  }
};

COMCP_LAZY asio::awaitable<resource_contents> read_skill_file(std::shared_ptr<skill_session> s, std::string uri,
                                                              call_options options) {
  require(s->core);
  options.manual_input(false);
  bool may_be_old = s->core->bounds(options).cached;
  for (;;) {
    auto reading = client(s->core, false).read_resource(uri, options);
    auto answer = co_await std::move(reading);
    auto file = s->verified(uri, answer);
    if (file) co_return *std::move(file);
    if (!may_be_old || file.error() != errc::verification_failed) throw exception(file.error());
    may_be_old = false;
    options.cache(cache_use::refresh);
  }
}

COMCP_LAZY asio::awaitable<loaded_skill> load_skill_file(std::shared_ptr<skill_session> s, call_options options) {
  auto reading = read_skill_file(s, s->entry.uri, std::move(options));
  (void)co_await std::move(reading);
  co_return loaded_skill(std::move(s));
}

// What the server answers where there is nothing of that uri.
inline error as_missing(error const& e) {
  return e.peer() && e.peer()->code == -32602 ? e.with_code(make_error_code(errc::not_found)) : e;
}

COMCP_LAZY asio::awaitable<skill> get_skill_entry(std::shared_ptr<client_link> core, std::string uri,
                                                  prepared_call call) {
  get_skill_result got;
  try {
    auto asking = typed_call<get_skill_result>(std::move(core), std::move(call));
    got = co_await std::move(asking);
  } catch (exception const& e) {
    throw exception(as_missing(e.error()));
  }
  if (got.skill.uri != uri) throw exception(error(errc::protocol_violation, "skills/get gave another skill"));
  co_return std::move(got.skill);
}

COMCP_LAZY asio::awaitable<listing<resource>> read_directory(std::shared_ptr<client_link> core, std::string uri,
                                                             call_options options) {
  require(core);
  auto const bounds = core->bounds(options);
  pager<directory_child> pages(core, options, std::move(uri));
  listing<resource> all;
  try {
    for (;;) {
      auto page = co_await pages.next();
      if (!page) co_return all;
      all.append(std::move(page->resources), std::move(page->set_aside));
      if (core->bounds(options).now > bounds.end) throw exception(error(errc::timeout, "the directory was not complete within the hard timeout"));
    }
  } catch (exception const& e) {
    throw exception(as_missing(e.error()));
  }
}

}  // namespace detail

COMCP_LAZY_DECL skill const& loaded_skill::entry() const noexcept { return session_->entry; }
COMCP_LAZY_DECL std::string const& loaded_skill::text() const noexcept { return session_->text; }
COMCP_LAZY_DECL std::string_view loaded_skill::instructions() const noexcept {
  return std::string_view(session_->text).substr(session_->body);
}

COMCP_LAZY_DECL asio::awaitable<resource_contents> loaded_skill::read(std::string_view uri,
                                                                      call_options options) const {
  auto const& entry = session_->entry;
  if (!entry.has(uri)) return detail::failed<resource_contents>(verify_skill_file(entry, uri, {}).error());
  return detail::read_skill_file(session_, std::string(uri), std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<listing<skill>> skill_operations::list(call_options options) const {
  return detail::list_all<skill>(client_.core(), std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<skill> skill_operations::get(std::string_view uri, call_options options) const {
  detail::prepared_call call(skills::methods[1], args("uri", uri).text(), std::move(options));
  call.repeatable = true;
  return detail::get_skill_entry(client_.core(), std::string(uri), std::move(call));
}

COMCP_LAZY_DECL asio::awaitable<loaded_skill> skill_operations::load(skill const& entry, skill_options how,
                                                                     call_options options) const {
  auto s = std::make_shared<detail::skill_session>(client_.core(), entry, std::move(how));
  if (auto const bad = s->refusal()) return detail::failed<loaded_skill>(bad);
  return detail::load_skill_file(std::move(s), std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<listing<resource>> skill_operations::read_directory(std::string_view uri,
                                                                                    call_options options) const {
  return detail::read_directory(client_.core(), std::string(uri), std::move(options));
}

}  // namespace comcp
#endif
#endif
#endif

// extensions/tasks.hpp
#if !defined(COMCP_SINGLE_EXTENSIONS_TASKS_HPP)
#define COMCP_SINGLE_EXTENSIONS_TASKS_HPP
// Tasks: calls of tools that a server carries out in its own time, in both eras.
// Specifications: extension io.modelcontextprotocol/tasks (repository ext-tasks); 2025-11-25 basic/utilities/tasks.

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <asio/awaitable.hpp>

// protocol/task_state.hpp
#if !defined(COMCP_SINGLE_PROTOCOL_TASK_STATE_HPP)
#define COMCP_SINGLE_PROTOCOL_TASK_STATE_HPP
// How a task is doing, in one form for both eras.
// Specifications: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.

#include <cstdint>
#include <optional>
#include <string>

namespace comcp {

/// A task as its server last told of it.
struct task_state {
  task_state() = default;

  std::string task_id;
  task_status status = task_status::working;
  std::optional<std::string> status_message;  ///< The server's words, for people: show it as visible() does.
  std::string created_at;
  std::string last_updated_at;
  std::optional<std::int64_t> ttl;            ///< Milliseconds since its creation; nothing: unlimited, or not said.
  std::optional<std::int64_t> poll_interval;  ///< Milliseconds.
  // The extension's, by status.
  std::optional<comcp::input_requests> input_requests;
  json::value result;
  json::value error;  ///< A JSON-RPC error object.
  json::value raw;

  [[nodiscard]] bool is_over() const noexcept {
    return status != task_status::working && status != task_status::input_required;
  }
};
constexpr auto describe(std::type_identity<task_state>) {
  using t = task_state;
  return json::fields(json::field("taskId", &t::task_id), json::field("status", &t::status),
                      json::field("statusMessage", &t::status_message), json::defaulted("createdAt", &t::created_at),
                      json::defaulted("lastUpdatedAt", &t::last_updated_at), json::field("ttlMs", &t::ttl),
                      json::field("pollIntervalMs", &t::poll_interval),
                      json::field("inputRequests", &t::input_requests), json::defaulted("result", &t::result),
                      json::defaulted("error", &t::error), json::rest(&t::raw));
}

/// Of the result of tools/call, tasks/get or tasks/cancel, or the parameters of a notification, in either era. Errors:
/// protocol_violation, for a ttlMs or pollIntervalMs that is no integer too. Of 2025-11-25, whose reference SDK lets servers
/// write any number there, such a ttl or pollInterval counts as not said. Numbers below zero are for who uses them.
inline result<task_state> read_task(json::view v) {
  auto const inner = v.is_object() ? v.find("task") : std::nullopt;
  auto const own = inner && !v.find("taskId") ? *inner : v;
  auto state = json::read<task_state>(own);
  if (!state) return state.error().with_code(make_error_code(errc::protocol_violation));
  if (state->task_id.empty()) return error(errc::protocol_violation, "a task without an id");
  if (auto const ttl = own.find("ttl"); ttl && !state->ttl) state->ttl = ttl->get_int64();
  if (auto const pause = own.find("pollInterval"); pause && !state->poll_interval) state->poll_interval = pause->get_int64();
  return state;
}

}  // namespace comcp
#endif

namespace comcp {
class task_operations;

/// What a server tells unasked of a task: the extension's notification, and that of 2025-11-25.
struct task_changed {
  static constexpr std::string_view method = "notifications/tasks";
  task_state state;
};
struct task_status_changed {
  static constexpr std::string_view method = "notifications/tasks/status";
  task_state state;
};

namespace detail {
template <class N>
struct task_notification_codec {
  static bool read(json::view v, N& out, json::read_error& e) {
    if (!json::codec<task_state>::read(v, out.state, e)) return false;
    if (auto again = read_task(v)) out.state = *std::move(again);  // with the members of the other era
    return true;
  }
};
struct task_watch;

inline char const* tasks_missing(server_capabilities const& c) {
  return c.tasks || c.supports("io.modelcontextprotocol/tasks") ? nullptr : "tasks";
}
inline char const* cancel_missing(server_capabilities const& c) {
  return c.supports("io.modelcontextprotocol/tasks") || (c.tasks && c.tasks->cancel) ? nullptr : "tasks.cancel";
}
inline char const* list_missing(server_capabilities const& c) {
  return c.tasks && c.tasks->list ? nullptr : "tasks.list";
}
}  // namespace detail
template <>
struct json::codec<task_changed> : comcp::detail::task_notification_codec<task_changed> {};
template <>
struct json::codec<task_status_changed> : comcp::detail::task_notification_codec<task_status_changed> {};

namespace detail {
template <>
struct list_traits<comcp::task> {
  using page = list_tasks_result;
  static constexpr auto const& method = wire::methods::list_tasks;
  static constexpr std::string_view kind = "tasks";
  static auto& items(page& p) { return p.tasks; }
};
}  // namespace detail

/// `connect_options().extension(tasks())`: a tool's call that becomes a task, or that can only be one, ends as any call
/// does, with the tool's result. Meanwhile the server is asked how it goes as often as it says, or tells of it where it does
/// that (modern era, for up to 128 of them); its words and its progress come to on_progress(), and what it wants to know
/// the client's handler is asked, each thing once. The call's hard timeout and the task's ttl bound it: errc::timeout. A
/// caller that cancels or runs out of time has the task cancelled, as far as the server can (where the server says only
/// later that there is one: for 10 s, and not over HTTP in the modern era, where a call that is left has no answer). One
/// that the server cancelled ends with errc::cancelled and call_outcome::open; one that failed with the server's error, or
/// with protocol_violation where that is none. A state that cannot be read (see read_task()) ends it so, too. It is asked
/// for once each 10 ms at most, whatever the server says; a ttl of 0 or below is over at once.
class tasks {
 public:
  static constexpr std::string_view identifier = "io.modelcontextprotocol/tasks";
  static constexpr std::array methods = {
      extension_method{.name = "tasks/get", .since = version::v2025_11_25, .missing = detail::tasks_missing,
                       .subject = "taskId", .is_mirrored = true},
      extension_method{.name = "tasks/cancel", .since = version::v2025_11_25, .missing = detail::cancel_missing,
                       .subject = "taskId", .is_mirrored = true},
      extension_method{.name = "tasks/update", .in_legacy = false, .missing = undeclared<tasks>, .subject = "taskId",
                       .is_mirrored = true},
      extension_method{.name = "tasks/result", .in_modern = false, .since = version::v2025_11_25,
                       .missing = detail::tasks_missing, .subject = "taskId"},
      extension_method{.name = "tasks/list", .in_modern = false, .since = version::v2025_11_25,
                       .missing = detail::list_missing}};
  enum : std::size_t { get, cancel, update, result, list };
  using operations = task_operations;
  using notifications = std::tuple<task_changed, task_status_changed>;

  COMCP_LAZY tasks();
  tasks(tasks const& other);
  tasks& operator=(tasks const&) = delete;

  /// 2025-11-25: how long the server is asked to keep a task (default: as it likes).
  tasks& ttl(timespan d) { return ttl_ = d, *this; }
  /// The time between two questions where the server says none (default 1 s).
  tasks& poll_interval(timespan d) { return poll_interval_ = d, *this; }

  // For the client; see client_extension.
  COMCP_LAZY static bool is_offered(server_capabilities const& c);
  [[nodiscard]] bool claims(std::string_view method, std::string_view result_type) const {
    return method == "tools/call" && result_type == "task";
  }
  COMCP_LAZY [[nodiscard]] json::fragment params(unsent_call const& c) const;
  COMCP_LAZY asio::awaitable<json::value> complete(unfinished_call& c);
  COMCP_LAZY asio::awaitable<void> abandon(unfinished_call& c);
  void on(task_changed const& n) { changed(n.state); }
  void on(task_status_changed const& n) { changed(n.state); }
  COMCP_LAZY [[nodiscard]] subscription_filter listen() const;

 private:
  COMCP_LAZY void changed(task_state const& s);

  std::optional<std::chrono::nanoseconds> ttl_;
  std::chrono::nanoseconds poll_interval_ = std::chrono::seconds(1);
  std::shared_ptr<detail::task_watch> watch_;  // each copy's own
};

/// One task. Move-only: destroying it has the task cancelled, unless it is over, or detach() was called. Its functions
/// may be called on any thread, one at a time; its operations resume on the caller's executor, as a client's do, and fail
/// as its calls do (the server's -32602 where it does not know the task any more). It outlives a restart of the server and a
/// new session where the server's tasks do.
class task_handle {
 public:
  task_handle() = default;  ///< Of no task: its operations fail with errc::closed.
  COMCP_LAZY task_handle(extension_client client, std::string tool, std::string id, json::value result);
  task_handle(task_handle&&) noexcept = default;
  task_handle& operator=(task_handle&& other) noexcept;
  ~task_handle();

  /// Empty where the server answered at once, without a task.
  COMCP_LAZY [[nodiscard]] std::string id() const;
  COMCP_LAZY [[nodiscard]] std::string tool() const;
  /// Asks the server.
  COMCP_LAZY [[nodiscard]] asio::awaitable<task_state> status(call_options options = call_options()) const;
  /// Waits for the tool's result, as call_tool() does. Cancelling it stops only the waiting. The task's ttl counts from here
  /// (createdAt is by the server's clock): one that the server has forgotten meanwhile ends with the server's -32602.
  COMCP_LAZY [[nodiscard]] asio::awaitable<call_tool_result> result(call_options options = call_options()) const;
  /// Tells the server, which may go on all the same. An error of the server's where it is over in 2025-11-25.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> cancel(call_options options = call_options()) const;
  /// The task is no longer this handle's to cancel.
  COMCP_LAZY void detach() noexcept;
  /// For task_operations::resume_task() in this process or another, after detach(). Its id may be all that one needs to
  /// see the task: a secret.
  COMCP_LAZY [[nodiscard]] json::value to_json() const;

 private:
  struct state;
  void let_go() noexcept;

  std::shared_ptr<state> state_;
};

/// `client.extension<tasks>()`.
class task_operations {
 public:
  explicit task_operations(extension_client c) noexcept : client_(std::move(c)) {}

  /// Calls a tool without waiting for its result: as a task, where the server makes it one (modern era), or may
  /// (2025-11-25: not where its tool was listed with an execution.taskSupport that forbids it, as none does). Where it is
  /// none, this ends with the tool's result, and the handle has it.
  COMCP_LAZY [[nodiscard]] asio::awaitable<task_handle> start_tool(std::string_view name,
                                                                   json::fragment arguments = json::fragment(),
                                                                   call_options options = call_options()) const;
  /// A task that was begun elsewhere: what to_json() gave, or args("taskId", id). With the same login as there: servers bind
  /// tasks to who began them, and others get -32602, as for a task that is not there. Throws invalid_argument.
  COMCP_LAZY [[nodiscard]] task_handle resume_task(json::fragment const& saved) const;
  /// 2025-11-25 alone: all tasks of the server, or a page of them.
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<task>> list_tasks(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<list_tasks_result> list_tasks_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;

 private:
  extension_client client_;
};

}  // namespace comcp

// sansio/task_life.hpp
#if !defined(COMCP_SINGLE_SANSIO_TASK_LIFE_HPP)
#define COMCP_SINGLE_SANSIO_TASK_LIFE_HPP
// What the state of a task asks of who waits for its result, and when to ask for the next one. Who drives it waits, asks
// and sends.
// Specifications: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

namespace comcp::sansio {

enum class task_action : std::uint8_t {
  wait,          ///< pause(), then ask for its state.
  answer,        ///< take_requests(), send the answers, then wait.
  fetch_result,  ///< Legacy: tasks/result, which is asked for at the end, and as soon as the task wants input.
  deliver,       ///< Its result is in the state.
  fail,          ///< With the error in the state.
  cancelled,
};

class task_life {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using nanoseconds = std::chrono::nanoseconds;

  /// `pause` is what goes by between two questions where the server says nothing of it.
  task_life(bool modern, nanoseconds pause, time_point now) noexcept;

  [[nodiscard]] task_action learned(task_state const& s);
  /// Modern era: the server tells of changes by itself, so that questions become rarer.
  void told_by_itself() noexcept { is_told_ = true; }
  /// Those that were not taken before.
  [[nodiscard]] input_requests take_requests(task_state const& s);
  /// A question was not answered: whether to ask again.
  [[nodiscard]] bool goes_on(error const& e) noexcept;
  [[nodiscard]] nanoseconds pause(time_point now) const noexcept;
  /// What is left of its ttl.
  [[nodiscard]] nanoseconds left(time_point now) const noexcept;
  /// The server may have forgotten it.
  [[nodiscard]] bool is_outlived(time_point now) const noexcept { return now >= end_; }

 private:
  bool const modern_;
  bool is_told_ = false;
  unsigned failures_ = 0;  // in a row
  nanoseconds const preset_;
  nanoseconds pause_;
  time_point const begun_;
  time_point end_ = time_point::max();
  std::set<std::string> taken_;
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// sansio/impl/task_life.ipp
#if !defined(COMCP_SINGLE_SANSIO_IMPL_TASK_LIFE_IPP)
#define COMCP_SINGLE_SANSIO_IMPL_TASK_LIFE_IPP
#include <algorithm>

namespace comcp::sansio {

namespace detail {
constexpr std::chrono::nanoseconds shortest_pause = std::chrono::milliseconds(10);
constexpr std::chrono::nanoseconds pause_while_told = std::chrono::seconds(30);  // at most, and ten times what was asked for
constexpr unsigned most_task_failures = 5;

// What a server says may be any number.
constexpr std::chrono::nanoseconds milliseconds_of(std::int64_t n) noexcept {
  constexpr std::int64_t most = std::chrono::nanoseconds::max().count() / 1'000'000;
  return std::chrono::nanoseconds(std::clamp<std::int64_t>(n, 0, most) * 1'000'000);
}
}  // namespace detail

COMCP_DECL task_life::task_life(bool modern, nanoseconds pause, time_point now) noexcept
    : modern_(modern), preset_(pause), pause_(pause), begun_(now) {}

COMCP_DECL task_action task_life::learned(task_state const& s) {
  failures_ = 0;
  pause_ = s.poll_interval ? detail::milliseconds_of(*s.poll_interval) : preset_;
  end_ = s.ttl ? comcp::detail::later(begun_, detail::milliseconds_of(*s.ttl)) : time_point::max();
  if (!modern_ && s.status == task_status::working) return task_action::wait;
  if (!modern_ && s.status != task_status::cancelled) return task_action::fetch_result;
  switch (s.status) {
    case task_status::working: return task_action::wait;
    case task_status::input_required: return task_action::answer;
    case task_status::completed: return task_action::deliver;
    case task_status::failed: return task_action::fail;
    case task_status::cancelled: return task_action::cancelled;
  }
  return task_action::wait;
}

COMCP_DECL input_requests task_life::take_requests(task_state const& s) {
  input_requests fresh;
  if (!s.input_requests) return fresh;
  for (auto const& [key, asked] : *s.input_requests) {
    if (taken_.insert(key).second) fresh.emplace(key, asked);
  }
  return fresh;
}

COMCP_DECL bool task_life::goes_on(error const& e) noexcept {
  if (++failures_ > detail::most_task_failures) return false;
  if (auto const* const peer = e.peer()) return peer->code != -32602 && peer->code != -32601 && peer->code != -32021;
  for (auto const passing : {errc::timeout, errc::outcome_unknown, errc::transport_failed, errc::connect_failed,
                             errc::queue_full, errc::connect_timeout, errc::response_timeout, errc::idle_timeout,
                             errc::exchange_timeout, errc::missing_answer}) {
    if (e == passing) return true;
  }
  return is_retriable(e);
}

COMCP_DECL task_life::nanoseconds task_life::pause(time_point now) const noexcept {
  auto const asked = std::max(pause_, detail::shortest_pause);
  bool const rarely = modern_ && is_told_ && asked < detail::pause_while_told;
  return std::min(rarely ? std::min(10 * asked, detail::pause_while_told) : asked, left(now));
}

COMCP_DECL task_life::nanoseconds task_life::left(time_point now) const noexcept {
  return end_ == time_point::max() ? nanoseconds::max() : std::max<nanoseconds>(end_ - now, detail::shortest_pause);
}

}  // namespace comcp::sansio
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// extensions/impl/tasks.ipp
#if !defined(COMCP_SINGLE_EXTENSIONS_IMPL_TASKS_IPP)
#define COMCP_SINGLE_EXTENSIONS_IMPL_TASKS_IPP
#include <map>
#include <stop_token>
#include <vector>

namespace comcp {
namespace detail {

struct live_task {
  bool is_listened_for = false;
  std::optional<task_state> news;
  bool is_told = false;
  std::stop_source wake;
};

/// The tasks of one connection that somebody waits for. On its home.
struct task_watch {
  using map = std::multimap<std::string, live_task, std::less<>>;
  // Each change of a listen stream names them all again.
  static constexpr std::size_t most_listened_for = 128;
  map live;
  std::size_t listened_for = 0;
};

/// One of them, as long as somebody does.
class watched_task {
 public:
  watched_task(std::shared_ptr<task_watch> w, std::string id)
      : watch_(std::move(w)), here_(watch_->live.emplace(std::move(id), live_task())) {
    here_->second.is_listened_for = watch_->listened_for < task_watch::most_listened_for;
    watch_->listened_for += here_->second.is_listened_for;
  }
  watched_task(watched_task const&) = delete;
  watched_task& operator=(watched_task const&) = delete;
  ~watched_task() {
    watch_->listened_for -= here_->second.is_listened_for;
    watch_->live.erase(here_);
  }

  [[nodiscard]] std::string const& id() const noexcept { return here_->first; }
  live_task* operator->() noexcept { return &here_->second; }

 private:
  std::shared_ptr<task_watch> watch_;
  task_watch::map::iterator here_;
};

inline call_options repeatable() { return call_options().idempotent(); }
inline error outlived_task() { return {errc::timeout, "the task's ttl is over"}; }

// The answer to a tools/call, or a notification, need not have what its status brings.
inline bool lacks_its_end(task_state const& s) {
  return (s.status == task_status::completed && s.result.is_null()) || (s.status == task_status::failed && s.error.is_null());
}

// What the tool's own answer would have been.
inline json::value const& checked_result(json::value const& v) {
  auto const type = v.is_object() ? v.view().find("resultType") : std::nullopt;
  if (!v.is_object() || (type && type->get_string() != "complete"))
    throw exception(error(errc::protocol_violation, "the task's result is no result of its tool"));
  return v;
}

COMCP_LAZY asio::awaitable<task_state> ask_state(unfinished_call& c, std::string id) {
  auto asking = c.request(tasks::methods[tasks::get], args("taskId", id), repeatable());
  auto const answer = co_await std::move(asking);
  auto state = read_task(answer.view());
  if (!state) throw exception(state.error());
  if (state->task_id != id) throw exception(error(errc::protocol_violation, "the server told of another task"));
  co_return *std::move(state);
}

// What the server says of it, once it is time to ask or it tells by itself.
COMCP_LAZY asio::awaitable<task_state> next_state(unfinished_call& c, watched_task& task, sansio::task_life& life) {
  for (;;) {
    if (!task->news) {
      task->wake = std::stop_source();
      bool const last = life.is_outlived(c.now());
      if (!last) {
        auto waiting = c.wait(life.pause(c.now()), task->wake.get_token());
        co_await std::move(waiting);
      }
    }
    if (task->is_told) life.told_by_itself();
    if (auto news = std::exchange(task->news, std::nullopt)) co_return std::move(*news);
    bool const outlived = life.is_outlived(c.now());
    error why;
    try {
      auto asking = ask_state(c, task.id());
      auto state = co_await std::move(asking);
      if (!outlived || state.is_over()) co_return state;
    } catch (exception const& e) {
      why = e.error();
    }
    if (outlived) throw exception(outlived_task());
    if (!life.goes_on(why)) throw exception(why);
  }
}

// Legacy era: waits at the server for the end, which asks what it has to ask meanwhile.
COMCP_LAZY asio::awaitable<json::value> fetch_result(unfinished_call& c, std::string id, sansio::task_life& life) {
  for (;;) {
    error why;
    try {
      auto asking = c.request(tasks::methods[tasks::result], args("taskId", id), repeatable().timeout(life.left(c.now())));
      auto result = co_await std::move(asking);
      c.settled();
      co_return result;
    } catch (exception const& e) {
      why = e.error();
    }
    if (why.peer()) c.settled();  // it is the task's end
    if (why == errc::timeout && life.is_outlived(c.now())) throw exception(outlived_task());
    if (why.peer() || !life.goes_on(why)) throw exception(why);
    auto waiting = c.wait(life.pause(c.now()));
    co_await std::move(waiting);
  }
}

COMCP_LAZY asio::awaitable<void> answer_task(unfinished_call& c, std::string id, input_requests asked,
                                             sansio::task_life& life) {
  if (asked.empty()) co_return;
  auto asking = c.answer(std::move(asked));
  auto const answers = co_await std::move(asking);
  for (;;) {
    error why;
    try {
      auto telling = c.request(tasks::methods[tasks::update], args("taskId", id, "inputResponses", answers), repeatable());
      (void)co_await std::move(telling);
      co_return;
    } catch (exception const& e) {
      why = e.error();
    }
    if (!life.goes_on(why)) throw exception(why);
    auto waiting = c.wait(life.pause(c.now()));
    co_await std::move(waiting);
  }
}

/// Tells the caller what the server says of its task, each word once.
class task_progress {
 public:
  void tell(unfinished_call& c, task_state const& s) {
    if (!s.status_message || s.status_message == last_) return;
    last_ = s.status_message;
    auto p = c.last_progress();
    if (!p.total) p.progress += 1;  // nothing of the whole is known: it goes on
    p.message = s.status_message;
    c.progress(std::move(p));
  }

 private:
  std::optional<std::string> last_;
};

COMCP_LAZY asio::awaitable<json::value> follow_task(unfinished_call& c, watched_task& task, task_state s,
                                                    sansio::task_life life) {
  using action = sansio::task_action;
  task_progress words;
  bool const modern = c.era() == era::modern;
  if (modern && lacks_its_end(s)) {
    auto asking = ask_state(c, task.id());
    s = co_await std::move(asking);
  }
  for (;;) {
    words.tell(c, s);
    auto const what = life.learned(s);
    if (s.is_over()) c.settled();
    switch (what) {
      case action::deliver: co_return checked_result(s.result);
      case action::fail: throw exception(jsonrpc::decode_error(s.error.dump()));
      case action::cancelled: {
        auto const text = s.status_message ? ": " + visible(*s.status_message, line_breaks::blank) : std::string();
        throw exception(error(errc::cancelled, "the server cancelled the task" + text));
      }
      case action::fetch_result: {
        auto fetching = fetch_result(c, task.id(), life);
        auto result = co_await std::move(fetching);
        co_return result;
      }
      case action::answer: {
        auto answering = answer_task(c, task.id(), life.take_requests(s), life);
        co_await std::move(answering);
        break;
      }
      case action::wait: break;
    }
    auto next = next_state(c, task, life);
    s = co_await std::move(next);
    if (!modern || !lacks_its_end(s)) continue;
    auto asking = ask_state(c, task.id());
    s = co_await std::move(asking);
  }
}

}  // namespace detail

COMCP_LAZY_DECL tasks::tasks() : watch_(std::make_shared<detail::task_watch>()) {}
COMCP_DECL tasks::tasks(tasks const& other)
    : ttl_(other.ttl_), poll_interval_(other.poll_interval_), watch_(std::make_shared<detail::task_watch>()) {}

COMCP_LAZY_DECL bool tasks::is_offered(server_capabilities const& c) {
  return c.supports(identifier) || (c.tasks && c.tasks->supports("tools", "call"));
}

COMCP_LAZY_DECL json::fragment tasks::params(unsent_call const& c) const {
  if (c.era() != era::legacy || c.method() != "tools/call") return {};
  auto const& own = c.capabilities().tasks;
  bool const may_be = own && own->supports("tools", "call");
  bool const must_be = c.task_support() == task_support::required;
  if (!must_be && (!may_be || !c.is_begun_only() || c.task_support() == task_support::forbidden)) return {};
  json::object task;
  if (ttl_) task.set("ttl", std::chrono::duration_cast<std::chrono::milliseconds>(*ttl_).count());
  return args("task", task);
}

COMCP_LAZY_DECL asio::awaitable<json::value> tasks::complete(unfinished_call& c) {
  // A server may do without.
  if (c.era() == era::legacy && c.result().contains("content")) co_return c.result();
  auto state = read_task(c.result().view());
  if (!state) throw exception(state.error());
  std::optional<detail::watched_task> task(std::in_place, watch_, state->task_id);
  c.listen_again();
  sansio::task_life life(c.era() == era::modern, poll_interval_, c.now());
  auto following = as_result(detail::follow_task(c, *task, *std::move(state), std::move(life)));
  auto outcome = co_await std::move(following);
  task.reset();
  c.listen_again();
  co_return std::move(outcome).value();
}

COMCP_LAZY_DECL asio::awaitable<void> tasks::abandon(unfinished_call& c) {
  auto const state = read_task(c.result().view());
  if (!state || detail::cancel_missing(c.capabilities())) co_return;
  auto telling = c.request(methods[cancel], args("taskId", state->task_id), detail::repeatable());
  (void)co_await std::move(telling);
}

COMCP_LAZY_DECL subscription_filter tasks::listen() const {
  subscription_filter f;
  if (watch_->listened_for == 0) return f;
  json::array ids;
  for (auto const& [id, task] : watch_->live) {
    if (task.is_listened_for) ids.add(id);
  }
  return f.add("taskIds", ids);
}

COMCP_LAZY_DECL void tasks::changed(task_state const& s) {
  auto const [first, last] = watch_->live.equal_range(s.task_id);
  for (auto each = first; each != last; ++each) {
    each->second.news = s;
    each->second.is_told = true;
    each->second.wake.request_stop();
  }
}

}  // namespace comcp
#endif

// extensions/impl/task_handles.ipp
#if !defined(COMCP_SINGLE_EXTENSIONS_IMPL_TASK_HANDLES_IPP)
#define COMCP_SINGLE_EXTENSIONS_IMPL_TASK_HANDLES_IPP
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace comcp {

struct task_handle::state {
  enum class care : unsigned char { ours, let_go, over };

  state(extension_client c, std::string t, std::string i, json::value r)
      : client(std::move(c)), tool(std::move(t)), id(std::move(i)), result(std::move(r)) {}

  extension_client client;
  std::string tool, id;
  json::value result;  // where there is no task
  void (*give_up)(state&) = nullptr;  // a program without handles does not compile it
  std::atomic<care> is{care::ours};
};

namespace detail {
inline error no_task() { return {errc::closed, "this handle has no task"}; }

COMCP_LAZY asio::awaitable<void> cancel_quietly(extension_client client, std::string id) {
  try {
    auto telling = client.call(tasks::methods[tasks::cancel], args("taskId", id), call_options().idempotent());
    (void)co_await std::move(telling);
  } catch (...) {  // it is only a courtesy
  }
}

// As the first answer of a call, which tasks::complete() goes on from.
COMCP_LAZY json::value as_first_answer(json::view state) {
  json::writer w;
  w.begin_object();
  for (auto const m : state.members()) {
    if (m.key != "resultType") w.key(m.key).value(m.value);
  }
  w.key("resultType").string("task").end_object();
  return json::parse(std::move(w).text()).value();
}
}  // namespace detail

COMCP_LAZY_DECL task_handle::task_handle(extension_client client, std::string tool, std::string id, json::value result)
    : state_(std::make_shared<state>(std::move(client), std::move(tool), std::move(id), std::move(result))) {
  if (state_->id.empty()) state_->is = state::care::over;
  state_->give_up = [](state& s) {
    detail::spawn(s.client.core()->home(), detail::cancel_quietly(s.client, s.id));
  };
}

COMCP_DECL task_handle& task_handle::operator=(task_handle&& other) noexcept {
  if (this != &other) {
    let_go();
    state_ = std::move(other.state_);
  }
  return *this;
}

COMCP_DECL task_handle::~task_handle() { let_go(); }

COMCP_DECL void task_handle::let_go() noexcept {
  auto const s = std::exchange(state_, nullptr);
  if (!s || s->is != state::care::ours) return;
  try {
    s->give_up(*s);
  } catch (...) {  // no memory: the server keeps it for its ttl
  }
}

COMCP_LAZY_DECL std::string task_handle::id() const { return state_ ? state_->id : std::string(); }
COMCP_LAZY_DECL std::string task_handle::tool() const { return state_ ? state_->tool : std::string(); }
COMCP_LAZY_DECL void task_handle::detach() noexcept {
  if (state_ && state_->is == state::care::ours) state_->is = state::care::let_go;
}

COMCP_LAZY_DECL json::value task_handle::to_json() const {
  if (!state_) throw exception(detail::no_task());
  return json::parse(args("taskId", state_->id, "tool", state_->tool).text()).value();
}

namespace detail {
template <class State>
asio::awaitable<json::value> ask_task(std::shared_ptr<State> s, call_options options) {
  if (!s) throw exception(no_task());
  if (s->id.empty()) {
    json::writer w;
    w.begin_object().key("taskId").string("").key("status").string("completed");
    w.key("result").value(s->result.view()).end_object();
    co_return json::parse(std::move(w).text()).value();
  }
  auto asking = s->client.call(tasks::methods[tasks::get], args("taskId", s->id), std::move(options.idempotent()));
  auto const answer = co_await std::move(asking);
  auto const state = read_task(answer.view());
  if (!state) throw exception(state.error());
  if (state->task_id != s->id) throw exception(error(errc::protocol_violation, "the server told of another task"));
  if (state->is_over()) s->is = State::care::over;
  co_return answer;
}

template <class State>
asio::awaitable<task_state> status_of(std::shared_ptr<State> s, call_options options) {
  auto asking = ask_task(s, std::move(options));
  auto const answer = co_await std::move(asking);
  auto state = json::read<task_state>(answer.view());  // of no task
  if (s->id.empty()) co_return std::move(state).value();
  co_return read_task(answer.view()).value();
}

template <class State>
asio::awaitable<call_tool_result> result_of(std::shared_ptr<State> s, call_options options) {
  if (s && s->id.empty()) co_return decode_result<call_tool_result>(s->result, false);
  auto asking = ask_task(s, options);
  auto const now = co_await std::move(asking);
  auto const first = std::make_shared<earlier_answer>(as_first_answer(now.view()));
  auto finishing = as_result(s->client.finish_tool(s->tool, first, std::move(options)));
  auto result = co_await std::move(finishing);
  if (first->settled) s->is = State::care::over;
  co_return std::move(result).value();
}

template <class State>
asio::awaitable<void> cancel_of(std::shared_ptr<State> s, call_options options) {
  if (!s) throw exception(no_task());
  if (s->id.empty()) co_return;
  auto const before = s->is.exchange(State::care::over);  // a handle that goes away meanwhile does not tell it twice
  auto telling = as_result(s->client.call(tasks::methods[tasks::cancel], args("taskId", s->id), std::move(options.idempotent())));
  auto const told = co_await std::move(telling);
  if (!told) s->is = before;
  (void)told.value();
}

COMCP_LAZY asio::awaitable<task_handle> start_task(extension_client client, std::string tool, json::fragment arguments,
                                                   call_options options) {
  auto beginning = client.begin_tool(tool, std::move(arguments), std::move(options));
  auto const first = co_await std::move(beginning);
  auto const type = first.view().find("resultType");
  bool const is_task = type ? type->get_string() == "task" : first.contains("task");
  if (!is_task) co_return task_handle(std::move(client), std::move(tool), {}, first);
  auto state = read_task(first.view());
  if (!state) throw exception(state.error().with_outcome(call_outcome::open));
  co_return task_handle(std::move(client), std::move(tool), std::move(state->task_id), {});
}
}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<task_state> task_handle::status(call_options options) const {
  return detail::status_of(state_, std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<call_tool_result> task_handle::result(call_options options) const {
  return detail::result_of(state_, std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<void> task_handle::cancel(call_options options) const {
  return detail::cancel_of(state_, std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<task_handle> task_operations::start_tool(std::string_view name, json::fragment arguments,
                                                                         call_options options) const {
  return detail::start_task(client_, std::string(name), std::move(arguments), std::move(options));
}

COMCP_LAZY_DECL task_handle task_operations::resume_task(json::fragment const& saved) const {
  auto const object = json::parse(saved.text());
  bool const usable = object && object->is_object();
  auto const id = usable ? object->view().find("taskId") : std::nullopt;
  auto const tool = usable ? object->view().find("tool") : std::nullopt;
  auto const text = id ? id->get_string() : std::nullopt;
  if (!text || text->empty()) throw exception(error(errc::invalid_argument, "a saved task has a taskId, a text"));
  return {client_, std::string(tool ? tool->get_string().value_or("") : ""), std::string(*text), {}};
}

COMCP_LAZY_DECL asio::awaitable<listing<task>> task_operations::list_tasks(call_options options) const {
  return detail::list_all<task>(client_.core(), std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<list_tasks_result> task_operations::list_tasks_page(std::optional<std::string> from,
                                                                                   call_options options) const {
  return detail::list_page<task>(client_.core(), std::move(from), std::move(options));
}

}  // namespace comcp
#endif
#endif
#endif

// http/url_warnings.hpp
#if !defined(COMCP_SINGLE_HTTP_URL_WARNINGS_HPP)
#define COMCP_SINGLE_HTTP_URL_WARNINGS_HPP
// What a user is to be told of a URL before he agrees to open it, such as one of a server's elicitation. The URL is read
// as browsers read it, who repair more than http_url does. Whether it is opened is the host's decision, and his.
// Spec: https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation (Safe URL Handling)

#include <string_view>
#include <vector>

namespace comcp {

/// Something suspicious about a URL. The worst come first.
enum class url_warning {
  not_http,              ///< Another scheme, such as javascript: or file:. Nothing else is looked at but characters.
  malformed,             ///< No absolute URL, or one that a browser would have to repair: http_url refuses it too.
  credentials,           ///< A user name or password; what stands there often looks like a host.
  international_host,    ///< Punycode (xn--) or letters beyond ASCII in the host, which may look like others.
  invisible_characters,  ///< Controls, line breaks, text that runs backwards, characters that show nothing: see visible().
  this_machine,          ///< localhost or a loopback address, in any spelling.
  private_network,       ///< An address that is not public, in any spelling; a name without dots, or under .local, .internal
                         ///< or .home.arpa.
  plain_http,            ///< Not encrypted.
  too_long,              ///< More than 8192 bytes: no more than these were looked at.
};

/// A sentence for the user, in English, such as "The link is not encrypted.".
std::string_view to_text(url_warning w) noexcept;

/// Each warning once, in the order of the enumeration; none for a usual https URL. Any text may come: cost and memory are
/// bounded. A name is what it looks like: it is not resolved, and may well lead into a private network. To show the URL
/// itself, use visible().
std::vector<url_warning> url_warnings(std::string_view url);

}  // namespace comcp

// http/address_reach.hpp
#if !defined(COMCP_SINGLE_HTTP_ADDRESS_REACH_HPP)
#define COMCP_SINGLE_HTTP_ADDRESS_REACH_HPP
// Which addresses are this machine's, a private network's, or everybody's. Pure: names are not looked up.

#include <optional>
#include <string_view>

namespace comcp {

/// How far an address is, the nearest first.
enum class address_reach { loopback, private_network, public_network };

/// Of a literal address in brackets or not, of "localhost" and *.localhost; a name is public_network as far as its text
/// says. private_network is everything that is neither global unicast nor loopback: RFC 1918, link-local, unique local,
/// shared, multicast, reserved, unspecified, and IPv6 forms that carry such an IPv4 address.
address_reach reach_of(std::string_view host) noexcept;

namespace detail {
/// Nothing for a name.
std::optional<address_reach> reach_of_literal(std::string_view host) noexcept;
}  // namespace detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/address_reach.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_ADDRESS_REACH_IPP)
#define COMCP_SINGLE_HTTP_IMPL_ADDRESS_REACH_IPP
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace comcp {
namespace detail {

struct ipv4_range {
  std::uint32_t first;
  unsigned bits;
};

// RFC 6890 and what was added to its registries; 127.0.0.0/8 apart.
inline constexpr ipv4_range ipv4_not_global[] = {
    {0x00000000, 8},   // this network
    {0x0A000000, 8},   // private
    {0x64400000, 10},  // shared
    {0xA9FE0000, 16},  // link-local
    {0xAC100000, 12},  // private
    {0xC0000000, 24},  // protocol assignments
    {0xC0000200, 24},  // documentation
    {0xC0586300, 24},  // 6to4 relays
    {0xC0A80000, 16},  // private
    {0xC6120000, 15},  // benchmarks
    {0xC6336400, 24},  // documentation
    {0xCB007100, 24},  // documentation
    {0xE0000000, 3},   // multicast, reserved, broadcast
};

COMCP_DECL address_reach reach_of_ipv4(std::uint32_t address) noexcept {
  if (address >> 24 == 127) return address_reach::loopback;
  for (auto const& range : ipv4_not_global) {
    if ((address ^ range.first) >> (32 - range.bits) == 0) return address_reach::private_network;
  }
  return address_reach::public_network;
}

COMCP_DECL address_reach reach_of_ipv6(std::array<std::uint16_t, 8> const& a) noexcept {
  auto const zeros = [&a](std::size_t from, std::size_t to) {
    return std::all_of(a.begin() + from, a.begin() + to, [](std::uint16_t piece) { return piece == 0; });
  };
  auto const carried = [&a](std::size_t at) { return reach_of_ipv4(static_cast<std::uint32_t>(a[at]) << 16 | a[at + 1]); };
  if (zeros(0, 7) && a[7] == 1) return address_reach::loopback;
  if (zeros(0, 5) && a[5] == 0xFFFF) return carried(6);
  // Through a translator, loopback is that of another machine.
  if (a[0] == 0x64 && a[1] == 0xFF9B && zeros(2, 6)) return std::max(carried(6), address_reach::private_network);
  if (a[0] == 0x2002) return std::max(carried(1), address_reach::private_network);
  bool const global = a[0] >> 13 == 1 &&                      // 2000::/3, without
                      !(a[0] == 0x2001 && a[1] < 0x200) &&    // protocol assignments (Teredo among them),
                      !(a[0] == 0x2001 && a[1] == 0xDB8) &&   // documentation,
                      !(a[0] == 0x3FFF && a[1] < 0x1000);     // documentation
  return global ? address_reach::public_network : address_reach::private_network;
}

COMCP_DECL std::optional<address_reach> reach_of_literal(std::string_view host) noexcept {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.find(':') != host.npos) {
    auto const address = http_detail::parse_ipv6(host.substr(0, host.find('%')));
    return address ? reach_of_ipv6(*address) : address_reach::private_network;
  }
  if (!http_detail::ends_in_number(host)) return {};
  auto const address = http_detail::parse_ipv4(host);
  return address ? reach_of_ipv4(*address) : address_reach::private_network;
}

COMCP_DECL bool is_localhost(std::string_view host) noexcept {
  constexpr std::string_view name = "localhost";
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.size() < name.size()) return false;
  auto const end = host.substr(host.size() - name.size());
  bool const same = std::equal(end.begin(), end.end(), name.begin(), [](char c, char lower) { return (c | 0x20) == lower; });
  return same && (host.size() == name.size() || host[host.size() - name.size() - 1] == '.');
}

}  // namespace detail

COMCP_DECL address_reach reach_of(std::string_view host) noexcept {
  if (detail::is_localhost(host)) return address_reach::loopback;
  return detail::reach_of_literal(host).value_or(address_reach::public_network);
}

}  // namespace comcp
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// http/impl/url_warnings.ipp
#if !defined(COMCP_SINGLE_HTTP_IMPL_URL_WARNINGS_IPP)
#define COMCP_SINGLE_HTTP_IMPL_URL_WARNINGS_IPP
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace comcp {
namespace detail {

/// Goes over one URL and collects.
class url_suspicions {
 public:
  void look_at(std::string_view url);
  [[nodiscard]] std::vector<url_warning> all() const;

 private:
  void look_at_authority(std::string_view authority);
  void look_at_host(std::string const& host);
  void look_at_name(std::string_view host);
  void look_for_invisible(std::string_view text);
  void warn(url_warning w) noexcept { found_ |= 1U << static_cast<unsigned>(w); }

  std::uint32_t found_ = 0;
};

COMCP_DECL std::string decoded_url_host(std::string_view text) {
  auto const digit = [](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    auto const lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const escape = text[i] == '%' && text.size() - i > 2 && digit(text[i + 1]) < 16 && digit(text[i + 2]) < 16;
    out += escape ? static_cast<char>(digit(text[i + 1]) << 4 | digit(text[i + 2])) : text[i];
    if (escape) i += 2;
  }
  return out;
}

/// As IDNA maps it, as far as that can lead back to ASCII: wide forms and dots, and nothing for what is invisible.
COMCP_DECL std::string folded_url_host(std::string_view host) {
  std::string out;
  for (character_scan at(host); at.next();) {
    auto const c = at.code();
    if (at.why()) continue;
    if (c >= 0xFF01 && c <= 0xFF5E) out += static_cast<char>(c - 0xFF01 + '!');
    else if (c == 0x3002 || c == 0xFF61) out += '.';
    else out += at.bytes();
  }
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

COMCP_DECL void url_suspicions::look_at(std::string_view url) {
  constexpr std::size_t longest = 8192;
  if (url.size() > longest) warn(url_warning::too_long);
  url = http_detail::without_blank_ends(url.substr(0, longest));
  look_for_invisible(url);
  std::string plain;  // browsers drop line breaks and tabs wherever they are
  std::copy_if(url.begin(), url.end(), std::back_inserter(plain), [](char c) { return c != '\t' && c != '\r' && c != '\n'; });
  auto const scheme = http_detail::scheme_of(plain);
  if (!scheme) return warn(url_warning::malformed);
  bool const secure = http_detail::is_scheme(*scheme, "https");
  if (!secure && !http_detail::is_scheme(*scheme, "http")) return warn(url_warning::not_http);
  if (!secure) warn(url_warning::plain_http);
  auto rest = std::string_view(plain).substr(scheme->size() + 1);
  auto const slashes = std::min(rest.find_first_not_of("/\\"), rest.size());
  rest.remove_prefix(slashes);
  auto const authority = rest.substr(0, rest.find_first_of("/\\?#"));
  look_at_authority(authority);
  // What was told already is no reason to call it malformed as well.
  std::string told(authority.substr(std::min(authority.rfind('@') + 1, authority.size())));
  for (char& c : told) {
    if (static_cast<unsigned char>(c) >= 0x80) c = 'x';
  }
  std::string text = "https:";
  text.append(slashes, '/').append(told).append(rest.substr(authority.size()));
  bool const backslash = rest.substr(0, rest.find_first_of("?#")).find('\\') != rest.npos;  // a slash for browsers
  if (backslash || !http_url::parse(text)) warn(url_warning::malformed);
}

COMCP_DECL void url_suspicions::look_for_invisible(std::string_view text) {
  for (character_scan at(text); at.next();) {
    auto const c = at.code();
    if (at.why() || c == '\t' || c == '\r' || c == '\n') return warn(url_warning::invisible_characters);
  }
}

COMCP_DECL void url_suspicions::look_at_authority(std::string_view authority) {
  auto const at = authority.rfind('@');
  if (at != authority.npos) {
    warn(url_warning::credentials);
    authority.remove_prefix(at + 1);
  }
  auto const host = decoded_url_host(authority);
  auto const colon = host.find(':', host.starts_with('[') ? std::min(host.find(']'), host.size()) : 0);
  look_at_host(host.substr(0, colon));
}

COMCP_DECL void url_suspicions::look_at_host(std::string const& host) {
  look_for_invisible(host);
  bool const ascii = std::all_of(host.begin(), host.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii) warn(url_warning::international_host);
  auto const folded = folded_url_host(host);
  if (folded.starts_with("xn--") || folded.find(".xn--") != folded.npos) warn(url_warning::international_host);
  switch (reach_of(folded)) {
    case address_reach::loopback: return warn(url_warning::this_machine);
    case address_reach::private_network: return warn(url_warning::private_network);
    case address_reach::public_network: return look_at_name(folded);
  }
}

COMCP_DECL void url_suspicions::look_at_name(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty() || host.starts_with('[') || reach_of_literal(host)) return;
  bool local = host.find('.') == host.npos;
  for (auto const* const end : {".local", ".internal", ".home.arpa"}) local = local || host.ends_with(end);
  if (local) warn(url_warning::private_network);
}

COMCP_DECL std::vector<url_warning> url_suspicions::all() const {
  std::vector<url_warning> out;
  for (unsigned i = 0; i <= static_cast<unsigned>(url_warning::too_long); ++i) {
    if ((found_ >> i & 1U) != 0) out.push_back(static_cast<url_warning>(i));
  }
  return out;
}

}  // namespace detail

COMCP_DECL std::string_view to_text(url_warning w) noexcept {
  switch (w) {
    case url_warning::not_http: return "The link does not lead to a web page.";
    case url_warning::malformed: return "The link is not a proper web address.";
    case url_warning::credentials: return "The link has a user name or password before its host.";
    case url_warning::international_host: return "The link's host has international letters, which may look like others.";
    case url_warning::invisible_characters: return "The link has characters that are invisible or change its order.";
    case url_warning::this_machine: return "The link leads to a program on this machine.";
    case url_warning::private_network: return "The link leads into a private network.";
    case url_warning::plain_http: return "The link is not encrypted.";
    case url_warning::too_long: return "The link is too long to be looked at as a whole.";
  }
  return {};
}

COMCP_DECL std::vector<url_warning> url_warnings(std::string_view url) {
  detail::url_suspicions found;
  found.look_at(url);
  return found.all();
}

}  // namespace comcp
#endif
#endif
#endif

// pinning/guard.hpp
#if !defined(COMCP_SINGLE_PINNING_GUARD_HPP)
#define COMCP_SINGLE_PINNING_GUARD_HPP
// Which definitions get through to a host: the pins, and a policy for what they do not cover.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// pinning/pins.hpp
#if !defined(COMCP_SINGLE_PINNING_PINS_HPP)
#define COMCP_SINGLE_PINNING_PINS_HPP
// What has been approved: a fingerprint for each server's tools, prompts and instructions, and the text of the lock file
// that holds them. What follows from a difference is guard.hpp's decision; files are lock_file.hpp's.

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

// pinning/fingerprint.hpp
#if !defined(COMCP_SINGLE_PINNING_FINGERPRINT_HPP)
#define COMCP_SINGLE_PINNING_FINGERPRINT_HPP
// The fingerprint of what a server offers: what somebody approved, in 71 characters.

#include <string>
#include <string_view>

namespace comcp {

/// "sha256:" and 64 lower-case hexadecimal digits: SHA-256 of the canonical JSON (RFC 8785) of the definition as
/// tools/list has it. Covered is all that a model, a user or comcp may act on: name, title, description, inputSchema,
/// outputSchema, annotations (they decide on confirmations), execution, icons (users trust what they look like), and
/// every member that comcp does not know. Left out is `_meta` alone: bookkeeping that may differ with each listing, and
/// on which comcp never acts; a host that does should not take the fingerprint as approval of it. A member that is null
/// where its type allows none counts as absent. Where an object has a key twice (lists set such a definition aside) all
/// that came is covered, since readers differ about which one counts. The server's name is not covered: pins have it as
/// their key. Throws comcp::exception (invalid_argument) for a string that is not UTF-8, which no parsed definition has.
std::string fingerprint(tool const& definition);
/// The same of a prompt, as prompts/list has it.
std::string fingerprint(prompt const& definition);

/// Whether the text has the form of a fingerprint.
bool is_fingerprint(std::string_view text) noexcept;

namespace detail {
/// The covered definition as JSON.
json::value pinned_part(tool const& definition);
json::value pinned_part(prompt const& definition);
std::string fingerprint_of(json::view covered);
}  // namespace detail

}  // namespace comcp

// json/canonical.hpp
#if !defined(COMCP_SINGLE_JSON_CANONICAL_HPP)
#define COMCP_SINGLE_JSON_CANONICAL_HPP
// Canonical JSON (RFC 8785, JCS): one text for equal values, to be hashed or signed.

#include <string>

namespace comcp::json {

/// The canonical text: no whitespace, members in the order of their keys' UTF-16 code units, numbers as ECMAScript
/// prints doubles, the shortest escapes. As I-JSON has it, integers beyond 2^53 are rounded to doubles. Members of one
/// key (which I-JSON forbids) are all written, in the order of the text, so that none hides behind another.
std::string canonical(view v);

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// json/impl/canonical.ipp
#if !defined(COMCP_SINGLE_JSON_IMPL_CANONICAL_IPP)
#define COMCP_SINGLE_JSON_IMPL_CANONICAL_IPP
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp::json {
namespace detail {

// ECMAScript's Number::toString: the shortest digits, with an exponent below 1e-6 and from 1e21 on.
COMCP_DECL void append_ecmascript(std::string& out, double d) {
  if (d == 0) {
    out += '0';
    return;
  }
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, d < 0 ? -d : d, std::chars_format::scientific).ptr;
  std::string_view const text(buffer, static_cast<std::size_t>(end - buffer));
  auto const e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + 1 + (text[e + 1] == '+' ? 1 : 0), end, exponent);
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  int const count = static_cast<int>(digits.size()), point = exponent + 1;  // 0.digits * 10^point
  if (d < 0) out += '-';
  if (point > 21 || point <= -6) {
    out += digits[0];
    if (count > 1) out.append(".").append(digits, 1);
    out.append(exponent < 0 ? "e" : "e+").append(std::to_string(exponent));
  } else if (point <= 0) {
    out.append("0.").append(static_cast<std::size_t>(-point), '0').append(digits);
  } else if (count <= point) {
    out.append(digits).append(static_cast<std::size_t>(point - count), '0');
  } else {
    auto const whole = static_cast<std::size_t>(point);
    out.append(digits, 0, whole).append(".").append(digits, whole);
  }
}

// Valid UTF-8 in the order of UTF-16 code units: that of the bytes, but surrogates (here four bytes, from F0 on) come
// before U+E000 to U+FFFF (three bytes that begin with EE or EF).
COMCP_DECL bool less_as_utf16(std::string_view a, std::string_view b) noexcept {
  auto const order = [](char c) {
    auto const byte = static_cast<unsigned char>(c);
    return byte == 0xEE || byte == 0xEF ? byte + 0x10 : int{byte};
  };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return order(x) < order(y); });
}

COMCP_DECL void append_canonical(std::string& out, view v) {
  switch (v.kind()) {
    case kind::integer:
    case kind::unsigned_integer:
    case kind::real: append_ecmascript(out, *v.get_double()); return;
    case kind::string: append_string(out, *v.get_string()); return;
    case kind::array: {
      char separator = '[';
      for (auto const e : v.elements()) {
        out += separator;
        separator = ',';
        append_canonical(out, e);
      }
      out += separator == '[' ? "[]" : "]";
      return;
    }
    case kind::object: {
      std::vector<std::pair<member, std::size_t>> members;  // with their places, as std::sort is not stable
      for (auto const m : v.members()) members.emplace_back(m, members.size());
      std::sort(members.begin(), members.end(), [](auto const& a, auto const& b) {
        return a.first.key == b.first.key ? a.second < b.second : less_as_utf16(a.first.key, b.first.key);
      });
      char separator = '{';
      for (auto const& [m, place] : members) {
        out += separator;
        separator = ',';
        append_string(out, m.key);
        out += ':';
        append_canonical(out, m.value);
      }
      out += members.empty() ? "{}" : "}";
      return;
    }
    default: out += v.dump(); return;
  }
}

}  // namespace detail

COMCP_DECL std::string canonical(view v) {
  std::string out;
  detail::append_canonical(out, v);
  return out;
}

}  // namespace comcp::json
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// pinning/impl/fingerprint.ipp
#if !defined(COMCP_SINGLE_PINNING_IMPL_FINGERPRINT_IPP)
#define COMCP_SINGLE_PINNING_IMPL_FINGERPRINT_IPP

namespace comcp {
namespace detail {

inline constexpr std::string_view fingerprint_scheme = "sha256:";

inline json::object without_meta(json::view whole) {
  json::object covered;
  for (auto const [key, value] : whole.members()) {
    if (key != "_meta") covered.set(key, value);
  }
  return covered;
}

// What is read into members is written from them; a second member of a key is only in what came.
inline json::value pinned_part(json::value const& read, json::value const& came) {
  json::read_error doubled;
  if (!json::unique_keys(came, doubled))
    return json::to_value(json::array().add(without_meta(read)).add(without_meta(came)));
  return read.contains("_meta") ? json::to_value(without_meta(read)) : read;
}

COMCP_DECL json::value pinned_part(tool const& definition) {
  return pinned_part(json::to_value(definition), definition.raw);
}
COMCP_DECL json::value pinned_part(prompt const& definition) {
  return pinned_part(json::to_value(definition), definition.raw);
}

COMCP_DECL std::string fingerprint_of(json::view covered) {
  return std::string(fingerprint_scheme) + to_hex(sha256(json::canonical(covered)));
}

}  // namespace detail

COMCP_DECL std::string fingerprint(tool const& definition) {
  auto const covered = detail::pinned_part(definition);
  return detail::fingerprint_of(covered);
}
COMCP_DECL std::string fingerprint(prompt const& definition) {
  auto const covered = detail::pinned_part(definition);
  return detail::fingerprint_of(covered);
}

COMCP_DECL bool is_fingerprint(std::string_view text) noexcept {
  if (!text.starts_with(detail::fingerprint_scheme)) return false;
  text.remove_prefix(detail::fingerprint_scheme.size());
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// How a definition stands to what was approved.
enum class pin_state {
  unknown,    ///< Nothing of this kind was ever seen of this server.
  unchanged,  ///< It is what was approved.
  changed,    ///< Something else was approved.
  added,      ///< Nothing of this name was approved, and the server is known: it did not have it, or nobody wanted it.
};

/// What is pinned of a server. Its instructions are one text without a name; a server without has an empty one.
enum class pin_kind { tool, prompt, instructions };

/// A definition against the pins.
struct pin_check {
  pin_check() = default;

  pin_state state = pin_state::unknown;
  std::string offered;   ///< The definition's fingerprint.
  std::string approved;  ///< The approved one; empty where there is none.
};

/// Approved tools, prompts and instructions. Regular; not synchronised.
class tool_pins {
 public:
  using by_tool = std::map<std::string, std::string, std::less<>>;
  using by_server = std::map<std::string, by_tool, std::less<>>;

  tool_pins() = default;

  [[nodiscard]] pin_check check(std::string_view server, tool const& definition) const;
  [[nodiscard]] pin_check check(std::string_view server, prompt const& definition) const;
  /// Of what has this fingerprint.
  [[nodiscard]] pin_check check(pin_kind kind, std::string_view server, std::string_view name,
                                std::string fingerprint) const;
  void approve(std::string_view server, tool const& definition);
  void approve(std::string_view server, prompt const& definition);
  /// Approves what was seen earlier. Errors: invalid_argument (no fingerprint).
  result<void> approve(std::string_view server, std::string_view name, std::string_view fingerprint,
                       pin_kind kind = pin_kind::tool);
  /// From now on the server is known, though nothing of it may be approved: what it comes with is added. Says whether that
  /// is new.
  bool know(std::string_view server, pin_kind kind);
  /// Whether it was there. A server of which nothing is left is unknown again.
  bool forget(std::string_view server, std::string_view name, pin_kind kind = pin_kind::tool);
  /// Everything of a server; whether there was something.
  bool forget(std::string_view server);

  /// Fingerprints of all kinds and servers.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept;
  /// From servers to names to fingerprints, in the order of the names' bytes. The name of instructions is empty.
  [[nodiscard]] by_server const& servers(pin_kind kind = pin_kind::tool) const noexcept {
    return kinds_[static_cast<std::size_t>(kind)];
  }

  /// The lock file: JSON with a line for each pin, sorted, so that it is kept well in a version control system. Version 1
  /// where nothing but tools is pinned, which an older comcp reads too, else 2. Throws comcp::exception
  /// (invalid_argument) for a name that is no UTF-8.
  [[nodiscard]] std::string to_text() const;
  /// Reads a lock file. `file` is for error texts, which name it, line, column and key. Errors: invalid_json,
  /// wrong_shape (also a version that this comcp does not know, or a key that comes twice), limit_exceeded.
  static result<tool_pins> parse(std::string_view text, std::string_view file = "lock file");

  friend bool operator==(tool_pins const&, tool_pins const&) = default;

 private:
  [[nodiscard]] by_server& all(pin_kind kind) noexcept { return kinds_[static_cast<std::size_t>(kind)]; }

  std::array<by_server, 3> kinds_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// pinning/impl/pins.ipp
#if !defined(COMCP_SINGLE_PINNING_IMPL_PINS_IPP)
#define COMCP_SINGLE_PINNING_IMPL_PINS_IPP
#include <optional>
#include <utility>

namespace comcp {
namespace detail {

// Version 1 has tools only.
inline constexpr std::int64_t lock_file_version = 2;

inline std::string lock_file_place(std::string_view file, text_map const& map, std::size_t offset) {
  auto const at = map.place(offset);
  return std::string(file) + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) + ": ";
}

// Reads a lock file; stops at the first thing that is wrong.
class lock_reader {
 public:
  lock_reader(std::string_view file, text_map const& map) : file_(file), map_(map) {}

  result<tool_pins> read(json::view text) {
    located const root{text, 0};
    if (!text.is_object()) return wrong(root, "an object is expected");
    auto const version = find_member(map_, root, "version");
    if (!version) return wrong(root, "\"version\" is missing");
    auto const number = version->value.get_int64();
    if (number != 1 && number != lock_file_version) {
      auto const found = number ? ", this is " + std::to_string(*number) : std::string();
      return wrong(*version, "version 1 or " + std::to_string(lock_file_version) + " is expected" + found);
    }
    each_member(map_, root, [&](std::string_view key, located m) { read_section(key, m, *number); });
    json::read_error twice;
    bool const has_tools = find_member(map_, root, "tools").has_value();
    if (!failed_ && (!has_tools || !json::unique_keys(text, twice)))
      return wrong(root, "one \"tools\" and one \"version\" are expected");
    if (failed_) return failed_;
    return std::move(pins_);
  }

 private:
  void read_section(std::string_view key, located section, std::int64_t version) {
    if (key == "version") return;
    if (key == "tools") return read_servers(section, pin_kind::tool);
    if (version > 1 && key == "prompts") return read_servers(section, pin_kind::prompt);
    if (version < 2 || key != "instructions") return fail(section, "unknown key");
    if (!section.value.is_object()) return fail(section, "an object from servers to fingerprints is expected");
    each_member(map_, section,
                [&](std::string_view server, located pin) { approve(server, {}, pin, pin_kind::instructions); });
  }
  void read_servers(located section, pin_kind kind) {
    if (!section.value.is_object()) return fail(section, "an object from servers to what they have is expected");
    each_member(map_, section, [&](std::string_view server, located its) { read_server(server, its, kind); });
  }
  void read_server(std::string_view server, located its, pin_kind kind) {
    if (!pins_.know(server, kind)) return fail(its, "this server comes twice");
    if (!its.value.is_object()) return fail(its, "an object from names to fingerprints is expected");
    each_member(map_, its, [&](std::string_view name, located pin) { approve(server, name, pin, kind); });
  }
  void approve(std::string_view server, std::string_view name, located pin, pin_kind kind) {
    auto const its = pins_.servers(kind).find(server);
    if (its != pins_.servers(kind).end() && its->second.contains(name)) return fail(pin, "this comes twice");
    auto const text = pin.value.get_string();
    if (!text || !pins_.approve(server, name, *text, kind))
      fail(pin, "\"sha256:\" and 64 lower-case hexadecimal digits are expected");
  }

  void fail(located where, std::string const& what) {
    if (!failed_) failed_ = wrong(where, what);
  }
  [[nodiscard]] error wrong(located where, std::string const& what) const {
    auto const path = where.value.path();
    auto const place = lock_file_place(file_, map_, map_.nodes()[where.node].key);
    return error(errc::wrong_shape, place + (path.empty() ? std::string() : path + ": ") + what);
  }

  std::string file_;
  text_map const& map_;
  tool_pins pins_;
  error failed_;
};

// An object from names to fingerprints.
inline void append_members(std::string& out, tool_pins::by_tool const& pins, std::string const& indent) {
  out += '{';
  char const* before = "\n";
  for (auto const& [name, pin] : pins) {
    out.append(before).append(indent).append("  ").append(json::to_text(name)).append(": ").append(json::to_text(pin));
    before = ",\n";
  }
  out.append(pins.empty() ? "}" : "\n" + indent + "}");
}

inline void append_pins(std::string& out, char const* kind, tool_pins::by_server const& servers) {
  out.append(",\n  \"").append(kind).append("\": {");
  char const* before = "\n";
  for (auto const& [server, pins] : servers) {
    append_members(out.append(before).append("    ").append(json::to_text(server)).append(": "), pins, "    ");
    before = ",\n";
  }
  out.append(servers.empty() ? "}" : "\n  }");
}

}  // namespace detail

COMCP_DECL pin_check tool_pins::check(pin_kind kind, std::string_view server, std::string_view name,
                                      std::string fingerprint) const {
  pin_check out;
  out.offered = std::move(fingerprint);
  auto const its = servers(kind).find(server);
  if (its == servers(kind).end()) return out;
  auto const pin = its->second.find(name);
  if (pin == its->second.end()) return out.state = pin_state::added, out;
  out.approved = pin->second;
  out.state = out.approved == out.offered ? pin_state::unchanged : pin_state::changed;
  return out;
}

COMCP_DECL pin_check tool_pins::check(std::string_view server, tool const& definition) const {
  return check(pin_kind::tool, server, definition.name, fingerprint(definition));
}
COMCP_DECL pin_check tool_pins::check(std::string_view server, prompt const& definition) const {
  return check(pin_kind::prompt, server, definition.name, fingerprint(definition));
}

COMCP_DECL void tool_pins::approve(std::string_view server, tool const& definition) {
  (void)approve(server, definition.name, fingerprint(definition), pin_kind::tool);
}
COMCP_DECL void tool_pins::approve(std::string_view server, prompt const& definition) {
  (void)approve(server, definition.name, fingerprint(definition), pin_kind::prompt);
}

COMCP_DECL result<void> tool_pins::approve(std::string_view server, std::string_view name, std::string_view fingerprint,
                                           pin_kind kind) {
  if (!is_fingerprint(fingerprint)) return error(errc::invalid_argument, "this is no fingerprint");
  all(kind)[std::string(server)][std::string(name)] = fingerprint;
  return {};
}

COMCP_DECL bool tool_pins::know(std::string_view server, pin_kind kind) {
  return all(kind).try_emplace(std::string(server)).second;
}

COMCP_DECL bool tool_pins::forget(std::string_view server, std::string_view name, pin_kind kind) {
  auto const its = all(kind).find(server);
  if (its == all(kind).end()) return false;
  auto const pin = its->second.find(name);
  if (pin == its->second.end()) return false;
  its->second.erase(pin);
  if (its->second.empty()) all(kind).erase(its);
  return true;
}

COMCP_DECL bool tool_pins::forget(std::string_view server) {
  bool any = false;
  for (auto& known : kinds_) {
    auto const its = known.find(server);
    if (its == known.end()) continue;
    known.erase(its);
    any = true;
  }
  return any;
}

COMCP_DECL std::size_t tool_pins::size() const noexcept {
  std::size_t n = 0;
  for (auto const& known : kinds_) {
    for (auto const& [server, names] : known) n += names.size();
  }
  return n;
}

COMCP_DECL bool tool_pins::empty() const noexcept {
  return kinds_[0].empty() && kinds_[1].empty() && kinds_[2].empty();
}

COMCP_DECL std::string tool_pins::to_text() const {
  bool const tools_only = kinds_[1].empty() && kinds_[2].empty();
  auto out = "{\n  \"version\": " + std::to_string(tools_only ? 1 : detail::lock_file_version);
  detail::append_pins(out, "tools", kinds_[0]);
  if (!kinds_[1].empty()) detail::append_pins(out, "prompts", kinds_[1]);
  if (!kinds_[2].empty()) {
    by_tool by_name;  // each has one text
    for (auto const& [server, texts] : kinds_[2]) by_name.emplace(server, texts.begin()->second);
    detail::append_members(out.append(",\n  \"instructions\": "), by_name, "  ");
  }
  return out.append("\n}\n");
}

COMCP_DECL result<tool_pins> tool_pins::parse(std::string_view text, std::string_view file) {
  auto const root = json::parse(text);
  if (!root && root.error() == errc::limit_exceeded)
    return root.error().with_message(std::string(file) + ": " + std::string(root.error().message()));
  detail::text_map const map(text);
  auto const wrong = map.broken() || root ? map.broken() : map.unreadable();
  if (wrong) return error(errc::invalid_json, detail::lock_file_place(file, map, wrong->offset) + wrong->what);
  if (!root) return root.error().with_message(std::string(file) + ": " + std::string(root.error().message()));
  return detail::lock_reader(file, map).read(*root);
}

}  // namespace comcp
#endif
#endif
#endif

// pinning/suspicious.hpp
#if !defined(COMCP_SINGLE_PINNING_SUSPICIOUS_HPP)
#define COMCP_SINGLE_PINNING_SUSPICIOUS_HPP
// Characters that a user does not see and a model may read: how instructions are hidden in a tool's definition.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace comcp {

/// One suspicious character.
struct suspicious_character {
  suspicious_character() = default;

  std::string where;         ///< JSON Pointer into the definition, such as "/inputSchema/properties/a/description".
  bool in_key = false;       ///< In the last key of `where` instead of in its value.
  std::size_t offset = 0;    ///< In bytes, into the string.
  char32_t code_point = 0;
  suspicion why{};

  /// "/description, byte 12: U+200B (zero_width)".
  [[nodiscard]] std::string to_string() const;
};

/// The suspicious characters of all strings and keys of a JSON value. At most `limit` are told.
std::vector<suspicious_character> find_suspicious(json::view text, std::size_t limit = 100);
/// The same for a definition; what its fingerprint leaves out is not looked at.
std::vector<suspicious_character> find_suspicious(tool const& definition, std::size_t limit = 100);
std::vector<suspicious_character> find_suspicious(prompt const& definition, std::size_t limit = 100);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// pinning/impl/suspicious.ipp
#if !defined(COMCP_SINGLE_PINNING_IMPL_SUSPICIOUS_IPP)
#define COMCP_SINGLE_PINNING_IMPL_SUSPICIOUS_IPP

namespace comcp {
namespace detail {

class suspicious_search {
 public:
  suspicious_search(std::vector<suspicious_character>& out, std::size_t limit) : out_(out), limit_(limit) {}

  void value(json::view v) {
    if (auto const s = v.get_string()) text(*s, false);
    std::size_t index = 0;
    for (auto const e : v.elements()) step(std::to_string(index++), [&] { value(e); });
    for (auto const [key, inner] : v.members()) {
      step(escaped(key), [&, k = key, i = inner] {
        text(k, true);
        value(i);
      });
    }
  }

 private:
  template <class F>
  void step(std::string const& name, F const& inside) {
    if (out_.size() >= limit_) return;
    auto const size = path_.size();
    path_.append("/").append(name);
    inside();
    path_.resize(size);
  }
  static std::string escaped(std::string_view key) {
    std::string name;
    for (char const c : key) name += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return name;
  }

  void text(std::string_view s, bool in_key) {
    for (character_scan at(s); out_.size() < limit_ && at.next();) {
      if (at.why()) found(in_key, at.start(), at.code(), *at.why());
    }
  }

  void found(bool in_key, std::size_t offset, char32_t c, suspicion why) {
    auto& one = out_.emplace_back();
    one.where = path_;
    one.in_key = in_key;
    one.offset = offset;
    one.code_point = c;
    one.why = why;
  }

  std::vector<suspicious_character>& out_;
  std::size_t limit_;
  std::string path_;
};

}  // namespace detail

COMCP_DECL std::string suspicious_character::to_string() const {
  return visible(where) + (in_key ? " (its key), byte " : ", byte ") + std::to_string(offset) + ": " +
         detail::code_point_name(code_point) + " (" + std::string(to_text(why)) + ")";
}

COMCP_DECL std::vector<suspicious_character> find_suspicious(json::view text, std::size_t limit) {
  std::vector<suspicious_character> out;
  detail::suspicious_search(out, limit).value(text);
  return out;
}

COMCP_DECL std::vector<suspicious_character> find_suspicious(tool const& definition, std::size_t limit) {
  auto const covered = detail::pinned_part(definition);
  return find_suspicious(covered, limit);
}
COMCP_DECL std::vector<suspicious_character> find_suspicious(prompt const& definition, std::size_t limit) {
  auto const covered = detail::pinned_part(definition);
  return find_suspicious(covered, limit);
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// What becomes of a definition, from mild to strict.
enum class pin_verdict {
  allow,  ///< It gets through, and is approved by that: the next change is noticed.
  warn,   ///< It gets through and is told of, until somebody approves it.
  block,  ///< It is kept out, and calls fail with errc::tool_blocked, until somebody approves it.
};

/// What a guard found about one definition.
struct pin_finding {
  pin_finding() = default;

  pin_kind kind = pin_kind::tool;
  std::string server;
  std::string name;  ///< Of the tool or prompt.
  pin_state state = pin_state::unknown;
  std::string offered;   ///< The definition's fingerprint.
  std::string approved;  ///< The approved one; empty where there is none.
  std::vector<suspicious_character> suspicious;  ///< Empty for what is approved: then nobody looked.
  pin_verdict verdict = pin_verdict::block;

  /// errc::tool_blocked, with what is the matter: for calls of what is blocked, and for whoever is told.
  [[nodiscard]] error to_error() const;
};

/// What to do with definitions that are not approved: tools, prompts and instructions. Regular.
class pin_policy {
 public:
  /// Trust on first use: what a new server has is allowed, what it adds later is warned of, what changes is blocked; what
  /// has suspicious characters is warned of.
  pin_policy() {}
  /// For what comes with a server of which nothing was seen.
  pin_policy& unknown(pin_verdict v) { return unknown_ = v, *this; }
  /// For what a server that is known comes with later. One that comes back under another name is such. Without this:
  /// pin_verdict::warn, or what unknown() says where that is stricter.
  pin_policy& added(pin_verdict v) { return added_ = v, *this; }
  /// For what is not what was approved.
  pin_policy& changed(pin_verdict v) { return changed_ = v, *this; }
  /// At least this for what is not approved and has suspicious characters.
  pin_policy& suspicious(pin_verdict v) { return suspicious_ = v, *this; }
  /// Asked instead, for each definition that is not approved; `verdict` of the finding is what the other settings say, and
  /// `definition` is what its fingerprint covers (of instructions their text). Called while the list is taken over, so it
  /// decides at once; to ask a user, block and call approve() later. If it throws, the definition is blocked.
  pin_policy& decide(std::function<pin_verdict(pin_finding const&, json::view definition)> f) {
    return decide_ = std::move(f), *this;
  }

  /// What becomes of `found`, a definition that is not approved.
  [[nodiscard]] pin_verdict judge(pin_finding const& found, json::view definition) const;
  [[nodiscard]] bool trusts_first_use() const noexcept { return unknown_ == pin_verdict::allow; }

 private:
  pin_verdict unknown_ = pin_verdict::allow, changed_ = pin_verdict::block, suspicious_ = pin_verdict::warn;
  std::optional<pin_verdict> added_;
  std::function<pin_verdict(pin_finding const&, json::view)> decide_;
};

/// Pins and policy at work. Not synchronised: whoever shares it with a registry uses it on the registry's executor only.
class pin_guard {
 public:
  explicit pin_guard(tool_pins pins = tool_pins(), pin_policy policy = pin_policy())
      : pins_(std::move(pins)), policy_(std::move(policy)) {}

  /// Judges one definition; an allowed one is approved by that. Takes some microseconds.
  pin_finding check(std::string_view server, tool const& definition);
  pin_finding check(std::string_view server, prompt const& definition);
  /// The same for the instructions of a server, empty where it has none: that is always allowed.
  pin_finding check_instructions(std::string_view server, std::string_view text);
  /// All that the server listed of this kind was checked: its first use is over, and what comes later is added. A registry
  /// calls it; without this the first use lasts until the pins are saved and read again.
  void listed(std::string_view server, pin_kind kind);
  /// Approves exactly what a finding was about, though the server may offer something else by now. The registry's next
  /// refresh lets it in.
  void approve(pin_finding const& found);
  /// What was approved counts no more, from the registry's next refresh on.
  bool forget(std::string_view server, std::string_view name, pin_kind kind = pin_kind::tool);
  bool forget(std::string_view server);

  [[nodiscard]] tool_pins const& pins() const noexcept { return pins_; }
  /// Whether the pins differ from those at the start, or at the last call of saved(): time to write the lock file.
  [[nodiscard]] bool unsaved() const noexcept { return unsaved_; }
  void saved() noexcept { unsaved_ = false; }

 private:
  pin_finding examine(pin_kind kind, std::string_view server, std::string_view name, json::value const& covered);

  tool_pins pins_;
  pin_policy policy_;
  std::set<std::pair<std::string, pin_kind>> first_used_;  // servers that were unknown, and are not listed() yet
  bool unsaved_ = false;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// pinning/impl/guard.ipp
#if !defined(COMCP_SINGLE_PINNING_IMPL_GUARD_IPP)
#define COMCP_SINGLE_PINNING_IMPL_GUARD_IPP
#include <algorithm>

namespace comcp {

COMCP_DECL error pin_finding::to_error() const {
  constexpr auto blank = line_breaks::blank;
  std::string text = kind == pin_kind::instructions ? std::string("the instructions")
                                                    : kind == pin_kind::prompt ? "prompt \"" : "tool \"";
  if (kind != pin_kind::instructions) text += visible(name, blank) + '"';
  text += " of \"" + visible(server, blank) + "\" " + (state == pin_state::added ? "came later, and " : "");
  text += kind == pin_kind::instructions ? "are not " : "is not ";
  text += state == pin_state::changed ? "what was approved: " + approved + " was, this is " + offered : "approved: " + offered;
  if (!suspicious.empty()) text += "; suspicious: " + suspicious.front().to_string();
  if (suspicious.size() > 1) text += " and " + std::to_string(suspicious.size() - 1) + " more";
  return error(errc::tool_blocked, std::move(text));
}

COMCP_DECL pin_verdict pin_policy::judge(pin_finding const& found, json::view definition) const {
  auto asked = found;
  switch (found.state) {
    case pin_state::changed: asked.verdict = changed_; break;
    case pin_state::added: asked.verdict = added_.value_or(std::max(unknown_, pin_verdict::warn)); break;
    default: asked.verdict = unknown_; break;
  }
  if (!found.suspicious.empty()) asked.verdict = std::max(asked.verdict, suspicious_);
  if (!decide_) return asked.verdict;
  try {
    return decide_(asked, definition);
  } catch (...) {
    return pin_verdict::block;
  }
}

COMCP_DECL pin_finding pin_guard::examine(pin_kind kind, std::string_view server, std::string_view name,
                                          json::value const& covered) {
  auto known = pins_.check(kind, server, name, detail::fingerprint_of(covered));
  std::pair const use(std::string(server), kind);
  if (known.state == pin_state::unknown) first_used_.insert(use);
  bool const first = known.state == pin_state::added && first_used_.contains(use);
  pin_finding found;
  found.kind = kind;
  found.server = server;
  found.name = name;
  found.state = first ? pin_state::unknown : known.state;
  found.offered = std::move(known.offered);
  found.approved = std::move(known.approved);
  if (found.state == pin_state::unchanged) {
    found.verdict = pin_verdict::allow;
    return found;
  }
  found.suspicious = find_suspicious(covered);
  found.verdict = policy_.judge(found, covered);
  if (found.verdict == pin_verdict::allow) approve(found);
  return found;
}

COMCP_DECL pin_finding pin_guard::check(std::string_view server, tool const& definition) {
  return examine(pin_kind::tool, server, definition.name, detail::pinned_part(definition));
}
COMCP_DECL pin_finding pin_guard::check(std::string_view server, prompt const& definition) {
  return examine(pin_kind::prompt, server, definition.name, detail::pinned_part(definition));
}
COMCP_DECL pin_finding pin_guard::check_instructions(std::string_view server, std::string_view text) {
  constexpr auto kind = pin_kind::instructions;
  auto const covered = json::to_value(text);
  if (!text.empty()) return examine(kind, server, {}, covered);
  pin_finding none;  // harmless, and noted: what comes in its place is a change
  none.kind = kind;
  none.server = server;
  none.offered = detail::fingerprint_of(covered);
  none.verdict = pin_verdict::allow;
  none.state = pins_.check(kind, server, {}, none.offered).state;
  if (none.state == pin_state::unknown) approve(none);
  return none;
}

COMCP_DECL void pin_guard::listed(std::string_view server, pin_kind kind) {
  first_used_.erase(std::pair(std::string(server), kind));
  if (policy_.trusts_first_use() && pins_.know(server, kind)) unsaved_ = true;
}

COMCP_DECL void pin_guard::approve(pin_finding const& found) {
  if (pins_.approve(found.server, found.name, found.offered, found.kind)) unsaved_ = true;
}

COMCP_DECL bool pin_guard::forget(std::string_view server, std::string_view name, pin_kind kind) {
  bool const was_there = pins_.forget(server, name, kind);
  unsaved_ = unsaved_ || was_there;
  return was_there;
}

COMCP_DECL bool pin_guard::forget(std::string_view server) {
  bool const was_there = pins_.forget(server);
  unsaved_ = unsaved_ || was_there;
  return was_there;
}

}  // namespace comcp
#endif
#endif
#endif

// pinning/lock_file.hpp
#if !defined(COMCP_SINGLE_PINNING_LOCK_FILE_HPP)
#define COMCP_SINGLE_PINNING_LOCK_FILE_HPP
// Pins in a file. The one part of pinning that does I/O, and it blocks.

#include <filesystem>

namespace comcp {

/// Reads a lock file. Errors: the system's own code where it cannot be read (std::errc::no_such_file_or_directory: none
/// was written yet), and those of tool_pins::parse(); the text names the file.
result<tool_pins> read_lock_file(std::filesystem::path const& file);

/// Writes a lock file (mode 0644) beside the old one and puts it in its place at once, so that no reader ever sees a
/// part, and a crash leaves the old or the new one. A symbolic link is followed. Of several writers the last one wins.
/// Errors: the system's own code; the text names the file. invalid_argument: a name that is no UTF-8.
result<void> write_lock_file(tool_pins const& pins, std::filesystem::path const& file);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// pinning/impl/lock_file.ipp
#if !defined(COMCP_SINGLE_PINNING_IMPL_LOCK_FILE_IPP)
#define COMCP_SINGLE_PINNING_IMPL_LOCK_FILE_IPP
#include <string>

namespace comcp {

COMCP_DECL result<tool_pins> read_lock_file(std::filesystem::path const& file) {
  auto const from = detail::open_regular(file);
  if (!from) return from.error();
  auto const text = detail::read_rest(*from, json::parse_options().max_bytes(), file);
  if (!text) return text.error();
  return tool_pins::parse(*text, detail::text_of_path(file));
}

COMCP_DECL result<void> write_lock_file(tool_pins const& pins, std::filesystem::path const& file) {
  std::string text;
  try {
    text = pins.to_text();
  } catch (exception const& e) {  // a name that is no UTF-8
    return e.error();
  }
  return detail::replace_file(file, text, 0644);
}

}  // namespace comcp
#endif
#endif
#endif

// pool/pool.hpp
#if !defined(COMCP_SINGLE_POOL_POOL_HPP)
#define COMCP_SINGLE_POOL_POOL_HPP
// Several connections to one server, or to a set of equal ones, behind the client's own interface. Who takes a call is
// the strategy's decision, how a connection is kept alive its configuration's.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

// pool/core.hpp
#if !defined(COMCP_SINGLE_POOL_CORE_HPP)
#define COMCP_SINGLE_POOL_CORE_HPP
// What is behind a pool: how its members come, are admitted and go, and who waits for one. Runs on the pool's home
// executor. How a member is kept alive is live_server's. Internal.

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

// pool/members.hpp
#if !defined(COMCP_SINGLE_POOL_MEMBERS_HPP)
#define COMCP_SINGLE_POOL_MEMBERS_HPP
// Who is in a pool, how they stand, and who of them takes the next call. Home alone changes the list, and reads it without
// the mutex; every other thread reads under it. Internal.

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// pool/lease.hpp
#if !defined(COMCP_SINGLE_POOL_LEASE_HPP)
#define COMCP_SINGLE_POOL_LEASE_HPP
// A connection of a pool on loan.

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace comcp {
namespace detail {

/// What a member of a pool shares with its leases: nothing that would keep the member alive.
struct pool_load {
  explicit pool_load(std::string n) : name(std::move(n)) {}
  std::string const name;
  std::atomic<std::size_t> in_flight{0};
};

}  // namespace detail

/// A connection on loan, for what belongs to one connection: subscriptions, pages, several calls to one server. It counts
/// as one in flight until it is destroyed, from whatever thread. Others may use the same connection meanwhile.
/// It may outlive the pool, though not the pool's execution context; once its connection is closed (the pool too, or the
/// member removed or started anew) its operations fail with errc::closed. Calls made through it are not seen by the
/// circuit breaker. Move-only; one that was moved from holds nothing.
class lease {
 public:
  lease() = default;
  lease(std::shared_ptr<detail::pool_load> load, client connection) noexcept
      : load_(std::move(load)), connection_(std::move(connection)) {
    load_->in_flight.fetch_add(1, std::memory_order_relaxed);
  }
  lease(lease&&) noexcept = default;
  lease& operator=(lease&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    load_ = std::move(other.load_);
    connection_ = std::move(other.connection_);
    return *this;
  }
  ~lease() { give_back(); }

  [[nodiscard]] client const* operator->() const noexcept { return &connection_; }
  [[nodiscard]] client const& operator*() const noexcept { return connection_; }
  /// The member's, as in pool.connections(). Not to be asked of an empty lease.
  [[nodiscard]] std::string const& name() const noexcept { return load_->name; }
  [[nodiscard]] explicit operator bool() const noexcept { return load_ != nullptr; }

  /// At once; its operations fail with errc::closed from now on. Twice is fine.
  void give_back() noexcept {
    connection_ = client();
    if (auto const load = std::exchange(load_, nullptr)) load->in_flight.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  std::shared_ptr<detail::pool_load> load_;
  client connection_;
};

}  // namespace comcp
#endif

// pool/options.hpp
#if !defined(COMCP_SINGLE_POOL_OPTIONS_HPP)
#define COMCP_SINGLE_POOL_OPTIONS_HPP
// What a pool may be told, and what it tells about itself. What a connection is told is its configuration's.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// pool/strategy.hpp
#if !defined(COMCP_SINGLE_POOL_STRATEGY_HPP)
#define COMCP_SINGLE_POOL_STRATEGY_HPP
// Which member of a pool takes the next call: the concept, and the three strategies that come with it.

#include <concepts>
#include <cstddef>
#include <random>
#include <span>
#include <utility>

namespace comcp {

/// What a strategy sees of a member that is ready.
struct pool_candidate {
  std::size_t id = 0;         ///< Of the member, for as long as it is in the pool. Never given to another.
  std::size_t in_flight = 0;  ///< Calls made through the pool, and leases.
};

/// Gives the index of the chosen candidate; there is at least one, and they come in the order of their ids. Called on
/// the pool's executor, one call at a time. Copyable: each pool has its own.
template <class S>
concept pool_strategy = std::copy_constructible<S> && requires(S s, std::span<pool_candidate const> ready) {
  { s.pick(ready) } -> std::convertible_to<std::size_t>;
};

namespace detail {

/// Who is next after the one that was chosen last: by ids, so that members may come and go in between.
class turn_of {
 public:
  /// `eligible(candidate)` holds for at least one of them.
  template <class Eligible>
  std::size_t next(std::span<pool_candidate const> ready, Eligible const& eligible) {
    std::size_t chosen = ready.size();
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (!eligible(ready[i])) continue;
      if (chosen == ready.size()) chosen = i;
      if (ready[i].id >= from_) {
        chosen = i;
        break;
      }
    }
    from_ = ready[chosen].id + 1;
    return chosen;
  }

 private:
  std::size_t from_ = 0;
};

}  // namespace detail

/// One after the other.
class round_robin {
 public:
  std::size_t pick(std::span<pool_candidate const> ready) {
    return turn_.next(ready, [](pool_candidate const&) { return true; });
  }

 private:
  detail::turn_of turn_;
};

/// Any, each as likely as the others. Give it an engine to have the choices repeat: random(std::minstd_rand(7)).
template <std::uniform_random_bit_generator Engine = std::minstd_rand>
class random {
 public:
  random() : engine_(std::random_device{}()) {}
  explicit random(Engine engine) : engine_(std::move(engine)) {}

  std::size_t pick(std::span<pool_candidate const> ready) {
    return std::uniform_int_distribution<std::size_t>(0, ready.size() - 1)(engine_);
  }

 private:
  Engine engine_;
};

/// The one with the fewest in flight; of several such, one after the other.
class least_busy {
 public:
  std::size_t pick(std::span<pool_candidate const> ready) {
    auto fewest = ready.front().in_flight;
    for (auto const& c : ready) fewest = c.in_flight < fewest ? c.in_flight : fewest;
    return turn_.next(ready, [fewest](pool_candidate const& c) { return c.in_flight == fewest; });
  }

 private:
  detail::turn_of turn_;
};

}  // namespace comcp
#endif

// sansio/server_life.hpp
#if !defined(COMCP_SINGLE_SANSIO_SERVER_LIFE_HPP)
#define COMCP_SINGLE_SANSIO_SERVER_LIFE_HPP
// The life of one server: when it is started, tried again, given up, and why. Whoever drives it starts and ends the
// connections, waits, and gives the time and the randomness.

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

namespace comcp {

/// Where a server stands.
enum class server_state : std::uint8_t {
  stopped,   ///< Not started yet, or stopped by hand.
  starting,  ///< A connection is being made.
  ready,
  backing_off,  ///< Waits before it is started again.
  failed,       ///< Given up: reconnect() begins anew.
};

std::string_view to_string(server_state s) noexcept;

/// A moment of a server's life.
struct server_event {
  server_event() = default;
  std::chrono::steady_clock::time_point at;  ///< As the time source tells it.
  server_state state = server_state::stopped;  ///< What it came to be.
  error reason;                                ///< Why: empty where all went well.
};

namespace sansio {

/// What the end of a call says about the connection.
enum class call_end : std::uint8_t {
  answered,     ///< The server said something, be it an error or unusable.
  no_verdict,   ///< It was cancelled, timed out (a tool may be slow: pings find a dead server), or never went out.
  undelivered,  ///< The transport failed.
};

/// Without a failure: answered.
call_end end_of_call(error const* failure) noexcept;

/// What to do next.
struct life_step {
  enum class action : std::uint8_t {
    none,
    start,      ///< Begin an attempt to connect.
    rest,       ///< It is stopped: the attempt was the only one.
    wait,       ///< Until `until`; then due() says so.
    give_up,    ///< It has failed.
    reconnect,  ///< End the connection because of `why`, wait until `until`, then due().
  };
  action what = action::none;
  std::chrono::steady_clock::time_point until{};
  error why;
};

/// One server. `random` is from 0 to 1. An event that means nothing in the present state changes nothing.
class server_life {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::size_t history_length = 32;

  explicit server_life(reconnect_policy const& policy) : policy_(policy), backoff_(policy) {}

  /// It is to run: for the first time, or again by hand, which forgets earlier failures. A connection that is ready
  /// stays. `once`: if the attempt fails, that is the end.
  [[nodiscard]] life_step start(time_point now, bool once = false);
  /// The same, but a connection that is ready is to be replaced.
  [[nodiscard]] life_step restart(time_point now);
  /// The attempt made a connection.
  void started(time_point now);
  /// The connection was lost, or the attempt failed.
  [[nodiscard]] life_step lost(time_point now, error why, double random);
  /// The time of a wait has come: an attempt begins. One that comes too early is told to wait on.
  [[nodiscard]] life_step due(time_point now);
  /// A call ended. reconnect_policy::circuit_breaker() undelivered ones in a row open the circuit: what comes after the
  /// wait is a trial, as it is after a loss.
  [[nodiscard]] life_step call_ended(time_point now, call_end how, error const& why, double random);
  /// It is not to run any more.
  void stop(time_point now, error why);

  [[nodiscard]] server_state state() const noexcept { return state_; }
  /// Why it is not ready, or was not when it was not last.
  [[nodiscard]] error const& reason() const noexcept { return reason_; }
  /// In a row: a connection counts as a success once it lived for reconnect_policy::proven_after().
  [[nodiscard]] unsigned failures() const noexcept { return backoff_.failures(); }
  [[nodiscard]] std::uint64_t starts() const noexcept { return starts_; }
  /// While it backs off.
  [[nodiscard]] std::optional<time_point> reconnects_at() const noexcept;
  /// The last 32 events, the oldest first.
  [[nodiscard]] std::deque<server_event> const& history() const noexcept { return history_; }

 private:
  life_step begin(time_point now, life_step::action how);
  void become(server_state s, time_point now, error why);
  life_step fail(time_point now, error why, double random, life_step::action otherwise);

  reconnect_policy policy_;
  backoff backoff_;
  server_state state_ = server_state::stopped;
  error reason_;
  bool once_ = false;
  unsigned undelivered_ = 0;
  std::uint64_t starts_ = 0;
  time_point ready_since_{}, until_{};
  std::deque<server_event> history_;
};

}  // namespace sansio
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// sansio/impl/server_life.ipp
#if !defined(COMCP_SINGLE_SANSIO_IMPL_SERVER_LIFE_IPP)
#define COMCP_SINGLE_SANSIO_IMPL_SERVER_LIFE_IPP
#include <string>
#include <utility>

namespace comcp {

COMCP_DECL std::string_view to_string(server_state s) noexcept {
  switch (s) {
    case server_state::stopped: return "stopped";
    case server_state::starting: return "starting";
    case server_state::ready: return "ready";
    case server_state::backing_off: return "backing off";
    case server_state::failed: return "failed";
  }
  return "?";
}

namespace sansio {

COMCP_DECL call_end end_of_call(error const* failure) noexcept {
  if (!failure || !*failure || failure->peer()) return call_end::answered;
  if (failure->code().category() != comcp_category()) return call_end::no_verdict;
  switch (static_cast<errc>(failure->code().value())) {
    case errc::timeout:
    case errc::cancelled:
    case errc::closed: return call_end::no_verdict;
    case errc::limit_exceeded:
    case errc::invalid_json:
    case errc::wrong_shape:
    case errc::validation_failed:
    case errc::protocol_violation:
      return failure->outcome() == call_outcome::not_sent ? call_end::no_verdict : call_end::answered;
    case errc::unauthorized:
    case errc::login_required:
    case errc::tool_failed: return call_end::answered;
    case errc::connect_failed:
    case errc::connect_timeout:
    case errc::tls_failed:
    case errc::proxy_failed: return call_end::undelivered;
    case errc::http_status: {
      auto const* const d = failure->detail();
      return d && d->http_status.value_or(0) >= 500 ? call_end::undelivered : call_end::answered;
    }
    default: return leaves_outcome_open(*failure) ? call_end::undelivered : call_end::no_verdict;
  }
}

COMCP_DECL void server_life::become(server_state s, time_point now, error why) {
  state_ = s;
  undelivered_ = 0;
  if (why) reason_ = why;
  if (history_.size() == history_length) history_.pop_front();
  auto& event = history_.emplace_back();
  event.at = now;
  event.state = s;
  event.reason = std::move(why);
}

COMCP_DECL life_step server_life::begin(time_point now, life_step::action how) {
  backoff_.proved();
  life_step step;
  step.what = how;
  step.until = now;
  step.why = error(errc::transport_failed, "the connection is begun anew");
  become(server_state::starting, now, how == life_step::action::reconnect ? step.why : error());
  return step;
}

COMCP_DECL life_step server_life::start(time_point now, bool once) {
  if (state_ == server_state::starting || state_ == server_state::ready) return {};
  once_ = once;
  return begin(now, life_step::action::start);
}

COMCP_DECL life_step server_life::restart(time_point now) {
  return state_ == server_state::ready ? begin(now, life_step::action::reconnect) : start(now);
}

COMCP_DECL void server_life::started(time_point now) {
  if (state_ != server_state::starting) return;
  once_ = false;
  ++starts_;
  ready_since_ = now;
  become(server_state::ready, now, {});
}

COMCP_DECL life_step server_life::lost(time_point now, error why, double random) {
  if (state_ != server_state::starting && state_ != server_state::ready) return {};
  if (std::exchange(once_, false)) {
    life_step step;
    step.what = life_step::action::rest;
    become(server_state::stopped, now, std::move(why));
    return step;
  }
  return fail(now, std::move(why), random, life_step::action::wait);
}

COMCP_DECL life_step server_life::fail(time_point now, error why, double random, life_step::action otherwise) {
  if (state_ == server_state::ready && now - ready_since_ >= policy_.proven_after()) backoff_.proved();
  std::optional<std::chrono::milliseconds> asked;
  if (auto const* const d = why.detail(); d && d->retry_after) asked = *d->retry_after;
  auto const wait = backoff_.failed(random, asked);
  life_step step;
  step.why = why;
  if (!wait) {
    step.what = life_step::action::give_up;
    become(server_state::failed, now, std::move(why));
    return step;
  }
  step.what = otherwise;
  step.until = until_ = now + *wait;
  become(server_state::backing_off, now, std::move(why));
  return step;
}

COMCP_DECL life_step server_life::due(time_point now) {
  life_step step;
  if (state_ != server_state::backing_off) return step;
  if (now < until_) {
    step.what = life_step::action::wait;
    step.until = until_;
    return step;
  }
  become(server_state::starting, now, {});
  step.what = life_step::action::start;
  return step;
}

COMCP_DECL life_step server_life::call_ended(time_point now, call_end how, error const& why, double random) {
  if (how == call_end::answered) undelivered_ = 0;
  if (state_ != server_state::ready || how != call_end::undelivered) return {};
  if (++undelivered_ != policy_.circuit_breaker()) return {};
  auto const calls = std::to_string(undelivered_) + " calls in a row failed, the last one: ";
  auto const opened = why.with_code(make_error_code(errc::transport_failed));
  return fail(now, opened.with_message(calls + why.to_string()), random, life_step::action::reconnect);
}

COMCP_DECL void server_life::stop(time_point now, error why) {
  if (state_ == server_state::stopped) return;
  once_ = false;
  become(server_state::stopped, now, std::move(why));
}

COMCP_DECL std::optional<server_life::time_point> server_life::reconnects_at() const noexcept {
  if (state_ != server_state::backing_off) return {};
  return until_;
}

}  // namespace sansio
}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

class pool_options {
 public:
  pool_options() {}

  /// How many connections are made with each configuration (default 1).
  pool_options& size(std::size_t n) { return size_ = n, *this; }
  /// Who takes the next call (default: round_robin()). An index that is none of a candidate's, or an exception, is
  /// errc::invalid_argument for the call that asked.
  template <class Strategy>
  pool_options& strategy(Strategy s) {
    static_assert(pool_strategy<Strategy>,
                  "comcp: this type is no pool strategy: it needs pick(std::span<pool_candidate const>) that gives an "
                  "index, and to be copyable, as comcp/pool/strategy.hpp says");
    pick_ = [own = std::move(s)](std::span<pool_candidate const> ready) mutable {
      return static_cast<std::size_t>(own.pick(ready));
    };
    return *this;
  }
  /// A span for each call, from before a member is waited for; the client's own is below it (comcp/trace/span.hpp).
  pool_options& spans(span_hook hook) { return spans_ = std::move(hook), *this; }
  /// Default: steady_time().
  pool_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] auto const& strategy() const noexcept { return pick_; }
  [[nodiscard]] auto const& time() const noexcept { return time_; }
  [[nodiscard]] span_hook const& spans() const noexcept { return spans_; }

 private:
  std::size_t size_ = 1;
  std::function<std::size_t(std::span<pool_candidate const>)> pick_ = [own = round_robin()](auto ready) mutable {
    return own.pick(ready);
  };
  std::shared_ptr<time_source> time_;
  span_hook spans_;
};

/// A pool as it was at one moment.
struct pool_statistics {
  struct member {
    std::string name;
    server_state state = server_state::stopped;
    std::size_t in_flight = 0;        ///< Calls made through the pool, and leases.
    std::uint64_t starts = 0;         ///< Connections that became ready.
    std::optional<statistics> calls;  ///< Its client's, while it is ready. A member that failed has a new client later.
  };
  std::size_t total = 0, ready = 0, busy = 0;  ///< busy: ready members with something in flight.
  std::size_t waiting = 0;                     ///< Calls and checkouts that wait for a member.
  std::vector<member> members;                 ///< In the order in which they were added.
};

}  // namespace comcp
#endif

// server/live_server.hpp
#if !defined(COMCP_SINGLE_SERVER_LIVE_SERVER_HPP)
#define COMCP_SINGLE_SERVER_LIVE_SERVER_HPP
// One server that is kept alive: started, watched, started again. What a registry's entry and a pool's member are;
// what is known of the server, and which call goes where, is theirs. Internal but for server_status.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

// server/connection.hpp
#if !defined(COMCP_SINGLE_SERVER_CONNECTION_HPP)
#define COMCP_SINGLE_SERVER_CONNECTION_HPP
// The connection of a live_server: attempts until there is a client, which restores its connection from then on, and the
// end of all that. Whether there is to be one is the server's life to say. On home only. Internal.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include <asio/awaitable.hpp>

namespace comcp::detail {

class live_server;

class server_connection {
 public:
  explicit server_connection(live_server& s) noexcept : server_(s) {}
  ~server_connection() {
    if (core_) let_go_(*core_);
  }
  server_connection(server_connection const&) = delete;
  server_connection& operator=(server_connection const&) = delete;

  /// In the client that is there, if it can, once `wait` is over; else by attempts.
  COMCP_LAZY void begin_anew(error why, std::chrono::nanoseconds wait);
  /// Attempts begin, or go on after a pause that is cut short.
  COMCP_LAZY void attempt();
  /// What it gives back opens when the connection and the attempts are gone; null where there is nothing to wait for.
  COMCP_LAZY std::shared_ptr<gate> end();
  COMCP_LAZY void abandon() noexcept;
  COMCP_LAZY void context_gone() noexcept;
  /// From any thread: what abandon() does to a process of the server, at once and though home may never run again.
  void cut() noexcept { cut_.pull(); }

  [[nodiscard]] bool is_idle() const noexcept { return !core_ && !attempts_; }
  /// Of the connection, or one that restores it.
  [[nodiscard]] std::shared_ptr<client_core> const& core() const noexcept { return core_; }

 private:
  struct attempts;

  COMCP_LAZY [[nodiscard]] any_transport make_transport();
  COMCP_LAZY [[nodiscard]] connect_options options();
  COMCP_LAZY asio::awaitable<void> run(std::shared_ptr<attempts> a);
  COMCP_LAZY asio::awaitable<void> try_until_ready(std::shared_ptr<attempts> a);
  COMCP_LAZY asio::awaitable<void> pause(std::shared_ptr<attempts> a);
  COMCP_LAZY void adopt(std::shared_ptr<client_core> core);
  COMCP_LAZY std::shared_ptr<client_core> take_core();
  COMCP_LAZY void status_changed(connection_status s);
  COMCP_LAZY asio::awaitable<void> wind_up(std::shared_ptr<client_core> core, std::shared_ptr<attempts> a,
                                           std::shared_ptr<gate> before, std::shared_ptr<gate> over);

  live_server& server_;
  std::shared_ptr<client_core> core_;
  void (*let_go_)(client_core&) = nullptr;  // set with the core: who has none compiles none
  kill_switch cut_;                      // of its transport, also while one is being made
  std::shared_ptr<attempts> attempts_;   // to make one, under way
  std::optional<log_level> level_;       // of the last connection
  std::shared_ptr<gate> winding_up_;     // opens when what was ended before is gone
  std::weak_ptr<client_core> leaving_;   // of that
  std::uint64_t epoch_ = 0;  // what an earlier one started has no say any more
};

}  // namespace comcp::detail
#endif

namespace comcp {

/// A server as it was at one moment.
struct server_status {
  server_status() = default;
  std::string name;
  server_state state = server_state::stopped;
  error reason;                        ///< The last failure, while the server is not ready.
  unsigned failures = 0;               ///< In a row.
  std::uint64_t starts = 0;            ///< Connections that became ready.
  std::optional<std::chrono::steady_clock::time_point> reconnects_at;  ///< While backing off.
  std::vector<server_event> history;   ///< The last 32 events, the oldest first.
  implementation server_info;          ///< Of the last connection, and so are the next two.
  std::optional<protocol_version> version;
  comcp::transport_info transport;     ///< Without the session's id.
};

namespace detail {

/// What its owner hears of, on the owner's home, never from inside a call to live_server.
class live_server_owner {
 public:
  virtual void state_changed(std::string const& name) = 0;
  /// It is ready: for the first time or again, the connection's subscriptions and log level restored.
  virtual void became_ready(std::string const& name) = 0;
  /// It will not be tried again: under reconnect_policy::never() it is to be removed.
  virtual void gave_up(std::string const& name) = 0;

 protected:
  ~live_server_owner() = default;
};

/// Where the owner of a server that lives elsewhere is told, as long as its context is there. From any thread.
class owner_home {
 public:
  explicit owner_home(asio::any_io_executor home) : home_(std::move(home)) {}

  template <class F>
  void post(F work) {
    std::lock_guard const lock(mutex_);
    detail::post(home_, std::move(work));
  }
  [[nodiscard]] bool is(asio::any_io_executor const& other) {
    std::lock_guard const lock(mutex_);
    return home_ == other;
  }
  void gone() noexcept {
    std::lock_guard const lock(mutex_);
    home_ = {};
  }

 private:
  std::mutex mutex_;
  asio::any_io_executor home_;
};

/// An owner that is a T with these functions: what of it is virtual is said here, so that a T is compiled by who makes
/// one.
template <class T>
class live_server_owner_of : public live_server_owner {
  void state_changed(std::string const& name) override { static_cast<T&>(*this).member_changed(name); }
  void became_ready(std::string const& name) override { static_cast<T&>(*this).member_ready(name); }
  void gave_up(std::string const& name) override { static_cast<T&>(*this).member_gave_up(name); }
};

/// Everything but status(), look(), connection(), start_in_background(), call_ended(), abandon() and cut() is to be
/// called on home, which runs one handler at a time.
///
/// A connection that is lost is restored by its client, so that handles, subscriptions and log level outlive it. A
/// server that has failed or was stopped has a new client afterwards, which takes over the log level; subscriptions of
/// the old one have ended.
class live_server final : private tenant_of<live_server>, public std::enable_shared_from_this<live_server> {
 public:
  using step = sansio::life_step;

  /// `owner` may go away before. Destroying it is as abandon(). Without `told_at` the owner has the same home.
  COMCP_LAZY live_server(std::string name, server_config config, asio::any_io_executor home,
                         std::shared_ptr<time_source> time, std::weak_ptr<live_server_owner> owner,
                         std::shared_ptr<owner_home> told_at = nullptr);

  /// One attempt; throws what it failed with, and is stopped then. So it is when the wait is cancelled.
  COMCP_LAZY asio::awaitable<void> start();
  /// Attempts as the policy says.
  COMCP_LAZY void start_in_background();
  /// How a call ended, for the circuit: null, or its error.
  COMCP_LAZY void call_ended(error const* failure);
  /// Ends the connection and begins a new one now. Completes when that is ready; throws what the attempt failed with,
  /// after which the policy goes on. Cancelling it stops only the waiting.
  COMCP_LAZY asio::awaitable<void> restart();
  /// Graceful and bounded by the client's close timeout, until it is started or restarted. Cancelling it stops only
  /// the waiting.
  COMCP_LAZY asio::awaitable<void> stop();
  /// Abrupt, for destructors.
  COMCP_LAZY void abandon() noexcept {
    at_home([self = shared_from_this()] { self->abrupt(); });
    cut();  // home may never run again
  }
  void cut() noexcept { connection_.cut(); }

  COMCP_LAZY [[nodiscard]] server_status status() const { return *look(); }
  COMCP_LAZY [[nodiscard]] std::shared_ptr<server_status const> look() const;
  /// The connection if it is ready; it does not own it.
  COMCP_LAZY [[nodiscard]] std::optional<client> connection() const;
  [[nodiscard]] sansio::server_life const& life() const noexcept { return life_; }
  [[nodiscard]] server_config const& config() const noexcept { return config_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }

  // From its connection.
  COMCP_LAZY void became_ready();
  COMCP_LAZY step lost(error why);
  /// After a pause; or in the client that restores its connection, or that a user told to.
  COMCP_LAZY void attempt_begins();

 private:
  struct outcome;
  struct snapshot {
    snapshot() = default;
    server_status status;
    std::shared_ptr<client_core> core;  // while it is ready
  };

  COMCP_LAZY void carry_out(step const& next);
  /// Waits for what comes of the attempt that is made.
  COMCP_LAZY asio::awaitable<void> attempted();
  COMCP_LAZY void release(error const& why);
  COMCP_LAZY void changed();
  COMCP_LAZY void publish();
  COMCP_LAZY std::shared_ptr<gate> end_all(error const& why);
  COMCP_LAZY void abrupt() noexcept;
  friend tenant_of<live_server>;
  COMCP_LAZY void lose_context() noexcept;

  std::string const name_;
  server_config const config_;
  std::shared_ptr<time_source> time_;
  std::weak_ptr<live_server_owner> owner_;
  std::shared_ptr<owner_home> told_at_;  // where that is elsewhere
  std::atomic<bool> doubtful_ = false;   // calls in a row have failed
  sansio::server_life life_;
  server_connection connection_;
  chance chance_;
  std::shared_ptr<outcome> awaited_;  // of the attempt that is made, where somebody waits for it

  std::mutex mutable mutex_;
  std::shared_ptr<snapshot const> published_;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// server/impl/connection.ipp
#if !defined(COMCP_SINGLE_SERVER_IMPL_CONNECTION_IPP)
#define COMCP_SINGLE_SERVER_IMPL_CONNECTION_IPP
#include <functional>
#include <utility>

#include <asio/cancellation_signal.hpp>

namespace comcp::detail {

// Attempts to make a client, one after the other, in a coroutine of their own.
struct server_connection::attempts {
  attempts(std::shared_ptr<live_server> s, std::uint64_t n) : server(std::move(s)), over(server->home()), epoch(n) {}
  std::shared_ptr<live_server> server;  // lives as long as they do
  asio::cancellation_signal signal;
  gate over;
  std::shared_ptr<gate> wake;  // while it pauses
  std::uint64_t epoch;
};

COMCP_LAZY_DECL void server_connection::begin_anew(error why, std::chrono::nanoseconds wait) {
  if (core_) {
    if (!core_->recovery.restarts(nullptr).begin_anew(std::move(why), wait)) return;
    (void)end();
  }
  attempt();
}

COMCP_LAZY_DECL void server_connection::attempt() {
  if (attempts_) {
    if (attempts_->wake) attempts_->wake->open();
    return;
  }
  attempts_ = std::make_shared<attempts>(server_.shared_from_this(), epoch_);
  auto start = [this, a = attempts_] { spawn(server_.home(), run(a), a->signal.slot(), a); };
  post(server_.home(), std::move(start));
}

COMCP_LAZY_DECL asio::awaitable<void> server_connection::run(std::shared_ptr<attempts> a) {
  try {
    if (auto const before = winding_up_) co_await before->wait();
    co_await try_until_ready(a);
  } catch (...) {
    // Cancelled by wind_up().
  }
  if (attempts_ == a) attempts_.reset();
  a->over.open();
}

COMCP_LAZY_DECL asio::awaitable<void> server_connection::try_until_ready(std::shared_ptr<attempts> a) {
  auto const& life = server_.life();
  while (epoch_ == a->epoch) {
    while (life.state() == server_state::backing_off) {
      co_await pause(a);
      if (epoch_ != a->epoch) co_return;
      if (auto const at = life.reconnects_at(); at && server_.time()->now() >= *at) server_.attempt_begins();
    }
    if (life.state() != server_state::starting) co_return;
    std::shared_ptr<client_core> made;
    error failure;
    try {
      auto connecting = client_core::connect(make_transport(), server_.config().handler(), options());
      made = co_await std::move(connecting);
    } catch (...) {
      failure = current_error();
    }
    if (epoch_ != a->epoch) {
      if (made) made->abandon();
      co_return;
    }
    if (made && !made->end_reason()) co_return adopt(std::move(made));
    (void)server_.lost(made ? *made->end_reason() : std::move(failure));
  }
}

COMCP_LAZY_DECL asio::awaitable<void> server_connection::pause(std::shared_ptr<attempts> a) {
  auto const wake = std::make_shared<gate>(server_.home());
  a->wake = wake;
  auto const alarm = server_.time()->make_deadline(server_.home());
  std::function<void()> ring = [wake] { wake->open(); };
  if (auto const until = server_.life().reconnects_at()) alarm->arm(*until, std::move(ring));
  co_await wake->wait();
  a->wake.reset();
}

COMCP_LAZY_DECL any_transport server_connection::make_transport() {
  auto made = server_.config().make_transport();
  cut_.connect(made.cutter());
  return made;
}

COMCP_LAZY_DECL connect_options server_connection::options() {
  auto const& config = server_.config();
  auto o = config.options();
  auto const weak = server_.weak_from_this();
  reconnect_hook ask = [this, weak, epoch = epoch_](error const& why) -> std::optional<std::chrono::nanoseconds> {
    auto const hold = weak.lock();
    if (!hold || epoch_ != epoch) return {};
    auto const next = server_.lost(why);
    if (next.what != sansio::life_step::action::wait) return {};
    return next.until - server_.time()->now();
  };
  o.reconnect(std::move(ask)).executor(server_.home()).connect_timeout(config.start_timeout());
  if (!o.time()) o.time(server_.time());
  if (level_) o.log_level(*level_);
  return o;
}

COMCP_LAZY_DECL void server_connection::adopt(std::shared_ptr<client_core> core) {
  core_ = std::move(core);
  let_go_ = [](client_core& c) {
    if (!c.end_reason()) c.abandon();
  };
  auto const weak = server_.weak_from_this();
  core_->connection.listeners()->add([this, weak, epoch = epoch_](connection_status s) {
    if (auto const hold = weak.lock(); hold && epoch_ == epoch) status_changed(s);
  });
  core_->recovery.restarts(nullptr).on_attempt([this, weak, epoch = epoch_] {
    if (auto const hold = weak.lock(); hold && epoch_ == epoch) server_.attempt_begins();
  });
  status_changed(connection_status::ready);
}

COMCP_LAZY_DECL void server_connection::status_changed(connection_status s) {
  if (!core_) return;
  if (s == connection_status::ready) server_.became_ready();
  if (s != connection_status::disconnected) return;
  // It has ended: the hook gave up, a user closed it, or its transport did not close in time.
  (void)server_.lost(take_core()->end_reason().value_or(error(errc::closed)));
  if (server_.life().state() == server_state::backing_off) attempt();
}

COMCP_LAZY_DECL std::shared_ptr<client_core> server_connection::take_core() {
  if (core_) level_ = core_->settings.log_level;
  return std::exchange(core_, nullptr);
}

COMCP_LAZY_DECL std::shared_ptr<gate> server_connection::end() {
  ++epoch_;
  auto core = take_core();
  auto a = std::exchange(attempts_, nullptr);
  if (!core && !a) return winding_up_;
  auto over = std::make_shared<gate>(server_.home());
  auto begin = [this, hold = server_.shared_from_this(), core, a, before = winding_up_, over] {
    spawn(server_.home(), wind_up(core, a, before, over), asio::cancellation_slot(), hold);
  };
  leaving_ = core;
  winding_up_ = over;
  post(server_.home(), std::move(begin));
  return over;
}

COMCP_LAZY_DECL asio::awaitable<void> server_connection::wind_up(std::shared_ptr<client_core> core,
                                                                 std::shared_ptr<attempts> a,
                                                                 std::shared_ptr<gate> before,
                                                                 std::shared_ptr<gate> over) {
  if (a) a->signal.emit(asio::cancellation_type::terminal);
  if (core) co_await core->close();
  if (a) co_await a->over.wait();
  if (before) co_await before->wait();
  if (winding_up_ == over) winding_up_.reset();
  over->open();
}

COMCP_LAZY_DECL void server_connection::abandon() noexcept {
  for (auto const& core : {std::exchange(core_, nullptr), leaving_.lock()}) {
    if (core) core->abandon();
  }
  (void)end();
}

COMCP_LAZY_DECL void server_connection::context_gone() noexcept {
  ++epoch_;
  core_.reset();
  attempts_.reset();
  winding_up_.reset();
}

}  // namespace comcp::detail
#endif

// server/impl/live_server.ipp
#if !defined(COMCP_SINGLE_SERVER_IMPL_LIVE_SERVER_IPP)
#define COMCP_SINGLE_SERVER_IMPL_LIVE_SERVER_IPP
// Drives sansio/server_life, and tells of it.

#include <utility>

namespace comcp::detail {

// What comes of one attempt.
struct live_server::outcome {
  explicit outcome(asio::any_io_executor const& home) : over(home) {}
  gate over;
  error why;  // empty when it is ready
};

namespace server_detail {

// On its home, or on that of the owner where it is another.
inline void tell(asio::any_io_executor const& home, std::shared_ptr<owner_home> const& told_at,
                 std::weak_ptr<live_server_owner> const& owner, std::string const& name,
                 void (live_server_owner::*what)(std::string const&)) {
  if (owner.expired()) return;
  auto call = [owner, name, what] {
    if (auto const alive = owner.lock()) ((*alive).*what)(name);
  };
  if (told_at) told_at->post(std::move(call));
  else post(home, std::move(call));
}

}  // namespace server_detail

COMCP_LAZY_DECL live_server::live_server(std::string name, server_config config, asio::any_io_executor home,
                                         std::shared_ptr<time_source> time, std::weak_ptr<live_server_owner> owner,
                                         std::shared_ptr<owner_home> told_at)
    : tenant_of(std::move(home)),
      name_(std::move(name)),
      config_(std::move(config)),
      time_(std::move(time)),
      owner_(std::move(owner)),
      life_(config_.reconnect()),
      connection_(*this) {
  if (told_at && !told_at->is(home_)) told_at_ = std::move(told_at);
  publish();
}

COMCP_LAZY_DECL asio::awaitable<void> live_server::start() {
  auto const self = shared_from_this();
  auto const next = life_.start(time_->now(), connection_.is_idle());
  bool const first = next.what == step::action::start;
  carry_out(next);
  auto wait = attempted();
  try {
    co_await std::move(wait);
  } catch (std::system_error const&) {
    bool const gone = current_error() == errc::cancelled && life_.state() == server_state::starting;
    if (first && gone) (void)end_all(error(errc::cancelled));
    throw;
  }
}

COMCP_LAZY_DECL void live_server::start_in_background() {
  auto begin = [this] { carry_out(life_.start(time_->now())); };
  if (!told_at_) return begin();
  post(home_, [self = shared_from_this(), begin] { begin(); });
}

COMCP_LAZY_DECL asio::awaitable<void> live_server::restart() {
  auto const self = shared_from_this();
  carry_out(life_.restart(time_->now()));
  co_await attempted();
}

COMCP_LAZY_DECL asio::awaitable<void> live_server::attempted() {
  auto const state = life_.state();
  if (state == server_state::ready) co_return;
  if (state != server_state::starting) throw exception(life_.reason());
  if (!awaited_) awaited_ = std::make_shared<outcome>(home_);
  auto const mine = awaited_;
  co_await mine->over.wait();
  if (mine->why) throw exception(mine->why);
}

COMCP_LAZY_DECL void live_server::release(error const& why) {
  auto const done = std::exchange(awaited_, nullptr);
  if (!done) return;
  done->why = why;
  done->over.open();
}

COMCP_LAZY_DECL void live_server::became_ready() {
  if (life_.state() != server_state::starting) return;
  life_.started(time_->now());
  release({});
  changed();
  server_detail::tell(home_, told_at_, owner_, name_, &live_server_owner::became_ready);
}

COMCP_LAZY_DECL live_server::step live_server::lost(error why) {
  auto next = life_.lost(time_->now(), why, chance_());
  if (next.what == step::action::none) return next;
  release(why);
  changed();
  if (next.what == step::action::give_up) server_detail::tell(home_, told_at_, owner_, name_, &live_server_owner::gave_up);
  return next;
}

COMCP_LAZY_DECL void live_server::attempt_begins() {
  if (life_.state() == server_state::starting) return;
  if (life_.due(time_->now()).what != step::action::start) (void)life_.restart(time_->now());
  changed();
}

COMCP_LAZY_DECL void live_server::call_ended(error const* failure) {
  using end = sansio::call_end;
  auto const how = sansio::end_of_call(failure);
  if (how == end::no_verdict || (how == end::answered && !doubtful_)) return;
  doubtful_ = true;
  auto judge = [this, how, why = failure ? *failure : error()] {
    doubtful_ = how == end::undelivered;
    carry_out(life_.call_ended(time_->now(), how, why, chance_()));
  };
  if (!told_at_) return judge();
  post(home_, [self = shared_from_this(), judge = std::move(judge)] { judge(); });
}

COMCP_LAZY_DECL void live_server::carry_out(step const& next) {
  if (next.what == step::action::none) return;
  changed();
  if (next.what != step::action::give_up) return connection_.begin_anew(next.why, next.until - time_->now());
  (void)connection_.end();
  release(next.why);
  server_detail::tell(home_, told_at_, owner_, name_, &live_server_owner::gave_up);
}

COMCP_LAZY_DECL asio::awaitable<void> live_server::stop() {
  auto const self = shared_from_this();
  auto const over = end_all(error(errc::closed, "the server " + name_ + " was stopped"));
  if (over) co_await over->wait();
}

COMCP_LAZY_DECL std::shared_ptr<gate> live_server::end_all(error const& why) {
  if (life_.state() != server_state::stopped) {
    life_.stop(time_->now(), why);
    changed();
  }
  auto over = connection_.end();
  release(why);
  return over;
}

COMCP_LAZY_DECL void live_server::lose_context() noexcept {
  life_.stop(time_->now(), error(errc::closed, "the execution context is gone"));
  connection_.context_gone();
  awaited_.reset();
  publish();
  if (told_at_) server_detail::tell(home_, told_at_, owner_, name_, &live_server_owner::state_changed);
}

COMCP_LAZY_DECL void live_server::abrupt() noexcept {
  error const why(errc::closed, "the owner of the server " + name_ + " was destroyed");
  life_.stop(time_->now(), why);
  connection_.abandon();
  release(why);
  publish();
}

COMCP_LAZY_DECL void live_server::changed() {
  publish();
  server_detail::tell(home_, told_at_, owner_, name_, &live_server_owner::state_changed);
}

COMCP_LAZY_DECL void live_server::publish() {
  auto next = std::make_shared<snapshot>();
  auto& s = next->status;
  if (published_) s = published_->status;
  bool const is_ready = life_.state() == server_state::ready;
  s.name = name_;
  s.state = life_.state();
  s.reason = is_ready ? error() : life_.reason();
  s.failures = life_.failures();
  s.starts = life_.starts();
  s.reconnects_at = life_.reconnects_at();
  s.history.assign(life_.history().begin(), life_.history().end());
  auto const& core = connection_.core();
  if (core) {
    s.transport = core->connection.channel().info();
    s.transport.session_id.clear();
  }
  if (core && is_ready) {
    s.server_info = core->facts.info;
    s.version = core->facts.version();
    next->core = core;
  }
  std::shared_ptr<snapshot const> const fresh = std::move(next);
  std::shared_ptr<snapshot const> replaced = fresh;
  std::lock_guard const lock(mutex_);
  published_.swap(replaced);
}

COMCP_LAZY_DECL std::shared_ptr<server_status const> live_server::look() const {
  std::lock_guard const lock(mutex_);
  return {published_, &published_->status};
}

COMCP_LAZY_DECL std::optional<client> live_server::connection() const {
  std::lock_guard const lock(mutex_);
  if (!published_->core) return {};
  return client(published_->core->facade(), false);
}

}  // namespace comcp::detail
#endif
#endif
#endif

namespace comcp::detail {

struct pool_member {
  pool_member(std::size_t n, server_state first) : id(n), load(std::make_shared<pool_load>(std::to_string(n))), state(first) {}

  std::size_t const id;
  std::shared_ptr<pool_load> const load;
  std::shared_ptr<live_server> live;
  std::atomic<server_state> state;  // as the pool sees it: ready once it was found to belong here
  error refused;                    // why it does not; under the mutex
  std::optional<log_level> told;    // by the pool, over whichever connection
};

/// A member that was chosen for one call.
class pool_turn {
 public:
  pool_turn(lease l, std::shared_ptr<live_server> live) noexcept : lease_(std::move(l)), live_(std::move(live)) {}
  [[nodiscard]] client const& connection() const noexcept { return *lease_; }
  [[nodiscard]] lease take_lease() && noexcept { return std::move(lease_); }
  COMCP_LAZY void ended() const { live_->call_ended(nullptr); }
  COMCP_LAZY void ended(error const& failure) const { live_->call_ended(&failure); }

 private:
  lease lease_;
  std::shared_ptr<live_server> live_;
};

/// Counts one that waits, as long as it is there.
class pool_waiter {
 public:
  explicit pool_waiter(std::atomic<std::size_t>& all) noexcept : all_(all) { all_.fetch_add(1, std::memory_order_relaxed); }
  pool_waiter(pool_waiter const&) = delete;
  pool_waiter& operator=(pool_waiter const&) = delete;
  ~pool_waiter() { all_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t>& all_;
};

class pool_members {
 public:
  using member = std::shared_ptr<pool_member>;

  explicit pool_members(pool_options const& options) : pick_(options.strategy()) {}

  // On home.
  [[nodiscard]] std::vector<member> const& all() const noexcept { return all_; }
  COMCP_LAZY [[nodiscard]] member find(std::string_view name) const;
  COMCP_LAZY void add(member m);
  COMCP_LAZY bool remove(member const& m);  ///< False where another did it before.
  COMCP_LAZY std::vector<member> remove_all();
  COMCP_LAZY void refuse(pool_member& m, error why);
  /// None where none is ready. Throws where the strategy fails.
  COMCP_LAZY [[nodiscard]] std::optional<pool_turn> pick();
  /// Whether one may become ready by itself.
  COMCP_LAZY [[nodiscard]] bool is_hopeful() const noexcept;
  /// Why there is nobody.
  COMCP_LAZY [[nodiscard]] error nobody() const;

  [[nodiscard]] pool_waiter one_waits() noexcept { return pool_waiter(waiting_); }

  // From any thread.
  COMCP_LAZY [[nodiscard]] std::vector<server_status> status() const;
  COMCP_LAZY [[nodiscard]] pool_statistics statistics() const;
  COMCP_LAZY void cut() noexcept;

 private:
  COMCP_LAZY [[nodiscard]] std::size_t choose();

  std::function<std::size_t(std::span<pool_candidate const>)> pick_;
  std::vector<pool_candidate> candidates_;  // while one is chosen, and who they are
  std::vector<pool_member*> ready_;
  mutable std::mutex mutex_;
  std::vector<member> all_;  // by id
  std::atomic<std::size_t> waiting_{0};
};

}  // namespace comcp::detail
#endif

// server/bell.hpp
#if !defined(COMCP_SINGLE_SERVER_BELL_HPP)
#define COMCP_SINGLE_SERVER_BELL_HPP
// Waiting for something to change that changes again and again, on one executor. Internal.

#include <memory>
#include <stop_token>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp::detail {

/// Something happened: whoever waits goes on, and looks whether it was what he waits for. It outlives the waits.
class bell {
 public:
  using time_point = time_source::time_point;

  COMCP_LAZY void ring() noexcept;
  /// Until it rings, `until` comes or a stop is requested.
  COMCP_LAZY asio::awaitable<void> wait(std::shared_ptr<time_source> time, time_point until = time_point::max(),
                                        std::stop_token stop = std::stop_token());

 private:
  std::vector<std::weak_ptr<gate>> waiting_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// server/impl/bell.ipp
#if !defined(COMCP_SINGLE_SERVER_IMPL_BELL_IPP)
#define COMCP_SINGLE_SERVER_IMPL_BELL_IPP
#include <functional>
#include <utility>

#include <asio/this_coro.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL void bell::ring() noexcept {
  for (auto const& w : std::exchange(waiting_, {})) {
    if (auto const g = w.lock()) g->open();
  }
}

COMCP_LAZY_DECL asio::awaitable<void> bell::wait(std::shared_ptr<time_source> time, time_point until,
                                                 std::stop_token stop) {
  auto const home = co_await asio::this_coro::executor;
  auto const g = std::make_shared<gate>(home);
  std::erase_if(waiting_, [](auto const& w) { return w.expired(); });
  waiting_.push_back(g);
  std::unique_ptr<deadline> alarm;
  std::function<void()> open = [g] { g->open(); };
  if (until != time_point::max()) {
    alarm = time->make_deadline(home);
    alarm->arm(until, open);
  }
  std::function<void()> stopped = [weak = std::weak_ptr(g), home] {
    if (auto alive = weak.lock()) post(home, [alive = std::move(alive)] { alive->open(); });
  };
  std::stop_callback<std::function<void()>> const on_stop(std::move(stop), std::move(stopped));
  co_await g->wait();
}

}  // namespace comcp::detail
#endif
#endif
#endif

namespace comcp::detail {

class pool_core final : public live_server_owner_of<pool_core>,
                        private tenant_of<pool_core>,
                        public std::enable_shared_from_this<pool_core> {
 public:
  COMCP_LAZY pool_core(asio::any_io_executor home, pool_options const& options);
  pool_core(pool_core const&) = delete;
  pool_core& operator=(pool_core const&) = delete;

  /// Once, right after it was made: so many connections with each.
  COMCP_LAZY void begin(std::vector<server_config> const& configs, std::size_t size);

  // On home.
  COMCP_LAZY asio::awaitable<pool_turn> take(std::chrono::nanoseconds timeout,
                                             std::stop_token stop = std::stop_token());
  /// Of a call, which carries it from here on; none without a hook.
  COMCP_LAZY [[nodiscard]] open_span begin_span(call_options& options) const;
  /// Waits within the options' timeout, and takes what was waited off it.
  COMCP_LAZY asio::awaitable<pool_turn> take_for_call(call_options& options);
  COMCP_LAZY asio::awaitable<std::string> add(server_config config);
  COMCP_LAZY asio::awaitable<void> remove(std::string name);
  COMCP_LAZY asio::awaitable<void> warm_up();
  COMCP_LAZY asio::awaitable<void> set_log_level(log_level level, call_options options);
  COMCP_LAZY asio::awaitable<void> close();

  // From any thread.
  COMCP_LAZY void abandon() noexcept;
  [[nodiscard]] pool_members const& members() const noexcept { return members_; }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }

  // live_server_owner
  COMCP_LAZY void member_changed(std::string const& name);
  COMCP_LAZY void member_ready(std::string const& name);
  COMCP_LAZY void member_gave_up(std::string const& name);

 private:
  using member = pool_members::member;
  struct ending;

  COMCP_LAZY member enter(server_config config, server_state first);
  COMCP_LAZY bool take_out(member const& m);
  COMCP_LAZY void launch(pool_member& m);
  COMCP_LAZY bool admit(member const& m);
  COMCP_LAZY void tell_level(pool_member& m, client const& c);
  COMCP_LAZY void set_state(pool_member& m, server_state s);
  COMCP_LAZY void require_open() const;
  COMCP_LAZY [[nodiscard]] std::shared_ptr<ending> stop(std::vector<member> const& members);
  COMCP_LAZY void abrupt() noexcept;
  friend tenant_of<pool_core>;
  COMCP_LAZY void lose_context() noexcept;

  std::shared_ptr<time_source> time_;
  span_hook const spans_;
  std::chrono::nanoseconds timeout_{0};  // of calls that say none: the longest of the members'
  pool_members members_;
  std::size_t last_id_ = 0;
  bell rung_;                            // something about the members changed
  std::optional<std::string> identity_;  // of all sessions; known from the first
  std::optional<log_level> level_;
  std::shared_ptr<ending> ending_;
  bool closed_ = false;
};

COMCP_LAZY asio::awaitable<lease> check_out(std::shared_ptr<pool_core> core, std::chrono::nanoseconds timeout);

}  // namespace comcp::detail
#endif

namespace comcp {
namespace detail {

template <class T>
using pool_operation = std::function<asio::awaitable<T>(client const&, call_options)>;

template <class T>
asio::awaitable<T> call_on_one(std::shared_ptr<pool_core> core, call_options options, pool_operation<T> operation) {
  auto span = core->begin_span(options);
  std::optional<pool_turn> turn;
  try {
    auto taking = core->take_for_call(options);
    auto taken = co_await std::move(taking);
    turn.emplace(std::move(taken));
    auto call = operation(turn->connection(), std::move(options));
    if constexpr (std::is_void_v<T>) {
      co_await std::move(call);
      turn->ended();
      span.end();
    } else {
      auto value = co_await std::move(call);
      turn->ended();
      span.end();
      co_return value;
    }
  } catch (...) {
    auto const why = current_error();
    span.fail(why);
    if (turn) turn->ended(why);
    throw;
  }
}

template <class Fn>
std::invoke_result_t<Fn&, client const&> with_lease(std::shared_ptr<pool_core> core, Fn fn,
                                                    std::chrono::nanoseconds timeout) {
  auto taking = on_home(core, check_out(core, timeout));
  auto const connection = co_await std::move(taking);
  auto work = fn(*connection);
  co_return co_await std::move(work);
}

}  // namespace detail

/// Several connections: the members. Each call goes to one that is ready, as the strategy decides; if none is, it waits
/// for one within its own timeout (call_options, else the longest of the members' connect_options), and fails with
/// errc::no_connections then, or at once if no member is starting or backing off. It is sent once: a call whose
/// connection breaks ends as a client's does, and the others go on. What fails is told to the member's circuit breaker.
///
/// Members are started when the pool is made; those whose configuration is lazy() at the first use. One that is lost is
/// started anew as its configuration's reconnect_policy says; one that has failed for good is tried again by warm_up(), and
/// under reconnect_policy::never() it is removed. All sessions have one identity (transport_info().identity): a member
/// with other credentials than the first one that became ready is refused. That covers authenticators, and no headers,
/// arguments or environment variables that were set by hand; share one comcp::bearer among the configurations.
///
/// What belongs to one connection is not here: subscriptions, listen streams, watches and pages are asked of a lease.
///
/// Move-only; one that was moved from may only be assigned to or destroyed. Destroying it is abrupt, and is to be done
/// on its executor, or while nothing runs. Operations may be awaited on any executor, where they resume, and throw as
/// the client's do, with errc::closed after close(); connections(), stats() and get_executor() are safe from any
/// thread.
class pool {
 public:
  /// pool_options().size() connections with copies of one configuration. A thread_pool's executor is wrapped in a strand;
  /// give another multi-threaded one as a strand.
  COMCP_LAZY pool(asio::any_io_executor home, server_config config, pool_options options = pool_options());
  /// As many with each of these.
  COMCP_LAZY pool(asio::any_io_executor home, std::vector<server_config> configs,
                  pool_options options = pool_options());
  pool(pool&&) noexcept = default;
  pool& operator=(pool&&) noexcept = default;

  /// Starts every member that is not started or has failed, in parallel. Completes when each is ready or its first
  /// attempt has failed. Errors: no_connections where none is ready then.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> warm_up() const;
  /// Waits for a ready member; zero takes only one that is ready now. Errors: no_connections.
  COMCP_LAZY [[nodiscard]] asio::awaitable<lease> checkout(timespan timeout = std::chrono::seconds(5)) const;
  /// Calls `fn`, which takes a client const& and gives an awaitable, with a connection that is on loan until that has
  /// ended, whichever way. Runs it on the caller's executor.
  template <class Fn>
  [[nodiscard]] auto with_connection(Fn fn, timespan timeout = std::chrono::seconds(5)) const {
    return detail::with_lease(core_, std::move(fn), timeout);
  }

  /// One more, as its start_mode says: waits() completes when it is ready, or throws and leaves nothing behind. Gives its
  /// name. Errors: invalid_argument for credentials that are not the pool's; and what connecting fails with.
  COMCP_LAZY [[nodiscard]] asio::awaitable<std::string> add(server_config config) const;
  /// No new call goes to it from now on; it is closed gracefully, which ends the calls that are under way. Errors:
  /// unknown_server.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> remove(std::string_view name) const;
  /// Every member at once, each within its close_timeout(). Cancelling it stops only the waiting. Twice is fine.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close() const;

  /// In the order in which they were added.
  COMCP_LAZY [[nodiscard]] std::vector<server_status> connections() const;
  COMCP_LAZY [[nodiscard]] pool_statistics stats() const;
  using executor_type = asio::any_io_executor;
  /// Empty where this was moved from.
  COMCP_LAZY [[nodiscard]] executor_type get_executor() const noexcept;

  // The operations of a client, as comcp/client/client.hpp describes them.

  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<tool>> list_tools(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<resource>> list_resources(
      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<resource_template>> list_resource_templates(
      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<prompt>> list_prompts(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<call_tool_result> call_tool(std::string_view name,
                                                                       json::fragment arguments = json::fragment(),
                                                                       call_options options = call_options()) const;
  template <json::readable Out, json::writable In>
  [[nodiscard]] asio::awaitable<Out> call_tool(std::string_view name, In const& in,
                                               call_options options = call_options()) const {
    return on_one<Out>(std::move(options), [name = std::string(name), arguments = json::fragment::of(in)](
                                               client const& c, call_options o) {
      return c.template call_tool<Out>(name, arguments, std::move(o));
    });
  }
  COMCP_LAZY [[nodiscard]] asio::awaitable<read_resource_result> read_resource(
      std::string_view uri, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<read_resource_result> read_resource(
      resource_template const& t, json::fragment const& variables, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<get_prompt_result> get_prompt(std::string_view name,
                                                                         json::fragment arguments = json::fragment(),
                                                                         call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<complete_result> complete(complete_params const& what,
                                                                     call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> ping(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<discover_result> discover(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<json::value> request(std::string_view method,
                                                                json::fragment params = json::fragment(),
                                                                call_options options = call_options()) const;
  /// Modern era: whichever member answers, as the era has no sessions.
  template <json::readable Result>
  [[nodiscard]] asio::awaitable<Result> resume(json::value required, json::fragment responses,
                                               call_options options = call_options()) const {
    return on_one<Result>(std::move(options), [required = std::move(required), responses = std::move(responses)](
                                                  client const& c, call_options o) {
      return c.template resume<Result>(required, responses, std::move(o));
    });
  }
  /// For every member, those that become ready later too. Completes when all that are ready have answered; throws the
  /// first failure among them.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> set_log_level(log_level level,
                                                               call_options options = call_options()) const;

 private:
  template <class T>
  [[nodiscard]] asio::awaitable<T> on_one(call_options options, detail::pool_operation<T> operation) const {
    return detail::on_home(core_, detail::call_on_one<T>(core_, std::move(options), std::move(operation)));
  }

  std::shared_ptr<detail::pool_core> core_;
  std::shared_ptr<void> end_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// pool/impl/core.ipp
#if !defined(COMCP_SINGLE_POOL_IMPL_CORE_IPP)
#define COMCP_SINGLE_POOL_IMPL_CORE_IPP
#include <algorithm>
#include <utility>

#include <asio/execution/context.hpp>

namespace comcp::detail {

// Members that are stopped, and who waits for it.
struct pool_core::ending {
  ending(asio::any_io_executor on, std::size_t n) : through(std::move(on)), left(n) {}

  COMCP_LAZY static asio::awaitable<void> stop(std::shared_ptr<live_server> live, std::shared_ptr<ending> all) {
    try {
      auto stopping = live->stop();
      co_await std::move(stopping);
    } catch (...) {
      // It is bounded, and abrupt in the end; there is nobody to tell.
    }
    if (--all->left == 0) all->through.open();
  }

  gate through;
  std::size_t left;
};

COMCP_LAZY_DECL pool_core::pool_core(asio::any_io_executor home, pool_options const& options)
    : tenant_of(serial(std::move(home))), time_(options.time() ? options.time() : steady_time()), spans_(options.spans()), members_(options) {}

// What is to start at once counts as starting from here on: a call that comes before the start waits for it.
COMCP_LAZY_DECL void pool_core::begin(std::vector<server_config> const& configs, std::size_t size) {
  std::vector<member> eager;
  for (auto const& config : configs) {
    bool const lazy = config.start() == start_mode::lazy;
    for (std::size_t i = 0; i < size; ++i) {
      auto const m = enter(config, lazy ? server_state::stopped : server_state::starting);
      if (!lazy) eager.push_back(m);
    }
  }
  post(home_, [weak = weak_from_this(), eager = std::move(eager)] {
    auto const self = weak.lock();
    if (!self || self->closed_) return;
    for (auto const& m : eager) {
      if (self->members_.find(m->load->name) == m) self->launch(*m);
    }
  });
}

COMCP_LAZY_DECL pool_core::member pool_core::enter(server_config config, server_state first) {
  timeout_ = std::max(timeout_, config.options().timeout());
  auto const m = std::make_shared<pool_member>(++last_id_, first);
  m->live = std::make_shared<live_server>(m->load->name, std::move(config), home_, time_, weak_from_this());
  members_.add(m);
  return m;
}

// An empty pool takes whatever identity comes next.
COMCP_LAZY_DECL bool pool_core::take_out(member const& m) {
  if (!members_.remove(m)) return false;
  if (members_.all().empty()) identity_.reset();
  set_state(*m, server_state::stopped);
  return true;
}

COMCP_LAZY_DECL void pool_core::launch(pool_member& m) {
  m.state = server_state::starting;
  m.live->start_in_background();
}

COMCP_LAZY_DECL void pool_core::set_state(pool_member& m, server_state s) {
  m.state = s;
  rung_.ring();
}

COMCP_LAZY_DECL void pool_core::member_changed(std::string const& name) {
  auto const m = members_.find(name);
  if (!m || m->refused) return;
  auto const now = m->live->life().state();
  if (now != server_state::ready) set_state(*m, now);  // what is ready is looked at first: member_ready()
}

COMCP_LAZY_DECL void pool_core::member_ready(std::string const& name) {
  auto const m = members_.find(name);
  auto const c = m && !m->refused ? m->live->connection() : std::nullopt;
  if (!c) return;
  if (!admit(m)) return;
  tell_level(*m, *c);
  set_state(*m, server_state::ready);
}

COMCP_LAZY_DECL void pool_core::member_gave_up(std::string const& name) {
  auto const m = members_.find(name);
  if (!m || m->live->config().reconnect().attempts() > 0) return;
  if (m->live->life().state() != server_state::failed) return;  // started again meanwhile
  take_out(m);
  m->live->abandon();
}

// Sessions of two identities in one pool would let one of its users act as the other.
COMCP_LAZY_DECL bool pool_core::admit(member const& m) {
  auto const its = m->live->status().transport.identity;
  if (!identity_) identity_ = its;
  if (*identity_ == its) return true;
  members_.refuse(*m, error(errc::invalid_argument, "its credentials are not those of the pool's other connections"));
  set_state(*m, server_state::failed);
  (void)stop(std::vector<member>(1, m));
  return false;
}

// A connection that is restored has its level already.
COMCP_LAZY_DECL void pool_core::tell_level(pool_member& m, client const& c) {
  if (!level_ || m.told == level_) return;
  m.told = level_;
  spawn(home_, c.set_log_level(*level_));
}

COMCP_LAZY_DECL void pool_core::require_open() const {
  if (closed_) throw exception(error(errc::closed, "the pool is closed"));
}

COMCP_LAZY_DECL asio::awaitable<pool_turn> pool_core::take(std::chrono::nanoseconds timeout, std::stop_token stop) {
  auto const until = later(time_->now(), timeout);
  require_open();
  for (auto const& m : members_.all()) {
    if (m->state == server_state::stopped) launch(*m);  // lazy ones
  }
  for (;;) {
    require_open();
    if (stop.stop_requested()) throw exception(error(errc::cancelled).with_outcome(call_outcome::not_sent));
    auto turn = members_.pick();
    if (turn) co_return std::move(*turn);
    if (!members_.is_hopeful() || time_->now() >= until) throw exception(members_.nobody());
    auto const counted = members_.one_waits();
    auto waiting = rung_.wait(time_, until, stop);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL open_span pool_core::begin_span(call_options& options) const {
  return span_of_call(spans_, span_layer::pool, "pool.call", options);
}

COMCP_LAZY_DECL asio::awaitable<pool_turn> pool_core::take_for_call(call_options& options) {
  auto const timeout = options.timeout().value_or(timeout_);
  auto const before = time_->now();
  auto taking = take(timeout, options.stop());
  auto turn = co_await std::move(taking);
  if (auto const waited = time_->now() - before; waited.count() > 0) {
    bool const extends = options.extends_on_progress();
    options.timeout(std::max<std::chrono::nanoseconds>(timeout - waited, std::chrono::nanoseconds(1)));
    options.extend_on_progress(extends);
  }
  co_return turn;
}

COMCP_LAZY_DECL asio::awaitable<std::string> pool_core::add(server_config config) {
  auto const hold = shared_from_this();
  require_open();
  auto const mode = config.start();
  auto const m = enter(std::move(config), server_state::stopped);
  auto const name = m->load->name;
  if (mode == start_mode::background) launch(*m);
  if (mode != start_mode::waits) co_return name;
  error failure;
  try {
    set_state(*m, server_state::starting);
    auto starting = m->live->start();
    co_await std::move(starting);
    while (m->state == server_state::starting) {
      auto waiting = rung_.wait(time_);
      co_await std::move(waiting);
    }
    if (m->refused) failure = m->refused;
    if (members_.find(name) != m) failure = error(errc::closed, "removed while it was added");
  } catch (...) {
    failure = current_error();
  }
  if (!failure) co_return name;
  bool const unfinished = take_out(m) && !m->refused;
  if (unfinished) m->live->abandon();
  throw exception(failure);
}

COMCP_LAZY_DECL asio::awaitable<void> pool_core::remove(std::string name) {
  auto const hold = shared_from_this();
  auto const m = members_.find(name);
  if (!m || !take_out(m)) throw exception(error(errc::unknown_server, "the pool has no member " + name));
  auto const all = stop(std::vector<member>(1, m));
  co_await all->through.wait();
}

COMCP_LAZY_DECL asio::awaitable<void> pool_core::close() {
  auto const hold = shared_from_this();
  closed_ = true;
  if (!ending_) {
    auto const members = members_.remove_all();
    for (auto const& m : members) m->state = server_state::stopped;
    rung_.ring();
    ending_ = stop(members);
  }
  auto const all = ending_;
  co_await all->through.wait();
}

// Each in a coroutine of its own, which nobody's cancellation ends.
COMCP_LAZY_DECL std::shared_ptr<pool_core::ending> pool_core::stop(std::vector<member> const& members) {
  auto const all = std::make_shared<ending>(home_, members.size());
  if (members.empty()) all->through.open();
  for (auto const& m : members) spawn(home_, ending::stop(m->live, all));
  return all;
}

COMCP_LAZY_DECL asio::awaitable<void> pool_core::warm_up() {
  auto const hold = shared_from_this();
  require_open();
  auto first = members_.all();  // whose first attempt is under way
  for (auto const& m : first) {
    auto const s = m->state.load();
    if (!m->refused && (s == server_state::stopped || s == server_state::failed)) launch(*m);
  }
  for (;;) {
    std::erase_if(first, [](member const& m) { return m->state != server_state::starting; });
    if (first.empty()) break;
    auto waiting = rung_.wait(time_);
    co_await std::move(waiting);
  }
  require_open();
  if (members_.statistics().ready == 0) throw exception(members_.nobody());
}

// Those that become ready later are told then.
COMCP_LAZY_DECL asio::awaitable<void> pool_core::set_log_level(log_level level, call_options options) {
  auto const hold = shared_from_this();
  require_open();
  level_ = level;
  std::vector<asio::awaitable<void>> told;
  for (auto const& m : members_.all()) {
    if (m->state != server_state::ready) continue;
    auto const c = m->live->connection();
    if (!c) continue;
    m->told = level;
    told.push_back(c->set_log_level(level, options));
  }
  auto telling = all(std::move(told));
  auto const outcomes = co_await std::move(telling);
  for (auto const& o : outcomes) {
    if (!o) throw exception(o.error());
  }
}

COMCP_LAZY_DECL void pool_core::lose_context() noexcept {
  closed_ = true;
  ending_.reset();
}

COMCP_LAZY_DECL void pool_core::abandon() noexcept {
  at_home([self = shared_from_this()] { self->abrupt(); });
  members_.cut();  // should home never run again
}

COMCP_LAZY_DECL void pool_core::abrupt() noexcept {
  closed_ = true;
  for (auto const& m : members_.all()) {
    m->live->abandon();
    m->state = server_state::stopped;  // it tells no more
  }
  rung_.ring();
}

}  // namespace comcp::detail
#endif

// pool/impl/members.ipp
#if !defined(COMCP_SINGLE_POOL_IMPL_MEMBERS_IPP)
#define COMCP_SINGLE_POOL_IMPL_MEMBERS_IPP
#include <algorithm>

namespace comcp::detail {

namespace pool_detail {

inline server_status status_of(pool_member const& m) {
  auto s = m.live->status();
  if (m.refused) s.reason = m.refused;
  if (s.state == server_state::ready || m.refused) s.state = m.state;
  return s;
}

}  // namespace pool_detail

COMCP_LAZY_DECL pool_members::member pool_members::find(std::string_view name) const {
  for (auto const& m : all_) {
    if (m->load->name == name) return m;
  }
  return nullptr;
}

COMCP_LAZY_DECL void pool_members::add(member m) {
  std::lock_guard const lock(mutex_);
  all_.push_back(std::move(m));
}

COMCP_LAZY_DECL bool pool_members::remove(member const& m) {
  std::lock_guard const lock(mutex_);
  return std::erase(all_, m) != 0;
}

COMCP_LAZY_DECL std::vector<pool_members::member> pool_members::remove_all() {
  std::lock_guard const lock(mutex_);
  return std::exchange(all_, {});
}

COMCP_LAZY_DECL void pool_members::refuse(pool_member& m, error why) {
  std::lock_guard const lock(mutex_);
  m.refused = std::move(why);
}

COMCP_LAZY_DECL void pool_members::cut() noexcept {
  std::lock_guard const lock(mutex_);
  for (auto const& m : all_) m->live->cut();
}

COMCP_LAZY_DECL std::size_t pool_members::choose() {
  error failure;
  try {
    auto const chosen = pick_(candidates_);
    if (chosen < candidates_.size()) return chosen;
    failure = error(errc::invalid_argument, "the pool's strategy chose none of the candidates");
  } catch (...) {
    failure = error(errc::invalid_argument, "the pool's strategy failed: " + current_error().to_string());
  }
  throw exception(failure);
}

COMCP_LAZY_DECL std::optional<pool_turn> pool_members::pick() {
  candidates_.clear();
  ready_.clear();
  for (auto const& m : all_) {
    if (m->state != server_state::ready) continue;
    candidates_.push_back({m->id, m->load->in_flight.load(std::memory_order_relaxed)});
    ready_.push_back(m.get());
  }
  while (!candidates_.empty()) {
    auto const chosen = choose();
    auto& m = *ready_[chosen];
    if (auto c = m.live->connection()) return pool_turn(lease(m.load, std::move(*c)), m.live);
    // Lost a moment ago: state_changed() is on its way.
    m.state = server_state::backing_off;
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(chosen));
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  return std::nullopt;
}

COMCP_LAZY_DECL bool pool_members::is_hopeful() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](member const& m) {
    auto const s = m->state.load();
    return s == server_state::starting || s == server_state::backing_off;
  });
}

COMCP_LAZY_DECL error pool_members::nobody() const {
  std::string text = all_.empty() ? "the pool has no members" : "no member of the pool is ready";
  for (auto const& m : all_) {
    auto const status = pool_detail::status_of(*m);
    if (!status.reason) continue;
    return status.reason.with_code(make_error_code(errc::no_connections))
        .with_message(text + "; " + status.name + ": " + status.reason.code().message() + ": " +
                      std::string(status.reason.message()));
  }
  return {errc::no_connections, std::move(text)};
}

COMCP_LAZY_DECL std::vector<server_status> pool_members::status() const {
  std::lock_guard const lock(mutex_);
  std::vector<server_status> all;
  all.reserve(all_.size());
  for (auto const& m : all_) all.push_back(pool_detail::status_of(*m));
  return all;
}

COMCP_LAZY_DECL pool_statistics pool_members::statistics() const {
  std::lock_guard const lock(mutex_);
  pool_statistics s;
  s.waiting = waiting_.load(std::memory_order_relaxed);
  s.total = all_.size();
  for (auto const& m : all_) {
    auto const state = m->state.load();
    auto const in_flight = m->load->in_flight.load(std::memory_order_relaxed);
    if (state == server_state::ready) ++s.ready;
    if (state == server_state::ready && in_flight > 0) ++s.busy;
    auto& one = s.members.emplace_back();
    one.name = m->load->name;
    one.state = state;
    one.in_flight = in_flight;
    one.starts = m->live->look()->starts;
    if (auto const c = m->live->connection()) one.calls = c->statistics();
  }
  return s;
}

}  // namespace comcp::detail
#endif

// pool/impl/pool.ipp
#if !defined(COMCP_SINGLE_POOL_IMPL_POOL_IPP)
#define COMCP_SINGLE_POOL_IMPL_POOL_IPP
#include <utility>

namespace comcp {
namespace detail {

COMCP_LAZY_DECL asio::awaitable<lease> check_out(std::shared_ptr<pool_core> core, std::chrono::nanoseconds timeout) {
  auto taking = core->take(timeout);
  auto turn = co_await std::move(taking);
  co_return std::move(turn).take_lease();
}

}  // namespace detail

COMCP_LAZY_DECL pool::pool(asio::any_io_executor home, server_config config, pool_options options)
    : pool(std::move(home), std::vector<server_config>(1, std::move(config)), std::move(options)) {}

COMCP_LAZY_DECL pool::pool(asio::any_io_executor home, std::vector<server_config> configs, pool_options options)
    : core_(std::make_shared<detail::pool_core>(std::move(home), options)), end_(detail::abandoned_at_end(core_)) {
  core_->begin(configs, options.size());
}

COMCP_LAZY_DECL asio::awaitable<void> pool::warm_up() const { return detail::on_home(core_, core_->warm_up()); }
COMCP_LAZY_DECL asio::awaitable<lease> pool::checkout(timespan timeout) const {
  return detail::on_home(core_, detail::check_out(core_, timeout));
}
COMCP_LAZY_DECL asio::awaitable<std::string> pool::add(server_config config) const {
  return detail::on_home(core_, core_->add(std::move(config)));
}
COMCP_LAZY_DECL asio::awaitable<void> pool::remove(std::string_view name) const {
  return detail::on_home(core_, core_->remove(std::string(name)));
}
COMCP_LAZY_DECL asio::awaitable<void> pool::set_log_level(log_level level, call_options options) const {
  return detail::on_home(core_, core_->set_log_level(level, std::move(options)));
}
COMCP_LAZY_DECL asio::awaitable<void> pool::close() const { return detail::on_home(core_, core_->close()); }
COMCP_LAZY_DECL std::vector<server_status> pool::connections() const { return core_->members().status(); }
COMCP_LAZY_DECL pool_statistics pool::stats() const { return core_->members().statistics(); }
COMCP_LAZY_DECL asio::any_io_executor pool::get_executor() const noexcept {
  return core_ ? core_->home() : asio::any_io_executor();
}

}  // namespace comcp

// pool/impl/calls.ipp
#if !defined(COMCP_SINGLE_POOL_IMPL_CALLS_IPP)
#define COMCP_SINGLE_POOL_IMPL_CALLS_IPP
// The client's operations, each on the member that the strategy picks.

#include <utility>

namespace comcp {

COMCP_LAZY_DECL asio::awaitable<listing<tool>> pool::list_tools(call_options options) const {
  return on_one<listing<tool>>(std::move(options), [](client const& c, call_options o) { return c.list_tools(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<listing<resource>> pool::list_resources(call_options options) const {
  return on_one<listing<resource>>(std::move(options),
                                   [](client const& c, call_options o) { return c.list_resources(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<listing<resource_template>> pool::list_resource_templates(call_options options) const {
  return on_one<listing<resource_template>>(
      std::move(options), [](client const& c, call_options o) { return c.list_resource_templates(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<listing<prompt>> pool::list_prompts(call_options options) const {
  return on_one<listing<prompt>>(std::move(options),
                                 [](client const& c, call_options o) { return c.list_prompts(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<call_tool_result> pool::call_tool(std::string_view name, json::fragment arguments,
                                                                  call_options options) const {
  return on_one<call_tool_result>(std::move(options), [name = std::string(name), arguments = std::move(arguments)](
                                                          client const& c, call_options o) {
    return c.call_tool(name, arguments, std::move(o));
  });
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> pool::read_resource(std::string_view uri,
                                                                          call_options options) const {
  return on_one<read_resource_result>(std::move(options), [uri = std::string(uri)](client const& c, call_options o) {
    return c.read_resource(uri, std::move(o));
  });
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> pool::read_resource(resource_template const& t,
                                                                          json::fragment const& variables,
                                                                          call_options options) const {
  auto const uri = t.expand(variables);
  if (!uri) return detail::failed<read_resource_result>(uri.error());
  return read_resource(*uri, std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<get_prompt_result> pool::get_prompt(std::string_view name, json::fragment arguments,
                                                                    call_options options) const {
  return on_one<get_prompt_result>(std::move(options), [name = std::string(name), arguments = std::move(arguments)](
                                                           client const& c, call_options o) {
    return c.get_prompt(name, arguments, std::move(o));
  });
}

COMCP_LAZY_DECL asio::awaitable<complete_result> pool::complete(complete_params const& what,
                                                                call_options options) const {
  return on_one<complete_result>(std::move(options), [what](client const& c, call_options o) {
    return c.complete(what, std::move(o));
  });
}

COMCP_LAZY_DECL asio::awaitable<void> pool::ping(call_options options) const {
  return on_one<void>(std::move(options), [](client const& c, call_options o) { return c.ping(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<discover_result> pool::discover(call_options options) const {
  return on_one<discover_result>(std::move(options),
                                 [](client const& c, call_options o) { return c.discover(std::move(o)); });
}

COMCP_LAZY_DECL asio::awaitable<json::value> pool::request(std::string_view method, json::fragment params,
                                                           call_options options) const {
  return on_one<json::value>(std::move(options), [method = std::string(method), params = std::move(params)](
                                                     client const& c, call_options o) {
    return c.request(method, params, std::move(o));
  });
}

}  // namespace comcp
#endif
#endif
#endif
#endif

// pool/prometheus.hpp
#if !defined(COMCP_SINGLE_POOL_PROMETHEUS_HPP)
#define COMCP_SINGLE_POOL_PROMETHEUS_HPP
// A pool's statistics as metrics for Prometheus, comcp_pool_... by member, and its clients'.

#include <string>

// trace/prometheus.hpp
#if !defined(COMCP_SINGLE_TRACE_PROMETHEUS_HPP)
#define COMCP_SINGLE_TRACE_PROMETHEUS_HPP
// Metrics in the Prometheus text format, version 0.0.4: names, labels and numbers in, text out. What is measured is said
// by client/prometheus.hpp, registry/prometheus.hpp and pool/prometheus.hpp; who serves the text is the program's affair.
// Spec: https://prometheus.io/docs/instrumenting/exposition_formats/

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp {

/// Names and values. Of a value any text may come: it is escaped, and what of it is no UTF-8 replaced.
using prometheus_labels = std::vector<std::pair<std::string, std::string>>;

/// One exposition. Regular; not safe for several threads at once. Samples of one family may come in any order and from
/// different sources: the text has them together. One that was given before, with the same labels, is replaced.
/// In names, what may not be there becomes '_'. Nothing here fails.
class prometheus_text {
 public:
  static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

  /// A number that only grows while its source lives. The family's name ends in _total, which is added where it is
  /// missing. The first `help` of a family stays.
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  prometheus_text& counter(std::string_view name, std::string_view help, Number value,
                           prometheus_labels const& labels = {}) {
    return put(counted(name), "counter", help, number(value), labels), *this;
  }
  /// A number that goes up and down.
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  prometheus_text& gauge(std::string_view name, std::string_view help, Number value,
                         prometheus_labels const& labels = {}) {
    return put(std::string(name), "gauge", help, number(value), labels), *this;
  }

  /// Families and samples in the order of their names and labels; "" without samples.
  [[nodiscard]] std::string text() const;

 private:
  struct family {
    std::string head;                            // # HELP and # TYPE
    std::map<std::string, std::string> samples;  // by their labels
  };

  static std::string counted(std::string_view name);
  template <class Number>
  static std::string number(Number value) {
    if constexpr (std::floating_point<Number>) return real(static_cast<double>(value));
    else return std::to_string(value);
  }
  static std::string real(double value);
  void put(std::string name, std::string_view type, std::string_view help, std::string value,
           prometheus_labels const& labels);

  std::map<std::string, family> families_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// trace/impl/prometheus.ipp
#if !defined(COMCP_SINGLE_TRACE_IMPL_PROMETHEUS_IPP)
#define COMCP_SINGLE_TRACE_IMPL_PROMETHEUS_IPP
#include <algorithm>
#include <charconv>
#include <cmath>

namespace comcp {
namespace detail {

/// A name of letters, digits, '_' and, of metrics, ':' that no digit begins.
COMCP_DECL std::string prometheus_name(std::string_view text, bool of_metric) {
  std::string out;
  for (char const c : text) {
    bool const digit = c >= '0' && c <= '9';
    bool const fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || digit || c == '_' || (c == ':' && of_metric);
    if (digit && out.empty()) out += '_';
    out += fits ? c : '_';
  }
  if (out.empty()) out = "_";
  // Two underscores at the beginning are for labels of Prometheus' own.
  auto const underscores = std::min(out.find_first_not_of('_'), out.size());
  if (!of_metric && underscores > 1) out.erase(0, underscores - 1);
  return out;
}

/// A help text, or with `quotes` a label's value.
COMCP_DECL std::string prometheus_escaped(std::string_view text, bool quotes) {
  std::string out;
  out.reserve(text.size());
  for (character_scan at(text); at.next();) {
    if (!at.is_utf8()) out += "\xEF\xBF\xBD";
    else if (at.code() == '\\') out += "\\\\";
    else if (at.code() == '\n') out += "\\n";
    else if (at.code() == '"' && quotes) out += "\\\"";
    else out += at.bytes();
  }
  return out;
}

/// "" or {name="value",...}; of a name that comes twice the first counts.
COMCP_DECL std::string prometheus_label_text(prometheus_labels const& labels) {
  std::map<std::string, std::string> once;
  for (auto const& [name, value] : labels) once.emplace(prometheus_name(name, false), value);
  std::string out;
  for (auto const& [name, value] : once)
    out.append(out.empty() ? "{" : ",").append(name).append("=\"").append(prometheus_escaped(value, true)).append("\"");
  return out.empty() ? out : out + '}';
}

}  // namespace detail

COMCP_DECL std::string prometheus_text::counted(std::string_view name) {
  std::string out(name);
  return out.ends_with("_total") ? out : out + "_total";
}

COMCP_DECL std::string prometheus_text::real(double value) {
  if (std::isnan(value)) return "NaN";
  if (!std::isfinite(value)) return value > 0 ? "+Inf" : "-Inf";
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

COMCP_DECL void prometheus_text::put(std::string name, std::string_view type, std::string_view help, std::string value,
                                     prometheus_labels const& labels) {
  name = detail::prometheus_name(name, true);
  auto& f = families_[name];
  if (f.head.empty()) {
    f.head.append("# HELP ").append(name).append(" ").append(detail::prometheus_escaped(help, false));
    f.head.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
  }
  f.samples.insert_or_assign(detail::prometheus_label_text(labels), std::move(value));
}

COMCP_DECL std::string prometheus_text::text() const {
  std::string out;
  for (auto const& [name, f] : families_) {
    out += f.head;
    for (auto const& [labels, value] : f.samples) out.append(name).append(labels).append(" ").append(value).append("\n");
  }
  return out;
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// Each member's with its name as the label "member", and its client's as client/prometheus.hpp has them. `labels` are
/// added to all: with several pools, give each one's name.
void add_metrics(prometheus_text& to, pool_statistics const& s, prometheus_labels const& labels = {});

/// The text of one pool alone.
[[nodiscard]] std::string to_prometheus(pool_statistics const& s, prometheus_labels const& labels = {});

}  // namespace comcp

// client/prometheus.hpp
#if !defined(COMCP_SINGLE_CLIENT_PROMETHEUS_HPP)
#define COMCP_SINGLE_CLIENT_PROMETHEUS_HPP
// A client's statistics as metrics for Prometheus, comcp_client_...

#include <string>

namespace comcp {

/// Every counter, with the labels that tell this client from others, such as {"server", name}. Of clients that have the
/// same labels the last one is told.
void add_metrics(prometheus_text& to, statistics const& s, prometheus_labels const& labels = {});

/// The text of one client alone.
[[nodiscard]] std::string to_prometheus(statistics const& s, prometheus_labels const& labels = {});

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/prometheus.ipp
#if !defined(COMCP_SINGLE_CLIENT_IMPL_PROMETHEUS_IPP)
#define COMCP_SINGLE_CLIENT_IMPL_PROMETHEUS_IPP
#include <chrono>

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
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// pool/impl/prometheus.ipp
#if !defined(COMCP_SINGLE_POOL_IMPL_PROMETHEUS_IPP)
#define COMCP_SINGLE_POOL_IMPL_PROMETHEUS_IPP

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
#endif
#endif
#endif

// providers/anthropic.hpp
#if !defined(COMCP_SINGLE_PROVIDERS_ANTHROPIC_HPP)
#define COMCP_SINGLE_PROVIDERS_ANTHROPIC_HPP
// Tools, calls and results as the Anthropic Messages API has them: `tools`, tool_use and tool_result blocks.

#include <span>
#include <vector>

// providers/call.hpp
#if !defined(COMCP_SINGLE_PROVIDERS_CALL_HPP)
#define COMCP_SINGLE_PROVIDERS_CALL_HPP
// What is the same for all model providers: a tool under its name for the model, and a model's call of one. The shapes
// are in anthropic.hpp, openai.hpp and gemini.hpp.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

// providers/names.hpp
#if !defined(COMCP_SINGLE_PROVIDERS_NAMES_HPP)
#define COMCP_SINGLE_PROVIDERS_NAMES_HPP
// Names of tools that model providers accept. A name is a function of server and tool alone, so it never changes
// because another server or tool comes or goes. Who owns a name is looked up in tool_names.

#include <cstddef>
#include <compare>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace comcp::providers {

/// The longest name that all providers take.
inline constexpr std::size_t longest_name = 64;

/// Whether all providers take the name: 1 to 64 of A-Z a-z 0-9 _ -, with a letter or underscore first (Gemini's rule).
bool is_safe_name(std::string_view name) noexcept;

/// The name under which a model is told of a server's tool; it is safe. "github" and "create_issue" become
/// "github__create_issue"; an empty server leaves the tool's name alone. Where that would not be safe or not unique (a
/// server with "__" in its name or "_" at its end, "__" in a tool's name without a server, a name that looks hashed),
/// the name is what is left of it, "--" and 80 bits of SHA-256 in Base32: "files__read_a_file--mzxw6ytboi4tqmrt".
/// Two tools get one name only if these 80 bits agree: finding a tool that takes another one's name takes about 2^80
/// tries. Names are the same in every version of comcp, so that stored conversations stay valid.
std::string provider_name(std::string_view server, std::string_view tool);

/// A tool as its server knows it.
struct tool_origin {
  tool_origin() = default;
  tool_origin(std::string server_name, std::string tool_name)
      : server(std::move(server_name)), tool(std::move(tool_name)) {}

  std::string server;
  std::string tool;

  friend auto operator<=>(tool_origin const&, tool_origin const&) = default;
};

/// From the name that a model used back to server and tool. Regular; not synchronised.
class tool_names {
 public:
  tool_names() = default;

  /// Makes a tool known; again does nothing. Should two ever have one name, the lesser pair of server and tool keeps
  /// it, whatever the order. The name, valid as long as the tool is known.
  std::string const& add(std::string_view server, std::string_view tool);
  /// Forgets every tool of a server.
  void remove(std::string_view server);

  /// Who owns the name. Errors: unknown_tool, with the name.
  [[nodiscard]] result<tool_origin> origin(std::string_view name) const;

  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] bool empty() const noexcept { return names_.empty(); }

 private:
  std::map<std::string, tool_origin, std::less<>> names_;
};

}  // namespace comcp::providers

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// providers/impl/names.ipp
#if !defined(COMCP_SINGLE_PROVIDERS_IMPL_NAMES_IPP)
#define COMCP_SINGLE_PROVIDERS_IMPL_NAMES_IPP
#include <algorithm>
#include <utility>

namespace comcp::providers {
namespace detail {

inline constexpr std::size_t hash_size = 16;  // Base32 digits, five bits each
inline constexpr std::string_view hash_mark = "--", between = "__", base32 = "abcdefghijklmnopqrstuvwxyz234567";

inline bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_safe(char c) noexcept { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

inline bool looks_hashed(std::string_view name) noexcept {
  if (name.size() < hash_mark.size() + hash_size) return false;
  auto const end = name.substr(name.size() - hash_size - hash_mark.size());
  return end.starts_with(hash_mark) && end.find_first_not_of(base32, hash_mark.size()) == std::string_view::npos;
}

// Whether `plain`, which was put together from these, can have come from no other pair: its first "__" is the border.
inline bool is_unambiguous(std::string_view server, std::string_view tool, std::string_view plain) noexcept {
  if (tool.empty() || looks_hashed(plain)) return false;
  if (server.empty()) return tool.find(between) == std::string_view::npos;
  return server.find(between) == std::string_view::npos && !server.ends_with('_');
}

COMCP_DECL std::string hash_of(std::string_view server, std::string_view tool) {
  auto const border = std::to_string(server.size()) + ':';
  auto const digest = sha256_hasher().update(border).update(server).update(tool).digest();
  std::string out;
  for (std::size_t bit = 0; bit < 5 * hash_size; bit += 5) {
    unsigned const two = unsigned{digest[bit / 8]} << 8 | digest[bit / 8 + 1];
    out += base32[two >> (11 - bit % 8) & 31];
  }
  return out;
}

// What is safe of a name; a run of anything else becomes one underscore.
COMCP_DECL std::string sanitised(std::string_view name) {
  std::string out;
  bool replaced = false;
  for (char const c : name) {
    bool const safe = is_safe(c);
    if (safe || !replaced) out += safe ? c : '_';
    replaced = !safe;
  }
  return out;
}

COMCP_DECL std::string hashed_name(std::string_view server, std::string_view tool) {
  constexpr auto room = longest_name - hash_size - hash_mark.size();
  constexpr std::size_t least_of_server = 16;
  auto left = sanitised(server), right = sanitised(tool);
  std::string out;
  if (!left.empty()) {
    auto const taken = between.size() + right.size();
    out = left.substr(0, std::max(room - std::min(taken, room), least_of_server)).append(between);
  }
  out += right;
  if (!out.empty() && !is_letter(out[0]) && out[0] != '_') out.insert(out.begin(), '_');
  out.resize(std::min(out.size(), room));
  if (out.empty()) out = "_";
  return out.append(hash_mark).append(hash_of(server, tool));
}

}  // namespace detail

COMCP_DECL bool is_safe_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= longest_name && (detail::is_letter(name[0]) || name[0] == '_') &&
         std::all_of(name.begin(), name.end(), detail::is_safe);
}

COMCP_DECL std::string provider_name(std::string_view server, std::string_view tool) {
  std::string plain(server);
  if (!server.empty()) plain += detail::between;
  plain += tool;
  if (is_safe_name(plain) && detail::is_unambiguous(server, tool, plain)) return plain;
  return detail::hashed_name(server, tool);
}

COMCP_DECL std::string const& tool_names::add(std::string_view server, std::string_view tool) {
  tool_origin from{std::string(server), std::string(tool)};
  auto const [at, is_new] = names_.try_emplace(provider_name(server, tool), from);
  if (!is_new && from < at->second) at->second = std::move(from);
  return at->first;
}

COMCP_DECL void tool_names::remove(std::string_view server) {
  std::erase_if(names_, [&](auto const& entry) { return entry.second.server == server; });
}

COMCP_DECL result<tool_origin> tool_names::origin(std::string_view name) const {
  auto const at = names_.find(name);
  if (at == names_.end())
    return error(errc::unknown_tool, "the model asked for \"" + std::string(name.substr(0, 2 * longest_name)) + "\"");
  return at->second;
}

}  // namespace comcp::providers
#endif
#endif
#endif

namespace comcp::providers {

/// A tool to offer to a model. Refers to the definition, which is to live as long. One whose `_meta.ui.visibility` leaves out
/// the model is never written, whether the host shows apps or not: who does not is no more allowed to tell models of it.
class offered_tool {
 public:
  /// Under provider_name(server, definition.name).
  offered_tool(std::string_view server, tool const& definition)
      : name_(provider_name(server, definition.name)), definition_(&definition) {}
  offered_tool(std::string_view server, tool&& definition) = delete;

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] tool const& definition() const noexcept { return *definition_; }
  /// Whether write_tools() writes it. A tool_names that shall not find it for a model's call is not told of it either.
  [[nodiscard]] bool is_for_model() const { return comcp::is_for_model(*definition_); }

 private:
  std::string name_;
  tool const* definition_;
};

/// A model's wish to call a tool. tool_names::origin(name) says which one.
struct model_call {
  model_call() = default;
  model_call(std::string call_id, std::string tool_name, result<json::fragment> args)
      : id(std::move(call_id)), name(std::move(tool_name)), arguments(std::move(args)) {}

  std::string id;    ///< What the result must carry; empty where the provider gave none (Gemini).
  std::string name;  ///< As the provider knows the tool.
  /// A JSON object in which no object has a key twice, or why what the model wrote is none (invalid_json, wrong_shape,
  /// limit_exceeded): models do, and are to be told, by write_result(call, failure(call.arguments.error())).
  result<json::fragment> arguments;
};

/// A failure as a tool's result with isError, for the model to see: comcp's text and the server's message, without what
/// the transport knows (HTTP bodies, stderr).
call_tool_result failure(error const& e);

namespace detail {

/// Arguments as models give them: an object, the text of one; absent, null and blank text are {}.
result<json::fragment> read_arguments(std::optional<json::view> given, std::string_view tool_name);

/// The member `key` of `from`, which is to be a string. `what` names `from` in the error.
result<std::string> string_of(json::view from, std::string_view key, std::string_view what);

/// A call whose id, name and arguments are members of objects. No id key: none is wanted.
result<model_call> read_call(json::view outer, std::string_view id_key, json::view inner, std::string_view arguments_key,
                             std::string_view what);

/// The arguments to write, {} where there are none. Throws what arguments.value() throws.
json::fragment arguments_of(model_call const& call);

/// The list that `from` is, or that its member `key` is; an absent or null one is empty.
result<json::view> list_of(json::view from, std::string_view key);

/// A schema that providers take: an object with "type"; "properties" too, where it is asked for.
void write_schema(json::writer& w, json::value const& schema, bool with_properties);

}  // namespace detail
}  // namespace comcp::providers

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// providers/impl/call.ipp
#if !defined(COMCP_SINGLE_PROVIDERS_IMPL_CALL_IPP)
#define COMCP_SINGLE_PROVIDERS_IMPL_CALL_IPP
#include <set>

namespace comcp::providers {
namespace detail {

// Errors may quote what is no UTF-8, such as a file's name; JSON cannot.
COMCP_DECL std::string as_utf8(std::string text) {
  try {
    (void)json::to_text(text);
  } catch (exception const&) {
    for (char& c : text) c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  }
  return text;
}

}  // namespace detail

COMCP_DECL call_tool_result failure(error const& e) {
  std::string text = e.code().message();
  if (auto const more = e.message(); !more.empty()) text.append(": ").append(more);
  if (auto const* const peer = e.peer(); peer && !peer->message.empty()) text.append(": ").append(peer->message);
  call_tool_result out{text_content(detail::as_utf8(std::move(text)))};
  out.is_error = true;
  return out;
}

namespace detail {

inline error bad_arguments(errc code, std::string_view tool_name, std::string_view why) {
  constexpr std::size_t most = 2 * longest_name;
  return error(code, "the arguments for \"" + std::string(tool_name.substr(0, most)) + "\" are no JSON object: " +
                         std::string(why));
}

// Whether some object in it has a key twice: what one reader sees of it, another does not.
COMCP_DECL bool has_key_twice(json::view v) {
  std::set<std::string_view> keys;
  for (auto const [key, inner] : v.members()) {
    if (!keys.insert(key).second || has_key_twice(inner)) return true;
  }
  for (auto const inner : v.elements()) {
    if (has_key_twice(inner)) return true;
  }
  return false;
}

COMCP_DECL result<json::fragment> checked_arguments(json::view object, std::string_view tool_name) {
  if (has_key_twice(object)) return bad_arguments(errc::wrong_shape, tool_name, "a key comes twice in one object");
  return json::fragment::trusted(object.dump());
}

COMCP_DECL result<json::fragment> read_arguments(std::optional<json::view> given, std::string_view tool_name) {
  auto const none = json::fragment::trusted("{}");
  if (!given || given->is_null()) return none;
  if (given->is_object()) return checked_arguments(*given, tool_name);
  auto const text = given->get_string();
  if (!text) return bad_arguments(errc::wrong_shape, tool_name, "they are neither an object nor text");
  if (text->find_first_not_of(" \t\r\n") == std::string_view::npos) return none;
  auto const parsed = json::parse(*text);
  if (!parsed) return bad_arguments(static_cast<errc>(parsed.error().code().value()), tool_name, parsed.error().message());
  if (parsed->is_null()) return none;
  if (!parsed->is_object()) return bad_arguments(errc::wrong_shape, tool_name, "the text holds something else");
  return checked_arguments(*parsed, tool_name);
}

COMCP_DECL result<std::string> string_of(json::view from, std::string_view key, std::string_view what) {
  auto const member = from.find(key);
  auto const text = member ? member->get_string() : std::nullopt;
  if (text) return std::string(*text);
  return error(errc::wrong_shape, std::string(what) + ": \"" + std::string(key) + "\" is " +
                                      (member ? "no string" : "missing"));
}

COMCP_DECL result<model_call> read_call(json::view outer, std::string_view id_key, json::view inner,
                                        std::string_view arguments_key, std::string_view what) {
  model_call call;
  if (!id_key.empty()) {
    auto id = string_of(outer, id_key, what);
    if (!id) return id.error();
    call.id = *std::move(id);
  }
  auto name = string_of(inner, "name", what);
  if (!name) return name.error();
  call.name = *std::move(name);
  call.arguments = read_arguments(inner.find(arguments_key), call.name);
  return call;
}

COMCP_DECL json::fragment arguments_of(model_call const& call) {
  auto const& given = call.arguments.value();
  return given.empty() ? json::fragment::trusted("{}") : given;
}

COMCP_DECL result<json::view> list_of(json::view from, std::string_view key) {
  if (from.is_array()) return from;
  if (!from.is_object()) return error(errc::wrong_shape, "an object with \"" + std::string(key) + "\" is expected");
  auto const list = from.find(key);
  if (!list || list->is_null()) return json::view();
  // Anthropic and OpenAI abbreviate a message of text alone.
  if (!list->is_array() && !list->is_string())
    return error(errc::wrong_shape, '"' + std::string(key) + "\" is no array");
  return *list;
}

COMCP_DECL void write_schema(json::writer& w, json::value const& schema, bool with_properties) {
  w.begin_object();
  if (!schema.is_object() || !schema.contains("type")) w.key("type").string("object");
  if (schema.is_object()) {
    for (auto const [key, value] : schema.members()) w.key(key).value(value);
  }
  if (with_properties && !(schema.is_object() && schema.contains("properties")))
    w.key("properties").begin_object().end_object();
  w.end_object();
}

}  // namespace detail
}  // namespace comcp::providers
#endif
#endif
#endif

namespace comcp::providers::anthropic {

/// For the request's `tools`: an array of {name, description, input_schema}. A missing description is "", a missing
/// schema {"type":"object"}; others go as they are (the API refuses oneOf, allOf and anyOf at their top).
json::fragment write_tools(std::span<offered_tool const> tools);

/// One tool_use block. `input` may be an object or, as streaming leaves it, text. Errors: wrong_shape (no tool_use, or
/// one without id or name); what is wrong with the input alone is in the call.
result<model_call> read_call(json::view block);

/// The calls among the blocks of a response (an object with `content`, or the array itself), in order. Other blocks are
/// passed over. Errors: as read_call().
result<std::vector<model_call>> read_calls(json::view message);

/// The tool_use block of a call, for a conversation that is put together anew. Throws what arguments.value() throws.
json::fragment write_call(model_call const& call);

/// The tool_result block. Text, PNG, JPEG, GIF and WebP images and PDF documents have their place; of other media a text
/// says that they were left out, and of all media of a failure: the API refuses them there. All results of one turn
/// belong into one user message, before any text.
json::fragment write_result(model_call const& call, call_tool_result const& answer);

}  // namespace comcp::providers::anthropic

// providers/pieces.hpp
#if !defined(COMCP_SINGLE_PROVIDERS_PIECES_HPP)
#define COMCP_SINGLE_PROVIDERS_PIECES_HPP
// A tool's result as a row of texts and media, of which each provider takes what its shape has a place for.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comcp::providers::detail {

/// Text, or media if `mime_type` is set. Views refer to the result that it was made of.
struct piece {
  piece() = default;
  explicit piece(std::string words) : text(std::move(words)) {}
  piece(std::string_view type, std::string_view base64, std::string_view its_name)
      : mime_type(type), data(base64), name(its_name) {}

  std::string text;
  std::string_view mime_type;
  std::string_view data;  ///< Base64.
  std::string_view name;  ///< The uri of a resource; empty for others.

  [[nodiscard]] bool is_text() const noexcept { return mime_type.empty(); }
};

/// Whether a provider takes media of this type. The usual ones come in lower case and without parameters.
using media_filter = bool (*)(std::string_view mime_type) noexcept;

/// The pieces of the content, in order; media that `takes` refuses or that are no Base64 (for which providers refuse
/// the whole request), and content of unknown kinds, become texts that say what was left out. Blank texts are dropped
/// (Anthropic refuses them).
std::vector<piece> pieces_of(call_tool_result const& from, media_filter takes);

/// Whether some text of the content is the structured content as JSON, as the specification wants it to be.
bool says_structured(call_tool_result const& from);

/// pieces_of(), then the structured content as JSON text unless a piece says it already. An error without a word gets
/// one.
std::vector<piece> all_pieces_of(call_tool_result const& from, media_filter takes);

/// The texts, a newline between them.
std::string joined_text(std::vector<piece> const& pieces);

bool is_common_image(std::string_view mime_type) noexcept;  ///< PNG, JPEG, GIF and WebP.

/// "data:image/png;base64,...".
std::string data_url(piece const& media);

}  // namespace comcp::providers::detail

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// providers/impl/pieces.ipp
#if !defined(COMCP_SINGLE_PROVIDERS_IMPL_PIECES_IPP)
#define COMCP_SINGLE_PROVIDERS_IMPL_PIECES_IPP
#include <algorithm>
#include <variant>

namespace comcp::providers::detail {

// The type as providers name it, where it is one that some provider takes; else as it came.
inline std::string_view usual_type(std::string_view type) noexcept {
  constexpr std::string_view known[] = {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"};
  auto const bare = type.substr(0, type.find_first_of("; "));
  auto const same = [](std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == y; });
  };
  if (same(bare, "image/jpg")) return "image/jpeg";
  for (auto const one : known) {
    if (same(bare, one)) return one;
  }
  return type;
}

// Turns each kind of content into a piece.
class piece_maker {
 public:
  piece_maker(std::vector<piece>& out, media_filter takes) : out_(out), takes_(takes) {}

  void operator()(text_content const& c) { say(c.text); }
  void operator()(image_content const& c) { media("image", c.mime_type, c.data, ""); }
  void operator()(audio_content const& c) { media("audio", c.mime_type, c.data, ""); }
  void operator()(resource_link const& c) {
    std::string text = "[resource link: " + c.uri + ", " + c.name;
    if (c.title) text += ", " + *c.title;
    if (c.mime_type) text += ", " + *c.mime_type;
    if (c.size) text += ", " + std::to_string(*c.size) + " bytes";
    text += ']';
    if (c.description) text += '\n' + *c.description;
    say(std::move(text));
  }
  void operator()(embedded_resource const& c) {
    auto const& r = c.resource;
    if (r.text) {
      say("[resource: " + r.uri + (r.mime_type ? ", " + *r.mime_type : std::string()) + "]\n" + *r.text);
    } else {
      media("resource", r.mime_type ? std::string_view(*r.mime_type) : "application/octet-stream",
            r.blob ? std::string_view(*r.blob) : std::string_view(), r.uri);
    }
  }
  void operator()(unknown_content const& c) { say("[left out: content of the unknown type \"" + c.type + "\"]"); }

 private:
  void say(std::string text) {
    if (text.find_first_not_of(" \t\r\n") != std::string::npos) out_.emplace_back(std::move(text));
  }
  void media(std::string_view what, std::string_view type, std::string_view data, std::string_view name) {
    auto const usual = usual_type(type);
    auto const bytes = from_base64(data);
    if (takes_(usual) && bytes && !bytes->empty()) {
      out_.emplace_back(usual, data, name);
      return;
    }
    std::string text = "[left out: " + std::string(what);
    if (!name.empty()) text.append(" ").append(name);
    text.append(", ").append(type).append(", ");
    say(text.append(bytes ? std::to_string(bytes->size()) + " bytes]" : std::string("no valid Base64]")));
  }

  std::vector<piece>& out_;
  media_filter takes_;
};

COMCP_DECL std::vector<piece> pieces_of(call_tool_result const& from, media_filter takes) {
  std::vector<piece> out;
  piece_maker maker(out, takes);
  for (auto const& block : from.content) std::visit(maker, block);
  return out;
}

COMCP_DECL bool says_structured(call_tool_result const& from) {
  return std::any_of(from.content.begin(), from.content.end(), [&](content_block const& block) {
    auto const* const text = std::get_if<text_content>(&block);
    if (!text) return false;
    auto const parsed = json::parse(text->text);
    return parsed && *parsed == from.structured_content;
  });
}

COMCP_DECL std::vector<piece> all_pieces_of(call_tool_result const& from, media_filter takes) {
  auto out = pieces_of(from, takes);
  if (!from.structured_content.is_null() && !says_structured(from)) out.emplace_back(from.structured_content.dump());
  if (from.is_error && out.empty()) out.emplace_back("the tool failed and said nothing");
  return out;
}

COMCP_DECL std::string joined_text(std::vector<piece> const& pieces) {
  std::string out;
  for (auto const& p : pieces) {
    if (!p.is_text()) continue;
    if (!out.empty()) out += '\n';
    out += p.text;
  }
  return out;
}

COMCP_DECL bool is_common_image(std::string_view mime_type) noexcept {
  return mime_type == "image/png" || mime_type == "image/jpeg" || mime_type == "image/gif" || mime_type == "image/webp";
}

COMCP_DECL std::string data_url(piece const& media) {
  return std::string("data:").append(media.mime_type).append(";base64,").append(media.data);
}

}  // namespace comcp::providers::detail
#endif
#endif
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// providers/impl/anthropic.ipp
#if !defined(COMCP_SINGLE_PROVIDERS_IMPL_ANTHROPIC_IPP)
#define COMCP_SINGLE_PROVIDERS_IMPL_ANTHROPIC_IPP

namespace comcp::providers::anthropic {
namespace detail {

inline bool takes(std::string_view mime_type) noexcept {
  return providers::detail::is_common_image(mime_type) || mime_type == "application/pdf";
}

COMCP_DECL void write_piece(json::writer& w, providers::detail::piece const& p) {
  w.begin_object().key("type");
  if (p.is_text()) {
    w.string("text").key("text").string(p.text);
  } else {
    w.string(p.mime_type == "application/pdf" ? "document" : "image").key("source").begin_object();
    w.key("type").string("base64").key("media_type").string(p.mime_type).key("data").string(p.data).end_object();
  }
  w.end_object();
}

inline bool takes_nothing(std::string_view) noexcept { return false; }

inline bool is_type(json::view block, std::string_view wanted) noexcept {
  auto const type = block.find("type");
  return type && type->get_string() == wanted;
}

}  // namespace detail

COMCP_DECL json::fragment write_tools(std::span<offered_tool const> tools) {
  json::writer w;
  w.begin_array();
  for (auto const& one : tools) {
    if (!one.is_for_model()) continue;
    auto const& t = one.definition();
    w.begin_object().key("name").string(one.name()).key("description").string(t.description.value_or(""));
    w.key("input_schema");
    providers::detail::write_schema(w, t.input_schema, false);
    w.end_object();
  }
  w.end_array();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_DECL result<model_call> read_call(json::view block) {
  if (!detail::is_type(block, "tool_use")) return error(errc::wrong_shape, "a block of type \"tool_use\" is expected");
  return providers::detail::read_call(block, "id", block, "input", "tool_use");
}

COMCP_DECL result<std::vector<model_call>> read_calls(json::view message) {
  auto const blocks = providers::detail::list_of(message, "content");
  if (!blocks) return blocks.error();
  std::vector<model_call> out;
  for (auto const block : blocks->elements()) {
    if (!detail::is_type(block, "tool_use")) continue;
    auto call = read_call(block);
    if (!call) return call.error();
    out.push_back(*std::move(call));
  }
  return out;
}

COMCP_DECL json::fragment write_call(model_call const& call) {
  return json::args("type", "tool_use", "id", call.id, "name", call.name, "input", providers::detail::arguments_of(call));
}

COMCP_DECL json::fragment write_result(model_call const& call, call_tool_result const& answer) {
  auto const takes = answer.is_error ? detail::takes_nothing : detail::takes;
  json::writer w;
  w.begin_object().key("type").string("tool_result").key("tool_use_id").string(call.id).key("content").begin_array();
  for (auto const& p : providers::detail::all_pieces_of(answer, takes)) detail::write_piece(w, p);
  w.end_array();
  if (answer.is_error) w.key("is_error").boolean(true);
  w.end_object();
  return json::fragment::trusted(std::move(w).text());
}

}  // namespace comcp::providers::anthropic
#endif
#endif
#endif

// providers/gemini.hpp
#if !defined(COMCP_SINGLE_PROVIDERS_GEMINI_HPP)
#define COMCP_SINGLE_PROVIDERS_GEMINI_HPP
// Tools, calls and results as the Gemini API has them: functionDeclarations, functionCall and functionResponse parts.

#include <span>
#include <vector>

namespace comcp::providers::gemini {

/// For the request's `tools`: an array of one {"functionDeclarations":[{name, description, parametersJsonSchema}]}, or
/// an empty one. parametersJsonSchema takes JSON Schema; `parameters`, its elder sister, a subset of OpenAPI's alone.
json::fragment write_tools(std::span<offered_tool const> tools);

/// One part with a functionCall. Errors: wrong_shape (none, or one without a name); what is wrong with `args` alone is
/// in the call, whose id is empty where the model gave none.
result<model_call> read_call(json::view part);

/// The calls among the parts of a content (an object with `parts`, or the array itself), in order; other parts are
/// passed over. Errors: as read_call(). Keep the content itself for the conversation: its parts hold thoughtSignature,
/// which the API wants back.
result<std::vector<model_call>> read_calls(json::view content);

/// The part with the functionCall. Throws what arguments.value() throws.
json::fragment write_call(model_call const& call);

/// Where media of a result go.
enum class media {
  nested,    ///< Into functionResponse.parts, which models take from Gemini 3 on: PNG, JPEG and WebP images, PDF.
  left_out,  ///< A text says so.
};

/// The part with the functionResponse: {"output": ...}, or {"error": ...} where the tool failed. What is there is the
/// structured content; the texts, where there is none; {"text", "structured"} where there are both and they differ.
json::fragment write_result(model_call const& call, call_tool_result const& answer, media where = media::nested);

}  // namespace comcp::providers::gemini

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// providers/impl/gemini.ipp
#if !defined(COMCP_SINGLE_PROVIDERS_IMPL_GEMINI_IPP)
#define COMCP_SINGLE_PROVIDERS_IMPL_GEMINI_IPP
#include <algorithm>

namespace comcp::providers::gemini {
namespace detail {

using providers::detail::piece;

inline bool takes(std::string_view mime_type) noexcept {
  return (providers::detail::is_common_image(mime_type) && mime_type != "image/gif") || mime_type == "application/pdf";
}
inline bool takes_nothing(std::string_view) noexcept { return false; }

// The texts but one that merely says the structured content.
COMCP_DECL std::string texts_beside_structured(call_tool_result const& answer, providers::detail::media_filter takes) {
  if (answer.structured_content.is_null()) return providers::detail::joined_text(providers::detail::pieces_of(answer, takes));
  auto others = answer;
  std::erase_if(others.content, [&](content_block const& block) {
    call_tool_result one({block});
    one.structured_content = answer.structured_content;
    return providers::detail::says_structured(one);
  });
  return providers::detail::joined_text(providers::detail::pieces_of(others, takes));
}

COMCP_DECL void write_answer(json::writer& w, call_tool_result const& answer, providers::detail::media_filter takes) {
  auto text = texts_beside_structured(answer, takes);
  bool const structured = !answer.structured_content.is_null();
  if (answer.is_error && text.empty() && !structured) text = "the tool failed and said nothing";
  w.begin_object().key(answer.is_error ? "error" : "output");
  if (!structured) {
    w.string(text);
  } else if (text.empty()) {
    w.value(answer.structured_content);
  } else {
    w.begin_object().key("text").string(text).key("structured").value(answer.structured_content).end_object();
  }
  w.end_object();
}

COMCP_DECL void write_media(json::writer& w, std::vector<piece> const& pieces) {
  if (std::all_of(pieces.begin(), pieces.end(), [](piece const& p) { return p.is_text(); })) return;
  w.key("parts").begin_array();
  for (auto const& p : pieces) {
    if (p.is_text()) continue;
    w.begin_object().key("inlineData").begin_object();
    w.key("mimeType").string(p.mime_type).key("data").string(p.data).end_object().end_object();
  }
  w.end_array();
}

}  // namespace detail

COMCP_DECL json::fragment write_tools(std::span<offered_tool const> tools) {
  if (std::none_of(tools.begin(), tools.end(), [](auto const& one) { return one.is_for_model(); }))
    return json::fragment::trusted("[]");
  json::writer w;
  w.begin_array().begin_object().key("functionDeclarations").begin_array();
  for (auto const& one : tools) {
    if (!one.is_for_model()) continue;
    auto const& t = one.definition();
    w.begin_object().key("name").string(one.name()).key("description").string(t.description.value_or(""));
    w.key("parametersJsonSchema");
    providers::detail::write_schema(w, t.input_schema, false);
    w.end_object();
  }
  w.end_array().end_object().end_array();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_DECL result<model_call> read_call(json::view part) {
  auto const call = part.find("functionCall");
  if (!call || !call->is_object()) return error(errc::wrong_shape, "a part with a \"functionCall\" is expected");
  auto const id = call->find("id");
  bool const has_id = id && !id->is_null();
  return providers::detail::read_call(*call, has_id ? "id" : "", *call, "args", "functionCall");
}

COMCP_DECL result<std::vector<model_call>> read_calls(json::view content) {
  auto const parts = providers::detail::list_of(content, "parts");
  if (!parts) return parts.error();
  std::vector<model_call> out;
  for (auto const part : parts->elements()) {
    if (!part.find("functionCall")) continue;
    auto call = read_call(part);
    if (!call) return call.error();
    out.push_back(*std::move(call));
  }
  return out;
}

COMCP_DECL json::fragment write_call(model_call const& call) {
  json::writer w;
  w.begin_object().key("functionCall").begin_object();
  if (!call.id.empty()) w.key("id").string(call.id);
  w.key("name").string(call.name).key("args").raw(providers::detail::arguments_of(call).text()).end_object().end_object();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_DECL json::fragment write_result(model_call const& call, call_tool_result const& answer, media where) {
  auto const takes = where == media::nested ? detail::takes : detail::takes_nothing;
  json::writer w;
  w.begin_object().key("functionResponse").begin_object();
  if (!call.id.empty()) w.key("id").string(call.id);
  w.key("name").string(call.name).key("response");
  detail::write_answer(w, answer, takes);
  detail::write_media(w, providers::detail::pieces_of(answer, takes));
  w.end_object().end_object();
  return json::fragment::trusted(std::move(w).text());
}

}  // namespace comcp::providers::gemini
#endif
#endif
#endif

// providers/openai.hpp
#if !defined(COMCP_SINGLE_PROVIDERS_OPENAI_HPP)
#define COMCP_SINGLE_PROVIDERS_OPENAI_HPP
// Tools, calls and results as OpenAI has them, in its two shapes: openai_chat (chat completions, which many other
// providers and local servers imitate) and openai_responses. Neither has a mark for failures: such a result begins with
// "Error: ". Schemas get the "properties" that the API insists on, and are never called strict: MCP's need not be in
// the subset of JSON Schema that strict mode takes.

#include <span>
#include <vector>

namespace comcp::providers::openai_chat {

/// For the request's `tools`: an array of {"type":"function","function":{name, description, parameters}}. Descriptions
/// go whole; some models and providers of this shape refuse those of more than 1024 characters.
json::fragment write_tools(std::span<offered_tool const> tools);

/// One element of `tool_calls`. The arguments may be text, as the API has it, or an object. Errors: wrong_shape (no call
/// of a function, or one without id or name); what is wrong with the arguments alone is in the call.
result<model_call> read_call(json::view tool_call);

/// The calls of a message (an object with `tool_calls`, or the array itself), in order; calls of other types than
/// "function" are passed over. Errors: as read_call().
result<std::vector<model_call>> read_calls(json::view message);

/// The element of `tool_calls`, for a conversation that is put together anew. Throws what arguments.value() throws.
json::fragment write_call(model_call const& call);

/// The message of role "tool". It takes text alone; of media a text says that they were left out.
json::fragment write_result(model_call const& call, call_tool_result const& answer);

}  // namespace comcp::providers::openai_chat

namespace comcp::providers::openai_responses {

/// For the request's `tools`: an array of {"type":"function", name, description, parameters, "strict":false}; without
/// the last the API would take the schema for a strict one.
json::fragment write_tools(std::span<offered_tool const> tools);

/// One item of type function_call. Its call_id is the call's id. Errors: as openai_chat::read_call().
result<model_call> read_call(json::view item);

/// The calls of a response (an object with `output`, or the array itself), in order; other items are passed over.
result<std::vector<model_call>> read_calls(json::view response);

/// The item of type function_call. Throws what arguments.value() throws.
json::fragment write_call(model_call const& call);

/// The item of type function_call_output: a text, or a list where there are PNG, JPEG, GIF or WebP images or PDF files.
/// Of other media a text says that they were left out.
json::fragment write_result(model_call const& call, call_tool_result const& answer);

}  // namespace comcp::providers::openai_responses

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// providers/impl/openai.ipp
#if !defined(COMCP_SINGLE_PROVIDERS_IMPL_OPENAI_IPP)
#define COMCP_SINGLE_PROVIDERS_IMPL_OPENAI_IPP
#include <algorithm>

namespace comcp::providers {
namespace detail {

inline constexpr std::string_view failed = "Error: ";

inline void write_function(json::writer& w, offered_tool const& one) {
  auto const& t = one.definition();
  w.key("name").string(one.name()).key("description").string(t.description.value_or("")).key("parameters");
  write_schema(w, t.input_schema, true);
}

inline bool has_type(json::view item, std::string_view wanted) noexcept {
  auto const type = item.find("type");
  return type && type->get_string() == wanted;
}

inline bool takes_nothing(std::string_view) noexcept { return false; }
inline bool takes_files(std::string_view mime_type) noexcept {
  return is_common_image(mime_type) || mime_type == "application/pdf";
}

COMCP_DECL void write_input(json::writer& w, piece const& p) {
  w.begin_object().key("type");
  if (p.is_text()) {
    w.string("input_text").key("text").string(p.text);
  } else if (is_common_image(p.mime_type)) {
    w.string("input_image").key("image_url").string(data_url(p));
  } else {
    auto const slash = p.name.rfind('/');
    auto const file = slash == std::string_view::npos ? p.name : p.name.substr(slash + 1);
    w.string("input_file").key("filename").string(file.empty() ? "file.pdf" : file);
    w.key("file_data").string(data_url(p));
  }
  w.end_object();
}

}  // namespace detail

namespace openai_chat {

COMCP_DECL json::fragment write_tools(std::span<offered_tool const> tools) {
  json::writer w;
  w.begin_array();
  for (auto const& one : tools) {
    if (!one.is_for_model()) continue;
    w.begin_object().key("type").string("function").key("function").begin_object();
    detail::write_function(w, one);
    w.end_object().end_object();
  }
  w.end_array();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_DECL result<model_call> read_call(json::view tool_call) {
  auto const function = tool_call.find("function");
  bool const other = tool_call.find("type") && !detail::has_type(tool_call, "function");
  if (other || !function || !function->is_object())
    return error(errc::wrong_shape, "a tool call of type \"function\" is expected");
  return detail::read_call(tool_call, "id", *function, "arguments", "tool call");
}

COMCP_DECL result<std::vector<model_call>> read_calls(json::view message) {
  auto const calls = detail::list_of(message, "tool_calls");
  if (!calls) return calls.error();
  std::vector<model_call> out;
  for (auto const one : calls->elements()) {
    if (one.find("type") && !detail::has_type(one, "function")) continue;
    auto call = read_call(one);
    if (!call) return call.error();
    out.push_back(*std::move(call));
  }
  return out;
}

COMCP_DECL json::fragment write_call(model_call const& call) {
  auto const function = json::args("name", call.name, "arguments", detail::arguments_of(call).text());
  return json::args("id", call.id, "type", "function", "function", function);
}

COMCP_DECL json::fragment write_result(model_call const& call, call_tool_result const& answer) {
  auto text = detail::joined_text(detail::all_pieces_of(answer, detail::takes_nothing));
  if (answer.is_error) text.insert(0, detail::failed);
  return json::args("role", "tool", "tool_call_id", call.id, "content", text);
}

}  // namespace openai_chat

namespace openai_responses {

COMCP_DECL json::fragment write_tools(std::span<offered_tool const> tools) {
  json::writer w;
  w.begin_array();
  for (auto const& one : tools) {
    if (!one.is_for_model()) continue;
    w.begin_object().key("type").string("function");
    detail::write_function(w, one);
    w.key("strict").boolean(false).end_object();
  }
  w.end_array();
  return json::fragment::trusted(std::move(w).text());
}

COMCP_DECL result<model_call> read_call(json::view item) {
  if (!detail::has_type(item, "function_call"))
    return error(errc::wrong_shape, "an item of type \"function_call\" is expected");
  return detail::read_call(item, "call_id", item, "arguments", "function_call");
}

COMCP_DECL result<std::vector<model_call>> read_calls(json::view response) {
  auto const items = detail::list_of(response, "output");
  if (!items) return items.error();
  std::vector<model_call> out;
  for (auto const item : items->elements()) {
    if (!detail::has_type(item, "function_call")) continue;
    auto call = read_call(item);
    if (!call) return call.error();
    out.push_back(*std::move(call));
  }
  return out;
}

COMCP_DECL json::fragment write_call(model_call const& call) {
  return json::args("type", "function_call", "call_id", call.id, "name", call.name, "arguments",
                    detail::arguments_of(call).text());
}

COMCP_DECL json::fragment write_result(model_call const& call, call_tool_result const& answer) {
  auto pieces = detail::all_pieces_of(answer, detail::takes_files);
  bool const plain = std::all_of(pieces.begin(), pieces.end(), [](auto const& p) { return p.is_text(); });
  json::writer w;
  w.begin_object().key("type").string("function_call_output").key("call_id").string(call.id).key("output");
  if (plain) {
    auto text = detail::joined_text(pieces);
    w.string(answer.is_error ? std::string(detail::failed) + text : text);
  } else {
    if (answer.is_error) pieces.insert(pieces.begin(), detail::piece(std::string(detail::failed)));
    w.begin_array();
    for (auto const& p : pieces) detail::write_input(w, p);
    w.end_array();
  }
  w.end_object();
  return json::fragment::trusted(std::move(w).text());
}

}  // namespace openai_responses
}  // namespace comcp::providers
#endif
#endif
#endif

// registry/prometheus.hpp
#if !defined(COMCP_SINGLE_REGISTRY_PROMETHEUS_HPP)
#define COMCP_SINGLE_REGISTRY_PROMETHEUS_HPP
// A registry's statistics as metrics for Prometheus, comcp_registry_... by server, and its clients'.

#include <string>

// registry/statistics.hpp
#if !defined(COMCP_SINGLE_REGISTRY_STATISTICS_HPP)
#define COMCP_SINGLE_REGISTRY_STATISTICS_HPP
// What a registry counts.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace comcp {

/// A registry, each server as it was at one moment. Regular.
struct registry_statistics {
  struct server {
    server() = default;
    std::string name;
    server_state state = server_state::stopped;
    unsigned failures = 0;                    ///< In a row.
    std::uint64_t starts = 0;                 ///< Connections that became ready.
    std::size_t tools = 0, resources = 0, resource_templates = 0, prompts = 0;  ///< In the catalog.
    std::size_t blocked = 0;                  ///< Tools that pins hold back.
    std::size_t faults = 0;                   ///< What its last refresh could not bring into the catalog.
    std::optional<statistics> calls;          ///< Its client's, while it is ready. A server that failed has a new client later.
  };
  std::size_t total = 0, ready = 0;
  std::vector<server> servers;  ///< By name.
};

}  // namespace comcp
#endif

namespace comcp {

/// Each server's with its name as the label "server", and its client's as client/prometheus.hpp has them. `labels` are
/// added to all, to tell several registries from each other.
void add_metrics(prometheus_text& to, registry_statistics const& s, prometheus_labels const& labels = {});

/// The text of one registry alone.
[[nodiscard]] std::string to_prometheus(registry_statistics const& s, prometheus_labels const& labels = {});

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// registry/impl/prometheus.ipp
#if !defined(COMCP_SINGLE_REGISTRY_IMPL_PROMETHEUS_IPP)
#define COMCP_SINGLE_REGISTRY_IMPL_PROMETHEUS_IPP

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
#endif
#endif
#endif

// registry/registry.hpp
#if !defined(COMCP_SINGLE_REGISTRY_REGISTRY_HPP)
#define COMCP_SINGLE_REGISTRY_REGISTRY_HPP
// Many servers under one roof: their lives, the catalog of what they offer together, calls by qualified name. How it
// goes about that is registry_core's.

#include <chrono>
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

// registry/catalog.hpp
#if !defined(COMCP_SINGLE_REGISTRY_CATALOG_HPP)
#define COMCP_SINGLE_REGISTRY_CATALOG_HPP
// What all servers offer, as it was at one moment. Immutable; each server's part is shared between versions, so that a
// refresh of one server costs nothing for the others. When to refresh is the registry's.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// registry/qualified_name.hpp
#if !defined(COMCP_SINGLE_REGISTRY_QUALIFIED_NAME_HPP)
#define COMCP_SINGLE_REGISTRY_QUALIFIED_NAME_HPP
// `server/tool`: names of tools across servers.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace comcp {

/// `server` + separator + `tool`.
std::string qualified_name(std::string_view server, std::string_view tool, std::string_view separator = "/");

/// At the first separator; the tool's name may have more of them. Errors: no_separator; invalid_argument (an empty part).
result<std::pair<std::string, std::string>> split_name(std::string_view name, std::string_view separator = "/");

/// The longest name that a server may have in a registry, in bytes.
inline constexpr std::size_t longest_server_name = 128;

/// Whether a server may be called so: not empty, at most longest_server_name bytes, no control characters, and no
/// separator in it or across its end. Errors: invalid_argument.
result<void> check_server_name(std::string_view name, std::string_view separator = "/");

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// registry/impl/qualified_name.ipp
#if !defined(COMCP_SINGLE_REGISTRY_IMPL_QUALIFIED_NAME_IPP)
#define COMCP_SINGLE_REGISTRY_IMPL_QUALIFIED_NAME_IPP
#include <algorithm>

namespace comcp {

COMCP_DECL std::string qualified_name(std::string_view server, std::string_view tool, std::string_view separator) {
  std::string name;
  name.reserve(server.size() + separator.size() + tool.size());
  return name.append(server).append(separator).append(tool);
}

COMCP_DECL result<std::pair<std::string, std::string>> split_name(std::string_view name, std::string_view separator) {
  if (separator.empty()) return error(errc::invalid_argument, "a separator is never empty");
  auto const at = name.find(separator);
  if (at == name.npos)
    return error(errc::no_separator, std::string(name) + " has no \"" + std::string(separator) + "\" in it");
  auto const server = name.substr(0, at);
  auto const tool = name.substr(at + separator.size());
  if (server.empty() || tool.empty())
    return error(errc::invalid_argument, std::string(name) + " lacks the name of a server or of a tool");
  return std::pair<std::string, std::string>(server, tool);
}

COMCP_DECL result<void> check_server_name(std::string_view name, std::string_view separator) {
  auto const is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (name.empty()) return error(errc::invalid_argument, "a server's name is never empty");
  if (name.size() > longest_server_name) return error(errc::invalid_argument, "a server's name has at most 128 bytes");
  if (std::any_of(name.begin(), name.end(), is_control))
    return error(errc::invalid_argument, "a server's name has no control characters");
  // Nor may it begin one with the separator that follows it: "a:" with "::" would be taken apart as "a" and ":...".
  if (!separator.empty() && qualified_name(name, "", separator).find(separator) != name.size())
    return error(errc::invalid_argument, "a server's name has no \"" + std::string(separator) + "\" in it: " + std::string(name));
  return {};
}

}  // namespace comcp
#endif
#endif
#endif

namespace comcp {

/// A definition and where it came from.
template <class T>
struct catalog_entry {
  catalog_entry() = default;
  std::string server_name;
  std::string original_name;  ///< The server's own: of a tool or prompt its name, of a resource its uri, of a template its uriTemplate.
  std::string name;           ///< server_name + separator + original_name.
  T definition;
};

/// What came and went with one refresh, or with a server. Names are original_name, in order.
struct catalog_change {
  catalog_change() = default;
  std::string server_name;
  std::string kind;  ///< "tools", "resources", "resource_templates" or "prompts".
  std::vector<std::string> added, removed, changed;

  [[nodiscard]] bool empty() const noexcept { return added.empty() && removed.empty() && changed.empty(); }
};

/// Something that is missing from the catalog, and why: a definition that cannot be read, one whose name comes twice, or
/// a whole list that the server did not give (the one it gave before stays).
struct catalog_fault {
  catalog_fault() = default;
  catalog_fault(std::string server, std::string_view of, error why)
      : server_name(std::move(server)), kind(of), reason(std::move(why)) {}
  std::string server_name;
  std::string kind;
  error reason;
};

namespace detail {

template <class T>
struct catalog_kind;
template <>
struct catalog_kind<tool> {
  static constexpr std::string_view name = "tools";
  static constexpr std::size_t place = 0;
  static std::string& key(tool& t) { return t.name; }
};
template <>
struct catalog_kind<resource> {
  static constexpr std::string_view name = "resources";
  static constexpr std::size_t place = 1;
  static std::string& key(resource& r) { return r.uri; }
};
template <>
struct catalog_kind<resource_template> {
  static constexpr std::string_view name = "resource_templates";
  static constexpr std::size_t place = 2;
  static std::string& key(resource_template& t) { return t.uri_template; }
};
template <>
struct catalog_kind<prompt> {
  static constexpr std::string_view name = "prompts";
  static constexpr std::size_t place = 3;
  static std::string& key(prompt& p) { return p.name; }
};

/// One server's entries of one kind, by original_name, none twice.
template <class T>
using catalog_part = std::vector<catalog_entry<T>>;
template <class T>
using shared_part = std::shared_ptr<catalog_part<T> const>;

/// All servers' entries of one kind: by server_name, then by original_name.
template <class T>
struct catalog_contents {
  explicit catalog_contents(std::string sep) : separator(std::move(sep)) {}

  std::string separator;
  std::vector<std::pair<std::string, shared_part<T>>> parts;
  std::vector<catalog_entry<T> const*> all;
};

}  // namespace detail

/// All entries of one kind, in order: by server, then by name. A cheap snapshot that never changes and keeps alive what
/// it holds; references and iterators live as long as some copy of it. Safe from any thread.
template <class T>
class catalog_view {
 public:
  using value_type = catalog_entry<T>;

  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = catalog_entry<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = value_type const*;
    using reference = value_type const&;

    iterator() = default;
    explicit iterator(value_type const* const* at) noexcept : at_(at) {}
    reference operator*() const noexcept { return **at_; }
    pointer operator->() const noexcept { return *at_; }
    iterator& operator++() noexcept { return ++at_, *this; }
    iterator operator++(int) noexcept { return iterator(at_++); }
    friend bool operator==(iterator const&, iterator const&) = default;

   private:
    value_type const* const* at_ = nullptr;
  };
  using const_iterator = iterator;

  explicit catalog_view(std::string separator = "/")
      : contents_(std::make_shared<detail::catalog_contents<T>>(std::move(separator))) {}

  [[nodiscard]] iterator begin() const noexcept { return iterator(contents_->all.data()); }
  [[nodiscard]] iterator end() const noexcept { return iterator(contents_->all.data() + contents_->all.size()); }
  [[nodiscard]] std::size_t size() const noexcept { return contents_->all.size(); }
  [[nodiscard]] bool empty() const noexcept { return contents_->all.empty(); }
  [[nodiscard]] value_type const& operator[](std::size_t i) const noexcept { return *contents_->all[i]; }

  /// By its qualified name; null if there is none.
  [[nodiscard]] value_type const* find(std::string_view name) const noexcept {
    auto const& separator = contents_->separator;
    auto const at = name.find(separator);
    return at == name.npos ? nullptr : find(name.substr(0, at), name.substr(at + separator.size()));
  }
  [[nodiscard]] value_type const* find(std::string_view server, std::string_view original_name) const noexcept {
    auto const part = of(server);
    return part ? find_in(*part, original_name) : nullptr;
  }
  /// Each server's entry of this bare name.
  [[nodiscard]] std::vector<value_type const*> find_all(std::string_view original_name) const {
    std::vector<value_type const*> found;
    for (auto const& [server, part] : contents_->parts) {
      if (auto const* const entry = find_in(*part, original_name)) found.push_back(entry);
    }
    return found;
  }

  /// One server's entries, null if it has none.
  [[nodiscard]] detail::shared_part<T> of(std::string_view server) const noexcept {
    auto const at = place(contents_->parts, server);
    return at != contents_->parts.end() && at->first == server ? at->second : nullptr;
  }
  /// The same catalog with another part for one server; null takes it out.
  [[nodiscard]] catalog_view with(std::string_view server, detail::shared_part<T> part) const {
    catalog_view next(contents_->separator);
    auto& to = *next.contents_;
    to.parts = contents_->parts;
    auto const at = place(to.parts, server);
    bool const there = at != to.parts.end() && at->first == server;
    if (part && !part->empty()) {
      if (there) at->second = std::move(part);
      else to.parts.emplace(at, server, std::move(part));
    } else if (there) {
      to.parts.erase(at);
    }
    std::size_t total = 0;
    for (auto const& p : to.parts) total += p.second->size();
    to.all.reserve(total);
    for (auto const& p : to.parts) {
      for (auto const& entry : *p.second) to.all.push_back(&entry);
    }
    return next;
  }

 private:
  template <class Parts>
  static auto place(Parts& parts, std::string_view server) {
    return std::lower_bound(parts.begin(), parts.end(), server, [](auto const& p, std::string_view s) { return p.first < s; });
  }
  static value_type const* find_in(detail::catalog_part<T> const& part, std::string_view name) noexcept {
    auto const at = std::lower_bound(part.begin(), part.end(), name,
                                     [](auto const& e, std::string_view n) { return e.original_name < n; });
    return at != part.end() && at->original_name == name ? &*at : nullptr;
  }

  std::shared_ptr<detail::catalog_contents<T>> contents_;  // changed by with() alone, before anybody sees it
};

namespace detail {

/// One server's part from its list. Of a name that comes twice the first counts; what is left out is told as faults.
template <class T>
shared_part<T> make_part(std::string const& server, std::string_view separator, std::vector<T> definitions,
                         std::vector<catalog_fault>& faults) {
  using kind = catalog_kind<T>;
  std::vector<T*> sorted;
  sorted.reserve(definitions.size());
  for (auto& definition : definitions) sorted.push_back(&definition);
  // Of one name in the order of the list. (Not stable_sort: clang warns of what libstdc++ 12 does there.)
  std::sort(sorted.begin(), sorted.end(), [](T* x, T* y) {
    int const order = kind::key(*x).compare(kind::key(*y));
    return order != 0 ? order < 0 : std::less<T*>()(x, y);
  });
  auto part = std::make_shared<catalog_part<T>>();
  part->reserve(sorted.size());
  for (auto* const definition : sorted) {
    catalog_entry<T> e;
    e.server_name = server;
    e.original_name = kind::key(*definition);
    e.name = qualified_name(server, e.original_name, separator);
    e.definition = std::move(*definition);
    part->push_back(std::move(e));
  }
  auto const again = [&](auto const& a, auto const& b) {
    if (a.original_name != b.original_name) return false;
    faults.emplace_back(server, kind::name, error(errc::protocol_violation, b.original_name + " comes twice: the first counts"));
    return true;
  };
  part->erase(std::unique(part->begin(), part->end(), again), part->end());
  return part;
}

/// What came, went or is another now. Null is a part without entries.
template <class T>
catalog_change difference(std::string const& server, shared_part<T> const& before, shared_part<T> const& after) {
  static catalog_part<T> const none;
  auto const& was = before ? *before : none;
  auto const& is = after ? *after : none;
  catalog_change c;
  c.server_name = server;
  c.kind = catalog_kind<T>::name;
  auto a = was.begin();
  auto b = is.begin();
  while (a != was.end() || b != is.end()) {
    if (b == is.end() || (a != was.end() && a->original_name < b->original_name)) {
      c.removed.push_back((a++)->original_name);
    } else if (a == was.end() || b->original_name < a->original_name) {
      c.added.push_back((b++)->original_name);
    } else {
      if (!(a->definition.raw == b->definition.raw)) c.changed.push_back(b->original_name);
      ++a, ++b;
    }
  }
  return c;
}

}  // namespace detail
}  // namespace comcp
#endif

// registry/registry_options.hpp
#if !defined(COMCP_SINGLE_REGISTRY_REGISTRY_OPTIONS_HPP)
#define COMCP_SINGLE_REGISTRY_REGISTRY_OPTIONS_HPP
// What a registry is told, with every default.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace comcp {

/// A tool that is held back, and why.
struct blocked_tool {
  blocked_tool() = default;
  catalog_entry<tool> entry;
  pin_finding finding;
};

class registry_options {
 public:
  registry_options() {}
  /// Between a server's and a tool's name (default "/"). No server's name may contain it.
  registry_options& separator(std::string s) { return separator_ = std::move(s), *this; }
  /// Whether a tool may be called by its bare name where that is unique (default true).
  registry_options& bare_names(bool yes) { return bare_names_ = yes, *this; }
  /// A call to a server that is not ready (starting, backing off, or lazy: that starts it) fails at once with
  /// errc::not_ready instead of waiting for it within its timeout.
  registry_options& fail_fast(bool yes = true) { return fail_fast_ = yes, *this; }
  /// How long list changes are gathered before a refresh (default 300 ms).
  registry_options& debounce(std::chrono::milliseconds d) { return debounce_ = d, *this; }
  /// The bound of close() (default 10 s): servers that are not through by then are ended abruptly.
  registry_options& close_timeout(timespan d) { return close_timeout_ = d, *this; }
  /// A span for each call, read, prompt and subscription, from before its server is waited for; the client's own is below
  /// it (comcp/trace/span.hpp).
  registry_options& spans(span_hook hook) { return spans_ = std::move(hook), *this; }
  registry_options& time(std::shared_ptr<time_source> t) { return time_ = std::move(t), *this; }
  /// Decides which tools, prompts and instructions are offered (default: all). It is asked about each definition that is
  /// listed, and again when a blocked one is called; clients of registry.find() go past it. Use it on the registry's
  /// executor only.
  registry_options& pins(std::shared_ptr<pin_guard> g) { return pins_ = std::move(g), *this; }

  // Listeners, called on the registry's executor, where they may begin its operations and destroy it. What they throw is
  // dropped. A registry that is destroyed elsewhere tells nothing more once that executor has come to it.

  /// After each refresh, and when a server goes away: once for each kind that changed.
  registry_options& on_change(std::function<void(catalog_change const&)> f) { return on_change_ = std::move(f), *this; }
  /// Each time that a server's state changes.
  registry_options& on_status(std::function<void(server_status const&)> f) { return on_status_ = std::move(f), *this; }
  registry_options& on_fault(std::function<void(catalog_fault const&)> f) { return on_fault_ = std::move(f), *this; }
  /// Of each tool, prompt or instructions that pins() warns of or blocks: when it comes, and when the finding changes.
  registry_options& on_finding(std::function<void(pin_finding const&)> f) { return on_finding_ = std::move(f), *this; }

  [[nodiscard]] std::string const& separator() const noexcept { return separator_; }
  [[nodiscard]] bool allows_bare_names() const noexcept { return bare_names_; }
  [[nodiscard]] bool fails_fast() const noexcept { return fail_fast_; }
  [[nodiscard]] std::chrono::milliseconds debounce() const noexcept { return debounce_; }
  [[nodiscard]] std::chrono::nanoseconds close_timeout() const noexcept { return close_timeout_; }
  [[nodiscard]] std::shared_ptr<time_source> const& time() const noexcept { return time_; }
  [[nodiscard]] span_hook const& spans() const noexcept { return spans_; }
  [[nodiscard]] std::shared_ptr<pin_guard> const& pins() const noexcept { return pins_; }
  [[nodiscard]] auto const& on_change() const noexcept { return on_change_; }
  [[nodiscard]] auto const& on_status() const noexcept { return on_status_; }
  [[nodiscard]] auto const& on_fault() const noexcept { return on_fault_; }
  [[nodiscard]] auto const& on_finding() const noexcept { return on_finding_; }

 private:
  std::string separator_ = "/";
  bool bare_names_ = true;
  bool fail_fast_ = false;
  std::chrono::milliseconds debounce_{300};
  std::chrono::nanoseconds close_timeout_ = std::chrono::seconds(10);
  std::shared_ptr<time_source> time_;
  span_hook spans_;
  std::shared_ptr<pin_guard> pins_;
  std::function<void(catalog_change const&)> on_change_;
  std::function<void(server_status const&)> on_status_;
  std::function<void(catalog_fault const&)> on_fault_;
  std::function<void(pin_finding const&)> on_finding_;
};

}  // namespace comcp
#endif

namespace comcp {
namespace detail {
class registry_core;
COMCP_LAZY std::shared_ptr<registry_core> make_registry_core(asio::any_io_executor home, registry_options options);
/// Throws errc::closed where there is none: the registry was moved from.
COMCP_LAZY std::shared_ptr<registry_core> const& there(std::shared_ptr<registry_core> const& core);
/// Abandons it when it goes away.
COMCP_LAZY std::shared_ptr<void> end_of(std::shared_ptr<registry_core> core);
}  // namespace detail

/// Many servers. Move-only; destroying it is abrupt (calls end with errc::closed, server processes are killed), close()
/// is graceful. Operations may be awaited on any executor and resume there; those that are no operations (servers,
/// status, find, config, tools, ...) are snapshots and safe from any thread, while nobody moves or destroys the registry.
class registry {
 public:
  /// Servers' clients run on `home` where server_config().executor() says nothing else, and so do the listeners. A
  /// thread_pool's executor is wrapped in a strand; of a multi-threaded io_context give asio::make_strand(io). Throws
  /// errc::invalid_argument for an empty separator.
  template <class Executor>
    requires(!std::same_as<Executor, registry> && std::convertible_to<Executor, asio::any_io_executor>)
  explicit registry(Executor home, registry_options options = registry_options())
      : core_(detail::make_registry_core(std::move(home), std::move(options))), end_(detail::end_of(core_)) {}
  registry(registry&&) noexcept = default;
  registry& operator=(registry&&) noexcept = default;

  /// As the configuration's start_mode says; start_mode::waits returns when the server is ready and its lists were read
  /// (a list that fails is a fault and no error). Servers that are added concurrently start in parallel. Errors:
  /// already_registered, invalid_argument (check_server_name), closed, and what connecting fails with; nothing is left
  /// behind then, nor when it is cancelled.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> add(std::string_view name, server_config config) const;
  /// Calls in flight end with errc::closed. The name is free at once; completes when the server is gone, and cancelling
  /// it stops only the waiting. Errors: unknown_server.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> remove(std::string_view name) const;
  /// Ends the connection, if there is one, and begins anew; completes as add() does. Errors: unknown_server, and what
  /// connecting fails with.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> reconnect(std::string_view name) const;
  /// Removes every server at once, within registry_options().close_timeout(). Nothing can be added afterwards. Twice is
  /// fine; cancelling it stops only the waiting.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> close() const;
  /// Waits until no server is starting for the first time, or `limit` has passed. Says whether all are ready and listed,
  /// lazy ones that nobody used yet left aside.
  COMCP_LAZY [[nodiscard]] asio::awaitable<bool> settled(timespan limit) const;

  COMCP_LAZY [[nodiscard]] std::vector<std::string> servers() const;  ///< By name.
  COMCP_LAZY [[nodiscard]] result<server_status> status(std::string_view name) const;
  COMCP_LAZY [[nodiscard]] result<server_config> config(std::string_view name) const;
  COMCP_LAZY [[nodiscard]] registry_statistics statistics() const;
  /// The client while the server is ready. It does not own the connection. Errors: unknown_server, not_ready.
  COMCP_LAZY [[nodiscard]] result<client> find(std::string_view name) const;

  // The catalog: what servers listed that are ready, or on their way back. See catalog_view.
  COMCP_LAZY [[nodiscard]] catalog_view<tool> tools() const;
  COMCP_LAZY [[nodiscard]] catalog_view<resource> resources() const;
  COMCP_LAZY [[nodiscard]] catalog_view<resource_template> resource_templates() const;
  COMCP_LAZY [[nodiscard]] catalog_view<comcp::prompt> prompts() const;
  /// The tools that registry_options().pins() holds back, by server, then by name.
  COMCP_LAZY [[nodiscard]] std::vector<blocked_tool> blocked() const;
  /// What the server tells a model about itself, which may be nothing, as of its last refresh. Errors: unknown_server,
  /// not_ready (it was never read), tool_blocked (registry_options().pins() holds it back).
  COMCP_LAZY [[nodiscard]] result<std::string> instructions(std::string_view server) const;
  /// What the last refresh of each server could not bring into the catalog.
  COMCP_LAZY [[nodiscard]] std::vector<catalog_fault> faults() const;

  // Calls. Where the server is not ready they wait for it within their timeout, of which the rest is the call's own, or
  // end at once where registry_options().fail_fast() says so: errc::not_ready either way, and nothing was sent.

  /// By qualified name, or by a bare one that is unique in the catalog. A tool that the server does not list is not
  /// called. Errors: unknown_server, unknown_tool, ambiguous_name, no_separator (bare names are off), tool_blocked,
  /// not_ready; and those of client.call_tool().
  COMCP_LAZY [[nodiscard]] asio::awaitable<call_tool_result> call(std::string_view tool,
                                                                  json::fragment arguments = json::fragment(),
                                                                  call_options options = call_options()) const;
  /// Errors: unknown_server, not_ready, tool_blocked (a prompt that pins hold back), and those of client.read_resource()
  /// and client.get_prompt().
  COMCP_LAZY [[nodiscard]] asio::awaitable<read_resource_result> read(std::string_view server, std::string_view uri,
                                                                      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<get_prompt_result> prompt(std::string_view server, std::string_view name,
                                                                     json::fragment arguments = json::fragment(),
                                                                     call_options options = call_options()) const;
  /// As client.subscribe(); it is renewed with every new connection.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> subscribe(std::string_view server, std::string_view uri,
                                                           updated_callback f = updated_callback(),
                                                           call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> unsubscribe(std::string_view server, std::string_view uri,
                                                             call_options options = call_options()) const;

  /// Lists anew, waiting for the server as a call does. Errors: unknown_server, not_ready, and the first of the faults
  /// that listing met.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> refresh(std::string_view server) const;
  /// Lists all servers anew that are ready, for 30 s at most. What fails is in faults().
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> refresh() const;

  using executor_type = asio::any_io_executor;
  /// Empty where this was moved from.
  COMCP_LAZY [[nodiscard]] executor_type get_executor() const noexcept;

 private:
  std::shared_ptr<detail::registry_core> core_;
  std::shared_ptr<void> end_;
};

}  // namespace comcp

// registry/registry_core.hpp
#if !defined(COMCP_SINGLE_REGISTRY_REGISTRY_CORE_HPP)
#define COMCP_SINGLE_REGISTRY_REGISTRY_CORE_HPP
// A registry without its surface, put together of its parts: servers (who is there), refresher (when their lists are
// read), offers (what came of it), calls (which server one goes to). Internal.

#include <memory>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

// registry/calls.hpp
#if !defined(COMCP_SINGLE_REGISTRY_CALLS_HPP)
#define COMCP_SINGLE_REGISTRY_CALLS_HPP
// Which server of a registry a call goes to, how long it waits for it, and what is subscribed there. On home only.
// Internal.

#include <memory>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

// registry/member.hpp
#if !defined(COMCP_SINGLE_REGISTRY_MEMBER_HPP)
#define COMCP_SINGLE_REGISTRY_MEMBER_HPP
// One server of a registry, and how long a caller waits for it. On home only. Internal.

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

// registry/offers.hpp
#if !defined(COMCP_SINGLE_REGISTRY_OFFERS_HPP)
#define COMCP_SINGLE_REGISTRY_OFFERS_HPP
// What a registry's servers offer: what they listed, without what pins hold back, and what is wrong with the rest. Home
// alone writes, and reads without the mutex; every other thread reads under it. When lists are read is
// registry/refresher's. Internal.

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace comcp::detail {

COMCP_LAZY error no_such_server(std::string_view name);

/// What a listener throws is dropped, as documented.
template <class What>
void tell(std::function<void(What const&)> const& listener, What const& what) noexcept {
  if (!listener) return;
  try {
    listener(what);
  } catch (...) {
  }
}

/// One server's, as of its last refresh.
struct server_offers {
  explicit server_offers(std::string n) : server(std::move(n)) {}

  std::string const server;
  bool withdrawn = false;  // it is no member any more

  // The mutex guards these.
  std::array<std::vector<catalog_fault>, 4> faults;
  std::vector<blocked_tool> blocked;
  result<std::string> instructions = error(errc::not_ready, "the instructions of " + server + " were not read yet");

  // Where pins decide: all that it lists, and the findings by name where something is not simply allowed.
  std::tuple<shared_part<tool>, shared_part<prompt>> listed;
  std::map<std::pair<pin_kind, std::string>, pin_finding> findings;
};

class registry_offers {
 public:
  COMCP_LAZY explicit registry_offers(registry_options const& options);

  // From any thread.
  template <class T>
  [[nodiscard]] catalog_view<T> view() const {
    std::lock_guard const lock(mutex_);
    return std::get<catalog_view<T>>(views_);
  }
  COMCP_LAZY [[nodiscard]] std::vector<blocked_tool> blocked() const;
  COMCP_LAZY [[nodiscard]] result<std::string> instructions(std::string_view server) const;
  COMCP_LAZY [[nodiscard]] std::vector<catalog_fault> faults() const;
  /// What the catalog has of these servers.
  COMCP_LAZY void count(std::vector<registry_statistics::server>& servers) const;

  // On home. Whatever may call a listener or the pins' policy may find the server withdrawn afterwards.
  COMCP_LAZY std::shared_ptr<server_offers> add(std::string const& server);
  /// Everything that it offers is taken back.
  COMCP_LAZY void withdraw(server_offers& o);
  COMCP_LAZY void forget(server_offers& o);
  template <class T>
  void adopt(server_offers& o, result<listing<T>> listed);
  COMCP_LAZY void adopt_instructions(server_offers& o, std::string const& text);

  [[nodiscard]] bool has_tool(std::string_view server, std::string_view name) const noexcept {
    return std::get<catalog_view<tool>>(views_).find(server, name) != nullptr;
  }
  /// Each server with such a tool; what is blocked counts, or another server's could take its place.
  COMCP_LAZY [[nodiscard]] std::vector<std::string> having_tool(std::string_view name) const;
  /// Why the pins hold it back, if they do: they are asked again, as it may be approved by now.
  template <class T>
  [[nodiscard]] error blocks(server_offers& o, std::string_view name);

 private:
  COMCP_LAZY [[nodiscard]] static error held_back(server_offers const& o, pin_kind kind, std::string_view name);
  template <class T>
  void check(server_offers& o);
  COMCP_LAZY void tell_findings(server_offers& o, pin_kind kind, std::vector<pin_finding> found,
                                std::function<void()> const& publish);
  template <class T>
  void publish(server_offers& o, shared_part<T> part);
  COMCP_LAZY void set_faults(server_offers& o, std::size_t kind, std::vector<catalog_fault> faults);

  registry_options const& options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<server_offers>, std::less<>> all_;
  std::tuple<catalog_view<tool>, catalog_view<resource>, catalog_view<resource_template>, catalog_view<prompt>> views_;
};

}  // namespace comcp::detail
#endif

// sansio/list_refresh.hpp
#if !defined(COMCP_SINGLE_SANSIO_LIST_REFRESH_HPP)
#define COMCP_SINGLE_SANSIO_LIST_REFRESH_HPP
// When the lists of one server are read: one refresh at a time and one after it, changes gathered before that. Who drives
// it waits and reads.

#include <algorithm>
#include <cstdint>
#include <utility>

namespace comcp::sansio {

class list_refresh {
 public:
  enum class want : std::uint8_t {
    rest,    ///< Nothing to do until touch() says so.
    gather,  ///< Wait for what else changes, or until it is to be at once, then next().
    read,    ///< Read what take() gives, then finished().
  };

  /// These lists, a set of bits, are to be read: soon, or at once. True where somebody is to begin with next().
  [[nodiscard]] bool touch(unsigned lists, bool at_once) noexcept {
    lists_ |= lists;
    due_ = std::max(due_, at_once ? due::now : due::soon);
    return !std::exchange(driven_, true);
  }
  /// Without a connection everything waits for the next one, which touches all.
  [[nodiscard]] want next(bool connected) noexcept {
    if (lists_ != 0 && due_ == due::soon) return due_ = due::gathered, want::gather;
    if (lists_ != 0 && connected) return want::read;
    driven_ = false;
    return want::rest;
  }
  /// What is read now, from this connection, of which there is one after the other from 1 on.
  [[nodiscard]] unsigned take(std::uint64_t connection) noexcept {
    reading_from_ = connection;
    answers_ = asked_;
    due_ = due::never;
    return std::exchange(lists_, 0);
  }
  void finished() noexcept {
    read_from_ = reading_from_;
    answered_ = answers_;
  }

  /// For one who waits for a refresh that begins after this: its number.
  [[nodiscard]] std::uint64_t ask() noexcept { return ++asked_; }
  [[nodiscard]] bool has_answered(std::uint64_t number) const noexcept { return answered_ >= number; }

  /// Whether all lists of this connection were read, and nothing is left to read.
  [[nodiscard]] bool is_current(std::uint64_t connection) const noexcept {
    return connection != 0 && read_from_ == connection && !driven_ && lists_ == 0;
  }
  /// What was read counts no more.
  void forget() noexcept { read_from_ = 0; }

 private:
  enum class due : std::uint8_t { never, soon, gathered, now };

  unsigned lists_ = 0;  // that are to be read
  due due_ = due::never;
  bool driven_ = false;
  std::uint64_t asked_ = 0, answers_ = 0, answered_ = 0;
  std::uint64_t reading_from_ = 0, read_from_ = 0;
};

}  // namespace comcp::sansio
#endif

namespace comcp::detail {

class registry_core;

struct registry_member final : live_server_owner_of<registry_member>, std::enable_shared_from_this<registry_member> {
  COMCP_LAZY registry_member(std::weak_ptr<registry_core> r, std::string n, std::shared_ptr<server_offers> o)
      : registry(std::move(r)), name(std::move(n)), offers(std::move(o)) {}

  COMCP_LAZY void member_changed(std::string const&);
  COMCP_LAZY void member_ready(std::string const&);
  COMCP_LAZY void member_gave_up(std::string const&);

  [[nodiscard]] bool is_lazy() const noexcept { return server->config().start() == start_mode::lazy; }
  [[nodiscard]] bool is_listed() const { return server->connection() && lists.is_current(server->look()->starts); }

  std::weak_ptr<registry_core> registry;
  std::string name;
  std::shared_ptr<live_server> server;
  bell rung;
  error gone;            // why it is no member any more
  bool stopped = false;  // its end is complete

  std::shared_ptr<server_offers> offers;
  sansio::list_refresh lists;
  std::shared_ptr<gate> gathering;     // of changes of its lists
  std::weak_ptr<client_link> watched;  // the connection whose list changes are heard
  std::multimap<std::string, updated_callback, std::less<>> subscribed;  // by uri, for a client to come
};

/// How long a caller waits for a server.
struct patience {
  patience(std::chrono::steady_clock::time_point now, std::chrono::nanoseconds d, std::stop_token s = std::stop_token())
      : start(now), until(later(now, d)), stop(std::move(s)) {}
  std::chrono::steady_clock::time_point start, until;
  std::stop_token stop;
};

}  // namespace comcp::detail
#endif

namespace comcp::detail {

class registry_calls {
 public:
  using member = std::shared_ptr<registry_member>;

  explicit registry_calls(registry_core& core) noexcept : core_(core) {}

  // Operations.
  COMCP_LAZY asio::awaitable<call_tool_result> call(std::string name, json::fragment arguments, call_options options);
  COMCP_LAZY asio::awaitable<read_resource_result> read(std::string server, std::string uri, call_options options);
  COMCP_LAZY asio::awaitable<get_prompt_result> prompt(std::string server, std::string name, json::fragment arguments,
                                                       call_options options);
  COMCP_LAZY asio::awaitable<void> subscribe(std::string server, std::string uri, updated_callback f,
                                             call_options options);
  COMCP_LAZY asio::awaitable<void> unsubscribe(std::string server, std::string uri, call_options options);

  /// At a client that is another one than before.
  COMCP_LAZY void subscribe_again(member const& m);
  COMCP_LAZY [[nodiscard]] patience patience_for(registry_member const& m, call_options const& o) const;
  /// Until something about the server changes. Throws where there is nothing to wait for, or no time left.
  COMCP_LAZY asio::awaitable<void> wait_for(member m, patience p);

 private:
  struct route;

  COMCP_LAZY [[nodiscard]] result<route> resolve(std::string_view name);
  COMCP_LAZY [[nodiscard]] result<route> resolve_bare(std::string_view name, error otherwise);
  COMCP_LAZY [[nodiscard]] result<route> resolve_at(member const& m, std::string_view tool);
  COMCP_LAZY [[nodiscard]] error cannot_wait(member const& m, patience const& p) const;
  COMCP_LAZY [[nodiscard]] call_options rest_of(call_options o, registry_member const& m, patience const& p) const;
  COMCP_LAZY asio::awaitable<client> ready(member m, patience p);
  /// Takes off the options' time what it waited.
  COMCP_LAZY asio::awaitable<client> ready_for(member m, call_options& options);
  COMCP_LAZY asio::awaitable<void> subscribe_once_more(member m, std::string uri, updated_callback f);

  registry_core& core_;
};

}  // namespace comcp::detail
#endif

// registry/refresher.hpp
#if !defined(COMCP_SINGLE_REGISTRY_REFRESHER_HPP)
#define COMCP_SINGLE_REGISTRY_REFRESHER_HPP
// Keeps what a registry's servers offer current: reads their lists, as sansio/list_refresh says when. What is wrong with
// one definition, list or server costs no other. On home only. Internal.

#include <cstdint>
#include <memory>
#include <string>

#include <asio/awaitable.hpp>

namespace comcp::detail {

/// Which lists are to be read.
namespace list_kinds {
inline constexpr unsigned tools = 1, resources = 2, prompts = 4, all = 7;
}

class registry_refresher {
 public:
  using member = std::shared_ptr<registry_member>;

  explicit registry_refresher(registry_core& core) noexcept : core_(core) {}

  /// These list_kinds are read: at once, or with what else changes within the debounce.
  COMCP_LAZY void touch(member const& m, unsigned kinds, bool at_once);
  /// Nothing that listing meets is an error, and nor is that it takes too long; only that the server, which was ready, is
  /// lost, and not back in time.
  COMCP_LAZY asio::awaitable<void> until_listed(member m, patience p);

  // Operations.
  COMCP_LAZY asio::awaitable<void> refresh(std::string name);
  COMCP_LAZY asio::awaitable<void> refresh_all();

 private:
  COMCP_LAZY asio::awaitable<void> keep_current(member m);
  COMCP_LAZY asio::awaitable<void> gather_changes(member m);
  COMCP_LAZY asio::awaitable<void> read_lists(member m, client c, unsigned kinds);
  COMCP_LAZY void watch(member const& m, client const& c, server_capabilities const& can);
  COMCP_LAZY [[nodiscard]] std::uint64_t ask(member const& m);
  COMCP_LAZY asio::awaitable<void> until_read(member m, std::uint64_t mine, patience p);

  registry_core& core_;
};

}  // namespace comcp::detail
#endif

// registry/servers.hpp
#if !defined(COMCP_SINGLE_REGISTRY_SERVERS_HPP)
#define COMCP_SINGLE_REGISTRY_SERVERS_HPP
// Which servers a registry has: how they come and go, and what is heard of their lives. Home alone writes, and reads
// without the mutex; every other thread reads under it, so that a member's last reference ends on home. Internal.

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

namespace comcp::detail {

class registry_servers {
 public:
  using member = std::shared_ptr<registry_member>;
  using by_name = std::map<std::string, member, std::less<>>;

  explicit registry_servers(registry_core& core) noexcept : core_(core) {}

  // Operations.
  COMCP_LAZY asio::awaitable<void> add(std::string name, server_config config);
  COMCP_LAZY asio::awaitable<void> remove(std::string name);
  COMCP_LAZY asio::awaitable<void> restart(std::string name);
  COMCP_LAZY asio::awaitable<void> close();
  COMCP_LAZY asio::awaitable<bool> settled(std::chrono::nanoseconds limit);

  // From any thread.
  COMCP_LAZY [[nodiscard]] std::vector<std::string> names() const;
  COMCP_LAZY [[nodiscard]] result<server_status> status(std::string_view name) const;
  COMCP_LAZY [[nodiscard]] result<server_config> config(std::string_view name) const;
  COMCP_LAZY [[nodiscard]] result<client> connection(std::string_view name) const;
  /// The servers' processes end at once.
  COMCP_LAZY void cut() noexcept;

  // On home.
  [[nodiscard]] by_name const& all() const noexcept { return all_; }
  COMCP_LAZY [[nodiscard]] member find(std::string_view name) const noexcept;
  COMCP_LAZY [[nodiscard]] member require(std::string_view name) const;
  /// Why there is no such server.
  COMCP_LAZY [[nodiscard]] error absent(std::string_view name) const;
  [[nodiscard]] bool is_closing() const noexcept { return phase_ != phase::open; }
  COMCP_LAZY void ring(registry_member& m) noexcept;
  COMCP_LAZY void state_changed(member const& m);
  COMCP_LAZY void gave_up(member const& m);
  COMCP_LAZY void abrupt() noexcept;
  COMCP_LAZY void context_gone() noexcept;

 private:
  enum class phase { open, closing, closed };

  template <class Look>
  auto look_at(std::string_view name, Look look) const -> decltype(look(std::declval<live_server const&>()));
  COMCP_LAZY void detach(member const& m, error why);
  COMCP_LAZY void let_go(member const& m, error why);
  COMCP_LAZY asio::awaitable<void> stop(member m);
  COMCP_LAZY asio::awaitable<void> close_all();

  registry_core& core_;
  mutable std::mutex mutex_;
  by_name all_;
  std::vector<member> leaving_;  // no members any more, and not stopped yet
  bell rung_;                    // something happened to one of them
  phase phase_ = phase::open;
};

}  // namespace comcp::detail
#endif

namespace comcp::detail {

class registry_core final : private tenant_of<registry_core>, public std::enable_shared_from_this<registry_core> {
 public:
  COMCP_LAZY registry_core(asio::any_io_executor home, registry_options o);

  COMCP_LAZY void abandon() noexcept;                 ///< The registry went away.
  COMCP_LAZY void spawn(asio::awaitable<void> work);  ///< Detached; keeps the core.
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return home_; }

  registry_options const options;
  std::shared_ptr<time_source> const time;
  std::shared_ptr<owner_home> const told_at;  // for what happens on the servers' executors
  registry_servers servers;
  registry_offers offers;
  registry_refresher refresher;
  registry_calls calls;

 private:
  friend tenant_of<registry_core>;
  COMCP_LAZY void lose_context() noexcept;
};

}  // namespace comcp::detail
#endif
#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// registry/impl/calls.ipp
#if !defined(COMCP_SINGLE_REGISTRY_IMPL_CALLS_IPP)
#define COMCP_SINGLE_REGISTRY_IMPL_CALLS_IPP
#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace comcp::detail {

// Where a tool is. Without `tool` the server's list is not known yet: it is to be waited for.
struct registry_calls::route {
  explicit route(member m) : server(std::move(m)) {}
  route(member m, std::string_view t) : server(std::move(m)), tool(t) {}
  member server;
  std::string tool;
};

COMCP_LAZY_DECL result<registry_calls::route> registry_calls::resolve(std::string_view name) {
  auto const& separator = core_.options.separator();
  auto const& servers = core_.servers;
  auto const at = name.find(separator);
  if (servers.is_closing()) return servers.absent(name);
  if (at == name.npos) {
    if (!core_.options.allows_bare_names())
      return error(errc::no_separator, std::string(name) + " has no \"" + separator + "\" in it");
    return resolve_bare(name, error(errc::unknown_tool, "no server has a tool " + std::string(name)));
  }
  auto const server = name.substr(0, at);
  if (auto const m = servers.find(server)) return resolve_at(m, name.substr(at + separator.size()));
  if (!core_.options.allows_bare_names()) return servers.absent(server);
  return resolve_bare(name, servers.absent(server));
}

COMCP_LAZY_DECL result<registry_calls::route> registry_calls::resolve_bare(std::string_view name, error otherwise) {
  auto const having = core_.offers.having_tool(name);
  if (having.empty()) return otherwise;
  if (having.size() == 1) return resolve_at(core_.servers.find(having.front()), name);
  std::string servers;
  for (auto const& server : having) servers.append(servers.empty() ? "" : ", ").append(server);
  return error(errc::ambiguous_name, std::string(name) + " is a tool of " + servers);
}

COMCP_LAZY_DECL result<registry_calls::route> registry_calls::resolve_at(member const& m, std::string_view tool_name) {
  auto const blocked = core_.offers.blocks<tool>(*m->offers, tool_name);
  if (core_.offers.has_tool(m->name, tool_name)) return route(m, tool_name);
  if (blocked) return blocked;
  if (!m->is_listed()) return route(m);
  return error(errc::unknown_tool, "the server " + m->name + " has no tool " + std::string(tool_name));
}

namespace registry_detail {

// How long a call may last in all, by its options and those of the server.
struct call_times {
  call_times(connect_options const& all, call_options const& o)
      : timeout(o.timeout().value_or(all.timeout())),
        hard(o.hard_timeout().value_or(std::max(all.hard_timeout(), timeout))) {}
  std::chrono::nanoseconds timeout, hard;
};

// Tells the circuit breaker how it ended.
template <class T>
asio::awaitable<T> told(std::shared_ptr<registry_member> m, asio::awaitable<T> call) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(call);
      m->server->call_ended(nullptr);
    } else {
      auto value = co_await std::move(call);
      m->server->call_ended(nullptr);
      co_return value;
    }
  } catch (...) {
    auto const why = current_error();
    m->server->call_ended(&why);
    throw exception(why);
  }
}

}  // namespace registry_detail

COMCP_LAZY_DECL patience registry_calls::patience_for(registry_member const& m, call_options const& o) const {
  registry_detail::call_times const times(m.server->config().options(), o);
  return {core_.time->now(), std::min(times.hard, times.timeout), o.stop()};
}

// What the wait for the server has left of the call's time.
COMCP_LAZY_DECL call_options registry_calls::rest_of(call_options o, registry_member const& m,
                                                     patience const& p) const {
  std::chrono::nanoseconds const waited = core_.time->now() - p.start;
  if (waited <= waited.zero()) return o;
  registry_detail::call_times const times(m.server->config().options(), o);
  bool const extends = o.extends_on_progress();  // which a timeout by hand would switch on
  constexpr std::chrono::nanoseconds least(1);
  o.timeout(std::max(times.timeout - waited, least));
  o.hard_timeout(std::max(times.hard - waited, least));
  return o.extend_on_progress(extends);
}

// Nothing was sent, whatever the reason: that is what the code says.
COMCP_LAZY_DECL error registry_calls::cannot_wait(member const& m, patience const& p) const {
  if (m->gone) return m->gone;
  if (p.stop.stop_requested()) return {errc::cancelled, "the server " + m->name + " was waited for"};
  auto const life = m->server->look();
  auto const not_ready = [&](std::string_view how) {
    auto text = "the server " + m->name + ' ' + std::string(how);
    if (life->state != server_state::ready && life->reason) text += ": " + life->reason.to_string();
    return error(errc::not_ready, std::move(text));
  };
  if (life->state == server_state::failed) return not_ready("has failed");
  bool const asleep = life->state == server_state::stopped;
  if (asleep && !m->is_lazy()) return not_ready("is stopped");
  if (asleep) m->server->start_in_background();
  if (core_.options.fails_fast()) return not_ready("is not ready");
  if (core_.time->now() >= p.until) return not_ready("did not become ready within the call's timeout");
  return {};
}

COMCP_LAZY_DECL asio::awaitable<void> registry_calls::wait_for(member m, patience p) {
  if (auto const why = cannot_wait(m, p)) throw exception(why.with_outcome(call_outcome::not_sent));
  auto waiting = m->rung.wait(core_.time, p.until, p.stop);
  co_await std::move(waiting);
  if (m->gone) throw exception(m->gone);
}

COMCP_LAZY_DECL asio::awaitable<client> registry_calls::ready(member m, patience p) {
  for (;;) {
    auto c = m->server->connection();
    if (c && !m->gone) co_return std::move(*c);
    auto waiting = wait_for(m, p);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL asio::awaitable<client> registry_calls::ready_for(member m, call_options& options) {
  auto const p = patience_for(*m, options);
  auto waiting = ready(m, p);
  auto c = co_await std::move(waiting);
  options = rest_of(std::move(options), *m, p);
  co_return c;
}

COMCP_LAZY_DECL asio::awaitable<call_tool_result> registry_calls::call(std::string name, json::fragment arguments,
                                                                       call_options options) {
  auto const hold = core_.shared_from_this();
  std::optional<patience> p;
  for (;;) {
    auto const where = resolve(name);
    if (!where) throw exception(where.error());
    auto const m = where->server;
    if (!p) p = patience_for(*m, options);
    auto const c = m->server->connection();
    if (c && !where->tool.empty()) {
      options = rest_of(std::move(options), *m, *p);
      auto calling = registry_detail::told(m, c->call_tool(where->tool, std::move(arguments), std::move(options)));
      auto result = co_await std::move(calling);
      co_return result;
    }
    auto waiting = wait_for(m, *p);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL asio::awaitable<read_resource_result> registry_calls::read(std::string server, std::string uri,
                                                                           call_options options) {
  auto const hold = core_.shared_from_this();
  auto const m = core_.servers.require(server);
  auto waiting = ready_for(m, options);
  auto const c = co_await std::move(waiting);
  auto reading = registry_detail::told(m, c.read_resource(uri, std::move(options)));
  auto result = co_await std::move(reading);
  co_return result;
}

// Where pins decide, the list is waited for: it shows whether the prompt is what was approved.
COMCP_LAZY_DECL asio::awaitable<get_prompt_result> registry_calls::prompt(std::string server, std::string name,
                                                                          json::fragment arguments,
                                                                          call_options options) {
  auto const hold = core_.shared_from_this();
  auto const m = core_.servers.require(server);
  if (core_.options.pins()) {
    auto const p = patience_for(*m, options);
    auto waiting = ready(m, p);
    (void)co_await std::move(waiting);
    auto listing = core_.refresher.until_listed(m, p);
    co_await std::move(listing);
    if (auto const why = core_.offers.blocks<comcp::prompt>(*m->offers, name)) throw exception(why);
    options = rest_of(std::move(options), *m, p);
  }
  auto waiting = ready_for(m, options);
  auto const c = co_await std::move(waiting);
  auto getting = registry_detail::told(m, c.get_prompt(name, std::move(arguments), std::move(options)));
  auto result = co_await std::move(getting);
  co_return result;
}

COMCP_LAZY_DECL asio::awaitable<void> registry_calls::subscribe(std::string server, std::string uri, updated_callback f,
                                                                call_options options) {
  auto const hold = core_.shared_from_this();
  auto const m = core_.servers.require(server);
  auto waiting = ready_for(m, options);
  auto const c = co_await std::move(waiting);
  auto subscribing = registry_detail::told(m, c.subscribe(uri, f, std::move(options)));
  co_await std::move(subscribing);
  m->subscribed.emplace(std::move(uri), std::move(f));
}

COMCP_LAZY_DECL asio::awaitable<void> registry_calls::unsubscribe(std::string server, std::string uri,
                                                                  call_options options) {
  auto const hold = core_.shared_from_this();
  auto const m = core_.servers.require(server);
  m->subscribed.erase(uri);
  auto waiting = ready_for(m, options);
  auto const c = co_await std::move(waiting);
  auto unsubscribing = registry_detail::told(m, c.unsubscribe(uri, std::move(options)));
  co_await std::move(unsubscribing);
}

COMCP_LAZY_DECL void registry_calls::subscribe_again(member const& m) {
  for (auto const& [uri, f] : m->subscribed) core_.spawn(subscribe_once_more(m, uri, f));
}

COMCP_LAZY_DECL asio::awaitable<void> registry_calls::subscribe_once_more(member m, std::string uri,
                                                                          updated_callback f) {
  auto const c = m->server->connection();
  if (!c) co_return;
  auto subscribing = as_result(c->subscribe(uri, std::move(f)));
  auto const done = co_await std::move(subscribing);
  if (!done && !m->gone) tell(core_.options.on_fault(), catalog_fault(m->name, "subscription", done.error()));
}

}  // namespace comcp::detail
#endif

// registry/impl/offers.ipp
#if !defined(COMCP_SINGLE_REGISTRY_IMPL_OFFERS_IPP)
#define COMCP_SINGLE_REGISTRY_IMPL_OFFERS_IPP
#include <algorithm>
#include <concepts>

namespace comcp::detail {

template <class T>
inline constexpr auto pin_kind_of = std::same_as<T, tool> ? pin_kind::tool : pin_kind::prompt;

COMCP_LAZY_DECL error no_such_server(std::string_view name) {
  return {errc::unknown_server, "no server is called " + std::string(name)};
}

COMCP_LAZY_DECL registry_offers::registry_offers(registry_options const& options)
    : options_(options),
      views_(catalog_view<tool>(options.separator()), catalog_view<resource>(options.separator()),
             catalog_view<resource_template>(options.separator()), catalog_view<prompt>(options.separator())) {}

COMCP_LAZY_DECL std::vector<blocked_tool> registry_offers::blocked() const {
  std::lock_guard const lock(mutex_);
  std::vector<blocked_tool> every;
  for (auto const& [name, o] : all_) every.insert(every.end(), o->blocked.begin(), o->blocked.end());
  return every;
}

COMCP_LAZY_DECL std::vector<catalog_fault> registry_offers::faults() const {
  std::lock_guard const lock(mutex_);
  std::vector<catalog_fault> every;
  for (auto const& [name, o] : all_) {
    for (auto const& kind : o->faults) every.insert(every.end(), kind.begin(), kind.end());
  }
  return every;
}

COMCP_LAZY_DECL void registry_offers::count(std::vector<registry_statistics::server>& servers) const {
  std::lock_guard const lock(mutex_);
  for (auto& s : servers) {
    auto const listed = [&s](auto const& view) {
      auto const part = view.of(s.name);
      return part ? part->size() : std::size_t{0};
    };
    s.tools = listed(std::get<catalog_view<tool>>(views_));
    s.resources = listed(std::get<catalog_view<resource>>(views_));
    s.resource_templates = listed(std::get<catalog_view<resource_template>>(views_));
    s.prompts = listed(std::get<catalog_view<prompt>>(views_));
    auto const own = all_.find(s.name);
    if (own == all_.end()) continue;
    s.blocked = own->second->blocked.size();
    for (auto const& kind : own->second->faults) s.faults += kind.size();
  }
}

COMCP_LAZY_DECL result<std::string> registry_offers::instructions(std::string_view server) const {
  std::lock_guard const lock(mutex_);
  auto const found = all_.find(server);
  if (found == all_.end()) return no_such_server(server);
  return found->second->instructions;
}

COMCP_LAZY_DECL std::shared_ptr<server_offers> registry_offers::add(std::string const& server) {
  auto o = std::make_shared<server_offers>(server);
  std::lock_guard const lock(mutex_);
  all_.emplace(server, o);
  return o;
}

COMCP_LAZY_DECL void registry_offers::withdraw(server_offers& o) {
  o.withdrawn = true;
  std::shared_ptr<server_offers> last;
  {
    std::lock_guard const lock(mutex_);
    if (auto entry = all_.extract(o.server)) last = std::move(entry.mapped());
  }
  forget(o);
}

COMCP_LAZY_DECL void registry_offers::forget(server_offers& o) {
  server_offers nothing(o.server);
  {
    std::lock_guard const lock(mutex_);
    std::swap(o.faults, nothing.faults);
    std::swap(o.blocked, nothing.blocked);
    std::swap(o.instructions, nothing.instructions);
  }
  o.listed = {};
  o.findings.clear();
  publish<tool>(o, nullptr);
  publish<resource>(o, nullptr);
  publish<resource_template>(o, nullptr);
  publish<prompt>(o, nullptr);
}

template <class T>
void registry_offers::adopt(server_offers& o, result<listing<T>> listed) {
  if (o.withdrawn) return;
  constexpr auto kind = catalog_kind<T>::name;
  constexpr std::size_t place = catalog_kind<T>::place;
  std::vector<catalog_fault> faults;
  if (!listed) {
    auto const* const peer = listed.error().peer();
    bool const no_such_list = std::same_as<T, resource_template> && peer && peer->code == -32601;
    if (!no_such_list) {
      faults.emplace_back(o.server, kind, listed.error());
      return set_faults(o, place, std::move(faults));  // the part that is known stays
    }
    listed = listing<T>();
  }
  for (auto const& broken : listed->set_aside())
    faults.emplace_back(o.server, kind, error(errc::wrong_shape, "a definition was set aside: " + broken.reason));
  auto part = make_part<T>(o.server, options_.separator(), std::move(*listed).items(), faults);
  set_faults(o, place, std::move(faults));
  if (o.withdrawn) return;
  if constexpr (std::same_as<T, tool> || std::same_as<T, prompt>) {
    std::get<shared_part<T>>(o.listed) = std::move(part);
    check<T>(o);
  } else {
    publish<T>(o, std::move(part));
  }
}

// Offered is what the pins let through.
template <class T>
void registry_offers::check(server_offers& o) {
  if (o.withdrawn) return;
  auto const listed = std::get<shared_part<T>>(o.listed);
  if (!options_.pins() || !listed) return publish<T>(o, listed);
  auto const through = std::make_shared<catalog_part<T>>();
  std::vector<blocked_tool> held;
  std::vector<pin_finding> findings;
  for (auto const& entry : *listed) {
    auto found = options_.pins()->check(o.server, entry.definition);
    if (found.verdict != pin_verdict::block) through->push_back(entry);
    if constexpr (std::same_as<T, tool>) {
      if (found.verdict == pin_verdict::block) {
        auto& b = held.emplace_back();
        b.entry = entry;
        b.finding = found;
      }
    }
    findings.push_back(std::move(found));
  }
  options_.pins()->listed(o.server, pin_kind_of<T>);
  if (o.withdrawn) return;
  if constexpr (std::same_as<T, tool>) {
    std::lock_guard const lock(mutex_);
    o.blocked.swap(held);
  }
  tell_findings(o, pin_kind_of<T>, std::move(findings), [&] { publish<T>(o, through); });
}

COMCP_LAZY_DECL void registry_offers::adopt_instructions(server_offers& o, std::string const& text) {
  if (o.withdrawn) return;
  result<std::string> through = text;
  std::vector<pin_finding> findings;
  if (options_.pins()) {
    findings.push_back(options_.pins()->check_instructions(o.server, text));
    if (findings[0].verdict == pin_verdict::block) through = findings[0].to_error();
    if (o.withdrawn) return;
  }
  {
    std::lock_guard const lock(mutex_);
    std::swap(o.instructions, through);
  }
  tell_findings(o, pin_kind::instructions, std::move(findings), [] {});
}

// Whoever is told of a finding sees the catalog as it then is.
COMCP_LAZY_DECL void registry_offers::tell_findings(server_offers& o, pin_kind kind, std::vector<pin_finding> found,
                                                    std::function<void()> const& publish) {
  std::map<std::string, pin_finding> before;
  std::erase_if(o.findings, [&](auto& entry) {
    bool const same_kind = entry.first.first == kind;
    if (same_kind) before.emplace(entry.first.second, std::move(entry.second));
    return same_kind;
  });
  std::erase_if(found, [](pin_finding const& f) { return f.verdict == pin_verdict::allow; });
  for (auto const& f : found) o.findings.emplace(std::pair(kind, f.name), f);
  publish();
  for (auto const& f : found) {
    auto const known = before.find(f.name);
    if (known == before.end() || known->second.offered != f.offered || known->second.verdict != f.verdict)
      tell(options_.on_finding(), f);
  }
}

template <class T>
void registry_offers::publish(server_offers& o, shared_part<T> part) {
  auto& view = std::get<catalog_view<T>>(views_);
  auto const change = difference<T>(o.server, view.of(o.server), part);
  auto next = view.with(o.server, std::move(part));
  {
    std::lock_guard const lock(mutex_);
    std::swap(view, next);
  }
  if (!change.empty()) tell(options_.on_change(), change);
}

COMCP_LAZY_DECL void registry_offers::set_faults(server_offers& o, std::size_t kind,
                                                 std::vector<catalog_fault> faults) {
  auto const copies = faults;
  {
    std::lock_guard const lock(mutex_);
    o.faults[kind].swap(faults);
  }
  for (auto const& f : copies) tell(options_.on_fault(), f);
}

COMCP_LAZY_DECL std::vector<std::string> registry_offers::having_tool(std::string_view name) const {
  std::vector<std::string> having;
  for (auto const* const entry : std::get<catalog_view<tool>>(views_).find_all(name)) having.push_back(entry->server_name);
  if (options_.pins()) {
    for (auto const& [server, o] : all_) {
      if (held_back(*o, pin_kind::tool, name)) having.push_back(server);
    }
    std::sort(having.begin(), having.end());
  }
  return having;
}

COMCP_LAZY_DECL error registry_offers::held_back(server_offers const& o, pin_kind kind, std::string_view name) {
  auto const found = o.findings.find(std::pair(kind, std::string(name)));
  bool const held = found != o.findings.end() && found->second.verdict == pin_verdict::block;
  return held ? found->second.to_error() : error();
}

template <class T>
error registry_offers::blocks(server_offers& o, std::string_view name) {
  if (held_back(o, pin_kind_of<T>, name)) check<T>(o);
  return held_back(o, pin_kind_of<T>, name);
}

}  // namespace comcp::detail
#endif

// registry/impl/refresher.ipp
#if !defined(COMCP_SINGLE_REGISTRY_IMPL_REFRESHER_IPP)
#define COMCP_SINGLE_REGISTRY_IMPL_REFRESHER_IPP
#include <utility>
#include <vector>

namespace comcp::detail {

COMCP_LAZY_DECL void registry_refresher::touch(member const& m, unsigned kinds, bool at_once) {
  if (m->gone) return;
  bool const begins = m->lists.touch(kinds, at_once);
  if (at_once && m->gathering) m->gathering->open();
  if (!begins) return;
  post(core_.home(), [this, hold = core_.shared_from_this(), m] { core_.spawn(keep_current(m)); });
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::keep_current(member m) {
  using want = sansio::list_refresh::want;
  while (!m->gone) {
    auto c = m->server->connection();
    auto const next = m->lists.next(c.has_value());
    if (next == want::rest) break;
    if (next == want::gather) {
      auto gathering = gather_changes(m);
      co_await std::move(gathering);
      continue;
    }
    auto const kinds = m->lists.take(m->server->look()->starts);
    auto reading = as_result(read_lists(m, std::move(*c), kinds));
    (void)co_await std::move(reading);
    if (m->gone) break;
    m->lists.finished();
    core_.servers.ring(*m);
  }
  core_.servers.ring(*m);
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::gather_changes(member m) {
  auto const over = std::make_shared<gate>(core_.home());
  m->gathering = over;
  auto const alarm = core_.time->make_deadline(core_.home());
  std::function<void()> fire = [over] { over->open(); };
  alarm->arm(later(core_.time->now(), core_.options.debounce()), std::move(fire));
  co_await over->wait();
  m->gathering.reset();
}

namespace registry_detail {

// The lists that one refresh reads, all at once.
struct reading {
  reading(std::shared_ptr<registry_core> c, std::shared_ptr<registry_member> server, client connection)
      : core(std::move(c)), m(std::move(server)), from(std::move(connection)), done(core->home()) {}

  // Each is taken over when it comes: one that is slow holds up no other.
  template <class T>
  static asio::awaitable<void> take(std::shared_ptr<reading> all, asio::awaitable<listing<T>> list) {
    struct turn {
      explicit turn(reading& a) noexcept : of(a) {}
      ~turn() { of.finish(); }
      reading& of;
    } const mine(*all);
    auto listed = co_await as_result(std::move(list));
    all->core->offers.adopt(*all->m->offers, std::move(listed));
  }
  template <class T>
  static void start(std::shared_ptr<reading> const& all, bool offered, asio::awaitable<listing<T>> list) {
    if (!offered) return all->core->offers.adopt(*all->m->offers, result<listing<T>>(listing<T>()));
    ++all->open;
    spawn(all->core->home(), take<T>(all, std::move(list)));
  }
  void finish() noexcept {
    if (--open == 0) done.open();
  }

  std::shared_ptr<registry_core> core;
  std::shared_ptr<registry_member> m;
  client from;
  unsigned open = 1;
  gate done;
};

}  // namespace registry_detail

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::read_lists(member m, client c, unsigned kinds) {
  auto can = c.capabilities();
  if (c.era() == era::modern && !c.verdict().discovered) {  // a prior verdict came without them
    auto asking = as_result(c.discover());
    auto const found = co_await std::move(asking);
    if (found) can = found->capabilities;
  }
  core_.offers.adopt_instructions(*m->offers, c.instructions());
  if (m->gone) co_return;
  watch(m, c, can);
  using registry_detail::reading;
  auto const all = std::make_shared<reading>(core_.shared_from_this(), m, std::move(c));
  auto const& from = all->from;
  if (kinds & list_kinds::tools) reading::start(all, can.tools.has_value(), from.list_tools());
  if (kinds & list_kinds::prompts) reading::start(all, can.prompts.has_value(), from.list_prompts());
  if (kinds & list_kinds::resources) {
    reading::start(all, can.resources.has_value(), from.list_resources());
    reading::start(all, can.resources.has_value(), from.list_resource_templates());
  }
  all->finish();
  co_await all->done.wait();
}

// Hears of list changes, once for each client, which has none of the subscriptions of the one before.
COMCP_LAZY_DECL void registry_refresher::watch(member const& m, client const& c, server_capabilities const& can) {
  auto const watched = client_access::core(c);
  if (m->watched.lock() == watched) return;
  m->watched = watched;
  core_.calls.subscribe_again(m);
  auto const hear = [&](std::string const& kind, unsigned bit) {
    if (c.era() == era::modern && !can.supports_list_changed(kind)) return;  // it would be asked for them
    auto changed = [at = core_.told_at, weak = std::weak_ptr(m), bit] {
      at->post([weak, bit] {
        auto const alive = weak.lock();
        auto const r = alive ? alive->registry.lock() : nullptr;
        if (r) r->refresher.touch(alive, bit, false);
      });
    };
    dispatch(watched->home(), [watched, kind, changed = std::move(changed)] {
      subscriptions_of<client_core>(*watched).watch(kind, changed, {});
    });
  };
  hear("tools", list_kinds::tools);
  hear("resources", list_kinds::resources);
  hear("prompts", list_kinds::prompts);
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::until_listed(member m, patience p) {
  for (;;) {
    if (m->gone) throw exception(m->gone);
    if (m->is_listed()) co_return;
    auto const life = m->server->look();
    bool const late = core_.time->now() >= p.until;
    if (life->state == server_state::failed || (late && life->state != server_state::ready)) throw exception(life->reason);
    if (late) co_return;
    auto waiting = m->rung.wait(core_.time, p.until, p.stop);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL std::uint64_t registry_refresher::ask(member const& m) {
  auto const mine = m->lists.ask();
  if (m->server->connection()) touch(m, list_kinds::all, true);  // else its becoming ready does that
  return mine;
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::until_read(member m, std::uint64_t mine, patience p) {
  while (!m->lists.has_answered(mine)) {
    if (m->gone) throw exception(m->gone);
    if (!m->server->connection()) {
      auto waiting = core_.calls.wait_for(m, p);
      co_await std::move(waiting);
      continue;
    }
    if (core_.time->now() >= p.until)
      throw exception(error(errc::timeout, "the lists of " + m->name + " were not read in time"));
    auto waiting = m->rung.wait(core_.time, p.until, p.stop);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::refresh(std::string name) {
  auto const hold = core_.shared_from_this();
  auto const m = core_.servers.require(name);
  auto reading = until_read(m, ask(m), core_.calls.patience_for(*m, call_options()));
  co_await std::move(reading);
  for (auto const& kind : m->offers->faults) {
    for (auto const& fault : kind) throw exception(fault.reason);
  }
}

COMCP_LAZY_DECL asio::awaitable<void> registry_refresher::refresh_all() {
  auto const hold = core_.shared_from_this();
  std::vector<std::pair<member, std::uint64_t>> asked;
  for (auto const& [name, m] : core_.servers.all()) {
    if (m->server->connection()) asked.emplace_back(m, ask(m));
  }
  patience const p(core_.time->now(), std::chrono::seconds(30));
  for (auto const& [m, mine] : asked) {
    auto reading = as_result(until_read(m, mine, p));
    auto const done = co_await std::move(reading);
    if (!done && done.error() == errc::cancelled) throw exception(done.error());
  }
}

}  // namespace comcp::detail
#endif

// registry/impl/registry.ipp
#if !defined(COMCP_SINGLE_REGISTRY_IMPL_REGISTRY_IPP)
#define COMCP_SINGLE_REGISTRY_IMPL_REGISTRY_IPP
// The registry as its users hold it: arguments are copied, and the work goes home. And its core.

namespace comcp {
namespace detail {

COMCP_LAZY_DECL registry_core::registry_core(asio::any_io_executor home, registry_options o)
    : tenant_of(std::move(home)),
      options(std::move(o)),
      time(options.time() ? options.time() : steady_time()),
      told_at(std::make_shared<owner_home>(home_)),
      servers(*this),
      offers(options),
      refresher(*this),
      calls(*this) {}

COMCP_LAZY_DECL std::shared_ptr<registry_core> make_registry_core(asio::any_io_executor home,
                                                                  registry_options options) {
  if (options.separator().empty()) throw exception(error(errc::invalid_argument, "a separator is never empty"));
  return std::make_shared<registry_core>(serial(std::move(home)), std::move(options));
}

COMCP_LAZY_DECL std::shared_ptr<void> end_of(std::shared_ptr<registry_core> core) {
  return abandoned_at_end(std::move(core));
}

COMCP_LAZY_DECL std::shared_ptr<registry_core> const& there(std::shared_ptr<registry_core> const& core) {
  if (!core) throw exception(error(errc::closed, "this registry was moved from"));
  return core;
}

COMCP_LAZY_DECL void registry_core::abandon() noexcept {
  at_home([self = shared_from_this()] { self->servers.abrupt(); });
  servers.cut();  // should home never run again
}

COMCP_LAZY_DECL void registry_core::spawn(asio::awaitable<void> work) {
  detail::spawn(home_, std::move(work), asio::cancellation_slot(), shared_from_this());
}

COMCP_LAZY_DECL void registry_core::lose_context() noexcept {
  told_at->gone();
  servers.context_gone();
}

}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<void> registry::add(std::string_view name, server_config config) const {
  return detail::on_home(detail::there(core_), detail::there(core_)->servers.add(std::string(name), std::move(config)));
}
COMCP_LAZY_DECL asio::awaitable<void> registry::remove(std::string_view name) const {
  return detail::on_home(detail::there(core_), detail::there(core_)->servers.remove(std::string(name)));
}
COMCP_LAZY_DECL asio::awaitable<void> registry::reconnect(std::string_view name) const {
  return detail::on_home(detail::there(core_), detail::there(core_)->servers.restart(std::string(name)));
}
COMCP_LAZY_DECL asio::awaitable<void> registry::close() const {
  return detail::on_home(detail::there(core_), detail::there(core_)->servers.close());
}
COMCP_LAZY_DECL asio::awaitable<bool> registry::settled(timespan limit) const {
  return detail::on_home(detail::there(core_), detail::there(core_)->servers.settled(limit));
}

COMCP_LAZY_DECL std::vector<std::string> registry::servers() const { return detail::there(core_)->servers.names(); }
COMCP_LAZY_DECL result<server_status> registry::status(std::string_view name) const {
  return detail::there(core_)->servers.status(name);
}
COMCP_LAZY_DECL result<server_config> registry::config(std::string_view name) const {
  return detail::there(core_)->servers.config(name);
}
COMCP_LAZY_DECL result<client> registry::find(std::string_view name) const { return detail::there(core_)->servers.connection(name); }
COMCP_LAZY_DECL catalog_view<tool> registry::tools() const { return detail::there(core_)->offers.view<tool>(); }
COMCP_LAZY_DECL catalog_view<resource> registry::resources() const { return detail::there(core_)->offers.view<resource>(); }
COMCP_LAZY_DECL catalog_view<resource_template> registry::resource_templates() const {
  return detail::there(core_)->offers.view<resource_template>();
}
COMCP_LAZY_DECL catalog_view<comcp::prompt> registry::prompts() const { return detail::there(core_)->offers.view<comcp::prompt>(); }
COMCP_LAZY_DECL std::vector<blocked_tool> registry::blocked() const { return detail::there(core_)->offers.blocked(); }
COMCP_LAZY_DECL result<std::string> registry::instructions(std::string_view server) const {
  return detail::there(core_)->offers.instructions(server);
}
COMCP_LAZY_DECL std::vector<catalog_fault> registry::faults() const { return detail::there(core_)->offers.faults(); }
COMCP_LAZY_DECL registry_statistics registry::statistics() const {
  auto const& core = *detail::there(core_);
  registry_statistics all;
  for (auto& name : core.servers.names()) {
    auto const now = core.servers.status(name);
    if (!now) continue;  // removed meanwhile
    auto& one = all.servers.emplace_back();
    one.state = now->state;
    one.failures = now->failures;
    one.starts = now->starts;
    if (auto const c = core.servers.connection(name)) one.calls = c->statistics();
    one.name = std::move(name);
    if (one.state == server_state::ready) ++all.ready;
  }
  all.total = all.servers.size();
  core.offers.count(all.servers);
  return all;
}
COMCP_LAZY_DECL asio::any_io_executor registry::get_executor() const noexcept {
  return core_ ? core_->home() : asio::any_io_executor();
}

namespace registry_detail {

template <class T>
using operation = std::function<asio::awaitable<T>(call_options)>;

template <class T>
asio::awaitable<T> in_span(std::shared_ptr<detail::registry_core> core, char const* name, std::string target,
                           call_options options, operation<T> f) {
  auto of = detail::span_of_call(core->options.spans(), span_layer::registry, name, options);
  of.set("comcp.target", std::move(target));
  try {
    auto work = f(std::move(options));
    if constexpr (std::is_void_v<T>) {
      co_await std::move(work);
      of.end();
    } else {
      auto value = co_await std::move(work);
      of.end();
      co_return value;
    }
  } catch (...) {
    of.fail(detail::current_error());
    throw;
  }
}

template <class T, class F>
asio::awaitable<T> start(std::shared_ptr<detail::registry_core> const& core, char const* name, std::string_view target,
                         call_options options, F f) {
  if (!core->options.spans()) return detail::on_home(core, f(std::move(options)));
  return detail::on_home(core, in_span<T>(core, name, std::string(target), std::move(options), std::move(f)));
}

}  // namespace registry_detail

COMCP_LAZY_DECL asio::awaitable<call_tool_result> registry::call(std::string_view tool, json::fragment arguments,
                                                                 call_options options) const {
  return registry_detail::start<call_tool_result>(
      detail::there(core_), "registry.call", tool, std::move(options),
      [c = detail::there(core_).get(), tool = std::string(tool), arguments = std::move(arguments)](call_options o) mutable {
        return c->calls.call(std::move(tool), std::move(arguments), std::move(o));
      });
}
COMCP_LAZY_DECL asio::awaitable<read_resource_result> registry::read(std::string_view server, std::string_view uri,
                                                                     call_options options) const {
  return registry_detail::start<read_resource_result>(
      detail::there(core_), "registry.read", server, std::move(options),
      [c = detail::there(core_).get(), server = std::string(server), uri = std::string(uri)](call_options o) mutable {
        return c->calls.read(std::move(server), std::move(uri), std::move(o));
      });
}
COMCP_LAZY_DECL asio::awaitable<get_prompt_result> registry::prompt(std::string_view server, std::string_view name,
                                                                    json::fragment arguments,
                                                                    call_options options) const {
  return registry_detail::start<get_prompt_result>(
      detail::there(core_), "registry.prompt", server, std::move(options),
      [c = detail::there(core_).get(), server = std::string(server), name = std::string(name),
       arguments = std::move(arguments)](call_options o) mutable {
        return c->calls.prompt(std::move(server), std::move(name), std::move(arguments), std::move(o));
      });
}
COMCP_LAZY_DECL asio::awaitable<void> registry::subscribe(std::string_view server, std::string_view uri,
                                                          updated_callback f, call_options options) const {
  return registry_detail::start<void>(
      detail::there(core_), "registry.subscribe", server, std::move(options),
      [c = detail::there(core_).get(), server = std::string(server), uri = std::string(uri), f = std::move(f)](call_options o) mutable {
        return c->calls.subscribe(std::move(server), std::move(uri), std::move(f), std::move(o));
      });
}
COMCP_LAZY_DECL asio::awaitable<void> registry::unsubscribe(std::string_view server, std::string_view uri,
                                                            call_options options) const {
  return registry_detail::start<void>(
      detail::there(core_), "registry.unsubscribe", server, std::move(options),
      [c = detail::there(core_).get(), server = std::string(server), uri = std::string(uri)](call_options o) mutable {
        return c->calls.unsubscribe(std::move(server), std::move(uri), std::move(o));
      });
}
COMCP_LAZY_DECL asio::awaitable<void> registry::refresh(std::string_view server) const {
  return detail::on_home(detail::there(core_), detail::there(core_)->refresher.refresh(std::string(server)));
}
COMCP_LAZY_DECL asio::awaitable<void> registry::refresh() const {
  return detail::on_home(detail::there(core_), detail::there(core_)->refresher.refresh_all());
}

}  // namespace comcp
#endif

// registry/impl/servers.ipp
#if !defined(COMCP_SINGLE_REGISTRY_IMPL_SERVERS_IPP)
#define COMCP_SINGLE_REGISTRY_IMPL_SERVERS_IPP
#include <utility>

namespace comcp::detail {

COMCP_LAZY_DECL void registry_member::member_changed(std::string const&) {
  if (auto const r = registry.lock(); r && !gone) r->servers.state_changed(shared_from_this());
}
COMCP_LAZY_DECL void registry_member::member_ready(std::string const&) {
  if (auto const r = registry.lock(); r && !gone) r->refresher.touch(shared_from_this(), list_kinds::all, true);
}
COMCP_LAZY_DECL void registry_member::member_gave_up(std::string const&) {
  if (auto const r = registry.lock(); r && !gone) r->servers.gave_up(shared_from_this());
}

COMCP_LAZY_DECL registry_servers::member registry_servers::find(std::string_view name) const noexcept {
  auto const found = all_.find(name);
  return found == all_.end() ? nullptr : found->second;
}

COMCP_LAZY_DECL error registry_servers::absent(std::string_view name) const {
  return is_closing() ? error(errc::closed, "the registry is closed") : no_such_server(name);
}

COMCP_LAZY_DECL registry_servers::member registry_servers::require(std::string_view name) const {
  auto m = find(name);
  if (!m) throw exception(absent(name));
  return m;
}

COMCP_LAZY_DECL asio::awaitable<void> registry_servers::add(std::string name, server_config config) {
  auto const hold = core_.shared_from_this();
  if (auto const ok = check_server_name(name, core_.options.separator()); !ok) throw exception(ok.error());
  if (is_closing()) throw exception(absent(name));
  if (find(name)) throw exception(error(errc::already_registered, name));
  auto const m = std::make_shared<registry_member>(hold, name, core_.offers.add(name));
  auto const home = config.executor() ? serial(config.executor()) : core_.home();
  m->server = std::make_shared<live_server>(name, std::move(config), home, core_.time, m, core_.told_at);
  {
    std::lock_guard const lock(mutex_);
    all_.emplace(name, m);
  }
  switch (m->server->config().start()) {
    case start_mode::lazy: co_return;
    case start_mode::background: m->server->start_in_background(); co_return;
    case start_mode::waits: break;
  }
  patience const p(core_.time->now(), m->server->config().start_timeout());
  try {  // all or nothing
    auto starting = on_home(m->server, m->server->start());
    co_await std::move(starting);
    auto listing = core_.refresher.until_listed(m, p);
    co_await std::move(listing);
  } catch (...) {
    if (m->gone) throw exception(m->gone);  // by whoever stops it
    auto const why = current_error();
    detach(m, why);
    m->server->abandon();
    throw exception(why);
  }
}

// The name is free, the catalog has its part no more, and who waits for it hears why.
COMCP_LAZY_DECL void registry_servers::detach(member const& m, error why) {
  if (m->gone) return;
  m->gone = std::move(why);
  {
    std::lock_guard const lock(mutex_);
    all_.erase(m->name);
  }
  core_.offers.withdraw(*m->offers);
  if (m->gathering) m->gathering->open();
  ring(*m);
}

COMCP_LAZY_DECL void registry_servers::let_go(member const& m, error why) {
  detach(m, std::move(why));
  leaving_.push_back(m);
  core_.spawn(stop(m));
}

// In a coroutine of its own: whoever waits for it may be cancelled.
COMCP_LAZY_DECL asio::awaitable<void> registry_servers::stop(member m) {
  auto stopping = as_result(on_home(m->server, m->server->stop()));
  (void)co_await std::move(stopping);
  m->stopped = true;
  std::erase(leaving_, m);
  ring(*m);
}

COMCP_LAZY_DECL asio::awaitable<void> registry_servers::remove(std::string name) {
  auto const hold = core_.shared_from_this();
  auto const m = require(name);
  let_go(m, error(errc::closed, "the server was removed"));
  while (!m->stopped) {
    auto waiting = m->rung.wait(core_.time);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL asio::awaitable<void> registry_servers::restart(std::string name) {
  auto const hold = core_.shared_from_this();
  auto const m = require(name);
  patience const p(core_.time->now(), m->server->config().start_timeout());
  auto restarting = on_home(m->server, m->server->restart());
  co_await std::move(restarting);
  auto listing = core_.refresher.until_listed(m, p);
  co_await std::move(listing);
}

COMCP_LAZY_DECL asio::awaitable<void> registry_servers::close() {
  auto const hold = core_.shared_from_this();
  if (!is_closing()) {
    phase_ = phase::closing;
    core_.spawn(close_all());
  }
  while (phase_ != phase::closed) {
    auto waiting = rung_.wait(core_.time);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL asio::awaitable<void> registry_servers::close_all() {
  auto const until = later(core_.time->now(), core_.options.close_timeout());
  auto const every = all_;
  for (auto const& [name, m] : every) {
    if (!m->gone) let_go(m, error(errc::closed, "the registry is closing"));  // else a listener removed it meanwhile
  }
  while (!leaving_.empty() && core_.time->now() < until) {
    auto waiting = rung_.wait(core_.time, until);
    co_await std::move(waiting);
  }
  auto const late = std::exchange(leaving_, {});
  for (auto const& m : late) m->server->abandon();
  phase_ = phase::closed;
  rung_.ring();
}

COMCP_LAZY_DECL void registry_servers::cut() noexcept {
  std::lock_guard const lock(mutex_);
  for (auto const& [name, m] : all_) m->server->cut();
}

COMCP_LAZY_DECL void registry_servers::abrupt() noexcept {
  phase_ = phase::closed;
  by_name every;
  {
    std::lock_guard const lock(mutex_);
    every.swap(all_);
  }
  auto const leave = [](registry_member& m) {
    if (!m.gone) m.gone = error(errc::closed, "the registry was destroyed");
    m.stopped = m.offers->withdrawn = true;
    m.server->abandon();
    if (m.gathering) m.gathering->open();
    m.rung.ring();
  };
  for (auto const& [name, m] : every) leave(*m);
  for (auto const& m : std::exchange(leaving_, {})) leave(*m);
  rung_.ring();
}

COMCP_LAZY_DECL void registry_servers::context_gone() noexcept {
  phase_ = phase::closed;
  for (auto const& [name, m] : all_) {
    m->gathering.reset();
    if (m->server->home() != core_.home()) m->server->abandon();
  }
}

COMCP_LAZY_DECL void registry_servers::ring(registry_member& m) noexcept {
  m.rung.ring();
  rung_.ring();
}

COMCP_LAZY_DECL void registry_servers::state_changed(member const& m) {
  auto const now = m->server->status();
  if (now.state == server_state::failed) {
    m->lists.forget();
    core_.offers.forget(*m->offers);
  }
  tell(core_.options.on_status(), now);
  ring(*m);
}

COMCP_LAZY_DECL void registry_servers::gave_up(member const& m) {
  auto const now = m->server->look();
  if (m->server->config().reconnect().attempts() > 0 || now->state != server_state::failed) return;  // begun anew meanwhile
  detach(m, error(errc::not_ready, "the server " + m->name + " was lost: " + now->reason.to_string()));
  m->server->abandon();
}

COMCP_LAZY_DECL asio::awaitable<bool> registry_servers::settled(std::chrono::nanoseconds limit) {
  auto const hold = core_.shared_from_this();
  auto const until = later(core_.time->now(), limit);
  for (;;) {
    if (is_closing()) throw exception(absent({}));
    bool starting = false, all_ready = true;
    for (auto const& [name, m] : all_) {
      auto const s = m->server->look();
      if (s->starts == 0 && s->state == server_state::stopped && m->is_lazy()) continue;
      bool const first = s->starts == 0 && s->failures == 0 && !s->reason;
      bool const listed = s->state == server_state::ready && m->is_listed();
      starting = starting || (first && s->state != server_state::failed) || (s->state == server_state::ready && !listed);
      all_ready = all_ready && listed;
    }
    if (!starting || core_.time->now() >= until) co_return all_ready;
    auto waiting = rung_.wait(core_.time, until);
    co_await std::move(waiting);
  }
}

COMCP_LAZY_DECL std::vector<std::string> registry_servers::names() const {
  std::lock_guard const lock(mutex_);
  std::vector<std::string> names;
  names.reserve(all_.size());
  for (auto const& [name, m] : all_) names.push_back(name);
  return names;
}

template <class Look>
auto registry_servers::look_at(std::string_view name, Look look) const -> decltype(look(std::declval<live_server const&>())) {
  std::lock_guard const lock(mutex_);
  auto const found = all_.find(name);
  if (found == all_.end()) return no_such_server(name);
  return look(*found->second->server);
}

COMCP_LAZY_DECL result<server_status> registry_servers::status(std::string_view name) const {
  return look_at(name, [](live_server const& s) -> result<server_status> { return s.status(); });
}

COMCP_LAZY_DECL result<server_config> registry_servers::config(std::string_view name) const {
  return look_at(name, [](live_server const& s) -> result<server_config> { return s.config(); });
}

COMCP_LAZY_DECL result<client> registry_servers::connection(std::string_view name) const {
  return look_at(name, [name](live_server const& s) -> result<client> {
    auto c = s.connection();
    if (!c) return error(errc::not_ready, "the server " + std::string(name) + " is not ready");
    return std::move(*c);
  });
}

}  // namespace comcp::detail
#endif
#endif
#endif
#endif

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
