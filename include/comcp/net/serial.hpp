// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An executor that runs one handler at a time. Internal.
#pragma once

#include <typeinfo>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

namespace comcp::detail {

/// That of a thread_pool is wrapped in a strand; of others it cannot be known. Without RTTI no more can that, and each is.
inline asio::any_io_executor serial(asio::any_io_executor ex) {
#if !defined(ASIO_NO_TYPEID)
  if (ex.target_type() != typeid(asio::thread_pool::executor_type)) return ex;
#endif
  return asio::make_strand(std::move(ex));
}

}  // namespace comcp::detail
