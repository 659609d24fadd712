// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A call whose caller is on another executor than the client, or is no coroutine.
#pragma once

#include <asio/async_result.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/client/away.hpp>
#include <comcp/client/core.hpp>
#include <comcp/client/operation.hpp>

namespace comcp::detail {

template <class Core>
class remote_call final : public away<reply>, public suspended<reply> {
 public:
  /// The call is in the frame of who waits.
  remote_call(Core& core, asio::any_io_executor const& here, prepared_call& c)
      : away<reply>(core.home(), here), core_(core.shared_from_this()), call_(c) {}
  remote_call(Core& core, asio::any_io_executor const& here, prepared_call&& c)
      : away<reply>(core.home(), here), core_(core.shared_from_this()), own_(std::move(c)), call_(*own_) {}

  // As who waits in the table of calls, and owns itself meanwhile.
  void resume(reply value) override {
    auto const self = std::move(self_);
    carry_on([&] {
      if (core_->exchange.needs_settling(call_, value)) walk_to(core_->exchange.settle(call_, std::move(value)));
      else tell(std::move(value));
    });
  }
  void destroy() noexcept override { auto const last = std::move(self_); }

 private:
  std::shared_ptr<remote_call> itself() { return std::static_pointer_cast<remote_call>(this->shared_from_this()); }

  void start() override {
    carry_on([this] {
      if (!core_->pipeline.is_plain(call_.method)) return walk_to(core_->pipeline.run(call_));
      auto const started = core_->exchange.start(call_, entry_);
      self_ = itself();
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
      tell(current_error());
    }
  }

  void walk_to(asio::awaitable<reply> work) { walk(carry(itself(), std::move(work))); }
  static asio::awaitable<void> carry(std::shared_ptr<remote_call> self, asio::awaitable<reply> work) {
    reply r;
    try {
      r = co_await std::move(work);
    } catch (...) {
      r = current_error();
    }
    self->tell(std::move(r));
  }

  void tell(reply&& r) {
    if (own_ && !r) r = failure_of(call_, std::move(r).error());
    end(std::move(r));
  }

  void stop(asio::cancellation_type how) override {
    if (entry_.id) return core_->calls.cancel(entry_.id, how);
    if (!is_total_alone(how)) stop_walking();
  }

  std::shared_ptr<Core> const core_;
  std::optional<prepared_call> own_;
  prepared_call& call_;
  pending_entry entry_;
  std::shared_ptr<remote_call> self_;
};

struct begin_remote_call {
  std::shared_ptr<away<reply>> call;
  waiter_room* room;
  template <class Handler>
  void operator()(Handler handler) {
    auto const begun = std::move(call);
    auto const cancel = [weak = std::weak_ptr(begun)](asio::cancellation_type how) {
      if (auto const alive = weak.lock()) alive->cancel(how);
    };
    begun->begin(handler_waiter<reply, Handler>::create(std::move(handler), cancel, room));
  }
};

COMCP_LAZY_DECL asio::awaitable<reply> perform_at_home(client_core& core, asio::any_io_executor const& here,
                                                       prepared_call& c) {
  if (!core.home()) return failed<reply>(error(errc::closed, "the execution context is gone"));
  auto* const room = std::exchange(c.room, nullptr);  // not also for those at home who wait meanwhile
  begin_remote_call begin{std::make_shared<remote_call<client_core>>(core, here, c), room};
  return asio::async_initiate<asio::use_awaitable_t<> const, void(reply)>(std::move(begin), asio::use_awaitable);
}

COMCP_LAZY_DECL std::shared_ptr<away<reply>> call_away(client_core& core, asio::any_io_executor const& here,
                                                       prepared_call c) {
  return std::make_shared<remote_call<client_core>>(core, here, std::move(c));
}

}  // namespace comcp::detail
