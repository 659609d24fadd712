// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Knows the cores that live on an execution context, so that coroutines which wait in them are destroyed with
// that context instead of keeping each other alive. Internal.
#pragma once

#include <algorithm>
#include <mutex>
#include <typeinfo>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution_context.hpp>
#include <asio/query.hpp>

namespace comcp {
class client_core;

namespace detail {

/// The executor inside, if it is an E. Asio 1.22's target() does not look.
template <class E>
E const* executor_as(asio::any_io_executor const& ex) noexcept {
  return ex.target_type() == typeid(E) ? ex.target<E>() : nullptr;
}

class core_registry final : public asio::execution_context::service {
 public:
  using key_type = core_registry;
  static inline asio::execution_context::id id;

  explicit core_registry(asio::execution_context& context) : service(context) {}

  static core_registry& of(asio::any_io_executor const& ex) {
    return asio::use_service<core_registry>(asio::query(ex, asio::execution::context));
  }

  void add(client_core* core) {
    std::lock_guard const lock(mutex_);
    cores_.push_back(core);
  }
  void remove(client_core* core) noexcept {
    std::lock_guard const lock(mutex_);
    std::erase(cores_, core);
  }

 private:
  void shutdown() noexcept override;

  std::mutex mutex_;
  std::vector<client_core*> cores_;
};

}  // namespace detail
}  // namespace comcp
