// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where credentials are kept between runs: secret texts under names. The seam, and the store in memory.
#pragma once

#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/result.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// Keeps secrets by name; a keychain, a vault or a file. Called on the client's executor; copies share what they keep.
/// Names are printable ASCII of 1,024 bytes at most and hold no secret. A failed save leaves what was there.
/// lock(name) waits until nobody else, in this process or another, holds the lock of that name: what it gives holds it
/// until it is destroyed; errc::timeout after `most`.
template <class S>
concept token_store = std::copy_constructible<S> && requires(S s, std::string name, secret text, std::chrono::milliseconds most) {
  { s.load(name) } -> std::same_as<asio::awaitable<result<std::optional<secret>>>>;
  { s.save(name, text) } -> std::same_as<asio::awaitable<result<void>>>;
  { s.remove(name) } -> std::same_as<asio::awaitable<result<void>>>;  // success where there is none
  { s.lock(name, most) } -> std::same_as<asio::awaitable<result<std::shared_ptr<void>>>>;
};

namespace detail {
// What stores share.
COMCP_LAZY result<void> check_secret_name(std::string const& name);
COMCP_LAZY std::chrono::steady_clock::time_point lock_deadline(std::chrono::milliseconds most);
COMCP_LAZY error lock_timeout();
}  // namespace detail

/// Keeps them as long as the process lives. Used from one executor.
class memory_token_store {
 public:
  COMCP_LAZY memory_token_store();
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<std::optional<secret>>> load(std::string name);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> save(std::string name, secret text);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<void>> remove(std::string name);
  COMCP_LAZY [[nodiscard]] asio::awaitable<result<std::shared_ptr<void>>> lock(std::string name,
                                                                               std::chrono::milliseconds most);

 private:
  struct state;
  std::shared_ptr<state> state_;
};

/// Any token_store, type-erased. Regular; copies share it.
class any_token_store {
 public:
  COMCP_LAZY any_token_store();  ///< A memory_token_store.
  template <class S>
    requires(!std::same_as<S, any_token_store>)
  any_token_store(S store) : self_(std::make_shared<model<S>>(std::move(store))) {  // NOLINT: converting on purpose
    static_assert(token_store<S>,
                  "comcp: this type is no token store: it needs load(), save(), remove() and lock() as "
                  "comcp/auth/token_store.hpp says");
  }

  [[nodiscard]] asio::awaitable<result<std::optional<secret>>> load(std::string name) const { return self_->load(std::move(name)); }
  [[nodiscard]] asio::awaitable<result<void>> save(std::string name, secret text) const {
    return self_->save(std::move(name), std::move(text));
  }
  [[nodiscard]] asio::awaitable<result<void>> remove(std::string name) const { return self_->remove(std::move(name)); }
  [[nodiscard]] asio::awaitable<result<std::shared_ptr<void>>> lock(std::string name, std::chrono::milliseconds most) const {
    return self_->lock(std::move(name), most);
  }

 private:
  struct base {
    virtual ~base() = default;
    virtual asio::awaitable<result<std::optional<secret>>> load(std::string) = 0;
    virtual asio::awaitable<result<void>> save(std::string, secret) = 0;
    virtual asio::awaitable<result<void>> remove(std::string) = 0;
    virtual asio::awaitable<result<std::shared_ptr<void>>> lock(std::string, std::chrono::milliseconds) = 0;
  };
  template <class S>
  struct model final : base {
    explicit model(S s) : store(std::move(s)) {}
    asio::awaitable<result<std::optional<secret>>> load(std::string n) override { return store.load(std::move(n)); }
    asio::awaitable<result<void>> save(std::string n, secret t) override { return store.save(std::move(n), std::move(t)); }
    asio::awaitable<result<void>> remove(std::string n) override { return store.remove(std::move(n)); }
    asio::awaitable<result<std::shared_ptr<void>>> lock(std::string n, std::chrono::milliseconds m) override {
      return store.lock(std::move(n), m);
    }
    S store;
  };
  std::shared_ptr<base> self_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/token_store.ipp>
#endif
