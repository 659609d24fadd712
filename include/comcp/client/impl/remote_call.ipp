// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A call whose caller is on another executor than the client: two hops, one to begin and one to resume.
#pragma once

#include <asio/async_result.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/execution/outstanding_work.hpp>
#include <asio/prefer.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/client/core.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

template <class Core>
class remote_call final : public task, public suspended<reply>, public std::enable_shared_from_this<remote_call<Core>> {
 public:
  remote_call(Core& core, asio::any_io_executor const& here, prepared_call& c)
      : core_(core.shared_from_this()),
        here_(asio::prefer(here, asio::execution::outstanding_work.tracked)),
        call_(c) {}

  remote_call(remote_call const&) = delete;
  remote_call& operator=(remote_call const&) = delete;
  // Home is gone, or the work was abandoned there.
  ~remote_call() {
    if (caller_) complete_later(std::move(caller_), here_, error(errc::closed, "the execution context is gone"));
  }

  template <class Handler>
  void begin(Handler handler) {
    auto const cancel = [weak = this->weak_from_this()] {
      auto const self = weak.lock();
      if (self) post(self->core_->home(), [self] { self->cancel(); });
    };
    auto* const room = std::exchange(call_.room, nullptr);  // not also for those at home who wait meanwhile
    caller_ = handler_waiter<reply, Handler>::create(std::move(handler), cancel, room);
    post(core_->home(), this->shared_from_this());
  }

  // At home to begin, then on the caller's executor to end.
  void run() override {
    if (!std::exchange(begun_, true)) return start();
    auto caller = std::move(caller_);
    caller.complete(std::move(outcome_), here_);
  }

  // As who waits in the table of calls, and owns itself meanwhile.
  void resume(reply value) override {
    auto const self = std::move(self_);
    carry_on([&] {
      if (core_->exchange.needs_settling(call_, value)) walk(core_->exchange.settle(call_, std::move(value)));
      else end(std::move(value));
    });
  }
  void destroy() noexcept override { auto const last = std::move(self_); }

 private:
  void start() {
    carry_on([this] {
      if (!core_->pipeline.is_plain(call_.method)) return walk(core_->pipeline.run(call_));
      auto const started = core_->exchange.start(call_, entry_);
      self_ = this->shared_from_this();
      if (!started) return resume(started.error());
      core_->calls.end_with(call_.options.stop(), entry_);
      entry_.waiting = waiter<reply>(this);
    });
  }

  // What is thrown at home is the caller's.
  template <class F>
  void carry_on(F const& next) {
    try {
      next();
    } catch (...) {
      auto const self = std::move(self_);
      if (entry_.id) entry_.leave();
      end(current_error());
    }
  }

  void walk(asio::awaitable<reply> work) {
    spawn(core_->home(), carry(this->shared_from_this(), std::move(work)), signal_.slot(), this->shared_from_this());
  }

  static asio::awaitable<void> carry(std::shared_ptr<remote_call> self, asio::awaitable<reply> work) {
    reply r;
    try {
      r = co_await std::move(work);
    } catch (...) {
      r = current_error();
    }
    self->end(std::move(r));
  }

  void end(reply&& r) {
    outcome_ = std::move(r);
    post(here_, this->shared_from_this());
  }

  void cancel() {
    if (entry_.id) return core_->calls.cancel(entry_.id);
    signal_.emit(asio::cancellation_type::terminal);
  }

  std::shared_ptr<Core> const core_;
  asio::any_io_executor const here_;
  prepared_call& call_;  // in the frame of the caller, who waits
  reply outcome_;
  waiter<reply> caller_;
  pending_entry entry_;
  std::shared_ptr<remote_call> self_;
  asio::cancellation_signal signal_;
  bool begun_ = false;
};

template <class Core>
struct begin_remote_call {
  std::shared_ptr<remote_call<Core>> call;
  template <class Handler>
  void operator()(Handler handler) {
    auto const begun = std::move(call);
    begun->begin(std::move(handler));
  }
};

COMCP_LAZY_DECL asio::awaitable<reply> perform_at_home(client_core& core, asio::any_io_executor const& here,
                                                       prepared_call& c) {
  if (!core.home()) return failed<reply>(error(errc::closed, "the execution context is gone"));
  begin_remote_call<client_core> begin{std::make_shared<remote_call<client_core>>(core, here, c)};
  return asio::async_initiate<asio::use_awaitable_t<> const, void(reply)>(std::move(begin), asio::use_awaitable);
}

}  // namespace comcp::detail
