// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Suspending a coroutine until somebody on the same executor completes it: the one place where comcp meets
// Asio's completion handlers. Internal.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <asio/associated_allocator.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/use_awaitable.hpp>

namespace comcp::detail {

/// A suspended coroutine that waits for a T. Completed or destroyed exactly once.
template <class T>
class waiter {
 public:
  /// Frees itself, then resumes the coroutine inside this call.
  virtual void complete(T value) = 0;
  /// Frees itself and the coroutine without resuming it.
  virtual void destroy() noexcept = 0;

 protected:
  ~waiter() = default;
};

template <class T, class Handler>
class handler_waiter final : public waiter<T> {
 public:
  template <class OnCancel>
  static waiter<T>* create(Handler handler, OnCancel const& on_cancel) {
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto allocator = allocator_of(handler);
    auto* self = std::allocator_traits<allocator_type>::allocate(allocator, 1);
    new (self) handler_waiter(std::move(handler));
    if (slot.is_connected()) {
      slot.assign([on_cancel](asio::cancellation_type type) {
        if (type != asio::cancellation_type::none) on_cancel();
      });
    }
    return self;
  }

  void complete(T value) override {
    auto handler = release();
    auto slot = asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) slot.clear();
    std::move(handler)(std::move(value));
  }

  void destroy() noexcept override { [[maybe_unused]] auto handler = release(); }

 private:
  using allocator_type = typename std::allocator_traits<
      asio::associated_allocator_t<Handler>>::template rebind_alloc<handler_waiter>;
  static allocator_type allocator_of(Handler const& h) { return allocator_type(asio::get_associated_allocator(h)); }

  explicit handler_waiter(Handler h) : handler_(std::move(h)) {}

  Handler release() noexcept {
    auto handler = std::move(handler_);
    auto allocator = allocator_of(handler);
    this->~handler_waiter();
    std::allocator_traits<allocator_type>::deallocate(allocator, this, 1);
    return handler;
  }

  Handler handler_;
};

template <class T, class OnCancel>
struct suspend_initiation {
  waiter<T>** place;
  OnCancel on_cancel;
  template <class Handler>
  void operator()(Handler handler) const {
    *place = handler_waiter<T, Handler>::create(std::move(handler), on_cancel);
  }
};

/// Suspends until `place`, which is set meanwhile, is completed. `on_cancel` runs when the coroutine is cancelled
/// and must see to it that `place` is completed later, never inside itself.
template <class T, class OnCancel>
asio::awaitable<T> suspend(waiter<T>*& place, OnCancel on_cancel) {
  return asio::async_initiate<asio::use_awaitable_t<> const, void(T)>(
      suspend_initiation<T, OnCancel>{&place, std::move(on_cancel)}, asio::use_awaitable);
}

template <class T, class OnCancel>
struct listed_initiation {
  waiter<T>** place;
  std::vector<waiter<T>*>* list;
  OnCancel on_cancel;
  template <class Handler>
  void operator()(Handler handler) const {
    *place = handler_waiter<T, Handler>::create(std::move(handler), on_cancel);
    list->push_back(*place);
  }
};

/// The same for one of many that wait: enters itself into `list`, from which whoever completes it takes it.
template <class T, class OnCancel>
asio::awaitable<T> suspend_listed(waiter<T>*& place, std::vector<waiter<T>*>& list, OnCancel on_cancel) {
  return asio::async_initiate<asio::use_awaitable_t<> const, void(T)>(
      listed_initiation<T, OnCancel>{&place, &list, std::move(on_cancel)}, asio::use_awaitable);
}

}  // namespace comcp::detail
