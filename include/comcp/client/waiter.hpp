// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Suspending a coroutine until somebody on the same executor completes it: the one place where comcp meets
// Asio's completion handlers. Internal.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/associated_allocator.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/recycling_allocator.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/net/spawn.hpp>

namespace comcp::detail {

/// Whether only what has had no effect yet may be cancelled.
[[nodiscard]] inline bool is_total_alone(asio::cancellation_type how) noexcept {
  constexpr auto rest = asio::cancellation_type::terminal | asio::cancellation_type::partial;
  return (how & rest) == asio::cancellation_type::none;
}

/// A suspended coroutine that waits for a T; see waiter.
template <class T>
class suspended {
 public:
  /// Frees itself, then resumes the coroutine inside this call.
  virtual void resume(T value) = 0;
  /// Frees itself and the coroutine without resuming it.
  virtual void destroy() noexcept = 0;

 protected:
  ~suspended() = default;
};

/// The right to resume a coroutine, owned by who completes it: a coroutine that nobody can complete any more goes away.
template <class T>
class waiter {
 public:
  waiter() = default;
  explicit waiter(suspended<T>* s) noexcept : suspended_(s) {}
  waiter(waiter&& other) noexcept : suspended_(std::exchange(other.suspended_, nullptr)) {}
  waiter& operator=(waiter&& other) noexcept {
    waiter old(std::exchange(suspended_, std::exchange(other.suspended_, nullptr)));
    return *this;
  }
  ~waiter() {
    if (suspended_) suspended_->destroy();
  }
  explicit operator bool() const noexcept { return suspended_ != nullptr; }
  /// Resumes it inside this call. What leaves it, or its user's completion handler, is thrown from `home` later.
  void complete(T value, asio::any_io_executor const& home) noexcept {
    try {
      std::exchange(suspended_, nullptr)->resume(std::move(value));
    } catch (...) {
      throw_from(home);
    }
  }

 private:
  suspended<T>* suspended_ = nullptr;
};

/// For whoever held the right and goes away: the coroutine learns that from its executor, if there is one.
template <class T>
void complete_later(waiter<T>&& waiting, asio::any_io_executor const& on, error why) noexcept {
  if (!waiting) return;
  try {
    auto const last = std::make_shared<waiter<T>>(std::move(waiting));
    post(on, [last, on, why = std::move(why)] { last->complete(T(why), on); });
  } catch (...) {  // no memory: it is destroyed
  }
}

/// Memory for one waiter in the frame of the coroutine that waits, so that waiting need not allocate.
class waiter_room {
 public:
  waiter_room() noexcept {}
  [[nodiscard]] void* memory() noexcept { return bytes_; }
  static constexpr std::size_t size = 32;

 private:
  alignas(std::max_align_t) std::byte bytes_[size];
};

template <class T, class Handler>
class handler_waiter final : public suspended<T> {
 public:
  template <class OnCancel>
  static waiter<T> create(Handler handler, OnCancel const& on_cancel, waiter_room* room = nullptr) {
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto allocator = allocator_of(handler);
    bool const fits = room != nullptr && sizeof(handler_waiter) <= waiter_room::size;
    void* const memory = fits ? room->memory() : std::allocator_traits<allocator_type>::allocate(allocator, 1);
    auto* const self = new (memory) handler_waiter(std::move(handler), !fits);
    if (slot.is_connected() && is_wanted(on_cancel)) {
      slot.assign([hook = hook_of(on_cancel)](asio::cancellation_type type) {
        if (type == asio::cancellation_type::none) return;
        if constexpr (requires { hook(type); })
          hook(type);
        else
          hook();
      });
    }
    return waiter<T>(self);
  }

  void resume(T value) override {
    auto handler = release();
    auto slot = asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) slot.clear();
    std::move(handler)(std::move(value));
  }

  void destroy() noexcept override { [[maybe_unused]] auto handler = release(); }

 private:
  using fallback = asio::recycling_allocator<void>;
  using allocator_type = typename std::allocator_traits<
      asio::associated_allocator_t<Handler, fallback>>::template rebind_alloc<handler_waiter>;
  static allocator_type allocator_of(Handler const& h) { return allocator_type(asio::get_associated_allocator(h, fallback())); }

  // What is costly to make is made only where a slot is connected.
  template <class OnCancel>
  static auto hook_of(OnCancel const& on_cancel) {
    if constexpr (requires { on_cancel.hook(); }) return on_cancel.hook();
    else return on_cancel;
  }

  template <class OnCancel>
  static bool is_wanted(OnCancel const& on_cancel) {
    if constexpr (requires { on_cancel.is_wanted(); }) return on_cancel.is_wanted();
    else return true;
  }

  handler_waiter(Handler h, bool allocated) : handler_(std::move(h)), allocated_(allocated) {}

  Handler release() noexcept {
    auto handler = std::move(handler_);
    bool const allocated = allocated_;
    this->~handler_waiter();
    if (allocated) {
      auto allocator = allocator_of(handler);
      std::allocator_traits<allocator_type>::deallocate(allocator, this, 1);
    }
    return handler;
  }

  Handler handler_;
  bool allocated_;
};

template <class T, class OnCancel>
struct suspend_initiation {
  waiter<T>* place;
  waiter_room* room;
  OnCancel on_cancel;
  template <class Handler>
  void operator()(Handler handler) const {
    *place = handler_waiter<T, Handler>::create(std::move(handler), on_cancel, room);
  }
};

/// Suspends until `place`, which is set meanwhile, is completed. `on_cancel` runs when the coroutine is cancelled
/// and must see to it that `place` is completed later, never inside itself. `room`, if given, lives as long as the
/// coroutine waits.
template <class T, class OnCancel>
asio::awaitable<T> suspend(waiter<T>& place, OnCancel on_cancel, waiter_room* room = nullptr) {
  return asio::async_initiate<asio::use_awaitable_t<> const, void(T)>(
      suspend_initiation<T, OnCancel>{&place, room, std::move(on_cancel)}, asio::use_awaitable);
}

}  // namespace comcp::detail
