// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An engine around an engine: a span for each exchange, as OpenTelemetry's conventions for HTTP clients want it. Its parent
// is what the request's traceparent says, and what the request carries is its own context.
// Spec: https://opentelemetry.io/docs/specs/semconv/http/http-spans/
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/http/engine.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/trace/span.hpp>
#include <comcp/version.hpp>

namespace comcp {

namespace http_detail {

/// Begins it, and has the request carry it.
comcp::detail::open_span begin_span(span_hook const& hook, http_request& request);
void end_span(comcp::detail::open_span& of, int status);
/// What a caller cancelled is no failure.
void fail_span(comcp::detail::open_span& of, error const& why) noexcept;
/// Whether an exchange with this head is told at its head, as it may last for hours.
bool ends_at_head(http_response_head const& head, bool is_get);

}  // namespace http_detail

/// Wraps any engine: `traced_engine(asio_engine(), hook)`. Exchanges and errors are the inner engine's. A span ends with the
/// body, or where that is let go; that of a GET which opens an event stream ends with the response's head.
template <class Engine>
class traced_engine {
  static_assert(engine<Engine>, "comcp: this type is no engine: see comcp/http/engine.hpp");

  struct told {
    comcp::detail::open_span span;
    int status = 0;
    // What is let go after its head did what it was for.
    ~told() {
      if (status != 0) http_detail::end_span(span, status);
    }
    void piece(result<std::string_view> const& p) {
      if (!p) http_detail::fail_span(span, p.error());
      else if (p->empty()) http_detail::end_span(span, status);
    }
  };

 public:
  class response {
   public:
    [[nodiscard]] http_response_head const& head() const noexcept { return inner_.head(); }
    [[nodiscard]] asio::awaitable<result<std::string_view>> next() {
      return told_ ? watched(inner_.next(), told_) : inner_.next();
    }

   private:
    friend traced_engine;
    response(typename Engine::response inner, std::shared_ptr<told> t) : told_(std::move(t)), inner_(std::move(inner)) {}

    // The response may be gone when the piece comes.
    static asio::awaitable<result<std::string_view>> watched(asio::awaitable<result<std::string_view>> coming,
                                                             std::shared_ptr<told> by) {
      std::optional<result<std::string_view>> piece;
      try {
        auto came = co_await std::move(coming);
        piece.emplace(came);
      } catch (...) {
        by->piece(comcp::detail::current_error());
        throw;
      }
      by->piece(*piece);
      co_return std::move(*piece);
    }

    std::shared_ptr<told> told_;  // null where all was told
    typename Engine::response inner_;
  };

  traced_engine(Engine inner, span_hook hook) : inner_(std::move(inner)), hook_(std::move(hook)) {}

  [[nodiscard]] asio::awaitable<result<response>> open(http_request request) {
    auto t = std::make_shared<told>();
    t->span = http_detail::begin_span(hook_, request);
    bool const is_get = request.method == "GET";
    return run(inner_.open(std::move(request)), std::move(t), is_get);
  }
  void close_idle() {
    if constexpr (requires { inner_.close_idle(); }) inner_.close_idle();
  }

 private:
  static asio::awaitable<result<response>> run(asio::awaitable<result<typename Engine::response>> opening,
                                               std::shared_ptr<told> t, bool is_get) {
    std::optional<result<typename Engine::response>> opened;
    try {
      auto got = co_await std::move(opening);
      opened.emplace(std::move(got));
    } catch (...) {
      http_detail::fail_span(t->span, comcp::detail::current_error());
      throw;
    }
    auto& inner = *opened;
    if (!inner) {
      http_detail::fail_span(t->span, inner.error());
      co_return inner.error();
    }
    t->status = inner->head().status;
    t->span.set("http.response.status_code", std::int64_t{t->status});
    if (http_detail::ends_at_head(inner->head(), is_get)) t.reset();
    co_return response(std::move(*inner), std::move(t));
  }

  Engine inner_;
  span_hook hook_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/traced_engine.ipp>
#endif
