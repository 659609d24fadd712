// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/call_options.hpp>
#include <comcp/protocol/meta.hpp>

namespace comcp {

COMCP_DECL call_options& call_options::trace(trace_context const& context) {
  auto const sound = context.well_formed();
  auto& own = edit();
  auto const put = [&own](std::string_view key, std::string const& text) {
    auto const same = [key](auto const& entry) { return entry.first == key; };
    std::erase_if(own.meta, same);
    std::erase_if(own.headers, same);
    if (text.empty()) return;
    own.meta.emplace_back(std::string(key), json::to_text(text));
    own.headers.emplace_back(std::string(key), text);
    ++own.traced;
  };
  own.traced = 0;
  put(meta_key::traceparent, sound.traceparent);
  put(meta_key::tracestate, sound.tracestate);
  put(meta_key::baggage, sound.baggage);
  return *this;
}

COMCP_DECL trace_context detail::trace_of(call_options const& options) {
  trace_context out;
  for (auto const& [key, text] : options.meta()) {
    auto* const of = key == meta_key::traceparent  ? &out.traceparent
                     : key == meta_key::tracestate ? &out.tracestate
                     : key == meta_key::baggage    ? &out.baggage
                                                   : nullptr;
    auto const value = of ? json::parse(text) : result<json::value>(json::value());
    if (of && value) *of = std::string(value->view().get_string().value_or(""));
  }
  return out.well_formed();
}

COMCP_DECL detail::open_span detail::span_of_call(span_hook const& hook, span_layer layer, std::string_view name,
                                                  call_options& options) {
  if (!hook) return {};
  span_start s(layer, span_kind::internal, std::string(name));
  s.parent = trace_of(options);
  open_span of(hook, std::move(s));
  options.trace(of.context());
  return of;
}

}  // namespace comcp
