// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What of comcp lives on an execution context, so that its coroutines are destroyed with that context instead of
// keeping each other alive, and nothing of it reaches for the context afterwards. Internal.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <asio/any_io_executor.hpp>

#include <comcp/version.hpp>

namespace comcp::detail {

/// What lives on an execution context and may be held longer than that is there.
class tenant {
 public:
  tenant(tenant const&) = delete;
  tenant& operator=(tenant const&) = delete;

 protected:
  COMCP_LAZY explicit tenant(asio::any_io_executor home);
  ~tenant();

  /// On home, as soon as may be; here and now where home runs nothing any more, and not at all once it is gone.
  COMCP_LAZY void at_home(std::function<void()> end) const;

  asio::any_io_executor home_;  // empty once its context is gone

 private:
  friend class core_registry;
  [[nodiscard]] virtual std::shared_ptr<void> itself() noexcept = 0;
  /// The context goes away: lets go of all executors, timers and suspended coroutines that it has of it.
  virtual void context_gone() noexcept = 0;
};

/// A tenant that is a T, held by shared_ptr, with `lose_context()`: what of it is virtual is said here, so that a T is
/// compiled by who makes one. T befriends it.
template <class T>
class tenant_of : public tenant {
 protected:
  using tenant::tenant;

 private:
  [[nodiscard]] std::shared_ptr<void> itself() noexcept override {
    return static_cast<T&>(*this).weak_from_this().lock();
  }
  void context_gone() noexcept override { static_cast<T&>(*this).lose_context(); }
};

/// For a facade: when it goes away, its core is abandoned.
template <class Core>
std::shared_ptr<void> abandoned_at_end(std::shared_ptr<Core> core) {
  return std::shared_ptr<void>(nullptr, [core = std::move(core)](void*) { core->abandon(); });
}

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/core_registry.hpp>
#endif
