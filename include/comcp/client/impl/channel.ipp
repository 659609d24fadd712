// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/channel.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL channel::channel(any_transport t)
    : transport_(std::move(t)), cut_(transport_.cutter()), http_(transport_.is_http()) {}

struct channel::opening {
  pending_entry done;
  result<void> outcome = error(errc::connect_failed);
  asio::cancellation_signal signal;
};

COMCP_LAZY_DECL asio::awaitable<result<void>> channel::open(std::shared_ptr<void> owner, calls& table,
                                                            asio::any_io_executor home, inbox& in, nanoseconds timeout,
                                                            time_point hard) {
  auto const o = std::make_shared<opening>();
  if (!table.enlist(o->done, table.now(), timeout, hard, true)) co_return error(errc::queue_full);
  auto task = [](channel* self, calls* waiting, inbox* to, [[maybe_unused]] std::shared_ptr<void> hold,
                 std::shared_ptr<opening> state) -> asio::awaitable<void> {
    try {
      if (!self->transport_) co_return;  // destroyed meanwhile, and so is the wait below
      auto opened = co_await self->transport_.open(*to);
      if (opened) self->open_ = true;
      state->outcome = std::move(opened);
    } catch (...) {
      state->outcome = current_error();
    }
    waiting->end(state->done.id, json::value());
  };
  auto work = task(this, &table, &in, owner, o);
  // Posted, so that nothing ends before the wait below has begun.
  auto start = [home, owner, o, work = std::make_shared<asio::awaitable<void>>(std::move(work))] {
    detail::spawn(home, std::move(*work), o->signal.slot(), o);
  };
  detail::post(home, std::move(start));
  auto const waited = co_await table.wait(o->done);
  if (waited) co_return o->outcome;
  auto give_up = [o] { o->signal.emit(asio::cancellation_type::terminal); };
  detail::post(home, std::move(give_up));
  if (waited.error() == errc::timeout) co_return error(errc::timeout, "the transport did not open in time");
  co_return waited.error();
}

COMCP_LAZY_DECL asio::awaitable<bool> channel::close(std::shared_ptr<void> owner, calls& table,
                                                     asio::any_io_executor home, nanoseconds timeout) {
  auto const done = std::make_shared<pending_entry>();
  table.enlist(*done, timeout);
  auto task = [](channel* self, calls* waiting, [[maybe_unused]] std::shared_ptr<void> hold,
                 std::shared_ptr<pending_entry> entry) -> asio::awaitable<void> {
    if (self->transport_) co_await self->transport_.close();
    waiting->end(entry->id, json::value());
  };
  auto work = std::make_shared<asio::awaitable<void>>(task(this, &table, owner, done));
  auto start = [home, work] { detail::spawn(home, std::move(*work)); };
  detail::post(home, std::move(start));
  auto const waited = co_await table.wait(*done);
  if (!waited) drop();
  open_ = false;
  co_return waited.has_value();
}

COMCP_LAZY_DECL void channel::drop() noexcept {
  last_info_ = info();
  transport_ = any_transport();
  open_ = false;
}

COMCP_LAZY_DECL void channel::cut() const {
  if (cut_) cut_();
}

}  // namespace comcp::detail
