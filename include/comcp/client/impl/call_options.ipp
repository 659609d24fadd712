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

}  // namespace comcp
