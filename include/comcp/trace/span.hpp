// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The hook for tracing systems such as OpenTelemetry: what is under way as spans, with attributes by OpenTelemetry's
// semantic conventions, and the context that is carried to servers. comcp needs no such system, and without a hook nothing
// of this runs. Each layer has the hook in its own options: connect_options().spans() (client/spans.hpp; calls, requests of
// the server, connections), http_options().spans() (http exchanges; transport/http_spans.hpp), registry_options, pool_options
// and oauth_options.
// Spec: https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/ and https://modelcontextprotocol.io/seps/414-request-meta
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <comcp/error.hpp>
#include <comcp/trace/propagation.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// Who is at work. `connection` is a connection on its way up, `request` one of the server to us.
enum class span_layer { call, request, http, connection, registry, pool, authorization };

/// As OpenTelemetry numbers them.
enum class span_kind { internal = 1, server = 2, client = 3 };

using span_value = std::variant<std::string, std::int64_t, double, bool>;

struct span_attribute {
  span_attribute(std::string k, span_value v) : key(std::move(k)), value(std::move(v)) {}
  std::string key;
  span_value value;
};

/// A span at its beginning. Secrets (credentials, session ids, queries of URLs, arguments, results) are in no attribute.
struct span_start {
  span_start(span_layer l, span_kind k, std::string n) : layer(l), kind(k), name(std::move(n)) {}
  span_layer layer;
  span_kind kind;
  std::string name;
  trace_context parent;  ///< Well formed. Empty for a root, or for what the tracing system itself takes for the parent.
  std::vector<span_attribute> attributes;
};

/// One span of a tracing system, which derives from this. Used on the executor of the layer that began it; what a member
/// throws is dropped.
class span {
 public:
  span() = default;
  span(span const&) = delete;
  span& operator=(span const&) = delete;
  virtual ~span() = default;
  /// A later value of one key counts.
  virtual void set(std::string_view, span_value) {}
  virtual void event(std::string_view, std::vector<span_attribute>) {}
  /// Once, and the last call. `failure` is empty where it went well, or else a text of comcp's or of the peer: 256 bytes of
  /// it, redacted() and visible().
  virtual void end(std::string_view failure) = 0;
  /// What is carried to the server as its parent. Without a traceparent comcp makes one, in the parent's trace or a new one;
  /// without baggage the parent's goes on.
  [[nodiscard]] virtual trace_context context() const { return {}; }
};

/// Begins one. Null: it is not recorded, and the parent is carried on.
using span_hook = std::function<std::shared_ptr<span>(span_start const&)>;

namespace detail {

/// A span under way, or none. Ends with its destructor at the latest.
class open_span {
 public:
  open_span() = default;
  open_span(span_hook const& hook, span_start start) noexcept;
  open_span(open_span&& other) noexcept = default;
  open_span& operator=(open_span&& other) noexcept {
    if (this != &other) end("it was let go");
    span_ = std::move(other.span_);
    context_ = std::move(other.context_);
    return *this;
  }
  ~open_span() { end("it was let go"); }

  explicit operator bool() const noexcept { return span_ != nullptr; }
  [[nodiscard]] trace_context const& context() const noexcept { return context_; }
  void set(std::string_view key, span_value value) noexcept;
  void event(std::string_view name, std::vector<span_attribute> attributes = {}) noexcept;
  void end(std::string_view failure = {}) noexcept;
  /// With error.type and the peer's code.
  void fail(error const& why) noexcept;
  void end_with(error const* why) noexcept { why ? fail(*why) : end(); }

 private:
  std::shared_ptr<span> span_;
  trace_context context_;
};

/// A context of our own making for a span below this parent.
trace_context child_of(trace_context const& parent);

/// An error in a few words, the same for all of its kind: the peer's code, or comcp's.
std::string error_type(error const& why);

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/trace/impl/span.ipp>
#endif
