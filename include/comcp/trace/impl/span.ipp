// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include <comcp/trace/record.hpp>
#include <comcp/trace/span.hpp>
#include <comcp/visible.hpp>

namespace comcp::detail {

// Ids need to differ, and nothing else.
inline std::string random_hex(std::size_t digits) {
  static thread_local std::mt19937_64 numbers{(std::uint64_t{std::random_device()()} << 32) ^ std::random_device()()};
  std::string out;
  for (std::uint64_t bits = 0; out.size() < digits; bits >>= 4) {
    if (out.size() % 16 == 0) bits = numbers() | 1;
    out += "0123456789abcdef"[bits & 15];
  }
  return out;
}

COMCP_DECL trace_context child_of(trace_context const& parent) {
  auto const above = trace_parent::parse(parent.traceparent);
  auto out = parent;
  trace_parent const own(above ? above->trace_id : random_hex(32), random_hex(16), !above || above->sampled,
                         !above || above->random);
  out.traceparent = own.text();
  return out;
}

COMCP_DECL std::string error_type(error const& why) {
  if (auto const* const peer = why.peer()) return std::to_string(peer->code);
  auto text = why.code().message();
  for (auto& c : text) {
    if (c == ' ') c = '_';
  }
  return text;
}

COMCP_DECL open_span::open_span(span_hook const& hook, span_start start) noexcept {
  try {
    context_ = start.parent;
    if (hook) span_ = hook(start);
    if (!span_) return;
    auto own = span_->context().well_formed();
    if (own.baggage.empty()) own.baggage = start.parent.baggage;
    if (own.traceparent.empty()) {
      auto const made = child_of(start.parent);
      own.traceparent = made.traceparent;
      own.tracestate = made.tracestate;
    }
    context_ = std::move(own);
  } catch (...) {
    // Tracing is not worth what it traces.
  }
}

COMCP_DECL void open_span::set(std::string_view key, span_value value) noexcept {
  try {
    if (span_) span_->set(key, std::move(value));
  } catch (...) {
  }
}

COMCP_DECL void open_span::event(std::string_view name, std::vector<span_attribute> attributes) noexcept {
  try {
    if (span_) span_->event(name, std::move(attributes));
  } catch (...) {
  }
}

COMCP_DECL void open_span::end(std::string_view failure) noexcept {
  auto const last = std::exchange(span_, nullptr);
  try {
    if (last) last->end(failure);
  } catch (...) {
  }
}

COMCP_DECL void open_span::fail(error const& why) noexcept {
  if (!span_) return;
  try {
    set("error.type", error_type(why));
    auto const* const peer = why.peer();
    if (peer) set("rpc.response.status_code", std::to_string(peer->code));
    auto const text = (peer ? std::string_view(peer->message) : why.message()).substr(0, 256);
    end(visible(redacted(text), line_breaks::blank));
  } catch (...) {
    end("failed");
  }
}

}  // namespace comcp::detail
