// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/client/core.hpp>
#include <comcp/client/extension.hpp>

namespace comcp {
namespace detail {

COMCP_LAZY_DECL void extensions::prepare(prepared_call& c) const {
  for (auto const& part : parts_) {
    auto const name = c.method.text();
    if (auto const* const own = part->method(name)) c.method = *own;
    auto const brings = part->meta(name);
    if (brings.empty()) continue;
    auto const members = json::parse(brings.text());
    if (!members || !members->is_object()) {
      c.unusable = error(errc::invalid_argument, "what an extension brings for _meta is an object");
      return;
    }
    for (auto const m : members->view().members()) {
      auto const& said = c.options.meta();
      bool const by_caller = std::any_of(said.begin(), said.end(), [&m](auto const& s) { return s.first == m.key; });
      if (!by_caller) c.options.meta(std::string(m.key), json::raw(m.value.dump()));
    }
  }
}

COMCP_LAZY_DECL extension_part* extensions::claimant(prepared_call const& c, json::view result) const {
  if (parts_.empty() || !result.is_object()) return nullptr;
  auto const type = result.find("resultType");
  auto const text = type ? type->get_string() : std::nullopt;
  if (!text) return nullptr;
  for (auto const& part : parts_) {
    if (part->claims(c.method.name(), *text)) return part.get();
  }
  return nullptr;
}

COMCP_LAZY_DECL asio::awaitable<reply> extensions::complete(extension_part& part, prepared_call const& c,
                                                            json::value result, time_point end) const {
  unfinished_call call(core_.facade(), c, std::move(result), end);
  try {
    auto completing = part.complete(call);
    auto value = co_await std::move(completing);
    co_return reply(std::move(value));
  } catch (...) {
    co_return reply(current_error());
  }
}

COMCP_LAZY_DECL bool extensions::notified(std::string const& method, json::value const& params) const {
  for (auto const& part : parts_) {
    try {
      part->notified(method, params);
    } catch (...) {
      core_.fault(current_error());
    }
  }
  return false;  // whoever else listens hears of it, too
}

COMCP_LAZY_DECL void extensions::listen(subscription_filter& wanted) const {
  for (auto const& part : parts_) wanted.unite(part->listen());
}

COMCP_LAZY_DECL call_options within(client_link& core, call_options const& of,
                                    std::chrono::steady_clock::time_point end) {
  auto const now = core.bounds(of).now;
  call_options o;
  o.hard_timeout(std::max<std::chrono::nanoseconds>(end - now, std::chrono::nanoseconds(1)));
  return o.stop(of.stop());
}

COMCP_LAZY_DECL asio::awaitable<void> wait_within(std::shared_ptr<client_link> core, std::chrono::nanoseconds d,
                                                  std::stop_token stop, std::chrono::steady_clock::time_point end) {
  auto const left = end - core->bounds({}).now;
  auto waiting = core->life().sleep(std::min(d, std::chrono::nanoseconds(left)), std::move(stop));
  auto const why = co_await std::move(waiting);
  if (why) throw exception(why);
  if (d >= left) throw exception(error(errc::timeout, "the hard timeout of the call is over"));
}

}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<void> unfinished_call::wait(timespan d) const {
  return detail::wait_within(core_, d, call_.options.stop(), end_);
}

COMCP_LAZY_DECL void unfinished_call::progress(progress_notification const& p) const {
  auto const& told = call_.options.on_progress();
  if (!told) return;
  try {
    told(p);
  } catch (...) {
    core_->fault(error(errc::invalid_argument, "a progress callback threw"));
  }
}

}  // namespace comcp
