// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <system_error>
#include <utility>

#include <comcp/transport/session_life.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

COMCP_DECL void session_life::abort() noexcept {
  inbox_ = nullptr;
  release();
}

COMCP_DECL bool session_life::deliver(padded_text line) {
  inbox_->delivered(line, 0);
  return !done();
}

COMCP_DECL void session_life::fault(error what) {
  if (!done()) inbox_->fault(std::move(what));
}

COMCP_DECL void session_life::finish(error reason) {
  if (done()) return;
  auto const keep = shared_from_this();
  inbox* const in = std::exchange(inbox_, nullptr);
  release();
  in->closed(std::move(reason));
}

COMCP_DECL void session_life::release() noexcept {
  released();
  try {
    closed_signal_.cancel();
  } catch (std::system_error const&) {
    // Whoever waits for close() then waits for its own deadline.
  }
}

}  // namespace comcp::detail
