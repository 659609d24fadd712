// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <system_error>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/dispatch.hpp>
#include <asio/error.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/net/spawn.hpp>

namespace comcp::detail {

struct posted {
  void operator()() {
    auto const last = std::move(work);
    last->run();
  }
  std::shared_ptr<task> work;
};

COMCP_DECL void post(asio::any_io_executor const& to, std::shared_ptr<task> work) {
  if (to) asio::post(to, posted{std::move(work)});
}

COMCP_DECL void dispatch(asio::any_io_executor const& to, std::shared_ptr<task> work) {
  if (to) asio::dispatch(to, posted{std::move(work)});
}

COMCP_DECL void throw_from(asio::any_io_executor const& on) noexcept {
  post(on, [thrown = std::current_exception()] { std::rethrow_exception(thrown); });
}

COMCP_LAZY_DECL void spawn(asio::any_io_executor const& on, asio::awaitable<void> work, asio::cancellation_slot slot,
                           std::shared_ptr<void const> owner) {
  if (!on) return;
  auto done = [owner = std::move(owner)](std::exception_ptr) {};
  asio::co_spawn(on, std::move(work), asio::bind_cancellation_slot(slot, std::move(done)));
}

COMCP_LAZY_DECL void spawn(asio::any_io_executor const& on, asio::awaitable<void> work) {
  spawn(on, std::move(work), {}, {});
}

template <class T>
asio::awaitable<T> spawned(asio::any_io_executor const& on, asio::awaitable<T> work) {
  return asio::co_spawn(on, std::move(work), asio::use_awaitable);
}

COMCP_LAZY_DECL asio::awaitable<void> spawn_and_wait(asio::any_io_executor on, asio::awaitable<void> work) {
  if (!on) throw exception(error(errc::closed, "the execution context is gone"));
  co_await spawned(on, std::move(work));
}

COMCP_DECL error current_error() {
  try {
    throw;
  } catch (exception const& e) {
    return e.error();
  } catch (std::system_error const& e) {
    if (e.code() == asio::error::operation_aborted) return error(errc::cancelled);
    return error(e.code(), {});
  } catch (std::bad_alloc const&) {
    return errc::out_of_memory;
  } catch (std::exception const& e) {
    return error(errc::invalid_argument, e.what());
  } catch (...) {
    return error(errc::invalid_argument, "an unknown exception");
  }
}

}  // namespace comcp::detail
