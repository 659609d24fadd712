// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The connections of an Asio engine: who may have one, which ones rest until the next exchange, and for how long. It
// neither connects nor reads. Internal.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <comcp/http/asio_connection.hpp>
#include <comcp/http/url.hpp>

namespace comcp::http_detail {

struct origin_key {
  explicit origin_key(http_url const& url) : host(url.host()), port(url.port()), secure(url.secure()) {}
  std::string host;
  std::uint16_t port;
  bool secure;
};

struct origin_less {
  using is_transparent = void;
  static auto parts(origin_key const& k) noexcept { return std::tuple(std::string_view(k.host), k.port, k.secure); }
  static auto parts(http_url const& u) noexcept { return std::tuple(std::string_view(u.host()), u.port(), u.secure()); }
  bool operator()(auto const& a, auto const& b) const noexcept { return parts(a) < parts(b); }
};

/// The connections to one origin.
template <class Stream>
struct asio_origin {
  std::vector<std::shared_ptr<asio_connection<Stream>>> resting;  // the last one is used first
  std::size_t open = 0;                                           // with those that are being made
};

/// The right to one connection, and the connection once there is one. Its destructor gives it back to the pool when
/// its exchange is complete, and closes it otherwise.
template <class Stream>
class asio_lease {
 public:
  using connection = asio_connection<Stream>;

  asio_lease() = default;
  asio_lease(std::shared_ptr<asio_pool<Stream>> pool, asio_origin<Stream>& origin)
      : pool_(std::move(pool)), origin_(&origin) {}
  asio_lease(asio_lease&& other) noexcept = default;
  asio_lease& operator=(asio_lease&& other) noexcept {
    if (this != &other) {
      reset();
      pool_ = std::move(other.pool_);
      origin_ = other.origin_;
      connection_ = std::move(other.connection_);
    }
    return *this;
  }
  ~asio_lease() { reset(); }

  void attach(std::shared_ptr<connection> c) {
    c->origin = origin_;
    pool_->busy(*c);
    connection_ = std::move(c);
  }
  [[nodiscard]] std::shared_ptr<connection> const& get() const noexcept { return connection_; }
  void reset() noexcept {
    if (auto const pool = std::exchange(pool_, nullptr)) pool->give_back(*origin_, std::exchange(connection_, nullptr));
  }

 private:
  std::shared_ptr<asio_pool<Stream>> pool_;
  asio_origin<Stream>* origin_ = nullptr;
  std::shared_ptr<connection> connection_;
};

/// Used from one executor. Leases keep it; close() ends it.
template <class Stream>
class asio_pool : public std::enable_shared_from_this<asio_pool<Stream>> {
 public:
  using connection = asio_connection<Stream>;
  using origin = asio_origin<Stream>;
  using lease = asio_lease<Stream>;

  asio_pool(asio_engine_options const& options, std::shared_ptr<time_source> time)
      : max_idle_(options.max_idle()),
        max_connections_(options.max_connections()),
        expiry_(options.idle_expiry()),
        time_(std::move(time)) {}
  asio_pool(asio_pool const&) = delete;
  asio_pool& operator=(asio_pool const&) = delete;

  /// With a connection that rested, unless `fresh`; otherwise without one, for the caller to make.
  /// Errors: closed, queue_full.
  result<lease> take(http_url const& url, bool fresh) {
    if (closed_) return error(errc::closed, "the HTTP engine is gone");
    auto at = origins_.find(url);
    if (at == origins_.end()) at = origins_.emplace(origin_key(url), origin()).first;
    origin& o = at->second;
    while (!fresh && !o.resting.empty()) {
      auto const last = std::move(o.resting.back());
      o.resting.pop_back();
      if (last->rested_well()) {
        lease out(this->shared_from_this(), o);
        out.attach(last);
        return out;
      }
      --o.open;
      last->close();
    }
    if (o.open >= max_connections_ && !o.resting.empty()) drop(o, o.resting.begin());
    if (o.open >= max_connections_) {
      forget_if_unused(o);
      return error(errc::queue_full, "more connections to one origin than max_connections allows");
    }
    ++o.open;
    return lease(this->shared_from_this(), o);
  }

  void busy(connection& c) {
    c.place = busy_.size();
    busy_.push_back(&c);
  }

  void give_back(origin& o, std::shared_ptr<connection> c) noexcept {
    if (c) {
      busy_.back()->place = c->place;
      busy_[c->place] = busy_.back();
      busy_.pop_back();
      if (keep(o, c)) return;
      c->fail(error(errc::cancelled));
    }
    --o.open;
    forget_if_unused(o);
  }

  /// A connection has rested long enough.
  void expired(connection& c) {
    origin& o = *c.origin;
    auto const at = std::find_if(o.resting.begin(), o.resting.end(), [&](auto const& r) { return r.get() == &c; });
    if (at != o.resting.end()) drop(o, at);
    forget_if_unused(o);
  }

  void close_idle() {
    for (auto at = origins_.begin(); at != origins_.end();) {
      origin& o = at->second;
      o.open -= o.resting.size();
      o.resting.clear();
      at = o.open == 0 ? origins_.erase(at) : std::next(at);
    }
  }

  void close() {
    closed_ = true;
    close_idle();
    for (auto* const c : busy_) c->fail(error(errc::closed, "the HTTP engine is gone"));
  }
  [[nodiscard]] bool closed() const noexcept { return closed_; }
  [[nodiscard]] std::size_t idle_count() const noexcept {
    std::size_t n = 0;
    for (auto const& [key, o] : origins_) n += o.resting.size();
    return n;
  }
  [[nodiscard]] std::size_t busy_count() const noexcept { return busy_.size(); }

 private:
  bool keep(origin& o, std::shared_ptr<connection> const& c) noexcept try {
    if (closed_ || max_idle_ == 0 || !c->settle()) return false;
    auto span = expiry_;
    if (auto const server = c->keep_alive())
      span = std::min<std::chrono::nanoseconds>(span, *server - std::chrono::seconds(1));
    if (span <= std::chrono::nanoseconds(0)) return false;
    if (o.resting.size() >= max_idle_) drop(o, o.resting.begin());
    o.resting.push_back(c);
    c->rest(comcp::detail::later(time_->now(), span), *this);
    return true;
  } catch (...) {
    if (!o.resting.empty() && o.resting.back() == c) o.resting.pop_back();
    return false;
  }

  void drop(origin& o, typename std::vector<std::shared_ptr<connection>>::iterator at) {
    auto const c = std::move(*at);
    o.resting.erase(at);
    --o.open;
    c->close();
  }

  void forget_if_unused(origin& o) noexcept {
    if (o.open != 0) return;
    auto const at = std::find_if(origins_.begin(), origins_.end(), [&](auto const& e) { return &e.second == &o; });
    if (at != origins_.end()) origins_.erase(at);
  }

  std::size_t max_idle_, max_connections_;
  std::chrono::nanoseconds expiry_;
  std::shared_ptr<time_source> time_;
  std::map<origin_key, origin, origin_less> origins_;
  std::vector<connection*> busy_;
  bool closed_ = false;
};

}  // namespace comcp::http_detail
