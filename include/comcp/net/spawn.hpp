// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What starts work on an executor, each with one set of types: every further instantiation of Asio's co_spawn and
// post costs a header-only user a third of a second. And what came out of it. Internal.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/this_coro.hpp>

#include <comcp/error.hpp>

namespace comcp::detail {

/// What is run later and elsewhere.
class task {
 public:
  virtual ~task() = default;
  virtual void run() = 0;
};

/// Runs it later on that executor. With an empty one, whose context is gone, neither this nor spawn() does anything.
void post(asio::any_io_executor const& to, std::shared_ptr<task> work);

/// Runs it there: at once where that executor runs this very thread, else later.
void dispatch(asio::any_io_executor const& to, std::shared_ptr<task> work);

template <class F>
struct task_of final : task {
  explicit task_of(F work) : call(std::move(work)) {}
  void run() override { call(); }
  F call;
};

template <class F>
  requires std::is_invocable_v<F&>
void post(asio::any_io_executor const& to, F work) {
  if (to) post(to, std::shared_ptr<task>(std::make_shared<task_of<F>>(std::move(work))));
}

template <class F>
  requires std::is_invocable_v<F&>
void dispatch(asio::any_io_executor const& to, F work) {
  if (to) dispatch(to, std::shared_ptr<task>(std::make_shared<task_of<F>>(std::move(work))));
}

/// Inside a catch block: what was caught is thrown again from that executor, where it unwinds through nothing of ours.
void throw_from(asio::any_io_executor const& on) noexcept;

/// Starts it there and forgets it. What it throws is dropped.
COMCP_LAZY void spawn(asio::any_io_executor const& on, asio::awaitable<void> work);
/// The same with a cancellation slot. Asio looks at the slot after the work has ended, so `owner` keeps its signal.
COMCP_LAZY void spawn(asio::any_io_executor const& on, asio::awaitable<void> work, asio::cancellation_slot slot,
                      std::shared_ptr<void const> owner);

/// Runs it there and waits, resuming on the caller's executor; cancelling the wait cancels it. Throws errc::closed where
/// that executor is empty.
COMCP_LAZY asio::awaitable<void> spawn_and_wait(asio::any_io_executor on, asio::awaitable<void> work);

/// What was caught, as an error; Asio's own operation_aborted is errc::cancelled.
error current_error();

template <class T>
asio::awaitable<void> store(asio::awaitable<T> work, std::optional<T>& out) {
  auto value = co_await std::move(work);
  out.emplace(std::move(value));
}

/// Runs it on the owner's executor, wherever it is awaited, and resumes the caller on its own. Keeps the owner alive.
template <class Owner, class T>
asio::awaitable<T> on_home(std::shared_ptr<Owner> owner, asio::awaitable<T> work) {
  auto const here = co_await asio::this_coro::executor;
  if constexpr (std::is_void_v<T>) {
    if (here == owner->home()) co_await std::move(work);
    else co_await spawn_and_wait(owner->home(), std::move(work));
  } else {
    if (here == owner->home()) {
      auto value = co_await std::move(work);
      co_return value;
    }
    std::optional<T> value;
    auto stored = store(std::move(work), value);
    co_await spawn_and_wait(owner->home(), std::move(stored));
    co_return std::move(*value);
  }
}

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/net/impl/spawn.ipp>
#endif
