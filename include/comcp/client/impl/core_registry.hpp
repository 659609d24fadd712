// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Knows what of comcp lives on an execution context, so that its coroutines are destroyed with that context instead of
// keeping each other alive, and nothing of it reaches for the context afterwards. Internal.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <typeinfo>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution_context.hpp>
#include <asio/query.hpp>

namespace comcp::detail {

/// The executor inside, if it is an E. Asio 1.22's target() does not look.
template <class E>
E const* executor_as(asio::any_io_executor const& ex) noexcept {
  return ex.target_type() == typeid(E) ? ex.target<E>() : nullptr;
}

/// What lives on an execution context and may be held longer than that is there.
class tenant {
 public:
  tenant(tenant const&) = delete;
  tenant& operator=(tenant const&) = delete;

 protected:
  explicit tenant(asio::any_io_executor home);
  ~tenant();

  /// On home, as soon as may be; here and now where home runs nothing any more, and not at all once it is gone.
  void at_home(std::function<void()> end) const;

  asio::any_io_executor home_;  // empty once its context is gone

 private:
  friend class core_registry;
  [[nodiscard]] virtual std::shared_ptr<void> itself() noexcept = 0;
  /// The context goes away: lets go of all executors, timers and suspended coroutines that it has of it.
  virtual void context_gone() noexcept = 0;
};

class core_registry final : public asio::execution_context::service {
 public:
  using key_type = core_registry;
  static inline asio::execution_context::id id;

  explicit core_registry(asio::execution_context& context) : service(context) {}

  static core_registry& of(asio::any_io_executor const& ex) {
    return asio::use_service<core_registry>(asio::query(ex, asio::execution::context));
  }

  void add(tenant* t) {
    std::lock_guard const lock(mutex_);
    tenants_.push_back(t);
  }
  void remove(tenant* t) noexcept {
    std::lock_guard const lock(mutex_);
    std::erase(tenants_, t);
  }

 private:
  void shutdown() noexcept override {
    while (auto const held = take()) {
      held.who->context_gone();
      held.who->home_ = {};
    }
  }

  struct taken {
    tenant* who = nullptr;
    std::shared_ptr<void> alive;
    explicit operator bool() const noexcept { return alive != nullptr; }
  };
  taken take() noexcept {
    std::lock_guard const lock(mutex_);
    while (!tenants_.empty()) {
      auto* const t = tenants_.back();
      tenants_.pop_back();
      if (auto alive = t->itself()) return {t, std::move(alive)};
    }
    return {};
  }

  std::mutex mutex_;
  std::vector<tenant*> tenants_;
};

inline tenant::tenant(asio::any_io_executor home) : home_(std::move(home)) { core_registry::of(home_).add(this); }
inline tenant::~tenant() {
  if (home_) core_registry::of(home_).remove(this);
}

}  // namespace comcp::detail
