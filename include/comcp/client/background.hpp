// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An io_context with a thread of its own, for callers that wait. Internal.
#pragma once

#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/use_future.hpp>

#include <comcp/result.hpp>

namespace comcp::detail {

class background {
 public:
  background() : work_(context_.get_executor()), thread_([this] { run(); }) {}
  background(background const&) = delete;
  background& operator=(background const&) = delete;
  ~background() {
    end([] {});
  }

  /// Calls `f` there, waits for the awaitable that it gives, and gives its value or throws. What was thrown there with
  /// nobody to catch it is thrown before. Errors: invalid_argument on that thread itself.
  template <class F>
  auto wait(F&& f) {
    using awaited = std::invoke_result_t<F&>;
    if (std::this_thread::get_id() == thread_.get_id())
      throw exception(error(errc::invalid_argument, "the thread that would have to do this cannot wait for it"));
    throw_uncaught();
    return asio::co_spawn(context_, [&]() -> awaited { return f(); }, asio::use_future).get();
  }

  /// Nothing runs there after `last`. Not on that thread itself.
  template <class F>
  void end(F last) {
    if (!thread_.joinable()) return;
    asio::post(context_, [this, &last] {
      last();
      context_.stop();
    });
    thread_.join();
  }

 private:
  void run() noexcept {
    while (!context_.stopped()) {
      try {
        context_.run();
      } catch (...) {
        std::lock_guard const lock(mutex_);
        if (!uncaught_) uncaught_ = std::current_exception();
      }
    }
  }
  void throw_uncaught() {
    std::unique_lock lock(mutex_);
    auto const thrown = std::exchange(uncaught_, nullptr);
    lock.unlock();
    if (thrown) std::rethrow_exception(thrown);
  }

  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::mutex mutex_;
  std::exception_ptr uncaught_;
  std::thread thread_;
};

}  // namespace comcp::detail
