// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp's spans through opentelemetry-cpp: whatever tracer provider the program has set up records and exports them. CMake
// compiles it where it finds opentelemetry-cpp, which neither Debian 12 nor comcp's CI has; it was built and run by hand with
// that library of August 2026.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <opentelemetry/context/context.h>
#include <opentelemetry/trace/context.h>
#include <opentelemetry/trace/propagation/http_trace_context.h>
#include <opentelemetry/trace/provider.h>

#include <comcp/trace/span.hpp>

namespace opentelemetry_example {

namespace otel = opentelemetry;

inline otel::nostd::string_view view(std::string_view text) { return {text.data(), text.size()}; }

// The carrier that the propagator of W3C Trace Context reads and writes.
class texts final : public otel::context::propagation::TextMapCarrier {
 public:
  explicit texts(comcp::trace_context& of) : of_(of) {}
  otel::nostd::string_view Get(otel::nostd::string_view key) const noexcept override {
    return view(key == "traceparent" ? of_.traceparent : key == "tracestate" ? of_.tracestate : nothing_);
  }
  void Set(otel::nostd::string_view key, otel::nostd::string_view value) noexcept override {
    if (key == "traceparent") of_.traceparent.assign(value.data(), value.size());
    if (key == "tracestate") of_.tracestate.assign(value.data(), value.size());
  }

 private:
  comcp::trace_context& of_;
  std::string const nothing_;
};

inline otel::common::AttributeValue as_attribute(comcp::span_value const& value) {
  if (auto const* const text = std::get_if<std::string>(&value)) return view(*text);
  if (auto const* const n = std::get_if<std::int64_t>(&value)) return *n;
  if (auto const* const x = std::get_if<double>(&value)) return *x;
  return std::get<bool>(value);
}

class recorded final : public comcp::span {
 public:
  explicit recorded(comcp::span_start const& s) : baggage_(s.parent.baggage) {
    auto above = s.parent;
    otel::trace::propagation::HttpTraceContext propagator;
    auto ambient = otel::context::RuntimeContext::GetCurrent();
    otel::trace::StartSpanOptions options;
    options.kind = s.kind == comcp::span_kind::client   ? otel::trace::SpanKind::kClient
                   : s.kind == comcp::span_kind::server ? otel::trace::SpanKind::kServer
                                                        : otel::trace::SpanKind::kInternal;
    if (!above.traceparent.empty()) options.parent = propagator.Extract(texts(above), ambient);
    span_ = otel::trace::Provider::GetTracerProvider()->GetTracer("comcp")->StartSpan(view(s.name), options);
    for (auto const& a : s.attributes) set(a.key, a.value);
  }
  void set(std::string_view key, comcp::span_value value) override { span_->SetAttribute(view(key), as_attribute(value)); }
  void event(std::string_view name, std::vector<comcp::span_attribute>) override { span_->AddEvent(view(name)); }
  void end(std::string_view failure) override {
    if (!failure.empty()) span_->SetStatus(otel::trace::StatusCode::kError, view(failure));
    span_->End();
  }
  [[nodiscard]] comcp::trace_context context() const override {
    comcp::trace_context own({}, {}, baggage_);
    texts carrier(own);
    otel::trace::propagation::HttpTraceContext propagator;
    otel::context::Context empty;
    propagator.Inject(carrier, otel::trace::SetSpan(empty, span_));
    return own;
  }

 private:
  std::string const baggage_;
  otel::nostd::shared_ptr<otel::trace::Span> span_;
};

inline comcp::span_hook to_opentelemetry_cpp() {
  return [](comcp::span_start const& s) { return std::make_shared<recorded>(s); };
}

}  // namespace opentelemetry_example
