// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/calls.hpp>
#include <comcp/client/pipeline.hpp>

namespace comcp::detail {

COMCP_DECL void pipeline::add(std::unique_ptr<call_step> step) {
  if (step) steps_.push_back(std::move(step));
}

COMCP_DECL bool pipeline::is_plain(std::string_view method) const noexcept {
  for (auto const& step : steps_) {
    if (step->concerns(method)) return false;
  }
  return true;
}

COMCP_DECL asio::awaitable<reply> pipeline::run(prepared_call c, performer exchange) const {
  auto work = from(0, c, exchange);
  auto r = co_await std::move(work);
  if (!r) r = judged(c, r.error());
  co_return r;
}

COMCP_DECL asio::awaitable<reply> pipeline::from(std::size_t first, prepared_call& c, performer const& exchange) const {
  while (first < steps_.size() && !steps_[first]->concerns(c.method)) ++first;
  if (first == steps_.size()) return exchange(c);
  performer next = [this, first, exchange](prepared_call& call) { return from(first + 1, call, exchange); };
  return steps_[first]->perform(c, std::move(next));
}

COMCP_DECL bool pipeline::notified(std::string const& method, json::value const& params) {
  for (auto const& step : steps_) step->notified(method, params);
  return false;
}

}  // namespace comcp::detail
