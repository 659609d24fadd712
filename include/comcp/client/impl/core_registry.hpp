// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Knows the tenants of an execution context, and tells them when it goes away. Internal.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <typeinfo>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution_context.hpp>
#include <asio/query.hpp>

#include <comcp/client/tenant.hpp>

namespace comcp::detail {

/// The executor inside, if it is an E. Asio 1.22's target() does not look; nobody can without RTTI.
template <class E>
E const* executor_as([[maybe_unused]] asio::any_io_executor const& ex) noexcept {
#if defined(ASIO_NO_TYPEID)
  return nullptr;
#else
  return ex.target_type() == typeid(E) ? ex.target<E>() : nullptr;
#endif
}

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

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/tenant.ipp>
#endif
