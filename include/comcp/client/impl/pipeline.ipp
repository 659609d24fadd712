// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/exchange.hpp>
#include <comcp/client/pipeline.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL asio::awaitable<reply> ended(error why) { co_return why; }

COMCP_LAZY_DECL void pipeline::add(std::unique_ptr<call_step> step) {
  if (step) steps_.push_back(std::move(step));
}

COMCP_LAZY_DECL bool pipeline::is_plain(std::string_view method, std::size_t from) const noexcept {
  for (; from < steps_.size(); ++from) {
    if (steps_[from]->concerns(method)) return false;
  }
  return true;
}

COMCP_LAZY_DECL asio::awaitable<reply> performer::operator()(prepared_call& c) const {
  auto const& steps = way_.steps();
  auto at = next_;
  while (at < steps.size() && !steps[at]->concerns(c.method)) ++at;
  if (at < steps.size()) return steps[at]->perform(c, performer(way_, at + 1, end_));
  return end_ ? (*end_)(c) : way_.end_.perform(c);
}

COMCP_LAZY_DECL asio::awaitable<reply> performer::begin(prepared_call& c, pending_entry& e, bool& plain) const {
  plain = !end_ && way_.is_plain(c.method, next_);
  return plain ? way_.end_.begin(c, e) : (*this)(c);
}

COMCP_LAZY_DECL asio::awaitable<reply> pipeline::run(prepared_call& c, performer::function instead) const {
  std::shared_ptr<performer::function const> end;
  if (instead) end = std::make_shared<performer::function const>(std::move(instead));
  return performer(*this, 0, std::move(end))(c);
}

COMCP_LAZY_DECL bool pipeline::notified(std::string const& method, json::value const& params) {
  for (auto const& step : steps_) step->notified(method, params);
  return false;
}

}  // namespace comcp::detail
